"""Racks, CDUs and heat rejection: all racks isolated or dead, units tripped and isolated, chillers, towers and fans off."""
import math
import unittest

from support import KELVIN, METHODS, PLAIN, SPECIFIC_HEAT, Torture, at, circuit, pod, scenario

AIR_HEAT = 1006.0  # J/(kg K)


class Racks(Torture):
    PLANT = pod("""  GRID: {class: utility, to: MV, rating: 2 MW}
  BA: {class: busway, from: MV, to: A, rating: 800 A}
  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 200 kPa], [10 L/s, 150 kPa]], start_speed: 100 %}
  X: {class: plate_heat_exchanger, ua: 200 kW/K, hot: [back, ret], cold: [fin, fout], hot_flow: 5 kg/s, cold_flow: 6 kg/s, hot_dp: 10 kPa, cold_dp: 10 kPa}
  W: {class: fixed_flow, from: water, to: fin, flow: 6 kg/s}
  D: {class: resistance, from: fout, to: drain, dp: 10 kPa, flow: 6 L/s}
  "RACK-[1-3]": {class: rack, from: sup, to: back, feeds: [A]}
""", "  ret: {volume: 100 L}\n  sup: {volume: 50 L}\n  back: {volume: 50 L}\n  water: {pressure: 100 kPa, temperature: 30 degC}\n  drain: {temperature: 30 degC}\n",
                circuit("tcs", "PG25", "ret") + circuit("fws", "water", "drain", "50 kPa"))
    WITHIN = (0.0, 400e3)
    RACKS = [f"RACK-{i}" for i in (1, 2, 3)]

    @scenario("issue 3, A7", "all racks isolated at full power at one moment and restored: no flow, heat kept, devices protect themselves", by_hand=True)
    def test_all_isolated(self):
        events = [at("60 s", name, "isolate") for name in self.RACKS] + [at("90 s", name, "restore") for name in self.RACKS]
        for method in METHODS:
            result = self.torture(self.PLANT, self.WITHIN, events, "180 s", "steady", method, workload="{kind: constant, rack_power: 120 kW}")
            for name in self.RACKS:
                self.assertEqual(result.value(name, "flow", 80), 0.0)
                self.near(result.value(name, "flow", 170), result.value(name, "flow", 50), 1e-4)
            self.near(result.value("sup", "p", 80), 200e3 + 200e3, 1e-6)  # dead head

    @scenario("issue 3, A7", "all racks at zero power: feeds dead, pumps on, every temperature ends at that of the water", by_hand=True)
    def test_zero_power(self):
        result = self.torture(self.PLANT, self.WITHIN, [at("60 s", "GRID", "trip")], "1200 s", "steady", workload="{kind: constant, rack_power: 120 kW}", period="10 s")
        for name in self.RACKS:
            self.assertEqual(result.value(name, "power", 100), 0.0)
            self.near(result.value(name, "t_return"), result.value(name, "t_supply"), 0.0, 0.05)
        heat = result.value("P", "power")
        flow = result.value("P", "flow") * 1020.0
        self.near(result.value("ret", "t"), 30.0 + KELVIN, 0.0, heat / (6.0 * 4180.0) + heat / (flow * 3900.0) + 0.05)

    @scenario("issue 3, A7", "racks isolated one after another and restored in another order, at idle")
    def test_one_after_another(self):
        events = [at(f"{30 * (i + 1)} s", f"RACK-{i + 1}", "isolate") for i in range(3)] + [at(f"{120 + 30 * i} s", f"RACK-{k}", "restore") for i, k in enumerate((2, 3, 1))]
        result = self.torture(self.PLANT, self.WITHIN, events, "240 s", "steady", workload="{kind: idle}")
        for time, shut in ((55, (1,)), (85, (1, 2)), (115, (1, 2, 3)), (145, (1, 3)), (175, (1,))):
            for i in (1, 2, 3):
                flow = result.value(f"RACK-{i}", "flow", time)
                self.assertEqual(flow, 0.0) if i in shut else self.assertGreater(flow, 1e-4)
        for name in self.RACKS:
            self.near(result.value(name, "flow", 235), result.value(name, "flow", 25), 1e-4)


