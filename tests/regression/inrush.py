"""Inrush of transformers: how much, how long, what it does to voltages, relays without and with restraint, and to a generator."""
import math
import unittest

import h5py

from support import Case

GRID = "GRID: {class: utility, to: MV, rating: 20 MW, voltage: 13.8 kV, short_circuit_power: 500 MVA}"
RELAY = "CB: {class: breaker, from: MV, to: HV, protection: relay, pickup: 160 A, instantaneous_pickup: 600 A%s}"
TRANSFORMER = "T: {class: transformer, from: HV, to: LV, rating: 2.5 MVA, second_voltage: 480 V, inrush: 10, inrush_time: 0.2 s}"
LOAD = "L: {class: electrical_load, power: 1 MW, supply: LV}"
RATED = 2.5e6 / math.sqrt(3.0) / 13.8e3  # A
SCENARIO = """podtwin: scenario/1
title: inrush
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: 10 s
weather: {dry_bulb: 20 degC, relative_humidity: 40 %%}
from: steady
events:
%s
record:
%s
"""


class Inrush(Case):
    def play(self, equipment, *events, classes=("transformer", "breaker", "bus")):
        self.write("pod.yaml", "podtwin: pod/1\nequipment:\n" + "".join(f"  {e}\n" for e in equipment))
        record = "\n".join(f'  - {{class: {c}, signals: ["*"], period: 0.1 s}}' for c in classes)
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", SCENARIO % ("\n".join(f"  - {e}" for e in events), record)), "-o", path, "--quiet", "--force")
        file = h5py.File(path)
        self.addCleanup(file.close)
        self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
        e = file["events"]
        self.events = [(round(float(t), 3), *rest) for t, *rest in
                       zip(e["time"][()], *(e[k].asstr()[()] for k in ("equipment", "cause", "text")))]
        return file

    def test_ten_times_rated_current_at_rated_voltage_that_decays_and_restrained_a_relay_does_not_count_it(self):
        file = self.play((GRID, RELAY % ", restraint: [T]", TRANSFORMER, LOAD), "{at: 2 s, target: GRID, do: trip}", "{at: 4 s, target: GRID, do: restore}")
        current, time = file["transformer/inrush_current"][:, 0].astype(float), file["transformer/time"][:]
        self.assertTrue((current[time < 3.95] == 0.0).all())
        # 25 MVA of reactance behind 500 MVA: a voltage of 500/525.
        for seconds, power in ((0.0, 25.0), (0.2, 25.0 / math.e), (1.0, 25.0 * math.exp(-5.0))):
            k = round(10.0 * (4.0 + seconds))
            voltage = 500.0 / (500.0 + power)
            self.assertAlmostEqual(current[k], 10.0 * RATED * math.exp(-5.0 * seconds) * voltage, delta=0.01 * current[k])
        mv = list(file["bus/id"].asstr()[()]).index("MV")
        self.assertAlmostEqual(float(file["bus/voltage"][40, mv]), 500.0 / 525.0, delta=2e-3)
        self.assertIn((4.0, "T", "its first side is live", "inrush"), self.events)
        self.assertFalse([e for e in self.events if e[1] == "CB"])
        self.assertLess(float(file["breaker/i"][:, 0].max()), 60.0)  # the load's 1 MW are 42 A
        self.assertGreater(float(file["breaker/i_a"][40, 0]), 900.0)

    def test_a_relay_without_restraint_trips_on_it(self):
        file = self.play((GRID, RELAY % "", TRANSFORMER, LOAD), "{at: 2 s, target: GRID, do: trip}", "{at: 4 s, target: GRID, do: restore}")
        trips = [e for e in self.events if e[1] == "CB"]
        self.assertEqual([e[2] for e in trips], ["overcurrent", "its protection"])
        # After the relay's 10 ms: 25 exp(-0.05) = 23.8 MVA, at 500/523.8 of the voltage 950 A, and 44 A of load across it: 951 A.
        self.assertRegex(trips[0][3], r"instantaneous element tripped at 1\.5[89] x 600 A after 0\.01 s")
        self.assertEqual(float(file["transformer/inrush_current"][45, 0]), 0.0)

    def test_it_comes_with_the_transformers_own_switching_too_and_not_at_the_start_or_after_a_sag(self):
        self.play((GRID, RELAY % ", restraint: [T]", TRANSFORMER, LOAD), "{at: 2 s, target: GRID, do: sag, with: {voltage: 40 %}}",
                  "{at: 3 s, target: GRID, do: restore}", "{at: 5 s, target: T, do: trip}", "{at: 6500 ms, target: T, do: restore}")
        self.assertEqual([e[0] for e in self.events if e[3] == "inrush"], [6.5])

    def test_behind_a_generator_less_of_it_flows_and_the_voltage_sinks(self):
        sets = ("GS: {class: generator, to: HV, rating: 3 MW, voltage: 13.8 kV, initially: on_line}", "T: " + TRANSFORMER[3:], LOAD)
        file = self.play(sets, "{at: 2 s, target: T, do: trip}", "{at: 5 s, target: T, do: restore}", classes=("transformer", "bus", "generator"))
        hv = list(file["bus/id"].asstr()[()]).index("HV")
        voltage, current = file["bus/voltage"][:, hv].astype(float), file["transformer/inrush_current"][:, 0].astype(float)
        self.assertGreater(voltage[45], 0.97)
        self.assertLess(voltage[50], 0.6)
        # The current is that of the voltage that is left.
        self.assertAlmostEqual(current[50], 10.0 * RATED * voltage[50], delta=0.01 * current[50])

    def test_a_drive_feels_the_voltage_of_a_generator_that_moves_by_itself(self):
        sets = ("GS: {class: generator, to: HV, rating: 3 MW, voltage: 13.8 kV, initially: on_line}", TRANSFORMER, LOAD,
                "D: {class: electrical_load, power: 20 kW, supply: HV, ride_through_points: [[10 %, 20 ms], [90 %, 150 ms]]}")
        file = self.play(sets, "{at: 2 s, target: T, do: trip}", "{at: 5 s, target: T, do: restore}", classes=("transformer", "bus", "electrical_load"))
        hv = list(file["bus/id"].asstr()[()]).index("HV")
        voltage, time = file["bus/voltage"][:, hv].astype(float), file["bus/time"][:]
        low = time[(voltage < 0.9) & (time >= 5.0)]
        self.assertGreaterEqual(low[-1], 5.2)  # low for longer than 150 ms, and only then sound again
        self.assertGreater(voltage[-1], 0.9)
        self.assertEqual([e[:2] for e in self.events if e[3] == "dropped out"], [(5.15, "D")])
        # Sound again between two records 0.1 s apart; on again 5 s after that, at the next second.
        back = [e[0] for e in self.events if e[3] == "on again"]
        self.assertTrue(not back or back[0] >= low[-1] + 5.0)

    def test_what_cannot_be_is_refused_with_its_place(self):
        for equipment, said in (((GRID, RELAY % ", restraint: [L]", TRANSFORMER, LOAD), "which is no transformer"),
                                ((GRID, "CB: {class: breaker, from: MV, to: HV, restraint: [T]}", TRANSFORMER, LOAD), "watches no current"),
                                ((GRID, TRANSFORMER.replace("HV", "MV"), "CB: {class: breaker, from: LV, to: LW, protection: relay, pickup: 160 A, restraint: [T]}",
                                  "L: {class: electrical_load, power: 1 MW, supply: LW}"), "has another voltage")):
            errors = self.run_ok("check", self.write("pod.yaml", "podtwin: pod/1\nequipment:\n" + "".join(f"  {e}\n" for e in equipment)), status=2).stderr
            self.assertIn(said, errors)
            self.assertRegex(errors, r"pod\.yaml:\d+:\d+: error")


if __name__ == "__main__":
    unittest.main()
