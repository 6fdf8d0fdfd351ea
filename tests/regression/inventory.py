"""What closed circuits hold: vessels, leaks, relief, trapped volumes, make-up, NPSH, by files in and results out.

Expected values come from the formulas of docs/theory/inventory.md worked out here, never from the program; densities of PG25
are those of pod-design section 6.
"""
import math
import unittest

import h5py
import numpy

from support import Case, podtwin

AIR = 101325.0  # Pa, of the standard atmosphere at sea level
VOLUME = 2.04  # m3

RECORDED = ("pump", "expansion_vessel", "leak", "relief_valve", "make_up")

LOOP = """podtwin: pod/1
site: {latitude: 0 deg, longitude: 0 deg, elevation: 0 m}
circuits:
  tcs: {fluid: PG25, CIRCUIT}
nodes:
  loop: {volume: 2.03 m3}
  out: {volume: 10 L}
equipment:
  P: {class: pump, from: loop, to: out, head_curve: [[0 L/s, 300 kPa], [40 L/s, 200 kPa]], npsh_required: 3 m, check_valve: false}
  R: {class: resistance, from: out, to: loop, dp: 80 kPa, flow: 20 L/s}
"""
RUN = """podtwin: scenario/1
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: DURATION
weather: {dry_bulb: 20 degC, relative_humidity: 40 %}
solver: {method: arkode, rtol: 1e-3}
from: cold
"""


class Inventory(Case):
    def run_pod(self, equipment, duration, events=(), circuit="held_by: vessel", loop=LOOP):
        self.write("pod.yaml", loop.replace("CIRCUIT", circuit) + equipment)
        classes = ["node"] + [name for name in RECORDED if f"class: {name}" in loop + equipment]
        text = RUN.replace("DURATION", duration) + "record:\n"
        text += "".join(f"  - {{class: {name}, signals: ['*'], period: 1 s}}\n" for name in classes)
        if events:
            text += "events:\n" + "".join(f"  - {event}\n" for event in events)
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--force", "--quiet")
        file = h5py.File(path)
        self.addCleanup(file.close)
        balance = {name: float(item[()]) for name, item in file["balance"].items()}
        self.assertLess(abs(balance["coolant_error_relative"]), 1e-9, balance)
        self.assertLess(abs(balance["energy_error_relative"]), 1e-6, balance)
        self.balance = balance
        return file

    @staticmethod
    def column(file, group, signal, member=0):
        return file[group][signal][:, member].astype(float)

    @staticmethod
    def node(file, name, signal):
        ids = [i.decode() for i in file["node/id"][:]]
        return file["node"][signal][:, ids.index(name)].astype(float)

    @staticmethod
    def events(file):
        return list(zip(file["events/time"][:], file["events/equipment"].asstr()[:], file["events/text"].asstr()[:]))

    def refused(self, equipment, said, circuit="held_by: vessel"):
        path = self.write("pod.yaml", LOOP.replace("CIRCUIT", circuit) + equipment)
        done = podtwin("check", path)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(said, done.stdout + done.stderr)
        self.assertRegex(done.stdout + done.stderr, r"pod\.yaml:\d+:\d+")

    # -- expansion

    def test_20_to_45_degc_in_2_04_m3_of_pg25_is_24_litres(self):
        # 2.04 m3 x 1020 kg/m3 x 3.9 kJ/(kg K) x 25 K = 203 MJ
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L, precharge: 1 bar, fill_pressure: 1.5 bar}
  heater: {class: heat_source, to: loop, power: 200 kW}
