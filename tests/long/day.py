"""The main job at its full length: 24 h of the 64-rack pod with arkode, its result and what it takes."""
import os
import resource
import subprocess
import time
import unittest

import h5py

import result_checks
from support import Case, DAY, PROGRAM

DURATION = 86400  # s
GPUS, RACKS = 4608, 64
LARGEST_FILE = 1_000_000_000    # bytes; the issue: under 1 GB
LARGEST_MEMORY = 500_000_000    # bytes; the issue: under 500 MB whatever the length
LONGEST = 3000                  # s of wall time; the 800 simulated seconds a second, on a machine 25 times slower


class Day(Case):
    def run_and_measure(self, *arguments):
        """Runs the program to its end; exit status, what it said, its peak resident memory [bytes], its time [s].

        The kernel counts the memory of whoever started the program into its peak, up to the exec; this test holds less
        than a result file at that time, so that the figure is the program's or above it.
        """
        began = time.monotonic()
        with open(self.folder / "said.txt", "w+", encoding="utf-8") as said:
            run = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=said, stderr=subprocess.STDOUT,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)))
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read()
        kilobyte = 1024
        return run.returncode, text, usage.ru_maxrss * kilobyte, time.monotonic() - began, usage.ru_utime + usage.ru_stime

    def test_a_day_with_arkode_is_whole_and_within_its_bounds(self):
        path = self.folder / "day.h5"
        status, said, memory, wall, cpu = self.run_and_measure("run", DAY, "-o", path, "--set", "scenario.solver.method=arkode")
        size = path.stat().st_size if path.exists() else 0
        print(f"{DURATION} s simulated in {wall:.0f} s ({cpu:.0f} CPU-s, {DURATION / cpu:.0f} simulated seconds a CPU-second), "
              f"peak memory {memory / 1e6:.0f} MB, file {size / 1e6:.0f} MB")
        self.assertEqual(status, 0, said[-3000:])
        self.assertLess(size, LARGEST_FILE)
        self.assertLess(memory, LARGEST_MEMORY)
        self.assertEqual(result_checks.complaints(path), {})
        with h5py.File(path) as file:
            print(f"energy ledger off by {result_checks.ledger_error(file):.2g} of throughput")
            self.assertEqual(float(file["time"][0]), 0.0)
            self.assertEqual(float(file["time"][-1]), float(DURATION))
            self.assertEqual(file["facility/it_power"].shape, (DURATION + 1,))
            self.assertEqual(file["rack/power"].shape, (DURATION + 1, RACKS))
            self.assertEqual(file["rack/gpu_t_junction_max"].shape, (DURATION + 1, RACKS))
            self.assertEqual(file["gpu/t_junction"].shape, (DURATION // 10 + 1, GPUS))
            self.assertEqual(file["provenance/method"][()].decode(), "arkode")
            # A day in which nothing happens would be whole too.
            power = file["facility/it_power"][()]
            self.assertGreater(float(power.max() - power.min()), 1e6)


if __name__ == "__main__":
    unittest.main()
