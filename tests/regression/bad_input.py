"""Spoiled files, each a one-token mutation of an accepted one where it can be.

Every one is refused with exit status 2, the place of the token, its name and a remedy, and nothing is written.
"""
import re
import unittest

from support import Case, SOURCE, podtwin

CATALOGUE = """podtwin: catalogue/1
types:
  small-pump:
    class: pump
    head_curve: {value: [[0 L/min, 300 kPa], [400 L/min, 200 kPa]], source: "made up for a test"}
    efficiency: {value: 65 %, source: "made up for a test"}
    ramp_time: 30 s
  one-rack:
    class: rack
    source: defaults of the class
"""
POD = """podtwin: pod/1
title: One loop
site: {latitude: 42.7 deg, longitude: -87.9 deg, elevation: 220 m}
use: [cat.yaml]
physics: {gravity: 9.80665 m/s2, friction: colebrook}
circuits:
  tcs: {fluid: PG25, reference: {node: ret, pressure: 200 kPa}}
nodes:
  sup: {volume: 0.5 m3}
  ret: {temperature: 40 degC}
templates:
  pair:
    parameters: [n]
    equipment:
      "P-${n}[1-2]": {type: small-pump, from: ret, to: header, supply: MSB}
equipment:
  pumps: {template: pair, with: {n: 1}}
  pipe: {class: resistance, from: header, to: sup, dp: 20 kPa, flow: 500 L/min}
  "A[01-02]": {type: one-rack, from: sup, to: ret, feeds: [BW-1, BW-1], air: hall}
  hall: {class: zone, volume: 100 m3}
  wall: {class: heat_resistance, a: hall, b: ambient, resistance: 0.1 K/kW}
  GRID: {class: utility, to: MSB, rating: 1 MW}
  BW-1: {class: busway, from: MSB, to: BW-1, rating: 1600 A}
  V-1: {like: V-2, start_position: 40 %}
  V-2: {class: valve, from: header, to: ret, kv: 1 L/s}
controls:
  DPT: {class: sensor, measures: sup.p, minus: ret.p, lag: 1 s}
  DPC: {class: pi_controller, sensor: DPT, drives: [P-11, P-12], set_point_pressure: 60 kPa, gain: 0.15, span_pressure: 100 kPa, integral_time: 4 s, output_low: 0.15}
groups:
  row-A: ["A[01-02]"]
limits:
  hot: {signal: hall.t_air, above: 46 degC, delay: 10 s, kind: alarm, source: "made up for a test"}
design: {rack_power: 100 kW, weather: {dry_bulb: 35 degC, relative_humidity: 40 %}}
"""
SCENARIO = """podtwin: scenario/1
title: Short
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: 10 s
weather: {file: weather.csv}
workload: {kind: constant, rack_power: 100 kW}
solver: {method: arkode}
out_of_service: [P-12]
events:
  - {at: 2 s, target: P-11, do: set, with: {speed: 90 %}}
  - {when: "max(gpu[*].t_junction) > 85 degC", for: 3 s, target: "group:row-A", do: cap, with: {power: 60 kW}}
record:
  - {class: rack, signals: ["*"], period: 1 s}
expect:
  - {signal: "max(gpu[*].t_junction)", below: 200 degC}
"""
WEATHER = """time [s],dry_bulb [degC],relative_humidity [%]
0,20,50
1800,20.5,49
3600,21,48
"""
TRACE = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
2023-11-16 18:15:51.2224670,879,55
"""
SERIES = """time [s],requests [1],context_tokens [token],generated_tokens [token]
0,5,1000,300
10,4,900,200
"""
GOOD = {"cat.yaml": CATALOGUE, "pod.yaml": POD, "run.yaml": SCENARIO, "weather.csv": WEATHER, "trace.csv": TRACE,
        "requests.csv": SERIES}

# file, token that is replaced (its first occurrence), what by, name that the message must hold
MUTATIONS = (
    # the head of a file
    ("pod.yaml", "pod/1", "pod/2", "pod/2"),
    ("cat.yaml", "catalogue/1", "catalogue/3", "catalogue/3"),
    ("run.yaml", "scenario/1", "scenario/2", "scenario/2"),
    ("run.yaml", "scenario/1", "scenario", "scenario"),
    ("pod.yaml", "podtwin:", "podtwyn:", "podtwin"),
    # keys
    ("pod.yaml", "title:", "titel:", "titel"),
    ("pod.yaml", "equipment:\n  pumps", "equipement:\n  pumps", "equipement"),
    ("pod.yaml", "lag: 1 s", "lga: 1 s", "lga"),
    ("pod.yaml", "rating: 1600 A", "ratign: 1600 A", "ratign"),
    ("pod.yaml", "title: One loop", "<<: One loop", "<<"),
    ("pod.yaml", "groups:", "nodes:", "nodes"),
    ("pod.yaml", "  hall: {class", "  pipe: {class", "pipe"),
    ("pod.yaml", "delay: 10 s", "dealy: 10 s", "dealy"),
    ("cat.yaml", "efficiency:", "eficiency:", "eficiency"),
    ("cat.yaml", "ramp_time:", "efficiency:", "efficiency"),
    ("cat.yaml", "types:", "typs:", "typs"),
    ("run.yaml", "duration:", "duratoin:", "duratoin"),
    ("run.yaml", "title:", "pod:", "pod"),
    ("run.yaml", "method:", "metod:", "metod"),
    ("run.yaml", "period:", "preiod:", "preiod"),
    # units and values
    ("pod.yaml", "volume: 100 m3", "volume: 100", "100"),
    ("pod.yaml", "volume: 100 m3", "volume: 100 kW", "kW"),
    ("pod.yaml", "volume: 100 m3", "volume: -100 m3", "-100 m3"),
    ("pod.yaml", "volume: 100 m3", "volume: lots", "lots"),
    ("pod.yaml", "volume: 100 m3", "volume: 1e999 m3", "1e999"),
    ("pod.yaml", "volume: 100 m3", "volume: .nan m3", ".nan"),
    ("pod.yaml", "start_position: 40 %", "start_position: 140 %", "start_position"),
    ("pod.yaml", "set_point_pressure: 60 kPa", "set_point_pressure: 60 degC", "degC"),
    ("pod.yaml", "span_pressure: 100 kPa", "span_temperature: 10 degC", "degC"),
    ("pod.yaml", "friction: colebrook", "friction: colebrok", "colebrok"),
    ("pod.yaml", "rating: 1 MW", "rating: 1 MVA", "MVA"),
    ("pod.yaml", "fluid: PG25", "fluid: PH25", "PH25"),
    ("cat.yaml", "ramp_time: 30 s", "ramp_time: 30", "30"),
    ("cat.yaml", "ramp_time: 30 s", "ramp_time: 30 Hz", "Hz"),
    ("cat.yaml", "[400 L/min, 200 kPa]", "[0 L/min, 200 kPa]", "head_curve"),
    ("run.yaml", "duration: 10 s", "duration: 10", "10"),
    ("run.yaml", "duration: 10 s", "duration: 10 K", "K"),
    ("run.yaml", "duration: 10 s", "duration: -10 s", "-10 s"),
    ("run.yaml", "rack_power: 100 kW", "rack_power: 100 K", "K"),
    ("run.yaml", "below: 200 degC", "below: 200 kPa", "kPa"),
    ("run.yaml", "speed: 90 %", "speed: 90 kW", "kW"),
    ("run.yaml", "2026-07-15T00:00:00Z", "2026-07-45T00:00:00Z", "2026-07-45"),
    ("run.yaml", "kind: constant", "kind: constnat", "constnat"),
    ("run.yaml", "method: arkode", "method: arkod", "arkod"),
    ("pod.yaml", "temperature: 40 degC", "temperature: 0 K", "temperature"),
    ("pod.yaml", "temperature: 40 degC", "initial_temperature: 0 K", "initial_temperature"),
    ("pod.yaml", "pressure: 200 kPa}}", "pressure: -200 kPa}}", "-200"),
    ("pod.yaml", "ret: {temperature: 40 degC}", "ret: {pressure: -100 kPa}", "ret"),  # 98.7 kPa of air at 220 m
    ("run.yaml", "power: 60 kW", "power: -60 kW", "-60 kW"),
    # verbs without a meaning
    ("pod.yaml", "volume: 100 m3", "volume: 100 m3, in_service: false", "hall"),
    ("run.yaml", "out_of_service: [P-12]", "out_of_service: [hall]", "hall"),
    ("run.yaml", "do: set, with: {speed: 90 %}", "do: stick, with: {speed: 190 %}", "from 0 to 1"),
    # names and references
    ("pod.yaml", "use: [cat.yaml]", "use: [cta.yaml]", "cta.yaml"),
    ("pod.yaml", "type: one-rack", "type: on-rack", "on-rack"),
    ("pod.yaml", "class: zone", "class: zoen", "zoen"),
    ("pod.yaml", "class: zone", "class: gpu", "gpu"),
    ("pod.yaml", "like: V-2", "like: V-3", "V-3"),
    ("pod.yaml", "like: V-2", "like: V-1", "V-1"),
    ("pod.yaml", "template: pair", "template: pear", "pear"),
    ("pod.yaml", "with: {n: 1}", "with: {m: 1}", "m"),
    ("pod.yaml", "A[01-02]\": {type", "A[02-01]\": {type", "A[02-01]"),
    ("pod.yaml", "A[01-02]\": {type", "A[01-02\": {type", "A[01-02"),
    ("pod.yaml", "  V-1: {like", "  A01: {like", "A01"),
    ("pod.yaml", "node: ret", "node: rte", "rte"),
    ("pod.yaml", "supply: MSB", "supply: MBS", "MBS"),
    ("pod.yaml", "feeds: [BW-1,", "feeds: [BW-2,", "BW-2"),
    ("pod.yaml", "drives: [P-11,", "drives: [P-10,", "P-10"),
    ("pod.yaml", "measures: sup.p", "measures: sup.q", "sup.q"),
    ("pod.yaml", "measures: sup.p", "measures: spu.p", "spu.p"),
    ("pod.yaml", "sensor: DPT", "sensor: DPX", "DPX"),
    ("pod.yaml", "air: hall", "air: hal", "hal"),
    ("pod.yaml", "a: hall", "a: hull", "hull"),
    ("pod.yaml", "[\"A[01-02]\"]", "[\"A[01-03]\"]", "A03"),
    ("pod.yaml", "signal: hall.t_air", "signal: hall.t_ari", "t_ari"),
    ("pod.yaml", "kind: alarm", "kind: alrm", "alrm"),
    ("cat.yaml", "class: pump", "class: pmup", "pmup"),
    ("run.yaml", "pod: pod.yaml", "pod: pdo.yaml", "pdo.yaml"),
    ("run.yaml", "weather.csv", "wether.csv", "wether.csv"),
    ("run.yaml", "out_of_service: [P-12]", "out_of_service: [P-13]", "P-13"),
    ("run.yaml", "target: P-11", "target: P-10", "P-10"),
    ("run.yaml", "group:row-A", "group:row-B", "row-B"),
    ("run.yaml", "do: set", "do: sett", "sett"),
    ("run.yaml", "do: set", "do: cap", "cap"),
    ("run.yaml", "with: {speed", "with: {sped", "sped"),
    ("run.yaml", "at: 2 s", "at: 20 s", "20 s"),
    ("run.yaml", "max(gpu[*].t_junction) >", "max(gpu[*].t_junktion) >", "t_junktion"),
    ("run.yaml", "max(gpu[*].t_junction)\", below", "max(gpu[*].t_junktion)\", below", "t_junktion"),
    ("run.yaml", "max(gpu[*].t_junction)\", below", "max(gpu[*.t_junction)\", below", "gpu[*"),
    ("run.yaml", "class: rack,", "class: rakc,", "rakc"),
    ("run.yaml", "[\"*\"]", "[powr]", "powr"),
    # events that contradict each other: the second is made of the first by one token
    ("run.yaml", "events:\n", "events:\n  - {at: 2 s, target: P-11, do: set, with: {speed: 80 %}}\n", "P-11"),
    # tables
    ("weather.csv", "dry_bulb", "dry_blub", "dry_b"),
    ("weather.csv", "[degC]", "[kW]", "kW"),
    ("weather.csv", "20.5", "", "dry_bulb"),
    ("weather.csv", "20.5", "hot", "hot"),
    ("weather.csv", "20.5", "99.9e9", "dry_bulb"),
    ("weather.csv", "1800,", "-5,", "-5"),
    ("weather.csv", ",49\n", "\n", "2 fields"),
    ("trace.csv", "396", "-396", "-396"),
    ("trace.csv", "396,109", "396", "2 fields"),
    ("trace.csv", "396", "many", "many"),
    ("trace.csv", "18:15:50", "18:75:50", "18:75:50"),
    ("requests.csv", "900", "-900", "-900"),
    ("requests.csv", "10,4,900,200", "10,4,900", "3 fields"),
)
# Lines other than the token's own where the fault is rightly told.
LINES = {
    ("pod.yaml", "  V-1: {like", "  A01: {like"): None,  # either of the two is right
    ("run.yaml", "title:", "pod:"): 3,                   # the second of two equal keys
}


def position(text, token):
    offset = text.index(token) + (len(token) - len(token.lstrip()))
    return text.count("\n", 0, offset) + 1


class BadInput(Case):
    def setUp(self):
        super().setUp()
        for name, text in GOOD.items():
            self.write(name, text)

    def read(self, name):
        """The command that reads a file: a run for a scenario and what belongs to it, `check` for the rest."""
        out = self.folder / "out.h5"
        if name in ("run.yaml", "weather.csv"):
            return podtwin("run", self.folder / "run.yaml", "-o", out)
        return podtwin("check", self.folder / name)

    def refused(self, name, line=None, says=(), done=None, placed=True):
        done = done or self.read(name)
        self.assertEqual(done.returncode, 2, f"{done.stdout[-500:]}\n{done.stderr[-1500:]}")
        self.assertFalse((self.folder / "out.h5").exists(), "an output file was made")
        place = r":(\d+):(\d+)" if placed else r"(?::(\d+):(\d+))?"  # a file without a line has no place in it
        errors = [m for m in re.finditer(r"^(\S*?)" + place + r": error: (.*)$", done.stderr, re.MULTILINE)]
        self.assertTrue(errors, f"no FILE:LINE:COLUMN: error: in\n{done.stderr[-1500:]}")
        mine = [m for m in errors if m.group(1).endswith(name)]
        self.assertTrue(mine, f"'{name}' is not named in\n{done.stderr[-1500:]}")
        if line is not None:
            mine = [m for m in mine if int(m.group(2)) == line]
            self.assertTrue(mine, f"line {line} of '{name}' is not named in\n{done.stderr[-1500:]}")
            self.assertTrue(any(int(m.group(3)) > 0 for m in mine), "no column")
        for word in [says] if isinstance(says, str) else says:
            mine = [m for m in mine if word in m.group(4)]
            self.assertTrue(mine, f"'{word}' is not named in\n{done.stderr[-1500:]}")
        self.assertTrue(any(re.search(r"; \S", m.group(4)) for m in mine), f"no remedy in\n{done.stderr[-1500:]}")
        return done

    def test_the_files_that_are_spoiled_below_are_accepted(self):
        for name in GOOD:
            with self.subTest(file=name):
                self.run_ok("check", self.folder / name)
        self.run_ok("run", self.folder / "run.yaml", "-o", self.folder / "out.h5", "--quiet")

    def test_every_one_token_mutation_is_refused_at_its_place(self):
        self.assertGreaterEqual(len(MUTATIONS), 60)
        for name, token, other, says in MUTATIONS:
            with self.subTest(file=name, token=token, other=other):
                text = GOOD[name]
                self.assertIn(token, text)
                self.write(name, text.replace(token, other, 1))
                line = LINES.get((name, token, other), position(text, token))
                if token == "events:\n":
                    line = None  # which of the two is told does not matter
                try:
                    self.refused(name, line, says)
                finally:
                    self.write(name, text)
                    (self.folder / "out.h5").unlink(missing_ok=True)

    def test_a_verb_that_means_nothing_for_its_target_is_refused_with_what_to_do_instead(self):
        for target, verb, remedy in (("hall", "trip", "trip the fans"), ("hall", "isolate", "isolate the fans"),
                                     ("wall", "isolate", "isolate what is behind"), ("pipe", "trip", "isolate shuts it off"),
                                     ("sup", "trip", "equipment around"), ("MSB", "isolate", "what feeds it"),
                                     ("DPC", "stick", "nothing that could stick"), ("hall", "restore", "nothing to restore")):
            with self.subTest(target=target, verb=verb):
                self.write("run.yaml", SCENARIO.replace("target: P-11, do: set, with: {speed: 90 %}", f"target: {target}, do: {verb}", 1))
                self.refused("run.yaml", position(SCENARIO, "target: P-11, do"), ("cannot be asked to" if "nothing" not in remedy else remedy, remedy))

    def test_coolant_between_stated_flows_alone_is_refused(self):
        for flow in (1, 2):
            with self.subTest(flow=flow):
                self.write("pod.yaml", POD.replace(
                    "  V-1: {like", f"  F-1: {{class: fixed_flow, from: ret, to: x, flow: 2 kg/s}}\n"
                    f"  F-2: {{class: fixed_flow, from: x, to: ret, flow: {flow} kg/s}}\n  V-1: {{like", 1))
                self.refused("pod.yaml", position(POD, "  V-1: {like"), ("'x'", "'F-1' into it", "'F-2' out of it"),
                             podtwin("run", self.folder / "run.yaml", "-o", self.folder / "out.h5"))

    def test_a_mistake_of_a_few_letters_gets_the_nearest_name(self):
        for name, token, other, hint in (("pod.yaml", "title:", "titel:", "title"), ("pod.yaml", "type: one-rack", "type: on-rack", "one-rack"),
                                         ("pod.yaml", "class: zone", "class: zoen", "zone"), ("run.yaml", "target: P-11", "target: P-1l", "P-11"),
                                         ("run.yaml", "duration:", "duratoin:", "duration"), ("cat.yaml", "efficiency:", "eficiency:", "efficiency"),
                                         ("run.yaml", "do: set", "do: tirp", "trip")):
            with self.subTest(file=name, other=other):
                self.write(name, GOOD[name].replace(token, other, 1))
                done = self.read(name)
                self.write(name, GOOD[name])
                self.assertEqual(done.returncode, 2)
                self.assertIn(hint, done.stderr)

    def test_all_problems_are_told_at_once(self):
        text = POD.replace("title:", "titel:", 1).replace("class: zone", "class: zoen", 1).replace("kind: alarm", "kind: alrm", 1)
        self.write("pod.yaml", text)
        done = self.refused("pod.yaml")
        for word in ("titel", "zoen", "alrm"):
            self.assertIn(word, done.stderr)

    def test_circles_of_files_and_templates_end(self):
        self.write("pod.yaml", POD.replace("title: One loop", "include: other.yaml", 1))
        self.write("other.yaml", "podtwin: pod/1\ninclude: pod.yaml\n")
        done = podtwin("check", self.folder / "pod.yaml")
        self.refused("other.yaml", 2, "circle", done)
        self.write("pod.yaml", POD.replace("{type: small-pump, from: ret, to: header, supply: MSB}", "{template: pair, with: {n: 1}}", 1))
        self.refused("pod.yaml", None, "circle")

    def test_nesting_of_a_hundred_thousand_levels_is_refused(self):
        for kind, text in (("flow", "podtwin: pod/1\nx: " + "[" * 100000 + "]" * 100000 + "\n"),
                           ("map", "podtwin: pod/1\nx: " + "{a: " * 100000 + "1" + "}" * 100000 + "\n"),
                           ("dashes", "podtwin: pod/1\nx:\n  " + "- " * 100000 + "1\n")):
            with self.subTest(kind=kind):
                self.write("pod.yaml", text)
                self.refused("pod.yaml")

    def test_an_alias_bomb_is_refused(self):
        lines = ["podtwin: pod/1", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{k}: &a{k} [" + ", ".join([f"*a{k - 1}"] * 10) + "]" for k in range(1, 12)]
        self.write("pod.yaml", "\n".join(lines) + "\n")
        self.refused("pod.yaml")

    def test_files_that_are_no_text_are_refused(self):
        for name in ("pod.yaml", "cat.yaml", "run.yaml", "weather.csv", "trace.csv"):
            for kind, data in (("binary", bytes(range(256)) * 16), ("empty", b""), ("latin", GOOD[name].encode().replace(b"m", b"\xef", 1) if b"m" in GOOD[name].encode() else GOOD[name].encode().replace(b"T", b"\xef", 1)),
                               ("nul", GOOD[name].encode().replace(b",", b"\0", 1) if "," in GOOD[name] else GOOD[name].encode()[:20] + b"\0")):
                with self.subTest(file=name, kind=kind):
                    self.write(name, data)
                    done = self.read(name)
                    self.write(name, GOOD[name])
                    self.refused(name, None, (), done, placed=kind != "empty")

    def test_a_folder_instead_of_a_file_is_refused(self):
        for name in ("pod.yaml", "cat.yaml", "run.yaml", "weather.csv", "trace.csv"):
            with self.subTest(file=name):
                (self.folder / name).unlink()
                (self.folder / name).mkdir()
                done = self.read(name)
                (self.folder / name).rmdir()
                self.write(name, GOOD[name])
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertIn(";", done.stderr)

    def test_tables_without_rows_with_gaps_or_too_short_are_refused(self):
        self.write("trace.csv", TRACE.splitlines(keepends=True)[0])
        self.refused("trace.csv", None, "no requests", placed=False)
        self.write("trace.csv", TRACE)
        self.write("weather.csv", WEATHER.splitlines(keepends=True)[0])
        self.refused("weather.csv", None, "no rows", placed=False)
        self.write("weather.csv", "time [s],dry_bulb [degC],relative_humidity [%]\n0,20,50\n5,20,50\n")
        done = self.read("weather.csv")
        self.write("weather.csv", WEATHER)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"run\.yaml:6:\d+: error: .*weather ends.*; \S")
        head = ["LOCATION,Here,WI,USA,Test,1,43.0,-87.9,-6.0,220", "DESIGN CONDITIONS,0", "TYPICAL/EXTREME PERIODS,0", "GROUND TEMPERATURES,0",
                "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0", "COMMENTS 1,x", "COMMENTS 2,", "DATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31"]
        rows = [f"1990,1,{h // 24 + 1},{h % 24 + 1},0,?9,10.{h % 10},2.0,60,99000,0,0" for h in range(48)]
        self.write("good.epw", "\n".join(head + rows) + "\n")
        self.run_ok("check", self.folder / "good.epw")
        self.write("gap.epw", "\n".join(head + rows[:20] + rows[21:]) + "\n")
        self.refused("gap.epw", 29, (), podtwin("check", self.folder / "gap.epw"))
        self.write("missing.epw", "\n".join(head + rows).replace("10.5,2.0", "99.9,2.0", 1) + "\n")
        self.refused("missing.epw", 14, (), podtwin("check", self.folder / "missing.epw"))


if __name__ == "__main__":
    unittest.main()
