"""Electrical nonsense in a pod file is refused at `check`, with the file's line, what is wrong and what to do."""
import unittest

from support import Case

GRID = "GRID: {class: utility, to: U, rating: 10 MW, voltage: 13.8 kV}"
OTHER = "OTHER: {class: utility, to: V, rating: 10 MW, voltage: 13.8 kV}"
TIE = "TIE: {class: breaker, from: U, to: V}"


class BadPower(Case):
    def refused(self, *equipment, nodes=()):
        """Standard error of `check`, and which of the lines of equipment it names."""
        path = self.folder / "pod.yaml"
        path.write_text("podtwin: pod/1\n" + "".join(f"nodes:\n  {n}\n" for n in nodes) + "equipment:\n" + "".join(f"  {e}\n" for e in equipment))
        return self.run_ok("check", path, status=2).stderr

    def line_of(self, told, what):
        found = [line for line in told.splitlines() if what in line]
        self.assertEqual(len(found), 1, told)
        self.assertRegex(found[0], r"pod\.yaml:\d+:\d+: error: ")
        return int(found[0].split("pod.yaml:")[1].split(":")[0]), found[0]

    def test_two_grids_tied_without_leave(self):
        line, told = self.line_of(self.refused(GRID, OTHER, TIE), "are joined")
        self.assertEqual(line, 4)
        self.assertIn("parallel: allowed", told)

    def test_two_grids_apart_or_with_leave_are_accepted(self):
        path = self.folder / "pod.yaml"
        for texts in ((GRID, OTHER, TIE.replace("V}", "V, closed: false}")),
                      (GRID.replace("kV}", "kV, parallel: allowed}"), OTHER.replace("kV}", "kV, parallel: allowed}"), TIE)):
            path.write_text("podtwin: pod/1\nequipment:\n" + "".join(f"  {e}\n" for e in texts))
            self.run_ok("check", path)

    # -- a rack fed from two unsynchronised sources
    TWO = ("G1: {class: utility, to: M1, rating: 5 MW%s}", "G2: {class: utility, to: M2, rating: 5 MW%s}")
    FED = "IT: {class: electrical_load, power: 1 MW, supply: UB}"

    def grids(self, more="", leave=""):
        return tuple(grid % (more + leave) for grid in self.TWO)

    def test_two_grids_on_one_bus_without_voltages(self):
        line, told = self.line_of(self.refused(*self.grids(), "B1: {class: busway, from: M1, to: UB, rating: 2000 A}",
                                               "B2: {class: busway, from: M2, to: UB, rating: 2000 A}", self.FED), "not in step")
        self.assertEqual(line, 6)
        for name in ("'UB'", "'B1'", "'B2'", "'G1'", "'G2'", "closed: false", "parallel: allowed"):
            self.assertIn(name, told)
        line, told = self.line_of(self.refused(self.TWO[0] % "", self.TWO[1].replace("M2", "M1") % ""), "are joined")
        self.assertEqual(line, 4)

    def test_two_ups_outputs_that_follow_two_grids(self):
        frames = ("X1: {class: ups, from: M1, to: UB, rating: 1 MW}", "X2: {class: ups, from: M2, to: UB, rating: 1 MW}")
        for more, nodes in (("", ()), (", voltage: 480 V, short_circuit_power: 50 MVA", ("UB: {nominal_voltage: 480 V}",))):
            with self.subTest(more=more):
                line, told = self.line_of(self.refused(*self.grids(more), *frames, self.FED, nodes=nodes), "not in step")
                self.assertEqual(line, 6 + 2 * len(nodes))
                self.assertIn("'X1' in step with 'G1'", told)
                self.assertIn("'X2' in step with 'G2'", told)
        # Joined by a closed tie, or in step with a bypass of their own.
        tied = (frames[0], frames[1].replace("to: UB", "to: UC"), "TIE: {class: breaker, from: UC, to: UB}")
        self.line_of(self.refused(*self.grids(), *tied, self.FED), "not in step")
        bypass = [frame.replace("rating", "bypass: M1, rating") for frame in frames]
        self.accepted(*self.grids(), *bypass, self.FED)
        self.accepted(*self.grids(), *tied[:2], tied[2].replace("}", ", closed: false}"), self.FED)
        self.accepted(*self.grids(leave=", parallel: allowed"), *frames, self.FED)

    def test_a_generator_on_line_beside_a_grid(self):
        for more in ("", ", voltage: 480 V"):
            grid, nodes = self.TWO[0] % more, ()
            load = self.FED.replace("UB", "M1")
            running = f"S: {{class: generator, to: M1, rating: 2 MW, initially: on_line{more}}}"
            line, told = self.line_of(self.refused(grid, running, load, nodes=nodes), "without having been synchronised")
            self.assertEqual(line, 4)
            self.assertIn("transfer_switch", told)
            self.accepted(grid, running.replace("on_line", "stopped"), load)
            self.accepted(grid.replace("}", ", parallel: allowed}"), running, load)

    def test_feeds_of_a_rack_on_two_grids_and_what_rectifies_are_sound(self):
        shelves = "R: {class: air_cooled_rack, power: 20 kW, feeds: [M1, M2]}"
        self.accepted(*self.grids(), shelves)
        convert = ("C%d: {class: power_converter, from: M%d, to: UB, rating: 1 MW, standing_loss: 1 kW, conversion_efficiency: 96 %%}" % (k, k) for k in (1, 2))
        self.accepted(*self.grids(), *convert, self.FED)
        self.accepted(*self.grids(), "S: {class: transfer_switch, preferred: M1, alternate: M2, to: UB, rating: 2000 A}", self.FED)

    def accepted(self, *equipment):
        path = self.folder / "pod.yaml"
        path.write_text("podtwin: pod/1\nequipment:\n" + "".join(f"  {e}\n" for e in equipment))
        self.run_ok("check", path)

    def test_a_bypass_of_another_voltage_is_no_start(self):
        line, told = self.line_of(self.refused("G: {class: utility, to: M1, rating: 5 MW, voltage: 480 V}",
                                               "X: {class: ups, from: M1, to: UB, rating: 1 MW, voltage: 415 V, initially: bypass}",
                                               self.FED), "begins on its bypass, of 480 V")
        self.assertEqual(line, 4)
        self.assertIn("transformer", told)

    def test_a_loop_of_sources_alone(self):
        leave = ", parallel: allowed}"
        line, told = self.line_of(self.refused(GRID.replace("}", leave), OTHER.replace("to: V", "to: U").replace("}", leave)), "loop of sources")
        self.assertEqual(line, 4)
        self.assertIn("short_circuit_power", told)

    def test_a_transformer_without_rating(self):
        line, told = self.line_of(self.refused(GRID, "T: {class: transformer, from: U, to: W, second_voltage: 480 V}"), "rating")
        self.assertEqual(line, 4)

    def test_phase_d_and_one_phase_between_phases(self):
        for given in ("phases: D, connection: star", "phases: aa, connection: star", "phases: a"):
            line, told = self.line_of(self.refused(GRID, f"L: {{class: electrical_load, power: 1 MW, supply: U, {given}}}"), "phases")
            self.assertEqual(line, 4)

    def test_voltages_that_contradict_each_other(self):
        line, told = self.line_of(self.refused(GRID, "B: {class: busway, from: U, to: W, rating: 800 A, voltage: 480 V}"), "13800 V")
        self.assertEqual(line, 4)
        self.assertIn("transformer", told)

    def test_what_knows_power_alone_feeds_no_bus_with_a_voltage(self):
        told = self.refused(GRID, "C: {class: power_converter, from: U, to: W, rating: 1 MW, standing_loss: 1 kW, conversion_efficiency: 96 %}",
                            "L: {class: electrical_load, power: 1 kW, supply: W}", nodes=["W: {nominal_voltage: 48 V}"])
        line, told = self.line_of(told, "active power alone")
        self.assertEqual(line, 6)

    def test_a_line_without_impedance_or_with_too_few_values(self):
        for given, what in (("resistance: [0 ohm/km], reactance: [0 ohm/km]", "no impedance"),
                            ("resistance: [0.1 ohm/km, 0.1 ohm/km], reactance: [0.1 ohm/km]", "2 values for 3 conductors")):
            line, told = self.line_of(self.refused(GRID, f"X: {{class: line, from: U, to: W, length: 10 m, {given}}}"), what)
            self.assertEqual(line, 4)

    def test_a_vector_group_that_does_not_exist(self):
        line, told = self.line_of(self.refused(GRID, "T: {class: transformer, from: U, to: W, rating: 1 MVA, second_voltage: 480 V, vector_group: Dyn2}"), "Dyn2")
        self.assertEqual(line, 4)
        self.assertIn("Dyn11", told)


if __name__ == "__main__":
    unittest.main()
