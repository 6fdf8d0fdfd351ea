"""PI controllers through pod and scenario files: what limits them, what they do when sensor or controller fails."""
import unittest

import h5py
import numpy

from support import Case, ZERO_CELSIUS, podtwin

# A room that a heater warms through a wall; a cooling loop with valve, then fans, on its return.
POD = """podtwin: pod/1
circuits:
  w: {{fluid: water}}
nodes:
  warm: {{pressure: 100 kPa, temperature: 40 degC}}
  cold: {{pressure: 100 kPa, temperature: 10 degC}}
  mixed: {{volume: 50 L}}
  out: {{pressure: 0 kPa, temperature: 20 degC}}
equipment:
  hot: {{class: resistance, from: warm, to: mixed, dp: 50 kPa, flow: 5 L/s}}
  V1: {{class: valve, from: cold, to: mixed, kv: 8 L/s, characteristic: linear, stroke_time: 10 s, start_position: 50 %}}
  V2: {{class: valve, from: cold, to: mixed, kv: 16 L/s, characteristic: linear, stroke_time: 10 s, start_position: 0 %}}
  drain: {{class: resistance, from: mixed, to: out, dp: 50 kPa, flow: 10 L/s}}
  hall: {{class: zone, volume: 100 m3{zone}}}
  TT: {{class: sensor, measures: mixed.t, lag: 2 s}}
  DT: {{class: sensor, measures: hall.t_dew_point, lag: 5 s}}
  OT: {{class: sensor, measures: facility.t_dry_bulb, lag: 5 s}}
  TC: {{class: pi_controller, sensor: TT, drives: {drives}, action: direct, gain: 0.3, span_temperature: 10 K, integral_time: 15 s, {more}}}
"""
ONE = "[V1]"
SPLIT = "[V1, V2]"


