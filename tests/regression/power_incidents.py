"""Utility lost on the 4-make-3 pod: who does what when, that every live bus has a named source, and what gives out first. The scenarios' own
`expect:` are asked by incidents_cooling.py; here stand the sequence of events and what `expect:` cannot say."""
import unittest

import h5py

from support import Case, SOURCE

INCIDENTS = SOURCE / "scenarios/library/incidents"

TRANSFER = """podtwin: pod/1
equipment:
  GRID: {class: utility, to: U, rating: 10 MW, voltage: 13.8 kV, short_circuit_power: 300 MVA}
  GRID2: {class: utility, to: V, rating: 10 MW, voltage: 13.8 kV, short_circuit_power: 300 MVA}
  TS: {class: transfer_switch, preferred: U, alternate: V, to: MV, rating: 400 A, retransfer_time: 20 s%s}
  L: {class: electrical_load, power: 1.5 MW, supply: MV}
"""
RECORD = '  - {class: %s, signals: ["*"], period: 0.5 s}'
SETS = """podtwin: pod/1
equipment:
  "G[1-2]": {class: generator, to: GB, rating: 1 MW, voltage: 480 V, initially: on_line, load_reference: 300 kW}
  L: {class: electrical_load, power: 600 kW, reactive_power: 200 kvar, supply: GB}
"""
SCENARIO = """podtwin: scenario/1
pod: pod.yaml
start: 2026-01-01T00:00:00Z
duration: %s
weather: {dry_bulb: 20 degC, relative_humidity: 40 %%}
from: steady
events:
%s
record:
  - {class: bus, signals: ["*"], period: 0.5 s}
%s
"""


