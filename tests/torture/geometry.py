"""Sizes at their ends: no length, no volume, a hundred metres up, every friction law, a million times smaller and larger."""
import math
import unittest

from support import DENSITY, GRAVITY, KELVIN, LITRE, METHODS, Torture, at, circuit, pod, scenario, series_flow

VISCOSITY = 0.001  # Pa s


def friction_factor(law, reynolds, rough):
    """Darcy's factor above Reynolds 4,000, by the published formulas."""
    if law in ("epanet", "swamee_jain"):
        return 0.25 / math.log10(rough / 3.7 + 5.74 / reynolds ** 0.9) ** 2
    if law == "haaland":
        return (-1.8 * math.log10((rough / 3.7) ** 1.11 + 6.9 / reynolds)) ** -2
    if law == "nikuradse":
        return 64.0 / reynolds + 0.25 / math.log10(rough / 3.71) ** 2
    x = 8.0  # 1/sqrt(f)
    for _ in range(100):
        x = -2.0 * math.log10(rough / (3.71 if law == "colebrook_371" else 3.7) + 2.51 * x / reynolds)
    return x ** -2


class Geometry(Torture):
    @scenario("A8", "pipes of no length, of every model: fittings alone, or nothing at all, and no division by zero", by_hand=True)
    def test_zero_length_pipe(self):
        plant = pod("""  F: {class: fixed_flow, from: in, to: a, flow: 1 kg/s}
  X: {class: pipe, from: a, to: b, length: 0 m, diameter: 50 mm, minor_loss: 10}
  Y: {class: pipe, from: b, to: c, length: 0 m, diameter: 50 mm}
  R: {class: resistance, from: c, to: out, dp: 5 kPa, flow: 1 L/s}
""", "  in: {pressure: 100 kPa, temperature: 30 degC}\n  out: {pressure: 0 kPa, temperature: 30 degC}\n")
        events = [at("20 s", "F", "set", flow="0 kg/s"), at("30 s", "F", "set", flow="-1 kg/s"), at("50 s", "F", "set", flow="1 kg/s")]
        for method in METHODS:
            result = self.torture(plant, (-6.5e3, 120e3), events, "160 s", method=method)
            drop = 10.0 * (1.0 / (math.pi / 4 * 0.05 ** 2)) ** 2 / (2.0 * DENSITY)
            for time, sign in ((19, 1.0), (49, -1.0), (79, 1.0)):
                self.near(result.value("X", "dp", time), sign * drop, 1e-4, message=f"{time} s")
                self.near(result.value("c", "p", time), sign * 5e3, 1e-6)
            self.near(result.value("c", "t"), 30.0 + KELVIN, 1e-5)

    @scenario("A8", "a pipe of no length in plug flow is refused or carries coolant without delay; one of a micrometre does", by_hand=True)
    def test_shortest_plug(self):
        plant = pod("""  F: {class: fixed_flow, from: in, to: a, flow: 1 kg/s}
  X: {class: pipe, from: a, to: b, length: 0.001 mm, diameter: 50 mm, model: plug}
  R: {class: resistance, from: b, to: out, dp: 5 kPa, flow: 1 L/s}
""", "  in: {pressure: 100 kPa, temperature: 60 degC}\n  out: {pressure: 0 kPa, temperature: 30 degC}\n  a: {volume: 1 L}\n  b: {volume: 1 L}\n")
        events = [at("20 s", "F", "set", flow="-1 kg/s"), at("40 s", "F", "set", flow="1 kg/s")]
        result = self.torture(plant, (-6e3, 120e3), events, "60 s")
        for time, t in ((19, 60.0), (39, 30.0), (59, 60.0)):
            self.near(result.value("b" if time != 39 else "a", "t", time) - KELVIN, t, 1e-3, message=f"{time} s")

    @scenario("A1, A5", "a node of a millilitre beside one of ten cubic metres", by_hand=True)
    def test_node_of_hardly_any_volume(self):
        plant = pod("""  F: {class: fixed_flow, from: in, to: small, flow: 1 kg/s}
  A: {class: resistance, from: small, to: large, dp: 5 kPa, flow: 1 L/s}
  B: {class: resistance, from: large, to: out, dp: 5 kPa, flow: 1 L/s}
  Q: {class: heat_source, to: small, power: 4 kW}
""", "  in: {pressure: 100 kPa, temperature: 30 degC}\n  out: {pressure: 0 kPa, temperature: 30 degC}\n  small: {volume: 0.001 L}\n  large: {volume: 10 m3}\n")
        for method in METHODS:
            result = self.torture(plant, (-1.0, 100e3), [at("50 s", "Q", "set", power="0 kW")], "100 s", method=method, rtol="1e-3")
            self.near(result.value("small", "t", 49) - KELVIN, 31.0, 1e-4, message=method)
            self.near(result.value("small", "t", 99) - KELVIN, 30.0, 1e-4, message=method)
            # 1 kg/s of 31 degC for 50 s, then of 30, into 10 t of 20 degC: mixed tank
            after = 31.0 - 11.0 * math.exp(-50.0 / 1e4)
            after = 30.0 - (30.0 - after) * math.exp(-50.0 / 1e4)
            self.near(result.value("large", "t") - KELVIN, after, 1e-4, message=method)

    @scenario("issue 3", "a circuit over a hundred metres, its pump at the top, then at the bottom: the flow knows nothing of it", by_hand=True)
    def test_elevation(self):
        for pump_height, far_height in ((0.0, 100.0), (100.0, 0.0)):
            plant = pod("""  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %, ramp_time: 1 s, lag: 0.2 s}
  A: {class: resistance, from: sup, to: far, dp: 2 kPa, flow: 1 L/s}
  B: {class: resistance, from: far, to: ret, dp: 3 kPa, flow: 1 L/s}
""", f"  ret: {{elevation: {pump_height} m}}\n  sup: {{elevation: {pump_height} m}}\n  far: {{elevation: {far_height} m}}\n",
                        circuit(pressure="1200 kPa"), "gravity: 9.80665 m/s2")
            result = self.torture(plant, (200e3, 2500e3), [at("20 s", "P", "trip"), at("50 s", "P", "restore")], "80 s")
            weight = DENSITY * GRAVITY * (far_height - pump_height)
            q = series_flow(300.0, 1.0, 2.0, 3.0)
            for time in (19, 79):
                self.near(result.value("P", "flow", time), q * LITRE, 1e-5)
                self.near(result.value("far", "p", time), 1200e3 + 3e3 * q * q - weight, 1e-5)
            self.near(result.value("far", "p", 49), 1200e3 - weight, 1e-6)

    @scenario("A13", "every friction law, laminar and turbulent, smooth and as rough as a pipe may be", by_hand=True)
    def test_friction_laws(self):
        for law in ("epanet", "swamee_jain", "haaland", "colebrook", "colebrook_371", "nikuradse"):
            pipes = {"laminar": (0.01, 4.5e-5), "smooth": (2.0, 1e-7), "rough": (2.0, 4e-3)}  # kg/s, m; 50 mm bore
            equipment = "".join(f"  F{name}: {{class: fixed_flow, from: in, to: a-{name}, flow: {flow} kg/s}}\n"
                                f"  X{name}: {{class: pipe, from: a-{name}, to: out, length: 20 m, diameter: 50 mm, roughness: {rough} m}}\n"
                                for name, (flow, rough) in pipes.items())
            plant = pod(equipment, "  in: {pressure: 100 kPa, temperature: 20 degC}\n  out: {pressure: 0 kPa, temperature: 20 degC}\n", physics=f"friction: {law}")
            result = self.torture(plant, (-1.0, 200e3), duration="10 s")
            area = math.pi / 4 * 0.05 ** 2
            for name, (flow, rough) in pipes.items():
                reynolds = flow * 0.05 / (area * VISCOSITY)
                factor = friction_factor(law, reynolds, rough / 0.05) if reynolds > 4000 or law == "nikuradse" else 64.0 / reynolds
                self.near(result.value(f"X{name}", "dp"), factor * 20.0 / 0.05 * (flow / area) ** 2 / (2.0 * DENSITY), 1e-4, message=f"{law}, {name}")


