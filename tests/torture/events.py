"""Events: many at once, a hundred a second, at the same moment for one thing, during a front, at the ends of the run."""
import math
import unittest

from support import KELVIN, LITRE, METHODS, Torture, at, circuit, pod, scenario, series_flow, side_by_side

PUMP = "class: pump, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s, coast_down: 0.5 s"
PLANT = pod(f"""  "P[1-2]": {{{PUMP}, from: ret, to: sup}}
  "V[1-4]": {{class: valve, from: sup, to: ret, kv: 2 L/s, characteristic: linear, stroke_time: 0.5 s, lag: 0.1 s}}
""", circuits=circuit())
WITHIN = (200e3 - 1.0, 500e3)


def flow(pumps, valves):
    """With `pumps` running and `valves` open, the others' 1e-3 of opening counted, stopped pumps' seats neglected [L/s]."""
    leak = 4 - valves
    return series_flow(300.0, 1.0 / pumps ** 2, side_by_side(*[25.0] * valves, *[25.0e6] * leak)) if pumps else 0.0


class Events(Torture):
    @scenario("B19, B20", "every pump and every valve told something at the same instant, three times", by_hand=True)
    def test_all_at_once(self):
        events = [at("20 s", "P1", "trip")] + [at("20 s", f"V{i}", "close") for i in (1, 2, 3)] + [at("20 s", "V4", "isolate")]
        events += [at("40 s", "P1", "restore"), at("40 s", "P2", "trip")] + [at("40 s", f"V{i}", "open") for i in (1, 2, 3)]
        events += [at("60 s", "P2", "restore"), at("60 s", "V4", "restore")]
        for method in METHODS:
            result = self.torture(PLANT, WITHIN, events, "90 s", method=method)
            through = lambda time: sum(result.value(f"V{i}", "flow", time) for i in range(1, 5))
            for time, pumps, valves in ((19, 2, 4), (59, 1, 3), (89, 2, 4)):
                self.near(through(time), flow(pumps, valves) * LITRE, 1e-3, message=f"{method}, {time} s")
            self.assertEqual(result.value("V4", "flow", 39), 0.0)

    @scenario("B20", "an event every 10 ms for five seconds", by_hand=True)
    def test_every_ten_milliseconds(self):
        events = [at(f"{20 + 0.01 * i:.2f} s", f"V{i % 4 + 1}", "set", position=f"{(37 * i) % 101} %") for i in range(500)]
        events += [at("30 s", f"V{i}", "open") for i in range(1, 5)]
        for method in METHODS:
            result = self.torture(PLANT, WITHIN, events, "60 s", method=method)
            self.near(sum(result.value(f"V{i}", "flow") for i in range(1, 5)), flow(2, 4) * LITRE, 1e-5, message=method)

    @scenario("B19", "isolated and restored within one second, ten times, between the controllers' samples", by_hand=True)
    def test_isolate_and_restore_within_a_second(self):
        events = [event for i in range(10) for event in (at(f"{20 + i}.25 s", "[P1, V1]", "isolate"), at(f"{20 + i}.75 s", "[P1, V1]", "restore"))]
        result = self.torture(PLANT, WITHIN, events, "60 s", period="0.5 s")
        self.assertEqual(result.value("V1", "flow", 24.5), 0.0)
        self.near(sum(result.value(f"V{i}", "flow") for i in range(1, 5)), flow(2, 4) * LITRE, 1e-5)

    @scenario("B19", "events a microsecond apart", by_hand=True)
    def test_a_microsecond_apart(self):
        events = [at(f"{20 + 1e-6 * i:.6f} s", f"V{i % 4 + 1}", "isolate" if i < 4 else "restore") for i in range(8)]
        result = self.torture(PLANT, WITHIN, events, "60 s")
        self.near(sum(result.value(f"V{i}", "flow") for i in range(1, 5)), flow(2, 4) * LITRE, 1e-5)

    @scenario("B22", "events at the first and at the last moment of the run", by_hand=True)
    def test_first_and_last_moment(self):
        result = self.torture(PLANT, WITHIN, [at("0 s", "V1", "isolate"), at("0 s", "P2", "isolate"), at("60 s", "V1", "restore")])
        self.near(sum(result.value(f"V{i}", "flow", 59) for i in range(2, 5)), series_flow(300.0, 1.0, 25.0 / 9.0) * LITRE, 1e-5)
        self.assertEqual(result.value("V1", "flow", 59), 0.0)

    @scenario("B19", "two different orders for one valve at one moment are refused")
    def test_two_orders_at_once(self):
        self.refused(PLANT, [at("10 s", "V1", "isolate"), at("10 s", "V1", "restore")], "V1.*(same|moment|two)")

    @scenario("B19", "a condition that sits exactly on its threshold fires once, and the run goes on")
    def test_condition_on_its_threshold(self):
        events = ['{when: "V1.position >= 100 %", target: V2, do: close}', '{when: "V2.position < 50 %", target: V2, do: open}',
                  '{when: "P1.speed > 99.9999 %", for: 3 s, target: P2, do: trip}']
        result = self.torture(PLANT, WITHIN, events)
        self.near(result.value("V2", "position"), 1.0, 1e-4)
        fired = [text for _, who, text in result.events() if who in ("V2", "P2")]
        self.assertLessEqual(len(fired), 4, fired)

    @scenario("A1, B19", "valves switch while a front passes through a pipe in plug flow: it arrives when the volume before it has left", by_hand=True)
    def test_events_during_a_front(self):
        plant = pod("""  F: {class: fixed_flow, from: in, to: a, flow: 1 kg/s}
  X: {class: pipe, from: a, to: b, length: 20 m, diameter: 50 mm, model: plug}
  V1: {class: quick_disconnect, from: b, to: out, kv: 2 L/s}
  V2: {class: quick_disconnect, from: b, to: out, kv: 2 L/s}
  S: {class: resistance, from: b, to: out, dp: 100 kPa, flow: 1 L/s}
""", "  in: {pressure: 100 kPa, temperature: 60 degC}\n  out: {pressure: 0 kPa, temperature: 30 degC}\n  a: {volume: 0.01 L}\n  b: {volume: 0.01 L}\n")
        events = [at(f"{2 + 0.7 * i:.1f} s", f"V{i % 2 + 1}", "disconnect" if i // 2 % 2 == 0 else "connect") for i in range(60)]
        events += [at("20 s", "F", "set", flow="2 kg/s"), at("25 s", "F", "set", flow="0.5 kg/s")]
        volume = math.pi / 4 * 0.05 ** 2 * 20.0 / LITRE  # 39.27 L: 20 at 1 L/s, 10 at 2, the rest at 0.5
        arrives = 25.0 + (volume - 30.0) / 0.5
        for method in METHODS:
            result = self.torture(plant, (-1.0, 600e3), events, "60 s", method=method, rtol="1e-3", period="0.1 s")
            t, time = result.series("b", "t") - KELVIN, result.time("b")
            half = time[int((t > 40.0).argmax())]
            self.near(half, arrives, 0.0, 0.15, method)
            self.near(t[-1], 60.0, 1e-4, message=method)

    @scenario("B17, B22", "a run of a plant in which nothing is on: no pump, no heat, every valve shut", by_hand=True)
    def test_everything_off(self):
        plant = pod(f"""  "P[1-2]": {{{PUMP}, from: ret, to: sup, in_service: false}}
  "V[1-4]": {{class: valve, from: sup, to: ret, kv: 2 L/s, in_service: false}}
  Q: {{class: heat_source, to: sup, power: 0 kW}}
""", circuits=circuit())
        for start in ("cold", "steady"):
            result = self.torture(plant, WITHIN, start=start)
            for i in range(1, 5):
                self.assertEqual(abs(result.series(f"V{i}", "flow")).max(), 0.0)
            self.near(result.value("sup", "t"), 20.0 + KELVIN, 1e-7)

    @scenario("issue 3, B17", "steady state with every pump tripped by hand, from cold, without hints", by_hand=True)
    def test_steady_with_pumps_stopped(self):
        plant = pod(f"""  "P[1-2]": {{{PUMP}, from: ret, to: sup, mode: off}}
  "V[1-4]": {{class: valve, from: sup, to: ret, kv: 2 L/s}}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("20 s", "P1", "automatic")], start="steady")
        for i in range(1, 5):
            self.near(result.value(f"V{i}", "flow", 19), 0.0, 0.0, 1e-9)

    @scenario("issue 3", "a circuit without any heat: pressures and flows as ever, all coolant at its one temperature for an hour", by_hand=True)
    def test_no_heat(self):
        plant = pod("""  A: {class: pipe, from: in, to: a, length: 20 m, diameter: 50 mm}
  B: {class: tank, from: a, to: b, volume: 100 L, flow: 1 L/s}
  C: {class: pipe, from: b, to: out, length: 20 m, diameter: 50 mm, model: plug}
""", "  in: {pressure: 100 kPa, temperature: 20 degC}\n  out: {pressure: 0 kPa, temperature: 20 degC}\n")
        result = self.torture(plant, (-1.0, 100e3 + 1.0), duration="3600 s", period="10 s")
        for node in ("a", "b"):
            self.assertLess(abs(result.series(node, "t") - 20.0 - KELVIN).max(), 1e-4)
        # what comes in goes out: of 1e9 J that pass either end, float32 of nothing
        self.near(result.balance["energy_to_boundaries"], 0.0, 0.0, 1e3)


if __name__ == "__main__":
    unittest.main()
