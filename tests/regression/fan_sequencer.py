"""Dry coolers called and released one by one by their speed, and what stands in for one that is lost."""
import unittest

import h5py

from support import Case, table

UNITS = 4
POD = """podtwin: pod/1
circuits:
  w: {fluid: water, reference: {node: return, pressure: 200 kPa}}
nodes:
  return: {volume: 2 m3}
  supply: {volume: 2 m3}
equipment:
  grid: {class: utility, to: MSB, rating: 1 MW}
  load: {class: heat_source, to: return, power: HEAT}
  pump: {class: fixed_flow, from: return, to: hot, flow: 48 kg/s, supply: MSB}
  "DC-[1-4]": {class: dry_cooler, from: hot, to: supply, ua: 60 kW/K, air_flow: 60 kg/s, flow: 12 kg/s, fan_power: 12 kW, supply: MSB}
  back: {class: resistance, from: supply, to: return, dp: 20 kPa, flow: 48 L/s}
controls:
  TT: {class: sensor, measures: supply.t, lag: 5 s}
  TC: {class: pi_controller, sensor: TT, drives: [DC-1, DC-2, DC-3, DC-4], set_point_temperature: 38 degC, action: direct, gain: 0.5, span_temperature: 10 K, integral_time: 60 s, start_output: 0.5, output_low: 0.1}
  SEQ: {class: fan_sequencer, units: [DC-1, DC-2, DC-3, DC-4], up_at: 85 %, down_at: 45 %, up_delay: 60 s, down_delay: 120 s, minimum_run_time: 180 s}
design: {rack_power: 0 kW, weather: {dry_bulb: 25 degC, relative_humidity: 40 %}}
"""
RUN = """podtwin: scenario/1
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: 60 min
weather: {dry_bulb: 25 degC, relative_humidity: 40 %}
solver: {method: rosenbrock}
events:
  - {at: 5 min, target: load, do: set, with: {power: 900 kW}}
  - {at: 25 min, target: DC-1, do: trip}
  - {at: 30 min, target: DC-1, do: restore}
  - {at: 32 min, target: load, do: set, with: {power: 100 kW}}
record:
  - {class: sequencer, signals: ["*"], period: 1 s}
  - {class: dry_cooler, signals: [power], period: 1 s}
"""


class FanSequencer(Case):
    def test_a_steady_search_calls_as_many_as_the_load_needs(self):
        wanted = []
        for kilowatts in (150, 500, 900):
            tables = self.steady(f"at{kilowatts}", POD.replace("HEAT", f"{kilowatts} kW"))
            found = table(tables, "sequencer")["SEQ"]
            wanted.append(found["running"])
            self.assertEqual(found["running"], found["wanted"])
            self.assertLessEqual(found["command"], 0.85)
            if kilowatts > 150:  # below, natural draft alone cools further
                self.assertAlmostEqual(table(tables, "node")["supply"]["t"], 273.15 + 38.0, delta=0.05)
        self.assertEqual(wanted, sorted(wanted))
        self.assertLess(wanted[0], wanted[-1])

    def test_units_are_called_and_released_one_at_a_time_and_replaced_when_lost(self):
        self.write("pod.yaml", POD.replace("HEAT", "150 kW"))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", RUN), "-o", path, "--quiet")
        with h5py.File(path) as file:
            count, running = file["sequencer/wanted"][:, 0], file["sequencer/running"][:, 0]
            power = file["dry_cooler/power"][()]
        changes = [(n, int(count[n] - count[n - 1])) for n in range(1, len(count)) if count[n] != count[n - 1]]
        self.assertTrue(all(abs(step) == 1 for _, step in changes), changes)
        up = [n for n, step in changes if step > 0 and n < 25 * 60]
        down = [n for n, step in changes if step < 0]
        self.assertGreaterEqual(len(up), 2, changes)
        self.assertGreaterEqual(len(down), 2, changes)
        self.assertTrue(all(b - a >= 60 for a, b in zip(up, up[1:])), changes)
        self.assertTrue(all(b - a >= 120 for a, b in zip(down, down[1:])), changes)
        self.assertEqual(count[-1], 1)
        lost, back = 25 * 60, 30 * 60
        self.assertEqual(running[lost + 3], min(count[lost - 1], UNITS - 1), "nothing stands in for the unit that is lost")
        self.assertEqual(power[lost + 60, 0], 0.0)
        self.assertGreater(power[back + 60, 0], 0.0)


if __name__ == "__main__":
    unittest.main()
