"""Both facility-water variants of practice.md 1.1: three-way bypass and two-way valve at the CDUs."""
import unittest

import h5py

from support import Case, SOURCE, ZERO_CELSIUS, scenario, table

THREE_WAY, TWO_WAY = (SOURCE / f"data/pods/{name}.yaml" for name in ("gb300-64", "gb300-64-two-way"))
TANK = 84.0  # m3
FACTOR = 250e3 / 0.72  # W a m3/s: pumps at 250 kPa, 72 % (pod-design 9.1, 9.2)


class FacilityWater(Case):
    def figures(self, name, pod):
        folder = self.steady(name, scenario(pod=pod))
        node, pump = table(folder, "node"), table(folder, "pump")
        flow = table(folder, "tank")["BT-1"]["flow"]
        return {
            "flow": 1e3 * flow,
            "return": node["fws-return"]["t"] - ZERO_CELSIUS,
            "supply": node["fws-supply"]["t"] - ZERO_CELSIUS,
            "pumps": sum(row["power"] for identity, row in pump.items() if identity.startswith("fws")) / 1e3,
            "tank": TANK / flow,
            "cooler inlet": node["fws-hot"]["t"] - ZERO_CELSIUS,
            "tcs": table(folder, "cdu")["CDU-11"]["t_supply"] - ZERO_CELSIUS,
            "ua": table(folder, "heat_exchanger")["CDU-11-hx"]["ua"] / 1e3,
            "trim": sum(row["heat"] for identity, row in table(folder, "chiller").items() if identity.startswith("TCH")) / 1e3,
            "facility": table(folder, "facility")["facility"]["facility_power"] / 1e3,
        }

    def test_five_figures_of_each(self):
        three, two = self.figures("three-way", THREE_WAY), self.figures("two-way", TWO_WAY)
        print(f"\n{'':14s}{'three-way':>12s}{'two-way':>12s}")
        for name in three:
            print(f"{name:14s}{three[name]:12.2f}{two[name]:12.2f}")
        for found, flow, t_return, tank in ((three, (196.0, 200.0), 46.0, 424.0), (two, (119.0, 126.0), 52.0, 682.0)):
            self.assertTrue(flow[0] <= found["flow"] <= flow[1], f"{found['flow']} L/s")
            self.assertAlmostEqual(found["supply"], 36.0, delta=0.05)
            self.assertAlmostEqual(found["return"], t_return, delta=0.3)
            self.assertAlmostEqual(found["tcs"], 40.0, delta=0.01)
            self.assertAlmostEqual(found["pumps"], 1e-3 * found["flow"] * FACTOR / 1e3, delta=0.2)
            self.assertAlmostEqual(found["tank"] / tank, 1.0, delta=0.01)
            # The coolers see the return, warmed by the pumps.
            warmed = found["pumps"] / (found["flow"] * 4.146)  # kW over L/s x kJ/(L K), pod-design 9.1
            self.assertAlmostEqual(found["cooler inlet"], found["return"] + warmed, delta=0.01)

    def test_tank_time_is_how_long_the_supply_stays_cold_without_coolers(self):
        """practice.md 6.2: 424 s plug flow, two-way variant 682 s."""
        for pod, expected in ((THREE_WAY, 424.0), (TWO_WAY, 682.0)):
            with self.subTest(pod=pod.name):
                path = self.folder / f"{pod.stem}.h5"
                stopped = "\"dry_cooler[*]\", \"chiller[TCH-*]\""
                text = scenario(duration=f"{expected + 120.0:.0f} s", events=[f"{{at: 1 min, target: [{stopped}], do: trip}}"], pod=pod,
                                extra="record:\n  - {class: tank, signals: [\"*\"], period: 1 s}\n")
                self.run_ok("run", self.write("run.yaml", text), "-o", path, "--quiet")
                with h5py.File(path) as file:
                    column = list(file["tank/id"].asstr()[()]).index("BT-1")
                    time, out = file["tank/time"][()], file["tank/t_out"][:, column].astype(float)
                warm = float(time[(time > 60.0) & (out > out[0] + 1.0)][0]) - 60.0
                print(f"\n{pod.stem}: tank outlet warm {warm:.0f} s after the loss of the coolers")
                self.assertAlmostEqual(warm / expected, 1.0, delta=0.03)


if __name__ == "__main__":
    unittest.main()
