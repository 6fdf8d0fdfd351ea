"""Random plants under random failures, with every method: what must be true of any run is true of each of them.

A plant and what happens to it follow from a seed (random_pod.py, random_scenario.py). Each is run with each method, and

  - the program ends with 0. A plant that has no steady start may be refused with 1, as the user guide says: the worst rows
    are named, a checkpoint is left and no result. It has to be found out by a search that ran its length, not by one that
    got stuck, and such a plant is run from cold instead.
  - every check of result_checks.py holds: rows, numbers, terms, ledger.
  - nothing is colder than the coldest thing that it may be in contact with, and nothing is hotter than where the last chips
    shut down; a GPU that takes power is below the temperature at which it shuts down.
  - at the end, arkode and rosenbrock have the temperatures that cvode has at tight tolerance, within END_TOLERANCE. Where
    dies throttle, on and off once a second, runs may differ in phase: there SWITCHED_TOLERANCE holds for racks. Where GPUs of
    a rack shut down in one run alone, the hottest of the other must have come within END_TOLERANCE of it; from there on the
    two are different plants.

PODTWIN_SEEDS=7-9 takes other seeds than the usual ones. What a failure names is repeated with

    random_scenario.py SEED DIR && podtwin run DIR/scenario.yaml -o DIR/out.h5 --set scenario.solver.method=METHOD
"""
import os
import re
import subprocess
import unittest

import h5py
import numpy

import result_checks
from random_scenario import RandomScenario
from support import Case, PROGRAM, ZERO_CELSIUS

FIRST_SEED, LAST_SEED = (int(n) for n in os.environ.get("PODTWIN_SEEDS", "1-60").split("-"))
REFERENCE, METHODS = "cvode", ("arkode", "rosenbrock")
LONGEST = 120  # s of wall time; the slowest of these takes 5 on a free machine
# s of compressed time; a search ends at 40,000, when it runs away, or after 60,000 steps. One that
# gets stuck is then still among its first tens.
SHORTEST_SEARCH = 1000
MOST_REFUSED = 0.25  # of the plants

END_TOLERANCE = 0.2       # K; of a few steps whose local error is the 0.05 K that arkode and rosenbrock aim at by default
SWITCHED_TOLERANCE = 8.0  # K; throttle hysteresis of 3 K and half a second of full power on a die, 120 J/K
CONTACT_TOLERANCE = 0.2   # K; as END_TOLERANCE
SHUTDOWN_LIMIT = 95.0 + ZERO_CELSIUS    # K; default of the class rack
SHUTDOWN = SHUTDOWN_LIMIT + 12.0        # K; looked at once a second, in which 1,400 W warm a die of 120 J/K by 12 K
LAST_SHUTDOWN = 105.0 + ZERO_CELSIUS + 12.0  # K; CPUs and NVLink trays, likewise: 1,240 W on 200 J/K in a second
# The unknowns among the recorded temperatures: what stands behind them, such as the outlet of a cooler, is not defined
# without flow.
UNKNOWNS = {"node": ("t",), "zone": ("t_air",), "heat_capacity": ("t",), "tank": ("t_mean",), "rack": ("t_supply", "t_return"),
            "tray": ("t_coolant",), "nvlink_tray": ("t_junction",), "gpu": ("t_junction",), "cpu": ("t_junction",)}
OF_RACKS = ("rack", "tray", "nvlink_tray", "gpu", "cpu")
DIFFERENCES = ("heat_exchanger/approach",)
OUT_OF_CONTACT = ("facility/t_wet_bulb", "facility/t_dew_point", "zone/t_dew_point")


def temperatures(file):
    for name, item in result_checks.datasets(file).items():
        if item.ndim > 0 and item.dtype.kind == "f" and item.attrs.get("units") == "K" and name not in DIFFERENCES + OUT_OF_CONTACT:
            yield name, item[()]


def bounds(file, scenario):
    """Temperatures that nothing in the plant can have."""
    coldest = min(scenario.pod.coldest, scenario.outdoors()) - CONTACT_TOLERANCE
    for name, values in temperatures(file):
        if values.size > 0 and values.min() < coldest:
            yield f"{name} goes down to {values.min():.2f} K, the coldest contact has {coldest:.2f} K"
        if values.size > 0 and values.max() > LAST_SHUTDOWN:
            yield f"{name} goes up to {values.max():.2f} K"
    dies, power = file["gpu/t_junction"][()], file["gpu/power"][()]
    if (power > 0.0).any() and dies[power > 0.0].max() > SHUTDOWN:
        yield f"a GPU of {dies[power > 0.0].max():.2f} K takes power"


def ends(path):
    """Temperatures of all unknowns at the end, and whether dies were throttled during the run."""
    with h5py.File(path) as file:
        last = {f"{group}/{signal}": (result_checks.texts(file[group]["id"]), file[group][signal][-1].astype(float))
                for group, signals in UNKNOWNS.items() if group in file for signal in signals}
        return last, bool(file["rack/throttled"][()].max() > 0)


