"""The example plant with tower, economiser and a chiller by curves: its modes by weather, and a loss of power."""
import unittest

import h5py

from support import Case, SOURCE, ZERO_CELSIUS, podtwin, table

PLANT = SOURCE / "data/pods/chilled-plant.yaml"
WATER = 4186.0  # J/(kg K) near 15 degC, within 0.2 %


def scenario(dry_bulb, duration="10 min", extra=""):
    return (f"podtwin: scenario/1\npod: {PLANT}\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
            f"weather: {{dry_bulb: {dry_bulb}, relative_humidity: 50 %}}\nsolver: {{method: rosenbrock}}\n{extra}")


class ChilledPlant(Case):
    def tables(self, name, dry_bulb):
        folder = self.steady(name, scenario(dry_bulb))
        return {group: table(folder, group) for group in ("chiller", "economiser", "cooling_tower", "facility", "node",
                                                         "heat_exchanger", "pump", "zone")}

    def test_mechanical_partial_and_free_cooling_follow_the_weather(self):
        modes, heat = {}, {}
        for dry_bulb in ("28 degC", "10 degC", "-5 degC"):
            found = self.tables(f"at{dry_bulb[:3].strip()}", dry_bulb)
            chiller, facility = found["chiller"]["CH-1"], found["facility"]["facility"]
            modes[dry_bulb] = found["economiser"]["ECO-C"]["mode"]
            heat[dry_bulb] = (found["heat_exchanger"]["ECO"]["heat"], chiller["heat"])
            self.assertAlmostEqual(facility["heat_to_ambient"] / facility["facility_power"], 1.0, delta=1e-6)
            self.assertAlmostEqual(chiller["heat_rejected"], chiller["heat"] + chiller["power"], delta=1e-3)
            self.assertAlmostEqual(facility["water_use"], found["cooling_tower"]["CT-1"]["make_up"], delta=1e-12)
            self.assertLess(found["node"]["chw-supply"]["t"], ZERO_CELSIUS + 13.0)
        self.assertEqual(modes, {"28 degC": 0.0, "10 degC": 1.0, "-5 degC": 2.0})
        self.assertLess(abs(heat["28 degC"][0]), 5e3)   # what leaks through the closed way
        self.assertGreater(min(heat["10 degC"]), 50e3)  # both work
        self.assertEqual(heat["-5 degC"][1], 0.0)

    def test_the_heat_of_the_coolant_is_the_heat_of_the_machines(self):
        found = self.tables("hot", "28 degC")
        chiller, node, pump = found["chiller"]["CH-1"], found["node"], found["pump"]
        chilled = pump["CHP"]["flow"] * 999.1 * WATER * (node["chw-mixed"]["t"] - node["chw-supply"]["t"])
        self.assertAlmostEqual(chiller["heat"] / chilled, 1.0, delta=5e-3)
        condenser = pump["CWP"]["flow"] * 998.2 * WATER * (node["cw-warm"]["t"] - node["cw-eco"]["t"])
        self.assertAlmostEqual(chiller["heat_rejected"] / condenser, 1.0, delta=5e-3)
        # The data set's own formula, by hand.
        x, y = node["chw-supply"]["t"] - ZERO_CELSIUS, node["cw-eco"]["t"] - ZERO_CELSIUS

        def curve(a):
            return a[0] + a[1] * x + a[2] * x * x + a[3] * y + a[4] * y * y + a[5] * x * y
        available = 471.2e3 * curve((0.252113, 0.01324053, -0.008637329, 0.08581056, -0.004261176, 0.008661899))
        ratio = chiller["heat"] / available
        full = curve((0.4475238, -0.0258821, -0.001459053, 0.04342595, -0.001000651, 0.001920106))
        power = (available / 5.89 * full *
                 (0.2778889 + 0.2338363 * ratio + 0.4883748 * ratio * ratio))
        self.assertAlmostEqual(chiller["power"] / power, 1.0, delta=1e-4)

    def start_after_outage(self, name, *settings):
        events = "events:\n  - {at: 10 s, target: grid, do: trip}\n  - {at: 40 s, target: grid, do: restore}\n"
        record = "record:\n  - {class: chiller, signals: [state, time_to_start], period: 1 s}\n"
        path = self.folder / f"{name}.h5"
        self.run_ok("run", self.write(f"{name}.yaml", scenario("28 degC", "5 min", events + record)), "-o", path,
                    "--quiet", *settings)
        with h5py.File(path) as file:
            state = file["chiller/state"][:, 0]
            stopped = [n for n in range(len(state)) if state[n] != 4]
            self.assertGreater(len(stopped), 0)
            self.assertEqual(set(state[stopped[0]:stopped[-1]]) - {0, 1, 2, 3}, set())
            return stopped[-1], {int(s) for s in state}

    def test_a_loss_of_power_ends_with_the_start_sequence(self):
        # 30 s without power from 10 s on. Coast-down of 150 s ends at 160 s; with fast restart boot of 25 s, flow proof of
        # 10 s and the 45 s to the first compressor count from 40 s.
        last, states = self.start_after_outage("coast")
        self.assertAlmostEqual(last, 160, delta=1)
        self.assertEqual(states, {0, 1, 2, 3, 4})
        last, _ = self.start_after_outage("fast", "--set", "CH-1.fast_restart=true")
        self.assertAlmostEqual(last, 40 + 25 + 10 + 45, delta=2)

    def test_a_small_load_cycles_and_its_steady_state_is_the_mean(self):
        small = ["--set", "racks.power=60 kW", "--set", "CH-1.low_load=on_off", "--set", "CH-1.minimum_load=0.25",
                 "--set", "CH-1.unloading_limit=0.25", "--set", "CH-1.minimum_off_time=180 s"]
        folder, path = self.folder / "tables", self.folder / "cycles.h5"
        file = self.write("cycles.yaml", scenario("28 degC", "60 min", "record:\n  - {class: chiller, signals: ['*'], "
                                                  "period: 1 s}\n"))
        self.run_ok("steady", file, "--csv", folder, *small)
        mean = table(folder, "chiller")["CH-1"]
        self.assertLess(mean["load"], 0.25)
        self.assertAlmostEqual(mean["cycling_ratio"], mean["load"] / 0.25, delta=1e-9)
        facility = table(folder, "facility")["facility"]
        self.assertAlmostEqual(facility["heat_to_ambient"] / facility["facility_power"], 1.0, delta=1e-6)
        self.run_ok("run", file, "-o", path, "--quiet", *small)
        with h5py.File(path) as result:
            state, heat = result["chiller/state"][:, 0], result["chiller/heat"][:, 0]
        stops = [n for n in range(1, len(state)) if state[n] == 5 and state[n - 1] == 4]
        starts = [n for n in range(1, len(state)) if state[n] == 4 and state[n - 1] == 5]
        self.assertGreaterEqual(len(stops), 4)
        self.assertTrue(all(start - stop >= 180 for stop, start in zip(stops, starts)))
        # Over whole cycles the heat is that of the mean.
        self.assertAlmostEqual(float(heat[stops[0]:stops[-1]].mean()) / mean["heat"], 1.0, delta=0.05)

    def test_a_plant_outside_the_curves_is_warned_of(self):
        done = podtwin("steady", PLANT, "--set", "CH-1.set_point=16 degC")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("evaporator_range", done.stderr)
        self.assertIn("CH-1: it runs outside the ranges of its curves (extrapolated", done.stderr)

    def test_curves_that_are_not_positive_are_refused(self):
        for option, word in (("CH-1.condenser_range=[0 degC, 40 degC]", "not positive"),
                             ("CH-1.evaporator_range=[12 degC, 7 degC]", "does not rise"),
                             ("CH-1.capacity_curve=[1, 0]", "capacity_curve"),
                             ("CH-1.condenser_flow=0 L/s", "condenser_flow"),
                             ("CH-1.boot_time=100 s", "restart_delay")):
            done = podtwin("steady", PLANT, "--set", option)
            self.assertEqual(done.returncode, 2, f"{option}\n{done.stderr}")
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
