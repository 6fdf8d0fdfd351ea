"""CDU group of the reference pod: loss of a unit, of the lead, of communication and of sensors, and the standby unit.

Arithmetic of the loss of one unit of three: docs/theory/control.md.
"""
import unittest

import h5py
import numpy

from support import Case, LITRE_PER_MINUTE, POD, podtwin, scenario

AT = 60.0  # s
REQUIRED = 125.0 * LITRE_PER_MINUTE  # of a rack at 142 kW and 40 degC; pod-design 2.2
RECORD = """record:
  - {class: rack, signals: [flow, throttled, t_return], period: 0.25 s}
  - {class: pump, signals: [speed, flow], period: 0.25 s}
  - {class: cdu, signals: ["*"], period: 1 s}
  - {class: cdu_group, signals: ["*"], period: 1 s}
  - {class: cdu_group_unit, signals: ["*"], period: 1 s}
"""


class Result:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.groups = {g: {s: item[()] for s, item in file[g].items() if s != "id"} | {"id": list(file[g]["id"].asstr()[()])}
                           for g in ("rack", "pump", "cdu", "cdu_group", "cdu_group_unit")}
            self.events = list(zip(file["events/time"][()], file["events/equipment"].asstr()[()], file["events/text"].asstr()[()]))
            self.alarms = list(zip(file["alarms/time"][()], file["alarms/equipment"].asstr()[()], file["alarms/signal"].asstr()[()]))
            self.energy_error = abs(float(file["balance/energy_error_relative"][()]))

    def of(self, group, signal, identity):
        table = self.groups[group]
        return table["time"], table[signal][:, table["id"].index(identity)].astype(float)

    def at(self, group, signal, identity, time):
        times, values = self.of(group, signal, identity)
        return values[int(numpy.argmin(abs(times - time)))]


def reversals(values, least):
    """How often a series turns round, movements below `least` left out."""
    turns, direction, extreme = 0, 0, values[0]
    for value in values:
        if direction >= 0 and value > extreme or direction <= 0 and value < extreme:
            direction, extreme = direction or (1 if value > extreme else -1), value
        elif abs(value - extreme) > least:
            turns, direction, extreme = turns + 1, -direction, value
    return turns


