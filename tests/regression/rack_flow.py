"""Flow, pressure drop and chip temperatures of a rack against pod-design sections 2.1 and 2.2."""
import unittest

from support import Case, LITRE_PER_MINUTE, SOURCE, ZERO_CELSIUS, scenario, table

# Lenovo LP2357 table 27 (pod-design 2.1): supply temperature [degC], required flow [L/min], rack pressure drop [kPa].
# The law in the product stands on the outer two points; the others are predictions.
TABLE = ((25, 59, 15.9), (30, 71, 22.1), (35, 89, 33.8), (40, 119, 58.6), (45, 177, 126.9))
TABLE_POWER = "135 kW"
LOW_POWER = "60 kW"  # for the pressure-drop law, in which power has no part
TOLERANCE = 0.05
# pod-design 2.2: case temperature of a 1,400 W GPU at that supply temperature and the table's flow.
CASE_TEMPERATURE = {25: 65, 30: 67, 35: 69, 40: 71, 45: 73}


def pod(temperature, dp):
    """A rack between two boundaries that hold supply temperature and pressure difference."""
    return f"""podtwin: pod/1
title: One rack
use: [{SOURCE / 'data/catalogue/gb300-pod.yaml'}]
circuits:
  tcs: {{fluid: PG25, property_temperature: 47 degC}}
nodes:
  supply: {{pressure: {dp} kPa, temperature: {temperature} degC}}
  return: {{pressure: 0 kPa, temperature: {temperature} degC}}
equipment:
  A01: {{type: gb300_nvl72, from: supply, to: return}}
"""


class RackFlow(Case):
    def rack(self, temperature, dp, power):
        path = self.write(f"pod-{temperature}-{dp}.yaml", pod(temperature, dp))
        return self.steady(f"steady-{temperature}-{dp}", scenario(power, pod=path))

    def test_published_flow_follows_from_published_pressure_drop(self):
        for temperature, flow, dp in TABLE:
            with self.subTest(temperature=temperature):
                rack = table(self.rack(temperature, dp, LOW_POWER), "rack")["A01"]
                self.assertLessEqual(abs(rack["dp"] / (dp * 1e3) - 1.0), 1e-6)
                # dp ~ Q^1.9: a tolerance on dp at a flow is one on flow at a dp divided by that; this is the stricter.
                self.assertLessEqual(abs(rack["flow"] / (flow * LITRE_PER_MINUTE) - 1.0), TOLERANCE / 1.9)

    def test_required_flow_is_the_published_one_at_rated_power(self):
        for temperature, flow, dp in TABLE[:-1]:
            with self.subTest(temperature=temperature):
                rack = table(self.rack(temperature, dp, TABLE_POWER), "rack")["A01"]
                self.assertAlmostEqual(rack["t_supply"], temperature + ZERO_CELSIUS, delta=0.01)
                self.assertLessEqual(abs(rack["flow_required"] / (flow * LITRE_PER_MINUTE) - 1.0), TOLERANCE)
                self.assertAlmostEqual(rack["flow_margin"], rack["flow"] - rack["flow_required"], delta=1e-9)

    def test_case_temperatures_are_those_of_the_design_page(self):
        for temperature, _, dp in TABLE[:-1]:
            folder = self.rack(temperature, dp, TABLE_POWER)
            gpus = table(folder, "gpu")
            hottest = max(gpu["t_case"] for gpu in gpus.values()) - ZERO_CELSIUS
            power = max(gpu["power"] for gpu in gpus.values())
            print(f"{temperature} degC: {power:.0f} W, case {hottest:.2f} degC, design page {CASE_TEMPERATURE[temperature]}")
            with self.subTest(temperature=temperature):
                self.assertLessEqual(abs(hottest - CASE_TEMPERATURE[temperature]), 5.0)

    def test_at_45_degrees_the_rack_still_has_an_operating_point(self):
        # The warmest column of the maker's table: junctions are at 87 degC there, where throttling begins (pod-design 2.2).
        temperature, flow, dp = TABLE[-1]
        folder = self.rack(temperature, dp, TABLE_POWER)
        rack = table(folder, "rack")["A01"]
        self.assertLessEqual(abs(rack["flow_required"] / (flow * LITRE_PER_MINUTE) - 1.0), TOLERANCE)
        hottest = max(gpu["t_case"] for gpu in table(folder, "gpu").values()) - ZERO_CELSIUS
        self.assertLessEqual(abs(hottest - CASE_TEMPERATURE[temperature]), 5.0)

    def test_the_pod_gives_every_rack_what_its_maker_requires_at_142_kilowatts(self):
        folder = self.steady("pod", scenario("142 kW", "35 degC"))
        racks = table(folder, "rack")
        self.assertEqual(len(racks), 64)
        for identity, rack in racks.items():
            self.assertAlmostEqual(rack["t_supply"], 40.0 + ZERO_CELSIUS, delta=0.1, msg=identity)
            self.assertGreaterEqual(rack["flow_margin"], 0.0, identity)
            self.assertEqual(rack["throttled"], 0.0, identity)
        gpus = table(folder, "gpu")
        self.assertEqual(len(gpus), 64 * 72)
        for identity, gpu in gpus.items():
            self.assertAlmostEqual(gpu["power"], 1400.0, delta=1.0, msg=identity)
            self.assertTrue(66.0 <= gpu["t_case"] - ZERO_CELSIUS <= 76.0, f"{identity}: {gpu['t_case']} K")


if __name__ == "__main__":
    unittest.main()
