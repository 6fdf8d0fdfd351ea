"""Exit status and what it leaves behind."""
import resource
import signal
import unittest

import h5py

from support import Case, DAY, podtwin, scenario

SMALL_DISK = 2 * 1024 * 1024  # bytes; the file of this run needs more


class ExitStatus(Case):
    def setUp(self):
        super().setUp()
        self.short = self.write("short.yaml", scenario(duration="20 s"))

    def test_a_run_that_does_what_it_should_is_0(self):
        path = self.folder / "out.h5"
        self.run_ok("run", self.short, "-o", path, "--quiet")
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 1)

    def test_an_existing_result_is_2_and_untouched_unless_forced(self):
        path = self.write("out.h5", "not to be touched")
        done = self.run_ok("run", self.short, "-o", path, status=2)
        self.assertIn("--force", done.stderr)
        self.assertIn("out.h5", done.stderr)
        self.assertEqual(path.read_text(encoding="utf-8"), "not to be touched")
        self.run_ok("run", self.short, "-o", path, "--force", "--quiet")
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 1)

    def test_bad_input_with_force_leaves_the_existing_result_alone(self):
        path = self.write("out.h5", "not to be touched")
        bad = self.write("bad.yaml", scenario(duration="20"))
        self.run_ok("run", bad, "-o", path, "--force", status=2)
        self.assertEqual(path.read_text(encoding="utf-8"), "not to be touched")

    def test_an_expectation_that_does_not_hold_is_4_and_the_file_is_complete(self):
        path = self.folder / "out.h5"
        text = scenario(duration="20 s", expect=['{signal: "max(gpu[*].t_junction)", below: 50 degC}'])
        done = self.run_ok("run", self.write("expects.yaml", text), "-o", path, status=4)
        self.assertIn("t_junction", done.stdout + done.stderr)
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 1)

    def test_an_expectation_that_holds_is_0(self):
        text = scenario(duration="20 s", expect=['{signal: "max(gpu[*].t_junction)", above: 50 degC}'])
        self.run_ok("run", self.write("expects.yaml", text), "-o", self.folder / "out.h5", "--quiet")

    def test_a_bad_command_line_is_2(self):
        for arguments in ((), ("walk",), ("run",), ("run", self.short, "--untill", "1 h"), ("run", self.short, "--until"),
                          ("run", self.short, "--until", "1"), ("run", self.short, "--until", "1 kW"),
                          ("run", self.short, "--set", "no-equals-sign"), ("run", self.short, "--set", "A01.flux=1"),
                          ("run", self.short, "--set", "scenario.duratoin=1 h"), ("steady",), ("schema", "pods"),
                          ("info",), ("check",)):
            with self.subTest(arguments=arguments):
                path = self.folder / "out.h5"
                more = ("-o", path) if arguments[:1] == ("run",) else ()
                done = podtwin(*arguments, *more)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertTrue(done.stderr.strip(), "says nothing")
                self.assertFalse(path.exists())

    def test_a_file_that_is_not_there_is_2_and_named(self):
        for command in (("run",), ("steady",), ("check",), ("info",)):
            with self.subTest(command=command):
                done = podtwin(*command, self.folder / "missing.yaml")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("missing.yaml", done.stderr)
        done = podtwin("run", self.short, "--from", self.folder / "missing.h5", "-o", self.folder / "out.h5")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("missing.h5", done.stderr)
        self.assertFalse((self.folder / "out.h5").exists())

    def test_an_output_folder_that_is_not_there_is_2(self):
        done = podtwin("run", self.short, "-o", self.folder / "nowhere" / "out.h5")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("nowhere", done.stderr)

    def full_disk(self, disposition):
        """A file that may not grow on: with the signal ignored the write fails, which is what a full disk does."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK, SMALL_DISK))
            signal.signal(signal.SIGXFSZ, disposition)

        path = self.folder / "out.h5"
        done = podtwin("run", DAY, "--until", "30 min", "-o", path, preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("out.h5", done.stderr)
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 0)
            self.assertEqual(file["facility/it_power"].shape[0], file["time"].shape[0])
            self.assertTrue(bool((file["facility/it_power"][()] > 0.0).all()))

    def test_a_full_disk_is_1_and_the_file_opens(self):
        self.full_disk(signal.SIG_IGN)

    def test_a_limit_on_file_size_is_1_and_the_file_opens(self):
        self.full_disk(signal.SIG_DFL)

    def test_help_and_version_are_0(self):
        for arguments in (("--help",), ("--version",), ("run", "--help"), ("steady", "--help"), ("check", "--help"),
                          ("info", "--help"), ("schema", "--help")):
            with self.subTest(arguments=arguments):
                done = podtwin(*arguments)
                self.assertEqual(done.returncode, 0)
                self.assertTrue(done.stdout.strip())


if __name__ == "__main__":
    unittest.main()
