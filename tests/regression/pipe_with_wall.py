"""A pipe in plug flow whose wall stores heat, through the program: a step, a stop, a reversal, loss, states to go on from."""
import math
import unittest

import h5py
import numpy

from continuation import Continuation
from result_checks import complaints, ledger_error, of
from support import SOURCE, ZERO_CELSIUS, table

PLANTS = SOURCE / "tests/contract/plants"
DENSITY, SPECIFIC_HEAT = 1000.0, 4000.0  # kg/m3, J/(kg K): 1 kg/s carries 4 kW/K
FLUID = "{density: 1000 kg/m3, viscosity: 0.001 Pa.s, specific_heat: 4000 J/(kg.K), conductivity: 0.6 W/(m.K)}"
COLD, HOT = 20.0, 60.0  # degC
DIAMETER, LENGTH, FILM = 0.05, 30.0, 2000.0  # m, m, W/(m2 K)
WALL_DENSITY, WALL_HEAT = 8000.0, 500.0  # kg/m3, J/(kg K)
THIMBLE = 1e-6  # m3, of a node that hardly delays what passes it
SINGLE = 6e-5  # K; two units of single precision, which results are written in


class Pipe:
    """The figures of a pipe at a flow [kg/s]."""

    def __init__(self, flow=1.0, thickness=3e-3, film=FILM, loss=0.0):
        self.flow, self.thickness, self.film, self.loss = flow, thickness, film, loss
        self.conductance = film * math.pi * DIAMETER * LENGTH  # W/K
        self.coolant = DENSITY * SPECIFIC_HEAT * LENGTH * 0.25 * math.pi * DIAMETER**2  # J/K
        self.wall = WALL_DENSITY * WALL_HEAT * math.pi * (DIAMETER + thickness) * thickness * LENGTH
        self.transit = self.coolant / (abs(flow) * SPECIFIC_HEAT)  # s
        self.xi = self.conductance / (abs(flow) * SPECIFIC_HEAT)

    def eta(self, time):
        return self.conductance * (time - self.transit) / self.wall

    def text(self, more=""):
        return (f"{{class: pipe, from: in, to: end, model: plug, length: {LENGTH} m, diameter: {DIAMETER} m, "
                f"inner_film: {self.film} W/(m2.K), wall_thickness: {self.thickness} m, wall_density: {WALL_DENSITY} kg/m3, "
                f"wall_specific_heat: {WALL_HEAT} J/(kg.K), loss: {self.loss} W/K{more}}}")

    def step(self, time):
        """(coolant, wall) at the outlet as shares of a step at the inlet at 0 s."""
        if time <= self.transit:
            return 0.0, 0.0
        return anzelius_schumann(self.xi, self.eta(time))


def anzelius_schumann(xi, eta):
    """1 - exp(-eta) int_0^xi exp(-s) I0(2 sqrt(eta s)) ds by Gauss and Legendre over sqrt(s), and the wall's share."""
    nodes, weights = numpy.polynomial.legendre.leggauss(80)
    r = 0.5 * math.sqrt(xi) * (nodes + 1.0)
    inner = numpy.exp(-eta - r * r) * numpy.i0(2.0 * math.sqrt(eta) * r) * 2.0 * r
    coolant = 1.0 - 0.5 * math.sqrt(xi) * float(weights @ inner)
    return coolant, coolant - math.exp(-xi - eta) * float(numpy.i0(2.0 * math.sqrt(xi * eta)))


def parcels(pipe, changes, end, count):
    """Another scheme for what the closed form has not: whole parcels of coolant that stand beside whole pieces of wall,
    exchange heat as both do in place, and go on by one. `changes`: [(time, direction)]; returns (times, at the end that
    the coolant flows to)."""
    dt = pipe.transit / count
    a, b = pipe.conductance / pipe.coolant, pipe.conductance / pipe.wall
    kept = math.exp(-(a + b) * 0.5 * dt)
    coolant, wall = numpy.zeros(count), numpy.zeros(count)
    times, leaving = [], []

    def exchange():
        common = (b * coolant + a * wall) / (a + b)
        coolant[:] = common + (coolant - common) * kept
        wall[:] = common + (wall - common) * kept
    for k in range(round(end / dt)):
        forward = [way for time, way in changes if time <= k * dt + 1e-9][-1] > 0
        exchange()
        times.append((k + 0.5) * dt)
        leaving.append(coolant[-1] if forward else coolant[0])
        if forward:
            coolant[1:] = coolant[:-1].copy()
            coolant[0] = 1.0
        else:
            coolant[:-1] = coolant[1:].copy()
            coolant[-1] = 0.0
        exchange()
    return times, leaving


