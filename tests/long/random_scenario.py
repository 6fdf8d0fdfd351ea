"""Random courses of events on a random pod: weather, load, what stands by, what fails and what comes back; from one seed.

    random_scenario.py SEED FOLDER      writes FOLDER/scenario.yaml and the files that belong to it
"""
import pathlib
import random
import sys

from random_pod import RandomPod, flow_style, kelvin, quantity

FIRST = 5.0           # s; earliest event
LAST, BACK = 0.7, 0.8  # of the duration: last event, last restore; what is left lets every plant settle
SHIPPED_TRACE = "data/workloads/azure-2023-conversation-10s.csv"
DRIVEN_BY_NOTHING = ("pipe", "resistance", "tank", "plate_heat_exchanger", "room_cooler")  # these do not trip; valves beside them shut them off
TRACE_SCALE = 4500.0 / 4608.0  # a GPU; of the reference day


class RandomScenario:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.pod = RandomPod(self.random)
        self.duration = 60.0 * self.random.randint(4, 8)
        self.start = self.random.choice(("steady",) * 5 + ("cold",))
        self.weather_rows = self.draw_weather() if self.chance(0.3) else None
        self.busy_rows = [(t, self.between(0.0, 1.0)) for t in range(0, int(self.duration) + 1, 20)]
        self.workload = self.draw_workload()
        self.out_of_service = [self.random.choice(self.pod.switched())[0]] if self.chance(0.2) else []
        self.events = []
        for _ in range(self.random.choice((0, 1, 2, 3, 5, 8, 12))):
            self.draw_event()
        self.events.sort(key=lambda event: event.get("at", 0.0))

    def between(self, low, high):
        return self.random.uniform(low, high)

    def chance(self, share):
        return self.random.random() < share

    def outdoors(self):
        """Lowest dry bulb [K]."""
        return kelvin(min(row[1] for row in self.weather_rows) if self.weather_rows else self.pod.dry_bulb)

    def draw_weather(self):
        return [(60.0 * k, self.pod.dry_bulb + self.between(-3.0, 3.0), self.between(20.0, 95.0)) for k in range(int(self.duration / 60.0) + 1)]

    def draw_workload(self):
        kind = self.random.choice(("power", "utilisation", "step", "series", "requests", "idle"))
        if kind == "power":
            return {"kind": "constant", "rack_power": quantity(self.pod.rack_rated * self.between(0.3, 1.0), "W")}
        if kind == "utilisation":
            return {"kind": "constant", "utilisation": quantity(self.between(5.0, 100.0), "%")}
        if kind == "step":
            times = [0.0] + sorted(self.between(FIRST, LAST * self.duration) for _ in range(self.random.randint(1, 3)))
            return {"kind": "step", "at": [quantity(t, "s") for t in times], "levels": [quantity(self.between(0.0, 100.0), "%") for _ in times]}
        if kind == "series":
            return {"kind": "series", "file": "work.csv", "column": "busy"}
        if kind == "requests":
            gpus = sum(self.pod.equipment[rack]["trays"] * self.pod.equipment[rack]["gpus_per_tray"] for rack in self.pod.racks)
            return {"kind": "requests", "file": SHIPPED_TRACE, "scale": f"{TRACE_SCALE * gpus * self.between(0.5, 1.5):.6g}",
                    "placement": self.random.choice(("spread", "packed")), "seed": self.seed}
        return {"kind": "idle"}

    def stop(self, target, kind, at):
        self.events.append({"at": at, "target": target, "do": "isolate" if kind in DRIVEN_BY_NOTHING else "trip"})
        if self.chance(0.7):
            self.events.append({"at": min(at + self.between(0.05, 90.0), BACK * self.duration), "target": target, "do": "restore"})

    def draw_event(self):
        """One piece of equipment or all of a class, for good or for a while; a valve sticks, a rack is capped, a sensor
        drifts, a rack goes off when a die gets hot."""
        at, what = self.between(FIRST, LAST * self.duration), self.random.random()
        pod = self.pod
        if what < 0.6:
            self.stop(*self.random.choice(pod.switched()), at)
        elif what < 0.72:
            kind = self.random.choice(("pump", "pump", "dry_cooler", "chiller", "ups", "utility", "fan_wall", "rack", "gpu"))
            if kind == "gpu" or pod.of_class(kind):
                self.stop(f'"{kind}[*]"', kind, at)
        elif what < 0.85:
            self.events.append({"at": at, "target": self.random.choice(pod.of_class("valve", "three_way_valve")), "do": "stick",
                                "with": {"position": quantity(self.between(0.0, 100.0), "%")}})
        elif what < 0.92:
            self.events.append({"at": at, "target": self.random.choice(pod.racks), "do": "cap",
                                "with": {"power": quantity(pod.rack_rated * self.between(0.3, 0.9), "W")}})
        elif what < 0.96:
            thermometers = [sensor for sensor in pod.of_class("sensor") if "minus" not in pod.controls[sensor]]
            self.events.append({"at": at, "target": self.random.choice(thermometers), "do": "drift",
                                "with": {"offset": quantity(self.between(-3.0, 3.0), "K")}})
        else:
            self.events.append({"when": f'"max(gpu[*].t_junction) > {self.between(40.0, 88.0):.3f} degC"',
                                "for": quantity(self.between(0.0, 5.0), "s"), "target": self.random.choice(pod.racks), "do": "trip"})

    def text(self, title):
        weather = {"file": "weather.csv"} if self.weather_rows else {"dry_bulb": quantity(self.pod.dry_bulb, "degC"), "relative_humidity": "40 %"}
        lines = ["podtwin: scenario/1", f"title: {title}", "pod: pod.yaml", "start: 2026-07-15T00:00:00Z", f"duration: {self.duration:g} s",
                 f"weather: {flow_style(weather)}", f"workload: {flow_style(self.workload)}", f"from: {self.start}"]
        if self.out_of_service:
            lines.append(f"out_of_service: {flow_style(self.out_of_service)}")
        if self.events:
            lines.append("events:")
            lines += ["  - " + flow_style({**event, **({"at": quantity(event["at"], "s")} if "at" in event else {})}) for event in self.events]
        return "\n".join(lines) + "\n"

    def write(self, folder):
        """All files of the scenario in a folder; the path of the scenario."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        title = f"Random plant of seed {self.seed}"
        tables = {"work.csv": ("time [s],busy [1]", self.busy_rows)}
        if self.weather_rows:
            tables["weather.csv"] = ("time [s],dry_bulb [degC],relative_humidity [%]", self.weather_rows)
        for name, (head, rows) in tables.items():
            lines = [head] + [",".join(f"{value:.6g}" for value in row) for row in rows]
            (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "pod.yaml").write_text(self.pod.text(title), encoding="utf-8")
        (folder / "scenario.yaml").write_text(self.text(title), encoding="utf-8")
        return folder / "scenario.yaml"


if __name__ == "__main__":
    print(RandomScenario(int(sys.argv[1])).write(sys.argv[2]))
