"""Sources: frequency and import limit of the grid, starts of generators that fail by chance."""
import unittest

import h5py

from support import Case

CLASSES = ("utility", "ups", "battery", "generator", "electrical_load", "bus")
UPS = ["X: {class: ups, from: M, to: U, battery: B, rating: 4 MW}", "B: {class: battery, energy: 400 kWh}"]


def load(power, name="L", bus="U"):
    return f"{name}: {{class: electrical_load, supply: {bus}, power: {power}}}"


class Sources(Case):
    def scenario(self, *events, duration="60 s", more="", equipment=()):
        used = [c for c in CLASSES if c == "bus" or any(f"class: {c}," in line for line in equipment)]
        return (f"podtwin: scenario/1\ntitle: sources\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
                "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\n" + (more or "from: cold\n") +
                ("events:\n" if events else "") + "".join(f"  - {e}\n" for e in events) + "record:\n" +
                "".join(f"  - {{class: {c}, signals: ['*'], period: 1 s}}\n" for c in used))

    def play(self, equipment, *events, nodes="", options=(), **scenario):
        self.write("pod.yaml", "podtwin: pod/1\n" + nodes + "equipment:\n" + "".join(f"  {line}\n" for line in equipment))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", self.scenario(*events, equipment=equipment, **scenario)), "-o", path, "--quiet", "--force", *options)
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-9)
            self.values = {}
            for group in (c for c in CLASSES if c in file):
                for k, i in enumerate(file[group]["id"].asstr()[()]):
                    self.values[i] = {s: file[group][s][:, k].astype(float) for s in file[group] if s not in ("id", "time")}
            self.alarms = [(round(float(t), 3), who, signal) for t, who, signal in
                           zip(file["alarms/time"][()], file["alarms/equipment"].asstr()[()], file["alarms/signal"].asstr()[()])]
            self.events = [(round(float(t), 5), who, text) for t, who, text in
                           zip(file["events/time"][()], file["events/equipment"].asstr()[()], file["events/text"].asstr()[()])]

    def of(self, who):
        return [(t, text) for t, equipment, text in self.events if equipment == who]

    # -- frequency
    def test_a_ramp_of_frequency_sends_the_ups_to_its_battery_where_it_leaves_the_window_and_back(self):
        grid = "GRID: {class: utility, to: M, rating: 10 MW, frequency_ramp_time: 10 s%s}"
        nodes = "nodes:\n  M: {nominal_voltage: 480 V}\n  U: {nominal_voltage: 480 V}\n"
        for more, of_pod in (("", ""), (", voltage: 480 V", nodes)):
            with self.subTest(nodes=of_pod):
                self.play([grid % more, *UPS, load("2 MW")], "{at: 10 s, target: GRID, do: frequency, with: {frequency: 40 Hz}}",
                          "{at: 40 s, target: GRID, do: restore}", nodes=of_pod)
                # 60 Hz less 2 Hz/s: 45 Hz, 75 % of nominal, after 7.5 s.
                self.assertEqual(self.of("X"), [(17.5, "on battery"), (43.0, "back on input: walks in"), (53.0, "walk-in done")])
                self.assertIn((20.0, "frequency at 40 Hz"), self.of("GRID"))
                frequency = self.values["GRID"]["frequency"]
                for t, hertz in ((5, 60.0), (15, 50.0), (30, 40.0), (45, 60.0)):
                    self.assertAlmostEqual(frequency[t], hertz, delta=1e-9)
                self.assertEqual(self.values["GRID"]["power"][30], 0.0)
                self.assertEqual(set(self.values["L"]["power"].round(3)), {2e6})

    def test_a_deviation_within_the_window_and_one_of_another_grid_change_nothing(self):
        self.play(["GRID: {class: utility, to: M, rating: 10 MW}", "OTHER: {class: utility, to: N, rating: 10 MW}", *UPS, load("2 MW"),
                   load("1 MW", "L2", "N")], "{at: 10 s, target: GRID, do: frequency, with: {frequency: 46 Hz}}",
                  "{at: 20 s, target: OTHER, do: frequency, with: {frequency: 40 Hz}}")
        self.assertEqual(self.of("X"), [])

    def test_a_frequency_that_no_grid_has_is_refused(self):
        self.write("pod.yaml", "podtwin: pod/1\nequipment:\n  GRID: {class: utility, to: M, rating: 10 MW}\n  " + load("1 MW", bus="M") + "\n")
        done = self.run_ok("check", self.write("run.yaml", self.scenario(
            "{at: 10 s, target: GRID, do: frequency, with: {frequency: 20 Hz}}")), status=2)
        self.assertIn("from 50 to 150 %", done.stderr)
        self.assertRegex(done.stderr, r"run\.yaml:\d+")

    # -- import limit
    def test_an_import_limit_alarms_after_its_delay_and_goes_with_the_load(self):
        self.play(["GRID: {class: utility, to: M, rating: 10 MW, import_limit: 2 MW, import_limit_delay: 15 s}", load("1.5 MW", bus="M")],
                  "{at: 5 s, target: L, do: set, with: {power: 2.4 MW}}", "{at: 12 s, target: L, do: set, with: {power: 1 MW}}",
                  "{at: 20 s, target: L, do: set, with: {power: 2.4 MW}}", "{at: 50 s, target: L, do: set, with: {power: 1 MW}}")
        self.assertEqual(self.of("GRID"), [(35.0, "import limit exceeded"), (50.0, "within its import limit again")])
        self.assertIn((35.0, "GRID", "import_exceeded"), self.alarms)
        margin = self.values["GRID"]["import_margin"]
        self.assertEqual([margin[t] for t in (2, 10, 40, 55)], [0.5e6, -0.4e6, -0.4e6, 1e6])

    def test_an_import_limit_that_trips_takes_the_load_off(self):
        self.play(["GRID: {class: utility, to: M, rating: 10 MW, import_limit: 2 MW, import_limit_delay: 15 s, import_limit_action: trip}",
                   load("2.4 MW", bus="M")], "{at: 40 s, target: GRID, do: restore}")
        self.assertEqual([e for e in self.of("GRID") if e[1] == "trip"], [(15.0, "trip"), (55.0, "trip")])
        self.assertEqual([self.values["L"]["power"][t] for t in (14, 16, 39, 41, 56)], [2.4e6, 0.0, 0.0, 2.4e6, 0.0])

    # -- starts by chance
    SETS = 40

    def starts(self, seed, order=1, probability="30 %", **more):
        ids = [f"G{k}" for k in range(self.SETS)][::order]
        self.play([f"{i}: {{class: generator, to: B{i}, rating: 100 kW, start_failure_probability: {probability}, crank_limit: 2 s, "
                   "crank_rest: 1 s, crank_attempts: 2}" for i in ids] + [load("50 kW", f"L{i}", f"B{i}") for i in ids],
                  *(f"{{at: 1 s, target: {i}, do: start}}" for i in ids), more=f"from: cold\nseed: {seed}\n", **more)
        return {i for i in ids if self.values[i]["failed_to_start"][-1] == 1.0}

    def test_starts_fail_by_the_seed_and_by_nothing_else(self):
        failed = self.starts(1)
        # Binomial, 40 of 30 %: 12 with a standard deviation of 2.9; four of them.
        self.assertTrue(1 <= len(failed) <= 23, failed)
        self.assertEqual(self.starts(1, order=-1), failed)
        self.assertNotEqual(self.starts(2), failed)
        self.assertEqual(self.starts(1, probability="0 %"), set())
        self.assertEqual(len(self.starts(1, probability="100 %")), self.SETS)

    def test_a_run_that_goes_on_from_a_checkpoint_draws_what_the_whole_one_does(self):
        again = [f"{{at: {t} s, target: G{k}, do: {verb}}}" for k in range(self.SETS) for t, verb in ((31, "trip"), (32, "restore"), (50, "start"))]
        equipment = [f"G{k}: {{class: generator, to: B{k}, rating: 100 kW, start_failure_probability: 30 %, crank_limit: 2 s, crank_rest: 1 s, "
                     "crank_attempts: 2, coast_down: 1 s}" for k in range(self.SETS)] + [load("50 kW", f"L{k}", f"B{k}") for k in range(self.SETS)]
        first = [f"{{at: 1 s, target: G{k}, do: start}}" for k in range(self.SETS)]
        seed = "from: cold\nseed: 5\n"
        self.play(equipment, *first, *again, more=seed, duration="80 s")
        whole = [(e, self.values[f"G{k}"]["state"][-1]) for k, e in enumerate([self.of(f"G{k}")[-1] for k in range(self.SETS)])]
        early = {k for k in range(self.SETS) if self.values[f"G{k}"]["failed_to_start"][30] == 1.0}
        late = {k for k in range(self.SETS) if self.values[f"G{k}"]["failed_to_start"][-1] == 1.0}
        self.assertNotEqual(early, late, "the second start draws anew")
        self.play(equipment, *first, more=seed, duration="30 s", options=("--checkpoint", self.folder / "stop.h5"))
        self.play(equipment, *first, *again, more=seed, duration="80 s", options=("--from", self.folder / "stop.h5"))
        self.assertEqual([(self.of(f"G{k}")[-1], self.values[f"G{k}"]["state"][-1]) for k in range(self.SETS)], whole)


if __name__ == "__main__":
    unittest.main()
