"""What the search for a steady state comes to rest on, and what it says of what does not: cases that random networks found (decision 40)."""
import csv
import unittest

from support import Case, podtwin

LOOP = """podtwin: pod/1
circuits:
  c: {fluid: water, constant_properties: true, reference: {node: a, pressure: 100 kPa}}
equipment:
  P: {class: pump, from: a, to: b, start_speed: 1, head_curve: [[0 L/s, 200 kPa], [1 L/s, 150 kPa]]}
  H: {class: heat_source, to: b, power: 20 kW}
  R: {class: pipe, from: b, to: d, length: 10 m, diameter: 25 mm, cells: 10}
  D: {class: dry_cooler, from: d, to: a, ua: 4 kW/K, air_flow: 4 kg/s, flow: 1 kg/s, dp: 10 kPa}
"""


class SteadySearch(Case):
    def steady(self, more, status=0):
        self.write("pod.yaml", LOOP + more)
        done = podtwin("steady", "pod.yaml", "--csv", "tables", cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def row(self, table, name):
        with open(self.folder / "tables" / f"{table}.csv", newline="", encoding="utf-8") as file:
            found = next(row for row in csv.DictReader(file) if row["id"] == name)
        return {key.split(" [")[0]: float(value) for key, value in found.items() if key != "id" and value}

    def test_a_regulating_valve_in_a_dead_end_does_not_go_on_closing(self):
        for name, kind, ends, pressure in (("before", "pressure_sustaining_valve", "from: b, to: x", "400 kPa"),
                                           ("behind", "pressure_reducing_valve", "from: x, to: b", "50 kPa")):
            with self.subTest(name):
                self.steady(f"  V: {{class: {kind}, {ends}, pressure: {pressure}, kv: 1 L/s}}\n"
                            "  Q: {class: quick_disconnect, from: x, to: d, kv: 1 L/s, connected: false}\n")
                self.assertLess(abs(self.row("node", "x")["p"]), 2e6)

    def test_a_sustaining_valve_that_shuts_holds_what_its_pilot_asks_for(self):
        self.steady("  V: {class: pressure_sustaining_valve, from: b, to: d, pressure: 400 kPa, kv: 1 L/s}\n")
        self.assertLess(abs(self.row("pressure_sustaining_valve", "V")["flow"]), 1e-7)

    def test_creeping_coolant_does_not_keep_it_going(self):
        self.steady("  V: {class: valve, from: b, to: x, kv: 0.5 L/s, leakage: 1e-7, characteristic: linear, start_position: 0}\n"
                    "  W: {class: pipe, from: x, to: d, length: 10 cm, diameter: 4 mm, cells: 1}\n")

    def test_a_room_colder_than_the_water_of_its_coil_comes_to_rest(self):
        self.steady("  hall: {class: zone, volume: 450 m3}\n  S: {class: heat_source, to: hall, power: 150 W}\n"
                    "  F: {class: fan_wall, from: d, to: a, air: hall, air_flow: 0.2 kg/s, fan_power: 5 W, flow: 0.1 L/s, supply_air: 17 degC}\n")
        self.assertGreater(self.row("zone", "hall")["t_air"], self.row("node", "d")["t"])

    def test_a_stratified_tank_that_water_turns_over(self):
        for cells in (2, 20):
            with self.subTest(cells=cells):
                self.steady(f"  T: {{class: tank, from: d, to: a, volume: 2 L, model: stratified, cells: {cells}, height: 2.7 m, flow: 0.02 L/s, dp: 60 kPa}}\n")
                self.assertAlmostEqual(self.row("tank", "T")["t_out"], self.row("node", "d")["t"], 5)

    def test_what_still_moves_is_named_by_its_own_pipe_as_the_search_sees_it(self):
        done = self.steady("  oven: {class: zone, volume: 100 m3}\n  S: {class: heat_source, to: oven, power: 5 kW}\n"
                           "  L: {class: pipe, from: b, to: d, length: 100 m, diameter: 10 mm, model: plug}\n"
                           "  W: {class: pipe, from: d, to: x, length: 2 m, diameter: 20 mm, cells: 2, loss: 5 W/K, air: oven, wall_thickness: 2 mm}\n", status=1)
        self.assertIn("W.wall 1 changes", done.stderr)
        self.assertNotIn("L.content", done.stderr)
        self.assertIn("heat has no way out", done.stderr)


if __name__ == "__main__":
    unittest.main()
