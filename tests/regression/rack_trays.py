"""Flow among the trays and plates of a rack: disconnected, air-locked, clogged, reversed, standing; the bottom-up table.

By hand: a tray behind manifolds without loss passes, of what it passed at the same pressure difference, 0 when it is shut
and a^(2/n) with an open area a; at a held rack flow the others so rise by 1 / (1 - lost share), n the law's exponent.
"""
import math
import unittest

import h5py

import result_checks
from support import Case, LITRE_PER_MINUTE, SOURCE, ZERO_CELSIUS, podtwin, scenario, table

EXPONENT = math.log(126.9 / 15.9) / math.log(177.0 / 59.0)
TRAY_SHARE = 6.2 / (18 * 6.2 + 9 * 1.1)  # by heat at full power
GPU_SHARE = 1.4 / 6.2  # of a tray's flow
FLOW = 2.0  # kg/s, of PG25 at 47 degC about 119 L/min
# Lenovo LP2357 table 27 and pod-design 2.2: supply [degC], flow [L/min], dp [kPa], case of a 1,400 W GPU [degC].
TABLE = ((25, 59, 15.9, 65), (30, 71, 22.1, 67), (35, 89, 33.8, 69), (40, 119, 58.6, 71), (45, 177, 126.9, 73))
BAND, CASE_BAND = 0.05, 5.0
SINGLE = 3e-7  # relative; results hold single precision
RECORD = """record:
  - {class: rack, signals: ["*"], period: 10 s}
  - {class: tray, signals: ["*"], period: 10 s}
  - {class: nvlink_tray, signals: ["*"], period: 10 s}
  - {class: gpu, signals: ["*"], period: 10 s}
  - {class: cpu, signals: ["*"], period: 10 s}
"""


def pod(flow=FLOW, temperature=40, rack="manifold_dp: 0 kPa, quick_disconnect_dp: 31.1 kPa, quick_disconnect_flow: 6.4 L/min", fluid="PG25"):
    """A rack that a stated flow passes."""
    return f"""podtwin: pod/1
title: One rack at a stated flow
use: [{SOURCE / 'data/catalogue/gb300-pod.yaml'}]
circuits:
  tcs: {{fluid: {fluid}, property_temperature: 47 degC}}
nodes:
  source: {{pressure: 0 kPa, temperature: {temperature} degC}}
  sink: {{pressure: 0 kPa, temperature: {temperature} degC}}
equipment:
  FEED: {{class: fixed_flow, from: source, to: inlet, flow: {flow} kg/s}}
  A01: {{type: gb300_nvl72, from: inlet, to: sink{', ' + rack if rack else ''}}}
"""


