"""Properties of a coolant follow its temperature: friction, heat carried, ends of the data; and what holds them constant."""
import math
import unittest

import h5py
from result_checks import ledger_error
from support import Case, podtwin, table

KELVIN = 273.15
# Published values for water at 0.1 MPa: dynamic viscosity by IAPWS R12-08 (Pa s), enthalpy by IAPWS-IF97 (J/kg).
VISCOSITY = {10: 1.3059e-3, 60: 0.46602e-3}
DENSITY = {10: 999.70, 60: 983.20}
ENTHALPY = {5: 21.12e3, 20: 84.01e3, 60: 251.25e3, 90: 377.06e3}
DESIGN = "design: {rack_power: 0 kW, weather: {dry_bulb: 20 degC, relative_humidity: 40 %}}\n"


class CoolantProperties(Case):
    def steady(self, circuit, nodes, equipment):
        self.write("pod.yaml", f"podtwin: pod/1\ntitle: properties\ncircuits:\n  w: {{{circuit}}}\nnodes:\n"
                   + "".join(f"  {n}\n" for n in nodes) + "equipment:\n" + "".join(f"  {e}\n" for e in equipment) + DESIGN)
        done = podtwin("steady", "pod.yaml", "--csv", "steady", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (lambda name: table(self.folder / "steady", name)), done.stderr

    def capillary(self, celsius, extra=""):
        """Volume flow [m3/s] at the property temperature through 10 m of 2 mm bore under 2 kPa: laminar."""
        steady, _ = self.steady(f"fluid: water, property_temperature: 40 degC{extra}",
                                [f"a: {{pressure: 102 kPa, temperature: {celsius} degC}}",
                                 f"b: {{pressure: 100 kPa, temperature: {celsius} degC}}"],
                                ["P: {class: pipe, from: a, to: b, length: 10 m, diameter: 2 mm}"])
        return steady("pipe")["P"]

    def test_laminar_flow_goes_with_the_viscosity_of_the_water_in_the_pipe(self):
        # Hagen-Poiseuille: m = rho pi D^4 dp / (128 mu L).
        for celsius, viscosity in VISCOSITY.items():
            pipe = self.capillary(celsius)
            density_40 = 992.22  # kg/m3, of `flow`
            mass_flow = DENSITY[celsius] * math.pi * 2e-3**4 * 2e3 / (128.0 * viscosity * 10.0)
            self.assertLess(pipe["reynolds"], 2000.0)
            self.assertAlmostEqual(pipe["flow"] * density_40 / mass_flow, 1.0, delta=1e-3)
            self.assertAlmostEqual(pipe["reynolds"] / (4.0 * mass_flow / (math.pi * 2e-3 * viscosity)), 1.0, delta=2e-3)

    def test_constant_properties_are_those_of_the_property_temperature(self):
        cold, warm = (self.capillary(t, ", constant_properties: true")["flow"] for t in (10, 60))
        self.assertAlmostEqual(cold / warm, 1.0, delta=1e-9)

    def test_water_takes_the_heat_of_its_enthalpy(self):
        # 1 kg/s (of water at 40 degC: 992.22 kg/m3) from 5 to 90 degC: cp falls to 4,178 and rises to 4,205 J/(kg K) on the way.
        heat = ENTHALPY[90] - ENTHALPY[5]
        steady, _ = self.steady("fluid: water, property_temperature: 40 degC",
                                ["a: {pressure: 300 kPa, temperature: 5 degC}", "c: {pressure: 100 kPa}"],
                                [f"F: {{class: fixed_flow, from: a, to: b, flow: {1e3 / 992.22:.9f} L/s}}",
                                 "R: {class: resistance, from: b, to: c, dp: 10 kPa, flow: 1 L/s}",
                                 f"H: {{class: heat_source, to: b, power: {heat} W}}"])
        self.assertAlmostEqual(steady("node")["b"]["t"] - KELVIN, 90.0, delta=0.03)
        constant, _ = self.steady("fluid: water, property_temperature: 40 degC, constant_properties: true",
                                  ["a: {pressure: 300 kPa, temperature: 5 degC}", "c: {pressure: 100 kPa}"],
                                  [f"F: {{class: fixed_flow, from: a, to: b, flow: {1e3 / 992.22:.9f} L/s}}",
                                   "R: {class: resistance, from: b, to: c, dp: 10 kPa, flow: 1 L/s}",
                                   f"H: {{class: heat_source, to: b, power: {heat} W}}"])
        self.assertGreater(abs(constant("node")["b"]["t"] - steady("node")["b"]["t"]), 0.05)  # the test can tell them apart

    def test_mixing_is_by_enthalpy(self):
        # Equal masses of water at 20 and 60 degC: h = 167.63 kJ/kg, 40.0 degC (IF97: 167.62 kJ/kg at 40 degC).
        steady, _ = self.steady("fluid: water, property_temperature: 40 degC",
                                ["a: {pressure: 300 kPa, temperature: 20 degC}", "b: {pressure: 300 kPa, temperature: 60 degC}",
                                 "d: {pressure: 100 kPa}"],
                                ["F1: {class: fixed_flow, from: a, to: c, flow: 1 L/s}",
                                 "F2: {class: fixed_flow, from: b, to: c, flow: 1 L/s}",
                                 "R: {class: resistance, from: c, to: d, dp: 10 kPa, flow: 2 L/s}"])
        self.assertAlmostEqual(steady("node")["c"]["t"] - KELVIN, 40.0, delta=0.02)

    def test_energy_closes_while_the_specific_heat_moves(self):
        self.write("pod.yaml", "podtwin: pod/1\ntitle: loop\ncircuits:\n  w: {fluid: PG50, reference: {node: r, pressure: 200 kPa}}\n"
                   "nodes:\n  s: {volume: 50 L}\nequipment:\n"
                   "  P: {class: pump, from: r, to: s, head_curve: [[0 L/s, 100 kPa], [2 L/s, 60 kPa]], start_speed: 100 %}\n"
                   "  L: {class: pipe, from: s, to: t, length: 20 m, diameter: 30 mm, cells: 5, loss: 50 W/K}\n"
                   "  T: {class: tank, from: t, to: u, volume: 200 L, model: plug}\n"
                   "  M: {class: tank, from: u, to: v, volume: 100 L, model: cells, cells: 5}\n"
                   "  D: {class: dry_cooler, from: v, to: r, ua: 5 kW/K, flow: 1.5 kg/s, air_flow: 6 kg/s, dp: 20 kPa}\n"
                   "  H: {class: heat_source, to: t, power: 60 kW}\n" + DESIGN)
        self.write("run.yaml", "podtwin: scenario/1\npod: pod.yaml\nstart: 2026-01-15T00:00:00Z\nduration: 1 h\n"
                   "weather: {dry_bulb: -15 degC, relative_humidity: 60 %}\nfrom: cold\n"
                   "events:\n  - {at: 20 min, target: D, do: trip}\n  - {at: 40 min, target: D, do: restore}\n"
                   "record:\n  - {class: node, signals: [\"*\"], period: 10 s}\n")
        done = podtwin("run", "run.yaml", "-o", "out.h5", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.folder / "out.h5", "r") as file:
            t = file["node/t"][()]
            self.assertGreater(t.max() - t.min(), 30.0)  # specific heat has moved by several per cent
            self.assertLess(abs(ledger_error(file)), 1e-9)

    def test_coolant_below_its_freezing_point_is_told(self):
        _, told = self.steady("fluid: PG25", ["a: {pressure: 102 kPa, temperature: -20 degC}", "b: {pressure: 100 kPa}"],
                              ["P: {class: pipe, from: a, to: b, length: 10 m, diameter: 20 mm}"])
        self.assertIn("freeze", told)
        self.assertIn("a.t is -20", told)


if __name__ == "__main__":
    unittest.main()