""", "20 min")
        t = self.node(file, "loop", "t")
        liquid, p = self.column(file, "expansion_vessel", "liquid"), self.column(file, "expansion_vessel", "p")
        self.assertLess(t[0], 293.2)
        self.assertGreater(t[-1], 318.15)
        swollen = numpy.interp(318.15, t, liquid) - numpy.interp(293.15, t, liquid)
        self.assertAlmostEqual(1e3 * swollen, 24.0, delta=0.5)  # practice.md section 3
        # Boyle: the gas fills what the liquid leaves
        numpy.testing.assert_allclose(p, (1e5 + AIR) * 0.1 / (0.1 - liquid) - AIR, rtol=2e-5)
        self.assertAlmostEqual(1e3 * liquid[0], 100.0 * (1 - (1e5 + AIR) / (1.5e5 + AIR)), delta=0.02)
        numpy.testing.assert_allclose(self.node(file, "loop", "p"), p, rtol=1e-5)
        self.assertEqual(self.balance["coolant_in"], 0.0)

    # -- leaks

    COOL = "held_by: vessel, property_temperature: 20 degC"  # one density throughout

    def test_hose_off_takes_36_litres_in_36_seconds_and_trips_the_pump_on_level(self):
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L, kind: maintained, fill_level: 72 %, trip_level: 36 %, trips: [P]}
  hose: {class: leak, node: loop, flow: 60 L/min, dp: 150 kPa}
""", "2 min", ["{at: 10 s, do: open, target: hose}"], circuit=self.COOL)
        liquid = self.column(file, "expansion_vessel", "liquid")
        self.assertAlmostEqual(1e3 * liquid[10], 72.0, delta=0.1)
        self.assertAlmostEqual(1e3 * (liquid[10] - liquid[46]), 36.0, delta=0.1)
        trips = [t for t, who, text in self.events(file) if who == "P" and text == "trip"]
        self.assertEqual(len(trips), 1)
        self.assertAlmostEqual(trips[0], 46.0, delta=1.1)
        self.assertLess(self.column(file, "pump", "speed")[60], 1e-3)
        self.assertAlmostEqual(self.balance["coolant_out"], self.column(file, "leak", "lost")[-1], delta=1e-3)

    def test_isolation_in_5_seconds_loses_5_litres(self):
        loop = LOOP + """  A: {class: resistance, from: loop, to: a, dp: 1 kPa, flow: 10 L/s}
"""
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L, kind: maintained, fill_level: 72 %}
  hose: {class: leak, node: a, flow: 60 L/min, dp: 150 kPa}
