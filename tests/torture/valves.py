"""Each class of valve to zero and back, in a loop whose pump runs on."""
import math
import unittest

from support import LITRE, METHODS, Torture, at, circuit, pod, scenario, series_flow, side_by_side

# Pump 300 kPa - 1 kPa/(L/s)^2 q^2 at full speed; a branch of 10 kPa/(L/s)^2 with the valve, one of 20 beside it.
HEAD = 300.0
LOOP = """  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s}
  A: {class: resistance, from: sup, to: mid, dp: 10 kPa, flow: 1 L/s}
  B: {class: resistance, from: sup, to: ret, dp: 20 kPa, flow: 1 L/s}
"""
WITHIN = (200e3 - 1.0, 500e3)


def loop(valve, more=""):
    return pod(LOOP + valve + more, circuits=circuit())


def flows(valve):
    """Flow of the pump and of the valve's branch with a valve of `valve` kPa/(L/s)^2, infinite when it is shut."""
    q = series_flow(HEAD, 1.0, side_by_side(10.0 + valve, 20.0))
    return q, math.sqrt((HEAD - q * q) / (10.0 + valve))


class Valves(Torture):
    def branch(self, result, time, valve, relative=1e-5):
        whole, branch = flows(valve)
        self.near(result.value("P", "flow", time), whole * LITRE, relative, message=f"pump at {time} s")
        self.near(result.value("V", "flow", time), branch * LITRE, relative, 1e-12, f"branch at {time} s")

    @scenario("A7, A11", "linear valve to zero and back; shut, its seat leaks what it is stated to", by_hand=True)
    def test_linear_valve(self):
        plant = loop("  V: {class: valve, from: mid, to: ret, kv: 5 L/s, characteristic: linear, leakage: 0.001, stroke_time: 2 s, lag: 0.2 s}\n")
        events = [at("10 s", "V", "close"), at("30 s", "V", "open")]
        for method in METHODS:
            result = self.torture(plant, WITHIN, events, method=method)
            for time, opening in ((9, 1.0), (29, 0.001), (59, 1.0)):
                self.branch(result, time, 4.0 / opening ** 2, 1e-4)  # 100 kPa at 5 L/s: 4 kPa/(L/s)^2

    @scenario("A7, A11", "equal-percentage valve to zero, half way and back", by_hand=True)
    def test_equal_percentage_valve(self):
        plant = loop("  V: {class: valve, from: mid, to: ret, kv: 5 L/s, rangeability: 30, leakage: 0.002, stroke_time: 2 s, lag: 0.2 s}\n")
        result = self.torture(plant, WITHIN, [at("10 s", "V", "close"), at("30 s", "V", "set", position="50 %"), at("50 s", "V", "open")], "80 s")
        half = 0.002 + 0.998 * (30 ** -0.5 - 0.5 / 30)
        for time, opening in ((29, 0.002), (49, half), (79, 1.0)):
            self.branch(result, time, 4.0 / opening ** 2, 1e-4)

    @scenario("A7", "a valve is isolated and restored while its pump runs on: flow exactly zero, then as before", by_hand=True)
    def test_isolated_valve(self):
        plant = loop("  V: {class: valve, from: mid, to: ret, kv: 5 L/s, stroke_time: 2 s}\n")
        result = self.torture(plant, WITHIN, [at("10 s", "V", "isolate"), at("20 s", "V", "restore")], "40 s")
        self.assertEqual(result.value("V", "flow", 15), 0.0)
        self.branch(result, 15, math.inf)
        self.branch(result, 39, 4.0)

    @scenario("A7", "a valve sticks at 30 %, is told to shut meanwhile, and follows that order once restored", by_hand=True)
    def test_stuck_valve(self):
        plant = loop("  V: {class: valve, from: mid, to: ret, kv: 5 L/s, characteristic: linear, leakage: 0.001, stroke_time: 2 s, lag: 0.2 s}\n")
        events = [at("5 s", "V", "stick", position="30 %"), at("10 s", "V", "close"), at("20 s", "V", "restore")]
        result = self.torture(plant, WITHIN, events, "40 s")
        self.branch(result, 19, 4.0 / (0.001 + 0.999 * 0.3) ** 2, 1e-4)
        self.branch(result, 39, 4.0 / 0.001 ** 2, 1e-4)

    @scenario("A11", "three-way valve from branch to bypass and back: mixing never meets 0/0", by_hand=True)
    def test_three_way_valve(self):
        valve = """  V: {class: three_way_valve, from: mid, to: branch, through: ret, kv: 5 L/s, kv_bypass: 4 L/s, leakage: 0.001, stroke_time: 2 s, lag: 0.2 s, start_position: 100 %}
  C: {class: resistance, from: branch, to: ret, dp: 5 kPa, flow: 1 L/s}
"""
        result = self.torture(loop(valve), WITHIN, [at("10 s", "V", "set", position="0 %"), at("30 s", "V", "set", position="100 %")])
        for time, x in ((9, 1.0), (29, 0.0), (59, 1.0)):
            to_branch = 5.0 + 4.0 / (0.001 + 0.999 * x) ** 2
            past = 100.0 / 16.0 / (0.001 + 0.999 * (1.0 - x)) ** 2
            both = side_by_side(to_branch, past)
            q = series_flow(HEAD, 1.0, side_by_side(10.0 + both, 20.0))
            drop = (HEAD - q * q) * both / (10.0 + both)
            self.near(result.value("V", "flow", time), math.sqrt(drop / to_branch) * LITRE, 1e-4, message=f"branch at {time} s")
            self.near(result.value("V", "flow_bypass", time), math.sqrt(drop / past) * LITRE, 1e-4, message=f"bypass at {time} s")

    @scenario("A7, A13", "flow-limiting valve set to zero and back to 2 L/s", by_hand=True)
    def test_flow_limiting_valve(self):
        plant = loop("  V: {class: flow_limiting_valve, from: mid, to: ret, flow: 2 L/s, loss_coefficient: 2, diameter: 50 mm}\n")
        result = self.torture(plant, WITHIN, [at("10 s", "V", "set", flow="0 L/s"), at("20 s", "V", "set", flow="2 L/s")], "40 s")
        self.assertEqual(result.value("V", "flow", 15), 0.0)
        for time in (9, 39):
            # 1e11 Pa over its set flow holds the excess to under 1e-5 of it at 3 bar
            self.near(result.value("V", "flow", time), 2.0 * LITRE, 1e-5)
            # pump q: 300 - q^2 over the 20 of B, whose flow is q - 2
            q = (80.0 + math.sqrt(80.0 ** 2 + 4.0 * 21.0 * (HEAD - 80.0))) / 42.0
            self.near(result.value("P", "flow", time), q * LITRE, 1e-5)

    @scenario("A7, A16", "reducing valve whose consumer shuts altogether: it locks up at its set pressure, and opens again", by_hand=True)
    def test_pressure_reducing_valve(self):
        valve = """  V: {class: pressure_reducing_valve, from: mid, to: low, pressure: 260 kPa, kv: 5 L/s, response_time: 1 s}
  T: {class: balancing_valve, from: low, to: ret, kv: 4 L/s}
"""
        result = self.torture(loop(valve), WITHIN, [at("60 s", "T", "close"), at("120 s", "T", "open")], "200 s")
        tap = math.sqrt(60.0 / (100.0 / 16.0))  # 60 kPa over Kv 4 L/s
        for time in (59, 199):
            self.near(result.value("low", "p", time), 260e3, 1e-5, message=f"{time} s")
            self.near(result.value("V", "flow", time), tap * LITRE, 1e-4)
        self.assertEqual(result.value("T", "flow", 119), 0.0)

    @scenario("A16", "sustaining valve whose inlet falls below the set pressure shuts, and opens again", by_hand=True)
    def test_pressure_sustaining_valve(self):
        valve = "  V: {class: pressure_sustaining_valve, from: mid, to: ret, pressure: 300 kPa, kv: 5 L/s, response_time: 1 s}\n"
        result = self.torture(loop(valve), WITHIN, [at("30 s", "P", "set", speed="50 %"), at("60 s", "P", "set", speed="100 %")], "120 s")
        # holding: 10 kPa/(L/s)^2 between sup and 100 kPa over ret; the pump's 300 - (a + b)^2 = 20 b^2 = 100 + 10 a^2
        low, high = math.sqrt(100.0 / 20.0), math.sqrt(300.0 / 21.0)
        for _ in range(200):
            b = 0.5 * (low + high)
            a = math.sqrt((20.0 * b * b - 100.0) / 10.0)
            low, high = (b, high) if 300.0 - (a + b) ** 2 > 20.0 * b * b else (low, b)
        for time in (29, 119):
            self.near(result.value("mid", "p", time), 300e3, 1e-4, message=f"{time} s")
            self.near(result.value("V", "flow", time), a * LITRE, 1e-3)
        self.assertLess(abs(result.value("V", "flow", 59)), 1e-8)  # 75 kPa of head: shut

    @scenario("A2, A7", "all consumers shut: the differential-pressure valve opens a bypass and keeps the pump off its dead head", by_hand=True)
    def test_differential_pressure_valve(self):
        plant = pod("""  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s}
  C: {class: balancing_valve, from: sup, to: ret, kv: 8 L/s}
  V: {class: differential_pressure_valve, from: sup, to: ret, kv: 10 L/s, set_dp: 250 kPa}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("10 s", "C", "close"), at("20 s", "C", "open")], "40 s")
        # shut: 300 - q^2 = 250 + q^2; open: Kv 8 takes 100/64 q^2, below 250 kPa the valve is shut but for 1e-6 of its Kv
        self.near(result.value("V", "flow", 19), 5.0 * LITRE, 1e-5)
        self.near(result.value("C", "flow", 39), series_flow(300.0, 1.0, 100.0 / 64.0) * LITRE, 1e-5)
        self.assertLess(result.value("V", "flow", 39), 1e-5 * 10.0 * LITRE)

    @scenario("A7", "balancing valve turned to zero, to a half and open", by_hand=True)
    def test_balancing_valve(self):
        plant = loop("  V: {class: balancing_valve, from: mid, to: ret, kv: 5 L/s}\n")
        result = self.torture(plant, WITHIN, [at("10 s", "V", "set", setting="0"), at("20 s", "V", "set", setting="0.5"), at("30 s", "V", "open")], "40 s")
        self.assertEqual(result.value("V", "flow", 19), 0.0)
        for time, valve in ((9, 4.0), (19, math.inf), (29, 16.0), (39, 4.0)):
            self.branch(result, time, valve)

    @scenario("A7", "quick disconnect parted and joined twenty times", by_hand=True)
    def test_quick_disconnect(self):
        plant = loop("  V: {class: quick_disconnect, from: mid, to: ret, kv: 5 L/s}\n")
        events = [at(f"{10 + i} s", "V", "disconnect" if i % 2 == 0 else "connect") for i in range(40)]
        result = self.torture(plant, WITHIN, events, period="0.5 s")
        flow = result.series("V", "flow")
        _, joined = flows(4.0)
        for i in range(40):
            self.near(flow[2 * (10 + i) + 1], joined * LITRE if i % 2 else 0.0, message=f"{10.5 + i} s")

    @scenario("A16", "check valve against a standing pressure: only its seat's leak comes back; stuck open, all of it does", by_hand=True)
    def test_check_valve(self):
        plant = pod("""  P: {class: pump, from: low, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s, coast_down: 0.2 s, check_valve: false}
  V: {class: check_valve, from: sup, to: mid, kv: 5 L/s, leakage: 1e-4}
  A: {class: resistance, from: mid, to: high, dp: 10 kPa, flow: 1 L/s}
""", nodes="  low: {pressure: 0 kPa, temperature: 20 degC}\n  high: {pressure: 150 kPa, temperature: 40 degC}\n")
        events = [at("10 s", "P", "trip"), at("30 s", "V", "stick", position="100 %"), at("40 s", "V", "restore"), at("50 s", "P", "restore")]
        result = self.torture(plant, (-1.0, 450e3), events, "90 s")
        forward = series_flow(150.0, 1.0, 4.0, 10.0)
        self.near(result.value("V", "flow", 9), forward * LITRE, 1e-5)
        # 150 kPa over a seat that passes 1e-4 of 5 L/s at 100 kPa, linear
        self.near(result.value("V", "flow", 29), -1.5 * 1e-4 * 5.0 * LITRE, 1e-3)
        self.near(result.value("V", "flow", 39), -series_flow(150.0, 1.0, 4.0, 10.0) * LITRE, 1e-4)
        self.near(result.value("V", "flow", 89), forward * LITRE, 1e-5)

    @scenario("A2", "every valve of the plant shut on a running pump: its dead head, and nothing beyond", by_hand=True)
    def test_all_shut(self):
        plant = pod("""  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s}
  V1: {class: balancing_valve, from: sup, to: ret, kv: 5 L/s}
  V2: {class: quick_disconnect, from: sup, to: ret, kv: 5 L/s}
  V3: {class: strainer, from: sup, to: ret, dp: 10 kPa, flow: 1 L/s}