class PowerIncidents(Case):
    def play(self, scenario, *arguments):
        path = self.folder / "run.h5"
        self.run_ok("run", scenario, "-o", path, "--force", *arguments)
        file = h5py.File(path)
        self.addCleanup(file.close)
        self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
        return file

    @staticmethod
    def events(file):
        e = file["events"]
        return [(float(t), q.decode(), text.decode()) for t, q, text in zip(e["time"][()], e["equipment"][()], e["text"][()])]

    def at(self, events, equipment, text):
        times = [t for t, q, said in events if q == equipment and said == text]
        self.assertTrue(times, (equipment, text))
        return times[0]

    def assert_sources_named(self, file):
        live, source = file["bus/energised"][()], file["bus/source"][()]
        self.assertTrue(((live == 0) == (source == 0)).all())

    def test_sets_start_take_the_load_and_give_it_back(self):
        file = self.play(INCIDENTS / "1-utility-lost.yaml")
        events = self.events(file)
        self.assertAlmostEqual(self.at(events, "UPS-1", "on battery"), 10.0, places=3)
        self.assertAlmostEqual(self.at(events, "GS-1", "breaker closes"), 20.0, places=3)  # 1 + 3 + 6 s behind the loss
        for k in range(2, 7):
            self.assertAlmostEqual(self.at(events, f"GS-{k}", "breaker closes"), 30.0, places=3)
        self.assertAlmostEqual(self.at(events, "TS-1", "on the alternate source"), 35.1, places=3)
        self.assertAlmostEqual(self.at(events, "TS-1", "on the preferred source"), 670.1, places=3)  # 60 s and 0.1 s behind the return
        self.assert_sources_named(file)
        # Six equal sets share equally.
        power = file["generator/power"][()]
        self.assertLess(abs(power[400] - power[400].mean()).max(), 1e-3 * power[400].mean())
        # GPUs do not notice: IT power is the same in every row.
        load = file["ups/load"][()].sum(axis=1)
        self.assertGreater(load.min(), 0.97 * load.max())

    def test_without_sets_air_goes_first_then_the_batteries(self):
        file = self.play(INCIDENTS / "2-utility-lost-no-sets.yaml")
        events = self.events(file)
        end = min(t for t, _, said in events if said == "battery end: output off")
        # 4.9 min at 3.75 MW; at less load longer than in proportion, by less inner loss.
        self.assertGreater(end - 10.0, 400.0)
        self.assertLess(end - 10.0, 500.0)
        alarms = file["alarms"]
        hot = [float(t) for t, q in zip(alarms["time"][()], alarms["equipment"][()]) if q.decode() == "hall"]
        self.assertLess(min(hot), 0.2 * end)
        self.assert_sources_named(file)

    def test_a_battery_at_half_charge_gives_out_first_and_is_named(self):
        file = self.play(INCIDENTS / "2-utility-lost-no-sets.yaml", "--set", "BAT-1.initial_soc=50%")
        ended = [(t, q) for t, q, said in self.events(file) if said.startswith("end of discharge")]
        self.assertEqual(ended[0][1], "BAT-1")
        # Half the charge lasts a little less than half the time: its voltage is lower there.
        self.assertGreater(ended[0][0] - 10.0, 0.42 * (444.0 - 10.0))
        self.assertLess(ended[0][0] - 10.0, 0.5 * (444.0 - 10.0))
        # The others take its rows on, at up to 97 % (pod-design 9.4), and end well before they would have alone.
        self.assertGreater(ended[1][0], ended[0][0] + 60.0)
        self.assertLess(ended[1][0], 420.0)

    def test_a_ups_frame_out_is_named_as_what_gives_out_first(self):
        events = self.events(self.play(INCIDENTS / "1c-one-ups-frame-out.yaml"))
        self.assertAlmostEqual(self.at(events, "UPS-1", "overload: output off"), 31.0, places=3)  # 30 s of 133 %
        self.assertFalse([q for _, q, said in events if "output off" in said and q != "UPS-1"])

    def test_frequency_at_the_default_tolerance_is_that_of_a_tight_run(self):
        (self.folder / "pod.yaml").write_text(SETS)
        (self.folder / "scenario.yaml").write_text(SCENARIO % ("60 s", "  - {at: 5 s, target: L, do: set, with: {power: 1.6 MW}}\n"
                                                                       "  - {at: 30 s, target: L, do: set, with: {power: 500 kW}}",
                                                              RECORD % "generator"))
        frequency = {}
        for method, extra in (("cvode", ["--set", "scenario.solver.rtol=0.000001"]), ("arkode", []), ("rosenbrock", [])):
            file = self.play(self.folder / "scenario.yaml", "--set", f"scenario.solver.method={method}", *extra)
            frequency[method] = file["generator/frequency"][()].astype(float)
        self.assertGreater(abs(frequency["cvode"] - 60.0).max(), 0.5)
        for method, most in (("arkode", 0.02), ("rosenbrock", 0.1)):  # Hz; ISO 8528-5 tells bands of 0.3 Hz and more apart
            self.assertLess(abs(frequency[method] - frequency["cvode"]).max(), most, method)

    def small(self, events, duration="60 s", extra=""):
        (self.folder / "pod.yaml").write_text(TRANSFER % extra)
        (self.folder / "scenario.yaml").write_text(SCENARIO % (duration, "\n".join("  - " + e for e in events), RECORD % "transfer_switch"))
        return self.play(self.folder / "scenario.yaml")

    def test_contacts_ride_over_a_short_loss(self):
        file = self.small(["{at: 5 s, target: GRID, do: trip}", "{at: 5.3 s, target: GRID, do: restore}"], "20 s")
        self.assertEqual(float(file["transfer_switch/transfers"][-1, 0]), 0.0)

    def test_transfer_and_return_at_exact_moments(self):
        file = self.small(["{at: 5 s, target: GRID, do: trip}", "{at: 15 s, target: GRID, do: restore}"])
        events = self.events(file)
        self.assertAlmostEqual(self.at(events, "TS", "opens"), 5.5, places=3)
        self.assertAlmostEqual(self.at(events, "TS", "on the alternate source"), 5.6, places=3)
        self.assertAlmostEqual(self.at(events, "TS", "on the preferred source"), 35.1, places=3)

    def test_static_switch_takes_4_ms_in_phase_and_longer_out_of_it(self):
        for angle, gap in ((0, 0.004), (30, 0.05)):
            file = self.small([f"{{at: 1 s, target: TS, do: shift, with: {{angle: {angle} deg}}}}",
                               "{at: 5 s, target: GRID, do: trip}"], "20 s", ", kind: static")
            self.assertAlmostEqual(self.at(self.events(file), "TS", "on the alternate source"), 5.0 + gap, places=3)

    def test_a_sag_makes_it_change_over_and_closed_transition_leaves_no_gap(self):
        file = self.small(["{at: 5 s, target: GRID, do: sag, with: {voltage: 70 %}}", "{at: 15 s, target: GRID, do: restore}"],
                          extra=", transition: closed")
        events = self.events(file)
        self.assertAlmostEqual(self.at(events, "TS", "on the alternate source"), 5.6, places=3)
        self.assertAlmostEqual(self.at(events, "TS", "on the preferred source, without a gap"), 35.0, places=3)


if __name__ == "__main__":
    unittest.main()
