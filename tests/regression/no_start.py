"""A run that finds no start: what it says, and what it leaves and does not touch."""
import unittest

import h5py

from support import Case

# Heat without a way out: the mass warms for ever.
NO_WAY_OUT = """podtwin: pod/1
equipment:
  slab: {class: heat_capacity, capacity: 50 kJ/K}
  heater: {class: heat_source, to: slab, power: 3 kW}
"""
SCENARIO = """podtwin: scenario/1
title: no start
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: 20 s
weather: {dry_bulb: 20 degC, relative_humidity: 40 %}
"""


class NoStart(Case):
    def setUp(self):
        super().setUp()
        self.write("pod.yaml", NO_WAY_OUT)
        self.path = self.write("run.yaml", SCENARIO)
        self.out = self.folder / "out.h5"

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_plant_without_a_steady_start_is_1_names_the_worst_and_leaves_no_result(self):
        done = self.run_ok("run", self.path, "-o", self.out, status=1)
        self.assertIn("no steady state was found", done.stderr)
        self.assertRegex(done.stderr, r"slab\.t changes by 0\.06 per second")
        self.assertIn("from: cold", done.stderr, "no remedy")
        self.assertEqual(self.names(), ["out.checkpoint.h5", "pod.yaml", "run.yaml"])
        self.assertIn("out.checkpoint.h5", done.stderr)

    def test_an_existing_result_outlives_it_with_and_without_force(self):
        self.write("out.h5", "a result of yesterday")
        self.run_ok("run", self.path, "-o", self.out, status=2)
        self.assertFalse((self.folder / "out.checkpoint.h5").exists(), "bad input writes nothing")
        done = self.run_ok("run", self.path, "-o", self.out, "--force", status=1)
        self.assertEqual(self.out.read_text(encoding="utf-8"), "a result of yesterday")
        self.assertIn("no result was written", done.stderr)
        self.assertEqual(self.names(), ["out.checkpoint.h5", "out.h5", "pod.yaml", "run.yaml"])

    def test_a_run_goes_on_from_the_checkpoint_it_leaves(self):
        self.run_ok("run", self.path, "-o", self.out, status=1)
        self.run_ok("run", self.path, "-o", self.out, "--quiet", "--from", self.folder / "out.checkpoint.h5")
        with h5py.File(self.out) as file:
            self.assertEqual(int(file.attrs["complete"]), 1)
            t = file["heat_capacity/t"][:, 0]
            self.assertEqual(float(file["time"][-1]), 20.0)
            self.assertAlmostEqual(float(t[-1] - t[0]), 20.0 * 3e3 / 50e3, places=2)

    def test_the_same_plant_runs_from_cold(self):
        self.run_ok("run", self.path, "-o", self.out, "--quiet", "--set", "scenario.from=cold")
        with h5py.File(self.out) as file:
            self.assertEqual(int(file.attrs["complete"]), 1)
            self.assertEqual(file["time"].shape, (21,))
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)

    def test_a_checkpoint_that_cannot_be_written_does_not_hide_the_error(self):
        (self.folder / "out.checkpoint.h5").mkdir()
        done = self.run_ok("run", self.path, "-o", self.out, status=1)
        self.assertIn("no steady state was found", done.stderr)
        self.assertIn("no checkpoint was left", done.stderr)
        self.assertFalse(self.out.exists())

    def test_the_checkpoint_stands_beside_its_result_whatever_the_folder_is_called(self):
        (self.folder / "runs.h5").mkdir()
        self.run_ok("run", self.path, "-o", self.folder / "runs.h5" / "out", status=1)
        self.assertEqual([path.name for path in (self.folder / "runs.h5").iterdir()], ["out.checkpoint.h5"])


if __name__ == "__main__":
    unittest.main()
