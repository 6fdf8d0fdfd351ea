"""Renewable source: power and energy by a file, curtailment, loss and return of its bus, books, and dirt in the file refused by line."""
import csv
import unittest

import h5py
import numpy

from support import SOURCE, Case

EIA = SOURCE.parent / "shared/data/grid"
GRID = "GRID: {class: utility, to: M, rating: 10 MW%s}"
LOAD = "L: {class: electrical_load, supply: M, power: 2 MW}"
SERIES = "time [min],power [kW]\n0,0\n1,600\n2,900\n3,300\n4,300\n"


class Renewables(Case):
    def files(self, source, events=(), nodes="", duration="4 min", grid="", equipment=()):
        self.write("pods/pod.yaml", "podtwin: pod/1\n" + nodes + "equipment:\n" + "".join(
            f"  {line}\n" for line in (GRID % grid, LOAD, f"PV: {{class: renewable_source, to: M, rating: 1 MW, {source}}}", *equipment)))
        return self.write("run.yaml", f"podtwin: scenario/1\ntitle: t\npod: pods/pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
                          "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nfrom: cold\n" + ("events:\n" if events else "") +
                          "".join(f"  - {e}\n" for e in events) + "record:\n" +
                          "".join(f"  - {{class: {c}, signals: ['*'], period: 1 s}}\n" for c in ("utility", "renewable_source", "bus")))

    def play(self, *arguments, **more):
        path = self.folder / "out.h5"
        self.run_ok("run", self.files(*arguments, **more), "-o", path, "--quiet", "--force")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-9)
            self.pv = {name: file["renewable_source"][name][:, 0].astype(float) for name in file["renewable_source"] if name not in ("id", "time")}
            self.grid = file["utility/power"][:, 0].astype(float)
            self.source = file["bus/source"][:, 0]
            self.facility = file["facility/facility_power"][:].astype(float)
            self.provenance = file["provenance"]
            self.series = file["provenance/series"].asstr()[()] if "series" in file["provenance"] else ""
            self.said = [(float(t), text) for t, who, text in zip(file["events/time"][()], file["events/equipment"].asstr()[()],
                                                                 file["events/text"].asstr()[()]) if who == "PV"]

    def put(self, text, name="pods/sun.csv"):
        (self.folder / "pods").mkdir(exist_ok=True)
        return self.write(name, text)

    def test_power_and_energy_follow_the_file(self):
        for nodes, grid in (("", ""), ("nodes:\n  M: {nominal_voltage: 13.8 kV}\n", ", short_circuit_power: 500 MVA")):
            with self.subTest(nodes=nodes):
                self.put(SERIES)
                self.play("power: {file: sun.csv}, scale: 0.5", nodes=nodes, grid=grid)
                # Half of it, straight between rows.
                for t, watt in ((0, 0.0), (30, 150e3), (60, 300e3), (90, 375e3), (150, 300e3), (200, 150e3)):
                    self.assertAlmostEqual(self.pv["power"][t], watt, delta=1.0)
                    self.assertAlmostEqual(self.grid[t], 2e6 - watt, delta=2e3 if nodes else 1.0)
                # Trapezes of 60 s: 0.5 * 60 s * (300 + 750 + 600 + 300) kW.
                self.assertAlmostEqual(self.pv["energy_out"][-1], 0.5 * 60 * (0.5 * 600 + 0.5 * 1500 + 0.5 * 1200 + 300) * 1e3, delta=1e3)
                self.assertTrue((self.source == 1).all())
                self.assertLess(numpy.ptp(self.facility), 4e3 if nodes else 1.0)
                self.assertRegex(self.series, r"PV\.power: .*sun\.csv fnv1a64:[0-9a-f]{16}")

    def test_a_share_of_rating_curtailed_and_released(self):
        self.put("time [h],share [%]\n0,80\n1,80\n")
        self.play("share: {file: sun.csv}, limit: 700 kW", ("{at: 60 s, target: PV, do: curtail, with: {power: 200 kW}}", "{at: 120 s, target: PV, do: release}"))
        self.assertEqual([self.pv["power"][t] for t in (30, 90, 150)], [700e3, 200e3, 700e3])
        self.assertEqual([self.pv["curtailed"][t] for t in (30, 90, 150)], [100e3, 600e3, 100e3])
        self.assertAlmostEqual(self.pv["energy_curtailed"][-1], 60 * 100e3 + 60 * 600e3 + 120 * 100e3, delta=1.0)
        for command in ("curtail, with: {power: 2 MW}", "set"):
            done = self.run_ok("check", self.files("share: {file: sun.csv}", (f"{{at: 1 s, target: PV, do: {command}}}",)), status=2)
            self.assertIn("curtail", done.stderr)

    def test_off_without_a_grid_and_back_after_the_delay(self):
        self.put("time [h],share [1]\n0,0.5\n1,0.5\n")
        self.play("share: {file: sun.csv}, return_delay: 30 s", ("{at: 60 s, target: GRID, do: trip}", "{at: 90 s, target: GRID, do: restore}"))
        self.assertEqual(self.said, [(60.0, "disconnects"), (120.0, "connects")])
        self.assertEqual([self.pv["power"][t] for t in (59, 61, 100, 121)], [500e3, 0.0, 0.0, 500e3])
        self.assertEqual([int(self.source[t]) for t in (59, 61, 100)], [1, 0, 1])
        self.assertEqual(self.grid[100], 2e6)

    def refused(self, text, *told, source="power: {file: sun.csv}"):
        self.put(text)
        done = self.run_ok("check", self.files(source), status=2)
        for part in told:
            self.assertRegex(done.stderr, part)

    def test_dirt_is_refused_by_file_and_line(self):
        self.refused(SERIES.replace("2,900", "2,"), r"sun\.csv:4:\d+: error: `power` is empty")
        self.refused(SERIES.replace("2,900", "2,nan"), r"sun\.csv:4:\d+: error: .*nan")
        self.refused(SERIES.replace("2,900", "2,much"), r"sun\.csv:4:\d+: error: `power` is 'much', not a number")
        self.refused(SERIES.replace("2,900", "0.5,900"), r"sun\.csv:4:\d+: error: .*does not rise")
        self.refused(SERIES.replace("[kW]", "[kWh]"), r"sun\.csv:1:\d+: error: .*kWh")
        self.refused(SERIES.replace(" [kW]", ""), r"sun\.csv:1:\d+: error: .*states no unit")
        self.refused(SERIES.replace("power", "watts"), r"sun\.csv:1:\d+: error: has no column `power`")
        self.refused(SERIES.replace("2,900\n", ""), r"sun\.csv:4:\d+: error: .*120 s after the row before it, where rows are 60 s apart", r"gaps: interpolate")
        self.run_ok("check", self.files("power: {file: sun.csv, gaps: interpolate}"))
        self.refused(SERIES.replace("900", "1200"), r"pod\.yaml:\d+:\d+: error: 'PV' has 1200000 W at 120 s")
        self.refused(SERIES.replace("300\n4", "-300\n4"), r"'PV' has -300000 W at 180 s")
        self.refused("time [min],power [kW]\n0,1\n", r"at least two")
        self.refused(SERIES, r"there is no file `no\.csv`", source="power: {file: no.csv}")
        self.refused(SERIES, r"no series", source="scale: 1")
        self.refused(SERIES, r"two series", source="power: {file: sun.csv}, share: [[0 s, 1], [1 h, 1]]")
        self.put(SERIES)
        done = self.run_ok("run", self.files("power: {file: sun.csv}", duration="5 min"), "-o", self.folder / "no.h5", "--quiet", status=2)
        self.assertIn("ends at 240 s, the run at 300 s", done.stderr)

    def eia(self, zone, column, hours, first=0):
        """Two columns of the published table, as they stand: hours since its start, MWh in the hour as the MW of the hour."""
        path = EIA / f"eia_generation_ci_{zone}_2022.csv"
        if not path.exists():
            self.skipTest(f"no {path}: the developers' data are not there")
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))[first:first + hours]
        self.put("time [h]," + column + " [MW]\n" + "".join(f"{k},{row[column]}\n" for k, row in enumerate(rows)))
        return [row[column] for row in rows]

    def test_hours_of_a_grid_that_lack_their_values_are_refused(self):
        # MISO 2022 lacks wind at 2022-06-06 22:00 and 06-09 20:00 and 21:00.
        values = self.eia("MISO", "WND", 8760)
        lines = [k + 2 for k, value in enumerate(values) if value == ""]
        self.assertEqual(len(lines), 3)
        done = self.run_ok("check", self.files("power: {file: sun.csv, column: WND}, scale: 0.00001"), status=2)
        for line in lines:
            self.assertRegex(done.stderr, rf"sun\.csv:{line}:\d+: error: `WND` is empty")

    def test_a_day_of_wind_as_published(self):
        values = self.eia("ERCO", "WND", 26)
        self.play("power: {file: sun.csv, column: WND}, scale: 0.00003", duration="24 h")
        watt = [30.0 * float(value) for value in values]
        for hour in (0, 7, 23):
            self.assertAlmostEqual(self.pv["power"][3600 * hour], watt[hour], delta=1.0)
        self.assertAlmostEqual(self.pv["energy_out"][-1] / (3600 * (sum(watt[:25]) - 0.5 * (watt[0] + watt[24]))), 1.0, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
