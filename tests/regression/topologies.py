"""Shipped one-lines: each is sound at `check`, carries its load in the steady state, and what fails first is what its idea says."""
import unittest

import h5py

from support import SOURCE, Case, scenario, table

PODS = SOURCE / "data/pods"
NEW = ("two-n", "parallel-ups", "block-redundant", "grid-first", "ups-block-two-frames", "ups-block-aged", "ups-block-four-strings",
       "row-distribution", "row-distribution-wrong-settings", "pod-on-sets", "pod-on-sets-managed", "pod-on-sets-first-set",
       "pod-on-sets-recharge", "rack-two-feeds", "rack-two-feeds-software-cap")


class Topologies(Case):
    def play(self, pod, *events, duration="20 s", rack_power=None, record=("ups",)):
        text = scenario(rack_power=rack_power, duration=duration, events=events, pod=PODS / f"{pod}.yaml",
                        extra="record:\n" + "".join(f'  - {{class: {c}, signals: ["*"], period: 1 s}}\n' for c in record))
        path = self.folder / "run.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", "--force")
        file = h5py.File(path)
        self.addCleanup(file.close)
        # Supplies on their hold-up leave some 12 J a rack of 1.2 kJ open, once; all else closes to 1e-9.
        racks = file["rack/id"].size if "rack" in file else 0
        self.assertLess(abs(float(file["balance/energy_error"][()])), 15.0 * racks + 1e-9 * float(file["balance/energy_in"][()]))
        return file

    @staticmethod
    def last(file, group, signal):
        return dict(zip(file[group]["id"].asstr()[()], file[group][signal][-1].astype(float)))

    @staticmethod
    def told(file, who):
        e = file["events"]
        return [text for q, text in zip(e["equipment"].asstr()[()], e["text"].asstr()[()]) if q == who and text != "trip"]

    def steady_of(self, pod, name):
        self.run_ok("steady", PODS / f"{pod}.yaml", "--csv", self.folder / pod)
        return table(self.folder / pod, name)

    def test_every_one_is_sound(self):
        for pod in NEW:
            with self.subTest(pod=pod):
                self.assertNotIn("error", self.run_ok("check", PODS / f"{pod}.yaml").stderr)

    def test_2n_carries_all_on_either_system_and_gives_out_with_the_second(self):
        shares = self.steady_of("two-n", "ups")
        for k in "AB":
            self.assertAlmostEqual(shares[f"UPS-{k}"]["loading"], 8 * 142.0 / 1250.0 / 2.0, delta=0.005)
        # One system away: 8 x 120 kW = 960 kW of 1,250 kW on the other (a rack's four shelves give 132 kW).
        one = self.play("two-n", "{at: 5 s, target: UPS-A, do: trip}", rack_power="120 kW", record=("ups", "rack"))
        self.assertAlmostEqual(self.last(one, "ups", "load")["UPS-B"], 960e3, delta=10e3)
        self.assertEqual(max(self.last(one, "rack", "drops").values()), 0.0)
        both = self.play("two-n", "{at: 5 s, target: UPS-A, do: trip}", "{at: 10 s, target: UPS-B, do: trip}", rack_power="120 kW", record=("ups", "rack"))
        self.assertEqual(min(self.last(both, "rack", "drops").values()), 1.0)

    def test_n_plus_1_modules_lose_one_without_notice_and_with_two_the_last_goes_to_bypass(self):
        self.assertAlmostEqual(self.steady_of("parallel-ups", "ups")["UPS-1"]["loading"], 2.45 / 3.75, delta=1e-3)
        one = self.play("parallel-ups", "{at: 5 s, target: UPS-1, do: trip}")
        self.assertAlmostEqual(self.last(one, "ups", "loading")["UPS-2"], 2.45 / 2.5, delta=1e-3)
        self.assertEqual(self.told(one, "UPS-2"), [])
        # 2.45 MW on 1.25 MW: 196 %, more than the 150 % of its current limit.
        two = self.play("parallel-ups", "{at: 5 s, target: UPS-1, do: trip}", "{at: 10 s, target: UPS-2, do: trip}", record=("ups", "electrical_load"))
        self.assertEqual(self.told(two, "UPS-3"), ["current limit: to bypass"])
        self.assertAlmostEqual(self.last(two, "electrical_load", "power")["IT"], 2.45e6, delta=1.0)
        # Without a grid there is no bypass to go to.
        dead = self.play("parallel-ups", "{at: 1 s, target: GRID, do: trip}", "{at: 5 s, target: UPS-1, do: trip}",
                         "{at: 10 s, target: UPS-2, do: trip}", record=("ups", "electrical_load"))
        self.assertEqual(self.told(dead, "UPS-3")[0], "on battery")
        self.assertIn("output off", self.told(dead, "UPS-3")[1])
        self.assertEqual(self.last(dead, "electrical_load", "power")["IT"], 0.0)

    def test_a_bypass_lets_the_grid_s_voltage_through_and_an_inverter_does_not(self):
        # 70 % of the grid, less the drop of two transformers.
        dip = "{at: 5 s, target: GRID, do: sag, with: {voltage: 70 %}}"
        for order, low, high in (("", 0.97, 1.0), ("{at: 2 s, target: UPS, do: maintenance}", 0.6, 0.7)):
            events = [e for e in (order, dip) if e]
            file = self.play("ups-block", *events, duration="8 s", record=("bus", "ups"))
            nominal = 480.0 / 3.0 ** 0.5
            volts = self.last(file, "bus", "v_a")["UB"] / nominal
            self.assertGreater(volts, low, order)
            self.assertLess(volts, high, order)

    def test_the_catcher_runs_without_load_until_a_block_needs_it(self):
        self.assertLess(self.steady_of("block-redundant", "ups")["UPS-C"]["loading"], 1e-3)

    def test_the_catcher_gets_room_back_when_the_first_block_returns(self):
        file = self.play("block-redundant", "{at: 5 s, target: UPS-3, do: trip}", "{at: 10 s, target: UPS-1, do: trip}",
                         "{at: 15 s, target: UPS-3, do: restore}", duration="90 s", rack_power="142 kW", record=("transfer_switch", "ups"))
        # STS-3 goes back 60 s after the return of its block, and STS-1 is let in then.
        self.assertEqual(self.told(file, "STS-1")[0], "transfer inhibited: stays without a source")
        self.assertEqual(self.last(file, "transfer_switch", "position"), {"STS-1": 2.0, "STS-2": 1.0, "STS-3": 1.0})
        self.assertLess(float(file["ups/loading"][()].max()), 1.0)

    def test_an_unbounded_switch_pulls_the_catcher_down(self):
        text = (PODS / "block-redundant.yaml").read_text().replace("../catalogue", str(SOURCE / "data/catalogue"))
        text = text.replace(", reserve: UPS-C, transfer_limit: 100 %, priority: 1", "").replace(", priority: 2}", "}").replace(", priority: 3}", "}")
        pod = self.write("pods/free.yaml", text)
        body = scenario(rack_power="142 kW", duration="60 s", pod=pod,
                        events=["{at: 2 s, target: GRID, do: trip}", "{at: 5 s, target: UPS-3, do: trip}", "{at: 10 s, target: UPS-1, do: trip}"])
        path = self.folder / "free.h5"
        self.run_ok("run", self.write("free.yaml", body), "-o", path, "--quiet")
        with h5py.File(path) as file:
            # 4.88 MW is more than its battery of 3.9 MW gives: two blocks are lost for one.
            self.assertEqual(self.told(file, "UPS-C"), ["on battery", "battery end: output off"])

    def test_a_limit_without_a_reserve_is_refused(self):
        pod = ("podtwin: pod/1\nequipment:\n  G: {class: utility, to: A, rating: 1 MW}\n  H: {class: utility, to: B, rating: 1 MW}\n"
               "  S: {class: transfer_switch, preferred: A, alternate: B, to: C, rating: 400 A%s}\n  L: {class: electrical_load, power: 1 kW, supply: C}\n")
        for given, what in ((", transfer_limit: 90 %", "no reserve"), (", reserve: L", "no loading")):
            told = self.run_ok("check", self.write("bad.yaml", pod % given), status=2).stderr
            self.assertRegex(told, r"bad\.yaml:5:\d+: error: .*" + what)

    def test_a_rack_on_one_feed_holds_by_its_brake(self):
        file = self.play("rack-two-feeds", "{at: 5 s, target: FEED-B, do: trip}", rack_power="142 kW", record=("rack",))
        self.assertEqual(self.last(file, "rack", "drops"), {"R1": 0.0})
        self.assertTrue([text for text in self.told(file, "R1") if "brake" in text])

    def test_wrong_settings_are_told_at_check(self):
        def between(pod):
            lines = self.run_ok("check", PODS / f"{pod}.yaml").stderr.splitlines()
            return [line for line in lines if "earth faults from 5" in line]
        self.assertEqual(between("row-distribution"), [])
        self.assertEqual(len(between("row-distribution-wrong-settings")), 1)


if __name__ == "__main__":
    unittest.main()