def racks_shut_down(path):
    """Racks whose GPUs shut down by themselves, and the greatest junction temperature [K] of every rack."""
    with h5py.File(path) as file:
        told = zip(result_checks.texts(file["events/equipment"]), result_checks.texts(file["events/text"]))
        hottest = file["rack/gpu_t_junction_max"][()].max(axis=0)
        return ({rack for rack, text in told if re.fullmatch(r"\d+ GPU\(s\) shut down", text)},
                dict(zip(result_checks.texts(file["rack/id"]), map(float, hottest))))


class RandomPlants(Case):
    def run_method(self, scenario, folder, method, start):
        out = folder / f"{method}.h5"
        out.unlink(missing_ok=True)
        try:
            done = subprocess.run([PROGRAM, "run", folder / "scenario.yaml", "-o", out, "--quiet", "--set", f"scenario.solver.method={method}",
                                   "--set", f"scenario.from={start}"], capture_output=True, text=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            self.fail(f"takes longer than {LONGEST} s for {scenario.duration:g} s")
        return done, out

    def refused(self, done, out):
        """Whether the start was refused, and properly."""
        if done.returncode != 1 or "no steady state was found" not in done.stderr:
            return False
        self.assertRegex(done.stderr, r"\n  \S+\..+ changes by \S+ per second", "no worst rows")
        searched = int(re.search(r"found in (\d+) s of compressed time", done.stderr)[1])
        if "had passed 1000 degC" not in done.stderr:
            self.assertGreater(searched, SHORTEST_SEARCH, f"the search got stuck\n{done.stderr}")
        self.assertFalse(out.exists(), "a refused plant left a result")
        self.assertTrue(out.with_suffix(".checkpoint.h5").exists(), "a refused plant left no checkpoint")
        return True

    def one_method(self, scenario, folder, method):
        """The result of a run, checked; whether it had to start cold."""
        start = scenario.start
        done, out = self.run_method(scenario, folder, method, start)
        if start == "steady" and self.refused(done, out):
            start = "cold"
            done, out = self.run_method(scenario, folder, method, start)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        wrong = result_checks.complaints(out)
        with h5py.File(out) as file:
            self.assertEqual(float(file["time"][-1]), scenario.duration)
            if unphysical := list(bounds(file, scenario)):
                wrong["bounds"] = "; ".join(unphysical)
        self.assertEqual(wrong, {})
        return out, start != scenario.start

    def same_racks_shut_down(self, reference, other):
        """Whether the same ones did; where not, it has to have been by a hair."""
        (expected, hottest), (found, hottest_too) = racks_shut_down(reference), racks_shut_down(other)
        for rack in expected ^ found:
            without = hottest_too if rack in expected else hottest
            self.assertGreater(without[rack], SHUTDOWN_LIMIT - END_TOLERANCE, f"GPUs of {rack} shut down in one run alone")
        return expected == found

    def agree(self, reference, other):
        if not self.same_racks_shut_down(reference, other):
            return 0.0
        (expected, switched), (found, switched_too) = ends(reference), ends(other)
        self.assertEqual(expected.keys(), found.keys())
        greatest = 0.0
        for name, (ids, values) in expected.items():
            difference = numpy.abs(found[name][1] - values)
            worst = int(difference.argmax())
            limit = SWITCHED_TOLERANCE if (switched or switched_too) and name.split("/")[0] in OF_RACKS else END_TOLERANCE
            self.assertLessEqual(difference[worst], limit, f"{name} of {ids[worst]} at the end, {values[worst]:.3f} K by {REFERENCE}")
            if limit == END_TOLERANCE:
                greatest = max(greatest, float(difference[worst]))
        return greatest

    def test_every_plant_runs_balances_and_ends_alike_with_every_method(self):
        refused, greatest, seeds = 0, 0.0, range(FIRST_SEED, LAST_SEED + 1)
        for seed in seeds:
            scenario = RandomScenario(seed)
            folder = self.folder / str(seed)
            scenario.write(folder)
            results = {}
            for method in (REFERENCE,) + METHODS:
                with self.subTest(seed=seed, method=method):
                    results[method], cold = self.one_method(scenario, folder, method)
                    refused += cold and method == REFERENCE
            for method in METHODS:
                if method in results and REFERENCE in results:
                    with self.subTest(seed=seed, method=method, against=REFERENCE):
                        greatest = max(greatest, self.agree(results[REFERENCE], results[method]))
            for left in folder.glob("*.h5"):
                left.unlink()
        print(f"{len(seeds)} plants, {refused} without a steady start; greatest difference at the end {greatest:.3f} K")
        self.assertLessEqual(refused, MOST_REFUSED * len(seeds))


if __name__ == "__main__":
    unittest.main()
