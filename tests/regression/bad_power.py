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
