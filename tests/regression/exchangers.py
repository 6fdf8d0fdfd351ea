"""Exchangers, cold plates and load banks through pod files: what is refused, and what a run makes of fouling and steps."""
import unittest

from support import Case, podtwin, scenario

POD = """podtwin: pod/1
title: Rack plates, exchanger, load bank
circuits:
  tcs: {fluid: PG25, reference: {node: ret, pressure: 200 kPa}}
  fws: {fluid: water}
nodes:
  fin: {pressure: 100 kPa, temperature: 30 degC}
  fout: {pressure: 0 kPa, temperature: 30 degC}
  ret: {volume: 50 L}
equipment:
  P: {class: fixed_flow, from: ret, to: dis, flow: 6 kg/s}
  X: {class: plate_heat_exchanger, hot: [dis, sup], cold: [fin, fmid], EXCHANGER, cold_dp: 30 kPa}
  F: {class: resistance, from: fmid, to: fout, dp: 40 kPa, flow: 6 L/s}
  B: {class: heat_load_bank, from: sup, to: mid, rating: 100 kW, step: 5 kW, power: BANK, flow: 6 L/s}
  chips: {class: heat_capacity, capacity: 100 kJ/K}
  C: {class: cold_plate, from: mid, to: ret, body: chips, modules: 300, PLATE}
  Q: {class: heat_source, to: chips, power: 100 kW}
design: {rack_power: 0 kW, weather: {dry_bulb: 25 degC, relative_humidity: 40 %}}
"""
EXCHANGER = "ua: 100 kW/K, hot_flow: 6 kg/s, cold_flow: 6 kg/s"
PLATE = "resistance_curve: [[0.6 L/min, 0.03 K/W], [1 L/min, 0.0245 K/W], [1.6 L/min, 0.0214 K/W]]"
POINT = "nominal_heat: 100 kW, nominal_hot_in: 45 degC, nominal_hot_out: 41 degC, nominal_cold_in: 35 degC"
# What is written, and words of what is said about it.
REFUSED_EXCHANGERS = (
    ("hot_flow: 6 kg/s, cold_flow: 6 kg/s", ("no conductance", "give one of ua")),
    (EXCHANGER + ", nominal_effectiveness: 0.5", ("more than one way", "give one of ua")),
    ("ua: 100 kW/K, hot_flow: 6 kg/s", ("no cold_flow", "give cold_flow")),
    (EXCHANGER + ", nominal_hot_in: 40 degC", ("nominal_hot_in without nominal_heat", "leave it out")),
    (POINT, ("less than two of cold_flow", "give two of them")),
    (POINT + ", cold_flow: 6 kg/s, hot_flow: 6 kg/s", ("all of hot_flow", "give two of them")),
    (POINT + ", nominal_cold_out: 34 degC", ("would cool its cold side, 35 degC to 34 degC", "above the inlet's")),
    (POINT + ", nominal_cold_out: 50 degC", ("no exchanger passes more than", "less nominal_heat")),
    (POINT.replace("45", "33").replace("41", "29") + ", nominal_cold_out: 39 degC", ("no warmer than", "33 degC")),
    (EXCHANGER + ", model: dynamic", ("dynamic but has no hot_volume", "model: static")),
)
REFUSED_PLATES = (
    ("dp: 40 kPa", ("no resistance_curve", "resistance_curve: [[")),
    (PLATE + ", law: fit", ("law fit but no resistance", "flow_low")),
    (PLATE + ", flow_low: 1 L/min", ("of the law fit alone", "leave it out")),
    ("law: quadratic, resistance_curve: [[0.6 L/min, 0.03 K/W], [1 L/min, 0.0245 K/W]]", ("three points", "more points")),
    ("resistance_curve: [[1 L/min, 0.03 K/W], [0.6 L/min, 0.0245 K/W]]", ("does not rise above",)),
    (PLATE.replace("0.03", "0.02"), ("0.02 K/W at 0.6 L/min, where this coolant alone warms by", "at a higher flow")),
)


def pod(exchanger=EXCHANGER, plate=PLATE, bank="0 kW"):
    return POD.replace("EXCHANGER", exchanger).replace("PLATE", plate).replace("BANK", bank)


class Exchangers(Case):
    def refused(self, text, line_of, words):
        self.write("pod.yaml", text)
        done = podtwin("check", self.folder / "pod.yaml")
        self.assertEqual(done.returncode, 2, text + done.stderr)
        line = next(n for n, found in enumerate(text.splitlines(), 1) if found.startswith(f"  {line_of}: "))
        self.assertRegex(done.stderr, rf"pod\.yaml:{line}:\d+: error", text)
        for word in words:
            self.assertIn(word, done.stderr, text)

    def test_a_record_that_contradicts_itself_is_refused_with_what_to_do(self):
        for exchanger, words in REFUSED_EXCHANGERS:
            with self.subTest(exchanger=exchanger):
                self.refused(pod(exchanger=exchanger), "X", words)
        for plate, words in REFUSED_PLATES:
            with self.subTest(plate=plate):
                self.refused(pod(plate=plate), "C", words)
        self.refused(pod(bank="12 kW"), "B", ("steps of 5 kW: 10 or 15 kW",))

    def run_to(self, events, dynamic=False):
        extra = ", model: dynamic, hot_volume: 8 L, cold_volume: 8 L, wall_capacity: 40 kJ/K" if dynamic else ""
        self.write("pod.yaml", pod(exchanger=EXCHANGER + extra))
        text = scenario(rack_power=None, dry_bulb="25 degC", duration="40 min", events=events, pod="pod.yaml",
                        extra="from: steady\nrecord: [{class: heat_exchanger, signals: [\"*\"], period: 60 s}, "
                              "{class: heat_load_bank, signals: [\"*\"], period: 60 s}, "
                              "{class: cold_plate, signals: [\"*\"], period: 60 s}]\n")
        self.write("run.yaml", text)
        done = podtwin("run", self.folder / "run.yaml", "-o", self.folder / "run.h5", "--force", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        import h5py
        with h5py.File(self.folder / "run.h5", "r") as f:
            return {group: {name: f[group][name][:, 0] for name in f[group] if name not in ("id", "tag")
                            and getattr(f[group][name], "ndim", 0) == 2}
                    for group in ("heat_exchanger", "heat_load_bank", "cold_plate")}

    def test_fouling_in_a_run_raises_the_supply_and_the_heat_stays(self):
        events = ["{at: 60 s, target: X, do: foul, with: {resistance: 0.00001 K/W}}",
                  "{at: 1200 s, target: B, do: set, with: {power: 50 kW}}"]
        for dynamic in (False, True):
            with self.subTest(dynamic=dynamic):
                found = self.run_to(events, dynamic)
                x, plate = found["heat_exchanger"], found["cold_plate"]
                self.assertAlmostEqual(1.0 / x["ua"][-1] - 1.0 / x["ua"][0], 1e-5, delta=1e-8)
                self.assertAlmostEqual(x["heat"][0], 100e3, delta=100.0)
                self.assertAlmostEqual(x["heat"][19], 100e3, delta=100.0)
                self.assertAlmostEqual(x["heat"][-1], 150e3, delta=150.0)
                self.assertAlmostEqual(found["heat_load_bank"]["power"][-1], 50e3, delta=1.0)
                # Supply above the cold inlet: Q (1/eps - 1)/C when both sides carry alike, here by what is recorded.
                self.assertGreater(x["approach"][19], 1.2 * x["approach"][0])
                self.assertGreater(plate["t_case"][19], plate["t_case"][0])


if __name__ == "__main__":
    unittest.main()
