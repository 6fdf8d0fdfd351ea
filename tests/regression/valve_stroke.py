"""The three-way valves of the reference pod share facility water out without changing how much there is."""
import unittest

import h5py

from support import Case, scenario

SPREAD = 0.06   # of the least flow over the stroke; linear ways in parallel pass most in between
ENDS = 0.01     # between all to the branch and all past it: what the bypass is balanced for
MIDDLE = 43     # %, where the flow is greatest
# The stroke takes 120 s; the flow is read when the pumps have settled.
TIMES = {0: 170.0, MIDDLE: 260.0, 100: 360.0}  # position in % -> s


class ValveStroke(Case):
    def test_facility_water_flow_stays_within_a_few_per_cent_over_the_stroke(self):
        # Little heat: the flow is what is asked about, and nothing may throttle while no water passes the exchangers. The
        # return valve would follow the temperature; it stays where the design point has it.
        starts = {0: 1.0, MIDDLE: 180.0, 100: 270.0}
        events = ["{at: 1 s, target: FV-1, do: set, with: {position: 85.7 %}}"]
        events += [f'{{at: {starts[x]:g} s, target: "valve[CDU-*]", do: set, with: {{position: {x} %}}}}' for x in TIMES]
        path = self.folder / "out.h5"
        text = scenario("20 kW", duration="6 min", events=events, extra="solver: {method: rosenbrock}\n")
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet")
        with h5py.File(path) as file:
            valve = file["valve"]
            ids, time = list(valve["id"].asstr()), valve["time"][()]
            total, some = ids.index("FV-1"), ids.index("CDU-31-valve")
            flow = {}
            for x, at in TIMES.items():
                row = int(abs(time - at).argmin())
                self.assertAlmostEqual(float(valve["position"][row, some]), x / 100.0, delta=0.005)
                flow[x] = float(valve["flow"][row, total])
                print(f"all valves at {x} %: {1e3 * flow[x]:.1f} L/s of facility water")
        self.assertLess(max(flow.values()) / min(flow.values()) - 1.0, SPREAD)
        self.assertLess(abs(flow[0] / flow[100] - 1.0), ENDS)
        self.assertGreater(flow[MIDDLE], 0.19, "the valves are shut")


if __name__ == "__main__":
    unittest.main()