""", "60 s", ["{at: 10 s, do: open, target: hose}", "{at: 15 s, do: isolate, target: A}"], circuit=self.COOL, loop=loop)
        lost = self.column(file, "leak", "lost")
        self.assertAlmostEqual(lost[-1] / 1.0239, 5.0, delta=0.02)
        self.assertEqual(lost[16], lost[-1])  # no cushion: it ends at once
        self.assertAlmostEqual(self.node(file, "a", "p")[-1], 0.0, delta=1.0)  # and the part is at the air's pressure

    def test_a_cushion_drains_by_boyle_and_torricelli_until_the_air_s_pressure(self):
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L, precharge: 0.5 bar, fill_pressure: 2 bar, low_pressure: 0 kPa, trip_pressure: -50 kPa}
  hose: {class: leak, node: loop, diameter: 9 mm}
""", "4 min", ["{at: 10 s, do: open, target: hose}"], circuit=self.COOL)
        liquid = self.column(file, "expansion_vessel", "liquid")
        lost = self.column(file, "leak", "lost")
        start = 0.1 * (1 - (0.5e5 + AIR) / (2e5 + AIR))
        density = self.balance["coolant_start"] / (VOLUME + start)
        area, content, t = 0.62 * math.pi / 4 * 0.009 ** 2, start, 0.0
        at = {}
        while content > 0.02 * start:
            if abs(t - round(t)) < 5e-4:
                at[int(round(t))] = content
            gauge = (0.5e5 + AIR) * 0.1 / (0.1 - content) - AIR
            content -= 1e-3 * area * math.sqrt(2 * gauge / density)
            t += 1e-3
        for second, expected in at.items():
            self.assertAlmostEqual(liquid[10 + second], expected, delta=2e-3 * start, msg=f"{second} s")
        self.assertAlmostEqual(lost[-1], density * start, delta=0.01 * density * start)
        self.assertAlmostEqual(self.column(file, "leak", "flow")[-1], 0.0, delta=1e-6)
        self.assertAlmostEqual(self.node(file, "loop", "p")[-1], 0.0, delta=200.0)

    def test_a_reference_supplies_what_leaks(self):
        file = self.run_pod("  hose: {class: leak, node: out, flow: 60 L/min, dp: 150 kPa, leaks: true}\n", "60 s",
                            circuit="reference: {node: loop, pressure: 150 kPa}")
        lost = self.column(file, "leak", "lost")
        p = self.node(file, "out", "p")
        flow = self.column(file, "leak", "flow")
        numpy.testing.assert_allclose(flow, 1e-3 * numpy.sqrt(p / 150e3), rtol=1e-5)
        self.assertGreater(lost[-1], 60.0)
        self.assertAlmostEqual(self.balance["coolant_in"], lost[-1], delta=1e-4)
        self.assertAlmostEqual(self.balance["coolant_start"], self.balance["coolant_end"], delta=1e-9)

    # -- trapped volumes and relief

    TRAP = LOOP + """  A: {class: resistance, from: loop, to: hot, dp: 10 kPa, flow: 10 L/s}
  B: {class: resistance, from: hot, to: out, dp: 10 kPa, flow: 10 L/s}
  heater: {class: heat_source, to: hot, power: 2 kW}
  vessel: {class: expansion_vessel, node: loop, volume: 100 L}
"""
    SHUT = ["{at: 10 s, do: isolate, target: A}", "{at: 10 s, do: isolate, target: B}"]
    OPEN = ["{at: 100 s, do: restore, target: A}", "{at: 100 s, do: restore, target: B}"]

    def test_a_hot_section_between_two_shut_valves_gains_2_5_bar_a_kelvin(self):
        file = self.run_pod("", "2 min", self.SHUT + self.OPEN, loop=self.TRAP)
        p, t = self.node(file, "hot", "p"), self.node(file, "hot", "t")
        self.assertGreater(t[99] - t[12], 4.0)
        numpy.testing.assert_allclose(p[12:100] - p[12], 2.5e5 * (t[12:100] - t[12]), atol=2e-3 * 2.5e5)
        self.assertTrue(any("'hot'" in text and "without relief" in text for _, _, text in self.events(file)))
        alarms = [(s, e) for s, e in zip(file["alarms/signal"].asstr()[:], file["alarms/equipment"].asstr()[:])]
        self.assertIn(("trapped_rise", "hot"), alarms)
        # the network's again
        self.assertLess(abs(p[101] - self.node(file, "loop", "p")[101]), 2e5)
        self.assertEqual(self.node(file, "hot", "trapped_rise")[101], 0.0)

    def test_it_falls_when_it_cools_and_never_below_vacuum(self):
        loop = self.TRAP.replace("power: 2 kW", "power: -2 kW")
        file = self.run_pod("", "2 min", self.SHUT, loop=loop)
        p, t = self.node(file, "hot", "p"), self.node(file, "hot", "t")
        expected = numpy.maximum(p[12] + 2.5e5 * (t[12:] - t[12]), -AIR)
        numpy.testing.assert_allclose(p[12:], expected, atol=500.0)
        self.assertAlmostEqual(p[-1], -AIR, delta=5.0)

    def test_relief_holds_a_trapped_volume_and_the_vessel_is_short_of_what_it_let_out(self):
        file = self.run_pod("  V: {class: relief_valve, node: hot, set_pressure: 4 bar, blowdown: 10 %}\n", "2 min",
                            self.SHUT + self.OPEN, loop=self.TRAP)
        p, t = self.node(file, "hot", "p"), self.node(file, "hot", "t")
        self.assertAlmostEqual(p[:100].max(), 4e5, delta=1.0)
        self.assertTrue(any(who == "V" and "lifted" in text for _, who, text in self.events(file)))
        self.assertEqual(self.node(file, "hot", "trapped_rise").max(), 0.0)
        discharged = self.column(file, "relief_valve", "discharged")[-1]
        # what the warming beyond the valve's pressures swelled by: 5 L (the node's own volume) at 0.43 kg/(m3 K)
        rose = t[99] - t[12] - (4e5 - p[12]) / 2.5e5
        self.assertAlmostEqual(discharged, 5e-3 * 0.43 * rose, delta=0.05 * discharged + 5e-3 * 0.43 * 0.16)
        self.assertAlmostEqual(self.balance["coolant_out"], discharged, delta=1e-7)
        self.assertAlmostEqual(self.balance["coolant_start"] - self.balance["coolant_end"], discharged, delta=1e-9 * 2e3)

    def test_relief_of_a_live_circuit_lifts_at_its_pressure_and_shuts_at_its_blowdown(self):
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 40 L, fill_pressure: 2.9 bar}
  heater: {class: heat_source, to: loop, power: 50 kW}
  V: {class: relief_valve, node: loop, set_pressure: 3 bar, blowdown: 10 %, capacity: 60 L/min}
