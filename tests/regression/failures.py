"""Failures in the reference pod: what is recorded, which way things go, and that the books still balance."""
import unittest

import h5py
import numpy

from support import Case, ZERO_CELSIUS, scenario

BALANCE_TOLERANCE = 1e-6
# Above the hottest die in service (85.2 degC) and below throttling (87 degC), which resets it within 2 s.
CONDITION = 85.7 + ZERO_CELSIUS  # K
HELD = 1.0  # s
AT = 60.0  # s; every failure happens then
LOOP_1 = [f"tcs1-P{unit}{pump}" for unit in (1, 2, 3) for pump in (1, 2)]
RECORD = """record:
  - {class: rack, signals: ["*"], period: 0.5 s, reduce: {gpu.t_junction: [max, mean]}}
  - {class: pump, signals: ["*"], period: 0.5 s}
  - {class: facility, signals: ["*"], period: 0.5 s}
  - {class: ups, signals: ["*"], period: 1 s}
  - {class: bus, signals: ["*"], period: 1 s}
  - {class: valve, signals: ["*"], period: 1 s}
  - {class: sensor, signals: ["*"], period: 1 s}
  - {class: cdu, signals: ["*"], period: 1 s}
  - {class: gpu, signals: [t_junction, power], period: 1 s}
"""


def texts(values):
    return [v.decode() if isinstance(v, bytes) else v for v in values]


class Result:
    def __init__(self, file):
        self.file = file

    def of(self, group, signal, identity):
        """Times and values of one instance."""
        ids = texts(self.file[group]["id"][()])
        return self.file[group]["time"][()], self.file[group][signal][:, ids.index(identity)].astype(float)

    def facility(self, signal):
        return self.file["time"][()], self.file["facility"][signal][()].astype(float)

    def events(self):
        group = self.file["events"]
        return [dict(zip(("time", "equipment", "actor", "cause", "text"), row)) for row in zip(
            group["time"][()], *(texts(group[column][()]) for column in ("equipment", "actor", "cause", "text")))]


