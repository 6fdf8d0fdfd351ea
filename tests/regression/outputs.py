"""Outputs of a run: no file of the user is lost, and no result is lost to another run."""
import os
import re
import shutil
import subprocess
import time
import unittest

import h5py

from support import PROGRAM, SOURCE, TIME_LIMIT, Case, podtwin

PLANTS = SOURCE / "tests/contract/plants"


def small(duration="10 s", extra=""):
    """A scenario of a plant of a few unknowns, beside its files."""
    return (f"podtwin: scenario/1\ntitle: small\npod: tank.yaml\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
            f"weather: {{file: weather.csv}}\n{extra}")


class Outputs(Case):
    def setUp(self):
        super().setUp()
        shutil.copy(PLANTS / "tank.yaml", self.folder)
        self.write("weather.csv", "time [s],dry_bulb [degC],relative_humidity [%]\n0,20,50\n1000000,20,50\n")
        self.scenario = self.write("run.yaml", small())

    def refused(self, *arguments, says):
        before = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        done = podtwin(*arguments, cwd=self.folder)
        with self.subTest(arguments=arguments):
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertRegex(done.stderr, r"^\S+: error: [^;\n]+; .+\n$")
            self.assertRegex(done.stderr, says)
            after = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
            self.assertEqual(before, after, "a file was made or changed")

    def test_what_is_read_is_never_written(self):
        saved = self.folder / "saved.h5"
        self.run_ok("run", self.scenario, "-o", self.folder / "first.h5", "--checkpoint", saved, "--quiet")
        os.link(self.scenario, self.folder / "hard.yaml")
        os.symlink("tank.yaml", self.folder / "soft.yaml")
        for name in ("run.yaml", "tank.yaml", "weather.csv", "hard.yaml", "soft.yaml", "../" + self.folder.name + "/run.yaml"):
            self.refused("run", "run.yaml", "-o", name, "--force", says="reads it.*with -o")
            self.refused("run", "run.yaml", "-o", "new.h5", "--checkpoint", name, "--force", says="reads it.*--checkpoint")
        self.refused("run", self.scenario, "--set", "scenario.duration=20 s", "--from", "saved.h5", "-o", "saved.h5", "--force", says="reads it")
        again = self.write("again.yaml", small("20 s", "from: {result: first.h5}\n"))
        self.refused("run", again, "-o", "first.h5", "--force", says="reads it")

    def test_a_checkpoint_is_an_output_like_the_result(self):
        self.write("precious.yaml", "mine")
        self.refused("run", "run.yaml", "-o", "new.h5", "--checkpoint", "precious.yaml", says="exists already.*--force")
        self.refused("run", "run.yaml", "-o", "one.h5", "--checkpoint", "one.h5", says="different names")
        self.refused("run", "run.yaml", "-o", "one.h5", "--checkpoint", "./one.h5", says="different names")
        self.refused("run", "run.yaml", "-o", "new.h5", "--checkpoint", "nowhere/c.h5", says="nowhere")
        self.refused("run", "run.yaml", "-o", "new.h5", "--checkpoint", "/proc/c.h5", says="/proc/c.h5")
        self.refused("run", "run.yaml", "-o", "new.h5", "--checkpoint", self.folder, "--force", says="directory")
        self.refused("run", "run.yaml", "-o", "new.h5", "--checkpoint", "/dev/null", "--force", says="no regular file")
        self.run_ok("run", self.scenario, "-o", self.folder / "new.h5", "--checkpoint", self.folder / "precious.yaml", "--force", "--quiet")
        with h5py.File(self.folder / "precious.yaml") as file:
            self.assertIn("y", file)

    def test_a_file_that_a_process_writes_is_refused_to_another(self):
        self.write("long.yaml", small("10 d"))
        for environment in ({}, {"HDF5_USE_FILE_LOCKING": "FALSE"}):
            path = self.folder / "out.h5"
            path.unlink(missing_ok=True)
            first = subprocess.Popen([PROGRAM, "run", self.folder / "long.yaml", "-o", path, "--quiet"], stdout=subprocess.DEVNULL,
                                     env={**os.environ, **environment})
            self.addCleanup(first.kill)
            end = time.monotonic() + TIME_LIMIT
            while not path.exists() and time.monotonic() < end:
                time.sleep(0.01)
            for more in (("--force",), ()):
                done = podtwin("run", self.scenario, "-o", path, *more)
                self.assertIsNone(first.poll(), "the first run is over: this tested nothing")
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertRegex(done.stderr, r"^\S*out\.h5: error: another process writes the result file.*; wait .*\n$")
            first.terminate()
            self.assertEqual(first.wait(TIME_LIMIT), 3)
            with h5py.File(path) as file:
                self.assertGreater(file["time"].shape[0], 1)
            self.assertEqual([p.name for p in self.folder.glob("*.part")], [])
            self.run_ok("run", self.scenario, "-o", path, "--force", "--quiet")  # nobody holds it any more

    def test_of_two_runs_at_once_one_has_the_file(self):
        path = self.folder / "out.h5"
        path.write_text("an older result", encoding="utf-8")
        command = [PROGRAM, "run", self.write("long.yaml", small("11 d")), "-o", path, "--force", "--quiet"]
        runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for run in runs:
            self.addCleanup(run.kill)
        end = time.monotonic() + TIME_LIMIT
        while all(run.poll() is None for run in runs) and time.monotonic() < end:
            time.sleep(0.01)
        for run in runs:
            run.terminate()  # the one that has the file; the other is over
        told = [run.communicate(timeout=TIME_LIMIT)[1] for run in runs]
        self.assertEqual(sorted(run.returncode for run in runs), [2, 3], told)
        self.assertTrue(re.search("another process writes the result file", "".join(told)), told)
        self.assertEqual([p.name for p in self.folder.glob("*.part")], [])
        with h5py.File(path) as file:
            self.assertGreater(file["time"].shape[0], 1)


if __name__ == "__main__":
    unittest.main()
