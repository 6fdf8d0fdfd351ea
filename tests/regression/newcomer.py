"""What a newcomer gets wrong or asks for: told at its own place and in the user's own units, or done."""
import json
import unittest

import h5py

from support import SOURCE, Case, podtwin, table

POD = """podtwin: pod/1
title: Two load banks on one exchanger with a vessel and a dry cooler
site: {latitude: 50 deg, longitude: 8 deg, elevation: 100 m}
circuits:
  tcs: {fluid: PG30, held_by: EV-1}
  fws: {fluid: PG30, reference: {node: fws-suction, pressure: 150 kPa}}
nodes:
  tcs-supply: {volume: 100 L}
  tcs-return: {volume: 100 L}
  fws-suction: {volume: 200 L}
  fws-supply: {volume: 200 L}
equipment:
  GRID: {class: utility, to: MSB, rating: 1 MW}
  LB-[1-2]: {class: heat_load_bank, from: tcs-supply, to: tcs-return, rating: 150 kW, power: 120 kW, flow: 150 L/min, dp: 60 kPa, supply: MSB}
  P-1: {class: pump, from: tcs-return, to: pumped, head_curve: [[0 L/min, 300 kPa], [400 L/min, 200 kPa]], start_speed: 80 %, supply: MSB}
  HX-1: {class: plate_heat_exchanger, ua: 60 kW/K, hot: [pumped, tcs-supply], cold: [fws-cold, fws-suction], hot_flow: 5 kg/s, cold_flow: 5 kg/s, hot_dp: 40 kPa, cold_dp: 40 kPa}
  V-1: {class: valve, from: fws-supply, to: fws-cold, kv: 10 L/s, supply: MSB}
  EV-1: {class: expansion_vessel, node: tcs-return, volume: 50 L, precharge: 100 kPa, fill_pressure: 150 kPa, trips: [P-1]}
  FP-1: {class: pump, from: fws-suction, to: fws-hot, head_curve: [[0 L/min, 250 kPa], [500 L/min, 150 kPa]], start_speed: 90 %, supply: MSB}
  DC-1: {class: dry_cooler, from: fws-hot, to: fws-supply, ua: 40 kW/K, air_flow: 40 kg/s, flow: 5 kg/s, fan_power: 10 kW, supply: MSB}
controls:
  TT-1: {class: sensor, measures: tcs-supply.t, lag: 5 s}
  TC-1: {class: pi_controller, sensor: TT-1, drives: [V-1], set_point_temperature: 40 degC, action: direct, gain: 0.5, span_temperature: 10 K, integral_time: 40 s, start_output: 0.5}
design: {rack_power: 0 kW, weather: {dry_bulb: 25 degC, relative_humidity: 40 %}}
"""


