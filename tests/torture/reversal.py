"""Flow that reverses, settles at zero, and swings through zero: decouplers of every kind, exchangers, plates, bridges."""
import math
import unittest

from support import DENSITY, KELVIN, LITRE, METHODS, PLAIN, SPECIFIC_HEAT, Torture, at, circuit, pod, scenario

KILOWATT_A_KELVIN = DENSITY * LITRE * SPECIFIC_HEAT / 1e3  # of 1 L/s: 4

# Primary: 3 L/s at 10 degC into the supply header. Secondary: draws from it, takes up 60 kW, ends in the return header.
# What differs goes through the decoupler, from supply to return or back.
DECOUPLED = """  PRIMARY: {{class: fixed_flow, from: source, to: supply, flow: 3 kg/s}}
  SECONDARY: {{class: fixed_flow, from: supply, to: load, flow: 2 kg/s}}
  Q: {{class: heat_source, to: load, power: 60 kW}}
  L: {{class: resistance, from: load, to: return, dp: 10 kPa, flow: 2 L/s}}
  D: {{from: supply, to: return, {decoupler}}}
  R: {{class: resistance, from: return, to: sink, dp: 20 kPa, flow: 3 L/s}}
"""
BOUNDARIES = "  source: {pressure: 100 kPa, temperature: 10 degC}\n  sink: {pressure: 100 kPa, temperature: 20 degC}\n"
# sink 100 kPa, R takes 20 kPa; the secondary's fixed flow may draw through the decoupler: tens of kPa
WITHIN = (90e3, 200e3)


def header_temperatures(secondary, primary=3.0, cold=10.0, heat=60.0):
    """Supply and return header [degC] in steady state, by mixing of streams in kW/K."""
    rise = heat / (KILOWATT_A_KELVIN * secondary)
    if secondary <= primary:
        return cold, (secondary * (cold + rise) + (primary - secondary) * cold) / primary
    # supply header: primary and what comes back through the decoupler, at the return header's temperature supply + rise
    supply = cold + (secondary - primary) * rise / primary
    return supply, supply + rise


class Decoupler(Torture):
    EVENTS = [at(f"{100 * (i + 1)} s", "SECONDARY", "set", flow=f"{flow} kg/s") for i, flow in enumerate((5, 3, 2, 5, 2))]

    def through(self, decoupler, method="arkode", settled=2e-4):
        plant = pod(DECOUPLED.format(decoupler=decoupler), BOUNDARIES)
        result = self.torture(plant, WITHIN, self.EVENTS, "600 s", method=method, rtol="1e-3")
        for time, secondary in ((99, 2.0), (199, 5.0), (299, 3.0), (399, 2.0), (499, 5.0), (599, 2.0)):
            self.near(result.value("D", "flow", time), (3.0 - secondary) * LITRE, 1e-6, 1e-9, f"{time} s")
            for node, expected in zip(("supply", "return"), header_temperatures(secondary)):
                self.near(result.value(node, "t", time) - KELVIN, expected, settled, 0.0, f"{decoupler}: {node} at {time} s")
        return result

    @scenario("A1, A5", "flow through a decoupler reverses, stands at exactly zero and goes back: a resistance", by_hand=True)
    def test_resistance(self):
        for method in METHODS:
            self.through("class: resistance, dp: 2 kPa, flow: 2 L/s", method)

    @scenario("A1, A5", "the same through a pipe of mixed cells", by_hand=True)
    def test_pipe_cells(self):
        for method in METHODS:
            self.through("class: pipe, length: 3 m, diameter: 60 mm, cells: 5", method)

    @scenario("A1, A5", "the same through a pipe in plug flow", by_hand=True)
    def test_pipe_plug(self):
        for method in METHODS:
            self.through("class: pipe, length: 3 m, diameter: 60 mm, model: plug", method)

    @scenario("A1, A5", "the same through a pipe in plug flow whose wall stores heat", by_hand=True)
    def test_pipe_plug_with_wall(self):
        for method in METHODS:
            self.through("class: pipe, length: 3 m, diameter: 60 mm, model: plug, wall_thickness: 2 mm", method)

    @scenario("A1, A5", "the same through a tank whose coolant leaves in the order it came", by_hand=True)
    def test_tank_plug(self):
        for method in METHODS:
            self.through("class: tank, volume: 10 L, flow: 2 L/s", method)

    @scenario("A1, A5", "the same through a mixed tank", by_hand=True)
    def test_tank_mixed(self):
        self.through("class: tank, volume: 10 L, model: mixed, flow: 2 L/s")

    @scenario("A1, A5", "the same through a tank of cells", by_hand=True)
    def test_tank_cells(self):
        self.through("class: tank, volume: 10 L, model: cells, cells: 8, flow: 2 L/s")

    @scenario("A1, A5", "the same through a pipe whose coolant has momentum")
    def test_pipe_inertance(self):
        plant = pod(DECOUPLED.format(decoupler="class: pipe, length: 3 m, diameter: 60 mm, inertance: true")
                    .replace("R: {class: resistance", "S: {class: resistance, from: supply, to: sink, dp: 4 kPa, flow: 1 L/s}\n  R: {class: resistance"), BOUNDARIES)
        result = self.torture(plant, (0.0, 250e3), self.EVENTS, "600 s", rtol="1e-3")
        # S takes a share from the supply header, so that the pressures there do not hang on the momentum alone
        for time, secondary in ((99, 2.0), (199, 5.0), (399, 2.0)):
            through = result.value("D", "flow", time) + result.value("S", "flow", time)
            self.near(through, (3.0 - secondary) * LITRE, 1e-5, 1e-8, f"{time} s")
            self.near(result.value("SECONDARY", "flow", time), secondary * LITRE, 1e-6)