""", circuits=circuit())
        events = [at("10 s", "V1", "close"), at("10 s", "V2", "disconnect"), at("10 s", "V3", "clog", share="100 %"),
                  at("30 s", "V1", "open"), at("30 s", "V2", "connect"), at("30 s", "V3", "clean")]
        for method in METHODS:
            result = self.torture(plant, WITHIN, events, method=method)
            self.near(result.value("sup", "p", 29), 500e3, 1e-6)
            self.assertLess(abs(result.value("P", "flow", 29)), 1e-15)
            self.near(result.value("P", "flow", 59), series_flow(300.0, 1.0, side_by_side(4.0, 4.0, 10.0)) * LITRE, 1e-5)

    @scenario("issue 3", "strainer blocked by steps to 100 % and cleaned", by_hand=True)
    def test_strainer(self):
        plant = loop("  V: {class: strainer, from: mid, to: ret, dp: 4 kPa, flow: 1 L/s}\n")
        events = [at(f"{10 * (i + 1)} s", "V", "clog", share=f"{share} %") for i, share in enumerate((50, 99, 99.9999, 100))] + [at("50 s", "V", "clean")]
        result = self.torture(plant, WITHIN, events)
        for time, share in ((19, 0.5), (29, 0.99), (59, 0.0)):
            self.branch(result, time, 4.0 / (1.0 - share) ** 2, 1e-4)
        self.assertLess(result.value("V", "flow", 39), 1e-5)
        self.assertEqual(result.value("V", "flow", 49), 0.0)

    @scenario("A13", "a resistance clogged by a factor of a million: the energy equation of each edge still holds", by_hand=True)
    def test_clogged_resistance(self):
        plant = loop("  V: {class: resistance, from: mid, to: ret, dp: 4 kPa, flow: 1 L/s}\n")
        result = self.torture(plant, WITHIN, [at("10 s", "V", "clog", factor="1000000"), at("20 s", "V", "clog", factor="1")], "40 s")
        self.branch(result, 19, 4e6)
        self.branch(result, 39, 4.0)

    @scenario("A16", "a valve that shuts on loss of its supply, with the pump on another bus", by_hand=True)
    def test_valve_shuts_on_power_loss(self):
        valve = """  G: {class: utility, to: BUS, rating: 1 MW}
  V: {class: valve, from: mid, to: ret, kv: 5 L/s, characteristic: linear, leakage: 0.001, stroke_time: 2 s, lag: 0.2 s, on_power_loss: close, supply: BUS}
"""
        result = self.torture(loop(valve), WITHIN, [at("10 s", "G", "trip"), at("30 s", "G", "restore")])
        for time, opening in ((9, 1.0), (29, 0.001), (59, 1.0)):
            self.branch(result, time, 4.0 / opening ** 2, 1e-4)


if __name__ == "__main__":
    unittest.main()
