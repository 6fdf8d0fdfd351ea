"""Alarms are dated at or after what causes them, trips raise one at once, and whoever counts alarms counts the same."""
import re
import unittest

import h5py
import numpy

from support import Case

PLANT = """podtwin: pod/1
title: Two load banks on one loop with a dry cooler
site: {latitude: 50 deg, longitude: 8 deg, elevation: 100 m}
circuits:
  tcs: {fluid: PG30, reference: {node: return, pressure: 150 kPa}}
nodes:
  supply: {volume: 100 L}
  return: {volume: 100 L}
equipment:
  GRID: {class: utility, to: MSB, rating: 1 MW}
  LB-[1-2]: {class: heat_load_bank, from: supply, to: return, rating: 150 kW, power: 120 kW, flow: 150 L/min, dp: 60 kPa, supply: MSB}
  P-1: {class: pump, from: return, to: pumped, head_curve: [[0 L/min, 300 kPa], [400 L/min, 200 kPa]], start_speed: 80 %, supply: MSB}
  DC-1: {class: dry_cooler, from: pumped, to: supply, ua: 40 kW/K, air_flow: 40 kg/s, flow: 5 kg/s, fan_power: 10 kW, supply: MSB}
design: {rack_power: 0 kW, weather: {dry_bulb: 25 degC, relative_humidity: 40 %}}
"""
RACK = """podtwin: pod/1
title: A rack on a loop with a dry cooler
site: {latitude: 50 deg, longitude: 8 deg, elevation: 100 m}
circuits:
  tcs: {fluid: PG25, reference: {node: return, pressure: 150 kPa}}
nodes:
  supply: {volume: 50 L}
  return: {volume: 50 L}
equipment:
  GRID: {class: utility, to: MSB, rating: 1 MW}
  R-1: {class: rack, from: supply, to: return, feeds: [MSB], air: hall}
  hall: {class: zone, volume: 200 m3}
  walls: {class: heat_resistance, a: hall, b: ambient, resistance: 0.3 K/kW}
  P-1: {class: pump, from: return, to: pumped, head_curve: [[0 L/min, 300 kPa], [400 L/min, 200 kPa]], start_speed: 80 %, supply: MSB}
  DC-1: {class: dry_cooler, from: pumped, to: supply, ua: 40 kW/K, air_flow: 40 kg/s, flow: 5 kg/s, fan_power: 10 kW, supply: MSB}
design: {rack_power: 120 kW, weather: {dry_bulb: 25 degC, relative_humidity: 40 %}}
"""
METHODS = ("arkode", "rosenbrock", "cvode")
TRIPPED_SIGNAL = "1 while it is tripped."


