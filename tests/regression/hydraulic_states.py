"""Elements of a circuit through files: elevation, trapped coolant, strainer, quick disconnect, regulating valves, authority."""
import unittest

import h5py
from support import Case, SOURCE, podtwin, table

GRAVITY, KELVIN = 9.80665, 273.15
DESIGN = "design: {rack_power: 0 kW, weather: {dry_bulb: 20 degC, relative_humidity: 40 %}}\n"
CIRCUIT = """podtwin: pod/1
title: {title}
use: [{catalogue}]
physics: {{gravity: 9.80665 m/s2}}
circuits:
  w: {{fluid: {{density: 1000 kg/m3, viscosity: 0.001 Pa.s, specific_heat: 4000 J/(kg.K)}}{reference}}}
"""


def head(title, reference=""):
    return CIRCUIT.format(title=title, catalogue=SOURCE / "data/catalogue/hydraulic-elements.yaml", reference=reference)


class HydraulicStates(Case):
    def steady(self, text):
        self.write("pod.yaml", text + DESIGN)
        done = podtwin("steady", "pod.yaml", "--csv", "steady", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return lambda name: table(self.folder / "steady", name), done

    def run_events(self, text, events, duration="1 h"):
        self.write("pod.yaml", text + DESIGN)
        lines = "\n".join(f"  - {event}" for event in events)
        self.write("run.yaml", f"podtwin: scenario/1\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: {duration}\n"
                               f"weather: {{dry_bulb: 20 degC, relative_humidity: 40 %}}\nfrom: cold\nevents:\n{lines}\n"
                               "record:\n  - {class: node, signals: [\"*\"], period: 10 s}\n")
        done = podtwin("run", "run.yaml", "-o", "out.h5", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return h5py.File(self.folder / "out.h5", "r")

    def test_elevation_sets_pressures_and_moves_nothing_round_a_loop(self):
        loop = head("Loop on two floors", ", reference: {node: ret, pressure: 200 kPa}") + """nodes:
  ret: {temperature: 20 degC}
  top: {elevation: 12 m}
  far: {elevation: 12 m}
equipment:
  P: {class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %}
  UP: {class: resistance, from: sup, to: top, dp: 20 kPa, flow: 5 L/s}
  LOAD: {class: resistance, from: top, to: far, dp: 100 kPa, flow: 5 L/s}
  DOWN: {class: resistance, from: far, to: ret, dp: 20 kPa, flow: 5 L/s}
"""
        high, _ = self.steady(loop)
        high_nodes, high_flow = high("node"), high("pump")["P"]["flow"]
        level, _ = self.steady(loop.replace("12 m", "0 m"))
        # 300 kPa - 1 kPa/(L/s)^2 q^2 against 140 kPa at 5 L/s.
        self.assertAlmostEqual(high_flow, (300.0 / (1.0 + 140.0 / 25.0)) ** 0.5 * 1e-3, delta=1e-9)
        self.assertAlmostEqual(level("pump")["P"]["flow"], high_flow, delta=1e-10)
        for node, height in (("top", 12.0), ("far", 12.0), ("sup", 0.0)):
            self.assertAlmostEqual(level("node")[node]["p"] - high_nodes[node]["p"], 1000.0 * GRAVITY * height, delta=0.1)

    def test_elevation_drives_flow_between_open_ends(self):
        tables, _ = self.steady(head("Header tank") + """nodes:
  upper: {pressure: 0 kPa, temperature: 20 degC, elevation: 10 m}
  lower: {pressure: 0 kPa, temperature: 20 degC}
equipment:
  R: {class: resistance, from: upper, to: lower, dp: 10 kPa, flow: 1 L/s}
""")
        self.assertAlmostEqual(tables("resistance")["R"]["flow"], (GRAVITY * 10.0 / 10.0) ** 0.5 * 1e-3, delta=1e-9)

    TRAPPED = """nodes:
  in: {pressure: 100 kPa, temperature: 20 degC}
  out: {pressure: 0 kPa, temperature: 20 degC}
  hot: {volume: 200 L, initial_temperature: 60 degC}
  mid: {volume: 200 L, initial_temperature: 50 degC}
equipment:
  A: {class: valve, from: in, to: hot, kv: 1 L/s, stroke_time: 1 s}
  M: {class: resistance, from: hot, to: mid, dp: 10 kPa, flow: 1 L/s}
  B: {class: valve, from: mid, to: out, kv: 1 L/s, stroke_time: 1 s}
"""

    def test_trapped_coolant_keeps_its_heat_and_is_named(self):
        events = ["{at: 60 s, target: A, do: isolate}", "{at: 60 s, target: B, do: isolate}",
                  "{at: 3000 s, target: A, do: restore}", "{at: 3000 s, target: B, do: restore}"]
        with self.run_events(head("Trapped") + self.TRAPPED, events) as f:
            ids = [i.decode() for i in f["node"]["id"][:]]
            t = f["node"]["t"][:]
            hot, mid = t[:, ids.index("hot")], t[:, ids.index("mid")]
            self.assertLess(hot[6], hot[0] - 1.0)  # flushed by cold coolant before
            self.assertLess(abs(hot[7:300] - hot[7]).max(), 1e-9)  # and not a moment while it is shut in
            self.assertLess(abs(mid[7:300] - mid[7]).max(), 1e-9)
            self.assertLess(hot[-1], hot[300] - 10.0)  # flushed again
            told = [(float(time), e.decode(), text.decode()) for time, e, text in
                    zip(f["events"]["time"][:], f["events"]["equipment"][:], f["events"]["text"][:])]
        dead = [(time, e) for time, e, text in told if "no way" in text]
        self.assertIn((60.0, "M"), dead)
        self.assertIn((3000.0, "M"), [(time, e) for time, e, text in told if "way through it again" in text])

    def test_uqd_of_the_catalogue_have_their_published_drop(self):
        # hardware.csv: 33, 31.1, 24 and 24 kPa a pair at the rated flow, rounded there.
        for size, flow, kilopascal in (("02", 2.1, 33.0), ("04", 6.4, 31.1), ("06", 11.4, 24.0), ("08", 17.8, 24.0)):
            tables, _ = self.steady(head("Coupling") + f"""nodes:
  in: {{pressure: 100 kPa, temperature: 20 degC}}
  out: {{pressure: 0 kPa, temperature: 20 degC}}
equipment:
  Q: {{type: uqd-{size}, from: mid, to: out}}
  F: {{class: fixed_flow, from: in, to: mid, flow: {flow / 60.0} kg/s}}
""")
            self.assertAlmostEqual(tables("quick_disconnect")["Q"]["dp"] / 1e3, kilopascal, delta=0.04 * kilopascal)

    def test_coupling_that_is_parted_at_the_start(self):
        line = head("Coupling") + """nodes:
  in: {pressure: 100 kPa, temperature: 20 degC}
  out: {pressure: 0 kPa, temperature: 20 degC}
equipment:
  R: {class: resistance, from: in, to: mid, dp: 10 kPa, flow: 1 L/s}
  Q: {class: quick_disconnect, from: mid, to: out, dp: 90 kPa, flow: 1 L/s, connected: false}
"""
        tables, done = self.steady(line)
        self.assertEqual(tables("quick_disconnect")["Q"]["flow"], 0.0)
        self.assertAlmostEqual(tables("node")["mid"]["p"], 100e3, delta=1e-3)
        self.assertIn("no way through 'R'", done.stderr)
        tables, _ = self.steady(line.replace(", connected: false", ""))
        self.assertAlmostEqual(tables("quick_disconnect")["Q"]["flow"], 1e-3, delta=1e-10)

    def test_strainer_from_65_to_150_kilopascal(self):
        line = head("Filter") + """nodes:
  in: {pressure: 400 kPa, temperature: 20 degC}
  out: {pressure: 0 kPa, temperature: 20 degC}
equipment:
  F: {class: fixed_flow, from: in, to: mid, flow: 20 kg/s}
  S: {type: strainer-xdu1350, from: mid, to: out, clogging: SHARE %}
"""
        # 1 - sqrt(65/150) = 34.17 % blocked.
        self.assertAlmostEqual(self.steady(line.replace("SHARE", "0"))[0]("strainer")["S"]["dp"], 65e3, delta=1.0)
        tables, _ = self.steady(line.replace("SHARE", "34.1721"))
        self.assertAlmostEqual(tables("strainer")["S"]["dp"], 150e3, delta=50.0)

    def test_reducing_valve_feeds_two_levels_and_locks_up(self):
        tables, _ = self.steady(head("Riser") + """nodes:
  main: {pressure: 600 kPa, temperature: 20 degC}
  drain: {pressure: 0 kPa, temperature: 20 degC}
  end: {elevation: 5 m}
equipment:
  PRV: {class: pressure_reducing_valve, from: main, to: low, pressure: 160 kPa, kv: 10 L/s}
  TAP: {class: resistance, from: low, to: drain, dp: 40 kPa, flow: 1 L/s}
  PSV: {class: pressure_sustaining_valve, from: main, to: spill, pressure: 550 kPa, kv: 10 L/s}
  OUT: {class: resistance, from: spill, to: drain, dp: 100 kPa, flow: 1 L/s}
  LOCK: {class: pressure_reducing_valve, from: main, to: stub, pressure: 100 kPa, kv: 10 L/s}
  STUB: {class: resistance, from: stub, to: end, dp: 1 kPa, flow: 1 L/s}
""")
        self.assertAlmostEqual(tables("node")["low"]["p"], 160e3, delta=0.1)
        self.assertAlmostEqual(tables("pressure_reducing_valve")["PRV"]["flow"], 2e-3, delta=1e-8)
        # The main is held above what the sustaining valve asks: it is wide open, 100 and 1 kPa/(L/s)^2.
        self.assertAlmostEqual(tables("pressure_sustaining_valve")["PSV"]["flow"], (600.0 / 101.0) ** 0.5 * 1e-3, delta=1e-8)
        self.assertAlmostEqual(tables("node")["stub"]["p"], 100e3, delta=1.0)
        self.assertAlmostEqual(tables("node")["end"]["p"], 100e3 - 1000.0 * GRAVITY * 5.0, delta=1.0)

    def test_authority_of_a_control_valve(self):
        line = head("Coil") + """nodes:
  in: {pressure: 100 kPa, temperature: 20 degC}
  out: {pressure: 0 kPa, temperature: 20 degC}
equipment:
  COIL: {class: resistance, from: in, to: mid, dp: 60 kPa, flow: 1 L/s}
  V: {class: valve, from: mid, to: out, kv: SIZE L/s, start_position: 30 %}
"""
        controls = """controls:
  TT: {class: sensor, measures: in.t}
  TC: {class: pi_controller, sensor: TT, drives: [V], set_point_temperature: 20 degC, start_output: 0.3}
"""
        # 100 kPa stand across it shut. Fully open 1 bar at 1 L/s: 100 of 160 of them; at 3 L/s: 11.1 of 71.1.
        for kv, authority in ((1.0, 100.0 / 160.0), (3.0, (100.0 / 9.0) / (60.0 + 100.0 / 9.0))):
            tables, done = self.steady(line.replace("SIZE", str(kv)) + controls)
            row = tables("valve_authority")["V"]
            self.assertAlmostEqual(row["authority"], authority, delta=1e-7)
            self.assertAlmostEqual(row["dp_shut"], 100e3, delta=1e-3)
            self.assertEqual("authority of 'V' is below" in done.stderr, authority < 0.3, done.stderr)
        # A valve that nothing controls has an authority too, but no one asks for more of it.
        _, done = self.steady(line.replace("SIZE", "3"))
        self.assertRegex(done.stdout, r"V +dp_open .*authority 0\.156")
        self.assertNotIn("authority of", done.stderr)
        # One that stands the wrong way round.
        _, done = self.steady(line.replace("SIZE", "3").replace("from: mid, to: out", "from: out, to: mid"))
        self.assertIn("none: coolant flows backwards through it", done.stdout)

    def test_authority_of_a_three_way_valve_is_that_of_its_branch(self):
        tables, _ = self.steady(head("Coil") + """nodes:
  in: {pressure: 100 kPa, temperature: 20 degC}
  out: {pressure: 0 kPa, temperature: 20 degC}
equipment:
  PIPE: {class: resistance, from: in, to: mid, dp: 30 kPa, flow: 1 L/s}
  V: {class: three_way_valve, from: mid, to: coil, through: out, kv: 1 L/s, kv_bypass: 2 L/s, leakage: 1e-6}
  COIL: {class: resistance, from: coil, to: out, dp: 60 kPa, flow: 1 L/s}
""")
        row = tables("valve_authority")["V"]
        # Open: 30 + 100 + 60 kPa at 1 L/s. Shut: the bypass, 25 kPa at 1 L/s, has what the pipe leaves.
        self.assertAlmostEqual(row["dp_open"], 100e3 * 100.0 / 190.0, delta=1.0)
        self.assertAlmostEqual(row["dp_shut"], 100e3 * 25.0 / 55.0, delta=1.0)


if __name__ == "__main__":
    unittest.main()
