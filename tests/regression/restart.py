"""Whole states in a result file: what is stored, that a run goes on from one of them, and what is refused."""
import re
import signal
import subprocess
import time
import unittest

import h5py
import numpy
import xarray

from continuation import Continuation
from support import PROGRAM, DAY, SOURCE, TIME_LIMIT, Case, podtwin

PLANTS = SOURCE / "tests/contract/plants"
HOUR, MINUTE = 3600.0, 60.0  # s
# The day's work and weather, with states at will.
DAY_PART = f"podtwin: scenario/1\ninclude: {DAY}\npod: {SOURCE / 'data/pods/gb300-64.yaml'}\n"
EACH_MINUTE = "record:\n  - {class: restart, period: 1 min}\n"


def small(duration="10 min", extra="", plant="tank"):
    """A scenario of a plant of a few unknowns; `tank` has coolant on its way, which is part of a state."""
    return (f"podtwin: scenario/1\ntitle: small\npod: {PLANTS / plant}.yaml\nstart: 2026-07-15T00:00:00Z\n"
            f"duration: {duration}\nweather: {{dry_bulb: 20 degC, relative_humidity: 40 %}}\n{extra}")


def moments(path):
    with h5py.File(path) as file:
        return [float(state.attrs["time"]) for state in file["restart"].values()]


