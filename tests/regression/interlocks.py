"""Emergency power off, permissives and process switches through pod and scenario files: who is tripped and why, what is held, in what order and when
it comes back; and the incidents of practice.md section 6 that need them."""
import unittest

import h5py

from support import SOURCE, Case

POD = """podtwin: pod/1
circuits:
  w: {fluid: water}
nodes:
  back: {pressure: 100 kPa, temperature: 20 degC}
equipment:
  GRID: {class: utility, to: B, rating: 1 MW}
  BK: {class: breaker, from: B, to: C, rating: 500 kW}
  P: {class: pump, from: back, to: dis, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 80 %%, ramp_time: 10 s, supply: B}
  HB: {class: heat_load_bank, from: dis, to: back, rating: 100 kW, power: 60 kW, flow: 8 L/s, least_flow: 0 %%, supply: B}
  L[1-5]: {class: electrical_load, power: 10 kW, supply: C}
controls:
  FT: {class: sensor, measures: HB.flow, lag: 0.1 s}
  FS: {class: process_switch, sensor: FT, flow: 4 L/s}
  PERMIT: {class: permissive, members: [HB, "L[1-3]"], needs: [P.running, FS.closed], trip_delay: 2 s, prove_time: 4 s, restore_group: 2, restore_interval: 3 s%s}
  EPO: {class: emergency_power_off, members: [BK, P, "L[4-5]"], restore_group: 2, restore_interval: 1500 ms}
"""
SCENARIO = """podtwin: scenario/1
title: interlocks
pod: pod.yaml
start: 2026-07-15T00:00:00Z
duration: 60 s
weather: {dry_bulb: 20 degC, relative_humidity: 40 %%}
from: steady
events:
%s
record:
  - {class: permissive, signals: ["*"], period: 1 s}
  - {class: emergency_power_off, signals: ["*"], period: 1 s}
  - {class: electrical_load, signals: ["*"], period: 1 s}
  - {class: heat_load_bank, signals: ["*"], period: 1 s}
"""
INCIDENTS = SOURCE / "scenarios/library/incidents"