""", "10 min")
        p, lifted = self.node(file, "loop", "p"), self.column(file, "relief_valve", "lifted")
        first = int(numpy.argmax(lifted > 0))
        self.assertGreater(first, 0)
        self.assertAlmostEqual(p[first - 1], 3e5, delta=2e3)
        shut = first + int(numpy.argmax(lifted[first:] == 0))
        self.assertGreater(shut, first)
        self.assertAlmostEqual(p[shut], 2.7e5, delta=2e3)
        self.assertLess(p.max(), 3.1e5)
        self.assertGreater(self.balance["coolant_out"], 0.1)

    # -- make-up

    def test_two_per_cent_of_plain_make_up_takes_25_to_24_5_per_cent(self):
        # 2162.4 kg; 2 % of it runs off at 1 L/s of 1.0145 kg/L in 42.63 s and comes in at 20 L/min in 127.9 s
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L, kind: maintained, fill_level: 72 %, least_glycol: 24.55 %}
  drain: {class: leak, node: loop, flow: 60 L/min, dp: 150 kPa}
  fill: {class: make_up, node: out, flow: 20 L/min, start_pressure: 250 kPa, stop_pressure: 400 kPa, temperature: 15 degC, in_service: false}
""", "5 min", ["{at: 10 s, do: open, target: drain}", "{at: 52.63 s, do: close, target: drain}",
               "{at: 100 s, do: restore, target: fill}", "{at: 227.9 s, do: isolate, target: fill}"])
        glycol, mass = self.column(file, "expansion_vessel", "glycol"), self.column(file, "expansion_vessel", "mass")
        supplied = self.column(file, "make_up", "supplied")
        self.assertAlmostEqual(glycol[99], 0.25, delta=1e-7)  # what drains has the same
        self.assertAlmostEqual(mass[99] / mass[0], 0.98, delta=2e-5)
        self.assertAlmostEqual(mass[-1] / mass[0], 1.0, delta=3e-4)
        # d(x M) = 0 of plain water: x M stays
        self.assertAlmostEqual(glycol[-1], 0.25 * mass[99] / (mass[99] + supplied[-1]), delta=2e-6)
        self.assertAlmostEqual(glycol[-1], 0.245, delta=1e-4)
        alarms = list(zip(file["alarms/signal"].asstr()[:], file["alarms/equipment"].asstr()[:]))
        self.assertIn(("glycol", "vessel"), alarms)
        self.assertAlmostEqual(self.balance["coolant_in"], supplied[-1], delta=1e-4)

    def test_make_up_stops_at_its_pressure_and_when_its_tank_is_empty(self):
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L}
  drip: {class: leak, node: loop, diameter: 4 mm, leaks: true}
  fill: {class: make_up, node: loop, flow: 30 L/min, start_pressure: 140 kPa, stop_pressure: 160 kPa, tank: 20 L, glycol: 25 %}
