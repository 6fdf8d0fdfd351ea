"""`replaces` of a pod file: what an including file states anew or leaves out, and what is refused."""
import unittest

from support import Case, podtwin

BASE = """podtwin: pod/1
circuits:
  w: {fluid: water, reference: {node: a, pressure: 100 kPa}}
templates:
  way:
    parameters: [n]
    equipment:
      "R-${n}": {class: resistance, from: b, to: a, dp: 100 kPa, flow: 1 L/s}
equipment:
  P-[1-2]: {class: pump, from: a, to: b, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %}
  way: {template: way, with: {n: 1}}
  V: {class: valve, from: b, to: a, kv: 5 L/s}
"""
VARIANT = """podtwin: pod/1
include: [base.yaml]
replaces: {templates: [way], equipment: ["P-[2]", V]}
templates:
  way:
    parameters: [n]
    equipment:
      "R-${n}": {class: resistance, from: b, to: a, dp: 50 kPa, flow: 1 L/s}
      "E-${n}": {class: resistance, from: b, to: a, dp: 10 kPa, flow: 1 L/s}
equipment:
  P-2: {class: pump, from: a, to: b, head_curve: [[0 L/s, 250 kPa], [10 L/s, 150 kPa]], start_speed: 100 %}
"""


class Replaces(Case):
    def check(self, **files):
        self.write("base.yaml", BASE)
        for name, text in files.items():
            self.write(f"{name}.yaml", text)
        return podtwin("check", "--expand", self.folder / f"{list(files)[-1]}.yaml")

    def test_templates_and_equipment_are_stated_anew_or_left_out(self):
        done = self.check(variant=VARIANT)
        self.assertEqual(done.returncode, 0, done.stderr)
        for there in ('"P-1":', '"P-2":', '"R-1":', '"E-1":', "250000 Pa", "50000 Pa"):
            self.assertIn(there, done.stdout)
        self.assertNotIn('"V":', done.stdout)
        self.assertEqual(done.stdout.count("300000 Pa"), 1, "the pump that makes way is still there")

    def test_the_outermost_file_has_the_say(self):
        outer = "podtwin: pod/1\ninclude: [variant.yaml]\nreplaces: {equipment: [P-2]}\n"
        done = self.check(variant=VARIANT, outer=outer)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"P-1":', done.stdout)
        self.assertNotIn('"P-2":', done.stdout)

    def test_what_cannot_be_meant_is_refused_with_its_place(self):
        for good, bad, says in (("[way]", "[wey]", "no included file has template `wey`"), (", V]", ", W]", "no included file has equipment `W`"),
                                ("equipment: [\"P", "equipmint: [\"P", "unknown key `equipmint`"),
                                ("equipment: [\"P-[2]\", V]", "equipment: [V]", "`P-2` is already taken")):
            with self.subTest(bad=bad):
                done = self.check(variant=VARIANT.replace(good, bad, 1))
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertRegex(done.stderr, r"variant\.yaml:\d+:\d+: error: .*" + says.replace("[", r"\["))

    def test_plates_that_hold_more_than_their_tray_are_refused(self):
        rack = BASE + "  A01: {class: rack, from: b, to: a, gpu_plate_coolant_volume: 0.2 L}\n"
        done = self.check(rack=rack)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"rack\.yaml:\d+:\d+: error: 'A01': the GPU plates of a tray hold 800 mL of coolant, the whole tray 778 mL")


if __name__ == "__main__":
    unittest.main()