class Interlocks(Case):
    def run_file(self, scenario):
        path = self.folder / "out.h5"
        self.run_ok("run", scenario, "-o", path, "--quiet", "--force")
        file = h5py.File(path)
        self.addCleanup(file.close)
        self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
        return file

    def play(self, *events, more=""):
        self.write("pod.yaml", POD % more)
        return self.run_file(self.write("run.yaml", SCENARIO % "\n".join(f"  - {e}" for e in events)))

    @staticmethod
    def by(file, actor):
        e = file["events"]
        rows = zip(e["time"][()], *(e[k].asstr()[()] for k in ("equipment", "actor", "cause", "text")))
        return [(round(float(t), 3), who, cause, text) for t, who, did, cause, text in rows if did == actor]

    def test_a_lost_condition_trips_its_members_after_its_delay_and_names_itself_and_they_return_in_groups_once_proven(self):
        file = self.play("{at: 10 s, target: P, do: trip}", "{at: 25 s, target: P, do: restore}")
        # P.running is missing from 10 s on, seen then; two seconds later its members trip. FS opens as well: not the first.
        lost = "P.running is missing"
        self.assertEqual(self.by(file, "PERMIT")[:5], [(12.0, "PERMIT", lost, "permission withdrawn")] +
                         [(12.0, m, lost, "trip") for m in ("HB", "L1", "L2", "L3")])
        proof = [t for t, who, _, text in self.by(file, "FS") if text == "closed" and t > 25.0]
        self.assertEqual(len(proof), 1)
        # The switch closes in its second; 4 s of proof; groups of two 3 s apart.
        proven = proof[0] + 4.0
        self.assertEqual([(t, who) for t, who, _, text in self.by(file, "PERMIT") if text == "restore"],
                         [(proven, "HB"), (proven, "L1"), (proven + 3.0, "L2"), (proven + 3.0, "L3")])
        self.assertEqual(float(file["permissive/time_off"][-1, 0]), proven + 3.0 - 12.0)
        self.assertEqual(int(file["permissive/first_out"][-1, 0]), 1)
        self.assertEqual([int(file["permissive/held_off"][t, 0]) for t in (11, 13, int(proven) + 1, 59)], [0, 4, 2, 0])
        self.assertEqual([float(file["heat_load_bank/power"][t, 0]) for t in (9, 13, 59)], [60e3, 0.0, 60e3])

    def test_a_condition_that_is_missing_for_less_than_the_delay_trips_nothing(self):
        file = self.play("{at: 10200 ms, target: P, do: trip}", "{at: 11500 ms, target: P, do: restore}")
        self.assertEqual(self.by(file, "PERMIT"), [])

    def test_a_member_that_is_restored_by_hand_without_permission_is_tripped_again_and_told_why(self):
        file = self.play("{at: 10 s, target: P, do: trip}", "{at: 20500 ms, target: L1, do: restore}")
        self.assertIn((21.0, "L1", "refused: P.running is missing", "trip"), self.by(file, "PERMIT"))
        self.assertEqual(float(file["electrical_load/power"][30, 0]), 0.0)

    def test_what_was_off_before_stays_off_and_a_manual_release_waits(self):
        file = self.play("{at: 5 s, target: L2, do: trip}", "{at: 10 s, target: P, do: trip}", "{at: 20 s, target: P, do: restore}",
                         "{at: 45 s, target: PERMIT, do: restore}", more=", release: manual")
        back = [(t, who) for t, who, _, text in self.by(file, "PERMIT") if text == "restore"]
        self.assertEqual(back, [(45.0, "HB"), (45.0, "L1"), (48.0, "L3")])
        self.assertEqual(float(file["electrical_load/power"][-1, 1]), 0.0)

    def test_the_button_trips_its_members_at_that_moment_holds_them_and_brings_them_back_in_groups(self):
        file = self.play("{at: 10250 ms, target: EPO, do: trip}", "{at: 15500 ms, target: P, do: restore}", "{at: 30250 ms, target: EPO, do: restore}")
        events = self.by(file, "EPO")
        pressed = "emergency power off"
        self.assertEqual(events[:4], [(10.25, m, pressed, "trip") for m in ("BK", "P", "L4", "L5")])
        self.assertEqual(events[4], (16.0, "P", "emergency power off is latched", "trip"))
        reset = "emergency power off is reset"
        self.assertEqual(events[5:], [(30.25, "BK", reset, "restore"), (30.25, "P", reset, "restore"), (31.75, "L4", reset, "restore"),
                                      (31.75, "L5", reset, "restore")])
        self.assertEqual([int(file["emergency_power_off/held_off"][t, 0]) for t in (10, 11, 30, 31, 32)], [0, 4, 4, 2, 0])
        self.assertEqual([int(file["emergency_power_off/pressed"][t, 0]) for t in (10, 11, 31)], [0, 1, 0])
        # The pump stopped: what needs its flow went, too.
        self.assertIn("HB", [who for _, who, _, text in self.by(file, "PERMIT") if text == "trip"])

    def test_pressed_again_while_members_return_it_holds_what_is_back(self):
        file = self.play("{at: 10 s, target: EPO, do: trip}", "{at: 20 s, target: EPO, do: restore}", "{at: 21 s, target: EPO, do: trip}",
                         "{at: 30 s, target: EPO, do: restore}")
        self.assertEqual([(t, who) for t, who, _, text in self.by(file, "EPO") if text == "trip" and t > 15.0], [(21.0, "BK"), (21.0, "P")])
        self.assertEqual([int(file["emergency_power_off/held_off"][t, 0]) for t in (22, 32, 59)], [4, 0, 0])

    def test_what_cannot_be_is_refused_with_its_place(self):
        for old, new, said in (("[BK, P,", "[BK, FT2, P,", "there is no equipment `FT2`"), ("needs: [P.running", "needs: [P.speed", "is a value and not a 0 or 1"),
                               ("flow: 4 L/s}", "pressure: 4 kPa}", "gives no `flow`"), ("sensor: FT,", "sensor: P,", "which is no sensor"),
                               ("members: [HB,", "members: [FT3,", "there is no equipment")):
            errors = self.run_ok("check", self.write("pod.yaml", (POD % "").replace(old, new)), status=2).stderr
            self.assertIn(said, errors)
            self.assertRegex(errors, r"pod\.yaml:\d+:\d+: error")

    def test_emergency_power_off_of_the_hall(self):
        file = self.run_file(INCIDENTS / "22-epo-of-the-hall.yaml")
        self.assertEqual(len([e for e in self.by(file, "EPO-hall") if e[3] == "trip"]), 20)
        power, time = file["rack/power_dc"][:], file["rack/time"][:]
        dark = (time > 61.0) & (time < 405.0)
        self.assertEqual(float(abs(power[dark]).max()), 0.0)
        self.assertGreater(float(file["rack/power"][-1].min()), 141e3)
        # Nothing is trapped: no alarm tells of pressure.
        self.assertFalse([s for s in file["alarms/signal"].asstr()[()] if s.startswith("p_") or s == "p"])

    def test_black_start_gives_no_rack_power_before_its_flow_and_switches_transformers_one_by_one(self):
        file = self.run_file(INCIDENTS / "21-black-start.yaml")
        # Shelves charge their capacitors before: DC is what the trays draw.
        power, flow, time = file["rack/power_dc"][:], file["rack/flow"][:], file["rack/time"][:]
        begins = time > 70.0
        # 60 % of a loop's 2,003 L/min for 16 racks, less the switch's differential.
        proven = 0.57 * 2003.0 / 16.0 / 60e3
        self.assertGreater(float(flow[begins][power[begins] > 0.0].min()), proven)
        self.assertEqual(float(abs(power[begins & (time < 735.0)]).max()), 0.0)
        back = [t for t, _, _, text in self.by(file, "PT") if text == "restore"]
        self.assertEqual(back, [665.0 + 5.0 * k for k in range(10)])
        self.assertEqual([t for t, who, _, text in self.by(file, "PR-2") if text == "all members may be on"], [775.0])


if __name__ == "__main__":
    unittest.main()
