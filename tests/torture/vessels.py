"""Tanks and regulating valves at their ends: pumped empty, joined, locked up against each other, stuck; load bank without flow."""
import math
import unittest

from support import DENSITY, GRAVITY, KELVIN, LITRE, METHODS, SPECIFIC_HEAT, Torture, at, pod, scenario, series_flow


class Tanks(Torture):
    @scenario("A11, issue 3", "a pump draws from an open tank until it is empty, and goes on running", by_hand=True)
    def test_pumped_empty(self):
        plant = pod("""  T1: {class: open_tank, node: low, area: 0.1 m2, height: 2 m, start_level: 1 m}
  P: {class: pump, from: low, to: up, head_curve: [[0 L/s, 100 kPa], [10 L/s, 50 kPa]], start_speed: 100 %}
  R: {class: resistance, from: up, to: high, dp: 5 kPa, flow: 1 L/s}
  T2: {class: open_tank, node: high, area: 0.1 m2, height: 3 m, start_level: 0.5 m}
""")
        for method in METHODS:
            # at the empty tank's outlet the pump draws to what its shut-off head gives
            result = self.torture(plant, (-100e3, DENSITY * GRAVITY * 3.0 + 110e3), duration="300 s", method=method)
            # all but the last centimetre is moved: levels add up to what was there
            self.near(result.value("T1", "level") + result.value("T2", "level"), 1.5, 1e-5, message=method)
            self.assertLess(result.value("T1", "level"), 0.01)
            self.assertGreater(result.series("T1", "level").min(), -0.01)
            self.assertLess(abs(result.value("P", "flow")), 1e-5)

    @scenario("A1, issue 3", "three joined tanks level out, the joint shut and opened on the way", by_hand=True)
    def test_joined_tanks(self):
        plant = pod("".join(f"  T{i}: {{class: open_tank, node: n{i}, area: {area} m2, height: 3 m, start_level: {level} m}}\n"
                            for i, area, level in ((1, 0.1, 2.0), (2, 0.2, 0.5), (3, 0.05, 0.0))) + """  A: {class: balancing_valve, from: n1, to: n2, kv: 5 L/s}
  B: {class: resistance, from: n2, to: n3, dp: 5 kPa, flow: 2 L/s}
""", "  n1: {initial_temperature: 60 degC}\n")
        for method in METHODS:
            result = self.torture(plant, (-100.0, DENSITY * GRAVITY * 2.0 + 1.0), [at("20 s", "A", "close"), at("60 s", "A", "open")], "900 s", method=method, rtol="1e-3")
            for i in (1, 2, 3):
                self.near(result.value(f"T{i}", "level"), (0.1 * 2.0 + 0.2 * 0.5) / 0.35, 1e-4, message=f"{method}, T{i}")
            self.near(result.value("T1", "level", 59), result.value("T1", "level", 21), 1e-9)

    @scenario("A16", "an open tank isolated under a running pump: its part has no pressure of its own, and gets it back")
    def test_tank_isolated(self):
        plant = pod("""  T1: {class: open_tank, node: low, area: 0.1 m2, height: 2 m, start_level: 1 m}
  P: {class: pump, from: low, to: up, head_curve: [[0 L/s, 100 kPa], [10 L/s, 50 kPa]], start_speed: 100 %}
  R: {class: resistance, from: up, to: low, dp: 5 kPa, flow: 1 L/s}
""")
        result = self.torture(plant, (-1e3, DENSITY * GRAVITY + 101e3), [at("60 s", "T1", "isolate"), at("120 s", "T1", "restore")], "200 s")
        self.near(result.value("P", "flow", 199), series_flow(100.0, 0.5, 5.0) * LITRE, 1e-5)
        self.near(result.value("T1", "level"), 1.0, 1e-9)

    @scenario("A5, issue 3", "a plug tank with standing coolant for an hour between two reversals keeps both of its halves", by_hand=True)
    def test_standing_profile(self):
        plant = pod("""  F: {class: fixed_flow, from: hot, to: a, flow: 1 kg/s}
  X: {class: tank, from: a, to: b, volume: 100 L, flow: 1 L/s}
  R: {class: resistance, from: b, to: cold, dp: 5 kPa, flow: 2 L/s}
""", "  hot: {pressure: 100 kPa, temperature: 60 degC}\n  cold: {pressure: 100 kPa, temperature: 20 degC}\n  a: {volume: 0.01 L}\n  b: {volume: 0.01 L}\n")
        events = [at("50 s", "F", "set", flow="0 kg/s"), at("3650 s", "F", "set", flow="-0.5 kg/s")]
        result = self.torture(plant, (90e3, 130e3), events, "3900 s", rtol="1e-3", period="10 s")
        self.near(result.value("X", "t_mean", 3640) - KELVIN, 40.0, 1e-3)
        self.near(result.value("a", "t", 3740) - KELVIN, 60.0, 1e-3)  # 45 of 50 L
        self.near(result.value("a", "t", 3760) - KELVIN, 20.0, 1e-3)  # 55 of them

    @scenario("A7, issue 3", "a load bank at full power loses its flow: its switch cuts it off, its coolant takes what the elements held", by_hand=True)
    def test_load_bank_without_flow(self):
        plant = pod("""  F: {class: fixed_flow, from: in, to: a, flow: 2 kg/s}
  X: {class: heat_load_bank, from: a, to: b, rating: 100 kW, power: 80 kW, flow: 2 L/s}
  R: {class: resistance, from: b, to: out, dp: 5 kPa, flow: 2 L/s}
""", "  in: {pressure: 100 kPa, temperature: 30 degC}\n  out: {pressure: 0 kPa, temperature: 20 degC}\n")
        result = self.torture(plant, (-60e3, 200e3), [at("600 s", "F", "set", flow="0 kg/s"), at("900 s", "F", "set", flow="2 kg/s")], "1800 s")
        for time in (599, 1799):
            self.near(result.value("X", "t_out", time) - KELVIN, 30.0 + 80.0 / 8.0, 1e-3, message=f"{time} s")
        self.near(result.value("X", "power", 890), 0.0, 0.0, 1e-9)
        # at 600 s elements are 80 % of 40 K above 40 degC: 30 kJ/K of them and 100 L become one temperature
        expected = (30e3 * 72.0 + DENSITY * 0.1 * SPECIFIC_HEAT * 40.0) / (30e3 + DENSITY * 0.1 * SPECIFIC_HEAT)
        self.near(result.value("X", "t_out", 890) - KELVIN, expected, 0.0, 0.3)  # the switch acts within a second: 0.19 K


