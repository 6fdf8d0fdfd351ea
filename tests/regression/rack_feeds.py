"""Power of a rack when feeds, phases or supplies fail: hold-up, capacitors, brake, limit, battery backup, drop and return; caps and brakes by order."""
import unittest

import h5py
import numpy

from support import Case

POD = """podtwin: pod/1
circuits:
  tcs: {fluid: PG25}
nodes:
  in: {pressure: 150 kPa, temperature: 40 degC}
  out: {pressure: 0 kPa, temperature: 45 degC}
equipment:
  GA: {class: utility, to: A, rating: 2 MW%s}
  GB: {class: utility, to: B, rating: 2 MW%s}
  R: {class: rack, from: in, to: out, feeds: [A, B]%s}
"""
VOLTAGE = ", voltage: 415 V, short_circuit_power: 20 MVA"
ETA_8 = 0.975 - 0.003 * (138.4086 / 264.0 - 0.5) / 0.25  # of eight shelves at 142 kW AC, between the points at 50 and 75 %
EXCESS = 142e3 * ETA_8 - 132e3  # W DC that four shelves lack at 142 kW
STORE = 65.0 * 72  # J


class RackFeeds(Case):
    def play(self, *events, more="", voltage="", duration="12 s", power="142 kW", period="10 ms"):
        self.write("pod.yaml", POD % (voltage, voltage, more))
        text = ("podtwin: scenario/1\ntitle: feeds\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\n" + f"duration: {duration}\n"
                "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\n" + f"workload: {{kind: constant, rack_power: {power}}}\nfrom: steady\n" +
                ("events:\n" if events else "") + "".join(f"  - {e}\n" for e in events) + "record:\n" +
                "".join(f"  - {{class: {c}, signals: ['*'], period: {period}}}\n" for c in ("rack", "power_shelf", "bus", "utility")))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", "--force")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-9)
            self.time = file["rack/time"][:]
            self.rack = {s: file["rack"][s][:, 0] for s in file["rack"] if s not in ("id", "time")}
            self.shelf = {s: file["power_shelf"][s][:] for s in file["power_shelf"] if s not in ("id", "time", "rack")}
            self.bus = {s: file["bus"][s][:] for s in file["bus"] if s not in ("id", "time")}
            self.utility = {s: file["utility"][s][:] for s in file["utility"] if s not in ("id", "time")}
            self.events = [(round(float(t), 6), text) for t, who, actor, text in
                           zip(file["events/time"][:], file["events/equipment"].asstr()[:], file["events/actor"].asstr()[:],
                               file["events/text"].asstr()[:]) if who == "R" and actor == "power shelves"]

    def at(self, moment):
        return int(numpy.argmin(abs(self.time - moment)))

    def moments(self, text):
        return [t for t, said in self.events if text in said]

    def test_one_feed_lost_brake_then_limit_and_free_again(self):
        self.play("{at: 2 s, target: GA, do: trip}", "{at: 6 s, target: GA, do: restore}")
        self.assertEqual(self.moments("supplies go off"), [2.02])
        self.assertEqual(self.moments("hardware brake"), [2.07])
        self.assertEqual(self.moments("GPUs limited to 132.0 kW"), [2.52])
        self.assertEqual(self.moments("supplies come back"), [7.0])
        self.assertEqual(self.moments("free again"), [7.0])
        held = self.rack["held_by"]
        self.assertEqual([int(held[self.at(t)]) for t in (2.05, 2.3, 4.0, 8.0)], [0, 3, 2, 0])
        self.assertAlmostEqual(self.rack["power_dc"][self.at(4.0)], 132e3, delta=1.0)
        self.assertAlmostEqual(self.rack["power"][self.at(4.0)], 132e3 / 0.966, delta=1.0)
        # 50 ms of the excess out of the capacitors.
        self.assertAlmostEqual((1.0 - self.rack["capacitor_charge"][self.at(2.07)]) * STORE, 0.05 * EXCESS, delta=0.5)
        self.assertGreater(self.rack["capacitor_charge"][-1], 0.999)
        self.assertEqual(int(self.rack["drops"][-1]), 0)

    def test_a_slow_cap_lets_the_capacitors_end_and_the_rack_drops(self):
        for power, excess in (("142 kW", EXCESS), ("155 kW", 155e3 * (0.975 - 0.003 * (151.0 / 264.0 - 0.5) / 0.25) - 132e3)):
            self.play("{at: 2 s, target: GA, do: trip}", more=", overload_action: limit, limit_time: 5 s", duration="4 s", power=power)
            self.assertEqual(len(self.moments("rack drops")), 1)
            self.assertAlmostEqual(self.moments("rack drops")[0], 2.02 + STORE / excess, delta=2e-3)
            self.assertEqual((float(self.rack["power_dc"][-1]), int(self.rack["dropped"][-1])), (0.0, 1))

    def test_both_feeds_lost_is_ridden_over_within_hold_up_and_capacitors(self):
        both = "target: [GA, GB]"
        for seconds in (0.015, 0.05, 0.06, 0.2):
            self.play(f"{{at: 2 s, {both}, do: trip}}", f"{{at: {2 + seconds} s, {both}, do: restore}}", more=", restart_delay: 3 s", duration="8 s")
            # 20 ms of hold-up and 4.68 kJ / 138.4 kW = 33.8 ms; but supplies that went off come back a second later.
            ridden = seconds < 0.02
            self.assertEqual(int(self.rack["drops"][-1]), 0 if ridden else 1, seconds)
            if not ridden:
                self.assertAlmostEqual(self.moments("rack drops")[0], 2.02 + STORE / (142e3 * ETA_8), delta=1e-3)
                self.assertEqual(self.moments("rack returns"), [round(2.0 + seconds + 1.0 + 3.0, 6)])
            self.assertAlmostEqual(self.rack["power"][-1], 142e3, delta=200.0)

    def test_a_sag_is_an_outage_below_the_supplies_lowest_voltage(self):
        for share, drops in (("50 %", 1), ("74 %", 1), ("80 %", 0)):
            self.play(f"{{at: 2 s, target: [GA, GB], do: sag, with: {{voltage: {share}}}}}", "{at: 2.2 s, target: [GA, GB], do: restore}", voltage=VOLTAGE, duration="3 s")
            self.assertEqual(int(self.rack["drops"][-1]), drops, share)

    def test_shelves_on_single_phases_load_them_and_a_failed_supply_unbalances(self):
        self.play(voltage=VOLTAGE, more=", shelf_phases: a b a b c b c b", duration="1 s")
        # Feed A: two shelves on a, two on c; feed B: four on b. 142 kW / 8 a shelf over 239.6 V.
        shelf = 142e3 / 8 / (415 / 3 ** 0.5)
        currents = {c: self.utility[f"i_{c}"][-1] for c in "abc"}
        for feed, phases in ((0, (2, 0, 2)), (1, (0, 4, 0))):
            for c, n in zip("abc", phases):
                self.assertAlmostEqual(currents[c][feed], n * shelf, delta=0.01 * 4 * shelf)
        self.play("{at: 0.5 s, target: R-P1, do: fail, with: {supply: 1}}", voltage=VOLTAGE, duration="1 s")
        self.assertEqual([int(x) for x in self.shelf["supplies_live"][-1]], [5, 6, 6, 6, 6, 6, 6, 6])
        # 47 supplies share: feed A has 7 on phase a and 8 on each other.
        a, b, c = (self.utility[f"i_{k}"][-1][0] for k in "abc")
        self.assertAlmostEqual(a / b, 7.0 / 8.0, delta=2e-3)
        self.assertAlmostEqual(b / c, 1.0, delta=1e-3)
        self.assertAlmostEqual(self.rack["power_available"][-1], 47 * 5.5e3, delta=1e-6)

    def test_battery_backup_carries_the_excess_and_is_charged_again(self):
        # 60 kJ at 6.4 kW: 9.4 s; the capacitors carry 0.73 s more, then the rack drops.
        self.play("{at: 2 s, target: GA, do: trip}", more=", overload_action: none, bbu_shelves: 1, bbu_energy: 60 kJ", duration="14 s")
        self.assertAlmostEqual(self.moments("battery backup ends")[0], 2.02 + 60e3 / EXCESS, delta=5e-3)
        self.assertAlmostEqual(self.moments("rack drops")[0], 2.02 + (60e3 + STORE) / EXCESS, delta=1e-2)
        self.assertAlmostEqual(self.rack["time_to_drop"][self.at(3.0)], (60e3 + STORE) / EXCESS - 0.98, delta=2e-2)
        self.play("{at: 2 s, target: GA, do: trip}", "{at: 5 s, target: GA, do: restore}", more=", overload_action: none, bbu_shelves: 1, bbu_energy: 60 kJ", duration="12 s")
        self.assertFalse(self.moments("rack drops"))
        charge = self.rack["bbu_charge"]
        self.assertAlmostEqual(charge[self.at(11.0)] - charge[self.at(7.0)], 4.0 * 1e3 / 60e3, delta=1e-3)  # 1 kW

    def test_caps_and_brakes_act_after_their_times(self):
        self.play("{at: 2 s, target: R, do: cap, with: {power: 100 kW}}", "{at: 4 s, target: R, do: cap, with: {power: 0 W}}",
                  "{at: 6 s, target: R, do: brake}", "{at: 8 s, target: R, do: release}")
        power = self.rack["power"]
        self.assertAlmostEqual(power[self.at(2.48)], 142e3, delta=1.0)
        self.assertAlmostEqual(power[self.at(2.52)], 100e3, delta=1.0)
        self.assertAlmostEqual(power[self.at(4.52)], 142e3, delta=1.0)
        self.assertAlmostEqual(power[self.at(6.04)], 142e3, delta=1.0)
        # 700 W a GPU.
        self.assertLess(power[self.at(6.06)], 142e3 - 45e3)
        self.assertAlmostEqual(power[self.at(8.02)], 142e3, delta=1.0)
        self.assertEqual([int(self.rack["held_by"][self.at(t)]) for t in (1.0, 3.0, 5.0, 7.0, 9.0)], [0, 1, 0, 3, 0])

    def test_a_cap_holds_ac_on_one_feed_too(self):
        self.play("{at: 1 s, target: R, do: cap, with: {power: 120 kW}}", "{at: 4 s, target: GA, do: trip}", duration="6 s")
        self.assertAlmostEqual(self.rack["power"][self.at(3.0)], 120e3, delta=1.0)
        self.assertAlmostEqual(self.rack["power"][-1], 120e3, delta=1.0)

    def test_a_steady_state_on_one_feed_is_limited_and_starts_quietly(self):
        self.write("pod.yaml", (POD % ("", ", in_service: false", "")))
        self.write("run.yaml", "podtwin: scenario/1\ntitle: t\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: 3 s\n"
                   "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nworkload: {kind: constant, rack_power: 142 kW}\nfrom: steady\n" +
                   "record:\n  - {class: rack, signals: ['*'], period: 1 s}\n")
        self.run_ok("run", self.folder / "run.yaml", "-o", self.folder / "o.h5", "--quiet")
        with h5py.File(self.folder / "o.h5") as file:
            numpy.testing.assert_allclose(file["rack/power_dc"][:, 0], 132e3, atol=1.0)
            self.assertEqual(len([x for x in file["events/actor"].asstr()[:] if x == "power shelves"]), 0)

    def test_wrong_phases_are_refused_with_their_place(self):
        for voltage, more, said in ((VOLTAGE, "shelf_phases: abd", "on the phases 'abd'"), (VOLTAGE, "shelf_phases: a b", "gives the phases of 2 power shelves and has 8"),
                                    ("", "shelf_phases: a", "carries active power alone")):
            errors = self.run_ok("check", self.write("pod.yaml", POD % (voltage, voltage, ", " + more)), status=2).stderr
            self.assertIn(said, errors)
            self.assertRegex(errors, r"pod\.yaml:10:\d+: error")
        self.write("pod.yaml", POD % ("", "", ""))
        bad = self.write("run.yaml", "podtwin: scenario/1\ntitle: t\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: 3 s\n"
                         "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nfrom: cold\nevents:\n"
                         "  - {at: 1 s, target: R-P1, do: fail, with: {supply: 7}}\n")
        done = self.run_ok("run", bad, "-o", self.folder / "o.h5", status=2)
        self.assertIn("numbered from 1 to 6", done.stderr)


if __name__ == "__main__":
    unittest.main()
