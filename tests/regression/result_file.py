"""The result file of the main job: what product.md section 3 says, read by other people's programs."""
import re
import subprocess
import unittest

import h5py
import numpy
import xarray

from support import Case, DAY, SOURCE

UNTIL = "10 min"
SHORT = "1 min"
SECONDS = 600
SHORTEST_PACKED = 4096  # bytes of a vector of a state; a shorter one is stored as it is
# product.md section 3, of the classes that this version has; ups/autonomy, battery and generator come with their issues.
REQUIRED = """facility/it_power facility/facility_power facility/pue facility/heat_to_ambient facility/t_dry_bulb facility/t_wet_bulb
gpu/t_junction gpu/power gpu/utilisation gpu/rack tray/rack rack/power rack/t_supply rack/t_return rack/flow rack/flow_margin
rack/throttled cdu/heat cdu/t_supply cdu/flow cdu/dp pump/speed pump/flow pump/power valve/position node/p node/t zone/t_air
tank/t_out ups/load ups/mode controller/setpoint controller/measured controller/output controller/mode controller/saturated
sensor/value sensor/true sensor/quality""".split()
# Balance of the frame's own ledgers; the issue asks for 1e-6, the method keeps linear invariants to round-off.
BALANCE_ISSUE = 1e-6
BALANCE_GOAL = 1e-9


def datasets(file):
    found = {}
    file.visititems(lambda name, item: found.__setitem__(name, item) if isinstance(item, h5py.Dataset) else None)
    return found