class CduGroup(Case):
    def play(self, events, *arguments, power="142 kW", duration="3 min", extra=""):
        path = self.folder / "out.h5"
        text = scenario(power, duration=duration, events=events, extra=RECORD + extra)
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", *arguments)
        result = Result(path)
        self.assertLess(result.energy_error, 1e-6)
        return result

    def test_one_unit_of_three_trips_at_40_degc(self):
        result = self.play(["{at: 1 min, target: CDU-11, do: trip}"])
        before = result.at("rack", "flow", "A01", AT)
        self.assertAlmostEqual(before / REQUIRED, 1.0, delta=0.005)
        self.assertAlmostEqual(result.at("pump", "speed", "tcs1-P21", AT), 0.66, delta=0.01)
        at_once = result.at("rack", "flow", "A01", AT + 1.0) / before
        print(f"flow at once {100 * at_once:.1f} %, after 15 s {100 * result.at('rack', 'flow', 'A01', AT + 15) / before:.2f} %")
        self.assertAlmostEqual(at_once, 0.826, delta=0.004)  # practice.md section 3
        self.assertGreater(result.at("rack", "flow", "A01", AT + 15.0) / before, 0.995)
        self.assertAlmostEqual(result.at("pump", "speed", "tcs1-P21", 180.0), 0.80, delta=0.01)
        time, flow = result.of("rack", "flow", "A01")
        self.assertLess(float(flow.max()) / before, 1.005, "overshoots")
        self.assertLess(abs(result.at("pump", "flow", "tcs1-P11", 120.0)), 1e-3 * before, "its non-return valve leaks")
        self.assertEqual(int(result.groups["rack"]["throttled"].max()), 0)
        _, far = result.of("rack", "flow", "H08")
        self.assertLess(float(numpy.ptp(far)), 1e-3 * before, "another loop takes notice")

    def test_the_lead_trips_and_the_next_one_in_order_is_elected(self):
        result = self.play(["{at: 1 min, target: CDU-11, do: trip}", "{at: 90 s, target: CDU-11, do: restore}",
                            "{at: 2 min, target: tcs1-DPC-CDU-12, do: lose_communication}"])
        time, lead = result.of("cdu_group", "lead", "tcs1-DPC")
        self.assertEqual(lead[time == AT][0], 1)
        self.assertIn(0, lead[(time > AT) & (time < AT + 3.5)], "there was never no lead")
        self.assertEqual(lead[time == AT + 4.0][0], 2)
        self.assertEqual(lead[time == 100.0][0], 2, "a lead that works is kept")
        self.assertEqual(lead[-1], 1, "no re-election after the lead fell silent")
        elected = [(t, who) for t, who, text in result.events if text == "elected lead" and t > 1.0 and who.startswith("tcs1")]
        self.assertEqual([who for _, who in elected], ["tcs1-DPC-CDU-12", "tcs1-DPC-CDU-11"])

    def test_communication_lost_then_a_load_step(self):
        """practice.md 6.26: local control, no hunting, no flow loss."""
        isolated = "[A01, A02, A03, A04]"
        result = self.play(["{at: 1 min, target: tcs1-DPC, do: lose_communication}",
                            "{at: 2 min, target: \"rack[*]\", do: cap, with: {power: 80 kW}}",
                            "{at: 4 min, target: \"rack[*]\", do: cap, with: {power: 0 W}}",
                            f"{{at: 6 min, target: {isolated}, do: isolate}}",
                            f"{{at: 8 min, target: {isolated}, do: restore}}",
                            "{at: 10 min, target: tcs1-DPC, do: restore_communication}"], duration="12 min")
        time, flow = result.of("rack", "flow", "B01")
        before = flow[0]
        self.assertGreater(float(flow[time < 365.0].min()) / before, 0.995, "flow is lost with the load step")
        settled = (time > 8 * 60 + 30) & (time < 600.0)
        self.assertAlmostEqual(float(flow[settled].mean()) / before, 1.0, delta=0.01)
        at, local = result.of("cdu_group", "local", "tcs1-DPC")
        self.assertEqual(set(local[(at > 62.0) & (at < 600.0)]), {3})
        self.assertEqual(local[-1], 0, "the units do not go back")
        for unit in ("CDU-11", "CDU-12", "CDU-13"):
            at, output = result.of("cdu_group_unit", "output", f"tcs1-DPC-{unit}")
            self.assertLessEqual(reversals(output, 0.002), 6, f"{unit} hunts")
            self.assertLess(float(numpy.ptp(output[(at > 330.0) & (at < 359.0)])), 5e-4, f"{unit} does not come to rest")
            self.assertLess(float(numpy.abs(numpy.diff(output[(at >= 59.0) & (at < 65.0)])).max()), 0.005, "a bump at the change-over")
        self.assertTrue([a for a in result.alarms if a[1] == "tcs1-DPC" and a[2] == "local"], "no alarm")

    def test_units_that_do_not_talk_share_the_load_although_their_sensors_differ(self):
        result = self.play(["{at: 10 s, target: tcs1-DPT, do: drift_pressure, with: {offset: 1 kPa}}",
                            "{at: 1 min, target: tcs1-DPC, do: lose_communication}"], duration="20 min")
        outputs = [result.at("cdu_group_unit", "output", f"tcs1-DPC-CDU-1{n}", 1200.0) for n in (1, 2, 3)]
        # Two rest where droop balances 1 kPa: 1 kPa / (0.1 * 100 kPa) of output apart.
        self.assertAlmostEqual(outputs[1] - outputs[0], 0.1, delta=0.01)
        self.assertAlmostEqual(result.at("rack", "flow", "A01", 1200.0) / result.at("rack", "flow", "A01", 0.0), 1.0, delta=0.01)

    def test_a_sensor_that_lies_is_outvoted_and_a_failed_one_left_out(self):
        result = self.play(["{at: 1 min, target: tcs1-DPT, do: drift_pressure, with: {offset: 20 kPa}}",
                            "{at: 2 min, target: tcs1-DPT, do: fail}", "{at: 3 min, target: tcs1-DPT2, do: drift_pressure, with: {offset: 4 kPa}}",
                            "{at: 4 min, target: [tcs1-DPT2, tcs1-DPT3], do: fail}"], duration="5 min")
        _, flow = result.of("rack", "flow", "A01")
        time = result.groups["rack"]["time"]
        self.assertLess(float(numpy.ptp(flow[time < 180.0])), 0.002 * flow[0], "a sensor that lies moves the flow")
        self.assertTrue([a for a in result.alarms if a[1:] == ("tcs1-DPC", "deviation_alarm")], "no deviation alarm")
        at, good = result.of("cdu_group", "good_sensors", "tcs1-DPC")
        self.assertEqual([good[at == t][0] for t in (90.0, 150.0, 270.0)], [3, 2, 0])
        # Two are left: their mean is held, so that the true value falls by half of the 4 kPa.
        at, measured = result.of("cdu_group", "measured", "tcs1-DPC")
        self.assertAlmostEqual(measured[at == 235.0][0], 66e3, delta=100.0)
        held = flow[(time > 235.0) & (time < 240.0)].mean() / flow[0]
        self.assertAlmostEqual(held, (64.0 / 66.0) ** (1 / 1.897), delta=0.002)  # dp ~ flow^1.897, pod-design 2.2
        _, output = result.of("cdu_group_unit", "output", "tcs1-DPC-CDU-11")
        self.assertEqual(float(numpy.ptp(output[at > 242.0])), 0.0, "without a sensor the speed is not held")

    def test_one_unit_out_of_service_from_the_start(self):
        result = self.play([], duration="30 s", extra="out_of_service: [CDU-12]\n")
        self.assertAlmostEqual(result.at("rack", "flow", "A01", 30.0) / REQUIRED, 1.0, delta=0.005)
        self.assertAlmostEqual(result.at("pump", "speed", "tcs1-P11", 30.0), 0.80, delta=0.01)
        self.assertEqual(result.at("cdu_group", "running", "tcs1-DPC", 30.0), 2)

    def test_two_of_three_run_and_the_third_starts_within_5_s(self):
        result = self.play(["{at: 1 min, target: CDU-11, do: trip}"], "--set", "tcs1-DPC.duty=2")
        self.assertEqual(result.at("cdu_group_unit", "called", "tcs1-DPC-CDU-13", 30.0), 0)
        time, speed = result.of("pump", "speed", "tcs1-P31")
        self.assertLess(float(speed[time < AT].max()), 1e-3)
        started = time[int(numpy.argmax(speed > 0.02))]
        self.assertLess(started - AT, 5.0)
        self.assertAlmostEqual(result.at("rack", "flow", "A01", 180.0) / REQUIRED, 1.0, delta=0.005)

    def test_minimum_speed_manual_and_automatic(self):
        result = self.play(["{at: 1 min, target: tcs1-DPC, do: set_pressure, with: {set_point: 1 kPa}}",
                            "{at: 2 min, target: tcs1-DPC, do: manual, with: {output: 50 %}}",
                            "{at: 3 min, target: tcs1-DPC, do: automatic}", "{at: 3 min, target: tcs1-DPT, do: fail}"],
                           duration="5 min", power="32 kW")
        self.assertAlmostEqual(result.at("cdu_group", "output", "tcs1-DPC", 115.0), 0.15, delta=1e-6)
        self.assertEqual(result.at("cdu_group", "saturated", "tcs1-DPC", 115.0), -1)
        self.assertEqual(result.at("cdu_group", "output", "tcs1-DPC", 175.0), 0.5)
        self.assertAlmostEqual(result.at("cdu_group", "output", "tcs1-DPC", 290.0), 0.15, delta=1e-6)

    def test_what_cannot_be_meant_is_refused(self):
        text = POD.read_text(encoding="utf-8").replace("../catalogue", str(POD.parent.parent / "catalogue"))
        good = 'sensors: ["tcs${loop}-DPT", "tcs${loop}-DPT2", "tcs${loop}-DPT3"], set_point_pressure: 66 kPa}'
        self.assertIn(good, text)
        for bad, says in (
                ('sensors: ["tcs${loop}-DPT", "tcs${loop}-DPT2"], set_point_pressure: 66 kPa}', "2 sensors for 3 units"),
                ('sensors: ["tcs${loop}-DPT"], set_point_flow: 66 L/s}', "measures a pressure"),
                ('sensors: ["tcs${loop}-DPT"]}', "no target"),
                ('sensors: ["tcs${loop}-DPT"], set_point_pressure: 66 kPa, set_point_flow: 1 L/s}', "two targets"),
                ('sensors: ["tcs${loop}-DPT"], set_point_pressure: 66 kPa, duty: 4}', "4 of 3 units"),
                ('sensors: ["tcs${loop}-DPT"], set_point_pressure: 66 kPa, start_output: 5 %}', "below output_low"),
                ('sensors: ["tcs${loop}-DPT"], set_point_pressure: 66 kPa}\n      "tcs${loop}-X": {class: pi_controller, sensor: "tcs${loop}-DPT", '
                 'drives: ["tcs${loop}-P11"], set_point_pressure: 1 kPa}', "as a pump of 'CDU-11', by 'tcs1-DPC'")):
            path = self.write("pod.yaml", text.replace(good, bad))
            done = podtwin("check", path)
            self.assertEqual(done.returncode, 2, bad + done.stderr)
            self.assertRegex(done.stderr, r"pod\.yaml:\d+:\d+: error: .*" + says)


if __name__ == "__main__":
    unittest.main()
