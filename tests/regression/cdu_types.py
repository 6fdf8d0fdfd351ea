"""The kinds of CDU of the catalogue pass what their makers publish, at the flows and approaches they publish."""
import unittest

from support import Case, LITRE_PER_MINUTE, SOURCE, ZERO_CELSIUS, podtwin, table

WATER = 36.0  # degC, of the facility side in the file
# Published heat [kW], approach [K], technology flow [L/min] and external head [kPa]; pod-design 5.1. Of the last unit
# only the heat is published, the rest is the OCP convention.
PUBLISHED = {"xdu": (1368, 4.0, 1200, 250), "chx": (2000, 5.0, 2125, 241), "des": (2000, 3.0, 31.48 / 1.0140 * 60, 586),
             "inr": (250, 5.0, 375, 241)}
FLOW_TOLERANCE = 0.01
APPROACH_TOLERANCE = 0.05  # of the approach: the heat of the pumps comes on top of that of the racks


class CduTypes(Case):
    def test_each_meets_its_rating_point(self):
        done = podtwin("steady", SOURCE / "data/pods/cdu-ratings.yaml", "--csv", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        units, exchangers, pumps = (table(self.folder, name) for name in ("cdu", "heat_exchanger", "pump"))
        valves = table(self.folder, "valve")
        for name, (heat, approach, flow, head) in PUBLISHED.items():
            unit = units[name]
            found = unit["t_supply"] - ZERO_CELSIUS - WATER
            print(f"{name}: {unit['heat'] / 1e3:.0f} kW, flow {unit['flow'] / LITRE_PER_MINUTE:.0f} of {flow:.0f} L/min, "
                  f"approach {found:.2f} of {approach} K, pumps {unit['power'] / 1e3:.1f} kW, "
                  f"UA {exchangers[name + '-hx']['ua'] / 1e3:.0f} kW/K")
            self.assertAlmostEqual(unit["flow"] / LITRE_PER_MINUTE, flow, delta=FLOW_TOLERANCE * flow, msg=name)
            self.assertAlmostEqual(unit["dp"] / 1e3, head, delta=2.0 * FLOW_TOLERANCE * head, msg=name)
            self.assertAlmostEqual(found, approach, delta=APPROACH_TOLERANCE * approach, msg=name)
            power = sum(pumps[f"{name}-P{n}"]["power"] for n in (1, 2))
            # All power of the pumps goes to the coolant (loss_to_coolant 1).
            self.assertAlmostEqual(unit["heat"], 1e3 * heat + power, delta=1e-6 * 1e3 * heat, msg=name)
            self.assertEqual(valves[f"{name}-valve"]["position"], 1.0, name)

    def test_a_set_point_that_it_can_hold_closes_its_valve_so_far(self):
        text = (SOURCE / "data/pods/cdu-ratings.yaml").read_text(encoding="utf-8")
        text = text.replace("include: [parts/cdus.yaml]", f"include: [{SOURCE}/data/pods/parts/cdus.yaml]")
        self.write("held.yaml", text.replace("set_point: 20 degC", "set_point: 45 degC"))
        done = podtwin("steady", self.folder / "held.yaml", "--csv", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, unit in table(self.folder, "cdu").items():
            self.assertAlmostEqual(unit["t_supply"] - ZERO_CELSIUS, 45.0, delta=0.05, msg=name)
            self.assertLess(table(self.folder, "valve")[f"{name}-valve"]["position"], 0.9, name)


if __name__ == "__main__":
    unittest.main()
