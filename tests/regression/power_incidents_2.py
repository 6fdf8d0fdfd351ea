"""Electrical incidents of practice.md section 6 on small one-lines: every `expect:` holds, and who acted when is what the arithmetic says."""
import unittest

import h5py

from support import SOURCE, Case

INCIDENTS = SOURCE / "scenarios/library/incidents"


class PowerIncidents2(Case):
    def play(self, name, *arguments):
        """Runs a shipped incident; its expectations hold, or the status is 4."""
        scenario, = INCIDENTS.glob(f"{name}-*.yaml")
        path = self.folder / f"{name}.h5"
        self.run_ok("run", scenario, "-o", path, "--quiet", "--force", *arguments)
        file = h5py.File(path)
        self.addCleanup(file.close)
        self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6, name)
        e = file["events"]
        self.events = list(zip(e["time"][()].astype(float), e["equipment"].asstr()[()], e["cause"].asstr()[()], e["text"].asstr()[()]))
        return file

    def at(self, who, text):
        times = [t for t, q, _, said in self.events if q == who and text in said]
        self.assertTrue(times, (who, text, self.events))
        return times[0]

    def silent(self, who):
        self.assertEqual([e for e in self.events if e[1] == who], [])

    @staticmethod
    def series(file, group, who, signal):
        return file[group][signal][:, list(file[group]["id"].asstr()[()]).index(who)].astype(float)

    # -- sets
    def test_3_five_sets_80_per_cent_four_100_three_lose_their_speed(self):
        for name, sets, loading in (("3a", 5, 0.8), ("3b", 4, 1.0)):
            power = self.play(name)["generator/power"][-1].astype(float)
            self.assertEqual((power > 1e6).sum(), sets)
            self.assertAlmostEqual(power.max() / 3e6, loading, delta=0.01)
        file = self.play("3c")
        self.assertGreater(float(file["generator/loading"][()].max()), 1.3)
        self.assertGreater(self.at("GS-1", "trip"), self.at("UPS-1", "walk-in done"))

    def test_3_a_manager_sheds_3_mw_before_batteries_end(self):
        file = self.play("3d")
        self.assertFalse([e for e in self.events if e[1] == "GS-1" and e[3] == "trip"])
        self.assertLess(self.at("PM", "caps sent"), self.at("UPS-1", "walk-in done"))
        # 3 x 3.0 MW carry 1.9 MW of cooling and what is left of 9.8 MW with its loss of 3 %.
        self.assertAlmostEqual(float(file["electrical_load/power"][-1].sum()), 1.9e6 + 6.8e6, delta=0.1e6)

    def test_4_no_set_fires_and_the_batteries_end_first(self):
        self.play("4")
        self.assertAlmostEqual(max(t for t, q, _, said in self.events if q == "GS-1" and "did not fire" in said or "failed" in said), 86.0, delta=0.001)
        self.assertAlmostEqual(self.at("UPS-1", "battery end") - 10.0, 459.0, delta=0.05 * 459.0)

    def test_5_recharge_of_20_per_cent_puts_five_sets_at_100(self):
        file = self.play("5")
        self.assertAlmostEqual(file["generator/power"][-1].astype(float).sum() / 15e6, 1.0, delta=0.02)
        self.assertAlmostEqual(file["ups/battery_power"][-1].astype(float).sum(), -4.0 * 0.97 * 0.75e6, delta=0.02e6)

    def test_6_the_first_set_alone_is_overrun_and_staged_sets_are_not(self):
        alone, staged = self.play("6a"), None
        first = self.series(alone, "generator", "GS-1", "loading")
        self.assertAlmostEqual(first[22], 1.9 / 3.0, delta=0.03)
        self.assertGreater(first.max(), 1.1)
        self.assertGreater(float(alone["generator/frequency_dip"][()].max()), 0.10)
        staged = self.play("6b")
        self.assertLess(float(staged["generator/frequency_dip"][()].max()), 0.02)

    # -- block
    def test_10_a_transformer_trips_with_its_tie_open_and_closed(self):
        file = self.play("10a")
        end = self.at("UPS-1", "battery end: output off")
        self.assertAlmostEqual(end - 10.0, 459.0, delta=0.05 * 459.0)
        self.assertAlmostEqual(self.series(file, "ups", "UPS-2", "loading")[int(end) + 5], 2.45 / 1.875, delta=0.005)
        self.assertAlmostEqual(self.at("UPS-2", "overload: to bypass") - end, 30.0, delta=0.001)
        file = self.play("10b")
        self.silent("UPS-1")
        power = self.series(file, "ups", "UPS-1", "input_power")[-1] + self.series(file, "ups", "UPS-2", "input_power")[-1]
        self.assertAlmostEqual(power / 0.99 / 2.5e6, 1.02, delta=0.005)

    def test_11_side_a_drops_and_the_brake_keeps_the_racks(self):
        file = self.play("11")
        self.assertAlmostEqual(self.at("R01", "24 supplies go off"), 10.02, delta=0.001)
        self.assertLess(self.at("R01", "brake"), 10.02 + 0.06)
        self.assertAlmostEqual(self.at("UPS-B", "on battery"), 10.0, delta=0.001)
        bus = self.series(file, "bus", "UB-A", "v_a") / (480.0 / 3.0 ** 0.5)
        self.assertLess(bus[1005], 0.5)
        self.assertGreater(bus[1100], 0.95)

    def test_12_a_feed_lost_and_a_slow_cap(self):
        for power, seconds in (("155 kW", 4680.0 / 19.0e3), ("142 kW", 4680.0 / 6.4e3)):
            self.play("12c", "--set", f"scenario.workload.rack_power={power}")
            self.assertAlmostEqual(self.at("R1", "rack drops") - 5.02, seconds, delta=0.01)

    # -- faults
    def test_14_a_bypass_clears_a_busway_fault_and_a_battery_does_not(self):
        file = self.play("14a")
        # The inverter's limit sends it to the bypass at once; instantaneous element, 30 ms of opening.
        self.assertAlmostEqual(self.at("UPS-1", "current limit: to bypass"), 5.0, delta=1e-4)
        self.assertLess(self.at("FD-A", "opens"), 5.06)
        current = self.series(file, "fault", "BOLTED", "i")
        # 480 V / sqrt(3) behind a grid of 500 MVA (0.46 mohm), 6 % of 5 MVA (2.76 mohm) and 0.5 % of 3.75 MW (0.31 mohm): less than 85 kA.
        self.assertGreater(current.max(), 60e3)
        self.assertLess(current.max(), 86e3)
        self.assertFalse([e for e in self.events if e[1] == "UPS-2"])
        file = self.play("14b")
        # 1.5 x 3.75 MW / (sqrt(3) 480 V)
        limit = 1.5 * 3.75e6 / (3.0 ** 0.5 * 480.0)
        self.assertAlmostEqual(self.series(file, "ups", "UPS-1", "i_a")[505], limit, delta=1e-4 * limit)
        self.assertLess(self.series(file, "bus", "UB-1", "v_a")[505], 0.05 * 277.0)
        self.assertAlmostEqual(self.at("UPS-1", "current limit: output off"), 5.2, delta=1e-3)
        self.silent("FD-A")

    def test_15_settings_decide_which_breaker_opens(self):
        self.play("15a")
        self.assertAlmostEqual(self.at("WHIP-A", "opens"), 5.09, delta=1e-3)
        self.silent("FD-A")
        self.play("15b")
        self.assertLess(self.at("FD-A", "opens"), 5.06)
        self.silent("WHIP-A")

    # -- catcher
    def test_16_in_phase_nothing_is_lost_and_30_degrees_apart_the_rack_is(self):
        self.play("16a")
        self.assertAlmostEqual(self.at("STS-1", "on the alternate source"), 5.004, delta=1e-6)
        self.silent("R-1")
        file = self.play("16b")
        self.assertAlmostEqual(self.at("STS-1", "on the alternate source"), 5.1, delta=1e-6)
        # 20 ms of hold-up and 4.68 kJ / 138.4 kW.
        self.assertAlmostEqual(self.at("R-1", "rack drops"), 5.0 + 0.02 + 4680.0 / 138.4e3, delta=1e-3)
        self.assertEqual(file["rack/drops"][-1].astype(float).tolist(), [1.0, 0.0, 0.0])

    def test_16_the_catcher_takes_one_block_and_says_why_the_other_stays(self):
        for name, stays, caught in (("16c", "STS-1", "STS-3"), ("16d", "STS-3", "STS-1")):
            file = self.play(name)
            causes = [cause for _, q, cause, said in self.events if q == stays and said.startswith("transfer inhibited")]
            self.assertEqual(len(causes), 1, name)
            self.assertRegex(causes[0], r"'UPS-C' would be at 130\.\d %, above 100\.0 %")
            self.at(caught, "on the alternate source")
            self.assertLess(float(file["ups/loading"][()].max()), 0.67)

    # -- battery, grid first
    def test_17_health_and_strings_shorten_the_battery(self):
        for name, share in (("17a", 0.8), ("17b", 0.75)):
            self.play(name)
            self.assertAlmostEqual((self.at("UPS", "battery end: output off") - 10.0) / 444.2, share, delta=0.012)

    def test_20_racks_drop_and_pumps_do_not(self):
        file = self.play("20")
        for k in range(1, 9):
            self.assertAlmostEqual(self.at(f"R0{k}", "rack drops"), 5.0 + 0.02 + 4680.0 / 138.4e3, delta=1e-3)
        speed = file["pump/speed"][()].astype(float)
        self.assertLess(abs(speed - speed[0]).max(), 1e-3)
        self.assertAlmostEqual(self.at("UPS-M", "on battery"), 5.0, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