class RackTrays(Case):
    def play(self, events=(), power="120 kW", duration="5 min", extra="", **form):
        path = self.folder / "out.h5"
        text = scenario(power, duration=duration, events=events, extra=RECORD + extra,
                        pod=self.write("pod.yaml", pod(**form)))
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--force", "--quiet")
        with h5py.File(path) as file:
            self.assertLess(abs(result_checks.ledger_error(file)), 1e-6)
            found = {group: {name: item[()].astype(float) for name, item in file[group].items() if item.dtype.kind in "fiu"}
                     | {"id": result_checks.texts(file[group]["id"])} for group in ("rack", "tray", "nvlink_tray", "gpu", "cpu")}
        for row in range(len(found["rack"]["time"])):
            trays = found["tray"]["flow"][row].sum() + found["nvlink_tray"]["flow"][row].sum()
            self.assertAlmostEqual(trays, found["rack"]["flow"][row, 0], delta=SINGLE * 2e-3)
        return found

    def at_end(self, found, group, signal, identity, row=-1):
        return found[group][signal][row, found[group]["id"].index(identity)]

    def test_flow_of_the_others_rises_by_what_a_disconnected_and_a_clogged_tray_give_up(self):
        found = self.play(["{at: 1 min, target: A01-T03, do: isolate}",
                           "{at: 1 min, target: A01-T05, do: clog, with: {share: 50 %}}"])
        passes = 0.5 ** (2.0 / EXPONENT)
        ratio = 1.0 / (1.0 - TRAY_SHARE - TRAY_SHARE * (1.0 - passes))
        start = lambda group, identity: self.at_end(found, group, "flow", identity, 0)
        self.assertAlmostEqual(start("tray", "A01-T03") / start("rack", "A01"), TRAY_SHARE, delta=SINGLE)
        for group, identity in (("tray", "A01-T01"), ("tray", "A01-T18"), ("nvlink_tray", "A01-S9")):
            self.assertAlmostEqual(self.at_end(found, group, "flow", identity) / start(group, identity), ratio, delta=SINGLE)
        self.assertEqual(self.at_end(found, "tray", "flow", "A01-T03"), 0.0)
        self.assertEqual(self.at_end(found, "tray", "shut", "A01-T03"), 1.0)
        self.assertAlmostEqual(self.at_end(found, "tray", "flow", "A01-T05") / start("tray", "A01-T05"), passes * ratio,
                               delta=SINGLE)
        self.assertAlmostEqual(self.at_end(found, "rack", "dp", "A01") / self.at_end(found, "rack", "dp", "A01", 0),
                               ratio ** EXPONENT, delta=1e-6)
        # Without flow its GPUs shut down; with half the area the case is warmer by the plate's law at that flow.
        for gpu in range(1, 5):
            self.assertEqual(self.at_end(found, "gpu", "throttled", f"A01-T03-G{gpu}"), 2.0)
            self.assertEqual(self.at_end(found, "gpu", "throttled", f"A01-T05-G{gpu}"), 0.0)
        for tray in ("A01-T05", "A01-T07"):
            litres = self.at_end(found, "tray", "flow", tray) * GPU_SHARE / LITRE_PER_MINUTE
            case = 40.0 + (0.01617 + 0.00839 / litres) * self.at_end(found, "gpu", "power", f"{tray}-G1")
            self.assertAlmostEqual(self.at_end(found, "gpu", "t_case", f"{tray}-G1") - ZERO_CELSIUS, case, delta=0.01)

    def test_a_tray_that_is_connected_again_has_its_flow_and_its_gpus_back(self):
        found = self.play(["{at: 1 min, target: A01-T03, do: isolate}", "{at: 3 min, target: A01-T03, do: restore}"],
                          duration="10 min")
        for signal, delta in (("flow", SINGLE * 1e-4), ("t_coolant", 0.02)):
            self.assertAlmostEqual(self.at_end(found, "tray", signal, "A01-T03"),
                                   self.at_end(found, "tray", signal, "A01-T03", 0), delta=delta)
        self.assertEqual(self.at_end(found, "gpu", "throttled", "A01-T03-G1", 17), 2.0)
        self.assertEqual(self.at_end(found, "gpu", "throttled", "A01-T03-G1"), 0.0)

    def test_air_in_an_nvlink_tray_stops_it_until_it_is_vented(self):
        found = self.play(["{at: 1 min, target: A01-S4, do: air_lock}", "{at: 2 min, target: A01-S4, do: vent}"])
        self.assertEqual(self.at_end(found, "nvlink_tray", "flow", "A01-S4", 10), 0.0)
        self.assertEqual(self.at_end(found, "nvlink_tray", "shut", "A01-S4", 10), 2.0)
        self.assertGreater(self.at_end(found, "nvlink_tray", "t_junction", "A01-S4", 12),
                           self.at_end(found, "nvlink_tray", "t_junction", "A01-S4", 5) + 5.0)
        self.assertAlmostEqual(self.at_end(found, "nvlink_tray", "flow", "A01-S4"),
                               self.at_end(found, "nvlink_tray", "flow", "A01-S4", 0), delta=SINGLE * 1e-4)

    def test_a_clogged_plate_takes_flow_from_its_gpu_alone(self):
        found = self.play(["{at: 1 min, target: A01-T03-G2, do: clog, with: {share: 40 %}}",
                           "{at: 1 min, target: A01-T04-G1, do: clog, with: {share: 1}}"], power="100 kW")
        gpu, conductance = GPU_SHARE, 0.6 ** (2.0 / EXPONENT)
        plates = 1.0 - gpu + gpu * conductance  # conductance of the tray's plates over clean
        litres = self.at_end(found, "tray", "flow", "A01-T03") / LITRE_PER_MINUTE
        for identity, own in (("A01-T03-G2", gpu * conductance / plates), ("A01-T03-G1", gpu / plates)):
            flow = litres * own
            resistance = 0.01617 + 0.00839 / flow
            self.assertGreater(flow, 0.7)  # where the published law holds
            rise = self.at_end(found, "gpu", "t_case", identity) - ZERO_CELSIUS - 40.0
            self.assertAlmostEqual(rise / (resistance * self.at_end(found, "gpu", "power", identity)), 1.0,
                                   delta=1e-3)
        # A plate that nothing passes warms by P / (die + plate) until its GPU shuts down; its neighbours do not notice.
        self.assertEqual(self.at_end(found, "gpu", "throttled", "A01-T04-G1"), 2.0)
        self.assertEqual(self.at_end(found, "gpu", "throttled", "A01-T04-G2"), 0.0)

    def test_reversed_and_standing_flow(self):
        back = self.play(["{at: 1 min, target: A01-T03, do: isolate}", "{at: 1 min, target: A01-T06-G1, do: clog, with: {share: 60 %}}"],
                         flow=-FLOW)
        # Of the tray's pressure drop the quick disconnects have their part; the plates' is by their conductance.
        disconnects = 31.1 * (177.0 * TRAY_SHARE / 6.4) ** EXPONENT / 126.9
        plates = 1.0 - GPU_SHARE + GPU_SHARE * 0.4 ** (2.0 / EXPONENT)
        passes = (disconnects + (1.0 - disconnects) * plates ** -EXPONENT) ** (-1.0 / EXPONENT)
        self.assertAlmostEqual(self.at_end(back, "tray", "flow", "A01-T01") / self.at_end(back, "rack", "flow", "A01", 0),
                               TRAY_SHARE / (1.0 - TRAY_SHARE * (2.0 - passes)), delta=SINGLE)
        self.assertLess(self.at_end(back, "rack", "flow", "A01"), 0.0)
        litres = self.at_end(back, "tray", "flow", "A01-T01") * GPU_SHARE / -LITRE_PER_MINUTE
        rise = self.at_end(back, "gpu", "t_case", "A01-T01-G1") - self.at_end(back, "rack", "t_return", "A01")  # its inlet now
        self.assertAlmostEqual(rise, (0.01617 + 0.00839 / litres) * self.at_end(back, "gpu", "power", "A01-T01-G1"), delta=0.01)
        stands = self.play(["{at: 1 min, target: FEED, do: set, with: {flow: 0 kg/s}}",
                            "{at: 1 min, target: A01-T06-G1, do: clog, with: {share: 60 %}}"], duration="3 min")
        self.assertLess(abs(self.at_end(stands, "tray", "flow", "A01-T01")), 1e-15)
        self.assertEqual(self.at_end(stands, "rack", "throttled", "A01"), 72.0)

    def test_a_rack_without_any_tray_connected_lets_nothing_through(self):
        text = pod().replace(
            "  FEED: {class: fixed_flow, from: source, to: inlet, flow: 2.0 kg/s}\n", "").replace(
            "from: inlet", "from: source").replace("source: {pressure: 0", "source: {pressure: 60")
        events = ["{at: 1 min, target: 'tray[A01-T*]', do: isolate}", "{at: 1 min, target: 'nvlink_tray[A01-S*]', do: isolate}",
                  "{at: 2 min, target: A01-T07, do: restore}"]
        path = self.folder / "shut.h5"
        self.run_ok("run", self.write("shut.yaml", scenario("40 kW", duration="4 min", events=events, extra=RECORD,
                                                            pod=self.write("shut-pod.yaml", text))), "-o", path, "--quiet")
        with h5py.File(path) as file:
            flow = file["rack/flow"][:, 0]
            self.assertLess(abs(result_checks.ledger_error(file)), 1e-6)
        self.assertEqual(flow[11], 0.0)
        # One tray alone at the same pressure difference passes its share of before.
        self.assertAlmostEqual(flow[-1] / flow[0], TRAY_SHARE, delta=1e-6)

    def test_a_tray_may_be_apart_from_the_start(self):
        folder = self.steady("apart", scenario("120 kW", extra="out_of_service: [A01-T03]\n",
                                               pod=self.write("apart-pod.yaml", pod())))
        trays = table(folder, "tray")
        self.assertEqual(trays["A01-T03"]["flow"], 0.0)
        whole = table(folder, "rack")["A01"]["flow"]
        self.assertAlmostEqual(trays["A01-T01"]["flow"] / whole, TRAY_SHARE / (1.0 - TRAY_SHARE), delta=1e-11)
        switches = sum(tray["flow"] for tray in table(folder, "nvlink_tray").values())
        self.assertAlmostEqual((sum(tray["flow"] for tray in trays.values()) + switches) / whole, 1.0, delta=1e-11)  # digits of the table

    def test_published_table_from_the_bottom_up(self):
        # MGX 1.1 through hardware.csv: 10 psid a node, with its quick disconnects, at 130 L/min of the rack.
        node = f"tray_dp: 68.948 kPa, tray_dp_flow: {130 * TRAY_SHARE} L/min"
        for name, rack in (("by the rack's points", ""), ("by the node alone", node)):
            print(name)
            for temperature, litres, dp, case in TABLE:
                density = 1010.9  # of PG25 at 47 degC, kg/m3; checked by the flow found
                folder = self.steady(f"table-{temperature}", scenario("135 kW", pod=self.write(
                    "table-pod.yaml", pod(litres * LITRE_PER_MINUTE * density, temperature, rack))))
                found, gpus, trays = table(folder, "rack")["A01"], table(folder, "gpu"), table(folder, "tray")
                cases = [gpu["t_case"] - ZERO_CELSIUS for gpu in gpus.values()]
                flows = [tray["flow"] for tray in trays.values()]
                print(f"  {temperature} degC: {found['flow'] / LITRE_PER_MINUTE:.1f} L/min, {found['dp'] / 1e3:.2f} kPa (table {dp}), "
                      f"case {min(cases):.2f} to {max(cases):.2f} degC (page {case}), trays apart by {100 * (max(flows) / min(flows) - 1):.2f} %")
                with self.subTest(name=name, temperature=temperature):
                    self.assertLessEqual(abs(found["flow"] / (litres * LITRE_PER_MINUTE) - 1.0), 2e-3)
                    self.assertLessEqual(abs(found["dp"] / (dp * 1e3) - 1.0), BAND)
                    self.assertLessEqual(max(abs(value - case) for value in cases), CASE_BAND)
                    self.assertAlmostEqual(max(flows), flows[0], delta=1e-12)  # direct return: the first has most
                    self.assertTrue(0.002 < max(flows) / min(flows) - 1.0 < 0.01)

    def test_reverse_return_evens_the_ends(self):
        flows = {}
        for back in ("direct", "reverse"):
            folder = self.steady(back, scenario("120 kW", pod=self.write(
                f"{back}-pod.yaml", pod(rack=f"manifold_dp: 6 kPa, manifold_return: {back}"))))
            flows[back] = [tray["flow"] for tray in table(folder, "tray").values()]
        spread = {back: max(flow) / min(flow) - 1.0 for back, flow in flows.items()}
        self.assertGreater(spread["direct"], 0.01)
        self.assertLess(spread["reverse"], 0.5 * spread["direct"])
        self.assertAlmostEqual(flows["reverse"][0], flows["reverse"][-1], delta=1e-9 * flows["reverse"][0])

    def test_what_cannot_be_is_refused(self):
        for rack, words in (("tray_dp: 69 kPa", "only one is given"),
                            ("manifold_dp: 130 kPa", "130 kPa leaves nothing of dp_high, 126.9 kPa"),
                            ("quick_disconnect_dp: 31 kPa", "only one is given"),
                            ("quick_disconnect_dp: 90 kPa, quick_disconnect_flow: 6.4 L/min", "quick disconnects alone take 174.4 kPa where a whole tray has 126.9"),
                            ("plate_flow_low: 0.05 L/min", "at plate_flow_low")):
            with self.subTest(rack=rack):
                path = self.write("bad.yaml", pod(rack=rack))
                done = podtwin("check", path)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertRegex(done.stdout + done.stderr, r"bad\.yaml:11:\d+")
                self.assertIn(words, done.stdout + done.stderr)
        for order, words in (("{at: 1 min, target: A01-T03, do: clog, with: {share: 150 %}}", "from 0 to 1"),
                             ("{at: 1 min, target: A01-T03, do: trip}", "trip")):
            with self.subTest(order=order):
                done = podtwin("check", self.write("bad-run.yaml", scenario(events=[order], pod=self.write("pod.yaml", pod()))))
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(words, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