class AtZero(Torture):
    @scenario("A1", "a balanced bridge: no flow in its middle for an hour, and no temperature wanders", by_hand=True)
    def test_balanced_bridge(self):
        plant = pod("""  A: {class: resistance, from: in, to: left, dp: 10 kPa, flow: 1 L/s}
  B: {class: resistance, from: left, to: out, dp: 30 kPa, flow: 1 L/s}
  C: {class: resistance, from: in, to: right, dp: 10 kPa, flow: 1 L/s}
  D: {class: resistance, from: right, to: out, dp: 30 kPa, flow: 1 L/s}
  M: {class: pipe, from: left, to: right, length: 2 m, diameter: 40 mm}
  QL: {class: heat_source, to: left, power: 4 kW}
  QR: {class: heat_source, to: right, power: 40 kW}
""", "  in: {pressure: 160 kPa, temperature: 20 degC}\n  out: {pressure: 0 kPa, temperature: 20 degC}\n")
        result = self.torture(plant, (-1.0, 160e3 + 1.0), duration="3600 s", period="10 s")
        # 160 kPa over 40 kPa/(L/s)^2: 2 L/s a leg, 0.5 and 5 K of rise
        self.assertLess(abs(result.series("M", "flow")).max(), 1e-9)
        for node, expected in (("left", 20.5), ("right", 25.0)):
            t = result.series(node, "t")[30:] - KELVIN
            self.near(t.min(), expected, 1e-4)
            self.near(t.max(), expected, 1e-4)

    @scenario("A1, A5", "coolant rocks to and fro through zero every two seconds between two ends of other temperature")
    def test_rocking(self):
        for content in ("class: pipe, length: 5 m, diameter: 50 mm", "class: pipe, length: 5 m, diameter: 50 mm, model: plug", "class: tank, volume: 10 L, flow: 2 L/s"):
            plant = pod(f"""  F: {{class: fixed_flow, from: cold, to: a, flow: 2 kg/s}}
  X: {{from: a, to: b, {content}}}
  R: {{class: resistance, from: b, to: hot, dp: 5 kPa, flow: 2 L/s}}
""", "  cold: {pressure: 100 kPa, temperature: 10 degC}\n  hot: {pressure: 100 kPa, temperature: 50 degC}\n")
            events = [at(f"{2 * i + 10} s", "F", "set", flow=f"{-2 if i % 2 == 0 else 2} kg/s") for i in range(45)]
            result = self.torture(plant, (90e3, 130e3), events, "100 s")
            for node in ("a", "b"):
                t = result.series(node, "t")
                self.assertGreaterEqual(t.min(), 10.0 + KELVIN - 0.05, content)  # rtol is 0.05 K
                self.assertLessEqual(t.max(), 50.0 + KELVIN + 0.05, content)

    @scenario("A1, A5", "a front stands still in a pipe for a minute, turns back before it is out, and leaves where it came in", by_hand=True)
    def test_front_turns_back(self):
        for body, content in (("X.content", "class: pipe, length: 10 m, diameter: 50 mm, model: plug"), ("X", "class: tank, volume: 19.634954 L, flow: 1 L/s")):
            plant = pod(f"""  F: {{class: fixed_flow, from: hot, to: a, flow: 1 kg/s}}
  X: {{from: a, to: b, {content}}}
  R: {{class: resistance, from: b, to: cold, dp: 5 kPa, flow: 2 L/s}}
""", "  hot: {pressure: 100 kPa, temperature: 60 degC}\n  cold: {pressure: 100 kPa, temperature: 20 degC}\n  a: {volume: 0.01 L}\n")
            events = [at("10 s", "F", "set", flow="0 kg/s"), at("70 s", "F", "set", flow="-1 kg/s")]
            result = self.torture(plant, (90e3, 130e3), events, "100 s", rtol="1e-3")
            # 10 of 19.6 L are warm while it stands; it leaves through a in the ten seconds after 70 s
            self.near(result.value(body, "t_mean", 60) - KELVIN, 20.0 + 40.0 * 10.0 / 19.634954, 2e-3, message=content)
            self.near(result.value("a", "t", 79) - KELVIN, 60.0, 1e-3, message=content)
            self.near(result.value("a", "t", 82) - KELVIN, 20.0, 1e-3, message=content)
            self.near(result.value(body, "t_mean") - KELVIN, 20.0, 1e-3, message=content)


