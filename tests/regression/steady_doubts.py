"""What an engineer must know of an operating point is told on standard error: trips, saturation, reversed flow and heat."""
import unittest

from support import Case, podtwin, table

POD = """podtwin: pod/1
title: Two load banks on one CDU with a dry cooler
site: {latitude: 50 deg, longitude: 8 deg, elevation: 100 m}
circuits:
  tcs: {fluid: PG30, reference: {node: tcs-return, pressure: 150 kPa}}
  fws: {fluid: PG30, reference: {node: fws-suction, pressure: 150 kPa}}
nodes:
  tcs-supply: {volume: 100 L}
  tcs-return: {volume: 100 L}
  fws-suction: {volume: 200 L}
  fws-supply: {volume: 200 L}
equipment:
  GRID: {class: utility, to: MSB, rating: 1 MW}
  LB-[1-2]: {class: heat_load_bank, from: tcs-supply, to: tcs-return, rating: 150 kW, power: 120 kW, flow: 150 L/min, dp: 60 kPa, supply: MSB}
  P-1: {class: pump, from: tcs-return, to: pumped, head_curve: [[0 L/min, 300 kPa], [600 L/min, 150 kPa]], start_speed: 80 %, check_valve: false, supply: MSB}
  HX-1: {class: plate_heat_exchanger, ua: 60 kW/K, hot: [pumped, tcs-supply], cold: [fws-cold, fws-suction], hot_flow: 5 kg/s, cold_flow: 5 kg/s, hot_dp: 40 kPa, cold_dp: 40 kPa}
  V-1: {class: valve, from: fws-supply, to: fws-cold, kv: 10 L/s, supply: MSB}
  CDU-1: {class: cdu, exchanger: HX-1, pumps: [P-1], valve: V-1, supply_node: tcs-supply, return_node: tcs-return, rating: 300 kW}
  FP-1: {class: pump, from: fws-suction, to: fws-hot, head_curve: [[0 L/min, 250 kPa], [500 L/min, 150 kPa]], start_speed: 90 %, supply: MSB}
  DC-1: {class: dry_cooler, from: fws-hot, to: fws-supply, ua: 40 kW/K, air_flow: 40 kg/s, flow: 5 kg/s, fan_power: 10 kW, supply: MSB}
controls:
  TT-1: {class: sensor, measures: tcs-supply.t, lag: 5 s}
  TC-1: {class: pi_controller, sensor: TT-1, drives: [V-1], set_point_temperature: 40 degC, action: direct, gain: 0.5, span_temperature: 10 K, integral_time: 40 s, start_output: 0.5}
design: {rack_power: 0 kW, weather: {dry_bulb: 25 degC, relative_humidity: 40 %}}
"""
CHILLER = """podtwin: pod/1
title: A chiller
site: {latitude: 50 deg, longitude: 8 deg, elevation: 100 m}
circuits: {w: {fluid: water}}
nodes:
  in: {pressure: 150 kPa, temperature: 46 degC}
  out: {pressure: 0 kPa, temperature: 20 degC}
equipment:
  CH-1: {class: chiller, from: in, to: out, capacity: 1 MW, set_point: 36 degC, flow: 20 L/s, dp: 150 kPa}
design: {rack_power: 0 kW, weather: {dry_bulb: 30 degC, relative_humidity: 40 %}}
"""


class SteadyDoubts(Case):
    def told(self, *changes, pod=POD):
        for old, new in changes:
            self.assertIn(old, pod)
            pod = pod.replace(old, new)
        return self.run_ok("steady", self.write("pod.yaml", pod), "--csv", self.folder / "csv").stderr

    def test_a_sound_plant_is_told_nothing(self):
        self.assertNotIn("at the operating point", self.told())

    def test_trips_and_saturation(self):
        told = self.told(("set_point_temperature: 40 degC", "set_point_temperature: 400 degC"))
        self.assertRegex(told, r"warning: at the operating point these have tripped: 'LB-1', 'LB-2'")
        self.assertRegex(told, r"warning: at the operating point `saturated` is not 0 of 'TC-1' \(-1\): 1 at the upper, -1 at the lower bound")
        self.assertNotIn("LB-1.tripped", told)

    def test_a_controller_without_gain(self):
        self.assertRegex(self.told(("gain: 0.5", "gain: 0")), r"pod\.yaml:23:\d+: warning: 'TC-1' has a gain of 0: its output never moves")

    def test_reversed_flow_and_heat(self):
        told = self.told(("from: fws-supply, to: fws-cold", "from: fws-cold, to: fws-supply"))
        self.assertRegex(told, r"coolant flows backwards, `to` to `from`, through 'V-1'")
        told = self.told(("from: tcs-return, to: pumped", "from: pumped, to: tcs-return"))
        self.assertRegex(told, r"coolant flows backwards, `to` to `from`, through 'LB-1', 'LB-2'")
        told = self.told(("hot: [pumped, tcs-supply], cold: [fws-cold, fws-suction]", "hot: [fws-cold, fws-suction], cold: [pumped, tcs-supply]"))
        self.assertRegex(told, r"heat goes from `cold` to `hot` in 'HX-1'")

    def test_long_lists_are_cut(self):
        told = self.told(("LB-[1-2]", "LB-[01-20]"), ("set_point_temperature: 40 degC", "set_point_temperature: 400 degC"),
                         ("rating: 150 kW, power: 120 kW, flow: 150 L/min", "rating: 15 kW, power: 12 kW, flow: 15 L/min"))
        self.assertRegex(told, r"have tripped: 'LB-01', .*'LB-12' and 8 more;")

    def test_one_node_at_both_ends_is_refused(self):
        done = podtwin("check", self.write("pod.yaml", POD.replace("from: tcs-supply, to: tcs-return, rating", "from: tcs-supply, to: tcs-supply, rating")))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"pod\.yaml:14:3: error: 'LB-1', 'LB-2' from node 'tcs-supply' to the same node: .*; name two different nodes")

    def test_the_cop_of_a_chiller_is_its_heat_over_its_power(self):
        self.told(pod=CHILLER)
        row = table(self.folder / "csv", "chiller")["CH-1"]
        self.assertGreater(row["heat"], 700e3)
        self.assertAlmostEqual(row["cop"], row["heat"] / row["power"], delta=1e-9)
        self.assertGreater(row["compressor_cop"], 1.2 * row["cop"], "of which the fans are the difference")
        self.told(("temperature: 46 degC", "temperature: 30 degC"), pod=CHILLER)
        row = table(self.folder / "csv", "chiller")["CH-1"]
        self.assertEqual((row["heat"], row["power"], row["cop"]), (0.0, 0.0, 0.0))


if __name__ == "__main__":
    unittest.main()
