"""Fault levels of `podtwin steady --short-circuit`, and faults and sags as events of a run."""
import csv
import math
import unittest

import h5py

from support import Case, podtwin, table

HEAD = "podtwin: pod/1\nequipment:\n"
GRID = "GRID: {class: utility, to: MV, rating: 20 MW, voltage: 13.8 kV, short_circuit_power: 500 MVA}"
STRONG = "GRID: {class: utility, to: MV, rating: 20 MW, voltage: 13.8 kV, short_circuit_power: 1000 GVA}"
TRANSFORMER = "T: {class: transformer, from: MV, to: LV, rating: 2.5 MVA, second_voltage: 480 V, impedance: 6 %}"
LOAD = "L: {class: electrical_load, supply: LV, power: 800 kW, connection: star}"
LIMIT = 1e-9  # of the energy that passed


class ShortCircuit(Case):
    def pod(self, *equipment, name="pod.yaml"):
        return self.write(name, HEAD + "".join(f"  {line}\n" for line in equipment))

    def levels(self, *equipment, method="", overrides=()):
        folder = self.folder / "tables"
        options = [o for text in overrides for o in ("--set", text)]
        done = self.run_ok("steady", self.pod(*equipment), "--csv", folder, "--short-circuit" + method, *options)
        self.told = done.stderr
        self.printed = done.stdout
        with open(folder / "short_circuit_infeeds.csv", newline="", encoding="utf-8") as file:
            self.infeeds = {(row["id"], row["source"]): float(row["ik3_max [A]"]) for row in csv.DictReader(file)}
        return table(folder, "short_circuit")

    def play(self, equipment, *events, duration="20 s", record=("fault", "bus", "electrical_load", "utility")):
        self.pod(*equipment)
        text = ("podtwin: scenario/1\ntitle: faults\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: " + duration +
                "\nweather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nfrom: cold\nevents:\n" + "".join(f"  - {e}\n" for e in events) +
                "record:\n" + "".join(f"  - {{class: {c}, signals: ['*'], period: 1 s}}\n" for c in record))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", "--force")
        values = {}
        with h5py.File(path) as file:
            self.error = abs(float(file["balance/energy_error_relative"][()]))
            for group in record:
                for k, i in enumerate(file[group]["id"].asstr()[()]):
                    values[i] = {s: file[group][s][:, k].astype(float) for s in file[group] if s not in ("id", "time")}
        return values

    # -- fault levels
    def test_2_5_mva_of_6_percent_give_50_1_ka_at_480_v_by_hand_and_more_by_the_standard(self):
        nominal = self.levels(STRONG, TRANSFORMER, LOAD, method="=nominal")["LV"]
        self.assertAlmostEqual(nominal["ik3_max"] / 1e3, 50.1, delta=0.05)
        self.assertEqual(nominal["ik3_max"], nominal["ik3_min"])
        standard = self.levels(STRONG, TRANSFORMER, LOAD)["LV"]
        # c over K_T; loads and magnetising branches change nothing.
        share = (1.0 + 0.6 * math.sqrt(0.06**2 - (18e3 / 2.5e6)**2)) / 0.95
        self.assertAlmostEqual(standard["ik3_max"] / nominal["ik3_max"], share, delta=1e-4)
        self.assertEqual((standard["c_max"], standard["c_min"]), (1.1, 0.9))
        self.assertAlmostEqual(standard["ik2_max"] / standard["ik3_max"], math.sqrt(3.0) / 2.0, delta=1e-9)
        # A delta before it: no impedance of the grid in the zero sequence.
        self.assertGreaterEqual(standard["ik1_max"], 0.999 * standard["ik3_max"])
        self.assertLess(standard["ik3_min"], standard["ik3_max"])
        self.assertTrue(2.0 < standard["ip"] / standard["ik3_max"] < 2.0 * math.sqrt(2.0))
        six = self.levels(STRONG, TRANSFORMER, LOAD, method="=iec_60909_6_percent")["LV"]
        self.assertEqual((six["c_max"], six["c_min"]), (1.05, 0.95))

    def test_phases_that_nothing_couples_have_a_level_too(self):
        level = self.levels(GRID, "B: {class: breaker, from: MV, to: FEEDER}", "F: {class: fault, at: FEEDER}")
        for bus in ("MV", "FEEDER"):
            self.assertAlmostEqual(level[bus]["ik3_max"], 500e6 / (math.sqrt(3.0) * 13.8e3), delta=10.0)
            self.assertAlmostEqual(level[bus]["ik1_max"], level[bus]["ik3_max"], delta=1.0)

    def test_a_tie_that_is_closed_adds_the_second_transformer(self):
        equipment = (GRID, TRANSFORMER,
                     "T2: {class: transformer, from: MV, to: LV2, rating: 2.5 MVA, second_voltage: 480 V, impedance: 6 %}",
                     "TIE: {class: breaker, from: LV, to: LV2, closed: false}")
        apart = self.levels(*equipment)["LV"]["ik3_max"]
        joined = self.levels(*equipment, overrides=["TIE.closed=true"])["LV"]["ik3_max"]
        self.assertTrue(1.6 * apart < joined < 2.0 * apart, joined / apart)

    def test_every_source_has_its_share_and_buses_without_voltage_are_told(self):
        levels = self.levels(GRID.replace("}", ", parallel: allowed}"),
                             "SECOND: {class: utility, to: MV, rating: 20 MW, voltage: 13.8 kV, short_circuit_power: 250 MVA, parallel: allowed}",
                             TRANSFORMER, "OTHER: {class: utility, to: LAMPS, rating: 1 MW}",
                             "LL: {class: electrical_load, supply: LAMPS, power: 1 kW}")
        self.assertEqual(set(levels), {"MV", "LV"})
        self.assertIn("no fault level at 'LAMPS'", self.told)
        for bus, level in levels.items():
            self.assertAlmostEqual(self.infeeds[bus, "GRID"] / self.infeeds[bus, "SECOND"], 2.0, delta=1e-6)
            self.assertAlmostEqual(self.infeeds[bus, "GRID"] + self.infeeds[bus, "SECOND"], level["ik3_max"], delta=1e-6 * level["ik3_max"])
        # c S / (sqrt(3) U) is in the feeders' impedance already.
        self.assertAlmostEqual(levels["MV"]["ik3_max"], 750e6 / (math.sqrt(3.0) * 13.8e3), delta=1.0)
        self.assertIn("GRID", self.printed)

    def test_a_ups_gives_what_its_inverter_is_limited_to(self):
        level = self.levels(GRID, TRANSFORMER, "U: {class: ups, from: LV, to: UB, rating: 1 MW}", LOAD)["UB"]
        rated = 1e6 / (math.sqrt(3.0) * 480.0)
        self.assertAlmostEqual(level["ik3_max"], 2.0 * rated, delta=1e-3)
        self.assertAlmostEqual(level["ik3_min"], 1.5 * rated, delta=1e-3)
        self.assertEqual(level["current_limited"], 1.0)
        self.assertNotIn("x_over_r", level)

    def refused(self, *equipment, option="--short-circuit"):
        done = podtwin("steady", self.pod(*equipment), option)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_source_that_holds_its_voltage_without_end_is_refused_by_name(self):
        told = self.refused("GRID: {class: utility, to: MV, rating: 20 MW, voltage: 13.8 kV}", TRANSFORMER, LOAD)
        self.assertIn("'GRID'", told)
        self.assertIn("short_circuit_power", told)
        held = self.levels(GRID.replace("500 MVA", "500 MVA, holds_voltage: true"), TRANSFORMER)
        self.assertAlmostEqual(held["MV"]["ik3_max"], 500e6 / (math.sqrt(3.0) * 13.8e3), delta=1.0)

    def test_a_pod_without_voltages_and_a_method_that_there_is_not_are_refused(self):
        told = self.refused("GRID: {class: utility, to: B, rating: 1 MW}", "L: {class: electrical_load, supply: B, power: 1 kW}")
        self.assertIn("nominal_voltage", told)
        self.assertIn("no method 'ansi'", self.refused(GRID, TRANSFORMER, option="--short-circuit=ansi"))

    # -- in a run
    def test_a_fault_sinks_voltages_raises_currents_and_is_heat_until_it_is_cleared(self):
        values = self.play((GRID, TRANSFORMER, LOAD, "F: {class: fault, at: LV, kind: line_ground, phases: b, resistance: 2 mohm}"),
                           "{at: 5.2 s, target: F, do: apply}", "{at: 7.4 s, target: F, do: clear}")
        before, during, after = (values["F"]["i_b"][k] for k in (5, 6, 8))
        self.assertEqual((before, after), (0.0, 0.0))
        self.assertTrue(20e3 < during < 50e3, during)
        self.assertAlmostEqual(values["F"]["i_earth"][6], during, delta=1e-3 * during)
        self.assertEqual(values["F"]["i_a"][6], 0.0)
        self.assertLess(values["LV"]["voltage"][6], 0.8)
        self.assertLess(values["L"]["power"][6], 0.9 * values["L"]["power"][4])
        self.assertAlmostEqual(values["LV"]["voltage"][8], values["LV"]["voltage"][4], delta=1e-6)
        self.assertGreater(values["GRID"]["power"][6], values["F"]["power"][6])
        self.assertLess(self.error, LIMIT)

    def test_a_sag_of_the_grid_reaches_every_bus_until_it_is_restored(self):
        values = self.play((GRID, TRANSFORMER, LOAD), "{at: 5 s, target: GRID, do: sag, with: {voltage: 50 %}}",
                           "{at: 10 s, target: GRID, do: restore}", "{at: 15 s, target: GRID, do: swell, with: {voltage: 110 %}}",
                           record=("bus", "electrical_load"))
        share = [round(float(values["LV"]["voltage"][k]), 2) for k in (3, 8, 12, 17)]
        self.assertTrue(0.95 < share[0] <= 1.0)
        self.assertTrue(0.45 < share[1] < 0.51, share)
        self.assertEqual(share[2], share[0])
        self.assertTrue(1.05 < share[3] < 1.11, share)
        self.assertLess(self.error, LIMIT)

    def test_what_is_turned_into_heat_and_could_not_be_drawn_is_the_shortfall_and_the_books_lack_just_that(self):
        # A UPS that takes no notice of its input goes on at full power while the grid has a tenth of its voltage.
        share, seconds = 0.1, 5.0
        values = self.play((GRID, TRANSFORMER, "U: {class: ups, from: LV, to: UB, rating: 1 MW}",
                            "LU: {class: electrical_load, supply: UB, power: 500 kW, connection: star}"),
                           f"{{at: 5 s, target: GRID, do: sag, with: {{voltage: {share}}}}}", "{at: 10 s, target: GRID, do: restore}",
                           record=("bus", "utility", "ups"))
        short = values["LV"]["shortfall"]
        drawn = values["U"]["load"][7] + values["U"]["loss"][7]
        # An impedance below half of the nominal voltage.
        self.assertAlmostEqual(short[7] / drawn, 1.0 - (share / 0.5)**2, delta=2e-3)
        self.assertEqual((short[3], short[12]), (0.0, 0.0))
        delivered = 15.0 * values["GRID"]["power"][3] + seconds * values["GRID"]["power"][7]
        self.assertAlmostEqual(self.error * delivered, seconds * short[7], delta=0.3 * seconds * short[7])


if __name__ == "__main__":
    unittest.main()
