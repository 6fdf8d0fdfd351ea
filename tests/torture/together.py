"""Everything in one plant, and everything going wrong in it one after another and at once."""
import unittest

from support import AIR, KELVIN, METHODS, PLAIN, Torture, at, circuit, pod, scenario

PLANT = pod("""  "P[1-2]": {class: pump, from: ret, to: d$1, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 2 s, shut_off_power: 1 kW}
  "S[1-2]": {class: strainer, from: d$1, to: dis, dp: 2 kPa, flow: 1 L/s}
  M: {class: pipe, from: dis, to: sup, length: 20 m, diameter: 80 mm, model: plug, loss_per_area: 5 W/(m2.K)}
  "V[1-3]": {class: valve, from: sup, to: r$1, kv: 4 L/s, stroke_time: 5 s}
  "Q[1-3]": {class: quick_disconnect, from: r$1, to: e$1, kv: 5 L/s}
  "H[1-3]": {class: heat_source, to: r$1, power: 20 kW}
  "C[1-3]": {class: check_valve, from: e$1, to: col, kv: 8 L/s}
  DPV: {class: differential_pressure_valve, from: sup, to: col, kv: 5 L/s, set_dp: 200 kPa}
  T3: {class: three_way_valve, from: col, to: hx, through: after, kv: 8 L/s, kv_bypass: 8 L/s, stroke_time: 5 s, start_position: 80 %}
  X: {class: plate_heat_exchanger, hot: [hx, after], cold: [win, wout], ua: 30 kW/K, hot_flow: 6 kg/s, cold_flow: 6 kg/s, hot_dp: 5 kPa, cold_dp: 5 kPa, model: dynamic, hot_volume: 8 L, cold_volume: 8 L, wall_capacity: 30 kJ/K}
  B: {class: tank, from: after, to: ret, volume: 200 L, flow: 5 L/s}
  EV: {class: expansion_vessel, node: ret, volume: 60 L}
  L: {class: leak, node: sup, diameter: 4 mm}
  MU: {class: make_up, node: ret, flow: 0.5 L/s, start_pressure: 1.2 bar, stop_pressure: 1.5 bar}
  RV: {class: relief_valve, node: sup, set_pressure: 5 bar}
  W: {class: pump, from: wret, to: wsup, head_curve: [[0 L/s, 200 kPa], [10 L/s, 150 kPa]], start_speed: 100 %, ramp_time: 2 s}
  WP: {class: pipe, from: wsup, to: win, length: 30 m, diameter: 80 mm, inertance: INERTANCE}
  D: {class: dry_cooler, from: wout, to: wc, ua: 30 kW/K, air_flow: 30 kg/s, flow: 6 kg/s, dp: 20 kPa}
  CH: {class: chiller, from: wc, to: wret, capacity: 200 kW, set_point: 15 degC, flow: 6 L/s, restart_delay: 20 s}
  TT: {class: sensor, measures: sup.t, lag: 3 s}
  TC: {class: pi_controller, sensor: TT, drives: [T3], set_point_temperature: 25 degC, action: direct, gain: 0.2, integral_time: 60 s}
""", "  ret: {volume: 50 L}\n  wret: {volume: 100 L}\n", f"  tcs: {{fluid: FLUID, held_by: EV}}\n" + circuit("fws", "water", "wret"))
STORM = [at("60 s", "P1", "trip"), at("70 s", "S2", "clog", share="90 %"), at("80 s", "P1", "restore"), at("90 s", "S2", "clean"),
         at("100 s", "V1", "isolate"), at("101 s", "Q2", "disconnect"), at("102 s", "V3", "close"), at("120 s", "[V1, V3]", "restore"),
         at("120 s", "Q2", "connect"), at("121 s", "V3", "open"), at("130 s", "L", "open"), at("150 s", "L", "close"), at("160 s", "[P1, P2]", "trip"),
         at("162 s", "W", "trip"), at("163 s", "CH", "trip"), at("164 s", "D", "trip"), at("180 s", "[P1, P2, W, CH, D]", "restore"),
         at("200 s", "TT", "fail"), at("210 s", "X", "isolate"), at("230 s", "X", "restore"), at("230 s", "TT", "restore"),
         at("240 s", "T3", "stick", position="0 %"), at("260 s", "T3", "restore"), at("270 s", "C1", "stick", position="100 %"), at("271 s", "V1", "close"),
         at("290 s", "C1", "restore"), at("290 s", "V1", "open"), at("300 s", "X", "foul", resistance="0.001 K/W"), at("320 s", "X", "foul", resistance="0 K/W")]
STORM += [at(f"{330 + 0.01 * i:.2f} s", f"V{i % 3 + 1}", "set", position=f"{(53 * i) % 101} %") for i in range(200)]
STORM += [at("340 s", f"V{i}", "open") for i in (1, 2, 3)]


class Together(Torture):
    def storm(self, fluid, inertance="false"):
        for method in METHODS:
            result = self.torture(PLANT.replace("FLUID", fluid).replace("INERTANCE", inertance), (-AIR, 1000e3), STORM, "900 s", method=method)
            for i in (1, 2, 3):
                self.assertGreater(result.value(f"V{i}", "flow"), 1e-3, method)
            self.assertLess(result.series("sup", "t").max(), 100.0 + KELVIN)
            # the supply is back under control, within what its loop with dead time swings by
            self.near(result.value("sup", "t"), 25.0 + KELVIN, 0.0, 2.0, method)

    @scenario("issue 3", "one plant of nearly every class, thirty faults in it, then two hundred orders in two seconds; PG25")
    def test_glycol(self):
        self.storm("PG25")

    @scenario("issue 3", "the same with a coolant of stated properties and momentum in the facility water")
    def test_stated_properties_and_momentum(self):
        self.storm(PLAIN, "true")


if __name__ == "__main__":
    unittest.main()