class Restart(Continuation):
    def run_text(self, name, text, *more, status=0):
        path = self.folder / f"{name}.h5"
        self.run_ok("run", self.write(f"{name}.yaml", text), "-o", path, "--quiet", *more, status=status)
        return path

    def test_a_run_from_a_result_goes_on_as_if_it_had_not_stopped(self):
        record = "duration: 10 min\nrecord:\n  - {class: restart, period: 5 min}\n"
        whole = self.run_text("whole", DAY_PART + record)
        second = self.run_text("second", DAY_PART + record + "from: {result: whole.h5, at: 5 min}\n")
        self.assertEqual(moments(whole), [0.0, 300.0, 600.0])
        self.assertEqual(moments(second), [300.0, 600.0])
        with h5py.File(whole) as a, h5py.File(second) as b:
            self.compare(a, b, "second part", 300.0)
            self.assertEqual((float(b["time"][0]), float(b["time"][-1])), (300.0, 600.0))
            stored, taken = a["restart/000001"], b["restart/000000"]
            self.assertEqual(stored.attrs["pod_text_hash"], taken.attrs["pod_text_hash"])
            self.assertEqual(stored["z"][()].tobytes(), taken["z"][()].tobytes())
            energies = slice(1, 5)  # of the facility, which come first: they count from the start of each run
            self.assertGreater(stored["y"][energies][0], 0.0)
            self.assertEqual(list(taken["y"][energies]), [0.0] * 4)
            self.assertEqual(numpy.delete(stored["y"][()], energies).tobytes(), numpy.delete(taken["y"][()], energies).tobytes())
            self.assertLess(abs(float(b["balance/energy_error_relative"][()])), 1e-6)
            size = sum(item.id.get_storage_size() for group in (stored, stored["extra"]) for item in group.values()
                       if isinstance(item, h5py.Dataset))
            print(f"a state of the pod: {stored['y'].size} + {stored['z'].size} values, {size} byte")
            self.assertLess(size, 0.3 * 8 * (stored["y"].size + stored["z"].size), "states are not compressed")
        self.assertRegex(self.run_ok("info", whole).stdout, r"\n  restart states  0 s, 5 min, 10 min\n")
        self.readers(whole)

    def readers(self, path):
        with h5py.File(path) as file:
            groups = [name for name, item in file.items() if isinstance(item, h5py.Group)]
            file["restart"].visititems(lambda name, item: groups.append(f"restart/{name}") if isinstance(item, h5py.Group)
                                       else self.assertTrue(item.attrs["units"] and item.attrs["long_name"], name))
        self.assertIn("restart/000001/extra", groups)
        for group in (None, *groups):
            with self.subTest(xarray=group):
                with xarray.open_dataset(path, group=group, engine="h5netcdf") as data:
                    data.load()
        dump = subprocess.run(["h5dump", "-g", "/restart/000001", path], capture_output=True, text=True, check=False)
        self.assertEqual(dump.returncode, 0, dump.stderr)
        self.assertEqual(dump.stderr, "")
        self.assertIn('ATTRIBUTE "pod_text_hash"', dump.stdout)

    def test_a_state_an_hour_and_the_end_state_are_stored_and_the_last_is_the_default(self):
        first = self.run_text("first", small("150 min"))
        self.assertEqual(moments(first), [0.0, HOUR, 2 * HOUR, 150 * MINUTE])
        self.assertIn("\n  restart states  0 s, 1 h, 2 h, 150 min\n", self.run_ok("info", first).stdout)
        whole = self.run_text("whole", small("4 h"))
        second = self.run_text("second", small("4 h", "from: {result: first.h5}\n"))
        self.assertEqual(moments(second), [150 * MINUTE, 3 * HOUR, 4 * HOUR])
        with h5py.File(whole) as a, h5py.File(second) as b:
            self.compare(a, b, "second part", 150 * MINUTE)
        third = self.run_text("third", small("4 h"), "--set", "scenario.from={result: second.h5, at: 3 h}")
        self.assertEqual(moments(third), [3 * HOUR, 4 * HOUR])
        with h5py.File(whole) as a, h5py.File(third) as b:
            self.compare(a, b, "third part", 3 * HOUR)

    def test_a_start_between_two_periods_is_stored_and_so_is_the_next_period(self):
        record = "record:\n  - {class: restart, period: 4 s}\n"
        self.run_text("first", small("6 s", record))
        second = self.run_text("second", small("13 s", record + "from: {result: first.h5}\n"))
        self.assertEqual(moments(second), [6.0, 8.0, 12.0, 13.0])
        many = self.run_text("many", small("20 s", record))
        self.assertIn("\n  restart states  0 s to 20 s each 4 s\n", self.run_ok("info", many).stdout)

    def test_a_result_is_not_replaced_by_the_run_that_starts_from_it(self):
        path = self.run_text("run", small("10 s"))
        self.run_text("run", small("20 s", "from: {result: run.h5}\n"), "--force", status=2)
        self.assertEqual(moments(path), [0.0, 10.0])

    def test_two_runs_store_the_same_bytes(self):
        text = DAY_PART + "duration: 2 min\n" + EACH_MINUTE
        first, second = self.run_text("1", text), self.folder / "2.h5"
        self.run_ok("run", self.folder / "1.yaml", "-o", second, "--quiet")
        done = subprocess.run(["h5diff", "-c", first, second], capture_output=True, text=True, check=False)
        # A dataset without rows is "not comparable" even with itself; the other two may differ.
        told = [line for line in done.stdout.splitlines() if not line.endswith("is an empty dataset")]
        wrong = [line for line in told if ": <" in line and "created of" not in line and "/provenance/wall" not in line]
        self.assertEqual(wrong, [], done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_run_stopped_by_a_signal_has_the_state_it_stopped_in(self):
        path = self.folder / "run.h5"
        with self.started(self.write("run.yaml", small("10000 h")), path) as run:
            while not path.exists():
                self.assertIsNone(run.poll())
                time.sleep(0.05)
            time.sleep(0.2)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(TIME_LIMIT), 3)
        with h5py.File(path) as file:
            self.assertEqual(moments(path)[-1], float(file["time"][-1]))

    def test_a_run_goes_on_from_the_last_state_that_a_kill_left(self):
        path = self.folder / "killed.h5"
        scenario = self.write("killed.yaml", DAY_PART + EACH_MINUTE)
        with self.started(scenario, path) as run:
            # A state behind the first is on the disk once a flush has been; they are tens of seconds apart.
            left = time.monotonic() + TIME_LIMIT
            while not path.exists() or len(self.peek(path)) < 2:
                self.assertIsNone(run.poll())
                self.assertLess(time.monotonic(), left, "no state was flushed")
                time.sleep(0.5)
            run.kill()
            run.wait(TIME_LIMIT)
        with h5py.File(path) as killed:
            self.assertEqual(int(killed.attrs["complete"]), 0)
            last, end = moments(path)[-1], float(killed["time"][-1])
            self.assertLessEqual(last, end)
            self.assertGreater(last + MINUTE, end)
            second = self.run_text("second", DAY_PART + EACH_MINUTE + "from: {result: killed.h5}\n", "--until", f"{end:g} s")
            with h5py.File(second) as file:
                self.assertEqual((float(file["time"][0]), float(file["time"][-1])), (last, end))
                self.compare(killed, file, "second part", last)

    def started(self, scenario, path):
        run = subprocess.Popen([PROGRAM, "run", scenario, "-o", path, "--quiet"], stdout=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        return run

    @staticmethod
    def peek(path):
        """Names of the states of a file that is being written."""
        with h5py.File(path, locking=False) as file:
            return list(file["restart"])


class Refused(Case):
    """Every bad start: exit status 2, one clear line, and no output touched."""

    def setUp(self):
        super().setUp()
        self.result = self.folder / "first.h5"
        self.saved = self.folder / "saved.checkpoint.h5"
        self.run_ok("run", self.write("first.yaml", small("10 min", "record:\n  - {class: restart, period: 4 min}\n")), "-o",
                    self.result, "--quiet", "--checkpoint", self.saved)

    def refused(self, start, *words, plant="tank", more=(), extra="", duration="1 h"):
        text = small(duration, (f"from: {start}\n" if start else "") + extra, plant)
        path = self.write("second.yaml", text)
        out = self.write("out.h5", "a result of yesterday")
        with self.subTest(start=start, extra=extra):
            for arguments in (("-o", self.folder / "new.h5"), ("-o", out, "--force")):
                done = podtwin("run", path, *arguments, *more)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                for word in words:
                    self.assertRegex(done.stderr, word)
                self.assertRegex(done.stderr, r"^\S*: error: [^;]+; .+\n$", "no place, or no remedy, or several lines")
            self.assertFalse((self.folder / "new.h5").exists())
            self.assertEqual(out.read_text(encoding="utf-8"), "a result of yesterday")
            if start and not more:
                self.assertEqual(podtwin("check", path).returncode, 2)
        return done.stderr

    def spoil(self, change):
        path = self.folder / "spoilt.h5"
        path.write_bytes(self.result.read_bytes())
        with h5py.File(path, "a") as file:
            change(file)

    def test_a_moment_that_is_not_stored_names_the_nearest(self):
        place = r"second\.yaml:7:30: error: "
        for at, nearest in (("5 min", "4 min and 8 min"), ("9 min", "8 min and 10 min"), ("1 h", "10 min;"),
                            ("1 s", "0 s and 4 min"), ("240.002 s", "4 min and 8 min")):
            told = self.refused(f"{{result: first.h5, at: {at}}}", place, "first.h5' holds no state of", nearest,
                                re.escape("record: - {class: restart, period: 10 min}"), "--checkpoint FILE")
            self.assertNotIn("12 min", told)

    def test_what_is_written_wrongly_has_its_place(self):
        self.refused("{result: missing.h5, at: 4 min}", r"second\.yaml:7:16: error: there is no file `missing.h5`")
        self.refused("{result: first.h5, at: 4}", r"second\.yaml:7:30: error: `at` of `from`")
        self.refused("{result: first.h5, at: 4 kW}", r"second\.yaml:7:30: error: `at` of `from`")
        self.refused("{result: first.h5, att: 4 min}", r"second\.yaml:7:26: error: `from`: unknown key `att`")
        self.refused("{at: 4 min}", r"second\.yaml:7:7: error: `from`: `result` is missing")

    def test_files_that_are_no_result_with_states(self):
        self.write("text.h5", "podtwin: pod/1\n")
        self.refused("{result: text.h5}", r"text\.h5: error: is no HDF5 file")
        self.refused(f"{{result: {self.folder}}}", "is no file")
        self.refused("{result: saved.checkpoint.h5}", r"saved\.checkpoint\.h5: error: is a checkpoint, but no result",
                     "from: FILE")
        self.refused("first.h5", r"first\.h5: error: is a result file, but no checkpoint", r"from: \{result: FILE, at: TIME\}")
        self.refused("", r"first\.h5: error: is a result file, but no checkpoint", more=("--from", self.result))
        self.spoil(lambda file: file.pop("restart"))
        self.refused("{result: spoilt.h5, at: 4 min}", r"spoilt\.h5: error: holds no restart states", "checkpoint")

    def test_states_of_another_pod_and_damaged_ones(self):
        self.refused("{result: first.h5, at: 4 min}", r"first\.h5: error: is a result of another pod, or of an earlier text",
                     "start from steady, or use the pod file", plant="zone")
        self.spoil(lambda file: file["restart/000001/y"].write_direct(file["restart/000001/y"][()] + 1.0))
        self.refused("{result: spoilt.h5, at: 4 min}", r"spoilt\.h5: error: the state in restart/000001 is damaged: its checksum")
        self.spoil(lambda file: file["restart/000001"].pop("z"))
        self.refused("{result: spoilt.h5, at: 4 min}", "the state in restart/000001 is damaged: cannot open dataset z")
        self.run_ok("run", self.write("other.yaml", small("11 min", "from: {result: spoilt.h5, at: 8 min}\n")), "-o",
                    self.folder / "other.h5", "--quiet")

    def test_record_entries_that_make_no_sense(self):
        def record(*entries):
            return "record:\n" + "".join(f"  - {{class: restart{entry}}}\n" for entry in entries)

        self.refused("", r":8:5: error: .*`period`", extra=record(""))
        self.refused("", r":8:30: error: .*0 s is no period", extra=record(", period: 0 s"))
        self.refused("", r":8:37: error: .*`signals` is not for restart states",
                     extra=record(", period: 1 min, signals: [\"*\"]"))
        self.refused("", r":9:5: error: .*recorded twice", extra=record(", period: 1 min", ", period: 2 min"))
        for period in ("0.1 s", "2.5 s"):
            self.refused("", f":8:5: error: restart states each {period} would fall between the samples of the plant",
                         "give a multiple of 1 s", extra=record(f", period: {period}"))
        self.refused("", r":8:5: error: .*makes more than 10000 states", extra=record(", period: 1 s"), duration="10001 s")


if __name__ == "__main__":
    unittest.main()