def effectiveness(ntu, ratio, counter):
    if counter:
        return ntu / (1.0 + ntu) if ratio == 1.0 else (1.0 - math.exp(-ntu * (1.0 - ratio))) / (1.0 - ratio * math.exp(-ntu * (1.0 - ratio)))
    return (1.0 - math.exp(-ntu * (1.0 + ratio))) / (1.0 + ratio)


class Exchangers(Torture):
    # UA 8 kW/K whatever the flows; 2 kg/s hot at 60 degC against 1 or 2 kg/s cold at 20 degC
    PLANT = """  H: {{class: fixed_flow, from: hot, to: hin, flow: 2 kg/s}}
  C: {{class: fixed_flow, from: cold, to: cin, flow: 1 kg/s}}
  X: {{class: plate_heat_exchanger, hot: [hin, hout], cold: [cin, cout], ua: 8 kW/K, hot_flow: 2 kg/s, cold_flow: 2 kg/s, hot_exponent: 0, cold_exponent: 0, {model}}}
  RH: {{class: resistance, from: hout, to: hot2, dp: 5 kPa, flow: 2 L/s}}
  RC: {{class: resistance, from: cout, to: cold2, dp: 5 kPa, flow: 2 L/s}}
"""
    NODES = "  hot2: {temperature: 60 degC}\n" + "".join(f"  {name}: {{pressure: 100 kPa, temperature: {t} degC}}\n" for name, t in (("hot", 60), ("cold", 20), ("cold2", 20)))
    CIRCUITS = circuit("h", node="hot2", pressure="100 kPa") + f"  c: {{fluid: {PLAIN}}}\n"
    STATIC = "model: static"
    DYNAMIC = "model: dynamic, cells: 8, hot_volume: 5 L, cold_volume: 5 L, wall_capacity: 20 kJ/K"

    def heats(self, model, relative):
        events = [at("60 s", "C", "set", flow="-1 kg/s"), at("120 s", "C", "set", flow="0 kg/s"), at("180 s", "H", "set", flow="-2 kg/s"),
                  at("180.5 s", "C", "set", flow="1 kg/s"), at("240 s", "H", "set", flow="0 kg/s"), at("300 s", "H", "set", flow="2 kg/s"),
                  at("300.5 s", "C", "set", flow="2 kg/s")]
        plant = pod(self.PLANT.format(model=model), self.NODES, self.CIRCUITS)
        result = self.torture(plant, (80e3, 120e3), events, "400 s", rtol="1e-3")
        unequal, equal = 4.0 * 40.0, 8.0 * 40.0  # C_min times the span [kW]
        for time, expected in ((59, effectiveness(2.0, 0.5, True) * unequal), (119, effectiveness(2.0, 0.5, False) * unequal), (179, 0.0),
                               (239, effectiveness(2.0, 0.5, False) * unequal), (299, 0.0), (399, effectiveness(1.0, 1.0, True) * equal)):
            self.near(result.value("X", "heat", time), expected * 1e3, relative, relative * 320e3, f"{model} at {time} s")
        return result

    @scenario("A5, A7", "static exchanger with one side reversed, at zero, the other reversed: parallel flow and nothing", by_hand=True)
    def test_static(self):
        self.heats(self.STATIC, 1e-4)

    @scenario("A5, A7", "dynamic exchanger through the same: the same heats once it has settled", by_hand=True)
    def test_dynamic(self):
        self.heats(self.DYNAMIC, 2e-3)

    @scenario("A4, A5", "both sides of a dynamic exchanger stop: it keeps its heat, wall and coolant become one temperature")
    def test_dynamic_at_rest(self):
        events = [at("60 s", "C", "set", flow="0 kg/s"), at("60 s", "H", "set", flow="0 kg/s"), at("300 s", "H", "set", flow="2 kg/s"), at("300 s", "C", "set", flow="1 kg/s")]
        plant = pod(self.PLANT.format(model=self.DYNAMIC), self.NODES, self.CIRCUITS)
        for method in METHODS:
            result = self.torture(plant, (80e3, 120e3), events, "400 s", method=method)
            self.near(result.value("X", "heat", 399), effectiveness(2.0, 0.5, True) * 160e3, 5e-3)

    @scenario("issue 3", "fouling to 1 K/W and back to clean", by_hand=True)
    def test_fouling(self):
        plant = pod(self.PLANT.format(model=self.STATIC), self.NODES, self.CIRCUITS)
        events = [at("60 s", "X", "foul", resistance="1 K/W"), at("120 s", "X", "foul", resistance="0 K/W")]
        result = self.torture(plant, (80e3, 120e3), events, "180 s")
        for time, ua in ((59, 8.0), (119, 1.0 / (1.0 / 8.0 + 1e3)), (179, 8.0)):
            self.near(result.value("X", "heat", time), effectiveness(ua / 4.0, 0.5, True) * 160e3, 1e-4, message=f"{time} s")

    @scenario("A7", "both sides of an exchanger isolated with its inlets hot and cold, and restored", by_hand=True)
    def test_isolated(self):
        plant = pod(self.PLANT.format(model=self.STATIC).replace("class: fixed_flow, from: hot, to: hin, flow: 2 kg/s", "class: resistance, from: hot, to: hin, dp: 1 kPa, flow: 1 L/s")
                    .replace("class: fixed_flow, from: cold, to: cin, flow: 1 kg/s", "class: resistance, from: cold, to: cin, dp: 1 kPa, flow: 1 L/s")
                    .replace("dp: 5 kPa, flow: 2 L/s", "dp: 1 kPa, flow: 1 L/s"),
                    self.NODES.replace("  hot: {pressure: 100", "  hot: {pressure: 108").replace("  cold: {pressure: 100", "  cold: {pressure: 108"), self.CIRCUITS)
        result = self.torture(plant, (99e3, 109e3), [at("60 s", "X", "isolate"), at("120 s", "X", "restore")], "240 s")
        for time in (59, 239):  # 8 kPa over 2 kPa/(L/s)^2 and the exchanger's least 0.1 Pa s/kg: 2 L/s a side
            self.near(result.value("X", "flow_hot", time), (2.0 - 0.2 / 8e3) * LITRE, 1e-6)
            self.near(result.value("X", "heat", time), 160e3, 1e-4)
        self.assertEqual(result.value("X", "heat", 119), 0.0)
        self.assertEqual(result.value("X", "flow_cold", 119), 0.0)

    @scenario("A7, issue 3", "cold plate: flow reversed, then none at full power, then restored", by_hand=True)
    def test_cold_plate(self):
        plant = pod("""  F: {class: fixed_flow, from: in, to: a, flow: 0.1 kg/s}
  chip: {class: heat_capacity, capacity: 2 kJ/K}
  Q: {class: heat_source, to: chip, power: 2 kW}
  X: {class: cold_plate, from: a, to: b, body: chip, volume: 0.5 L, law: fit, resistance: 0.01 K/W, resistance_slope: 0.002 K.L/W/s, flow_low: 0.01 L/s, flow_high: 0.2 L/s, dp: 5 kPa, flow: 0.1 L/s}
  R: {class: resistance, from: b, to: out, dp: 5 kPa, flow: 0.1 L/s}
""", "  in: {pressure: 100 kPa, temperature: 20 degC}\n  out: {pressure: 100 kPa, temperature: 30 degC}\n  a: {volume: 0.1 L}\n  b: {volume: 0.1 L}\n")
        events = [at("900 s", "F", "set", flow="-0.1 kg/s"), at("1800 s", "F", "set", flow="0 kg/s"), at("1840 s", "F", "set", flow="0.1 kg/s")]
        result = self.torture(plant, (90e3, 110e3 + 1.0), events, "2700 s", rtol="1e-3")
        rise = 2e3 * (0.01 + 0.002 / 0.1)  # R(V) of the law at 0.1 L/s
        for time, inlet in ((899, 20.0), (1799, 30.0), (2699, 20.0)):
            self.near(result.value("X", "t_case", time) - KELVIN, inlet + rise, 1e-4, message=f"{time} s")
        # without flow chip and coolant take up all: 2 kW into 2 kJ/K and 0.5 L
        stored = lambda time: 2e3 * result.value("chip", "t", time) + DENSITY * 0.5e-3 * SPECIFIC_HEAT * result.value("X", "t_coolant", time)
        self.near(stored(1839) - stored(1805), 2e3 * 34.0, 1e-3)


if __name__ == "__main__":
    unittest.main()