class Units(Torture):
    PLANT = pod("""  "P[1-2]": {class: pump, from: ret, to: d$1, head_curve: [[0 L/s, 150 kPa], [10 L/s, 80 kPa]], start_speed: 100 %, ramp_time: 5 s}
  "X[1-2]": {class: plate_heat_exchanger, ua: 100 kW/K, hot: [d$1, sup], cold: [fc$1, fm], hot_flow: 6 kg/s, cold_flow: 6 kg/s, hot_dp: 30 kPa, cold_dp: 30 kPa}
  "V[1-2]": {class: valve, from: fin, to: fc$1, kv: 12 L/s, start_position: 60 %, stroke_time: 10 s}
  F: {class: resistance, from: fm, to: fout, dp: 40 kPa, flow: 12 L/s}
  S: {class: resistance, from: sup, to: ret, dp: 40 kPa, flow: 10 L/s}
  Q: {class: heat_source, to: ret, power: 100 kW}
  "CDU-[1-2]": {class: cdu, exchanger: X$1, pumps: [P$1], valve: V$1, supply_node: sup, return_node: ret, rating: 200 kW}
""", "  fin: {pressure: 100 kPa, temperature: 30 degC}\n  fout: {pressure: 0 kPa, temperature: 30 degC}\n  ret: {volume: 200 L}\n  sup: {volume: 50 L}\n",
                circuit("tcs", "PG25") + "  fws: {fluid: water}\n")
    WITHIN = (-1.0, 350e3 + 1.0)

    @scenario("A7, issue 3", "a CDU isolated and back: the other carries the heat, then both as before", by_hand=True)
    def test_unit_isolated_and_back(self):
        result = self.torture(self.PLANT, self.WITHIN, [at("300 s", "CDU-1", "isolate"), at("900 s", "CDU-1", "restore")], "2400 s", "steady", period="10 s")
        self.assertEqual(result.value("CDU-1", "flow", 890), 0.0)
        self.assertEqual(result.value("X1", "flow_cold", 890), 0.0)
        for time in (890, 2390):  # what the source and the pumps give
            power = sum(result.value(f"P{i}", "power", time) for i in (1, 2))
            self.near(sum(result.value(f"X{i}", "heat", time) for i in (1, 2)), 100e3 + power, 2e-3, message=f"{time} s")
        self.near(result.value("sup", "t", 2390), result.value("sup", "t", 290), 0.0, 0.02)

    @scenario("A7, issue 3", "both units tripped at once, pumps and valves: no flow on either side, heat stays in the return, both restored", by_hand=True)
    def test_both_tripped(self):
        events = [at("60 s", f"CDU-{i}", "trip") for i in (1, 2)] + [at("180 s", f"CDU-{i}", "restore") for i in (1, 2)]
        for method in METHODS:
            result = self.torture(self.PLANT, self.WITHIN, events, "1500 s", "steady", method)
            self.near(result.value("S", "flow", 170), 0.0, 0.0, 1e-8)
            # 100 kW into 200 L of PG25, 1,020 kg/m3 and 3.9 kJ/(kg K) within a percent: 126 mK/s
            self.near(result.value("ret", "t", 170) - result.value("ret", "t", 120), 50.0 * 100e3 / (0.2 * 1020.0 * 3900.0), 0.02, message=method)
            self.near(result.value("sup", "t"), result.value("sup", "t", 50), 0.0, 0.1)

    @scenario("A7", "facility water shut off while technology pumps run on, and the other way round")
    def test_one_side_shut(self):
        events = [at("60 s", f"V{i}", "isolate") for i in (1, 2)] + [at("180 s", f"V{i}", "restore") for i in (1, 2)]
        events += [at("300 s", f"P{i}", "isolate") for i in (1, 2)] + [at("420 s", f"P{i}", "restore") for i in (1, 2)]
        result = self.torture(self.PLANT, self.WITHIN, events, "1500 s", "steady")
        for time in (170, 410):
            self.assertEqual(result.value("X1", "heat", time), 0.0)
        self.near(result.value("sup", "t"), result.value("sup", "t", 50), 0.0, 0.1)


