"""Drives without supply: short losses are ridden through coasting, longer ones trip, and restarts catch the pump flying."""
import math
import unittest

import h5py

from support import Case

POD = """podtwin: pod/1
circuits:
  w: {fluid: water}
nodes:
  back: {pressure: 100 kPa, temperature: 20 degC}
equipment:
  GRID: {class: utility, to: B, rating: 1 MW}
  P1: {class: pump, from: back, to: dis, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], ramp_time: 10 s, coast_down: 3 s, start_speed: 80 %, supply: B, undervoltage_trip: 0.2 s, restart_delay: 4 s}
  P2: {like: P1, restart: manual}
  P3: {class: pump, from: back, to: dis, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], ramp_time: 10 s, coast_down: 3 s, start_speed: 80 %, supply: B}
  P4: {like: P3, undervoltage_trip: 2 s}
  load: {class: resistance, from: dis, to: back, dp: 100 kPa, flow: 20 L/s}
  TT: {class: sensor, measures: dis.t, drift_time: 1 h}
"""


# One of every other class with a drive, each tripped by a dip of 300 ms that falls between two samples.
OTHERS = """podtwin: pod/1
circuits:
  w: {fluid: water}
nodes:
  in: {pressure: 300 kPa, temperature: 40 degC}
  back: {pressure: 100 kPa, temperature: 20 degC}
equipment:
  GRID: {class: utility, to: B, rating: 1 MW}
  hall: {class: zone, volume: 500 m3}
  load: {class: heat_source, to: hall, power: 50 kW}
  FAN: {class: fan_wall, air: hall, from: back, to: in, flow: 5 L/s, supply: B, undervoltage_trip: 0.2 s, restart_delay: 4 s}
  DRY: {class: dry_cooler, from: in, to: back, ua: 20 kW/K, air_flow: 20 kg/s, flow: 4 kg/s, supply: B, undervoltage_trip: 0.2 s, restart_delay: 4 s}
  TOW: {class: cooling_tower, from: in, to: back, flow: 4 kg/s, air_flow: 2.6 m3/s, fan_power: 1 kW, supply: B, undervoltage_trip: 0.2 s, restart_delay: 4 s}
  DOOR: {class: rear_door_exchanger, air: hall, from: in, to: back, ua: 2 kW/K, air_flow: 2 kg/s, flow: 1 kg/s, fan_power: 500 W, supply: B, undervoltage_trip: 0.2 s, restart_delay: 4 s}
  HXU: {class: liquid_to_air_exchanger, air: hall, from: in, to: back, ua: 2 kW/K, air_flow: 2 kg/s, flow: 1 kg/s, fan_power: 500 W, supply: B, undervoltage_trip: 0.2 s, restart_delay: 4 s}
  CH: {class: chiller, from: in, to: back, capacity: 400 kW, set_point: 18 degC, flow: 4 L/s, supply: B, undervoltage_trip: 0.2 s, restart_delay: 10 s}
  CH2: {like: CH, restart: manual}
  CH3: {like: CH, undervoltage_trip: 0 s}
"""


