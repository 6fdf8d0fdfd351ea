#!/usr/bin/python3
"""Rate, memory and die error of the shipped scenarios, whole process, one core, recording on.

    PODTWIN=build/release/bin/podtwin tests/performance/main_job/main_job.py [--until '24 h'] [--window '20 min']

For every scenario in scenarios/library: a reference run with cvode at a tight tolerance over --window, then each other
method to --until. Prints for each method the simulated seconds per CPU-second of the whole process (start-up, workload,
recording and the closing of the file included), its ratio to the reference's rate over the same window, the peak
memory, the time to the first step and the greatest and root-mean-square difference of any recorded junction
temperature from the reference. Fails when that is 0.05 K or more, when the energy balance does not close, or when
fewer than 9,216 unknowns are dies and plates of GPUs. Times are printed and never decide.

Beside the rates stand two bounds: what the issue demands (800 with arkode, 1,500 with another method) and a peer's
rate for the power of such a pod alone (57 CPU-s for 24 h at 1 s, as docs/theory/solvers.md tells).
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAM = os.environ.get("PODTWIN", "podtwin")
SOURCE = pathlib.Path(os.environ.get("PODTWIN_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
GREATEST_ERROR = 0.05  # K
GREATEST_IMBALANCE = 1e-6  # of throughput
LEAST_DIE_AND_PLATE_STATES = 9216
DEMANDED = {"arkode": 800.0, "rosenbrock": 1500.0}  # simulated s per CPU-s
PEER = 86400.0 / 57.0  # simulated s per CPU-s
REFERENCE_TOLERANCE = "1e-6"


class Run:
    """One run of the program, pinned to one processor, and what the kernel says it took."""

    def __init__(self, scenario, method, until, output, processor, tolerance=None):
        command = [PROGRAM, "run", str(scenario), "--set", f"scenario.solver.method={method}", "--until", until,
                   "--output", str(output), "--force"]
        if tolerance:
            command += ["--set", f"scenario.solver.rtol={tolerance}"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 4):
            raise SystemExit(f"{' '.join(command)}\nended with {process.returncode}\n{text[-4000:]}")
        self.cpu = usage.ru_utime + usage.ru_stime  # s
        self.memory = usage.ru_maxrss / 1024.0  # MiB
        first = re.search(r"first step after ([0-9.]+) s", text)
        self.first_step = float(first.group(1)) if first else float("nan")  # s
        with h5py.File(output) as file:
            self.simulated = float(file["time"][-1])  # s
            self.imbalance = abs(float(file["balance/energy_error_relative"][()]))
            self.dies = file["gpu/t_junction"][:]
            self.die_period = float(numpy.diff(file["gpu/time"][:2])[0]) if len(file["gpu/time"]) > 1 else 0.0

    @property
    def rate(self):
        return self.simulated / self.cpu


def die_and_plate_states(result):
    text = subprocess.run([PROGRAM, "info", str(result)], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"states by class\n(?:\s+\S+\s+\d+\n)*?\s+gpu\s+(\d+)", text).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", default="24 h", help="simulated time of the measured runs")
    parser.add_argument("--window", default="20 min", help="simulated time of the reference")
    parser.add_argument("--methods", nargs="+", default=["arkode", "rosenbrock"])
    parser.add_argument("--processor", type=int, default=0)
    parser.add_argument("scenarios", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    scenarios = options.scenarios or [SOURCE / "scenarios/library/gb300-pod-day.yaml"]
    failures = 0
    with tempfile.TemporaryDirectory(prefix="podtwin-performance-") as folder:
        output = pathlib.Path(folder) / "result.h5"
        for scenario in scenarios:
            print(f"{scenario.name}: {options.until}, one core, recording on")
            reference = Run(scenario, "cvode", options.window, output, options.processor, REFERENCE_TOLERANCE)
            states = die_and_plate_states(output)
            print(f"  {states} unknowns are GPU dies and plates")
            print(f"  reference: cvode at {REFERENCE_TOLERANCE}, {options.window}: {reference.rate:,.0f} simulated s per "
                  f"CPU-s, {reference.memory:.0f} MiB")
            failures += states < LEAST_DIE_AND_PLATE_STATES
            print(f"  {'method':<12}{'sim s/CPU-s':>12}{'demanded':>10}{'/ peer':>8}{'/ cvode':>9}{'CPU-s':>8}{'MiB':>6}"
                  f"{'first step':>12}{'die error max, rms':>22}{'imbalance':>11}")
            for method in options.methods:
                window = Run(scenario, method, options.window, output, options.processor)
                run = Run(scenario, method, options.until, output, options.processor)
                rows = min(len(run.dies), len(reference.dies))
                difference = numpy.abs(run.dies[:rows].astype(float) - reference.dies[:rows].astype(float))
                greatest, rms = difference.max(), float(numpy.sqrt((difference**2).mean()))
                good = greatest < GREATEST_ERROR and run.imbalance < GREATEST_IMBALANCE
                failures += not good
                print(f"  {method:<12}{run.rate:>12,.0f}{DEMANDED.get(method, 0):>10,.0f}{run.rate / PEER:>8.2f}"
                      f"{window.rate / reference.rate:>9.1f}{run.cpu:>8.1f}{run.memory:>6.0f}{run.first_step:>10.2f} s"
                      f"{greatest:>12.4f}, {rms:.4f} K{run.imbalance:>11.1e}{'' if good else '  TOO FAR OFF'}")
    print("0 failed" if failures == 0 else f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
