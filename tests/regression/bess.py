"""BESS: end of energy, forming the grid and back, dispatch, refusals."""
import unittest

import h5py
import numpy

from support import Case

CLASSES = ("utility", "bess", "electrical_load", "bus")
GRID = "GRID: {class: utility, to: M, rating: 10 MW}"
V = "nodes:\n  M: {nominal_voltage: 13.8 kV}\n"


def bess(more, energy="1 MWh", rating="1 MW"):
    return f"B: {{class: bess, to: M, rating: {rating}, energy: {energy}, {more}}}"


def load(power):
    return f"L: {{class: electrical_load, supply: M, power: {power}}}"


class Bess(Case):
    def files(self, equipment, events, nodes="", duration="60 s"):
        self.write("pod.yaml", "podtwin: pod/1\n" + nodes + "equipment:\n" + "".join(f"  {line}\n" for line in equipment))
        used = [c for c in CLASSES if c == "bus" or any(f"class: {c}," in line for line in equipment)]
        return self.write("run.yaml", f"podtwin: scenario/1\ntitle: bess\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
                          "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nfrom: cold\n" + ("events:\n" if events else "") +
                          "".join(f"  - {e}\n" for e in events) + "record:\n" +
                          "".join(f"  - {{class: {c}, signals: ['*'], period: 1 s}}\n" for c in used))

    def play(self, equipment, *events, **more):
        path = self.folder / "out.h5"
        self.run_ok("run", self.files(equipment, events, **more), "-o", path, "--quiet", "--force")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-9)
            self.values = {}
            for group in (c for c in CLASSES if c in file):
                for k, i in enumerate(file[group]["id"].asstr()[()]):
                    self.values[i] = {s: file[group][s][:, k].astype(float) for s in file[group] if s not in ("id", "time")}
            self.events = [(float(t), text) for t, who, text in zip(file["events/time"][()], file["events/equipment"].asstr()[()],
                                                                   file["events/text"].asstr()[()]) if who == "B"]

    def test_100_kwh_at_1_mw_by_0_90_and_0_95_last_307_8_s(self):
        for nodes in ("", V):
            with self.subTest(nodes=nodes):
                self.play([bess("dispatch: backup, transfer_time: 0 s, soc_min: 0 %, converter_efficiency: 95 %, discharge_efficiency: 90 %",
                                "100 kWh", "1.2 MW"), load("1 MW")], nodes=nodes, duration="320 s")
                self.assertEqual([text for _, text in self.events], ["forms the grid", "gives nothing more"])
                self.assertAlmostEqual(self.events[1][0], 307.8, delta=2e-3 if nodes else 1e-6 + 1e-3)
                self.assertAlmostEqual(self.values["B"]["autonomy"][100], 207.8, delta=1e-2 if nodes else 1e-5)
                self.assertAlmostEqual(self.values["B"]["loss"][100], 1e6 / 0.855 - 1e6, delta=20.0)
                self.assertEqual(self.values["L"]["power"][-1], 0.0)
                self.assertEqual([self.values["M"]["source"][t] for t in (100, -1)], [3.0, 0.0])

    def test_its_energy_ends_to_a_millionth_of_when_it_should(self):
        # 100 kWh by 0.90 and 0.95 of 1 MW: 0.1 * 3600 s * 0.855 = 307.8 s; 50 kWh 153.9 s. Without delay it forms from the start.
        for energy, end in (("100 kWh", 307.8), ("50 kWh", 153.9)):
            self.play([bess("dispatch: backup, transfer_time: 0 s, soc_min: 0 %, converter_efficiency: 95 %, discharge_efficiency: 90 %", energy, "1.2 MW"),
                       load("1 MW")], duration="320 s")
            self.assertEqual(self.values["B"]["ended_at"][0], -1.0)
            self.assertLess(abs(self.values["B"]["ended_at"][-1] - end), 1e-6 * end)

    def test_only_a_power_is_measured(self):
        sensor = "S: {class: sensor, measures: GRID.power}"
        heat = "S: {class: sensor, measures: M.source}"
        for measured, more in (("GRID.loading", ""), ("S.value", heat)):
            done = self.run_ok("check", self.files([GRID, load("500 kW"), *([more] if more else []),
                               bess(f"dispatch: peak_shaving, limit: 1 MW, measures: {measured}")], ()), status=2)
            self.assertRegex(done.stderr, r"pod\.yaml:\d+:\d+: error: 'B' measures '" + measured + "', which is no power")
        self.run_ok("check", self.files([GRID, load("500 kW"), sensor, bess("dispatch: peak_shaving, limit: 1 MW, measures: S.value")], ()))

    def test_it_carries_its_bus_through_an_outage_and_recharges_afterwards(self):
        for nodes, grid in (("", GRID), (V, GRID.replace("}", ", short_circuit_power: 500 MVA}"))):
            with self.subTest(nodes=nodes):
                self.play([grid, bess("dispatch: backup, recharge_power: 100 kW"), load("600 kW")],
                          "{at: 10 s, target: GRID, do: trip}", "{at: 30 s, target: GRID, do: restore}", nodes=nodes)
                self.assertEqual([text for _, text in self.events], ["forms the grid", "no longer forms the grid"])
                self.assertAlmostEqual(self.events[0][0], 10.02, delta=1e-3)
                self.assertAlmostEqual(self.events[1][0], 30.0, delta=1e-3)
                self.assertAlmostEqual(self.values["B"]["power"][20], 6e5, delta=1.0)
                self.assertAlmostEqual(self.values["B"]["power"][50], -1e5, delta=1.0)
                self.assertAlmostEqual(self.values["GRID"]["power"][50], 7e5, delta=1e3 if nodes else 1.0)
                # 19.98 s of 600 kW by 0.975 twice, of 3.6 GJ.
                self.assertAlmostEqual(self.values["B"]["soc"][30], 1.0 - 19.98 * 6e5 / 0.975 ** 2 / 3.6e9, delta=1e-6)

    def test_a_load_above_its_rating_is_not_carried(self):
        self.play([GRID, bess("dispatch: backup"), load("1.5 MW")], "{at: 10 s, target: GRID, do: trip}")
        self.assertEqual([text for _, text in self.events], ["forms the grid", "no longer forms the grid"])
        self.assertEqual(self.values["B"]["autonomy"][5], 0.0)
        self.assertEqual(self.values["L"]["power"][-1], 0.0)

    def test_peak_shaving_holds_the_import_and_stops_at_its_reserve(self):
        self.play([GRID, bess("dispatch: peak_shaving, limit: 1 MW, measures: GRID.power, reserve: 90 %, soc_min: 5 %"), load("800 kW")],
                  "{at: 10 s, target: L, do: set, with: {power: 1.6 MW}}", duration="400 s")
        grid = self.values["GRID"]["power"]
        self.assertEqual(grid[5], 8e5)
        self.assertLess(abs(grid[20:200] - 1e6).max(), 100.0)
        # 5 % of 3.6 GJ at 600 kW by 0.975 twice: 285.2 s, and about a second until it gave.
        self.assertEqual([text for _, text in self.events], ["gives nothing more"])
        self.assertAlmostEqual(self.events[0][0], 10.0 + 0.05 * 3.6e9 * 0.975 ** 2 / 6e5, delta=1.5)
        self.assertEqual(grid[-1], 1.6e6)

    def test_ramp_limit_and_smoothing_flatten_a_step(self):
        self.play([GRID, bess("dispatch: ramp_limit, grid_ramp: 20 kW/s, measures: GRID.power, initial_soc: 50 %, soc_target: 50 %, soc_return_time: 1000 h"),
                   load("500 kW")], "{at: 10 s, target: L, do: set, with: {power: 1 MW}}")
        grid = self.values["GRID"]["power"]
        # 500 kW at 20 kW/s: 25 s.
        self.assertLess(numpy.abs(numpy.diff(grid[15:34]) - 2e4).max(), 500.0)
        self.assertAlmostEqual(grid[45], 1e6, delta=2e3)
        self.play([GRID, bess("dispatch: smoothing, smoothing_time: 20 s, measures: GRID.power, initial_soc: 50 %, soc_target: 50 %, soc_return_time: 1000 h"),
                   load("500 kW")], "{at: 10 s, target: L, do: set, with: {power: 1 MW}}")
        left = 1e6 - self.values["GRID"]["power"]
        self.assertAlmostEqual(left[40] / left[20], numpy.exp(-1.0), delta=0.01)

    def test_commands_change_its_dispatch_and_what_it_cannot_do_is_refused(self):
        self.play([GRID, bess("initial_soc: 50 %, power: 1 kW"), load("500 kW")], "{at: 10 s, target: B, do: set, with: {power: 300 kW}}",
                  "{at: 30 s, target: B, do: idle}")
        self.assertEqual([self.values["B"]["power"][t] for t in (5, )], [0.0])
        self.assertAlmostEqual(self.values["GRID"]["power"][25], 2e5, delta=1.0)
        self.assertAlmostEqual(self.values["B"]["power"][45], 0.0, delta=1.0)
        for more, said in (("dispatch: peak_shaving, limit: 1 MW", "measures none"), ("dispatch: peak_shaving, measures: GRID.power", "no limit"),
                           ("soc_min: 60 %, soc_max: 50 %, initial_soc: 50 %", "soc_min"), ("dispatch: set_point, power: 2 MW", "above its rating")):
            done = self.run_ok("check", self.files([GRID, bess(more), load("500 kW")], ()), status=2)
            self.assertIn(said, done.stderr)
            self.assertRegex(done.stderr, r"pod\.yaml:\d+")


if __name__ == "__main__":
    unittest.main()
