"""Sensors and controllers carry the unit of what they measure: in files, tables, messages and in what scenarios ask."""
import csv
import re
import unittest

import h5py
import xarray

from support import Case, podtwin

POD = """podtwin: pod/1
circuits:
  w: {fluid: water, reference: {node: in, pressure: 100 kPa}}
nodes:
  in: {temperature: 30 degC}
  mid: {volume: 20 L}
equipment:
  hall: {class: zone, volume: 100 m3, equipment_capacity: 1 MJ/K}
  wall: {class: heat_resistance, a: hall, b: ambient, resistance: 0.1 K/kW}
  heater: {class: heat_source, to: hall, power: 3 kW}
  P-1: {class: pump, from: in, to: out, head_curve: [[0 L/min, 300 kPa], [400 L/min, 200 kPa]], efficiency: 65 %}
  V-1: {class: valve, from: out, to: mid, kv: 1 L/s}
  R-1: {class: resistance, from: mid, to: in, dp: 50 kPa, flow: 1 L/s}
controls:
  TT-2: {class: sensor, measures: hall-TT.value, lag: 1 s}
  hall-TT: {class: sensor, measures: hall.t_air, lag: 5 s}
  P-DPT: {class: sensor, measures: out.p, minus: in.p, lag: 1 s}
  P-FT: {class: sensor, measures: P-1.flow, lag: 1 s}
  P-WT: {class: sensor, measures: P-1.power, lag: 1 s}
  P-ST: {class: sensor, measures: P-1.speed, lag: 1 s}
  P-DPC: {class: pi_controller, sensor: P-DPT, drives: [P-1], set_point_pressure: 150 kPa}
  hall-TC: {class: pi_controller, sensor: hall-TT, drives: [V-1], set_point_temperature: 30 degC, gain: 0}
limits:
  warm: {signal: hall-TT.value, above: 30.1 degC}
  hot-node: {signal: mid.t, above: 80 degC}
"""
SCENARIO = """podtwin: scenario/1
pod: pod.yaml
duration: 20 s
weather: {dry_bulb: 30 degC, relative_humidity: 40 %}
events:
  - {at: 5 s, target: P-DPC, do: set, with: {set_point: 140 kPa}}
  - {when: "hall-TT.value > 45 degC", target: P-1, do: trip}
limits:
  strong: {signal: P-DPT.value, above: 200 kPa}
expect:
  - {signal: hall-TT.value, below: 45 degC}
  - {signal: P-FT.value, above: 6 L/min}
"""
UNITS = {"TT-2": "K", "hall-TT": "K", "P-DPT": "Pa", "P-FT": "m3 s-1", "P-WT": "W", "P-ST": "1"}
# File, what is replaced, by what, and what the refusal must hold.
REFUSED = (
    ("pod.yaml", "above: 30.1 degC", "above: 30.1 kPa", "`kPa` is of another kind than a temperature"),
    ("pod.yaml", "above: 30.1 degC", "above: 30.1", "`30.1` has no unit, but a temperature is due"),
    ("pod.yaml", "above: 80 degC", "above: 80 kPa", "`kPa` is of another kind than a temperature"),
    ("pod.yaml", "signal: hall-TT.value", 'signal: "sensor[*].value"', "names values of several kinds"),
    ("pod.yaml", "minus: in.p", "minus: in.t", "(temperature) from 'out.p' (gauge pressure)"),
    ("pod.yaml", "measures: hall.t_air", "measures: TT-2.value", "measure each other in a circle"),
    ("pod.yaml", "set_point_temperature: 30 degC", "set_point_pressure: 30 kPa", "its sensor measures a temperature"),
    ("run.yaml", "set_point: 140 kPa", "set_point: 80 degC", "`degC` is of another kind than a pressure difference"),
    ("run.yaml", "set_point: 140 kPa", "set_point: 140", "`140` has no unit"),
    ("run.yaml", "> 45 degC", "> 45 kPa", "`kPa` is of another kind than a temperature"),
    ("run.yaml", "above: 200 kPa", "above: 200 kW", "`kW` is of another kind than a pressure difference"),
    ("run.yaml", "below: 45 degC", "below: 45 kPa", "`kPa` is of another kind than a temperature"),
    ("run.yaml", "hall-TT.value, below", "hall-TT.quality, below", "`45 degC` has a unit, but a pure number is due"),
    ("run.yaml", "hall-TT.value, below", '"max(sensor[*].value)", below', "temperature ('TT-2') and"),
    ("run.yaml", "hall-TT.value, below", "hall-TT.reading, below", "its signals are value, true, quality"),
    ("run.yaml", "above: 6 L/min", "above: 6 kg/s", "`kg/s` is of another kind than a volume flow"),
)


