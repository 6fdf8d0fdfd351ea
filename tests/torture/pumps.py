"""Pumps tripped, restarted, unequal, in a row, dead-headed, coasting, without supply."""
import math
import unittest

from support import (DENSITY, KELVIN, LITRE, METHODS, SPECIFIC_HEAT, Torture, at, circuit, pod, scenario, series_flow)

# 300 kPa - 1 kPa/(L/s)^2 q^2 at full speed
PUMP = "class: pump, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s, coast_down: 0.5 s"
WITHIN = (200e3 - 1.0, 500e3)


def group(count, k=2.0, stopped=0):
    """Flow [L/s] through k q^2 of `count` like pumps, less what the seats of `stopped` ones let back: 1e8 Pa s/kg each."""
    if count == 0:
        return 0.0
    low, high = 0.0, 300.0  # kPa over the consumer
    for _ in range(100):
        p = 0.5 * (low + high)
        low, high = (p, high) if count * math.sqrt(300.0 - p) - stopped * p / 1e5 > math.sqrt(p / k) else (low, p)
    return math.sqrt(low / k)


class Pumps(Torture):
    PARALLEL = pod(f"""  "P[1-3]": {{{PUMP}, from: ret, to: sup}}
  R: {{class: resistance, from: sup, to: ret, dp: 2 kPa, flow: 1 L/s}}
""", nodes="  ret: {volume: 100 L}\n", circuits=circuit())

    @scenario("A10", "each pump of three in parallel tripped alone, with another, all together, and restarted", by_hand=True)
    def test_parallel_group(self):
        events = [at("10 s", "P1", "trip"), at("30 s", "P2", "trip"), at("50 s", "P3", "trip"),
                  at("70 s", "P2", "restore"), at("90 s", "P1", "restore"), at("90 s", "P3", "restore"),
                  at("110 s", "[P1, P2, P3]", "trip"), at("130 s", "[P1, P2, P3]", "restore")]
        for method in METHODS:
            result = self.torture(self.PARALLEL, WITHIN, events, "160 s", method=method)
            for time, running in ((9, 3), (29, 2), (49, 1), (69, 0), (89, 1), (109, 3), (129, 0), (159, 3)):
                # a pump that has coasted for 19 s stands still but for exp(-38) of its speed
                self.near(result.value("R", "flow", time), group(running, stopped=3 - running) * LITRE, 1e-5, 1e-9, f"{method}, {running} pumps at {time} s")

    @scenario("A10", "each pump in turn isolated, so that its edge is taken out, and restored", by_hand=True)
    def test_each_isolated(self):
        events = [event for i in range(3) for event in (at(f"{10 + 20 * i} s", f"P{i + 1}", "isolate"), at(f"{20 + 20 * i} s", f"P{i + 1}", "restore"))]
        result = self.torture(self.PARALLEL, WITHIN, events, "80 s")
        for i in range(3):
            self.assertEqual(result.value(f"P{i + 1}", "flow", 19 + 20 * i), 0.0)
            self.near(result.value("R", "flow", 19 + 20 * i), group(2) * LITRE, 1e-5)
            self.near(result.value("R", "flow", 29 + 20 * i), group(3) * LITRE, 1e-5)

    @scenario("A10", "N+1: each of two duty pumps trips, the reserve takes over, the flow comes back to what it was", by_hand=True)
    def test_reserve(self):
        plant = self.PARALLEL + "  S: {class: standby_sequencer, units: [P1, P2, P3], duty: 2, changeover_time: 5 s}\n"
        result = self.torture(plant, WITHIN, [at("20 s", "P1", "trip"), at("60 s", "P1", "restore"), at("80 s", "P2", "trip")], "120 s")
        for time, running in ((19, 2), (24, 1), (59, 2), (79, 2), (119, 2)):
            self.near(result.value("R", "flow", time), group(running, stopped=3 - running) * LITRE, 2e-5, message=f"{time} s")

    @scenario("A10", "all units of an N+1 group trip within a second: no pump left, later one comes back", by_hand=True)
    def test_reserve_lost_too(self):
        plant = self.PARALLEL + "  S: {class: standby_sequencer, units: [P1, P2, P3], duty: 2, changeover_time: 1 s}\n"
        events = [at("20 s", "P1", "trip"), at("20.3 s", "P2", "trip"), at("20.6 s", "P3", "trip"), at("60 s", "P2", "restore")]
        result = self.torture(plant, WITHIN, events, "100 s")
        self.near(result.value("R", "flow", 59), 0.0, 0.0, 1e-9)
        self.near(result.value("R", "flow", 99), group(1, stopped=2) * LITRE, 1e-5)

    @scenario("A10", "a small pump beside a large one is pushed shut on its check valve, and works once the large one trips", by_hand=True)
    def test_unequal_parallel_pumps(self):
        plant = pod(f"""  BIG: {{{PUMP}, from: ret, to: sup}}
  SMALL: {{class: pump, from: ret, to: sup, head_curve: [[0 L/s, 100 kPa], [10 L/s, 50 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s}}
  R: {{class: resistance, from: sup, to: ret, dp: 5 kPa, flow: 1 L/s}}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("20 s", "BIG", "trip"), at("50 s", "BIG", "restore")], "80 s")
        # the seat of the small one lets back its outlet's pressure less its own head over 1e8 Pa s/kg: 1.5e-3 L/s of 7.07
        both = series_flow(300.0, 1.0, 5.0)
        back = (5.0 * both ** 2 - 100.0) / 1e5
        both -= back / 6.0  # first order: d(300 - (q + back)^2 - 5 q^2) = 0
        for time in (19, 79):
            self.near(result.value("R", "flow", time), both * LITRE, 1e-5)
            self.near(result.value("SMALL", "flow", time), -back * LITRE, 1e-3)
        self.near(result.value("R", "flow", 49), series_flow(100.0, 0.5, 5.0) * LITRE, 1e-4)

    @scenario("A10, A11", "without a check valve the running pump drives coolant back through the stopped one", by_hand=True)
    def test_back_flow_through_a_stopped_pump(self):
        plant = pod(f"""  "P[1-2]": {{{PUMP}, from: ret, to: sup, check_valve: false}}
  R: {{class: resistance, from: sup, to: ret, dp: 4 kPa, flow: 1 L/s}}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("10 s", "P2", "trip")], "40 s")
        # sqrt(300 - p) = sqrt(p/1) + sqrt(p/4): pump = back flow + consumer
        p = 300.0 / (1.0 + 1.5 ** 2)
        self.near(result.value("sup", "p"), 200e3 + 1e3 * p, 1e-5)
        self.near(result.value("P2", "flow"), -math.sqrt(p) * LITRE, 1e-4)
        self.near(result.value("P1", "flow"), math.sqrt(300.0 - p) * LITRE, 1e-4)

    @scenario("issue 3", "one of two pumps in a row trips: the other drives the flow through it", by_hand=True)
    def test_pumps_in_a_row(self):
        plant = pod(f"""  P1: {{{PUMP}, from: ret, to: mid}}
  P2: {{{PUMP}, from: mid, to: sup}}
  R: {{class: resistance, from: sup, to: ret, dp: 4 kPa, flow: 1 L/s}}
""", circuits=circuit())
        events = [at("10 s", "P1", "trip"), at("30 s", "P2", "trip"), at("50 s", "P1", "restore"), at("70 s", "P2", "restore")]
        # the first pump draws the node between below nothing: it is 300 kPa above ret at most, and below it by what it resists
        result = self.torture(plant, (200e3 - 300e3, 800e3), events, "100 s")
        one, two = series_flow(300.0, 1.0, 1.0, 4.0), series_flow(600.0, 1.0, 1.0, 4.0)
        for time, flow in ((9, two), (29, one), (49, 0.0), (69, one), (99, two)):
            self.near(result.value("R", "flow", time), flow * LITRE, 1e-5, 1e-9, f"{time} s")

    @scenario("A2, A14", "dead head for ten minutes: pressure of the shut-off head, and the churning power warms the outlet node", by_hand=True)
    def test_dead_head_heats(self):
        plant = pod(f"""  P: {{{PUMP}, from: ret, to: sup, shut_off_power: 2 kW, speed_min: 10 %}}
  V: {{class: balancing_valve, from: sup, to: ret, kv: 5 L/s}}
""", nodes="  sup: {volume: 50 L}\n  ret: {volume: 50 L}\n", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("10 s", "V", "close"), at("20 s", "P", "set", speed="50 %")], "620 s")
        power = 2e3 * 0.5 ** 3
        self.near(result.value("sup", "p"), 200e3 + 300e3 * 0.25, 1e-6)
        self.near(result.value("P", "power"), power, 1e-5)
        rise = result.value("sup", "t", 600) - result.value("sup", "t", 100)
        self.near(rise, power * 500.0 / (DENSITY * 0.05 * SPECIFIC_HEAT), 1e-3)  # 0.625 K
        self.assertLess(abs(result.value("ret", "t", 600) - result.value("ret", "t", 100)), 1e-6)

    @scenario("A1, A11", "coast-down to zero by exponential and by inertia: flow follows the speed through square laws", by_hand=True)
    def test_coast_down(self):
        for form, speed in (("exponential", lambda t: math.exp(-t / 5.0)), ("inertia", lambda t: 1.0 / (1.0 + t / 5.0))):
            plant = pod(f"""  P: {{{PUMP.replace('coast_down: 0.5 s', 'coast_down: 5 s')}, from: ret, to: sup, coast_form: {form}}}
  R: {{class: resistance, from: sup, to: ret, dp: 5 kPa, flow: 1 L/s}}
""", circuits=circuit())
            result = self.torture(plant, WITHIN, [at("20 s", "P", "trip")], "60 s", rtol="1e-5")
            start = series_flow(300.0, 1.0, 5.0)
            for after in (1, 2, 5, 10, 15):
                self.near(result.value("R", "flow", 20 + after), speed(after) * start * LITRE, 2e-4, message=f"{form}, {after} s")

    @scenario("A2", "trip and restart each second for half a minute", by_hand=True)
    def test_trips_and_restarts_each_second(self):
        events = [at(f"{10 + i} s", "P1", "trip" if i % 2 == 0 else "restore") for i in range(30)]
        result = self.torture(self.PARALLEL, WITHIN, events, "60 s")
        self.near(result.value("R", "flow"), group(3) * LITRE, 1e-5)

    @scenario("A14", "minimum speed, and stuck at a stated one, by the affinity laws", by_hand=True)
    def test_minimum_speed_and_stuck(self):
        plant = pod(f"""  P: {{{PUMP}, from: ret, to: sup, speed_min: 15 %}}
  R: {{class: resistance, from: sup, to: ret, dp: 5 kPa, flow: 1 L/s}}
""", circuits=circuit())
        events = [at("10 s", "P", "set", speed="1 %"), at("30 s", "P", "stick", speed="40 %"), at("40 s", "P", "set", speed="90 %"), at("50 s", "P", "restore")]
        result = self.torture(plant, WITHIN, events, "80 s")
        full = series_flow(300.0, 1.0, 5.0)
        for time, speed in ((29, 0.15), (49, 0.4), (79, 0.9)):
            self.near(result.value("R", "flow", time), speed * full * LITRE, 1e-4, message=f"{time} s")

    @scenario("A10", "the bus of all pumps dies and returns: they coast, trip on under-voltage and restart after their delay", by_hand=True)
    def test_loss_of_supply(self):
        plant = pod(f"""  G: {{class: utility, to: BUS, rating: 1 MW}}
  "P[1-3]": {{{PUMP}, from: ret, to: sup, supply: BUS, undervoltage_trip: 0.2 s, restart_delay: 5 s}}
  R: {{class: resistance, from: sup, to: ret, dp: 2 kPa, flow: 1 L/s}}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("20 s", "G", "trip"), at("40 s", "G", "restore")], "80 s")
        self.near(result.value("R", "flow", 39), 0.0, 0.0, 1e-9)
        self.near(result.value("R", "flow", 44), 0.0, 0.0, 1e-9)  # the delay is not over
        self.near(result.value("R", "flow", 79), group(3) * LITRE, 1e-5)

    @scenario("A10", "pumps staged by flow while the consumer swings between almost nothing and all", by_hand=True)
    def test_staging(self):
        plant = pod(f"""  "P[1-3]": {{{PUMP}, from: ret, to: sup}}
  V: {{class: balancing_valve, from: sup, to: ret, kv: 10 L/s}}
  FT: {{class: sensor, measures: V.flow, lag: 1 s}}
  S: {{class: pump_staging, units: [P1, P2, P3], sensor: FT, stage_by: flow, maximum: 3, up_flow: 8 L/s, down_flow: 4 L/s, up_delay: 3 s, down_delay: 3 s, minimum_run: 5 s}}
""", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("40 s", "V", "set", setting="0.02"), at("80 s", "V", "open")], "120 s")
        # open: 1 kPa/(L/s)^2. One pump alone gives 12.2 L/s, two 15.5 or 7.7 each: two run. Nearly shut: one.
        for time, running, k in ((39, 2, 1.0), (79, 1, 2500.0), (119, 2, 1.0)):
            self.near(result.value("V", "flow", time), group(running, k, 3 - running) * LITRE, 1e-4, message=f"{time} s")

    @scenario("issue 3", "a pump trips with heat on the circuit: coolant at rest takes all of it", by_hand=True)
    def test_trip_under_heat(self):
        plant = pod(f"""  P: {{{PUMP}, from: ret, to: sup}}
  R: {{class: resistance, from: sup, to: ret, dp: 5 kPa, flow: 1 L/s}}
  Q: {{class: heat_source, to: sup, power: 10 kW}}
""", nodes="  sup: {volume: 40 L}\n  ret: {volume: 60 L}\n", circuits=circuit())
        result = self.torture(plant, WITHIN, [at("20 s", "P", "trip")], "120 s")
        # at rest: 10 kW into 40 L of 4 MJ/(m3 K) is 62.5 mK/s
        self.near(result.value("sup", "t", 119) - result.value("sup", "t", 59), 60.0 * 0.0625, 1e-5)
        self.assertLess(abs(result.value("ret", "t", 119) - result.value("ret", "t", 59)), 1e-5)
        self.assertGreater(result.value("ret", "t", 59), 20.0 + KELVIN)


if __name__ == "__main__":
    unittest.main()
