"""`podtwin balance` on 80 single-phase racks, deliberately unbalanced: within 1 % of its bound; with its advice taken, the neutral carries next to
nothing by `podtwin steady`. Bad input is told."""
import csv
import random
import unittest

from support import Case

HEAD = """podtwin: pod/1
equipment:
  GRID: {class: utility, to: MV, rating: 5 MW, voltage: 13.8 kV, short_circuit_power: 300 MVA}
  T: {class: transformer, from: MV, to: LV, rating: 1.5 MVA, second_voltage: 415 V}
  BW: {class: busway, from: LV, to: RACKS, rating: 1600 A, voltage: 415 V}
  PUMPS: {class: electrical_load, power: 60 kW, supply: RACKS}
"""


class Balance(Case):
    def pod(self, phases, powers):
        rows = (f"  R{k:02d}: {{class: electrical_load, power: {p} W, reactive_power: {0.1 * p} var, supply: RACKS, connection: star, phases: {f}}}\n"
                for k, (p, f) in enumerate(zip(powers, phases)))
        path = self.folder / "pod.yaml"
        path.write_text(HEAD + "".join(rows))
        return path

    def table(self, name):
        with open(self.folder / "tables" / name, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def neutral(self, pod):
        self.run_ok("steady", pod, "--csv", self.folder / "tables")
        return next(float(row["i_n [A]"]) for row in self.table("busway.csv"))

    def test_eighty_racks_come_within_a_hundredth_of_the_bound(self):
        draw = random.Random(7)
        powers = [draw.randrange(3000, 15001, 100) for _ in range(80)]
        present = [draw.choice("aaabbc") for _ in powers]
        pod = self.pod(present, powers)
        before = self.neutral(pod)
        done = self.run_ok("balance", pod, "--csv", self.folder / "tables")
        self.assertIn("80 loads on one or two phases", done.stdout)
        row, = self.table("balance_buses.csv")
        bound, after = float(row["bound [W]"]), float(row["greatest_after [W]"])
        self.assertGreaterEqual(bound, (sum(powers) + 60e3) / 3.0 * (1.0 - 1e-12))
        self.assertLess(after, 1.01 * bound)
        moved = {line["load"]: line["advised"] for line in self.table("balance.csv")}
        advised = [moved[f"R{k:02d}"] for k in range(80)]
        self.assertEqual(sum(a != b for a, b in zip(advised, present)), int(row["moves"]))
        self.assertLess(self.neutral(self.pod(advised, powers)), 0.02 * before)

    def test_twelve_racks_are_proved(self):
        done = self.run_ok("balance", self.pod("aaaaaaaabbbc", [4000 + 700 * k for k in range(12)]))
        self.assertIn("proved optimal", done.stdout)

    def test_a_pod_without_such_loads_and_a_scenario_are_told(self):
        self.assertIn("nothing to balance", self.run_ok("balance", self.pod("", [])).stdout)
        scenario = self.folder / "scenario.yaml"
        scenario.write_text("podtwin: scenario/1\npod: pod.yaml\nstart: 2026-01-01T00:00:00Z\nduration: 1 s\n"
                            "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\n")
        done = self.run_ok("balance", scenario, status=2)
        self.assertIn("scenario.yaml", done.stderr)
        self.assertIn("name its pod file", done.stderr)
        (self.folder / "file").write_text("")
        done = self.run_ok("balance", self.pod("aab", [1000, 1000, 1000]), "--csv", self.folder / "file", status=2)
        self.assertIn("--csv", done.stderr)


if __name__ == "__main__":
    unittest.main()