class DriveSupply(Case):
    def test_every_class_with_a_drive_trips_and_restarts_as_a_pump(self):
        self.write("pod.yaml", OTHERS)
        text = ("podtwin: scenario/1\ntitle: supply\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: 60 s\n"
                "weather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nevents:\n"
                "  - {at: 10200 ms, target: GRID, do: trip}\n  - {at: 10500 ms, target: GRID, do: restore}\nrecord:\n" +
                "".join(f"  - {{class: {c}, signals: ['*'], period: 1 s}}\n" for c in
                        ("fan_wall", "dry_cooler", "cooling_tower", "rear_door_exchanger", "liquid_to_air_exchanger", "chiller")))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
            events = [(round(float(t), 6), who, text) for t, who, text in
                      zip(file["events/time"][()], file["events/equipment"].asstr()[()], file["events/text"].asstr()[()])]
            fans = {"fan_wall": "FAN", "dry_cooler": "DRY", "cooling_tower": "TOW", "rear_door": "DOOR", "liquid_to_air": "HXU"}
            for group, name in fans.items():
                self.assertIn((10.4, name, "drive trip"), events)
                self.assertIn((15.0, name, "drive restart"), events)
                speed, power = file[group]["speed"][:, 0].astype(float), file[group]["power"][:, 0].astype(float)
                self.assertEqual(power[12], 0.0, name)
                self.assertGreater(speed[14], 0.05, name)  # still coasting: it is caught there
                self.assertGreater(speed[16], speed[15], name)
                self.assertAlmostEqual(speed[59], speed[9], delta=0.02, msg=name)
            running = {name: file["chiller"]["running"][:, k] for k, name in enumerate(file["chiller/id"].asstr()[()])}
            self.assertIn((10.4, "CH", "drive trip"), events)
            self.assertFalse([e for e in events if e[1] == "CH3" and "drive" in e[2]], events)
            self.assertEqual([bool(running["CH"][t]) for t in (9, 12, 18, 59)], [True, False, False, True])
            self.assertEqual([bool(running["CH2"][t]) for t in (9, 12, 59)], [True, False, False])
            self.assertTrue(all(running["CH3"][12:60]), "a dip that no sample sees stops none without the trip")

    def play(self, *events, duration="30 s"):
        self.write("pod.yaml", POD)
        text = ("podtwin: scenario/1\ntitle: supply\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: " + duration +
                "\nweather: {dry_bulb: 20 degC, relative_humidity: 40 %}\nevents:\n" + "".join(f"  - {e}\n" for e in events) +
                'record:\n  - {class: pump, signals: ["*"], period: 0.1 s}\n  - {class: sensor, signals: ["*"], period: 1 s}\n')
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet")
        with h5py.File(path) as file:
            self.assertLess(abs(float(file["balance/energy_error_relative"][()])), 1e-6)
            ids = list(file["pump/id"].asstr()[()])
            self.pumps = {i: {s: file["pump"][s][:, k].astype(float) for s in ("speed", "power", "running")} for k, i in enumerate(ids)}
            self.sensor = {s: file["sensor"][s][:, 0].astype(float) for s in ("value", "true")}
            return [(round(float(t), 6), who, text) for t, who, text in
                    zip(file["events/time"][()], file["events/equipment"].asstr()[()], file["events/text"].asstr()[()])]

    def speed(self, pump, time):
        return float(self.pumps[pump]["speed"][round(10 * time)])

    def test_a_dip_of_150_ms_is_ridden_through(self):
        events = self.play("{at: 10200 ms, target: GRID, do: trip}", "{at: 10350 ms, target: GRID, do: restore}")
        self.assertFalse([e for e in events if "drive" in e[2]], events)
        for pump in ("P1", "P2", "P3", "P4"):
            self.assertAlmostEqual(self.speed(pump, 10.3), 0.8 * math.exp(-0.1 / 3.0), delta=1e-3)
            self.assertEqual(self.pumps[pump]["power"][103], 0.0)
            self.assertGreater(self.speed(pump, 13.0), 0.79)

    def test_a_dip_of_300_ms_trips_a_drive_of_200_ms_between_two_seconds(self):
        events = self.play("{at: 10200 ms, target: GRID, do: trip}", "{at: 10500 ms, target: GRID, do: restore}")
        drives = [e for e in events if "drive" in e[2]]
        # Trip 0.2 s after 10.2 s. Restart: 4 s after 10.5 s, at the next base period.
        self.assertEqual(drives, [(10.4, "P1", "drive trip"), (10.4, "P2", "drive trip"), (15.0, "P1", "drive restart")])
        self.assertAlmostEqual(self.speed("P1", 15.0), 0.8 * math.exp(-4.8 / 3.0), delta=1e-3)
        # Flying: it goes on from there, no faster than its ramp.
        self.assertAlmostEqual(self.speed("P1", 16.0), self.speed("P1", 15.0) + 0.1, delta=2e-3)
        self.assertAlmostEqual(self.speed("P1", 30.0), 0.8, delta=1e-3)
        self.assertLess(self.speed("P2", 30.0), 0.01)
        self.assertGreater(self.speed("P3", 14.0), 0.79)

    def test_one_that_waits_for_restore_is_restored(self):
        events = self.play("{at: 5 s, target: GRID, do: trip}", "{at: 8 s, target: GRID, do: restore}", "{at: 9 s, target: P2, do: restore}",
                           "{at: 20 s, target: GRID, do: trip}", "{at: 23 s, target: GRID, do: restore}")
        tripped = [(t, who) for t, who, text in events if text == "drive trip"]
        self.assertEqual([who for t, who in tripped if t < 10.0], ["P1", "P2", "P4"])
        self.assertEqual([who for t, who in tripped if t > 10.0], ["P1", "P2", "P4"])
        self.assertAlmostEqual(self.speed("P2", 19.9), 0.8, delta=1e-3)

    def test_a_drift_of_3_k_an_hour_builds_up(self):
        self.play("{at: 10 s, target: TT, do: drift, with: {offset: -3 K}}", duration="2 h")
        deviation = self.sensor["value"] - self.sensor["true"]
        self.assertAlmostEqual(deviation[10 + 1200], -1.0, delta=2e-3)
        self.assertAlmostEqual(deviation[-1], -3.0, delta=1e-3)
        self.assertAlmostEqual(deviation[5], 0.0, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
