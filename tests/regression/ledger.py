"""The energy ledger of a run is able to find a wrong plant: a program with one heat capacity off by 0.1 % fails it.

Two programs run the same file: the product, and `podtwin_with_wrong_capacity` (CMakeLists.txt), which is the product but
for one text: in the balance of the hall's air, one of the 14,000 thermal cells of the reference pod, the heat capacity is
1.001 of what `storedEnergy` counts. Nothing else is wrong with it, so nothing but the ledger may find it.

Why a transient, and why it is found. The wrong cell takes 1.001 C dT from the plant while its temperature moves by dT,
and the ledger of stored heat counts C dT. What is left over is 0.001 C dT, where dT is between the start and the end of
the run: no matter how the temperature went between, a run that ends where it began, as a day does, shows nothing. So the
fan walls of the full pod stop 5 s after the start, and for the 55 s that are left the hall takes up the heat of the air side:

  C           4,000 m3 x 1.17 kg/m3 x 1,006 J/(kg K)          4.71 MJ/K
  dT          1.3 MW over C, 55 s                             about 15 K
  left over   0.001 x 4.71 MJ/K x 15 K                        about 70 kJ
  throughput  11 MW from the grid for 60 s                    665 MJ
  relative    70 kJ / 665 MJ                                  1.0e-4, a hundred times the limit of 1e-6

The right program closes to about 1e-13: every term is integrated by the method that integrates the temperatures, and
those methods keep linear sums to round-off. The limit lies seven decades above that and two below the fault.
"""
import os
import subprocess
import unittest

import h5py

import result_checks
from support import Case, PROGRAM, TIME_LIMIT, scenario

WRONG_PROGRAM = os.environ.get("PODTWIN_WRONG_CAPACITY", "podtwin_with_wrong_capacity")
CELL = "hall"
CELL_CAPACITY = 4000.0 * 1.17 * 1006.0  # J/K; volume in the pod file, air in zone.md
FAULT = 1e-3                            # of the cell's capacity, CMakeLists.txt
MARGIN = 50.0    # the fault must stand this far above the limit for the test to mean something
PREDICTION = 0.01  # of the fault; temperatures are recorded as float32
RIGHT_LIMIT = 1e-9  # of throughput; what the product itself keeps to, a thousandth of the limit
METHODS = ("arkode", "rosenbrock", "cvode")


class Ledger(Case):
    def run_with(self, program, method):
        text = scenario(duration="1 min", events=['{at: 5 s, target: "fan_wall[*]", do: trip}'],
                        extra="record:\n  - {class: zone, signals: [t_air], period: 1 s}\n")
        path = self.folder / f"{os.path.basename(program)}-{method}.h5"
        done = subprocess.run([program, "run", self.write("stop.yaml", text), "-o", path, "--quiet", "--set",
                               f"scenario.solver.method={method}"], capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def test_the_product_passes_every_check(self):
        for method in METHODS:
            with self.subTest(method=method):
                path = self.run_with(PROGRAM, method)
                self.assertEqual(result_checks.complaints(path), {})
                with h5py.File(path) as file:
                    error = abs(result_checks.ledger_error(file))
                print(f"right capacity, {method}: ledger off by {error:.2g} of throughput")
                self.assertLess(error, RIGHT_LIMIT)

    def test_a_heat_capacity_off_by_a_thousandth_fails_the_ledger_and_nothing_else(self):
        for method in METHODS:
            with self.subTest(method=method):
                path = self.run_with(WRONG_PROGRAM, method)
                self.assertEqual(list(result_checks.complaints(path)), ["ledger"])
                with h5py.File(path) as file:
                    error = result_checks.ledger_error(file)
                    t = result_checks.of(file, "zone", "t_air", CELL)
                    expected = FAULT * CELL_CAPACITY * (t[-1] - t[0]) / result_checks.throughput(result_checks.balance(file))
                print(f"wrong capacity, {method}: ledger off by {error:.3g} of throughput, by the arithmetic {expected:.3g}")
                # The fault that was put in and no other: its size is what the arithmetic says.
                self.assertAlmostEqual(error / expected, 1.0, delta=PREDICTION)
                self.assertGreater(error, MARGIN * result_checks.LEDGER_LIMIT)


if __name__ == "__main__":
    unittest.main()
