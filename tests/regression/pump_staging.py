"""Pumps staged by load: starts and stops with their delays, N+1, least run time first, turns."""
import unittest

import h5py
import numpy

from support import Case, podtwin

POD = """podtwin: pod/1
circuits:
  w: {{fluid: water}}
nodes:
  back: {{pressure: 100 kPa, temperature: 20 degC}}
equipment:
  P[1-4]: {{class: pump, from: back, to: dis, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], ramp_time: 10 s}}
  load: {{class: valve, from: dis, to: back, kv: 36 L/s, characteristic: linear, stroke_time: 10 s, start_position: 25 %}}
  DPT: {{class: sensor, measures: dis.p, minus: back.p, lag: 1 s}}
  DPC: {{class: pi_controller, sensor: DPT, drives: [P1, P2, P3, P4], set_point_pressure: 150 kPa, gain: 0.2, integral_time: 2 s, output_low: 0.15}}
  FT: {{class: sensor, measures: load.flow, lag: 1 s}}
  STG: {{class: pump_staging, units: [P1, P2, P3, P4], {staging}}}
"""


class PumpStaging(Case):
    def play(self, staging, events, duration="40 min"):
        self.write("pod.yaml", POD.format(staging=staging))
        lines = "".join(f"  - {e}\n" for e in events)
        text = ("podtwin: scenario/1\ntitle: staging\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: " + duration +
                "\nweather: {dry_bulb: 20 degC, relative_humidity: 40 %}\n" + ("events:\n" + lines if events else "") +
                'record:\n  - {class: pump, signals: ["*"], period: 1 s}\n  - {class: pump_staging, signals: ["*"], period: 1 s}\n'
                '  - {class: staged_unit, signals: ["*"], period: 1 s}\n  - {class: sensor, signals: [value], period: 1 s}\n')
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet")
        with h5py.File(path) as file:
            tables = {g: {s: file[g][s][()] for s in file[g] if s != "id"} | {"id": list(file[g]["id"].asstr()[()])}
                      for g in ("pump", "pump_staging", "staged_unit", "sensor")}
            events = [(float(t), who, what, why) for t, who, actor, why, what in zip(
                file["events/time"][()], *(file[f"events/{c}"].asstr()[()] for c in ("equipment", "actor", "cause", "text"))) if actor == "STG"]
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
        return tables, events

    def test_more_load_starts_a_pump_after_its_delay_and_less_stops_one(self):
        # 150 kPa at 25 % of 36 L/s: 11 L/s. One pump gives 10 L/s at 200 kPa and full speed: two run at the steady start.
        tables, events = self.play("minimum: 1, down_speed: 75 %, up_delay: 20 s, down_delay: 60 s, minimum_run: 2 min",
                                   ["{at: 5 min, target: load, do: set, with: {position: 60 %}}",
                                    "{at: 15 min, target: load, do: set, with: {position: 10 %}}"])
        self.assertEqual(tables["pump_staging"]["wanted"][0, 0], 2)
        starts = [e for e in events if e[2] == "started"]
        stops = [e for e in events if e[2] == "stopped"]
        self.assertEqual([e[1] for e in starts], ["P3"])
        self.assertTrue(300.0 + 20.0 <= starts[0][0] <= 300.0 + 20.0 + 15.0, starts)
        self.assertEqual([e[1] for e in stops][0], "P2")  # of the two that ran longest the last in the list
        self.assertTrue(900.0 + 60.0 <= stops[0][0] <= 900.0 + 60.0 + 30.0, stops)
        self.assertEqual(tables["pump_staging"]["running"][-1, 0], 1)
        pressure = tables["sensor"]["value"][:, tables["sensor"]["id"].index("DPT")]
        self.assertAlmostEqual(pressure[-1], 150e3, delta=1e3)
        self.assertAlmostEqual(pressure[850], 150e3, delta=1e3)

    def test_a_lost_pump_is_replaced_within_5_s_by_the_one_that_ran_least(self):
        tables, events = self.play("minimum: 2, maximum: 3, run_time: [10 s, 20 s, 3000000 s, 2000000 s]",
                                   ["{at: 5 min, target: P1, do: trip}"], duration="8 min")
        self.assertEqual([(e[1], e[2]) for e in events], [("P4", "started")])
        time, speed = tables["pump"]["time"], tables["pump"]["speed"][:, 3]
        self.assertLess(float(speed[time <= 300.0].max()), 1e-6)
        self.assertLessEqual(time[int(numpy.argmax(speed > 0.02))] - 300.0, 5.0)
        self.assertIn("'P1' is lost", events[0][3])

    def test_a_unit_runs_its_minimum_time(self):
        _, events = self.play("minimum: 1, down_speed: 75 %, up_delay: 10 s, down_delay: 10 s, minimum_run: 10 min",
                              ["{at: 5 min, target: load, do: set, with: {position: 100 %}}",
                               "{at: 6 min, target: load, do: set, with: {position: 10 %}}",
                               "{at: 6 min, target: [P1, P2], do: trip}"], duration="30 min")
        started = {who: t for t, who, what, _ in events if what == "started"}
        for t, who, what, _ in events:
            if what == "stopped" and who in started:
                self.assertGreaterEqual(t - started[who], 600.0, events)
        self.assertTrue(any(what == "stopped" for _, _, what, _ in events), events)

    def test_pumps_take_turns_and_both_run_meanwhile(self):
        tables, events = self.play("minimum: 2, maximum: 2, turn_after: 5 min, turn_overlap: 20 s, minimum_run: 1 min", [], duration="60 min")
        run = tables["staged_unit"]["run_time"][-1]
        self.assertLess(float(numpy.ptp(run)), 600.0, "run times drift apart")
        self.assertAlmostEqual(float(run.sum()), 2 * 3600.0 + 20.0 * sum(e[2] == "stopped" for e in events), delta=30.0)
        self.assertGreaterEqual(int(tables["pump_staging"]["running"].min()), 2)
        pressure = tables["sensor"]["value"][:, tables["sensor"]["id"].index("DPT")]
        self.assertLess(float(numpy.abs(pressure / 150e3 - 1.0).max()), 0.1, "a change is felt")

    def test_stages_by_flow(self):
        # Flow is 36 L/s position sqrt(1.5) = 44 L/s position.
        tables, events = self.play("stage_by: flow, sensor: FT, minimum: 1, up_flow: 8 L/s, down_flow: 6 L/s, up_delay: 10 s, down_delay: 30 s, minimum_run: 0 s",
                                   ["{at: 5 min, target: load, do: set, with: {position: 40 %}}",
                                    "{at: 15 min, target: load, do: set, with: {position: 20 %}}",
                                    "{at: 20 min, target: load, do: set, with: {position: 10 %}}"])
        wanted = tables["pump_staging"]["wanted"][:, 0]
        # 11.0 L/s: two. 17.6: 8.8 each, three. 8.8: 4.4 each of two, so two; then 8.8 of one is not below 6. 4.4: one.
        self.assertEqual([int(wanted[k]) for k in (290, 890, 1190, 1490)], [2, 3, 2, 1], events)

    def test_what_cannot_be_meant_is_refused(self):
        for staging, says in (("minimum: 4", "at least 4 and at most 3"), ("maximum: 5", "up to 5 of 4"),
                              ("up_speed: 40 %", "at or above the load"), ("stage_by: flow, up_flow: 1 L/s", "without a sensor"),
                              ("stage_by: flow, up_flow: 1 L/s, sensor: DPT", "not a pressure"), ("run_time: [1 s]", "1 run times for 4 units"),
                              ("minimum: 1}\n  SEQ: {class: standby_sequencer, units: [P1, P2], duty: 1", "by 'STG' and by 'SEQ'")):
            path = self.write("pod.yaml", POD.format(staging=staging))
            done = podtwin("check", path)
            self.assertEqual(done.returncode, 2, staging + done.stderr)
            self.assertRegex(done.stderr, r"pod\.yaml:\d+:\d+: error: .*" + says)


if __name__ == "__main__":
    unittest.main()