class Regulating(Torture):
    ENDS = "  high: {pressure: 600 kPa, temperature: 20 degC}\n  low: {pressure: 0 kPa, temperature: 20 degC}\n"

    @scenario("A16", "reducing and sustaining valve in a row with contradictory pressures: neither runs away", by_hand=True)
    def test_contradictory_in_a_row(self):
        plant = pod("""  A: {class: resistance, from: high, to: a, dp: 10 kPa, flow: 1 L/s}
  S: {class: pressure_sustaining_valve, from: a, to: b, pressure: 400 kPa, kv: 10 L/s, response_time: 2 s}
  V: {class: pressure_reducing_valve, from: b, to: c, pressure: 200 kPa, kv: 10 L/s, response_time: 2 s}
  B: {class: resistance, from: c, to: low, dp: 2 kPa, flow: 1 L/s}
""", self.ENDS)
        result = self.torture(plant, (-1.0, 600e3 + 1.0), duration="600 s")
        # through A at most sqrt(200/10) = 4.47 L/s while a stays at 400; through B at most sqrt(200/2) = 10: sustaining rules,
        # c stays at 2 x 20 = 40 kPa below what the reducing valve allows, so that it is wide open
        self.near(result.value("S", "flow"), math.sqrt(20.0) * LITRE, 1e-4)
        self.near(result.value("a", "p"), 400e3, 1e-4)
        self.near(result.value("c", "p"), 40e3, 1e-3)

    @scenario("A16", "two reducing valves in parallel at other pressures: the lower one shuts", by_hand=True)
    def test_two_in_parallel(self):
        plant = pod("""  V1: {class: pressure_reducing_valve, from: high, to: c, pressure: 200 kPa, kv: 10 L/s, response_time: 2 s}
  V2: {class: pressure_reducing_valve, from: high, to: c, pressure: 150 kPa, kv: 10 L/s, response_time: 2 s}
  B: {class: resistance, from: c, to: low, dp: 2 kPa, flow: 1 L/s}
""", self.ENDS)
        for method in METHODS:
            result = self.torture(plant, (-1.0, 600e3 + 1.0), duration="900 s", method=method)
            self.near(result.value("c", "p"), 200e3, 1e-3, message=method)
            self.near(result.value("B", "flow"), 10.0 * LITRE, 1e-3)
            self.assertLess(abs(result.value("V2", "flow")), 1e-3 * LITRE)

    @scenario("A16", "a reducing valve stuck open, then shut, then restored under reversed pressure", by_hand=True)
    def test_stuck(self):
        plant = pod("""  V: {class: pressure_reducing_valve, from: high, to: c, pressure: 200 kPa, kv: 10 L/s, response_time: 2 s}
  B: {class: resistance, from: c, to: low, dp: 2 kPa, flow: 1 L/s}
""", self.ENDS)
        events = [at("60 s", "V", "stick", position="100 %"), at("120 s", "V", "stick", position="0 %"), at("180 s", "V", "restore")]
        result = self.torture(plant, (-1.0, 600e3 + 1.0), events, "300 s")
        self.near(result.value("B", "flow", 119), series_flow(600.0, 1.0, 2.0) * LITRE, 1e-5)
        self.near(result.value("B", "flow", 179), 0.0, 0.0, 1e-7)
        self.near(result.value("c", "p", 299), 200e3, 1e-4)


if __name__ == "__main__":
    unittest.main()
