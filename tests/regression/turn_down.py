"""Hunting at turn-down: a tuning that is fine at full load cycles below 10 % with a linear valve, and does not with an
equal-percentage one. It is shown and counted (docs/theory/control.md), not hidden."""
import unittest

import h5py

from support import Case, ZERO_CELSIUS, table

POD = """podtwin: pod/1
circuits:
  tcs: {fluid: PG25, reference: {node: ret, pressure: 200 kPa}, constant_properties: true}
  fws: {fluid: water, constant_properties: true}
nodes:
  fin: {pressure: 150 kPa, temperature: 30 degC}
  fout: {pressure: 0 kPa, temperature: 40 degC}
  ret: {volume: 0.3 m3}
  hot: {volume: 0.3 m3}
equipment:
  P: {class: pump, from: ret, to: dis, head_curve: [[0 L/s, 400 kPa], [20 L/s, 250 kPa]], start_speed: 80 %}
  X: {class: plate_heat_exchanger, ua: 317 kW/K, hot: [dis, sup], cold: [fcold, fout], hot_flow: 20.2 kg/s, cold_flow: 19.8 kg/s, cold_dp: 84 kPa}
  V: {class: valve, from: fin, to: fcold, kv: 40 L/s, characteristic: CHARACTERISTIC, rangeability: 30, stroke_time: 120 s, start_position: 50 %}
  R: {class: valve, from: sup, to: hot, kv: 20 L/s, characteristic: linear, stroke_time: 60 s, start_position: 100 %}
  B: {class: resistance, from: hot, to: ret, dp: 20 kPa, flow: 20 L/s}
  load: {class: heat_source, to: hot, power: 1300 kW}
  TT: {class: sensor, measures: sup.t, lag: 5 s}
  TC: {class: pi_controller, sensor: TT, drives: [V], set_point_temperature: 38 degC, action: direct, gain: 0.5, span_temperature: 10 K, integral_time: 40 s, start_output: 0.6}
"""
RUN = """podtwin: scenario/1
title: Turn-down
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: 3 h
weather: {dry_bulb: 20 degC, relative_humidity: 40 %}
events:
  - {at: 10 min, target: load, do: set, with: {power: 1000 kW}}
  - {at: 1 h, target: load, do: set, with: {power: 100 kW}}
  - {at: 1 h, target: R, do: set, with: {position: 8 %}}
record:
  - {class: controller, signals: ["*"], period: 10 s}
  - {class: valve, signals: ["*"], period: 10 s}
  - {class: sensor, signals: ["*"], period: 10 s}
"""


class TurnDown(Case):
    def play(self, characteristic):
        self.write("pod.yaml", POD.replace("CHARACTERISTIC", characteristic))
        path = self.folder / f"{characteristic}.h5"
        self.run_ok("run", self.write("run.yaml", RUN), "-o", path, "--quiet")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
            return (file["controller/reversals"][:, 0].astype(int), file["sensor/value"][:, 0] - ZERO_CELSIUS)

    def supply(self, characteristic, position, load, opening):
        """Supply temperature [K] with the valve in manual."""
        self.write("pod.yaml", POD.replace("CHARACTERISTIC", characteristic))
        self.run_ok("steady", self.folder / "pod.yaml", "--csv", self.folder / "steady", "--set", f"V.position={position}",
                    "--set", f"load.power={load}", "--set", f"R.position={opening}")
        return table(self.folder / "steady", "node")["sup"]["t"]

    def test_process_gain_at_full_and_at_8_percent_flow(self):
        """docs/theory/control.md. Positions are those that hold 38 degC."""
        step = 0.001
        for characteristic, full, low, gains in (("linear", 0.3469, 0.0272, (0.351, 5.88)), ("equal_percentage", 0.6972, 0.1502, (0.438, 1.306))):
            for position, load, opening, gain in ((full, "1300 kW", "100 %", gains[0]), (low, "100 kW", "8 %", gains[1])):
                with self.subTest(characteristic=characteristic, load=load):
                    middle, below, above = (self.supply(characteristic, position + d, load, opening) for d in (0.0, -step, step))
                    self.assertAlmostEqual(middle - ZERO_CELSIUS, 38.0, delta=0.05)
                    self.assertAlmostEqual((below - above) / (200.0 * step) / gain, 1.0, delta=0.02)  # K per % of stroke

    def test_a_linear_valve_hunts_at_8_percent_and_an_equal_percentage_one_does_not(self):
        full, low = slice(300, 360), slice(900, 1080)  # rows of 10 s: 50 to 60 min, 150 to 180 min
        for characteristic in ("linear", "equal_percentage"):
            with self.subTest(characteristic=characteristic):
                reversals, celsius = self.play(characteristic)
                self.assertEqual(reversals[359], 0, "it hunts at full load")
                self.assertLess(float(abs(celsius[full] - 38.0).max()), 0.05)
                turns, swing = reversals[1079] - reversals[900], float(celsius[low].max() - celsius[low].min())
                print(f"{characteristic}: {turns} reversals in half an hour at 8 % load, {swing:.2f} K peak to peak")
                if characteristic == "linear":
                    self.assertGreater(turns, 50)
                    self.assertGreater(swing, 2.0)
                else:
                    self.assertEqual(turns, 0)
                    self.assertLess(swing, 0.05)


if __name__ == "__main__":
    unittest.main()
