"""Coolant that enters and leaves a circuit at boundary nodes is in the energy books, whichever node makes up the difference."""
import unittest

import h5py

from support import Case, scenario

PLANT = """podtwin: pod/1
title: one rack, one pump, a reference node that makes up for what crosses the boundary elsewhere
circuits:
  tcs: {fluid: PG25, reference: {node: ret, pressure: 200 kPa}}
nodes:
  sup: {volume: 0.5 m3}
  ret: {temperature: 30 degC}
NODES
equipment:
  P-1: {class: pump, head_curve: [[0 L/min, 300 kPa], [400 L/min, 200 kPa]], from: ret, to: header, supply: MSB}
  pipe: {class: resistance, from: header, to: sup, dp: 20 kPa, flow: 500 L/min}
  A01: {class: rack, from: sup, to: ret, feeds: [BW-1, BW-1], air: hall}
  hall: {class: zone, volume: 100 m3}
  wall: {class: heat_resistance, a: hall, b: ambient, resistance: 0.1 K/kW}
  GRID: {class: utility, to: MSB, rating: 1 MW}
  BW-1: {class: busway, from: MSB, to: BW-1, rating: 1600 A}
EQUIPMENT
"""
SECOND = "  rr: {class: resistance, from: out, to: sup, dp: 20 kPa, flow: 50 L/min}"
BALANCE = 1e-9  # of throughput; what is left out would be a fifth of it


class Boundaries(Case):
    def closes(self, nodes, equipment="", least_crossing=0.0):
        pod = self.write("pod.yaml", PLANT.replace("NODES", nodes).replace("EQUIPMENT", equipment))
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", scenario("100 kW", "30 degC", "2 min", pod=pod)), "-o", path, "--force", "--quiet")
        with h5py.File(path) as file:
            balance = {name: float(item[()]) for name, item in file["balance"].items()}
        self.assertLess(abs(balance["energy_error_relative"]), BALANCE, balance)
        self.assertGreater(abs(balance["energy_to_boundaries"]), least_crossing, balance)

    def test_a_stated_inflow(self):
        self.closes("  header: {inflow: 10 L/min}", least_crossing=1e6)

    def test_a_stated_outflow(self):
        self.closes("  header: {inflow: -10 L/min}", least_crossing=1e6)

    def test_two_held_pressures_at_different_temperatures(self):
        self.closes("  out: {temperature: 10 degC, pressure: 300 kPa}", SECOND, least_crossing=1e6)

    def test_a_closed_circuit(self):
        self.closes("")


if __name__ == "__main__":
    unittest.main()