class Rejection(Torture):
    NODES = "  in: {pressure: 100 kPa, temperature: 40 degC}\n  out: {pressure: 0 kPa, temperature: 25 degC}\n"
    FLOW = "  F: {class: fixed_flow, from: in, to: a, flow: 4 kg/s}\n"
    END = "  R: {class: resistance, from: b, to: out, dp: 20 kPa, flow: 4 L/s}\n"

    def through(self, machine, events, duration="600 s", fluid=PLAIN, nodes="", method="arkode", rtol="1e-3", within=(-1.0, 200e3), more=""):
        plant = pod(self.FLOW + machine + self.END + more, self.NODES + nodes, f"  w: {{fluid: {fluid}}}\n")
        return self.torture(plant, within, events, duration, method=method, rtol=rtol)

    @scenario("issue 3", "dry cooler with its fans off, without flow, and back: natural draft by its own law", by_hand=True)
    def test_dry_cooler(self):
        machine = "  X: {class: dry_cooler, from: a, to: b, ua: 20 kW/K, air_flow: 20 kg/s, flow: 4 kg/s, natural_draft: 0.05, start_speed: 100 %}\n"
        events = [at("100 s", "X", "trip"), at("300 s", "X", "restore"), at("400 s", "F", "set", flow="0 kg/s"), at("450 s", "F", "set", flow="4 kg/s")]
        result = self.through(machine, events)

        def heat(speed):
            air, water = max(speed, 0.05) * 20.0 * AIR_HEAT, 4.0 * SPECIFIC_HEAT
            ua = 20e3 / (0.5 * max(speed, 0.05) ** -0.8 + 0.5)
            least, ratio = min(air, water), min(air, water) / max(air, water)
            e = math.exp(-ua / least * (1.0 - ratio))
            return (1.0 - e) / (1.0 - ratio * e) * least * 20.0  # 40 degC water, 20 degC air
        for time, speed in ((99, 1.0), (299, 0.0), (399, 1.0), (599, 1.0)):
            self.near(result.value("X", "heat", time), heat(speed), 1e-3, message=f"{time} s")
        self.near(result.value("X", "heat", 449), 0.0, 0.0, 1e-6)

    @scenario("issue 3", "chiller trips and restarts: leaving water at the entering temperature, then at the set point", by_hand=True)
    def test_chiller(self):
        machine = "  X: {class: chiller, from: a, to: b, cop_law: constant, cop: 5, capacity: 500 kW, set_point: 18 degC, flow: 4 L/s, restart_delay: 40 s, response_time: 10 s}\n"
        for method in METHODS:
            result = self.through(machine, [at("200 s", "X", "trip"), at("300 s", "X", "restore")], method=method)
            self.near(result.value("X", "t_leaving", 199) - KELVIN, 18.0, 1e-4, message=method)
            self.near(result.value("X", "t_leaving", 299) - KELVIN, 40.0, 1e-3, message=method)
            self.near(result.value("X", "power", 338), 0.0, 0.0, 1.0)  # still in its delay
            self.near(result.value("X", "t_leaving", 599) - KELVIN, 18.0, 1e-4, message=method)
            self.near(result.value("X", "heat", 599), 4.0 * SPECIFIC_HEAT * 22.0, 1e-4, message=method)
            self.near(result.value("X", "power", 599), 4.0 * SPECIFIC_HEAT * 22.0 / 5.0, 1e-4, message=method)

    @scenario("issue 3", "chiller trips five times within its restart delay, and loses its flow", by_hand=True)
    def test_chiller_trips_again_and_again(self):
        machine = "  X: {class: chiller, from: a, to: b, cop_law: constant, cop: 5, capacity: 500 kW, set_point: 18 degC, flow: 4 L/s, restart_delay: 40 s, response_time: 10 s, minimum_flow: 30 %}\n"
        events = [event for i in range(5) for event in (at(f"{100 + 20 * i} s", "X", "trip"), at(f"{110 + 20 * i} s", "X", "restore"))]
        events += [at("300 s", "F", "set", flow="0 kg/s"), at("340 s", "F", "set", flow="4 kg/s")]
        result = self.through(machine, events)
        self.near(result.value("X", "power", 225), 0.0, 0.0, 1.0)
        self.near(result.value("X", "power", 335), 0.0, 0.0, 1.0)
        self.near(result.value("X", "t_leaving") - KELVIN, 18.0, 1e-3)

    @scenario("issue 3", "cooling towers of both models trip, stand without water, restart: as before, and never below the wet bulb")
    def test_cooling_tower(self):
        for model in ("merkel", "yorkcalc"):
            machine = f"  X: {{class: cooling_tower, model: {model}, from: a, to: b, flow: 4 kg/s, air_flow: 2.6 m3/s, fan_power: 1 kW, start_speed: 100 %}}\n"
            events = [at("100 s", "X", "trip"), at("200 s", "F", "set", flow="0 kg/s"), at("300 s", "F", "set", flow="4 kg/s"), at("300 s", "X", "restore")]
            result = self.through(machine, events, fluid="water", nodes="")
            self.near(result.value("X", "heat", 299), 0.0, 0.0, 1e-3)
            self.near(result.value("X", "t_out", 599), result.value("X", "t_out", 99), 0.0, 2e-3)
            self.assertGreater(result.value("X", "t_out", 199), result.value("X", "t_out", 99) + 1.0)
            # wet bulb of 20 degC and 40 %: 12.2 degC (psychrometric chart)
            self.assertGreater(result.series("X", "t_out")[10:].min(), 12.0 + KELVIN)

    @scenario("issue 3", "all fan walls of a hall off under load: the hall takes all of the heat, and cools again", by_hand=True)
    def test_fan_walls_off(self):
        machine = """  "X[1-2]": {class: fan_wall, from: a, to: b, air: room, air_flow: 10 kg/s, fan_power: 5 kW, flow: 2 L/s, start_speed: 100 %, ramp_time: 5 s}
  room: {class: zone, volume: 1000 m3, equipment_capacity: 5 MJ/K}
  Q: {class: heat_source, to: room, power: 60 kW}
"""
        result = self.through(machine, [at("100 s", "[X1, X2]", "trip"), at("400 s", "[X1, X2]", "restore")], "900 s")
        rate = 60e3 / (5e6 + 1.17 * AIR_HEAT * 1000.0)
        self.near(result.value("room", "t_air", 390) - result.value("room", "t_air", 190), 200.0 * rate, 1e-3)
        for i in (1, 2):
            self.near(result.value(f"X{i}", "heat", 390), 0.0, 0.0, 1e-6)

    @scenario("issue 3", "chiller, dry cooler, tower and pump trip at one moment; all restored at another")
    def test_all_at_once(self):
        plant = pod("""  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]]}
  C: {class: chiller, from: sup, to: a, capacity: 200 kW, set_point: 18 degC, flow: 4 L/s}
  D: {class: dry_cooler, from: a, to: b, ua: 20 kW/K, air_flow: 20 kg/s, flow: 4 kg/s}
  T: {class: cooling_tower, from: b, to: c, flow: 4 kg/s, air_flow: 2.6 m3/s, fan_power: 1 kW}
  R: {class: resistance, from: c, to: ret, dp: 20 kPa, flow: 4 L/s}
  Q: {class: heat_source, to: c, power: 100 kW}
""", "  ret: {volume: 200 L}\n", circuit(fluid="water"))
        for method in METHODS:
            result = self.torture(plant, (199e3, 501e3), [at("200 s", "[P, C, D, T]", "trip"), at("260 s", "[P, C, D, T]", "restore")], "900 s", method=method)
            self.near(result.value("P", "flow", 255), 0.0, 0.0, 1e-9)
            self.near(result.value("P", "flow", 899), result.value("P", "flow", 199), 1e-4)


if __name__ == "__main__":
    unittest.main()