class AlarmTimes(Case):
    def rows(self, pod, duration, method="rosenbrock", **sections):
        """Alarms as (time, equipment, signal, active) and events as (time, equipment, text) of a run."""
        self.write("pod.yaml", pod)
        text = (f"podtwin: scenario/1\ntitle: alarms\npod: pod.yaml\nstart: 2026-07-15T12:00:00Z\nduration: {duration}\n"
                f"solver: {{method: {method}}}\n")
        for name, lines in sections.items():
            text += f"{name}: {lines}\n" if isinstance(lines, str) else f"{name}:\n" + "".join(f"  {line}\n" for line in lines)
        self.result = self.folder / "out.h5"
        self.told = self.run_ok("run", self.write("run.yaml", text), "-o", self.result, "--force")
        with h5py.File(self.result) as file:
            alarms, events = file["alarms"], file["events"]
            return (list(zip(alarms["time"][()], alarms["equipment"].asstr(), alarms["signal"].asstr(), alarms["active"][()])),
                    list(zip(events["time"][()], events["equipment"].asstr(), events["text"].asstr())))

    def time_of(self, rows, *what):
        found = [row[0] for row in rows if tuple(row[1:1 + len(what)]) == what]
        self.assertTrue(found, (what, rows))
        return found[0]

    def test_a_jump_by_an_event_is_crossed_at_the_event(self):
        for method in METHODS:
            for at in (20.0, 20.25):
                alarms, _ = self.rows(PLANT, "30 s", method, events=[f"- {{at: {at} s, target: LB-1, do: trip}}"],
                                      limits=["lb: {signal: LB-1.power, below: 60 kW, kind: alarm}",
                                              "all: {signal: MSB.load, below: 200 kW, kind: alarm, delay: 2 s}"])
                with self.subTest(method=method, at=at):
                    self.assertAlmostEqual(self.time_of(alarms, "LB-1", "power"), at, delta=1e-6)
                    self.assertAlmostEqual(self.time_of(alarms, "LB-1", "tripped"), at, delta=1e-6)
                    self.assertAlmostEqual(self.time_of(alarms, "MSB", "load"), at + 2.0, delta=1e-6)

    def test_a_jump_by_a_condition_or_a_protection_is_crossed_when_it_acts(self):
        # The second bank's flow switch acts at a sample, the condition on the first at any moment.
        alarms, events = self.rows(PLANT, "40 s", events=["- {at: 10 s, target: P-1, do: trip}",
                                                          '- {when: "P-1.speed < 41.3 %", target: LB-1, do: trip}'],
                                   limits=["lb: {signal: 'heat_load_bank[*].power', below: 60 kW, kind: alarm}"])
        self.assertEqual(self.time_of(alarms, "P-1", "tripped"), 10.0)
        at = self.time_of(events, "LB-1", "trip")
        self.assertNotAlmostEqual(at, round(at), delta=1e-3)
        self.assertAlmostEqual(self.time_of(alarms, "LB-1", "power"), at, delta=1e-6)
        off = self.time_of(events, "LB-2", "off: less than its least flow")
        self.assertAlmostEqual(self.time_of(alarms, "LB-2", "power"), off, delta=1e-6)

    def test_what_moves_on_its_own_is_still_interpolated_between_two_looks(self):
        alarms, _ = self.rows(PLANT, "20 s", events=["- {at: 10 s, target: P-1, do: trip}"], record=["- {class: pump, signals: [speed], period: 0.1 s}"],
                              limits=["p: {signal: P-1.speed, below: 37 %, kind: alarm}"])
        found = self.time_of(alarms, "P-1", "speed")
        with h5py.File(self.result) as file:
            time, speed = file["pump/time"][()], file["pump/speed"][:, 0]
        # The speed falls by an exponential: the chord of a second is off by a tenth of one at the most.
        self.assertAlmostEqual(found, float(numpy.interp(-0.37, -speed, time)), delta=0.15)
        self.assertNotEqual(found, round(found))

    def test_a_jump_by_the_work_is_crossed_at_its_step(self):
        alarms, _ = self.rows(RACK, "30 s", workload="{kind: step, at: [0 s, 20 s], levels: [40 kW, 120 kW]}",
                              limits=["r: {signal: R-1.power, above: 60 kW, kind: alarm}"])
        self.assertGreaterEqual(self.time_of(alarms, "R-1", "power"), 20.0)

    def test_alarms_stand_in_order_and_are_counted_alike(self):
        alarms, _ = self.rows(PLANT, "1 min", events=["- {at: 10 s, target: P-1, do: trip}", "- {at: 20 s, target: P-1, do: restore}",
                                                      "- {at: 40 s, target: LB-1, do: trip}"],
                              limits=["f: {signal: 'heat_load_bank[*].flow', below: 50 L/min, kind: alarm}",
                                      "s: {signal: P-1.speed, below: 30 %, kind: alarm}"])
        times = [row[0] for row in alarms]
        self.assertEqual(times, sorted(times))
        raised = sum(1 for row in alarms if row[3])
        self.assertGreater(len(alarms), raised)
        self.assertEqual(int(re.search(r"Alarms raised +(\d+)", self.told.stdout)[1]), raised)
        self.assertIn(f"{raised} alarms raised, {len(alarms) - raised} of them back within", self.run_ok("info", self.result).stdout)
        with h5py.File(self.result) as file:
            self.assertEqual(file["pump/tripped"].attrs["long_name"], TRIPPED_SIGNAL)

    def test_what_shut_down_has_not_recovered_until_its_rack_is_restored(self):
        _, events = self.rows(RACK, "15 min", workload="{kind: constant, rack_power: 120 kW}",
                              events=["- {at: 10 s, target: P-1, do: trip}", "- {at: 6 min, target: P-1, do: restore}",
                                      "- {at: 10 min, target: R-1, do: restore}"], record=['- {class: rack, signals: ["*"], period: 1 s}'])
        texts = [text for _, who, text in events if who == "R-1"]
        self.assertTrue([t for t in texts if "GPU(s) shut down" in t], texts)
        self.assertFalse([t for t in texts if "GPU(s) recovered" in t], texts)
        with h5py.File(self.result) as file:
            power = file["rack/power"][:, 0]
        self.assertLess(power[599], 40e3, "all of it is off, though the coolant is back")
        self.assertGreater(power[-1], 110e3, "`restore` of the rack has brought it back")


if __name__ == "__main__":
    unittest.main()
