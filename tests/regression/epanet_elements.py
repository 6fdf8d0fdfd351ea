"""Small EPANET files whose answers follow by hand: check valves, PRV, PSV, FCV, GPV, pump curves, units, demands.

Each is written with its expected rows as a case and given to run_case. A pipe's head loss is Hazen-Williams's formula with
EPANET's constant, turned around for the flow by hand where a head difference is known.
"""
import math
import subprocess
import sys
import unittest

from support import Case, PROGRAM, SOURCE

FOOT, CUBIC_FOOT = 0.3048, 0.028317


def resistance(length, diameter, roughness):
    """m/(m3/s)^1.852 of a pipe in metres."""
    return 4.727 * length / (roughness ** 1.852 * (diameter / FOOT) ** 4.871) / CUBIC_FOOT ** 1.852


def flow(head, length=100.0, diameter=0.2, roughness=100.0):
    return (head / resistance(length, diameter, roughness)) ** (1.0 / 1.852)


def loss(q, length=100.0, diameter=0.2, roughness=100.0):
    return resistance(length, diameter, roughness) * q ** 1.852


SI = "[OPTIONS]\nUNITS LPS\nHEADLOSS H-W\n"


class EpanetElements(Case):
    def judge(self, text, rows):
        """The file as a case whose rows are to be met to 1e-5, 0.1 mm of head and 0.5 mL/s."""
        folder = self.folder / "case"
        folder.mkdir(exist_ok=True)
        (folder / "net.inp").write_text(text, encoding="utf-8")
        lines = ["scenario,object,quantity,time_s,value,unit,tol_abs,tol_rel"]
        for (what, quantity), value in rows.items():
            lines.append(f"net,{what},{quantity},,{value!r},,{1e-4 if quantity == 'head' else 5e-7},1e-5")
        (folder / "expected.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([sys.executable, str(SOURCE / "tests/verification/run_case"), str(folder), "--podtwin",
                               PROGRAM, "-o", str(self.folder / "rows.csv")], capture_output=True, text=True, check=False)
        table = (self.folder / "rows.csv").read_text(encoding="utf-8") if (self.folder / "rows.csv").exists() else ""
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + table)

    def test_check_valve_shuts_against_the_higher_reservoir_and_opens_to_the_lower(self):
        text = SI + """[RESERVOIRS]
A 50
B 60
[JUNCTIONS]
J 10 10
[PIPES]
1 A J 100 200 100 0 CV
2 B J 100 200 100 0 OPEN
"""
        self.judge(text, {("link 1", "volume_flow"): 0.0, ("link 2", "volume_flow"): 0.01,
                          ("node J", "head"): 60.0 - loss(0.01)})
        # With A at 60 m too both feed the demand alike.
        self.judge(text.replace("A 50", "A 60"), {("link 1", "volume_flow"): 0.005, ("link 2", "volume_flow"): 0.005,
                                                  ("node J", "head"): 60.0 - loss(0.005)})

    PRV = SI + """[RESERVOIRS]
A 100
B {}
[JUNCTIONS]
J1 5 0
J2 20 0
[PIPES]
1 A J1 100 200 100
2 J2 B 100 100 100
[VALVES]
V J1 J2 200 PRV 30 0
"""

    def test_pressure_reducing_valve_holds_its_outlet(self):
        q = flow(40.0, diameter=0.1)  # 30 m above an elevation of 20 m, down to 10 m
        self.judge(self.PRV.format(10), {("node J2", "head"): 50.0, ("link V", "volume_flow"): q,
                                         ("node J1", "head"): 100.0 - loss(q), ("link 2", "volume_flow"): q})

    def test_pressure_reducing_valve_shuts_where_its_outlet_is_above_and_lets_nothing_back(self):
        for head in (70, 150):
            self.judge(self.PRV.format(head), {("node J2", "head"): float(head), ("link V", "volume_flow"): 0.0,
                                               ("node J1", "head"): 100.0})

    def test_pressure_reducing_valve_is_wide_open_where_its_inlet_is_below(self):
        whole = resistance(100.0, 0.2, 100.0) + resistance(100.0, 0.1, 100.0)
        q = (30.0 / whole) ** (1.0 / 1.852)
        self.judge(self.PRV.format(10).replace("A 100", "A 40"), {("link V", "volume_flow"): q,
                                                                  ("node J2", "head"): 40.0 - loss(q)})

    def test_pressure_reducing_valve_by_its_status(self):
        self.judge(self.PRV.format(10) + "[STATUS]\nV CLOSED\n", {("link V", "volume_flow"): 0.0,
                                                                  ("node J2", "head"): 10.0})

    def test_pressure_sustaining_valve_holds_its_inlet_and_shuts_below(self):
        text = self.PRV.format(10).replace("PRV 30", "PSV 93")  # 93 m above an elevation of 5 m
        q = flow(2.0)
        self.judge(text, {("node J1", "head"): 98.0, ("link V", "volume_flow"): q,
                          ("node J2", "head"): 10.0 + loss(q, diameter=0.1)})
        self.judge(text.replace("PSV 93", "PSV 120"), {("link V", "volume_flow"): 0.0, ("node J1", "head"): 100.0})

    def test_units_of_pressure_and_flow_in_us_files(self):
        text = """[OPTIONS]
UNITS GPM
[RESERVOIRS]
A 300
B 100
[JUNCTIONS]
J1 0 0
J2 50 0
[PIPES]
1 A J1 1000 12 100
2 J2 B 1000 6 100
[VALVES]
V J1 J2 12 PRV 43.33 0
"""
        q = flow(50.0 * FOOT, 1000 * FOOT, 0.5 * FOOT)  # 43.33 psi are 100 ft
        self.judge(text, {("node J2", "head"): 150.0 * FOOT, ("link V", "volume_flow"): q})

    def test_throttle_flow_control_and_general_purpose_valves(self):
        text = SI + """[RESERVOIRS]
A 20
B 10
[VALVES]
T A B 100 TCV 8
F A B 100 FCV 5
G A B 100 GPV C
[CURVES]
C 0 0
C 10 4
C 30 14
"""
        area = 0.25 * math.pi * 0.01
        self.judge(text, {("link T", "volume_flow"): area * math.sqrt(2 * 9.80665 * 10.0 / 8.0),
                          ("link F", "volume_flow"): 0.005, ("link G", "volume_flow"): 0.022})

    def test_pump_curves_of_one_three_and_more_points_and_speed(self):
        text = SI + """[RESERVOIRS]
A 0
B 12
[JUNCTIONS]
J 0 10
[PUMPS]
P A J HEAD C {}
[PIPES]
1 J B 100 200 100
[CURVES]
{}
"""
        one, many = "C 20 15", "C 0 24\nC 10 22\nC 20 18\nC 40 6"

        def heads(q):  # of the pump of many points, in straight pieces
            q *= 1000.0
            return 24 - 0.2 * q if q < 10 else 22 - 0.4 * (q - 10) if q < 20 else 18 - 0.6 * (q - 20)

        def meet(head):  # flow at which the head is what the pipe and the reservoir ask, by halving
            low, high = 0.0, 0.1
            for _ in range(200):
                q = 0.5 * (low + high)
                delivered = q - 0.01
                back = 12.0 + math.copysign(loss(abs(delivered)), delivered)
                low, high = (q, high) if head(q) > back else (low, q)
            return q
        q = meet(lambda q: 20.0 - 5.0 * (q / 0.02) ** 2)  # 4/3 of the head at no flow, a third less there
        self.judge(text.format("", one), {("link P", "volume_flow"): q, ("link 1", "volume_flow"): q - 0.01})
        q = meet(heads)
        self.judge(text.format("", many), {("link P", "volume_flow"): q})
        q = meet(lambda q: 0.81 * heads(q / 0.9))
        self.judge(text.format("SPEED 0.9", many), {("link P", "volume_flow"): q})
        # A curve of three points is a power of the flow: 24 - 6 (q/20)^n, with 18 below at twice the flow.
        exponent = math.log(3.0) / math.log(2.0)
        q = meet(lambda q: 24.0 - 6.0 * (q / 0.02) ** exponent)
        self.judge(text.format("", "C 0 24\nC 20 18\nC 40 6"), {("link P", "volume_flow"): q})

    def test_demands_patterns_multiplier_and_minor_losses(self):
        text = SI + """PATTERN day
DEMAND MULTIPLIER 2
[RESERVOIRS]
A 50
[JUNCTIONS]
J 0 99
K 0 3 night
[PIPES]
1 A J 100 200 100 25 OPEN
2 J K 100 200 100
[DEMANDS]
J 4
J 2 night
[PATTERNS]
day 0.5 1
night 1.5 2
"""
        at_k, at_j = 2 * 3e-3 * 1.5, 2 * (4e-3 * 0.5 + 2e-3 * 1.5)
        q = at_j + at_k
        minor = 25.0 * (q / (0.25 * math.pi * 0.04)) ** 2 / (2 * 9.80665)
        self.judge(text, {("link 1", "volume_flow"): q, ("link 2", "volume_flow"): at_k,
                          ("node K", "head"): 50.0 - loss(q) - minor - loss(at_k)})

    def test_darcy_weisbach_files(self):
        text = """[OPTIONS]
UNITS LPS
HEADLOSS D-W
[RESERVOIRS]
A 20
[JUNCTIONS]
J 0 20
[PIPES]
1 A J 100 200 0.1
"""
        viscosity, velocity = 1.1e-5 * FOOT ** 2, 0.02 / (0.25 * math.pi * 0.04)
        reynolds = velocity * 0.2 / viscosity
        f = 0.25 / math.log10(0.1e-3 / 3.7 / 0.2 + 5.74 / reynolds ** 0.9) ** 2
        self.judge(text, {("node J", "head"): 20.0 - f * 100.0 / 0.2 * velocity ** 2 / (2 * 9.80665)})


if __name__ == "__main__":
    unittest.main()
