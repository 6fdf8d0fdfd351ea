"""What a scenario or a command asks for and cannot have is told, all at once and at its place; what it can have is done."""
import shutil
import subprocess
import unittest

import h5py
import numpy

from support import POD, PROGRAM, SOURCE, Case, podtwin, scenario, table

SMALL = SOURCE / "tests/contract/plants/tank.yaml"


def small(duration="10 s", extra=""):
    """A scenario of a plant of a few unknowns. Line 7 is the first of `extra`."""
    return (f"podtwin: scenario/1\ntitle: small\npod: {SMALL}\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
            f"weather: {{dry_bulb: 20 degC, relative_humidity: 40 %}}\n{extra}")


class Told(Case):
    def refused(self, *arguments, says=(), status=2):
        done = podtwin(*arguments, cwd=self.folder)
        with self.subTest(arguments=arguments):
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            for text in [says] if isinstance(says, str) else says:
                self.assertRegex(done.stderr, text)
            self.assertNotIn("fault of the program", done.stderr)
            self.assertFalse((self.folder / "out.h5").exists())
        return done.stderr

    def record(self, *entries):
        return self.write("run.yaml", small(extra="record:\n" + "".join(f"  - {entry}\n" for entry in entries)))

    def test_records_are_checked_at_their_own_place_and_with_all_else(self):
        path = self.record('{class: nodde, signals: ["*"], period: 1 s}', "{class: node, signals: [t, q], period: 1 s}",
                           '{class: facility, signals: ["*"], period: 0.1 ms}', '{class: node, signals: [p], period: 2 s}')
        path.write_text(path.read_text(encoding="utf-8") + "events:\n  - {at: 1 s, target: nobody, do: trip}\nseeed: 1\n", encoding="utf-8")
        says = (r"run\.yaml:8:13: error: nothing of class 'nodde'.*did you mean 'node'", r"run\.yaml:10:47: error: .*shorter than 1 ms",
                r"run\.yaml:11:13: error: class 'node' is recorded twice, first in line 9", r"run\.yaml:13:23: error: there is no equipment 'nobody'",
                r"run\.yaml:14:1: error: .*seeed")
        self.refused("check", path, says=says)
        self.refused("run", path, "-o", "out.h5", says=says)
        path = self.record("{class: node, signals: [t, q, t], period: 1 s}")
        self.refused("check", path, says=(r"run\.yaml:8:32: error: .*no signal 'q'", r"run\.yaml:8:35: error: .*named twice"))
        path = self.record('{class: restart, period: 0.5 ms}')
        self.refused("check", path, says="would fall between the samples of the plant")

    def test_rows_come_at_the_period_that_was_asked_for(self):
        for period, count in ((0.5, 21), (0.3, 34), (2.5, 5), (0.1, 101), (3.0, 4), (1.0, 11)):
            path = self.folder / f"{period}.h5"
            self.run_ok("run", self.record(f'{{class: node, signals: ["*"], period: {period} s}}'), "-o", path, "--quiet")
            with h5py.File(path) as file, self.subTest(period=period):
                self.assertEqual(file["node"].attrs["period"], period)
                numpy.testing.assert_allclose(file["node/time"][()], period * numpy.arange(count), atol=1e-9)
                numpy.testing.assert_array_equal(file["time"][()], numpy.arange(11.0))

    def test_rows_between_base_periods_see_events_and_change_nothing(self):
        events = "events:\n  - {at: 2500 ms, target: fed, do: trip}\n" if "fed" in SMALL.read_text(encoding="utf-8") else ""
        rows = {}
        for period in ("1 s", "0.5 s"):
            path = self.folder / "rows.h5"
            self.run_ok("run", self.write("run.yaml", small(extra=f'{events}record:\n  - {{class: node, signals: [t], period: {period}}}\n')),
                        "-o", path, "--quiet", "--force")
            with h5py.File(path) as file:
                rows[period] = file["node/t"][()]
        numpy.testing.assert_allclose(rows["0.5 s"][::2], rows["1 s"], atol=0.01)

    def test_what_is_driven_can_be_set_at_the_start(self):
        for command, value, speed in (("tcs1-P11.speed", "0.8", 0.8), ("tcs1-P11.speed", "65 %", 0.65)):
            folder = self.folder / f"set-{speed}"
            self.run_ok("steady", POD, "--csv", folder, "--set", f"{command}={value}")
            self.assertAlmostEqual(table(folder, "pump")["tcs1-P11"]["speed"], speed, delta=1e-6)
        path = self.folder / "set.h5"
        text = scenario("120 kW", duration="5 s")
        self.run_ok("run", self.write("set.yaml", text), "-o", path, "--quiet", "--set", "tcs1-P11.speed=0.8", "--set", "CDU-11-valve.position=30 %")
        with h5py.File(path) as file:
            speeds = dict(zip(file["pump/id"].asstr()[()], file["pump/speed"][0]))
            self.assertAlmostEqual(float(speeds["tcs1-P11"]), 0.8, delta=1e-6)
            self.assertIn("tcs1-P11.speed=0.8", file["provenance/overrides"].asstr()[()])
        for value, says in (("500 %", "from 0 to 1 .asked for `500 %`"), ("3 kW", "kW"), ("-0.1", "from 0 to 1"), ("fast", "fast")):
            self.refused("steady", POD, "--set", f"tcs1-P11.speed={value}", says=("--set: error: ", says))
        self.refused("steady", POD, "--set", "tcs1-P11.sped=0.8", says="did you mean `speed`")
        self.refused("steady", POD, "--set", "scenario.duration=1 h", says="a pod alone has no scenario")

    def test_times_that_cannot_be_meant(self):
        saved = self.folder / "saved.h5"
        path = self.write("run.yaml", small("60 s"))
        self.run_ok("run", path, "-o", self.folder / "first.h5", "--until", "30 s", "--checkpoint", saved, "--quiet")
        self.refused("run", path, "-o", "out.h5", "--from", saved, "--until", "30 s", says="is a state of 30 s, and the run ends at 30 s; ")
        self.refused("run", path, "-o", "out.h5", "--from", saved, "--until", "10 s", says="is a state of 30 s, and the run ends at 10 s; ")
        self.refused("run", path, "-o", "out.h5", "--until", "2 h", says="2 h is after the end of the scenario at 1 min; ")
        self.refused("run", path, "-o", "out.h5", "--until", "0 s", says="0 s is no duration; ")
        late = self.write("late.yaml", small("10 s", "events:\n  - {at: 20 s, target: buffer, do: trip}\n"))
        told = self.refused("check", late, says=r"late\.yaml:8:5: error: .*after the end")
        self.assertEqual(told.count("after the end"), 1, told)
        self.assertNotIn("warning", told)

    def test_an_event_before_the_state_is_told(self):
        saved, out = self.folder / "saved.h5", self.folder / "second.h5"
        first = self.write("first.yaml", scenario(duration="3 s"))
        self.run_ok("run", first, "-o", self.folder / "first.h5", "--until", "2 s", "--checkpoint", saved, "--quiet")
        second = self.write("second.yaml", scenario(duration="3 s", events=["{at: 1 s, target: tcs1-P11, do: trip}"]))
        done = self.run_ok("run", second, "-o", out, "--from", saved, "--quiet")
        self.assertRegex(done.stderr, r"second\.yaml:9:5: warning: the event at 1 s \('trip'\) lies before the start at 2 s")

    def test_what_the_pod_file_has_of_no_use_is_told_by_every_command_that_reads_it(self):
        pod = self.write("pod.yaml", SMALL.read_text(encoding="utf-8").replace("nodes:\n", "nodes:\n  spare: {volume: 1 L}\n"))
        path = self.write("run.yaml", small(duration="2 s").replace(str(SMALL), str(pod)))
        for command in (("check", path), ("check", pod), ("steady", path), ("steady", pod), ("run", path, "-o", self.folder / "out.h5")):
            done = self.run_ok(*command)
            self.assertRegex(done.stderr, r"pod\.yaml:\d+:\d+: warning: no equipment uses the node `spare`")

    def test_tables_that_cannot_be_written(self):
        taken = self.write("base.yaml", "mine")
        for place in (taken, "/proc/x"):
            self.refused("steady", SMALL, "--csv", place, says="no tables can be written there: .*; name another folder")
        self.assertEqual(taken.read_text(encoding="utf-8"), "mine")

    def test_a_value_is_told_as_it_was_written(self):
        path = self.write("run.yaml", scenario(events=["{at: 1 s, target: tcs1-P11, do: set, with: {speed: 500 %}}"]))
        self.assertNotIn("5.0000", self.refused("check", path, says="asked for `500 %`"))

    def test_weather_that_begins_late(self):
        self.write("late.csv", "time [s],dry_bulb [degC],relative_humidity [%]\n5,20,50\n100,20,50\n")
        text = small().replace("{dry_bulb: 20 degC, relative_humidity: 40 %}", "{file: late.csv}")
        self.refused("check", self.write("run.yaml", text), says="the weather begins at 5 s, after the start")

    def test_commands_of_later_versions(self):
        for command in ("batch", "capacity", "screen"):
            self.refused(command, "x", says=f"the command '{command}' is not part of this version")

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (("schema", "pod"), ("check", SMALL)):
                done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(done.stderr, "podtwin: error: standard output cannot be written: No space left on device\n")

    def test_a_full_disk_says_which_file_and_what_is_left(self):
        path = small_disk(self) / "a.h5"
        done = podtwin("run", self.write("run.yaml", scenario("120 kW", duration="2 h", extra="solver: {method: rosenbrock}\n")), "-o", path, "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"error: .*a\.h5: the result could not be written: No space left on device; ")
        self.assertRegex(lines[1], r"note: '.*a\.h5' holds (no rows|the run up to)")
        self.assertRegex(lines[2], r"checkpoint")
        self.assertEqual(len(lines), 3, done.stderr)
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 0)


def small_disk(case):
    """A disk of 1400 kB, when this user may mount one."""
    if shutil.which("mount") is None:
        case.skipTest("no mount (Debian package mount)")
    disk = case.folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1400k", "tmpfs", disk], capture_output=True, check=False).returncode != 0:
        shutil.rmtree(disk)
        case.skipTest("no permission to mount a small disk")
    case.addCleanup(lambda: subprocess.run(["umount", disk], check=False))
    return disk


if __name__ == "__main__":
    unittest.main()
