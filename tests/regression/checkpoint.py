"""A run in two parts through a checkpoint goes on as the run in one part does."""
import unittest

import h5py

from continuation import Continuation
from support import DAY

SPLIT = 120.0  # s


class Checkpoint(Continuation):
    def test_a_run_from_a_checkpoint_goes_on_as_if_it_had_not_stopped(self):
        whole, first, second = (self.folder / name for name in ("whole.h5", "first.h5", "second.h5"))
        saved = self.folder / "saved.checkpoint.h5"
        self.run_ok("run", DAY, "--until", "4 min", "--quiet", "-o", whole)
        self.run_ok("run", DAY, "--until", "2 min", "--quiet", "-o", first, "--checkpoint", saved)
        self.run_ok("run", DAY, "--until", "4 min", "--quiet", "-o", second, "--from", saved)
        with h5py.File(whole) as a, h5py.File(first) as b, h5py.File(second) as c:
            self.assertIn("gpu", a)
            self.compare(a, b, "first part", SPLIT)
            self.compare(a, c, "second part", SPLIT)
            self.assertEqual(float(b["time"][-1]), SPLIT)
            self.assertEqual(float(c["time"][0]), SPLIT)
            self.assertEqual(float(c["time"][-1]), 2 * SPLIT)
            # Every figure of a file is about its own rows.
            for name, file, span in (("whole", a, 2 * SPLIT), ("first part", b, SPLIT), ("second part", c, SPLIT)):
                with self.subTest(summary=name):
                    self.assertEqual(float(file["summary/duration"][()]), span)
                    for energy in ("sources", "it", "to_ambient"):
                        running = file[f"facility/energy_{energy}"]
                        self.assertEqual(float(running[0]), 0.0)
                        self.assertIn("since the start of this run", running.attrs["long_name"])
                        self.assertEqual(float(running[-1]), float(file[f"summary/energy_{energy}"][()]))
                    self.assertEqual(float(file["summary/energy_sources"][()]), float(file["balance/energy_in"][()]))
                    self.assertGreater(float(file["summary/pue"][()]), 1.05)
            for name, file in (("whole", a), ("first part", b), ("second part", c)):
                with self.subTest(balance=name):
                    self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)


if __name__ == "__main__":
    unittest.main()
