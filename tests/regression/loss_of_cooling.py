"""Loss of rack flow and loss of facility water at full load: rates of rise against the arithmetic of
docs/theory/cooling_by_hand.md (practice.md 1.10, pod-design 2.2 and 5.4)."""
import unittest

import h5py
import numpy

from support import Case, ZERO_CELSIUS, scenario

AT = 60.0  # s, of the event
COOLANT = 4.021e6  # J/(m3 K), PG25 at 47 degC: 1,010.6 kg/m3 x 3,979 J/(kg K)
GPU_PLATE_COOLANT = 37e-6  # m3
TRAY_COOLANT, SWITCH_COOLANT, MANIFOLD_COOLANT, HEADER_COOLANT = 0.778e-3, 0.175e-3, 17.7e-3, 0.75  # m3
# J/K by what has the temperature. NVLink plates (800 J/K) are counted at their dies, 11 K above them in steady state.
OF_RACK = (("gpu", "t_junction", 120.0), ("gpu", "t_case", 420.0 + GPU_PLATE_COOLANT * COOLANT), ("cpu", "t_junction", 160.0),
           ("cpu", "t_case", 500.0), ("nvlink_tray", "t_junction", 200.0 + 800.0), ("nvlink_tray", "t_coolant", SWITCH_COOLANT * COOLANT),
           ("tray", "t_coolant", (TRAY_COOLANT - 4 * GPU_PLATE_COOLANT) * COOLANT + 1260.0))
OF_MANIFOLDS = (("rack", "t_supply", 0.5 * MANIFOLD_COOLANT * COOLANT), ("rack", "t_return", 0.5 * MANIFOLD_COOLANT * COOLANT))
CHIPS = "".join(f"  - {{class: {name}, signals: [\"*\"], period: 0.25 s}}\n" for name in ("gpu", "cpu", "nvlink_tray", "tray", "rack", "pump", "node", "cdu"))


class Result:
    def __init__(self, path):
        self.file = h5py.File(path)
        self.time = self.file["gpu/time"][()]

    def of(self, group, signal, prefix):
        ids = [str(i) for i in self.file[group]["id"].asstr()[()]]
        columns = [k for k, name in enumerate(ids) if name.startswith(prefix)]
        return self.file[group][signal][:, columns].astype(float)

    def lump(self, parts, racks, headers=()):
        """Temperature [K] of everything together, and its heat capacity [J/K]."""
        stored, capacity = 0.0, 0.0
        for prefix in racks:
            for group, signal, each in parts:
                t = self.of(group, signal, prefix)
                stored, capacity = stored + each * t.sum(axis=1), capacity + each * t.shape[1]
        for node in headers:
            stored, capacity = stored + HEADER_COOLANT * COOLANT * self.of("node", "t", node)[:, 0], capacity + HEADER_COOLANT * COOLANT
        return stored / capacity, capacity

    def rate(self, values, begin, end):
        """K/s between two times."""
        i, j = (int(numpy.argmin(abs(self.time - t))) for t in (begin, end))
        return (values[j] - values[i]) / (self.time[j] - self.time[i])

    def first(self, true):
        return float(self.time[int(numpy.argmax(true))])


