"""Swings of synchronous training: high-rate windows, smoothing in the rack, the meter, generating sets, a BESS."""
import unittest

import h5py
import numpy

from support import SOURCE, Case

INCIDENTS = SOURCE / "scenarios/library/incidents"
RACK = """podtwin: pod/1
circuits:
  tcs: {{fluid: PG25}}
nodes:
  in: {{pressure: 60 kPa, temperature: 40 degC}}
  out: {{pressure: 0 kPa, temperature: 45 degC}}
equipment:
  GRID: {{class: utility, to: MV, rating: 2 MW}}
  X: {{class: rack, from: in, to: out, feeds: [MV, MV]{rack}}}
{more}"""
METER = "  PQ: {{class: power_quality_meter, measures: GRID.power{}}}\n"


def scenario(workload, windows, record, duration="30 s", pod="pod.yaml", extra=""):
    return (f"podtwin: scenario/1\ntitle: swings\npod: {pod}\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
            f"weather: {{dry_bulb: 20 degC, relative_humidity: 40 %}}\nworkload: {workload}\nfrom: steady\n" +
            (f"windows: [{windows}]\n" if windows else "") + "record:\n" + "".join(f"  - {entry}\n" for entry in record) + extra)


def training(period, low, high, more=""):
    """A symmetric trapezoid that rises for a quarter of its period."""
    return (f"{{kind: training, period: {period} s, compute_share: 50 %, rise_time: {period / 4} s, fall_time: {period / 4} s, "
            f"low: {low}, high: {high}{more}}}")


def amplitude(time, value, frequency, first, last):
    """Of the sinusoid of that frequency, over a whole number of its periods."""
    inside = (time >= first - 1e-6) & (time < last - 1e-6)
    t, v = time[inside], value[inside]
    return 2.0 * abs(numpy.mean((v - v.mean()) * numpy.exp(-2j * numpy.pi * frequency * t)))


