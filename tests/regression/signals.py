"""A run that is stopped leaves a file that opens."""
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from support import Case, DAY, PROGRAM, TIME_LIMIT

STEP_LIMIT = 120  # s of wall time for the file to appear and fill, on a busy machine
AFTER = 12        # s of wall time that a run goes on before it is stopped: past the search for its start on a busy machine


class Signals(Case):
    def start(self):
        path = self.folder / "day.h5"
        run = subprocess.Popen([PROGRAM, "run", str(DAY), "-o", str(path)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (run.poll() is None and run.kill(), run.wait(), run.stderr.close()))
        begin = time.monotonic()
        while not path.exists() and time.monotonic() - begin < STEP_LIMIT:
            self.assertIsNone(run.poll(), "the run ended by itself")
            time.sleep(0.1)
        time.sleep(AFTER)
        self.assertIsNone(run.poll(), "the run ended by itself")
        return run, path

    def stopped(self, number):
        run, path = self.start()
        run.send_signal(number)
        self.assertEqual(run.wait(TIME_LIMIT), 3, run.stderr.read())
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 0)
            rows = self.readable(file)
            # Closed properly: all classes reach the same moment, summary and balance are there.
            self.assertGreater(rows, 1)
            self.assertLessEqual(float(file["time"][-1] - file["gpu/time"][-1]), 10.0)
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
            self.assertIn("gpu_t_junction_max", file["summary"])

    def readable(self, file):
        for group in ("gpu", "rack", "facility", "node"):
            for name, item in file[group].items():
                values = item[()]
                if item.dtype.kind == "f":
                    self.assertTrue(bool(numpy.all(numpy.isfinite(values))), f"{group}/{name}")
        times = file["time"][()]
        self.assertTrue(bool(numpy.all(numpy.diff(times) > 0.0)))
        self.assertEqual(file["facility/it_power"].shape[0], times.size)
        return times.size

    def test_an_interrupt_closes_the_file(self):
        self.stopped(signal.SIGINT)

    def test_a_request_to_terminate_closes_the_file(self):
        self.stopped(signal.SIGTERM)

    def test_a_killed_run_leaves_a_file_that_opens(self):
        run, path = self.start()
        os.kill(run.pid, signal.SIGKILL)
        self.assertEqual(run.wait(TIME_LIMIT), -signal.SIGKILL)
        with h5py.File(path) as file:
            self.assertEqual(int(file.attrs["complete"]), 0)
            self.readable(file)


if __name__ == "__main__":
    unittest.main()