SCALED = """  P: {{class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [{f10} L/s, 200 kPa]], start_speed: 100 %, ramp_time: 2 s, lag: 0.5 s, coast_down: 2 s, efficiency: 0.6}}
  V: {{class: valve, from: sup, to: a, kv: {f5} L/s, stroke_time: 10 s, lag: 1 s}}
  A: {{class: resistance, from: a, to: ret, dp: 10 kPa, flow: {f1} L/s}}
  B: {{class: resistance, from: sup, to: b, dp: 20 kPa, flow: {f1} L/s}}
  T: {{class: tank, from: b, to: ret, volume: {f10} L, model: cells, cells: 4, flow: {f1} L/s, dp: 1 kPa}}
  X: {{class: plate_heat_exchanger, hot: [ret, cooled], cold: [cin, cout], ua: {f5} kW/K, hot_flow: {f1} kg/s, cold_flow: {f1} kg/s, hot_dp: 5 kPa, cold_dp: 5 kPa}}
  C: {{class: resistance, from: cooled, to: suction, dp: 5 kPa, flow: {f1} L/s}}
  W: {{class: fixed_flow, from: cold, to: cin, flow: {f1} kg/s}}
  Q: {{class: heat_source, to: a, power: {f10} kW}}
"""


class Scales(Torture):
    """The same plant with flows, volumes, heats and conductances in proportion: temperatures and pressures are the same."""

    def plant(self, factor):
        figures = {f"f{n}": f"{n * factor:.12g}" for n in (1, 5, 10)}
        equipment = SCALED.replace("from: ret, to: sup", "from: suction, to: sup").format(**figures)
        nodes = "".join(f"  {name}: {{volume: {factor * litres:.12g} L}}\n" for name, litres in
                        (("ret", 5), ("sup", 5), ("a", 5), ("b", 5), ("cooled", 5), ("suction", 5), ("cin", 2), ("cout", 2)))
        nodes += "  cold: {pressure: 100 kPa, temperature: 15 degC}\n"
        return pod(equipment, nodes, circuit(node="suction") + circuit("c", node="cout", pressure="50 kPa"))

    def run_at(self, factor, method="arkode"):
        events = [at("60 s", "V", "close"), at("100 s", "P", "trip"), at("130 s", "V", "open"), at("140 s", "P", "restore")]
        return self.torture(self.plant(factor), (0.0, 500e3), events, "300 s", method=method, rtol="1e-4")

    def same(self, result, of, factor, temperature, flow):
        for node in ("ret", "sup", "a", "b", "cooled", "cout"):
            for time in (59, 99, 139, 299):
                self.near(result.value(node, "t", time), of.value(node, "t", time), 0.0, temperature, f"{node} at {time} s")
                self.near(result.value(node, "p", time), of.value(node, "p", time), 1e-5, 5.0, f"{node} at {time} s")
        for time in (59, 99, 299):
            for edge in ("P", "A", "B"):
                expected = of.value(edge, "flow", time)
                self.near(result.value(edge, "flow", time) / factor, expected, flow, 1e-4 * abs(of.value("P", "flow", 59)), f"{edge} at {time} s")

    @scenario("43, issue 3", "the same plant a million times smaller: 100 L/s becomes 0.1 mL/s")
    def test_a_million_times_smaller(self):
        of = self.run_at(1e2)
        self.same(self.run_at(1e-4), of, 1e-6, 2e-3, 1e-4)

    @scenario("43, issue 3", "the same plant a million times larger: 1 mL/s becomes 1 m3/s")
    def test_a_million_times_larger(self):
        of = self.run_at(1e-3)
        self.same(self.run_at(1e3), of, 1e6, 2e-3, 1e-4)

    @scenario("43, issue 3", "ten times larger, by every method")
    def test_ten_times_larger(self):
        of = self.run_at(1.0)
        for method in METHODS:
            self.same(self.run_at(10.0, method), of, 10.0, 2e-2, 1e-3)


if __name__ == "__main__":
    unittest.main()
