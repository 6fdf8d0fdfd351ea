"""Controllers that contradict each other, act the wrong way round, or lose what they measure."""
import unittest

from support import LITRE, METHODS, Torture, at, circuit, pod, scenario, series_flow, side_by_side

PUMP = "  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s}\n"
VALVE = "class: valve, from: sup, to: mid, kv: 3 L/s, characteristic: linear, leakage: 0.001, stroke_time: 5 s, lag: 0.5 s"
WITHIN = (200e3 - 1.0, 500e3)
MEASURED = "  R: {class: resistance, from: mid, to: ret, dp: 2 kPa, flow: 1 L/s}\n  FT: {class: sensor, measures: R.flow, lag: 1 s}\n"
TUNED = "span_flow: 5 L/s, gain: 0.3, integral_time: 5 s"


class Controls(Torture):
    @scenario("issue 3", "two controllers of one flow with other set points, each with a valve: one shuts, the other wins", by_hand=True)
    def test_contradictory_set_points(self):
        plant = pod(PUMP + f"  V1: {{{VALVE}}}\n  V2: {{{VALVE}}}\n" + MEASURED +
                    f"  C1: {{class: pi_controller, sensor: FT, drives: [V1], set_point_flow: 2 L/s, {TUNED}}}\n"
                    f"  C2: {{class: pi_controller, sensor: FT, drives: [V2], set_point_flow: 3 L/s, {TUNED}}}\n", circuits=circuit())
        for method in METHODS:
            result = self.torture(plant, WITHIN, duration="300 s", method=method)
            # both integrate as long as the flow is between: the lower set point ends at its bound, the upper holds 3 L/s
            self.near(result.value("R", "flow"), 3.0 * LITRE, 1e-3, message=method)
            self.near(result.value("V1", "position"), 0.0, 0.0, 1e-4, method)
            self.near(result.value("C1", "saturated"), -1)

    @scenario("issue 3", "two sensors of one pressure, two controllers, one pump each in parallel: the lower set point idles", by_hand=True)
    def test_contradictory_pumps(self):
        pump = "class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], ramp_time: 2 s, lag: 0.2 s, speed_min: 15 %"
        plant = pod(f"  P1: {{{pump}}}\n  P2: {{{pump}}}\n" + """  R: {class: resistance, from: sup, to: ret, dp: 20 kPa, flow: 1 L/s}
  PT1: {class: sensor, measures: sup.p, minus: ret.p, lag: 0.5 s}
  PT2: {class: sensor, measures: sup.p, minus: ret.p, lag: 0.5 s}
  C1: {class: pi_controller, sensor: PT1, drives: [P1], set_point_pressure: 100 kPa, gain: 0.2, integral_time: 5 s, output_low: 0.1}
  C2: {class: pi_controller, sensor: PT2, drives: [P2], set_point_pressure: 120 kPa, gain: 0.2, integral_time: 5 s}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, duration="300 s")
        self.near(result.value("sup", "p") - result.value("ret", "p"), 120e3, 1e-3)
        self.near(result.value("P1", "speed"), 0.15, 1e-4)
        # 120 kPa over R; what the seat of the idling pump lets back comes on top: (120 - 6.75) kPa over 1e8 Pa s/kg
        self.near(result.value("P2", "flow"), (series_flow(120.0, 20.0) + (120.0 - 300.0 * 0.15 ** 2) / 1e5) * LITRE, 1e-3)

    @scenario("issue 3", "a controller of reversed sign drives its valve to the stop, says so, and comes back when it is set right by hand", by_hand=True)
    def test_reversed_sign(self):
        plant = pod(PUMP + f"  V1: {{{VALVE}}}\n" + MEASURED +
                    f"  C1: {{class: pi_controller, sensor: FT, drives: [V1], action: direct, set_point_flow: 3 L/s, start_output: 0.3, {TUNED}}}\n", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("100 s", "V1", "open")], "200 s")
        valve = 100.0 / 9.0  # kPa/(L/s)^2 open
        self.near(result.value("R", "flow", 99), series_flow(300.0, 1.0, 2.0, valve / 0.001 ** 2) * LITRE, 1e-2)
        self.near(result.value("C1", "saturated", 99), -1)
        self.near(result.value("R", "flow", 199), series_flow(300.0, 1.0, 2.0, valve) * LITRE, 1e-3)

    @scenario("issue 3", "a sensor fails and is known to: the output holds while the plant moves, and control resumes after repair", by_hand=True)
    def test_sensor_lost(self):
        plant = pod(PUMP + f"  V1: {{{VALVE}}}\n  V2: {{{VALVE}, start_position: 50 %}}\n" + MEASURED +
                    f"  C1: {{class: pi_controller, sensor: FT, drives: [V1], set_point_flow: 4 L/s, {TUNED}}}\n", circuits=circuit())
        events = [at("100 s", "FT", "fail"), at("120 s", "V2", "close"), at("200 s", "FT", "restore")]
        result = self.torture(plant, WITHIN, events, "400 s")
        held = result.value("V1", "position", 119)
        self.near(result.value("V1", "position", 199), held, 1e-6)
        valve = lambda x: 100.0 / 9.0 / (0.001 + 0.999 * x) ** 2
        for time, other in ((119, 0.5), (199, 0.0)):
            self.near(result.value("R", "flow", time), series_flow(300.0, 1.0, 2.0, side_by_side(valve(held), valve(other))) * LITRE, 1e-3)
        self.near(result.value("R", "flow", 399), 4.0 * LITRE, 1e-3)

    @scenario("issue 3", "a sensor sticks unnoticed below the set point: the controller winds to its bound, and recovers without lasting wind-up", by_hand=True)
    def test_sensor_stuck(self):
        plant = pod(PUMP + f"  V1: {{{VALVE}}}\n" + MEASURED +
                    f"  C1: {{class: pi_controller, sensor: FT, drives: [V1], set_point_flow: 3 L/s, {TUNED}}}\n", circuits=circuit())
        events = [at("100 s", "FT", "stick"), at("110 s", "C1", "set", set_point="4 L/s"), at("400 s", "FT", "restore"), at("400 s", "C1", "set", set_point="3 L/s")]
        result = self.torture(plant, WITHIN, events, "900 s")
        self.near(result.value("R", "flow", 399), series_flow(300.0, 1.0, 2.0, 100.0 / 9.0) * LITRE, 1e-3)
        self.near(result.value("R", "flow", 899), 3.0 * LITRE, 1e-3)

    @scenario("issue 3", "gain a hundred times too large, sampled and continuous: it hunts, nothing else breaks")
    def test_hunting(self):
        for sampling in ("sample_period: 1 s", "sample_period: 0 s"):
            plant = pod(PUMP + f"  V1: {{{VALVE}}}\n" + MEASURED +
                        f"  C1: {{class: pi_controller, sensor: FT, drives: [V1], set_point_flow: 3 L/s, span_flow: 5 L/s, gain: 30, integral_time: 1 s, {sampling}}}\n", circuits=circuit())
            for method in METHODS:
                result = self.torture(plant, WITHIN, duration="120 s", method=method)
                self.assertLess(result.series("R", "flow").max(), series_flow(300.0, 1.0, 2.0, 100.0 / 9.0) * LITRE * 1.0001)

    @scenario("A2, A7", "constant differential pressure while every consumer shuts: the pump goes to its least speed and dead head", by_hand=True)
    def test_differential_pressure_control_of_shut_consumers(self):
        plant = pod(PUMP.replace("start_speed: 100 %", "speed_min: 30 %") + """  "V[1-4]": {class: balancing_valve, from: sup, to: ret, kv: 2 L/s}
  PT: {class: sensor, measures: sup.p, minus: ret.p, lag: 0.5 s}
  C: {class: pi_controller, sensor: PT, drives: [P], set_point_pressure: 20 kPa, gain: 0.2, integral_time: 5 s}
""", circuits=circuit())
        events = [at(f"{100 + i} s", f"V{i + 1}", "close") for i in range(4)] + [at(f"{200 + i} s", f"V{i + 1}", "open") for i in range(4)]
        result = self.torture(plant, WITHIN, events, "1500 s")
        self.near(result.value("sup", "p", 199), 200e3 + 300e3 * 0.09, 1e-4)
        # open: Kv 8 L/s; 300 w^2 = (1 + 100/64) q^2 with q^2 = 20 / (100/64)
        q2 = 20.0 / (100.0 / 64.0)
        self.near(result.value("P", "speed"), max(0.3, ((1.0 + 100.0 / 64.0) * q2 / 300.0) ** 0.5), 1e-2)

    @scenario("issue 3", "two controllers of one valve are refused, with line and remedy")
    def test_two_controllers_of_one_valve(self):
        plant = pod(PUMP + f"  V1: {{{VALVE}}}\n" + MEASURED +
                    f"  C1: {{class: pi_controller, sensor: FT, drives: [V1], set_point_flow: 2 L/s}}\n"
                    f"  C2: {{class: pi_controller, sensor: FT, drives: [V1], set_point_flow: 3 L/s}}\n", circuits=circuit())
        self.refused(plant, [], "V1.*(one controller|C1|already)")


if __name__ == "__main__":
    unittest.main()