class LossOfCooling(Case):
    def play(self, event, *arguments, duration="75 s"):
        path = self.folder / "out.h5"
        text = scenario("142 kW", duration=duration, events=[event], extra="record:\n" + CHIPS)
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet", *arguments)
        result = Result(path)
        self.addCleanup(result.file.close)
        self.assertLess(abs(float(result.file["balance/energy_error_relative"][()])), 1e-6)
        return result

    def test_rack_flow_lost_at_once(self):
        result = self.play("{at: 60 s, target: [CDU-11, CDU-12, CDU-13], do: isolate}")
        self.assertLess(abs(result.of("rack", "flow", "A01")[result.time > AT]).max(), 1e-6)
        lump, capacity = result.lump(OF_RACK, ["A01"])
        self.assertAlmostEqual(capacity / 1e3, 145.1, delta=0.2)
        heat = result.of("rack", "heat", "A01")[0, 0]
        rise = result.rate(lump, AT + 0.5, AT + 2.0)
        self.assertAlmostEqual(heat / capacity, 0.883, delta=0.002)
        self.assertAlmostEqual(rise, 0.9, delta=0.09)  # practice.md 1.10
        junction, case = result.of("gpu", "t_junction", "A01-T01-G1")[:, 0], result.of("gpu", "t_case", "A01-T01-G1")[:, 0]
        chip = result.rate((120.0 * junction + 420.0 * case) / 540.0, AT, AT + 2.0)
        self.assertTrue(1.9 <= chip <= 2.6, f"die and plate rise at {chip:.3f} K/s")
        self.assertAlmostEqual(chip, 1400.0 / (540.0 + GPU_PLATE_COOLANT * COOLANT), delta=0.06)
        throttle = result.first(junction > 87.0 + ZERO_CELSIUS) - AT
        print(f"\nlump {rise:.3f} K/s of {capacity / 1e3:.1f} kJ/K, die and plate {chip:.3f} K/s; "
              f"{junction[0] - ZERO_CELSIUS:.2f} to 87 degC in {throttle:.2f} s")
        self.assertAlmostEqual(throttle, 0.94 + (87.0 + ZERO_CELSIUS - junction[0]) / 2.03, delta=0.3)
        self.assertEqual(result.of("rack", "throttled", "H08").max(), 0, "another row-pair throttles")

    def test_unthrottled_the_junction_rises_at_the_rate_of_die_and_plate_a_second_late(self):
        result = self.play("{at: 60 s, target: [CDU-11, CDU-12, CDU-13], do: isolate}", "--set", "A01.gpu_throttle_temperature=110 degC",
                           "--set", "A01.gpu_shutdown_temperature=120 degC")
        junction = result.of("gpu", "t_junction", "A01-T01-G1")[:, 0]
        for kelvin in (5.0, 13.0):
            took = float(numpy.interp(junction[0] + kelvin, junction, result.time)) - AT
            print(f"\njunction {kelvin:.0f} K warmer after {took:.2f} s")
            self.assertAlmostEqual(took, 0.94 + kelvin / 2.03, delta=0.1)

    def test_all_pumps_of_a_row_pair_trip_and_coast_down(self):
        """practice.md 6.29."""
        result = self.play("{at: 60 s, target: [CDU-11, CDU-12, CDU-13], do: trip}")
        flow = result.of("rack", "flow", "A01")[:, 0] / result.of("rack", "flow", "A01")[0, 0]
        speed = result.of("pump", "speed", "tcs1-P11")[:, 0]
        after = result.time >= AT
        self.assertAlmostEqual(speed[result.time == AT + 1.0][0] / speed[0], numpy.exp(-1.0), delta=0.01)  # coast_down 1 s
        tenth, ended = (result.first(after & (flow < share)) - AT for share in (0.1, 1e-3))
        throttled = result.of("rack", "throttled", "A01")[:, 0]
        throttle = result.first(throttled > 0) - AT
        print(f"\nflow below a tenth after {tenth:.2f} s, none after {ended:.2f} s; first throttle {throttle:.2f} s after the trip")
        self.assertAlmostEqual(tenth, numpy.log(10.0), delta=0.3)
        self.assertTrue(2.0 <= throttle <= 6.0, f"throttles {throttle} s after the trip")
        self.assertEqual(result.of("rack", "throttled", "C").max(), 0, "another row-pair throttles")

    def test_facility_water_lost(self):
        """practice.md 6.27, second half."""
        result = self.play("{at: 60 s, target: [fws-P1, fws-P2, fws-P3], do: trip}", duration="100 s")
        racks = [f"{row}0{n}" for row in "AB" for n in range(1, 9)]
        lump, capacity = result.lump(OF_RACK + OF_MANIFOLDS, racks, ["tcs1-supply", "tcs1-racks"])
        heat = sum(result.of("rack", "heat", rack)[0, 0] for rack in racks) + result.of("cdu", "power", "CDU-1")[0].sum()
        first = result.first(result.of("rack", "throttled", "A01")[:, 0] > 0) - AT
        rise = result.rate(lump, AT + 6.0, AT + 21.0)  # without facility water, before the first chip throttles
        at_supply = result.of("rack", "t_supply", "A01")[:, 0]
        warm = result.first(at_supply > 45.0 + ZERO_CELSIUS) - AT
        lump_5 = result.first(lump > lump[0] + 5.0) - AT
        print(f"\nrow-pair {rise:.4f} K/s of {capacity / 1e6:.2f} MJ/K ({heat / capacity:.4f} by hand); +5 K after {lump_5:.1f} s, rack inlet 45 degC after "
              f"{warm:.1f} s, first throttle after {first:.1f} s")
        self.assertAlmostEqual(rise / (heat / capacity), 1.0, delta=0.01)
        self.assertAlmostEqual(heat / capacity, 0.24, delta=0.024)
        self.assertAlmostEqual(lump_5, 5.0 * capacity / heat, delta=3.0)


if __name__ == "__main__":
    unittest.main()