class SignalUnits(Case):
    def setUp(self):
        super().setUp()
        self.write("pod.yaml", POD)
        self.scenario = self.write("run.yaml", SCENARIO)

    def run_out(self, *more, status=0):
        path = self.folder / "out.h5"
        return path, self.run_ok("run", self.scenario, "-o", path, "--force", *more, status=status)

    def test_a_result_file_names_the_unit_of_every_sensor_and_controller(self):
        path, _ = self.run_out()
        with h5py.File(path) as file:
            ids = list(file["sensor/id"].asstr())
            for signal in ("value", "true"):
                units = dict(zip(ids, file[f"sensor/{signal}_units"].asstr()))
                self.assertEqual(units, UNITS)
                self.assertEqual(file[f"sensor/{signal}_units"].dims[0][0], file["sensor/id"])
                self.assertEqual(file[f"sensor/{signal}"].attrs["coordinates"], f"{signal}_units")
                self.assertEqual(file[f"sensor/{signal}"].attrs["units"], "1")
            self.assertNotIn("quality_units", file["sensor"])
            controllers = list(file["controller/id"].asstr())
            for signal in ("setpoint", "measured"):
                self.assertEqual(dict(zip(controllers, file[f"controller/{signal}_units"].asstr())), {"P-DPC": "Pa", "hall-TC": "K"})
            self.assertNotIn("output_units", file["controller"])
            self.assertEqual(file["zone/t_air"].attrs["units"], "K")
            alarms = zip(file["alarms/equipment"].asstr(), file["alarms/signal"].asstr(), file["alarms/units"].asstr(), file["alarms/limit"])
            self.assertIn(("hall-TT", "value", "K", 303.25), [(e, s, u, round(float(l), 6)) for e, s, u, l in alarms])
        with xarray.open_dataset(path, group="sensor", engine="h5netcdf") as data:
            for identity, unit in UNITS.items():
                self.assertEqual(data["value"].sel(id=identity).value_units.item(), unit)

    def test_a_plant_whose_sensors_measure_one_thing_has_that_unit_on_the_dataset_as_well(self):
        self.write("pod.yaml", re.sub(r"  P-(DPT|FT|WT|ST|DPC): .*\n", "", POD))
        self.write("run.yaml", SCENARIO.split("events:")[0])
        path, _ = self.run_out()
        with h5py.File(path) as file:
            self.assertEqual(file["sensor/value"].attrs["units"], "K")
            self.assertEqual(list(file["sensor/value_units"].asstr()), ["K", "K"])

    def test_info_tells_the_units(self):
        path, _ = self.run_out()
        info = self.run_ok("info", path).stdout
        self.assertRegex(info, r"(?m)^  zone .* t_air \[K\], t_dew_point \[K\]$")
        self.assertRegex(info, r"(?m)^  sensor .* quality, .*value \[1, K, Pa, W, m3 s-1\]")
        for unit, members in (("K", "TT-2, hall-TT"), ("Pa", "P-DPT"), ("W", "P-WT"), ("m3 s-1", "P-FT"), ("1", "P-ST")):
            self.assertRegex(info, rf"(?m)^    sensor true, value +\[{unit}\] +{members}$")
        self.assertRegex(info, r"(?m)^    controller measured, setpoint +\[K\] +hall-TC$")

    def test_steady_tables_show_each_in_its_unit(self):
        folder = self.folder / "tables"
        done = self.run_ok("steady", self.scenario, "--csv", folder)
        self.assertRegex(done.stdout, r"hall-TT +value 30\.30 degC; true 30\.30 degC; quality 0")
        self.assertRegex(done.stdout, r"P-DPT +value 150\.00 kPa")
        self.assertRegex(done.stdout, r"P-FT +value [\d.]+ L/min")
        self.assertRegex(done.stdout, r"hall-TC +setpoint 30\.00 degC; measured 30\.30 degC; output")
        with open(folder / "sensor.csv", newline="", encoding="utf-8") as file:
            rows = {row["id"]: row for row in csv.DictReader(file)}
        self.assertEqual(set(rows), set(UNITS))
        for identity, unit in UNITS.items():
            for signal in ("value", "true"):
                given = {name: text for name, text in rows[identity].items() if name.startswith(signal) and text}
                self.assertEqual(list(given), [f"{signal} [{unit}]"], identity)
        self.assertAlmostEqual(float(rows["hall-TT"]["value [K]"]), 303.45, places=3)
        self.assertAlmostEqual(float(rows["P-DPT"]["value [Pa]"]), 150e3, delta=1.0)

    def test_expectations_and_limits_are_told_in_the_unit_of_the_sensor(self):
        _, done = self.run_out()
        self.assertRegex(done.stdout, r"holds  hall-TT\.value below 45 degC: 30\.3\d* degC \(hall-TT")
        self.assertRegex(done.stdout, r"holds  P-FT\.value above 0\.0001 m3 s-1: [\d.e-]+ m3 s-1")
        self.assertRegex(done.stdout, r"hall-TT\.value above 30\.10 degC \(alarm\)")
        self.write("run.yaml", SCENARIO.replace("below: 45 degC", "below: 20 degC"))
        _, done = self.run_out(status=4)
        self.assertRegex(done.stdout, r"MISSED hall-TT\.value below 20 degC: 30\.3\d* degC")

    def test_a_set_point_takes_every_unit_of_its_kind(self):
        path, _ = self.run_out("--set", "scenario.events.0.with.set_point=1.4 bar")
        with h5py.File(path) as file:
            at = list(file["controller/id"].asstr()).index("P-DPC")
            self.assertEqual([float(v) for v in file["controller/setpoint"][:, at]], [150e3, 140e3, 140e3])

    def test_a_value_of_another_kind_is_refused_at_its_place(self):
        for name, token, other, says in REFUSED:
            with self.subTest(file=name, other=other):
                good = POD if name == "pod.yaml" else SCENARIO
                self.assertEqual(good.count(token), 1)
                self.write(name, good.replace(token, other))
                done = podtwin("run", self.scenario, "-o", self.folder / "bad.h5")
                self.write(name, good)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertFalse((self.folder / "bad.h5").exists())
                line = good[:good.index(token)].count("\n") + 1
                place = re.compile(rf"{re.escape(name)}:{line}:\d+: error: .*{re.escape(says)}")
                self.assertRegex(done.stderr, place)
                self.assertRegex(done.stderr, r"; \S", "no remedy")

    def test_set_tells_how_a_key_of_the_scenario_is_written(self):
        for given, hint in (("solver.method=rosenbrock", "scenario.solver.method"), ("duration=2 h", "scenario.duration"),
                            ("workload.scale=2", "scenario.workload.scale"), ("expect.0.below=3 K", "scenario.expect.0.below")):
            with self.subTest(given=given):
                done = podtwin("run", self.scenario, "-o", self.folder / "bad.h5", "--set", given)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"it is a key of the scenario; write `{hint}`", done.stderr)
        self.run_out("--set", "scenario.solver.method=rosenbrock", "--set", "scenario.duration=10 s")

    def test_a_placement_without_meaning_is_refused(self):
        self.write("trace.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n")
        self.write("run.yaml", SCENARIO.replace("events:", "workload: {kind: requests, file: trace.csv, placement: random}\nevents:", 1))
        done = podtwin("run", self.scenario, "-o", self.folder / "bad.h5")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"run\.yaml:5:\d+: error: `placement` .*`random` is not known; known values: packed, spread")


if __name__ == "__main__":
    unittest.main()