class Failures(Case):
    def run_events(self, events, duration="2 min", power="142 kW", status=0):
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", scenario(power, duration=duration, events=events, extra=RECORD)), "-o", path,
                    "--quiet", status=status)
        file = h5py.File(path)
        self.addCleanup(file.close)
        self.assertEqual(int(file.attrs["complete"]), 1)
        error = abs(float(file["balance/energy_error_relative"][()]))
        self.assertLess(error, BALANCE_TOLERANCE, "the books do not balance")
        wrong = []
        file.visititems(lambda name, item: wrong.append(name) if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and
                        not numpy.all(numpy.isfinite(item[()])) else None)
        self.assertEqual(wrong, [], "values that are no number")
        for clock, period in (("time", 0.5), ("rack/time", 0.5), ("pump/time", 0.5), ("gpu/time", 1.0)):
            self.assertEqual(set(numpy.diff(file[clock][()])), {period}, clock)
        return Result(file)

    def recorded(self, result, equipment, at=AT):
        found = [e for e in result.events() if e["equipment"] == equipment and abs(e["time"] - at) < 1e-3]
        self.assertTrue(found, f"no event of {equipment} at {at} s in {result.events()}")
        for event in found:
            self.assertTrue(event["actor"], event)
            self.assertTrue(event["cause"], event)
            self.assertTrue(event["text"], event)
        return found[0]

    def test_one_pump_of_a_loop_of_six_is_made_up_for_by_the_others(self):
        result = self.run_events(["{at: 1 min, target: tcs1-P11, do: trip}"])
        self.recorded(result, "tcs1-P11")
        time, speed = result.of("pump", "speed", "tcs1-P11")
        self.assertGreater(speed[time == AT][0], 0.5)
        self.assertLess(speed[-1], 0.05)
        self.assertGreaterEqual(float(numpy.min(numpy.diff(-speed[time >= AT]))), -1e-6, "a tripped pump speeds up")
        _, running = result.of("pump", "running", "tcs1-P11")
        self.assertEqual(running[-1], 0)
        _, flow = result.of("pump", "flow", "tcs1-P11")
        self.assertLess(abs(flow[-1]), 0.02 * flow[0], "the non-return valve leaks")
        _, other = result.of("pump", "speed", "tcs1-P21")
        self.assertGreater(other[-1], other[0] + 0.01, "the others do not speed up")
        _, rack = result.of("rack", "flow", "A01")
        self.assertAlmostEqual(rack[-1] / rack[0], 1.0, delta=0.01, msg="the loop's pressure is not restored")
        _, far = result.of("rack", "flow", "H08")
        self.assertLess(float(numpy.max(numpy.abs(far / far[0] - 1.0))), 1e-3, "another loop takes notice")
        self.assertEqual(int(result.file["rack/throttled"][()].max()), 0)

    def test_without_flow_the_two_rows_of_a_loop_throttle_and_no_others(self):
        result = self.run_events([f"{{at: 1 min, target: [{', '.join(LOOP_1)}], do: trip}}"])
        for pump in LOOP_1:
            self.recorded(result, pump)
        time, flow = result.of("rack", "flow", "A01")
        self.assertLess(flow[-1], 0.05 * flow[0])
        # Flow falls as the pumps run down; without forced flow the plates' coolant heats up in seconds.
        ended = time[numpy.argmax(flow < 0.25 * flow[0])]
        _, throttled = result.of("rack", "throttled", "A01")
        self.assertGreater(throttled.max(), 0, "nothing throttles")
        first = time[numpy.argmax(throttled > 0)]
        print(f"A01: flow below a quarter at {ended:g} s, first throttle at {first:g} s, hottest "
              f"{result.of('rack', 'gpu_t_junction_max', 'A01')[1].max() - ZERO_CELSIUS:.1f} degC")
        self.assertGreater(first, AT)
        self.assertLessEqual(first - ended, 10.0, "throttles late")
        self.assertGreaterEqual(first - AT, 2.0, "throttles before the flow can have gone")
        ids = texts(result.file["rack/id"][()])
        most = result.file["rack/throttled"][()].max(axis=0)
        for k, identity in enumerate(ids):
            self.assertEqual(most[k] > 0, identity[0] in "AB", f"{identity}: {most[k]} GPUs throttled")
        times, power = result.of("rack", "power", "A01")
        self.assertLess(power[-1], power[0], "a throttled rack draws as much as before")
        _, far = result.of("rack", "gpu_t_junction_max", "H08")
        self.assertLess(float(numpy.ptp(far)), 1.0, "another loop takes notice")
        _, hottest = result.of("rack", "gpu_t_junction_max", "A01")
        self.assertGreater(hottest.max(), 87.0 + ZERO_CELSIUS - 0.5)
        occurrences = [e for e in result.events() if e["time"] > AT]
        self.assertTrue(any(e["equipment"].startswith(("A", "B")) for e in occurrences), "throttling leaves no event")

    def test_long_without_flow_every_chip_shuts_down_and_none_runs_away(self):
        result = self.run_events([f"{{at: 1 min, target: [{', '.join(LOOP_1)}], do: trip}}"], duration="20 min")
        for group, limit in (("gpu", 95.0), ("cpu", 105.0), ("nvlink_tray", 105.0)):
            hottest = result.file[group]["t_junction"][()].max() - ZERO_CELSIUS
            print(f"{group}: {hottest:.1f} degC")
            self.assertLess(hottest, limit + 8.0, f"{group} has no protection that holds it")
        texts_of_a01 = " | ".join(e["text"] for e in result.events() if e["equipment"] == "A01")
        for part in ("GPU(s) shut down", "CPU(s) shut down", "NVLink tray(s) shut down"):
            self.assertIn(part, texts_of_a01)
        for name in ("cpu_t_junction_max", "nvlink_tray_t_junction_max"):
            self.assertGreater(float(result.file["summary"][name][()]), 95.0 + ZERO_CELSIUS, name)
        alarms = texts(result.file["alarms/equipment"][()])
        self.assertTrue(any(a.endswith("-C") for a in alarms) and any("-S" in a for a in alarms), "CPUs or NVLink trays raise no alarm")

    def test_the_standby_pump_of_facility_water_starts_in_time(self):
        result = self.run_events(["{at: 1 min, target: fws-P1, do: trip}"])
        self.recorded(result, "fws-P1")
        time, running = result.of("pump", "running", "fws-P3")
        self.assertEqual(running[0], 0)
        self.assertEqual(running[-1], 1, "the standby pump does not run")
        started = time[numpy.argmax(running > 0)]
        self.assertGreaterEqual(started, AT)
        self.assertLessEqual(started - AT, 6.0, "the standby pump starts late")
        _, speed = result.of("pump", "speed", "fws-P3")
        self.assertGreater(speed[-1], 0.8)
        starts = [e for e in result.events() if e["equipment"] in ("fws-P3", "fws-SEQ")]
        self.assertTrue(starts, f"the start leaves no event: {result.events()}")
        _, flow = result.of("pump", "flow", "fws-P3")
        _, before = result.of("pump", "flow", "fws-P1")
        self.assertAlmostEqual(flow[-1] / before[0], 1.0, delta=0.1)
        self.assertEqual(int(result.file["rack/throttled"][()].max()), 0)

    def test_racks_run_on_their_other_feed_when_a_block_trips(self):
        result = self.run_events(["{at: 1 min, target: UPS-1, do: trip}"])
        self.recorded(result, "UPS-1")
        _, energised = result.of("bus", "energised", "UPSB-1")
        self.assertEqual((energised[0], energised[-1]), (1, 0))
        _, power = result.of("rack", "power", "A01")
        # Four shelves give 132 kW DC at 96.6 %: the rack holds itself to that.
        held = 132e3 / 0.966
        self.assertAlmostEqual(power[-1], held, delta=50.0, msg="the rack lost power")
        _, feeds = result.of("rack", "feeds_live", "A01")
        self.assertEqual((feeds[0], feeds[-1]), (2, 1))
        _, load = result.of("bus", "load", "BW-A-A")
        _, other = result.of("bus", "load", "BW-A-B")
        self.assertEqual(load[-1], 0.0)
        self.assertAlmostEqual(other[-1] / other[0], 2.0 * held / power[0], delta=0.02)
        _, it = result.facility("it_power")
        # Four of eight rows hang on the block.
        self.assertAlmostEqual(it[0] - it[-1], 32.0 * (power[0] - held), delta=5e3)
        for block in ("UPS-2", "UPS-3", "UPS-4"):
            _, load = result.of("ups", "load", block)
            self.assertGreater(load[-1], load[0] * 1.05, f"{block} takes over nothing")
        _, load = result.of("ups", "load", "UPS-1")
        self.assertEqual(load[-1], 0.0)
        _, loss = result.of("ups", "loss", "UPS-1")
        self.assertEqual(loss[-1], 0.0)
        # The loop's pump of that block is out, its unit stands by.
        _, running = result.of("pump", "running", "tcs1-P11")
        self.assertEqual(running[-1], 0)

    def test_a_valve_that_sticks_stays_where_it_is_told(self):
        result = self.run_events(['{at: 1 min, target: CDU-11-valve, do: stick, with: {position: 10 %}}'], duration="4 min")
        self.recorded(result, "CDU-11-valve")
        time, position = result.of("valve", "position", "CDU-11-valve")
        self.assertGreater(position[0], 0.3)
        self.assertAlmostEqual(position[-1], 0.10, delta=0.01)
        # Stroke of 120 s: never faster.
        self.assertLessEqual(float(numpy.max(numpy.abs(numpy.diff(position) / numpy.diff(time)))), 1.0 / 120.0 + 1e-4)
        _, supply = result.of("cdu", "t_supply", "CDU-11")
        self.assertGreater(supply[-1], supply[0] + 1.0, "less facility water does not warm the unit's supply")
        _, heat = result.of("cdu", "heat", "CDU-11")
        self.assertLess(heat[-1], 0.9 * heat[0])
        _, other = result.of("cdu", "heat", "CDU-12")
        self.assertGreater(other[-1], other[0], "the other units take nothing over")

    def test_what_is_stuck_obeys_no_order_until_it_is_restored(self):
        stuck = {"FV-1": ("valve", "position"), "CDU-11-valve": ("valve", "position"), "tcs1-P11": ("pump", "speed"),
                 "DC-1": ("dry_cooler", "speed"), "FW-1": ("fan_wall", "speed")}
        ids = "[" + ", ".join(stuck) + "]"
        events = [f"{{at: 20 s, target: {ids}, do: stick}}", f"{{at: 40 s, target: {ids}, do: close}}",
                  f"{{at: 160 s, target: {ids}, do: restore}}"]
        result = self.run_events(events, duration="5 min")
        for identity, (group, signal) in stuck.items():
            time, value = result.of(group, signal, identity)
            self.recorded(result, identity, 40.0)
            held = value[(time >= 20.0) & (time <= 160.0)]
            self.assertGreater(held[0], 0.05, identity)
            self.assertLess(float(numpy.ptp(held)), 1e-3, f"{identity} moves though it is stuck")
            self.assertLess(value[-1], 0.02, f"{identity} has forgotten what it was asked")

    def test_a_unit_that_trips_stops_its_pumps_and_closes_its_valve_and_comes_back(self):
        result = self.run_events(["{at: 1 min, target: CDU-11, do: trip}", "{at: 5 min, target: CDU-11, do: restore}"],
                                 duration="12 min")
        self.recorded(result, "CDU-11")
        time, heat = result.of("cdu", "heat", "CDU-11")
        stopped = (time > 290.0) & (time < 300.0)
        self.assertLess(float(numpy.max(numpy.abs(heat[stopped]))), 0.02 * heat[0], "the unit carries heat though tripped")
        for pump in ("tcs1-P11", "tcs1-P12"):
            at, running = result.of("pump", "running", pump)
            self.assertEqual(set(running[(at > 60.0) & (at < 300.0)]), {0}, pump)
            self.assertEqual(running[-1], 1, pump)
        at, position = result.of("valve", "position", "CDU-11-valve")
        self.assertLess(position[(at > 290.0) & (at < 300.0)].max(), 0.02, "its valve stays open")
        self.assertAlmostEqual(heat[-1] / heat[0], 1.0, delta=0.1)

    def test_an_exchanger_out_of_service_passes_neither_flow_nor_heat(self):
        result = self.run_events(["{at: 1 min, target: CDU-11-hx, do: isolate}"])
        _, heat = result.of("heat_exchanger", "heat", "CDU-11-hx")
        self.assertGreater(heat[0], 1e5)
        self.assertEqual(heat[-1], 0.0)
        for side in ("flow_hot", "flow_cold"):
            self.assertLess(abs(result.of("heat_exchanger", side, "CDU-11-hx")[1][-1]), 1e-9, side)

    def test_a_drifting_sensor_misleads_its_controller_and_the_truth_is_recorded(self):
        result = self.run_events(["{at: 1 min, target: CDU-11-TT, do: drift, with: {offset: -3 K}}"], duration="10 min")
        self.recorded(result, "CDU-11-TT")
        _, value = result.of("sensor", "value", "CDU-11-TT")
        _, true = result.of("sensor", "true", "CDU-11-TT")
        self.assertLess(abs(value[0] - true[0]), 0.05)
        self.assertAlmostEqual(value[-1] - true[-1], -3.0, delta=0.2)
        self.assertGreater(true[-1], true[0] + 1.0, "the controller is not misled")
        self.assertLess(abs(value[-1] - value[0]), 1.0, "the controller does not hold what it sees")
        _, position = result.of("valve", "position", "CDU-11-valve")
        self.assertLess(position[-1], position[0] - 0.02)

    def test_a_conditional_event_happens_when_its_condition_has_held_and_once(self):
        result = self.run_events([f"{{at: 1 min, target: [{', '.join(LOOP_1)}], do: trip}}",
                                  '{when: "max(gpu[*].t_junction) > 85.7 degC", for: 1 s, target: "group:row-A", do: trip}'], duration="90 s")
        time, hottest = result.file["gpu/time"][()], result.file["gpu/t_junction"][()].max(axis=1)
        self.assertLess(hottest[0], CONDITION)
        crossed = time[numpy.argmax(hottest > CONDITION)]
        trips = [e for e in result.events() if e["equipment"] == "A01" and "trip" in e["text"]]
        self.assertEqual(len(trips), 1, result.events()[-5:])
        self.assertGreaterEqual(trips[0]["time"], crossed - 1.0 + HELD - 1e-6)
        self.assertLessEqual(trips[0]["time"], crossed + HELD + 1.0)
        self.assertIn("t_junction", trips[0]["cause"])
        for rack in (f"A{k:02d}" for k in range(1, 9)):
            self.assertEqual(result.of("rack", "power", rack)[1][-1], 0.0, rack)
        self.assertGreater(result.of("rack", "power", "B01")[1][-1], 0.0)

    def test_equipment_that_comes_back_goes_on(self):
        result = self.run_events(["{at: 1 min, target: tcs1-P11, do: trip}", "{at: 90 s, target: tcs1-P11, do: restore}"],
                                 duration="4 min")
        self.recorded(result, "tcs1-P11", 90.0)
        _, speed = result.of("pump", "speed", "tcs1-P11")
        self.assertAlmostEqual(speed[-1], speed[0], delta=0.02)


if __name__ == "__main__":
    unittest.main()
