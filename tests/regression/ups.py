"""UPS with battery: ride-through, walk-in, recharge, dips, overload, end of battery, frames, eco, bypasses, input window."""
import unittest

import h5py

from support import SOURCE, Case

CLASSES = ("ups", "battery", "electrical_load", "bus")
GRID = "GRID: {class: utility, to: M, rating: 10 MW}"
STORE = "B: {class: battery, energy: 400 kWh, discharge_efficiency: 100 %, charge_efficiency: 100 %}"
LOSSLESS = "efficiency: [[1 %, 100 %], [100 %, 100 %]]"


def load(power, name="L", bus="U"):
    return f"{name}: {{class: electrical_load, supply: {bus}, power: {power}}}"


def ups(more="", name="X"):
    return f"{name}: {{class: ups, from: M, to: U, battery: B" + (", " + more if more else "") + "}"


class Ups(Case):
    def play(self, equipment, *events, duration="60 s", period="1 s", pod=None, nodes=""):
        if pod is None:
            self.write("pod.yaml", "podtwin: pod/1\n" + nodes + "equipment:\n" + "".join(f"  {line}\n" for line in equipment))
            pod = "pod.yaml"
        text = (f"podtwin: scenario/1\ntitle: ups\npod: {pod}\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
                "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nfrom: cold\n" +
                ("events:\n" if events else "") + "".join(f"  - {e}\n" for e in events) + "record:\n" +
                "".join(f"  - {{class: {c}, signals: ['*'], period: {period}}}\n" for c in CLASSES))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", "--force")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-9)
            self.values = {}
            for group in (c for c in CLASSES if c in file):
                for k, i in enumerate(file[group]["id"].asstr()[()]):
                    self.values[i] = {s: file[group][s][:, k].astype(float) for s in file[group] if s not in ("id", "time")}
            self.alarms = [(round(float(t), 3), who, signal) for t, who, signal in
                           zip(file["alarms/time"][()], file["alarms/equipment"].asstr()[()], file["alarms/signal"].asstr()[()])]
            self.events = [(round(float(t), 6), who, cause, text) for t, who, cause, text in
                           zip(file["events/time"][()], file["events/equipment"].asstr()[()], file["events/cause"].asstr()[()],
                               file["events/text"].asstr()[()])]
        return [(t, text) for t, who, cause, text in self.events if who == "X" and cause != text and not cause.startswith("event")]

    def told(self, *texts):
        """Events of X with these texts, in order."""
        return [(t, text) for t, who, _, text in self.events if who == "X" and text in texts]

    # -- battery
    def test_100_kwh_at_1_mw_last_307_8_s_by_0_90_and_0_95_and_50_kwh_half_of_it(self):
        for energy, seconds in (("100 kWh", 307.8), ("50 kWh", 153.9)):
            for inverter, store in (("90 %", "95 %"), ("95 %", "90 %")):
                with self.subTest(energy=energy, inverter=inverter):
                    self.play(["GRID: {class: utility, to: M, rating: 10 MW, in_service: false}",
                               ups(f"rating: 1 MW, battery_efficiency: [[1 %, {inverter}], [100 %, {inverter}]]"),
                               f"B: {{class: battery, energy: {energy}, discharge_efficiency: {store}}}", load("1 MW")], duration="320 s")
                    self.assertAlmostEqual(self.values["B"]["ended_at"][-1], seconds, delta=1.001e-6)
                    self.assertAlmostEqual(self.values["X"]["autonomy"][100], seconds - 100.0, delta=2e-5)
                    self.assertEqual([(t, text) for t, who, _, text in self.events if who == "X"],
                                     [(0.0, "on battery"), (seconds, "battery end: output off")])
                    self.assertEqual(self.values["X"]["mode"][[100, -1]].tolist(), [2.0, 0.0])
                    self.assertEqual(self.values["X"]["autonomy"][-1], 0.0)
                    self.assertEqual(self.values["L"]["power"][[100, -1]].tolist(), [1e6, 0.0])
                    self.assertIn((0.0, "X", "on_battery"), self.alarms)

    def test_an_outage_of_10_s_and_the_way_back_frame_by_frame_with_recharge(self):
        self.play([GRID, ups("rating: 4 MW, frames: 2, stagger: 2 s, " + LOSSLESS), STORE, load("2 MW")],
                  "{at: 10 s, target: GRID, do: trip}", "{at: 20 s, target: GRID, do: restore}")
        self.assertEqual([e for e in self.events if e[1] == "X"],
                         [(10.0, "X", "input dead", "on battery"), (23.0, "X", "input is good again", "back on input: walks in"),
                          (35.0, "X", "every frame is back on its input", "walk-in done")])
        x = self.values["X"]
        for t, share in ((24, 0.05), (28, 0.4), (33, 0.9), (34, 0.95)):
            self.assertAlmostEqual(x["input_share"][t], share, delta=1e-7)
            self.assertAlmostEqual(x["input_power"][t], share * 2e6, delta=0.2)
            self.assertAlmostEqual(x["battery_power"][t], (1.0 - share) * 2e6, delta=0.2)
        self.assertEqual([x["mode"][t] for t in (5, 15, 21, 24, 40)], [1.0, 2.0, 2.0, 1.0, 1.0])
        self.assertEqual([self.values["U"]["source"][t] for t in (5, 15, 21, 24, 40)], [1.0, 3.0, 3.0, 1.0, 1.0])
        self.assertEqual(set(self.values["L"]["power"]), {2e6})
        # 13 s alone, 12 s of ramps that come to half: 38 MJ; then 10 % of rating less the charger's loss.
        self.assertAlmostEqual(self.values["B"]["energy_out"][35], 38e6, delta=50.0)
        self.assertAlmostEqual(x["battery_power"][40], -0.97 * 0.4e6, delta=1e-3)
        self.assertAlmostEqual(x["input_power"][40], 2.4e6, delta=1e-3)

    def test_a_recharge_ends_when_the_battery_is_full(self):
        self.play([GRID, ups("rating: 4 MW, recharge_utility: 20 %, charger_efficiency: 90 %"),
                   STORE.replace("400 kWh", "400 kWh, initial_soc: 99 %"), load("2 MW")])
        # 14.4 MJ at 0.9 of 0.8 MW.
        self.assertEqual([(t, text) for t, who, _, text in self.events if who == "B"], [(20.0, "end of charging at 100 % of charge")])
        self.assertEqual(self.values["X"]["battery_power"][-1], 0.0)

    def test_on_generators_it_neither_charges_nor_goes_to_eco(self):
        self.play([GRID, "G: {class: generator, to: M, rating: 6 MW, start_on: M}", ups("rating: 4 MW, initially: eco"), STORE, load("1 MW")],
                  "{at: 10 s, target: GRID, do: trip}", "{at: 50 s, target: G, do: trip}", "{at: 50 s, target: GRID, do: restore}", duration="90 s")
        x = self.values["X"]
        self.assertEqual([x["mode"][t] for t in (5, 15, 40, 80)], [4.0, 2.0, 1.0, 4.0])
        self.assertEqual([self.values["M"]["source"][t] for t in (5, 40, 80)], [1.0, 2.0, 1.0])
        self.assertEqual(x["battery_power"][45], 0.0)
        self.assertLess(x["battery_power"][80], 0.0)
        self.assertAlmostEqual(x["loss"][5], 1e6 * (1.0 / 0.984 - 1.0), delta=1e-3)

    def test_the_third_dip_in_60_s_keeps_it_on_the_battery_until_reset_or_for_a_time(self):
        dips = [f"{{at: {t + k} s, target: GRID, do: {do}}}" for t in (10, 25, 40) for k, do in ((0, "trip"), (1, "restore"))]
        equipment = [GRID, ups("rating: 4 MW, walk_in_time: 5 s"), STORE, load("1 MW")]
        self.play(equipment, *dips, "{at: 80 s, target: X, do: reset}", duration="100 s")
        self.assertEqual(self.told("on battery", "stays on battery", "walk-in done"),
                         [(10.0, "on battery"), (19.0, "walk-in done"), (25.0, "on battery"), (34.0, "walk-in done"), (40.0, "on battery"),
                          (40.0, "stays on battery"), (88.0, "walk-in done")])
        self.assertEqual([self.values["X"]["dips"][t] for t in (5, 15, 30, 60, 90)], [0.0, 1.0, 2.0, 3.0, 0.0])
        self.assertEqual(self.values["U"]["source"][70], 3.0)
        self.play([equipment[0], ups("rating: 4 MW, walk_in_time: 5 s, dip_hold: 20 s"), *equipment[2:]], *dips, duration="100 s")
        self.assertEqual(self.told("may go back to its input", "walk-in done")[-2:], [(60.0, "may go back to its input"), (68.0, "walk-in done")])
        # Dips further apart than that are none too many.
        slow = [e.replace("40 s", "71 s").replace("41 s", "72 s") for e in dips]
        self.play(equipment, *slow, duration="90 s")
        self.assertEqual(self.told("stays on battery"), [])

    def test_a_second_loss_within_the_way_back_starts_it_all_over(self):
        self.play([GRID, ups("rating: 4 MW"), STORE, load("1 MW")],
                  *(f"{{at: {t} s, target: GRID, do: {do}}}" for t, do in ((10, "trip"), (12, "restore"), (14, "trip"), (15, "restore"), (20, "trip"), (21, "restore"))))
        self.assertEqual(self.told("on battery", "back on input: walks in", "walk-in done", "stays on battery"),
                         [(10.0, "on battery"), (18.0, "back on input: walks in"), (20.0, "on battery"), (20.0, "stays on battery")])

    def test_at_the_end_of_the_battery_the_load_goes_to_a_good_input_and_comes_back_with_a_dead_one(self):
        short = "B: {class: battery, energy: 20 kWh, discharge_efficiency: 100 %}"
        equipment = [GRID, ups("rating: 4 MW, dip_count: 1, " + LOSSLESS), short, load("2 MW")]
        self.play(equipment, "{at: 10 s, target: GRID, do: trip}", "{at: 11 s, target: GRID, do: restore}")
        self.assertEqual(self.told("on battery", "battery end: to input at once"), [(10.0, "on battery"), (46.0, "battery end: to input at once")])
        self.assertEqual(set(self.values["L"]["power"]), {2e6})
        for restart, expected in ((True, [(46.0, "battery end: output off"), (53.0, "output on again")]), (False, [(46.0, "battery end: output off")])):
            self.play([GRID, ups(f"rating: 4 MW, automatic_restart: {str(restart).lower()}, " + LOSSLESS), short, load("2 MW")],
                      "{at: 10 s, target: GRID, do: trip}", "{at: 50 s, target: GRID, do: restore}")
            self.assertEqual(self.told("battery end: output off", "output on again"), expected)
            self.assertEqual(self.values["L"]["power"][48], 0.0)
            self.assertEqual(self.values["L"]["power"][-1], 2e6 if restart else 0.0)

    def test_batteries_share_and_when_one_ends_the_other_carries_on(self):
        two = ["B1: {class: battery, energy: 20 kWh, discharge_efficiency: 100 %}", "B2: {class: battery, energy: 40 kWh, discharge_efficiency: 100 %}"]
        self.play(["GRID: {class: utility, to: M, rating: 10 MW, in_service: false}",
                   ups("rating: 4 MW, " + LOSSLESS).replace("battery: B", "battery: [B1, B2]"), *two, load("2 MW")], duration="120 s")
        self.assertEqual([round(self.values[k]["power"][10]) for k in ("B1", "B2")], [1000000, 1000000])
        self.assertAlmostEqual(self.values["B1"]["ended_at"][-1], 72.0, delta=2e-6)
        self.assertAlmostEqual(self.values["B2"]["ended_at"][-1], 108.0, delta=4e-6)
        self.assertAlmostEqual(self.values["X"]["autonomy"][10], 98.0, delta=2e-5)
        self.assertAlmostEqual(self.told("battery end: output off")[0][0], self.values["B2"]["ended_at"][-1], delta=1e-3)

    def test_a_battery_that_trips_takes_the_output_with_it(self):
        self.play([GRID, ups("rating: 4 MW"), STORE, load("2 MW")], "{at: 10 s, target: GRID, do: trip}", "{at: 20 s, target: B, do: trip}")
        self.assertEqual(self.told("on battery", "battery end: output off"), [(10.0, "on battery"), (20.0, "battery end: output off")])
        self.play([GRID, ups("rating: 4 MW"), STORE, load("2 MW")], "{at: 10 s, target: B, do: trip}", "{at: 20 s, target: GRID, do: trip}")
        self.assertEqual(self.told("no battery: output off"), [(20.0, "no battery: output off")])

    def test_batteries_that_cannot_give_the_load_do_not_take_it(self):
        weak = STORE.replace("400 kWh", "400 kWh, rated_power: 1.5 MW")
        self.play([GRID, ups("rating: 4 MW"), weak, load("2 MW")], "{at: 10 s, target: GRID, do: trip}")
        self.assertEqual(self.told("more than its batteries can give: output off"), [(10.0, "more than its batteries can give: output off")])
        self.assertEqual(self.values["X"]["autonomy"][5], 0.0)
        # Nor do they go on when the load rises.
        self.play([GRID, ups("rating: 4 MW"), weak, load("1 MW")], "{at: 10 s, target: GRID, do: trip}", "{at: 20 s, target: L, do: set, with: {power: 2 MW}}")
        self.assertEqual(self.told("on battery", "battery end: output off"), [(10.0, "on battery"), (20.0, "battery end: output off")])

    # -- the block of practice.md section 1
    def test_a_block_lasts_459_s_at_2_45_mw_and_367_s_at_80_per_cent_of_health(self):
        # 5 min at 3.75 MW, by stores of energy without losses that depend on the load.
        for more, seconds in (("", 459.0), (", initial_soc: 50 %", 229.5), (", state_of_health: 80 %", 367.2)):
            self.play([GRID, ups("rating: 3.75 MW, frames: 2, " + LOSSLESS), "B: {class: battery, energy: 312.375 kWh, discharge_efficiency: 100 %" + more + "}",
                       load("2.45 MW").replace("2.45 MW", "2.45 MW")], "{at: 0 s, target: GRID, do: trip}", duration="480 s", period="10 s")
            self.assertAlmostEqual(self.values["B"]["ended_at"][-1], seconds, delta=0.03)

    def test_the_shipped_block_of_li_ion_cells_loses_about_a_fifth_of_its_time_with_a_fifth_of_its_health(self):
        end = {}
        pod = (SOURCE / "data/pods/ups-block.yaml").read_text(encoding="utf-8").replace("../catalogue", str(SOURCE / "data/catalogue"))
        for name, more in (("new", ""), ("aged", ", state_of_health: 80 %"), ("half", ", initial_soc: 50 %")):
            self.write("block.yaml", pod.replace("{type: ups-battery-liion-block", "{type: ups-battery-liion-block" + more))
            self.play([], "{at: 0 s, target: GRID, do: trip}", duration="500 s", period="10 s", pod="block.yaml")
            end[name] = self.values["BAT"]["ended_at"][-1]
            self.assertAlmostEqual(self.values["UPS"]["autonomy"][1], end[name] - 10.0, delta=2.0)
            self.assertEqual([(round(t, 3), text) for t, who, _, text in self.events if who == "UPS"],
                             [(0.0, "on battery"), (round(end[name], 3), "battery end: output off")])
        self.assertAlmostEqual(end["new"], 459.0, delta=0.05 * 459.0)
        self.assertAlmostEqual(end["aged"] / end["new"], 0.8, delta=0.03)
        self.assertAlmostEqual(end["half"] / end["new"], 0.5, delta=0.05)

    def test_the_shipped_block_rides_through_10_s(self):
        self.play([], "{at: 10 s, target: GRID, do: trip}", "{at: 20 s, target: GRID, do: restore}", pod=SOURCE / "data/pods/ups-block.yaml", duration="60 s")
        self.assertEqual([(t, text) for t, who, _, text in self.events if who == "UPS"],
                         [(10.0, "on battery"), (23.0, "back on input: walks in"), (35.0, "walk-in done")])
        self.assertLess(max(abs(self.values["IT"]["power"] - 2.45e6)), 1.0)
        self.assertFalse([e for e in self.events if e[1] == "BAT" and e[0] < 40.0], "a full battery is not charged")
        self.assertAlmostEqual(self.values["UPS"]["battery_power"][5], 0.0, delta=1e-3)
        # The rectifier draws from a bus whose voltage falls as it does.
        self.assertLess(self.values["LV"]["voltage"][5], 1.0)
        self.assertEqual(self.values["LV"]["energised"][15], 0.0)

    # -- overload
    def test_overloads_go_to_bypass_after_the_times_of_the_table_and_come_back_after_relief(self):
        for power, seconds in (("1.08 MW", 600.0), ("1.2 MW", 60.0), ("1.35 MW", 30.0), ("1.5 MW", 0.1)):
            with self.subTest(power=power):
                self.play([GRID, ups("rating: 1 MW"), STORE, load("0.9 MW")], f"{{at: 10 s, target: L, do: set, with: {{power: {power}}}}}",
                          "{at: 650 s, target: L, do: set, with: {power: 0.9 MW}}", duration="680 s")
                told = self.told("overload: to bypass", "back on inverter")
                self.assertAlmostEqual(told[0][0], 10.0 + seconds, delta=1e-9)
                self.assertEqual(told[1:], [(660.0, "back on inverter")])
                self.assertEqual(self.values["X"]["mode"][[5, 645, -1]].tolist(), [1.0, 3.0, 1.0])
                self.assertEqual(self.values["X"]["overload_time_left"][5], 1e6)

    def test_what_is_used_up_of_an_overload_counts_for_the_next_one(self):
        self.play([GRID, ups("rating: 1 MW, overload: [[120 %, 60 s], [150 %, 20 s]], overload_recovery: 1000 s"), STORE, load("0.9 MW")],
                  "{at: 10 s, target: L, do: set, with: {power: 1.2 MW}}", "{at: 40 s, target: L, do: set, with: {power: 1.4 MW}}", duration="90 s")
        self.assertAlmostEqual(self.values["X"]["overload_time_left"][30], 40.0, delta=1e-3)
        self.assertAlmostEqual(self.told("overload: to bypass")[0][0], 50.0, delta=1e-9)

    def test_an_overload_on_battery_ends_with_the_output_until_restored(self):
        self.play([GRID, ups("rating: 1 MW"), STORE, load("1.35 MW")], "{at: 0 s, target: GRID, do: trip}", "{at: 40 s, target: GRID, do: restore}",
                  "{at: 50 s, target: L, do: set, with: {power: 0.5 MW}}", "{at: 55 s, target: X, do: restore}")
        self.assertAlmostEqual(self.told("overload: output off")[0][0], 30.0, delta=1e-9)
        self.assertEqual([self.values["L"]["power"][t] for t in (20, 35, 52, 57)], [1.35e6, 0.0, 0.0, 0.5e6])

    def test_with_one_frame_of_two_the_other_carries_131_per_cent_for_30_s(self):
        self.play([GRID, ups("rating: 3.75 MW, frames: 2"), STORE, load("2.45 MW")], "{at: 10 s, target: X, do: fail, with: {frames: 1}}",
                  "{at: 50 s, target: X, do: restore}", duration="70 s")
        x = self.values["X"]
        self.assertAlmostEqual(x["loading"][20], 2.45 / 1.875, delta=1e-6)
        self.assertEqual([x["frames_in"][t] for t in (5, 20, 60)], [2.0, 1.0, 2.0])
        self.assertAlmostEqual(self.told("overload: to bypass")[0][0], 40.0, delta=1e-9)
        self.assertIn((10.0, "X", "loading"), self.alarms)
        self.assertEqual([x["mode"][t] for t in (20, 45, 60)], [1.0, 3.0, 1.0])
        self.play([GRID, ups("rating: 3.75 MW, frames: 2"), STORE, load("1 MW")], "{at: 10 s, target: X, do: fail, with: {frames: 2}}", duration="20 s")
        self.assertEqual(self.values["L"]["power"][-1], 0.0)

    # -- eco and bypasses
    def test_eco_rides_through_on_the_battery_and_a_bypass_does_not(self):
        self.play([GRID, ups("rating: 2 MW"), STORE, load("1 MW")], "{at: 5 s, target: X, do: eco}", "{at: 10 s, target: GRID, do: trip}",
                  "{at: 15 s, target: GRID, do: restore}", "{at: 40 s, target: X, do: bypass}", "{at: 45 s, target: GRID, do: trip}",
                  "{at: 50 s, target: GRID, do: restore}", "{at: 52 s, target: X, do: maintenance}", "{at: 56 s, target: X, do: inverter}")
        x, out = self.values["X"], self.values["L"]["power"]
        self.assertEqual([x["mode"][t] for t in (3, 8, 12, 20, 35, 43, 47, 51, 54, 58)], [1.0, 4.0, 2.0, 1.0, 4.0, 3.0, 0.0, 3.0, 5.0, 1.0])
        self.assertEqual([out[t] for t in (8, 12, 20, 43, 47, 51, 54)], [1e6, 1e6, 1e6, 1e6, 0.0, 1e6, 1e6])
        for t, loss in ((8, 1e6 * (1.0 / 0.99 - 1.0)), (43, 5e3), (54, 0.0)):
            self.assertAlmostEqual(x["loss"][t], loss, delta=1e-3)
        self.assertEqual(self.told("output dead", "output live again"), [(45.0, "output dead"), (50.0, "output live again")])
        self.assertIn((40.0, "X", "on_bypass"), self.alarms)

    def test_a_dead_bypass_is_refused_and_one_of_its_own_is_used(self):
        equipment = [GRID, "SPARE: {class: utility, to: S, rating: 5 MW}", ups("rating: 2 MW, bypass: S"), STORE, load("1 MW")]
        self.play(equipment, "{at: 5 s, target: SPARE, do: trip}", "{at: 10 s, target: X, do: bypass}", "{at: 20 s, target: SPARE, do: restore}",
                  "{at: 30 s, target: X, do: bypass}", "{at: 40 s, target: GRID, do: trip}", "{at: 50 s, target: X, do: inverter}")
        self.assertEqual(self.told("stays: its bypass is dead", "on static bypass", "on inverter"),
                         [(10.0, "stays: its bypass is dead"), (30.0, "on static bypass"), (50.0, "on inverter")])
        self.assertEqual(set(self.values["L"]["power"]), {1e6})
        self.assertEqual([self.values["X"]["mode"][t] for t in (15, 35, 45, 55)], [1.0, 3.0, 3.0, 2.0])
        self.assertAlmostEqual(self.values["S"]["load"][45], 1.005e6, delta=1e-3)
        self.assertEqual(self.values["M"]["load"][35], 0.0)
        # Its battery's end takes it there, too.
        self.play([*equipment[:3], "B: {class: battery, energy: 5 kWh, discharge_efficiency: 100 %}", equipment[4]], "{at: 5 s, target: GRID, do: trip}")
        self.assertEqual(self.told("battery end: to bypass")[0][1], "battery end: to bypass")
        self.assertEqual(set(self.values["L"]["power"]), {1e6})

    # -- with voltages
    def test_an_input_voltage_below_the_window_is_ridden_through_on_the_battery(self):
        self.play(["GRID: {class: utility, to: M, rating: 20 MW, short_circuit_power: 20 MVA}", ups("rating: 1 MW"), STORE, load("0.5 MW"),
                   "N: {class: electrical_load, supply: M, power: 1 MW, reactive_power: 1 Mvar}"],
                  "{at: 10 s, target: N, do: set, with: {power: 3.5 MW}}", "{at: 20 s, target: N, do: set, with: {power: 1 MW}}",
                  nodes="nodes: {M: {nominal_voltage: 480 V}, U: {nominal_voltage: 480 V}}\n")
        told = [(t, cause.split(" at ")[0], text) for t, who, cause, text in self.events if who == "X"]
        self.assertEqual(told, [(10.0, "input", "on battery"), (23.0, "input is good again", "back on input: walks in"),
                                (33.0, "every frame is back on its input", "walk-in done")])
        share, x = self.values["M"]["voltage"], self.values["X"]
        self.assertLess(share[15], 0.86)
        self.assertGreater(share[15], 0.6)
        self.assertEqual([x["mode"][t] for t in (5, 15, 40)], [1.0, 2.0, 1.0])
        self.assertEqual(self.values["U"]["source"][15], 3.0)
        self.assertAlmostEqual(x["i_a"][15], 0.5e6 / (480.0 * 3.0 ** 0.5), delta=1.0)
        self.assertEqual(x["input_power"][15], 0.0)

    def test_a_bypass_30_degrees_away_is_not_taken(self):
        nodes = "nodes: {H: {nominal_voltage: 13.8 kV}, M: {nominal_voltage: 480 V}, S: {nominal_voltage: 480 V}, U: {nominal_voltage: 480 V}}\n"
        for group, text in (("Dyn1", "on static bypass"), ("YNyn0", "stays: its bypass is out of its window or out of phase")):
            self.play(["GRID: {class: utility, to: H, rating: 20 MW}", "T1: {class: transformer, from: H, to: M, rating: 2 MVA, vector_group: Dyn1}",
                       f"T2: {{class: transformer, from: H, to: S, rating: 2 MVA, vector_group: {group}}}", ups("rating: 1 MW, bypass: S"), STORE, load("0.5 MW")],
                      "{at: 10 s, target: X, do: bypass}", "{at: 20 s, target: T2, do: trip}", duration="30 s", nodes=nodes)
            self.assertEqual(self.told(text), [(10.0, text)])
            taken = group == "Dyn1"
            self.assertEqual(self.values["X"]["mode"][15], 3.0 if taken else 1.0)
            self.assertAlmostEqual(self.values["L"]["power"][-1], 0.0 if taken else 0.5e6, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