class PiLimits(Case):
    def play(self, more, events=(), drives=ONE, zone="", duration="10 min", weather="{dry_bulb: 20 degC, relative_humidity: 40 %}"):
        self.write("pod.yaml", POD.format(more=more, drives=drives, zone=zone))
        text = ("podtwin: scenario/1\ntitle: limits\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\n"
                f"duration: {duration}\nweather: {weather}\n" + ("events:\n" + "".join(f"  - {e}\n" for e in events) if events else "") +
                'record:\n  - {class: controller, signals: ["*"], period: 1 s}\n  - {class: valve, signals: ["*"], period: 1 s}\n'
                '  - {class: sensor, signals: ["*"], period: 1 s}\n  - {class: node, signals: [t], period: 1 s}\n')
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", "--force")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
            found = {}
            for group in ("controller", "valve", "sensor", "node"):
                for k, identity in enumerate(file[group]["id"].asstr()[()]):
                    for signal in file[group]:
                        if signal not in ("id", "time") and not signal.endswith("_units"):
                            found[f"{identity}.{signal}"] = file[group][signal][:, k].astype(float)
            return found

    def test_split_range_opens_the_second_valve_when_the_first_is_open(self):
        found = self.play("set_point_temperature: 30 degC, ranges: [0, 50 %, 50 %, 100 %]",
                          ["{at: 2 min, target: TC, do: set_temperature, with: {set_point: 22 degC}}",
                           "{at: 6 min, target: TC, do: set_temperature, with: {set_point: 32 degC}}"], drives=SPLIT)
        first, second, output = found["V1.position"], found["V2.position"], found["TC.output"]
        self.assertLess(second[:120].max(), 1e-6)
        self.assertAlmostEqual(first[350], 1.0, delta=1e-3)
        self.assertGreater(second[350], 0.05)
        self.assertAlmostEqual(second[350], 2 * (output[350] - 0.5), delta=1e-3)
        self.assertAlmostEqual(first[590], 2 * output[590], delta=1e-3)
        self.assertLess(second[590], 1e-6)
        for time, celsius in ((119, 30.0), (359, 22.0), (599, 32.0)):
            self.assertAlmostEqual(found["mixed.t"][time] - ZERO_CELSIUS, celsius, delta=0.05)

    def test_the_set_point_stays_above_the_dew_point(self):
        # 30 degC at 80 %: dew point 26.2 degC (ASHRAE, psychrometric chart).
        self.write("weather.csv", "time [s],dry_bulb [degC],relative_humidity [%]\n0,30,40\n120,30,40\n180,30,80\n1000,30,80\n")
        found = self.play("set_point_temperature: 20 degC, dew_point: DT, dew_point_margin: 2 K",
                          ["{at: 450 s, target: DT, do: fail}"], weather="{file: weather.csv}")
        self.assertEqual(found["TC.override"][100], 0)
        self.assertAlmostEqual(found["TC.setpoint"][100] - ZERO_CELSIUS, 20.0, delta=1e-4)
        self.assertEqual(found["TC.override"][440], 1)
        self.assertAlmostEqual(found["TC.setpoint"][440] - ZERO_CELSIUS, 28.2, delta=0.1)
        self.assertAlmostEqual(found["mixed.t"][440], found["TC.setpoint"][440], delta=0.05)
        self.assertAlmostEqual(found["TC.setpoint"][590], found["TC.setpoint"][450], delta=0.01)  # the last good one holds

    def test_a_stated_dew_point_of_the_hall(self):
        found = self.play("set_point_temperature: 20 degC, dew_point: DT, dew_point_margin: 3 K", zone=", dew_point: 18 degC")
        self.assertAlmostEqual(found["TC.setpoint"][-1] - ZERO_CELSIUS, 21.0, delta=1e-3)

    def test_the_set_point_follows_the_outdoor_temperature_until_an_operator_gives_one(self):
        self.write("weather.csv", "time [s],dry_bulb [degC],relative_humidity [%]\n0,10,40\n60,10,40\n360,25,40\n1000,25,40\n")
        found = self.play("set_point_temperature: 25 degC, reset: OT, reset_curve: [[10 degC, 30 degC], [20 degC, 24 degC]]",
                          ["{at: 7 min, target: TC, do: set_temperature, with: {set_point: 27 degC}}", "{at: 9 min, target: TC, do: automatic}"],
                          weather="{file: weather.csv}")
        celsius = found["TC.setpoint"] - ZERO_CELSIUS
        self.assertAlmostEqual(celsius[50], 30.0, delta=1e-3)
        self.assertAlmostEqual(celsius[165], 30.0 - 0.6 * 5.0, delta=0.05)  # 15 degC is read 5 s late
        self.assertAlmostEqual(celsius[410], 24.0, delta=1e-3)
        self.assertAlmostEqual(celsius[530], 27.0, delta=1e-3)
        self.assertAlmostEqual(celsius[590], 24.0, delta=1e-3)

    def test_what_is_done_when_the_measurement_is_lost(self):
        events = ["{at: 2 min, target: TT, do: fail}", "{at: 5 min, target: TT, do: restore}"]
        for choice, at_loss, mode in (("hold", None, 0), ("fail_output", 0.9, 0), ("manual", None, 1)):
            with self.subTest(choice=choice):
                found = self.play(f"set_point_temperature: 30 degC, on_signal_loss: {choice}, fail_output: 90 %", events)
                output = found["TC.output"]
                self.assertAlmostEqual(output[290], output[119] if at_loss is None else at_loss, delta=1e-6)
                self.assertEqual(found["TC.override"][290], 3)
                self.assertEqual(found["TC.mode"][290], mode)
                self.assertLess(abs(output[302] - output[299]), 0.1, "a bump at the return")
                if mode == 0:
                    self.assertAlmostEqual(found["mixed.t"][-1] - ZERO_CELSIUS, 30.0, delta=0.05)
                else:
                    self.assertEqual(found["TC.mode"][-1], 1, "it went back to automatic by itself")

    def test_a_plc_reboots_in_mid_transient(self):
        """practice.md 6.41: 90 s, outputs as declared."""
        events = ["{at: 2 min, target: TC, do: set_temperature, with: {set_point: 26 degC}}", "{at: 123 s, target: TC, do: reboot}"]
        for choice, output_then in (("hold", None), ("fail_output", 0.2)):
            with self.subTest(choice=choice):
                found = self.play(f"set_point_temperature: 30 degC, on_failure: {choice}, fail_output: 20 %, reboot_time: 90 s", events)
                output, override = found["TC.output"], found["TC.override"]
                down = numpy.flatnonzero(override == 4)
                self.assertTrue(89 <= len(down) <= 91, len(down))
                self.assertEqual(float(numpy.ptp(output[down])), 0.0)
                self.assertAlmostEqual(output[200], output[123] if output_then is None else output_then, delta=1e-6)
                self.assertAlmostEqual(found["mixed.t"][-1] - ZERO_CELSIUS, 26.0, delta=0.05)

    def test_saturation_and_rate_limit_are_told(self):
        found = self.play("set_point_temperature: 30 degC, rate_limit: 0.005 s-1",
                          ["{at: 2 min, target: TC, do: set_temperature, with: {set_point: 0 degC}}"])
        self.assertEqual(found["TC.override"][130], 2)
        self.assertAlmostEqual(found["TC.output"][150] - found["TC.output"][140], 0.05, delta=1e-4)
        self.assertEqual(found["TC.saturated"][-1], 1)

    def test_what_cannot_be_meant_is_refused(self):
        for more, drives, says in (("set_point_temperature: 30 degC, ranges: [0, 1]", SPLIT, "2 bounds of ranges for 2 drives"),
                                   ("set_point_temperature: 30 degC, ranges: [0.5, 0.5]", ONE, "begins where it ends"),
                                   ("set_point_temperature: 30 degC, reset: OT", ONE, "without the other"),
                                   ("set_point_temperature: 30 degC, reset: OT, reset_curve: [[20 degC, 30 degC], [10 degC, 24 degC]]", ONE, "does not rise"),
                                   ("set_point_temperature: 30 degC, on_failure: fail_output, fail_output: 120 %", ONE, "fail_output outside")):
            path = self.write("pod.yaml", POD.format(more=more, drives=drives, zone=""))
            done = podtwin("check", path)
            self.assertEqual(done.returncode, 2, more + done.stderr)
            self.assertRegex(done.stderr, r"pod\.yaml:\d+:\d+: error: .*(" + says + ")")


if __name__ == "__main__":
    unittest.main()