def same(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    x, y = a[()], b[()]
    return (x == y) if a.shape == () else (x.tobytes() == y.tobytes() if x.dtype.kind != "O" else bool(numpy.all(x == y)))


def differences(first, second):
    """Datasets and attributes of two files that are not the same bytes, those of the wall clock left out."""
    with h5py.File(first) as a, h5py.File(second) as b:
        x, y = datasets(a), datasets(b)
        wrong = sorted(set(x) ^ set(y))
        wrong += [n for n in sorted(set(x) & set(y)) if not n.startswith("provenance/wall") and not same(x[n], y[n])]
        if {k: v for k, v in a.attrs.items() if k != "created"} != {k: v for k, v in b.attrs.items() if k != "created"}:
            wrong.append("root attributes")
        return wrong


class ResultFile(Case):
    def result(self, name, *more, until=UNTIL):
        path = self.folder / name
        self.run_ok("run", DAY, "--until", until, "--quiet", "-o", path, *more)
        return path

    def test_a_result_is_whole_and_other_programs_read_it(self):
        path = self.result("day.h5")
        with h5py.File(path) as file:
            self.layout(file)
            self.values(file)
            self.balance(file)
        self.readers(path)

    def layout(self, file):
        for name in ("Conventions", "podtwin_version", "format_version", "title", "created", "complete", "simulated_start"):
            self.assertIn(name, file.attrs)
        self.assertTrue(str(file.attrs["Conventions"]).startswith("CF"))
        self.assertEqual(int(file.attrs["complete"]), 1)
        self.assertRegex(str(file.attrs["simulated_start"]), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        found = datasets(file)
        for name in REQUIRED:
            self.assertIn(name, found, "required by product.md section 3")
        for name, item in found.items():
            with self.subTest(dataset=name):
                for attribute in ("units", "long_name"):
                    self.assertIn(attribute, item.attrs)
                    self.assertTrue(len(item.attrs[attribute]) > 0, attribute)
                is_text = h5py.check_string_dtype(item.dtype)
                if item.dtype.kind == "O":
                    self.assertIsNotNone(is_text)
                    self.assertEqual(is_text.encoding, "utf-8")
                    self.assertIsNone(is_text.length, "a text of fixed length")
                self.assertNotEqual(item.dtype.kind, "V", "a compound table")
                for axis in range(item.ndim):
                    if h5py.h5ds.is_scale(item.id):
                        continue
                    self.assertGreater(len(item.dims[axis]), 0, f"axis {axis} has no scale")
                    self.assertEqual(len(item.dims[axis][0]), item.shape[axis])
                short = name.startswith("restart") and item.nbytes < SHORTEST_PACKED
                if item.ndim > 0 and item.dtype.kind != "O" and not short and not name.startswith(
                        ("events", "alarms", "provenance")):
                    self.assertIsNotNone(item.chunks, "is not chunked")

    def values(self, file):
        for name, item in datasets(file).items():
            if item.dtype.kind == "f":
                self.assertTrue(bool(numpy.all(numpy.isfinite(item[()]))), f"{name} has a value that is no number")
        self.assertEqual(file["time"].shape, (SECONDS + 1,))
        self.assertEqual(file["time"].dtype, numpy.float64)
        self.assertTrue(bool(numpy.array_equal(file["time"][()], numpy.arange(SECONDS + 1.0))))
        self.assertEqual(file["gpu/t_junction"].shape, (SECONDS // 10 + 1, 4608))
        self.assertEqual(file["rack/power"].shape, (SECONDS + 1, 64))
        ids = [i.decode() if isinstance(i, bytes) else i for i in file["gpu/id"][()]]
        self.assertEqual(ids[0], "A01-T01-G1")
        self.assertEqual(ids[-1], "H08-T18-G4")
        racks = [i.decode() if isinstance(i, bytes) else i for i in file["gpu/rack"][()]]
        self.assertTrue(all(i.startswith(r + "-") for i, r in zip(ids, racks)))
        self.assertEqual(file["facility/energy_sources"].dtype, numpy.float64)
        self.assertEqual(file["gpu/t_junction"].dtype, numpy.float32)
        self.assertRegex(str(file["time"].attrs["units"]), r"^seconds since 2026-07-15T00:00:00Z$")
        # Reductions are those of the recorded GPUs where both are recorded.
        gpu, rack = file["gpu/t_junction"][()], file["rack/gpu_t_junction_max"][::10]
        self.assertTrue(bool(numpy.array_equal(gpu.reshape(gpu.shape[0], 64, 72).max(axis=2), rack)))

    def balance(self, file):
        error = abs(float(file["balance/energy_error_relative"][()]))
        print(f"energy balance: {error:.3g} of throughput")
        self.assertLess(error, BALANCE_ISSUE)
        self.assertLess(error, BALANCE_GOAL)
        energy = {name: float(item[()]) for name, item in file["balance"].items()}
        self.assertGreater(energy["energy_in"], 0.0)
        again = energy["energy_in"] - energy["energy_to_ambient"] - energy["energy_to_boundaries"] - energy["energy_stored"]
        self.assertAlmostEqual(again, energy["energy_error"], delta=1e-9 * energy["energy_in"])
        # The integral of recorded power is the ledger, within what a trapezium rule at 1 s gives.
        power = file["facility/facility_power"][()].astype(float)
        self.assertLess(abs(float(numpy.trapz(power, file["time"][()])) / energy["energy_in"] - 1.0), 1e-3)

    def readers(self, path):
        for group in ("gpu", "rack", "facility"):
            with self.subTest(xarray=group):
                with xarray.open_dataset(path, group=group, engine="h5netcdf") as data:
                    self.assertGreater(len(data.data_vars), 0)
                    if group != "facility":
                        self.assertIn("id", data.coords)
                        self.assertEqual(data["time"].dtype.kind, "M")
        with xarray.open_dataset(path, engine="h5netcdf") as data:
            self.assertIn("time", data.coords)
        dump = subprocess.run(["h5dump", "-H", path], capture_output=True, text=True, check=False)
        self.assertEqual(dump.returncode, 0, dump.stderr)
        self.assertTrue(re.search(r'DATASET "t_junction"', dump.stdout))
        info = self.run_ok("info", path).stdout
        for word in ("complete    yes", "t_junction", "balance", "restart states  0 s, 10 min"):
            self.assertIn(word, info)
        gpu_states = re.search(r"^\s*gpu\s+(\d+)", info[info.index("states by class"):], re.MULTILINE)
        self.assertIsNotNone(gpu_states, info)
        self.assertGreaterEqual(int(gpu_states.group(1)), 2 * 4608)

    def test_the_provenance_holds_the_files_and_what_was_set(self):
        path = self.result("day.h5", "--set", "scenario.workload.scale=3000", until=SHORT)
        with h5py.File(path) as file:
            def text(name):
                return file["provenance"][name][()].decode()
            self.assertIn("podtwin: scenario/1", text("scenario"))
            self.assertIn(SOURCE.joinpath("data/pods/gb300-64.yaml").read_text(encoding="utf-8"), text("pod"))
            self.assertIn("scenario.workload.scale=3000", text("overrides"))
            self.assertIn("seed", text("workload"))

    def test_one_seed_gives_the_same_bytes_and_another_seed_does_not(self):
        first, second = self.result("1.h5", until="2 min"), self.result("2.h5", until="2 min")
        self.assertEqual(differences(first, second), [])
        other = self.result("3.h5", "--set", "scenario.workload.seed=8", until="2 min")
        self.assertIn("gpu/power", differences(first, other))


if __name__ == "__main__":
    unittest.main()