""", "15 min")
        running, p = self.column(file, "make_up", "running"), self.node(file, "loop", "p")
        tank = self.column(file, "make_up", "tank")
        starts = [k for k in range(1, len(p)) if running[k] > running[k - 1]]
        stops = [k for k in range(1, len(p)) if running[k] < running[k - 1]]
        self.assertGreater(len(starts), 1)
        self.assertLess(abs(p[starts[0] - 1] - 140e3), 3e3)
        self.assertLess(abs(p[stops[0] - 1] - 160e3), 3e3)
        self.assertLess(tank[-1], 0.5e-3 + 1e-9)  # less than a second's flow; 20 L are a whole number of seconds
        self.assertGreaterEqual(tank[-1], 0.0)
        self.assertEqual(running[-1], 0.0)

    # -- NPSH, air

    def test_npsh_margin_is_that_of_the_suction(self):
        file = self.run_pod("""  vessel: {class: expansion_vessel, node: loop, volume: 100 L}
""", "60 s")
        p, q = self.node(file, "loop", "p"), self.column(file, "pump", "flow")
        # mole fraction of water 0.925; vapour of water at 20 degC 2339 Pa
        water, glycol = 0.75 * 998.2 / 18.015, 0.25 * 1036.1 / 76.09
        density = 1014.5  # of the circuit at its reference temperature of 40 degC
        expected = (p + AIR - water / (water + glycol) * 2339.0) / (density * 9.80665) - 3.0 * (q / 40e-3) ** 2
        numpy.testing.assert_allclose(self.column(file, "pump", "npsh_margin"), expected, rtol=1e-3)

    def test_coolant_hotter_than_the_data_of_vapour_is_told_and_no_error(self):
        loop = LOOP.replace("CIRCUIT", "held_by: vessel").replace("{class: resistance, from: out, to: loop, dp: 80 kPa, flow: 20 L/s}", "PIPE")
        pipe = "{class: pipe, from: out, to: loop, length: 60 m, diameter: 80 mm, loss_per_area: 12 W/(m2.K)}"
        loop = loop.replace("PIPE", pipe).replace("[[0 L/s, 300 kPa], [40 L/s, 200 kPa]]", "[[0 L/s, 100 kPa], [5 L/s, 80 kPa]]")
        self.write("pod.yaml", loop + self.VESSEL + "  H: {class: heat_source, to: loop, power: 40 kW}\n")
        done = podtwin("steady", self.folder / "pod.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it may boil", done.stderr)

    def test_air_taken_in_is_vented(self):
        file = self.run_pod("  vessel: {class: expansion_vessel, node: loop, volume: 100 L, vent_time: 100 s}\n", "5 min",
                            ["{at: 10 s, do: air_in, target: vessel, with: {volume: 0.78 L}}"])
        air = self.column(file, "expansion_vessel", "air")
        self.assertEqual(air[9], 0.0)
        self.assertAlmostEqual(air[10], 0.78e-3, delta=1e-6)
        self.assertAlmostEqual(air[210], 0.78e-3 * math.exp(-2.0), delta=0.78e-3 * 5e-3)

    def test_air_takes_head_from_the_pump_until_it_is_vented(self):
        file = self.run_pod("  vessel: {class: expansion_vessel, node: loop, volume: 1 m3, fill_level: 40 %, kind: maintained, vent_time: 200 s}\n",
                            "25 min", ["{at: 100 s, do: air_in, target: vessel, with: {volume: 500 L}}"])
        gas, flow, speed = (self.column(file, "pump", name) for name in ("gas", "flow", "speed"))
        after = numpy.arange(len(gas)) - 100.0  # s
        # held at 150 kPa gauge, in 2.04 m3; then the head of a pump and a quadratic circuit by the speed of docs/pump.md
        expected = numpy.where(after >= 0.0, 0.5 * numpy.exp(-after / 200.0) * AIR / (150e3 + AIR) / VOLUME, 0.0)
        numpy.testing.assert_allclose(gas, expected, atol=2e-4)
        level = self.column(file, "expansion_vessel", "level")  # of 1 m3: as much as the air takes is pushed into it
        numpy.testing.assert_allclose(level - level[90], expected * VOLUME, atol=1e-3)
        s = numpy.clip((gas - 0.02) / 0.13, 0.0, 1.0)
        head = 300e3 * speed ** 2 * (1.0 - s * s * (3.0 - 2.0 * s))
        numpy.testing.assert_allclose(flow[60:], numpy.sqrt(head / (100e3 / 0.04 ** 2 + 80e3 / 0.02 ** 2))[60:], rtol=2e-3)
        self.assertLess(flow[105], 0.75 * flow[90])
        self.assertAlmostEqual(flow[-1] / flow[90], 1.0, delta=1e-4)
        alarms = list(zip(file["alarms/signal"].asstr()[:], file["alarms/equipment"].asstr()[:]))
        self.assertIn(("gas", "P"), alarms)

    def test_more_air_than_the_circuit_holds_is_no_event_but_a_message(self):
        self.write("pod.yaml", LOOP.replace("CIRCUIT", "held_by: vessel") + self.VESSEL)
        text = RUN.replace("DURATION", "60 s") + "events:\n  - {at: 10 s, do: air_in, target: vessel, with: {volume: 5 m3}}\n"
        done = podtwin("run", self.write("run.yaml", text), "-o", self.folder / "out.h5", "--force")
        self.assertIn("that of the circuit", done.stdout + done.stderr)

    def test_a_vessel_that_runs_empty_keeps_its_temperature_and_says_what_lacks(self):
        file = self.run_pod("  vessel: {class: expansion_vessel, node: loop, volume: 100 L}\n"
                            "  hose: {class: leak, node: loop, flow: 60 L/min, dp: 150 kPa}\n", "4 min",
                            ["{at: 10 s, target: hose, do: open}"])
        level, t = self.column(file, "expansion_vessel", "level"), self.column(file, "expansion_vessel", "t")
        lacking, loop = self.column(file, "expansion_vessel", "lacking"), self.node(file, "loop", "t")
        self.assertEqual(level[-1], 0.0)
        self.assertGreaterEqual(level.min(), 0.0)
        self.assertGreater(lacking[-1], 0.0)
        # at 1 L/s it loses two hundredths of its volume, its dead share, in two seconds: no more than the loop warms
        self.assertGreaterEqual(t.min(), 293.149)
        self.assertLess(t.max(), loop.max() + 0.1)

    # -- what is refused

    VESSEL = "  vessel: {class: expansion_vessel, node: loop, volume: 100 L}\n"

    def test_refusals(self):
        self.refused(self.VESSEL + "  second: {class: expansion_vessel, node: out, volume: 50 L}\n", "second")
        self.refused(self.VESSEL + "  pot: {class: open_tank, node: out, area: 1 m2, height: 2 m, start_level: 1 m}\n",
                     "holds a second pressure")
        self.refused(self.VESSEL, "has a held pressure", circuit="reference: {node: loop, pressure: 150 kPa}")
        self.refused(self.VESSEL, "holds no pressure", circuit="held_by: P")
        self.refused(self.VESSEL, "two things would set one pressure",
                     circuit="held_by: vessel, reference: {node: loop, pressure: 150 kPa}")
        self.refused(self.VESSEL.replace("volume:", "fill_pressure: 0.9 bar, volume:"), "not above its precharge")
        self.refused(self.VESSEL.replace("volume:", "fill_level: 30 %, volume:"), "which a vessel of kind diaphragm has not")
        self.refused(self.VESSEL.replace("volume:", "trips: [R], volume:"), "is to trip 'R'")
        self.refused(self.VESSEL + "  hole: {class: leak, node: out}\n", "does not state its hole once")
        self.refused("  fill: {class: make_up, node: out, flow: 1 L/min, start_pressure: 1 bar, stop_pressure: 2 bar}\n",
                     "without an expansion vessel", circuit="reference: {node: loop, pressure: 150 kPa}")
        self.refused(self.VESSEL + "  fill: {class: make_up, node: out, flow: 1 L/min, start_pressure: 2 bar, stop_pressure: 1 bar}\n",
                     "not above the")


if __name__ == "__main__":
    unittest.main()
