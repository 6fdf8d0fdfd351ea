"""Protection of breakers and fuses in small plants: overloads, earth faults, undervoltage, a stuck breaker, selectivity."""
import csv
import math
import unittest

import h5py

from support import Case

HEAD = "podtwin: pod/1\nequipment:\n"
GRID = "GRID: {class: utility, to: MAIN, rating: 100 MW, voltage: 480 V}"
PER_AMPERE = math.sqrt(3.0) * 480.0  # W of a balanced load


def current_load(name, bus, amperes):
    return (f"{name}: {{class: electrical_load, supply: {bus}, power: {PER_AMPERE * amperes!r} W, model: current, connection: star, "
            "lowest_voltage: 5 %}")


def draws(at, name, amperes):
    return f"{{at: {at} s, target: {name}, do: set, with: {{power: {PER_AMPERE * amperes!r} W}}}}"


class Protection(Case):
    def play(self, equipment, *events, duration="60 s", period="1 s", record=("breaker", "fuse"), sections="", start="cold", books=1e-9):
        pod = HEAD + "".join(f"  {line}\n" for line in equipment) + sections
        self.write("pod.yaml", pod)
        classes = [c for c in record if any(f"class: {c}," in line for line in equipment)]
        text = ("podtwin: scenario/1\ntitle: protection\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: " + duration +
                "\nweather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nfrom: " + start + "\n" +
                ("events:\n" if events else "") + "".join(f"  - {e}\n" for e in events) + "record:\n" +
                "".join(f"  - {{class: {c}, signals: ['*'], period: {period}}}\n" for c in classes))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", "--force")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), books)
            self.values = {}
            for group in classes:
                for k, i in enumerate(file[group]["id"].asstr()[()]):
                    self.values[i] = {s: file[group][s][:, k].astype(float) for s in file[group] if s not in ("id", "time")}
                    self.values[i]["time"] = file[group]["time"][()]
            self.alarms = [(round(float(t), 3), who, signal) for t, who, signal in
                           zip(file["alarms/time"][()], file["alarms/equipment"].asstr()[()], file["alarms/signal"].asstr()[()])]
            self.events = [(round(float(t), 6), who, cause, text) for t, who, cause, text in
                           zip(file["events/time"][()], file["events/equipment"].asstr()[()],
                               file["events/cause"].asstr()[()], file["events/text"].asstr()[()])]
        for name, signals in self.values.items():
            for signal, series in signals.items():
                self.assertTrue(all(math.isfinite(x) for x in series), f"{name}.{signal}")
        return self.events

    def of(self, name):
        return [(t, cause, text) for t, who, cause, text in self.events if who == name]

    def test_a_second_overload_trips_sooner_because_the_first_has_warmed_it_up(self):
        # The middle of IEC 60947-2: theta_trip = 1.05 x 1.30, 219 s at 1.5 Ir from cold.
        theta = 1.05 * 1.30
        tau = -math.sqrt(120.0 * 400.0) / math.log(1.0 - theta / 1.5 ** 2)
        first = -tau * math.log(1.0 - theta / 4.0)
        again = math.ceil(first) + 0.5
        memory = math.exp(-(again - first) / tau)
        second = -tau * math.log(1.0 - (1.0 - memory) / (4.0 / theta - memory))
        self.play([GRID, "Q: {class: breaker, from: MAIN, to: B, protection: moulded_case, rated_current: 100 A, instantaneous_pickup: 1 kA}",
                   current_load("L", "B", 200.0)], f"{{at: {again} s, target: Q, do: restore}}", duration="200 s")
        trips = [(t, text) for t, cause, text in self.of("Q") if cause == "overcurrent"]
        self.assertEqual(len(trips), 2, self.events)
        self.assertAlmostEqual(trips[0][0], first, delta=1e-3 * first)
        self.assertAlmostEqual(trips[1][0] - again, second, delta=1e-2 * second)
        self.assertLess(second, 0.1 * first)
        self.assertEqual(trips[0][1], f"thermal element tripped at 2 x 100 A after {first:.3g} s")
        self.assertEqual(self.values["Q"]["tripped"][-1], 1.0)
        self.assertEqual(self.values["Q"]["i"][-1], 0.0)

    def test_the_time_left_counts_down_and_alarms_at_a_minute(self):
        # Long time of 10 s at 6 Ir: 360/M2 = 90 s at 2 Ir.
        self.play([GRID, "Q: {class: breaker, from: MAIN, to: B, protection: electronic, rated_current: 1 kA, long_time_pickup: 1 kA, "
                   "long_time_delay: 10 s, opening_time: 50 ms}", current_load("L", "B", 500.0)], draws(10.0, "L", 2000.0), duration="120 s")
        q = self.values["Q"]
        self.assertEqual(q["time_to_trip"][5], 1e9)
        self.assertAlmostEqual(q["time_to_trip"][40], 60.0, delta=1e-3)
        self.assertAlmostEqual(q["trip_memory"][55], 0.5, delta=1e-5)
        self.assertAlmostEqual(q["loading"][50], 2.0, delta=1e-6)
        self.assertAlmostEqual(q["tripped_at"][-1], 100.0, delta=1e-3)
        self.assertEqual([(round(t, 3), cause, text) for t, cause, text in self.of("Q")],
                         [(100.0, "overcurrent", "long time element tripped at 2 x 1000 A after 90 s"), (100.05, "its protection", "opens")])
        raised = {(who, signal): t for t, who, signal in reversed(self.alarms)}
        self.assertAlmostEqual(raised[("Q", "time_to_trip")], 40.0, delta=1.1)
        self.assertAlmostEqual(raised[("Q", "loading")], 70.0, delta=1.1)
        self.assertEqual(raised[("Q", "tripped")], 100.05)

    def test_an_earth_fault_in_a_whip_opens_the_whip_and_with_wrong_settings_the_main(self):
        # Phase a of RACK goes to earth through 1.6 ohm at F, which has no neutral to return by.
        def equipment(pickup, delay):
            return ['GRID: {class: utility, to: MV, rating: 100 MW, voltage: 13.8 kV}',
                    "T: {class: transformer, from: MV, to: MAIN, rating: 2.5 MVA, first_voltage: 13.8 kV, second_voltage: 480 V, vector_group: Dyn11}",
                    f"MAINS: {{class: breaker, from: MAIN, to: ROW, protection: electronic, long_time_pickup: 1600 A, long_time_delay: 8 s, "
                    f"ground_fault_pickup: {pickup} A, ground_fault_delay: {delay} ms}}",
                    "WHIP: {class: breaker, from: ROW, to: RACK, protection: electronic, long_time_pickup: 200 A, long_time_delay: 8 s, "
                    "ground_fault_pickup: 60 A, ground_fault_delay: 60 ms}",
                    "ONE: {class: electrical_load, supply: RACK, power: 20 kW, connection: star, phases: b}",
                    "X: {class: breaker, from: RACK, to: S, closed: false}",
                    "C: {class: line, from: S, to: F, length: 1 m, conductors: abc, resistance: 0.01 ohm/m, reactance: 0.001 ohm/m}",
                    "L: {class: electrical_load, supply: F, power: 48 kW, model: impedance, connection: star, phases: a}"]
        fault = "{at: 10 s, target: X, do: close}"
        # The loss in the earthing of the star, 0.3 W for 90 ms, is in no ledger.
        self.play(equipment(400, 300), fault, duration="15 s", books=1e-6)
        self.assertEqual([(t, text.split(" tripped")[0]) for t, cause, text in self.of("WHIP") if cause == "earth fault"], [(10.06, "ground element")])
        self.assertEqual(self.of("MAINS"), [])
        self.assertLess(max(self.values["MAINS"]["i_ground"][:9]), 1e-3)  # a load to neutral is no residual current
        self.play(equipment(60, 0), fault, duration="15 s", books=1e-6)
        self.assertEqual([t for t, cause, _ in self.of("MAINS") if cause == "earth fault"], [10.01])
        self.assertEqual(self.of("WHIP"), [])
        warned = self.run_ok("check", self.folder / "pod.yaml").stderr
        self.assertIn("'WHIP' is not selective with 'MAINS' above, at earth faults", warned)

    def test_an_undervoltage_release_bears_a_dip_and_opens_after_its_delay(self):
        self.play([GRID, "Q: {class: breaker, from: MAIN, to: B, undervoltage_release: 70 %, undervoltage_delay: 500 ms, opening_time: 30 ms}",
                   current_load("L", "B", 100.0)],
                  "{at: 10 s, target: GRID, do: trip}", "{at: 10.4 s, target: GRID, do: restore}",
                  "{at: 20.25 s, target: GRID, do: trip}", "{at: 25 s, target: GRID, do: restore}", "{at: 30 s, target: Q, do: restore}",
                  duration="40 s")
        self.assertEqual(self.of("Q")[:2], [(20.75, "undervoltage", "undervoltage release tripped"), (20.78, "its protection", "opens")])
        closed = self.values["Q"]["closed"]
        self.assertEqual([closed[k] for k in (15, 22, 28, 35)], [1.0, 0.0, 0.0, 1.0])

    def test_a_stuck_breaker_is_backed_up_by_the_one_above(self):
        unit = "class: breaker, protection: electronic, long_time_pickup: 1 kA, opening_time: 30 ms"
        self.play([GRID, f"UP: {{{unit}, from: MAIN, to: A, short_time_pickup: 4 kA, short_time_delay: 300 ms}}",
                   f"LOW: {{{unit}, from: A, to: B, short_time_pickup: 4 kA, short_time_delay: 100 ms}}", current_load("L", "B", 500.0)],
                  "{at: 5 s, target: LOW, do: stick}", draws(10.0, "L", 8000.0), "{at: 15 s, target: LOW, do: restore}",
                  "{at: 16 s, target: L, do: set, with: {power: 100 kW}}", "{at: 17 s, target: UP, do: restore}", duration="20 s")
        told = [(t, who, text) for t, who, cause, text in self.events if cause in ("overcurrent", "its mechanism is stuck", "its protection")]
        self.assertEqual(told, [(10.1, "LOW", "short time element tripped at 8 x 1000 A after 0.1 s"), (10.13, "LOW", "does not open"),
                                (10.3, "UP", "short time element tripped at 8 x 1000 A after 0.3 s"), (10.33, "UP", "opens")])
        self.assertEqual([self.values["LOW"]["closed"][k] for k in (12, 19)], [1.0, 1.0])
        self.assertEqual([self.values["UP"]["closed"][k] for k in (9, 12, 19)], [1.0, 0.0, 1.0])

    def test_a_fuse_melts_by_its_curve_and_is_replaced_by_a_cold_one(self):
        fuse = "F: {class: fuse, from: MAIN, to: B, rated_current: 100 A, characteristic: custom, pre_arcing: [[200 A, 100 s], [800 A, 1 s]], clearing_ratio: 2}"
        self.play([GRID, fuse, current_load("L", "B", 400.0)], draws(30.0, "L", 100.0), "{at: 40 s, target: F, do: restore}", duration="60 s")
        # Straight in logarithms: 10 s at 400 A; the arc lasts its half wave.
        self.assertEqual(self.of("F")[:2], [(10.0, "overcurrent", "F element tripped at 4 x 100 A after 10 s"), (10.01, "its protection", "opens")])
        f = self.values["F"]
        self.assertEqual([f["closed"][k] for k in (5, 20, 50)], [1.0, 0.0, 1.0])
        self.assertEqual(f["trip_memory"][50], 0.0)
        self.assertAlmostEqual(f["i"][50], 100.0, delta=1e-4)

    def test_a_current_that_rises_without_a_step_trips_where_its_integral_says(self):
        # A pump runs up: the current follows its power, and the moment is found on the step.
        pump = "P: {class: pump, from: in, to: out, supply: B, head_curve: [[0 L/s, 150 kPa], [5 L/s, 100 kPa]], ramp_time: 20 s, speed_min: 10 %}"
        self.play([GRID, "Q: {class: breaker, from: MAIN, to: B, protection: relay, relay_curve: IEC extremely inverse, pickup: 0.5 A, time_multiplier: 0.3, "
                   "opening_time: 0 s}", pump], "{at: 0 s, target: P, do: set, with: {speed: 10 %}}", "{at: 5 s, target: P, do: set, with: {speed: 100 %}}",
                  duration="60 s", period="0.01 s", sections="circuits:\n  c: {fluid: water}\nnodes:\n  in: {pressure: 100 kPa, temperature: 30 degC}\n"
                  "  out: {pressure: 200 kPa, temperature: 30 degC}\n", books=1e-6)
        q, memory, at = self.values["Q"], 0.0, None
        for time, i in zip(q["time"], q["i"]):
            if i > 0.5:
                memory += 0.01 * ((i / 0.5) ** 2 - 1.0) / (0.3 * 80.0)
            if memory >= 1.0 and at is None:
                at = time
        self.assertIsNotNone(at, (max(q["i"]), memory))
        self.assertAlmostEqual(q["tripped_at"][-1], at, delta=0.03)

    def test_devices_in_series_are_told_to_be_selective_or_not(self):
        pod = self.write("pod.yaml", HEAD + "".join(f"  {line}\n" for line in [
            GRID, "T: {class: breaker, from: MAIN, to: ROW, protection: electronic, long_time_pickup: 1600 A, long_time_delay: 8 s, short_time_pickup: 8 kA, "
            "short_time_delay: 100 ms, instantaneous_pickup: 24 kA}", "W: {class: busway, from: ROW, to: TAP, rating: 1600 A}",
            "M1: {class: breaker, from: TAP, to: A, protection: miniature, rated_current: 63 A}",
            "M2: {class: breaker, from: TAP, to: B, protection: miniature, rated_current: 63 A}",
            "M3: {class: breaker, from: TAP, to: C, protection: miniature, rated_current: 63 A, prospective_current: 20 kA}",
            "F: {class: fuse, from: A, to: D, rated_current: 16 A}"]))
        done = self.run_ok("check", pod)
        self.assertIn("'M1', 'M2' are each not selective with 'T' above, at overloads and short circuits from 21.6 kA on", done.stderr)
        self.assertNotIn("M3", done.stderr)
        self.run_ok("steady", pod, "--csv", self.folder / "steady")
        with open(self.folder / "steady/selectivity.csv", newline="", encoding="utf-8") as file:
            rows = {(r["downstream"], r["upstream"]): r for r in csv.DictReader(file)}
        self.assertEqual(set(rows), {("M1", "T"), ("M2", "T"), ("M3", "T"), ("F", "M1")})
        self.assertEqual(rows[("M3", "T")]["selective"], "1")
        self.assertAlmostEqual(float(rows[("M1", "T")]["up_to [A]"]), 21600.0, delta=0.01)
        self.assertEqual(float(rows[("M1", "T")]["upstream_trips [s]"]), 0.005)

    def test_settings_without_a_meaning_and_buses_without_a_voltage_are_refused(self):
        def refused(line, grid=GRID):
            pod = self.write("pod.yaml", HEAD + f"  {grid}\n  {line}\n")
            return self.run_ok("check", pod, status=2).stderr
        self.assertIn("`long_time_delay` has no meaning with protection: miniature",
                      refused("Q: {class: breaker, from: MAIN, to: B, protection: miniature, rated_current: 16 A, long_time_delay: 8 s}"))
        self.assertIn("needs `rated_current` above 0", refused("Q: {class: breaker, from: MAIN, to: B, protection: miniature}"))
        self.assertIn("trips on nothing", refused("Q: {class: breaker, from: MAIN, to: B, protection: relay}"))
        self.assertIn("its buses have none", refused("Q: {class: breaker, from: MAIN, to: B, protection: relay, pickup: 10 A}",
                                                     "GRID: {class: utility, to: MAIN, rating: 1 MW}"))
        self.assertIn("no gates of a gG fuse", refused("F: {class: fuse, from: MAIN, to: B, rated_current: 17 A}"))


if __name__ == "__main__":
    unittest.main()
