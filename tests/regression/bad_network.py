"""Networks through which coolant cannot flow: refused at `check` with the place and the names, or told as a dead branch."""
import re
import unittest

from support import Case, podtwin

HEAD = """podtwin: pod/1
title: Bad network
circuits:
  tcs: {{fluid: PG25, reference: {{node: ret, pressure: 200 kPa}}}}
nodes:
  ret: {{temperature: 30 degC}}
equipment:
  P: {{class: pump, from: ret, to: sup, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]]}}
  R: {{class: resistance, from: sup, to: ret, dp: 100 kPa, flow: 5 L/s}}
{}"""
RACK = "  A: {{class: rack, from: {}, to: {}, air: hall}}\n  hall: {{class: zone, volume: 100 m3}}\n"
CHECK = "  {}: {{class: check_valve, from: {}, to: {}, kv: 5 L/s}}\n"


class BadNetwork(Case):
    def check(self, more, head=HEAD):
        text = head.format(more)
        self.write("pod.yaml", text)
        status, out, err = self.checked()
        return status, err, text.splitlines()

    def checked(self):
        done = podtwin("check", "pod.yaml", cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def refused(self, more, line_of, *names, head=HEAD):
        """Refused, at the line that begins with `line_of`, naming all of `names` and with a remedy."""
        status, err, lines = self.check(more, head)
        self.assertEqual(status, 2, err)
        errors = [line for line in err.splitlines() if ": error: " in line]
        number = next(k for k, line in enumerate(lines, 1) if line.startswith(line_of))
        at_line = [line for line in errors if re.search(rf"pod\.yaml:{number}:\d+: error: ", line)]
        self.assertTrue(at_line, f"line {number}\n{err}")
        for name in names:
            self.assertIn(name, at_line[0])
        self.assertIn("; ", at_line[0])

    def test_pump_without_a_curve(self):
        self.refused("  Q: {class: pump, from: ret, to: sup}\n", "  Q:", "Q", "head_curve")

    def test_heat_for_a_tank_without_one_temperature(self):
        tank = "  T: {{class: tank, from: sup, to: ret, volume: 1 m3, model: {}}}\n  H: {{class: heat_source, to: T, power: 1 kW}}\n"
        for model in ("plug", "cells", "stratified"):
            with self.subTest(model=model):
                self.refused(tank.format(model), "  H:", "'H'", "'T'", "no one temperature")
        status, err, _ = self.check(tank.format("mixed"))
        self.assertEqual((status, err), (0, ""))

    def test_circuit_without_a_pressure_reference(self):
        self.refused("", "  tcs:", "no pressure reference", "'tcs'", "'P'",
                     head=HEAD.replace(", reference: {{node: ret, pressure: 200 kPa}}", ""))

    def test_negative_length(self):
        self.refused("  L: {class: pipe, from: sup, to: ret, length: -3 m, diameter: 50 mm}\n", "  L:", "length", "-3 m")

    def test_glycol_of_80_per_cent(self):
        self.refused("", "  tcs:", "80 %", "0 to 60 %", head=HEAD.replace("PG25", "PG80"))

    def test_check_valves_against_each_other(self):
        for first, second in ((("sup", "x"), ("ret", "x")), (("x", "sup"), ("x", "ret"))):
            self.refused(CHECK.format("V1", *first) + CHECK.format("V2", *second), "  V1:", "'V1'", "'V2'")
        # With a resistance between them it is named too: nothing gets through it either.
        self.refused(CHECK.format("V1", "sup", "x") + "  M: {class: resistance, from: x, to: y, dp: 1 kPa, flow: 1 L/s}\n" +
                     CHECK.format("V2", "ret", "y"), "  V1:", "'V1'", "'V2'", "'M'")

    def test_check_valve_against_the_pumps_own(self):
        self.refused("", "  P:", "'P'", "'V'",
                     head=HEAD.replace("  R:", CHECK.format("V", "ret", "sup").replace("{", "{{").replace("}", "}}")
                                       + "  #:"))

    def test_loop_of_check_valves_that_nothing_drives(self):
        head = HEAD.split("  P:", maxsplit=1)[0] + "{}"
        ring = CHECK.format("V1", "ret", "x") + CHECK.format("V2", "x", "y") + CHECK.format("V3", "y", "ret")
        self.refused(ring, "  V1:", "'V1'", "'V2'", "'V3'", "nothing drives", head=head)

    def test_loop_of_check_valves_beside_a_pump_that_does_not_drive_it(self):
        ring = CHECK.format("V1", "sup", "x") + CHECK.format("V2", "x", "y") + CHECK.format("V3", "y", "sup")
        self.refused(ring, "  V1:", "'V1'", "'V2'", "'V3'", "nothing drives")

    def test_node_with_a_pressure_of_its_own_that_is_the_reference(self):
        head = HEAD.replace("ret: {{temperature", "ret: {{pressure: 50 kPa, temperature")
        self.assertNotEqual(head, HEAD)
        self.refused("", "  ret:", "'ret'", "the reference of the circuit", head=head)

    def test_check_valves_in_one_direction_are_accepted(self):
        status, err, _ = self.check(CHECK.format("V1", "sup", "x") + CHECK.format("V2", "x", "ret"))
        self.assertEqual((status, err), (0, ""))

    def test_rack_whose_port_nothing_else_uses(self):
        self.refused(RACK.format("sup", "nowhere"), "  A:", "'A'", "nothing else uses the node 'nowhere'")

    def test_rack_that_hangs_on_one_node(self):
        bypass = "  B: {class: resistance, from: x, to: y, dp: 10 kPa, flow: 1 L/s}\n"
        branch = "  S: {class: resistance, from: sup, to: x, dp: 10 kPa, flow: 1 L/s}\n"
        self.refused(branch + bypass + RACK.format("y", "z"), "  A:", "'A'")

    def test_rack_that_is_joined_to_nothing(self):
        self.refused(RACK.format("x", "y"), "  A:", "'A'", "circuit")

    def test_rack_without_a_pump(self):
        head = HEAD.split("  P:", maxsplit=1)[0] + "  R: {{class: resistance, from: sup, to: ret, dp: 1 kPa, flow: 1 L/s}}\n{}"
        status, err, _ = self.check(RACK.format("sup", "ret"), head)
        self.assertEqual(status, 2, err)
        self.assertRegex(err, r"pod\.yaml:\d+:\d+: error: nothing drives coolant through .*'A'.*; put a pump")

    STUB = "  S: {class: resistance, from: sup, to: x, dp: 10 kPa, flow: 1 L/s}\n" \
           "  T: {class: resistance, from: x, to: y, dp: 10 kPa, flow: 1 L/s}\n"

    def test_dead_branch_is_told_and_runs(self):
        status, err, _ = self.check(self.STUB)
        self.assertEqual(status, 0, err)
        self.assertRegex(err, r"pod\.yaml:\d+:\d+: warning: no coolant can flow through 'S', 'T'.*'y'")
        done = podtwin("steady", "pod.yaml", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'S', 'T'", done.stderr)

    def test_branch_that_is_shut_at_the_start_is_told(self):
        ring = self.STUB + "  V: {class: valve, from: y, to: ret, kv: 5 L/s, in_service: false}\n"
        self.check(ring)
        done = podtwin("steady", "pod.yaml", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no way through 'S', 'T'", done.stderr)
        self.assertNotIn("'R'", done.stderr)


if __name__ == "__main__":
    unittest.main()