class PipeWithWall(Continuation):
    def pod(self, pipe, air=COLD, hot=HOT, backwards=False):
        text = pipe.text()
        if backwards:
            text = text.replace("from: in, to: end", "from: end, to: in")
        self.write("pod.yaml", f"podtwin: pod/1\ncircuits:\n  w: {{fluid: {FLUID}}}\nnodes:\n"
                   f"  in: {{pressure: 100 kPa, temperature: {hot} degC}}\n  out: {{pressure: 0 kPa, temperature: {COLD} degC}}\n"
                   f"  end: {{volume: {THIMBLE} m3}}\nequipment:\n  pipe: {text}\n  flow: {{class: fixed_flow, from: end, to: out, flow: {pipe.flow} kg/s}}\n"
                   f"design: {{rack_power: 0 kW, weather: {{dry_bulb: {air} degC, relative_humidity: 40 %}}}}\n")

    def run_pod(self, duration, events=(), air=COLD, method="cvode", rtol="1e-8", start="cold", ledger=1e-9):
        text = (f"podtwin: scenario/1\npod: pod.yaml\nstart: 2026-07-15T00:00:00Z\nduration: {duration} s\nfrom: {start}\n"
                f"weather: {{dry_bulb: {air} degC, relative_humidity: 40 %}}\nsolver: {{method: {method}, rtol: {rtol}}}\n"
                "record:\n  - {class: pipe, signals: ['*'], period: 1 s}\n")
        if events:
            text += "events:\n" + "".join(f"  - {event}\n" for event in events)
        path = self.folder / "out.h5"
        self.run_ok("run", self.write("run.yaml", text), "-o", path, "--force", "--quiet")
        self.assertEqual(complaints(path), {})
        with h5py.File(path) as file:
            self.assertLess(abs(ledger_error(file)), ledger)
            return {s: of(file, "pipe", s, "pipe") - (ZERO_CELSIUS if s in ("t_out", "t_wall") else 0.0)
                    for s in ("t_out", "t_wall", "loss", "flow")}

    def test_a_step_is_that_of_anzelius_and_schumann(self):
        for pipe, backwards in ((Pipe(1.3), False), (Pipe(1.3), True), (Pipe(0.9, film=5000.0), False), (Pipe(2.0, 1e-3, 400.0), False)):
            self.pod(pipe, backwards=backwards)
            end = math.ceil(pipe.transit) + 45
            seen = self.run_pod(end)
            worst = max(max(abs(seen[s][k] - COLD - (HOT - COLD) * pipe.step(k)[i]) for k in range(end + 1))
                        for i, s in enumerate(("t_out", "t_wall")))
            print(f"xi {pipe.xi:.2f}, eta to {pipe.eta(end):.1f}{' backwards' if backwards else ''}: worst {worst:.1e} K of {HOT - COLD:g} K")
            # the error of the scheme is about (exchange units / pieces)^2 of the step
            self.assertLess(worst, SINGLE + (HOT - COLD) * 1e-5 * max(1.0, (pipe.xi / 2.0)**2))

    def test_every_method_finds_the_same_step(self):
        pipe = Pipe()
        self.pod(pipe)
        for method in ("arkode", "cvode", "rosenbrock"):
            seen = self.run_pod(120, method=method, rtol="1e-4")
            worst = max(abs(seen["t_out"][k] - COLD - (HOT - COLD) * pipe.step(k)[0]) for k in range(121))
            print(f"{method} with 1e-4: worst {worst:.1e} K")
            self.assertLess(worst, 0.02)

    def test_coolant_that_stops_meets_the_wall_at_their_common_temperature(self):
        pipe, stop = Pipe(), 80
        self.pod(pipe)
        seen = self.run_pod(160, [f"{{at: {stop} s, target: flow, do: set, with: {{flow: 0 kg/s}}}}"])
        coolant, wall = (COLD + (HOT - COLD) * share for share in pipe.step(stop))
        self.assertGreater(coolant - wall, 1.0)
        common = (pipe.coolant * coolant + pipe.wall * wall) / (pipe.coolant + pipe.wall)
        rate = pipe.conductance * (1.0 / pipe.coolant + 1.0 / pipe.wall)
        for k in range(stop + 1, 161):
            left = math.exp(-rate * (k - stop))
            self.assertAlmostEqual(seen["t_out"][k], common + (coolant - common) * left, delta=1e-3)
            self.assertAlmostEqual(seen["t_wall"][k], common + (wall - common) * left, delta=1e-3)

    def test_flow_that_reverses_brings_back_what_the_wall_has_kept(self):
        pipe = Pipe()
        self.pod(pipe)
        turn, back, end = 1.2 * pipe.transit, 2.2 * pipe.transit, 220  # whole parcels
        seen = self.run_pod(end, [f"{{at: {turn} s, target: flow, do: set, with: {{flow: {-pipe.flow} kg/s}}}}",
                                  f"{{at: {back} s, target: flow, do: set, with: {{flow: {pipe.flow} kg/s}}}}"])
        found = parcels(pipe, [(0, 1), (turn, -1), (back, 1)], end, 4000)
        expected = COLD + (HOT - COLD) * numpy.interp(numpy.arange(end + 1.0), *found)
        fronts = (pipe.transit, turn, back, turn + pipe.transit, back + pipe.transit)
        worst = max(abs(seen["t_out"][k] - expected[k]) for k in range(1, end) if all(abs(k - front) > 0.1 for front in fronts))
        print(f"reversals: worst {worst:.1e} K from parcels")
        self.assertLess(worst, 6e-3)

    def test_steady_loss_is_that_of_film_and_insulation_in_series_and_stays(self):
        for flow in (1.0, -1.0, 0.02):
            pipe = Pipe(flow, loss=150.0)
            self.pod(pipe, air=5.0)
            self.run_ok("steady", self.folder / "pod.yaml", "--csv", self.folder / "steady")
            steady = table(self.folder / "steady", "pipe")["pipe"]
            enters = HOT if flow > 0.0 else COLD
            series = pipe.conductance * pipe.loss / (pipe.conductance + pipe.loss)
            carried = abs(flow) * SPECIFIC_HEAT
            leaves = 5.0 + (enters - 5.0) * math.exp(-series / carried)
            wall = 5.0 + (leaves - 5.0) * pipe.conductance / (pipe.conductance + pipe.loss)
            self.assertAlmostEqual(steady["t_out"], leaves + ZERO_CELSIUS, delta=1e-4)
            self.assertAlmostEqual(steady["t_wall"], wall + ZERO_CELSIUS, delta=1e-4)
            self.assertAlmostEqual(steady["loss"] / (carried * (enters - leaves)), 1.0, delta=1e-4)
            seen = self.run_pod(300, air=5.0, start="steady", rtol="1e-6")
            self.assertLess(max(abs(seen["t_out"] - leaves)), 1e-3)
            self.assertLess(max(abs(seen["loss"] - steady["loss"])), 1e-4 * steady["loss"])

    def test_a_cold_start_with_loss_ends_at_the_steady_state(self):
        pipe = Pipe(loss=150.0)
        self.pod(pipe, air=5.0)
        seen = self.run_pod(900, air=5.0, rtol="1e-6")
        series = pipe.conductance * pipe.loss / (pipe.conductance + pipe.loss)
        self.assertAlmostEqual(seen["t_out"][-1], 5.0 + (HOT - 5.0) * math.exp(-series / SPECIFIC_HEAT), delta=1e-3)

    def test_flow_that_comes_and_goes_closes_the_books(self):
        pipe = Pipe(loss=150.0)
        self.pod(pipe, air=5.0)
        flows = [1.0, 0.0, -0.7, 0.0, 1e-4, 3.0, -1e-5, -3.0, 0.4]
        events = [f"{{at: {20 + 37 * k} s, target: flow, do: set, with: {{flow: {flow} kg/s}}}}" for k, flow in enumerate(flows)]
        for method in ("arkode", "cvode", "rosenbrock"):
            seen = self.run_pod(400, events, air=5.0, method=method, rtol="1e-4")
            for s in ("t_out", "t_wall"):
                self.assertGreater(min(seen[s]), 5.0 - 0.05, method)
                self.assertLess(max(seen[s]), HOT + 0.05, method)

    def test_walls_and_films_of_any_size_run(self):
        # A film of 1e6 W/(m2 K) is more exchange units than pieces: not resolved, and what the profiles then miss comes out as
        # a carry of up to 1 K.
        for thickness, film in ((1e-5, FILM), (0.2, FILM), (3e-3, 1e-3), (3e-3, 1e6), (1e-5, 1e6)):
            self.pod(Pipe(1.0, thickness, film, 50.0), air=5.0)
            seen = self.run_pod(120, ["{at: 70 s, target: flow, do: set, with: {flow: -0.5 kg/s}}"], air=5.0, rtol="1e-4")
            beyond = 1.0 if film > 1e5 else 0.05  # K
            for s in ("t_out", "t_wall"):
                self.assertGreater(min(seen[s]), 5.0 - beyond, (thickness, film))
                self.assertLess(max(seen[s]), HOT + beyond, (thickness, film))

    def test_a_run_goes_on_from_a_stored_state(self):
        texts = {}
        for name, more in (("whole", ""), ("second", "from: {result: whole.h5, at: 1 min}\n")):
            texts[name] = self.folder / f"{name}.h5"
            self.run_ok("run", self.write(f"{name}.yaml", f"podtwin: scenario/1\npod: {PLANTS / 'pipe-plug-wall.yaml'}\n"
                        "start: 2026-07-15T00:00:00Z\nduration: 2 min\nweather: {dry_bulb: 20 degC, relative_humidity: 40 %}\n"
                        f"record:\n  - {{class: restart, period: 1 min}}\n{more}"), "-o", texts[name], "--quiet")
        with h5py.File(texts["whole"]) as a, h5py.File(texts["second"]) as b:
            self.compare(a, b, "second", 60.0)


if __name__ == "__main__":
    unittest.main()
