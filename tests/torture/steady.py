"""`podtwin steady` from cold and without hints in the states of failure, and plants that have no steady state."""
import csv
import math
import unittest

from support import KELVIN, LITRE, Torture, circuit, pod, scenario, series_flow, side_by_side

DESIGN = "design: {rack_power: 0 kW, weather: {dry_bulb: 20 degC, relative_humidity: 40 %}}\n"
PUMP = "class: pump, head_curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], start_speed: 100 %"


class Steady(Torture):
    def tables(self, plant, *arguments):
        (self.folder / "pod.yaml").write_text(plant + DESIGN, encoding="utf-8")
        self.podtwin("steady", "pod.yaml", "--csv", "out", *arguments)
        rows = {}
        for path in (self.folder / "out").glob("*.csv"):
            with open(path, newline="", encoding="utf-8") as file:
                lines = list(csv.reader(file))
            head = [column.split(" [")[0] for column in lines[0]]
            for line in lines[1:]:
                for name, text in zip(head[1:], line[1:]):
                    try:
                        figure = float(text)
                    except ValueError:
                        continue  # a unit or a name
                    self.assertTrue(math.isfinite(figure), f"{path.name}: {line[0]} {name}")
                    rows.setdefault(line[0], {})[name] = figure
        return rows

    PLANT = pod(f"""  "P[1-3]": {{{PUMP}, from: ret, to: sup}}
  "V[1-2]": {{class: balancing_valve, from: sup, to: hot, kv: 4 L/s}}
  R: {{class: resistance, from: hot, to: ret, dp: 2 kPa, flow: 1 L/s}}
  X: {{class: plate_heat_exchanger, hot: [ret, end], cold: [cold, warm], ua: 8 kW/K, hot_flow: 1 kg/s, cold_flow: 1 kg/s, hot_exponent: 0, cold_exponent: 0}}
  F: {{class: fixed_flow, from: end, to: ret, flow: 1 kg/s}}
  W: {{class: fixed_flow, from: water, to: cold, flow: 1 kg/s}}
  D: {{class: resistance, from: warm, to: drain, dp: 1 kPa, flow: 1 L/s}}
  Q: {{class: heat_source, to: hot, power: 20 kW}}
""", "  water: {pressure: 100 kPa, temperature: 15 degC}\n  drain: {temperature: 15 degC}\n", circuit() + circuit("c", node="drain", pressure="50 kPa"))

    @scenario("A10, B17", "every number of pumps from three to one out of service, from cold each time: flow and heat balance", by_hand=True)
    def test_pumps_out(self):
        for running in (3, 2, 1):
            out = [f"P{i}.in_service=false" for i in range(running + 1, 4)]
            rows = self.tables(self.PLANT, *[word for each in out for word in ("--set", each)])
            flow = series_flow(300.0, 1.0 / running ** 2, side_by_side(100.0 / 16.0, 100.0 / 16.0), 2.0)
            self.near(rows["R"]["flow"], flow * LITRE, 1e-5, message=f"{running} pumps")
            pumps = sum(rows[f"P{i}"]["power"] for i in range(1, 4))
            self.near(rows["X"]["heat"], 20e3 + pumps, 1e-4)
            # both sides 4 kW/K, NTU 2: effectiveness 2/3; hot inlet is the return
            inlet = (20e3 + pumps) / (2.0 / 3.0 * 4e3) + 15.0
            self.near(rows["ret"]["t"] - KELVIN, inlet, 1e-4)

    @scenario("A7, A11", "one of two valves shut, then the other, each from cold", by_hand=True)
    def test_valves_shut(self):
        for shut in (1, 2):
            rows = self.tables(self.PLANT, "--set", f"V{shut}.setting=0")
            self.assertEqual(rows[f"V{shut}"]["flow"], 0.0)
            self.near(rows["R"]["flow"], series_flow(300.0, 1.0 / 9.0, 100.0 / 16.0, 2.0) * LITRE, 1e-5)

    @scenario("A4, B17", "heat that has no way out: told which unknown still rises, exit status 1, nothing written")
    def test_heat_without_a_way_out(self):
        plant = pod(f"""  P: {{{PUMP}, from: ret, to: sup}}
  R: {{class: resistance, from: sup, to: ret, dp: 2 kPa, flow: 1 L/s}}
  Q: {{class: heat_source, to: sup, power: 20 kW}}
""", circuits=circuit())
        (self.folder / "pod.yaml").write_text(plant + DESIGN, encoding="utf-8")
        done = self.podtwin("steady", "pod.yaml", "--csv", "out", status=1)
        self.assertRegex(done.stderr, r"no steady state was found[^\n]*\n\s+(sup|ret)\.t changes")
        self.assertFalse((self.folder / "out").exists() and any((self.folder / "out").iterdir()))

    @scenario("A4, A7", "no heat, no pump, every valve shut: pressures of the reference, all at the start's temperature", by_hand=True)
    def test_everything_off(self):
        plant = pod(f"""  "P[1-2]": {{{PUMP}, from: ret, to: sup, in_service: false}}
  "V[1-2]": {{class: valve, from: sup, to: ret, kv: 4 L/s, in_service: false}}
""", circuits=circuit())
        rows = self.tables(plant)
        for name in ("P1", "P2", "V1", "V2"):
            self.assertEqual(rows[name]["flow"], 0.0)
        self.near(rows["ret"]["p"], 200e3, 1e-6)


if __name__ == "__main__":
    unittest.main()