class Newcomer(Case):
    def pod(self, *changes, name="pod.yaml"):
        text = POD
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return self.write(name, text)

    def told(self, *arguments, says, status=2, lines=None):
        done = podtwin(*arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertRegex(done.stderr, says)
        if lines is not None:
            self.assertEqual(len(done.stderr.splitlines()), lines, done.stderr)
        return done

    def test_a_file_with_errors_is_not_told_as_sound_and_its_neighbour_is(self):
        cut = self.write("cut.csv", "time [s],requests [1],context_tokens [token],generated_tokens [token]\n0,5,100,20\n10,6")
        good = self.write("good.csv", "time [s],requests [1],context_tokens [token],generated_tokens [token]\n0,5,100,20\n10,6,90,30\n")
        done = podtwin("check", cut, good)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"cut\.csv:3:1: error: .*was the file cut off")
        self.assertNotIn("cut.csv", done.stdout)
        self.assertIn("good.csv: a table of requests, 2 rows", done.stdout)

    def test_a_misspelt_node_is_told_at_its_place_and_alone(self):
        for change, says in (
                (("cold: [fws-cold,", "cold: [fws-colt,"), r"pod\.yaml:17:\d+: error: the node `fws-cold` of valve `V-1` is joined to nothing else, "
                 r"and so is `fws-colt` of plate_heat_exchanger `HX-1` in line 16; "),
                (("to: fws-supply, ua", "to: fws-suply, ua"), r"pod\.yaml:20:48: error: the node `fws-suply` .* did you mean `fws-supply`\?"),
                (("to: tcs-return, rating", "to: tcs-retrun, rating"), r"pod\.yaml:14:59: error: the node `tcs-retrun` .* did you mean `tcs-return`\?")):
            with self.subTest(change=change):
                self.told("check", self.pod(change), says=says, lines=1)
        # A dead end on purpose, and names that a number or a letter tells apart.
        spur = "  X-1: {class: resistance, from: fws-hot, to: fws-hott, dp: 1 kPa, flow: 1 L/s}\ncontrols:\n"
        self.told("check", self.pod(("controls:\n", spur)), says="fws-hott")
        self.run_ok("check", self.pod(("controls:\n", spur), ("nodes:\n", "nodes:\n  fws-hott: {volume: 1 L}\n")))
        for other in ("fws-hot-2", "fws-hot-b", "fws2-hot"):
            self.run_ok("check", self.pod(("controls:\n", spur.replace("fws-hott", other))))

    def test_a_circuit_without_reference_is_named(self):
        self.told("check", self.pod((", reference: {node: fws-suction, pressure: 150 kPa}", "")),
                  says=r"pod\.yaml:6:3: error: circuit 'fws' has no pressure reference.*fws-cold.*; add `reference: \{node: ", lines=1)
        for holder in ("EV-9", "P-1"):
            self.told("check", self.pod(("held_by: EV-1", f"held_by: {holder}")), says=r"pod\.yaml:5:31: error: .*holds no pressure", lines=1)

    def test_values_are_told_as_written_and_where(self):
        for old, new, says in (
                ("tcs: {fluid: PG30", "tcs: {fluid: PG80", r":5:16: error: .*80 % of glycol by volume is outside 0 to 60 %; choose a glycol fraction up to 60 %"),
                ("tcs: {fluid: PG30", "tcs: {fluid: PG-5", r":5:16: error: .*glycol in whole per cent by volume, 0 to 60, as in `PG25`"),
                ("tcs: {fluid: PG30", "tcs: {fluid: PG00", r":5:16: error: .*whole per cent"),
                ("tcs: {fluid: PG30", "tcs: {fluid: PG5.5", r":5:16: error: .*whole per cent"),
                ("held_by: EV-1", "held_by: EV-1, property_temperature: 400 degC", r":5:59: error: .*400 degC is outside the data of PG30, -13\.1\d* degC to 100 degC"),
                ("start_speed: 80 %", "efficiency: 170 %", r":15:\d+: error: .*: 170 % is above the highest value 100 %"),
                ("relative_humidity: 40 %", "relative_humidity: 400 %", r":24:76: error: .*: 400 % is above 100 %"),
                ("pressure: 150 kPa}", "pressure: -150 kPa}", r":6:63: error: .*: -150 kPa is below absolute vacuum, at this site -100\.13 kPa gauge"),
                ("precharge: 100 kPa", "precharge: 300 kPa", r"filled to 150 kPa, not above its precharge of 300 kPa"),
                ("start_speed: 80 %", "speed_min: 90 %, speed_max: 50 %", r"speed_max 50 % is below speed_min 90 %"),
                ("ua: 60 kW/K", "ua: 60,5 kW/K", r":16:43: error: `60,5 kW/K` has a comma; write a decimal point, not a comma: `60\.5 kW/K`"),
                ("  GRID:", "\tGRID:", r":13:1: error: a tab stands in the indentation; use spaces"),
                ("class: heat_load_bank", "class: load_bank", r"did you mean `heat_load_bank`\?")):
            with self.subTest(new=new):
                self.assertNotRegex(self.told("check", self.pod((old, new)), says=says, lines=1).stderr, r"\d\.\d{6}")
        self.told("check", self.write("empty.yaml", "# nothing\n"), says=r"empty\.yaml:1:1: error: there is nothing in the file but comments")

    def test_no_success_is_printed_beside_an_error(self):
        limit = "limits:\n  l1: {signal: tcs-supply.t, above: 50 kPa, kind: alarm}\ndesign:"
        self.assertEqual(self.told("check", self.pod(("design:", limit)), says="kPa").stdout, "")

    def test_slips_on_the_command_line(self):
        self.told("runn", says=r"there is no command 'runn'; did you mean 'run'\?")
        with h5py.File(self.folder / "a.h5", "w"):
            pass
        self.told("check", self.folder / "a.h5", says="a result file.*podtwin info")
        pod = self.pod()
        self.told("steady", pod, "--set", "P-1.speed=40", says="write `40 %` if per cent is meant")
        self.told("steady", pod, "--set", "LX-[1-2].power=1 kW", says="there is no class `LX-`")
        self.told("steady", pod, "--set", "nodes.tcs-supply.volume=1 L", says="set a parameter .*design.rack_power.*circuits.NAME.fluid")
        run = ("podtwin: scenario/1\ntitle: t\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: 30 s\n"
               "weather: {dry_bulb: 25 degC, wet_bulb: 20 degC}\nevents:\n  - {at: 1 s, target: V-1, do: stick, with: {position: 30}}\n")
        self.told("check", self.write("run.yaml", run), says=r"run\.yaml:8:\d+: error: .*`30`.*; write `30 %` if per cent is meant")
        self.run_ok("check", self.write("run.yaml", run.replace("position: 30", "position: 30 %")))

    def facility(self, *arguments):
        folder = self.folder / "tables"
        self.run_ok("steady", *arguments, "--csv", folder)
        return table(folder, "facility")["facility"], folder

    def test_what_can_be_set(self):
        pod = self.pod()
        self.assertAlmostEqual(self.facility(pod, "--set", "design.weather.dry_bulb=10 degC")[0]["t_dry_bulb"], 283.15, delta=1e-6)
        _, folder = self.facility(pod, "--set", "LB-[1-2].power=100 kW")
        self.assertEqual([row["power"] for row in table(folder, "heat_load_bank").values()], [1e5, 1e5])
        flows = []
        for fluid in ("PG5", "PG50"):
            _, folder = self.facility(pod, "--set", f"circuits.tcs.fluid={fluid}")
            flows.append(table(folder, "pump")["P-1"]["flow"])
        self.assertNotEqual(*flows)
        for text, says in (("circuits.tcs.fluid=PG80", "60 %"), ("circuits.tsc.fluid=PG20", "no circuit `tsc`"),
                           ("design.weather.dry_bulb=500 degC", "500 degC is above"), ("design.wether.dry_bulb=5 degC", "did you mean")):
            self.told("steady", pod, "--set", text, says=says)

    def test_weather_by_its_wet_bulb(self):
        for pod, extra in ((self.pod(("relative_humidity: 40 %", "wet_bulb: 20 degC")), ()), (self.pod(name="b.yaml"), ("--set", "design.weather.wet_bulb=20 degC"))):
            self.assertAlmostEqual(self.facility(pod, *extra)[0]["t_wet_bulb"], 293.15, delta=1e-3)
        run = ("podtwin: scenario/1\ntitle: t\npod: b.yaml\nstart: 2026-07-15T00:00:00Z\nduration: 30 s\n"
               "weather: {dry_bulb: 25 degC, wet_bulb: 20 degC}\n")
        self.assertAlmostEqual(self.facility(self.write("run.yaml", run))[0]["t_wet_bulb"], 293.15, delta=1e-3)
        for wet, says in (("26 degC", "26 degC is above the dry bulb, 25 degC"), ("2 degC", "that of the driest air is 8.1"), ("20 degC, relative_humidity: 40 %", "both wet_bulb and")):
            self.told("check", self.write("run.yaml", run.replace("wet_bulb: 20 degC", f"wet_bulb: {wet}")), says=says)
            self.told("check", self.pod(("relative_humidity: 40 %", f"wet_bulb: {wet}")), says=says)

    def test_stale_tables_go_and_foreign_files_stay(self):
        folder = self.folder / "tables"
        self.run_ok("steady", self.pod(), "--csv", folder)
        (folder / "sensor.csv").write_text("changed by hand\n", encoding="utf-8")
        (folder / "rack.csv").write_text("foreign\n", encoding="utf-8")
        self.assertTrue((folder / "heat_load_bank.csv").exists())
        self.run_ok("steady", SOURCE / "tests/contract/plants/tank.yaml", "--csv", folder)
        self.assertFalse((folder / "heat_load_bank.csv").exists())
        self.assertEqual((folder / "rack.csv").read_text(encoding="utf-8"), "foreign\n")
        self.assertEqual((folder / "sensor.csv").read_text(encoding="utf-8"), "changed by hand\n")

    def test_limits_of_yes_and_no_are_told_in_words(self):
        done = self.run_ok("steady", self.pod())
        self.assertRegex(done.stderr, r"P-1: its flow over speed is beyond the last point of its curves")
        self.assertNotIn("above 0.5", done.stderr)
        run = ("podtwin: scenario/1\ntitle: t\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: 30 s\n")
        done = self.run_ok("run", self.write("run.yaml", run), "-o", self.folder / "out.h5")
        self.assertRegex(done.stdout, r"P-1: its flow over speed is beyond the last point of its curves")

    def test_the_schema_of_a_class(self):
        text = self.run_ok("schema", "pump").stdout
        for says in (r"start_speed +ratio +60 % +0 % to 100 %", r"head_curve .* required", r"set +with: \{speed: ", r"flow \[m3 s-1\]",
                     r"beyond_curve +while 1 for 10 s", r"model/components/cooling/pump\.md"):
            self.assertRegex(text, says)
        self.assertRegex(self.run_ok("schema", "gpu").stdout, r"t_junction \[K\]")
        self.told("schema", "pmp", says="did you mean 'pump'")
        schema = json.loads(self.run_ok("schema", "pod").stdout)
        classes = {one["then"]["properties"]["class"]["const"]: one["then"]
                   for one in schema["properties"]["equipment"]["additionalProperties"]["allOf"]}
        pump = classes["pump"]
        self.assertEqual(set(pump["required"]), {"head_curve", "from", "to"})
        self.assertEqual(pump["properties"]["start_speed"]["default"], "60 %")
        self.assertEqual(pump["properties"]["check_valve"]["default"], True)
        self.assertEqual(pump["x-podtwin-signals"]["flow"]["unit"], "m3 s-1")
        self.assertEqual(pump["x-podtwin-commands"]["set"]["with"]["speed"]["example"], "12 %")
        self.assertIn("beyond_curve", pump["x-podtwin-limits"])
        self.assertIn("t_junction", schema["x-podtwin-parts"]["gpu"]["x-podtwin-signals"])
        for name, info in classes.items():
            for parameter, rule in info["properties"].items():
                self.assertFalse(parameter in info["required"] and "default" in rule, f"{name}.{parameter}")

    def test_shipped_parts_are_found_from_anywhere(self):
        self.run_ok("check", self.pod(("circuits:\n", "include: [data/pods/parts/cdus.yaml]\ncircuits:\n")))


if __name__ == "__main__":
    unittest.main()