class PowerQuality(Case):
    def play(self, name="out.h5", path=None, status=0):
        out = self.folder / name
        self.run_ok("run", path or self.folder / "run.yaml", "-o", out, "--quiet", "--force", status=status)
        return h5py.File(out)

    def series(self, file, group, signal):
        return file[group]["time"][()], file[group][signal][:, 0].astype(float)

    def swing(self, rack, period, swing, tau=None):
        """Amplitude at the utility of the first harmonic of a swing about 110 kW."""
        self.write("pod.yaml", RACK.format(rack=rack, more=""))
        low, high = f"{110 - swing} kW", f"{110 + swing} kW"
        fine = 1 if period < 0.2 else 5
        self.write("run.yaml", scenario(training(period, low, high), f"{{from: 4 s, for: 12 s, period: {fine} ms}}",
                                        [f"{{class: utility, signals: [power], period: 1 s, window_period: {fine} ms}}"], "18 s"))
        with self.play() as file:
            return amplitude(*self.series(file, "utility", "power"), 1.0 / period, 8.0, 16.0)

    def test_smoothing_in_the_rack_is_a_first_order_filter_while_its_energy_lasts(self):
        tau, recharge = 0.05, 100.0
        for period in (2.0, 0.5, 0.1):
            f = 1.0 / period
            with self.subTest(hertz=f):
                plain = self.swing("", period, 10)
                # The trapezoid's first harmonic: 4/pi of its amplitude by sin(x)/x, x = pi/4, applied each 5 ms (1 ms).
                self.assertAlmostEqual(plain, 1e4 * 4 / numpy.pi * numpy.sinc(0.25), delta=20.0)
                smooth = self.swing(f", smoothing_time: {tau} s, recharge_time: {recharge} s", period, 10)
                expected = 1.0 / numpy.sqrt(1.0 + (2 * numpy.pi * f * tau) ** 2)
                self.assertAlmostEqual(smooth / plain, expected, delta=0.015)

    def test_capacitors_that_are_too_small_leave_more_of_a_slow_swing(self):
        # 30 kW about the mean for 0.5 s of a second with a filter of 1 s: 10 kJ and more, and the rack has 4.68 kJ.
        plain, smooth = (self.swing(rack, 2.0, 30) for rack in ("", ", smoothing_time: 1 s, recharge_time: 100 s"))
        self.assertGreater(smooth / plain, 1.3 / numpy.sqrt(1.0 + (2 * numpy.pi * 0.5) ** 2))

    def test_the_meter_shows_range_and_oscillation_of_a_known_swing(self):
        self.write("pod.yaml", RACK.format(rack="", more=METER.format(", oscillation_limit: 15 kW")))
        self.write("run.yaml", scenario("{kind: training, period: 1 s, compute_share: 50 %, rise_time: 0.2 s, fall_time: 0.2 s, low: 100 kW, high: 130 kW}",
                                        "{from: 5 s, for: 20 s, period: 5 ms}", ['{class: power_quality_meter, signals: ["*"], period: 1 s}']))
        with self.play() as file:
            t, band = self.series(file, "power_quality_meter", "oscillation")
            measured = file["power_quality_meter/oscillation_measured"][:, 0]
            self.assertEqual(list(t[measured == 1]), list(range(15, 25)))
            # Mean square of a trapezoid of 15 kW that rises for a fifth of its period: 15^2 (1 - 4/3 0.2).
            expected = 15e3 * numpy.sqrt(2 * (1 - 4 / 3 * 0.2))
            self.assertLess(numpy.abs(band[measured == 1] / expected - 1).max(), 0.01)
            self.assertTrue((band[measured == 0] == 0).all())
            self.assertAlmostEqual(file["power_quality_meter/range"][20, 0], 30e3, delta=1.0)
            self.assertAlmostEqual(file["power_quality_meter/range_share"][20, 0], 30 / 115, delta=1e-3)
            self.assertLess(file["power_quality_meter/ramp_magnitude"][:, 0].max(), 1.0)
            alarms = list(zip(file["alarms/signal"].asstr()[()], file["alarms/active"][()], file["alarms/time"][()]))
            self.assertEqual([(signal, active) for signal, active, _ in alarms], [("oscillation", 1), ("oscillation", 0)])
            self.assertAlmostEqual(alarms[0][2], 15.0, delta=0.006)
            self.assertAlmostEqual(alarms[1][2], 25.0, delta=0.006)

    def test_a_job_drop_is_a_ramp_and_passes_its_limit(self):
        self.write("pod.yaml", RACK.format(rack="", more=METER.format(", ramp_limit: 50 kW/min, range_limit: 40 kW")))
        self.write("run.yaml", scenario(training(1.0, "129.999 kW", "130 kW", ", drop: {at: 40 s, over: 20 s, level: 40 kW}"), "",
                                        ['{class: power_quality_meter, signals: ["*"], period: 1 s}'], "2 min"))
        with self.play() as file:
            # 90 kW in 20 s: within a minute 90 kW/min, and 45 kW in ten seconds.
            self.assertAlmostEqual(60 * file["power_quality_meter/ramp"][:, 0].min(), -90e3, delta=500.0)
            self.assertAlmostEqual(file["power_quality_meter/range"][55, 0], 45e3, delta=2.5e3)
            self.assertLess(abs(file["power_quality_meter/ramp"][39, 0]), 1.0)
            alarms = list(zip(file["alarms/signal"].asstr()[()], file["alarms/active"][()], file["alarms/time"][()]))
            raised = {signal: time for signal, active, time in alarms if active}
            self.assertEqual(set(raised), {"ramp_magnitude", "range"})
            # 40 kW in ten seconds are gone 40/4.5 = 8.9 s after the start.
            self.assertAlmostEqual(raised["range"], 48.9, delta=1.0)

    def test_outside_of_its_window_a_run_is_the_one_without(self):
        self.write("pod.yaml", RACK.format(rack="", more="  GS: {class: generator, to: MV, rating: 300 kW, initially: on_line}\n").replace(
            "  GRID: {class: utility, to: MV, rating: 2 MW}\n", ""))
        record = ['{class: gpu, signals: [t_junction], period: 1 s}', '{class: generator, signals: [frequency, power], period: 1 s}']
        for workload, kelvin, hertz in (("{kind: step, at: [0 s, 20 s, 60 s], levels: [60 kW, 130 kW, 90 kW]}", 0.02, 2e-3), (training(1.0, "60 kW", "130 kW"), 0.1, 0.02)):
            with self.subTest(workload=workload):
                runs = []
                for window in ("", "{from: 30 s, for: 10 s, period: 10 ms}"):
                    self.write("run.yaml", scenario(workload, window, record, "90 s"))
                    with self.play() as file:
                        runs.append([file["gpu/t_junction"][()], file["generator/frequency"][()], file["generator/power"][()]])
                        t = file["gpu/time"][()]
                before, after = t <= 29.0, t >= 50.0
                for a, b, tolerance in zip(*runs, (kelvin, hertz, 100.0)):
                    self.assertTrue((a[before] == b[before]).all())
                    self.assertLess(numpy.abs(a[after] - b[after]).max(), tolerance)

    def test_rows_of_a_window_are_its_own_and_all_else_stays(self):
        self.write("pod.yaml", RACK.format(rack="", more=""))
        self.write("run.yaml", scenario(training(1.0, "60 kW", "130 kW"), "{from: 5 s, for: 2 s, period: 5 ms}, {from: 9 s, for: 1 s, period: 20 ms}",
                                        ["{class: utility, signals: [power], period: 4 s, window_period: 10 ms}", '{class: rack, signals: [power], period: 1 s}'], "12 s"))
        with self.play() as file:
            t = file["utility/time"][()]
            fine = [5 + k / 100 for k in range(200)] + [9 + k / 100 for k in range(100)]
            self.assertLess(numpy.abs(t - sorted([0.0, 4.0, 8.0, 12.0] + fine)).max(), 1e-9)
            self.assertEqual(list(file["rack/time"][()]), list(range(13)))
            # Outside the mean of a second is asked for; the energy is the same.
            self.assertAlmostEqual(file["utility/power"][1, 0], 95e3, delta=1.0)
            self.assertAlmostEqual(file["utility/power"][:, 0][(t > 4.999) & (t < 6.999)].mean(), 95e3, delta=800.0)

    def test_controllers_act_once_a_second_in_a_window_too(self):
        self.write("run.yaml", scenario("{kind: idle}", "{from: 3 s, for: 3 s, period: 10 ms}", ["{class: controller, signals: [output], period: 1 s, window_period: 10 ms}"],
                                        "8 s", pod=SOURCE / "tests/contract/plants/pi_controller.yaml").replace("from: steady", "from: cold").replace("workload: {kind: idle}\n", ""))
        with self.play() as file:
            t, out = file["controller/time"][()], file["controller/output"][()]
            moved = t[1:][(numpy.diff(out, axis=0) != 0).any(axis=1)]
            self.assertGreater(len(moved), 2)
            # A decision of a second shows in the first row after it.
            self.assertTrue(((moved % 1.0 < 0.0101) | (moved % 1.0 > 0.9999)).all(), moved)

    def test_a_run_goes_on_from_within_a_window(self):
        self.write("pod.yaml", RACK.format(rack="", more=METER.format("")))
        text = scenario(training(1.0, "100 kW", "130 kW"), "{from: 2 s, for: 20 s, period: 10 ms}",
                        ['{class: power_quality_meter, signals: ["*"], period: 1 s}', "{class: restart, period: 8 s}"], "24 s")
        self.write("run.yaml", text)
        with self.play("whole.h5") as whole:
            self.write("run.yaml", text.replace("from: steady", "from: {result: whole.h5, at: 8 s}"))
            with self.play("rest.h5") as rest:
                start = list(whole["power_quality_meter/time"][()]).index(rest["power_quality_meter/time"][0])
                for signal in ("oscillation", "range", "ramp", "oscillation_measured"):
                    a, b = whole[f"power_quality_meter/{signal}"][start:, 0], rest[f"power_quality_meter/{signal}"][:, 0]
                    self.assertLess(numpy.abs(a - b).max(), 1e-4 * max(numpy.abs(a).max(), 1e5), signal)

    def test_incident_18_is_the_sum_of_its_harmonics_and_a_bess_takes_it_away(self):
        with self.play(path=INCIDENTS / "18-training-on-generators.yaml") as file:
            t, hertz = self.series(file, "generator", "frequency")
            settled = (t >= 162.0) & (t < 172.0)
            rise, dip = hertz[settled].max() - 60.0, 60.0 - hertz[settled].min()
            power = file["generator/power"][()][settled].sum(axis=1)
            load = file["ups/load"][()][(file["ups/time"][()] >= 162.0) & (file["ups/time"][()] < 172.0)].sum(axis=1)
        # The UPS pass the swing on, enlarged by their loss: 4.8 MW at 96 to 97 %.
        self.assertAlmostEqual(numpy.ptp(load), 64 * 75e3, delta=1e4)
        self.assertAlmostEqual(numpy.ptp(power), 64 * 75e3 / 0.965, delta=0.02 * 5e6)
        # Of 18 MW with H 1 s, D 1, Kp 8, Ki 8, actuator 0.2 s, engine 0.05 s; a trapezoid rises for 5 % of its period.
        amplitude_of_swing = numpy.ptp(power) / 2 / 18e6
        time = numpy.arange(0.0, 1.0, 1e-3)
        w = numpy.zeros_like(time)
        for n in range(1, 40, 2):
            s = 2j * numpy.pi * n
            governor = (8 + 8 / s) / ((1 + 0.2 * s) * (1 + 0.05 * s))
            harmonic = amplitude_of_swing * 4 / (numpy.pi * n) * numpy.sinc(n * 0.05)
            w += numpy.imag(-harmonic / (2 * s + 1 + governor) * numpy.exp(s * time))
        self.assertAlmostEqual(rise, 60 * w.max(), delta=0.05)
        self.assertAlmostEqual(dip, -60 * w.min(), delta=0.05)
        self.assertAlmostEqual(rise, 1.4, delta=0.1)  # practice.md 6.18
        self.assertGreater(rise, 0.015 * 60)
        with self.play(path=INCIDENTS / "18b-training-on-generators-with-bess.yaml") as file:
            t, hertz = self.series(file, "generator", "frequency")
            settled = (t >= 162.0) & (t < 172.0)
            self.assertLess(numpy.abs(hertz[settled] - 60.0).max(), 0.2)
            # What a lag of 20 ms and half a period of 5 ms leaves of the first harmonic.
            left = amplitude(file["generator/time"][()], file["generator/power"][()].sum(axis=1), 1.0, 162.0, 172.0)
            lag = 2 * numpy.pi * 0.0225
            self.assertAlmostEqual(left, numpy.ptp(power) / 2 * 4 / numpy.pi * numpy.sinc(0.05) * lag / numpy.sqrt(1 + lag ** 2), delta=0.02e6)

    def test_what_cannot_be_is_refused_at_its_place(self):
        sound = training(1.0, "60 kW", "130 kW")
        window = "{from: 5 s, for: 5 s, period: 5 ms}"
        record = ['{class: rack, signals: [power], period: 1 s}']
        for workload, windows, entries, says in (
                (sound, window.replace("5 ms", "3 ms"), record, r"run\.yaml:\d+:\d+: error: .*does not divide a second"),
                (sound, window.replace("5 ms", "30 ms"), record, r"run\.yaml:\d+:\d+: error: .*is not from 1 ms to 20 ms"),
                (sound, window.replace("from: 5 s", "from: 5.5 s"), record, r"run\.yaml:\d+:\d+: error: .*whole number of seconds"),
                (sound, window + ", {from: 7 s, for: 1 s, period: 5 ms}", record, r"run\.yaml:\d+:\d+: error: .*begins before the one"),
                (sound, window.replace("from: 5 s", "from: 28 s"), record, r"run\.yaml:\d+:\d+: error: .*after the run"),
                (sound, window, ["{class: rack, signals: [power], period: 1 s, window_period: 2 s}"], r"run\.yaml:\d+:\d+: error: .*window_period"),
                (sound.replace("rise_time: 0.25 s", "rise_time: 0.7 s"), window, record, r"run\.yaml:\d+:\d+: error: .*rise_time.*longer than"),
                (sound.replace("low: 60 kW", "low: 60 %"), window, record, r"mixes rack power and utilisation"),
                (sound.replace("low: 60 kW", "low: 0 kW"), window, record, r"more than 0 W"),
                (sound.replace("low: 60 kW", "low: 140 kW"), window, record, r"above `high`"),
                (sound.replace("}", ", racks: [Y]}"), window, record, r"no equipment 'Y'"),
                (sound.replace("}", ", racks: [GRID]}"), window, record, r"'GRID' is no rack"),
                (sound.replace("}", ", checkpoints: {every: 10 s, for: 10 s, level: 50 kW}}"), window, record, r"lasts until the next")):
            with self.subTest(says=says):
                self.write("pod.yaml", RACK.format(rack="", more=""))
                done = self.run_ok("check", self.write("run.yaml", scenario(workload, windows, entries)), status=2)
                self.assertRegex(done.stderr, says)
        self.write("run.yaml", scenario(sound, window.replace("5 ms", "20 ms"), record))
        for meter, says in ((", band_high: 30 Hz", r"run\.yaml:\d+:\d+: error: 'PQ' takes a sample each 20 ms.*at most 16\.6"),
                            (", band_low: 5 Hz, band_high: 2 Hz", r"pod\.yaml:\d+:\d+: error: .*no band"),
                            (", oscillation_window: 1 s", r"pod\.yaml:\d+:\d+: error: .*shorter than a period")):
            with self.subTest(says=says):
                self.write("pod.yaml", RACK.format(rack="", more=METER.format(meter)))
                self.assertRegex(self.run_ok("check", self.folder / "run.yaml", status=2).stderr, says)
        self.write("pod.yaml", RACK.format(rack="", more=METER.format("").replace("GRID.power", "X.flow")))
        self.assertRegex(self.run_ok("check", self.folder / "run.yaml", status=2).stderr, r"pod\.yaml:\d+:\d+: error: .*is no power")
        self.write("pod.yaml", RACK.format(rack="", more=METER.format("")))
        done = self.run_ok("check", self.write("run.yaml", scenario(sound, "", record)))
        self.assertIn("measures no oscillation", done.stderr)


if __name__ == "__main__":
    unittest.main()
