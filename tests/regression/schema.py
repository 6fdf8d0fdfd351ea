"""The JSON Schemas of the file types: valid themselves, and true of the shipped files."""
import copy
import json
import unittest

import jsonschema
import yaml

from support import Case, DAY, POD, SOURCE

FILES = {
    "pod": sorted((SOURCE / "data/pods").rglob("*.yaml")),
    "catalogue": sorted((SOURCE / "data/catalogue").glob("*.yaml")),
    "scenario": sorted((SOURCE / "scenarios").glob("*/*.yaml")),
}
SPOILED = {"pod": POD, "catalogue": SOURCE / "data/catalogue/gb300-pod.yaml", "scenario": DAY}


class Text(yaml.SafeLoader):
    """YAML as an editor hands it to a schema: dates and times stay text."""


Text.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Schema(Case):
    def validator(self, kind):
        schema = json.loads(self.run_ok("schema", kind).stdout)
        cls = jsonschema.validators.validator_for(schema)
        cls.check_schema(schema)
        self.assertIn("$schema", schema)
        return cls(schema)

    def test_shipped_files_hold_to_their_schema(self):
        for kind, files in FILES.items():
            validator = self.validator(kind)
            self.assertTrue(files, kind)
            for path in files:
                with self.subTest(file=path.name):
                    data = yaml.load(path.read_text(encoding="utf-8"), Loader=Text)
                    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(data)]
                    self.assertEqual(errors, [])

    def test_every_form_of_a_start_and_of_stored_states_does(self):
        validator = self.validator("scenario")
        good = yaml.load(DAY.read_text(encoding="utf-8"), Loader=Text)
        for change in ({"from": "steady"}, {"from": "saved.checkpoint.h5"}, {"from": {"result": "run.h5", "at": "3 h"}},
                       {"from": {"result": "run.h5"}}, {"record": [{"class": "restart", "period": "10 min"}]}):
            with self.subTest(change=change):
                self.assertEqual(list(validator.iter_errors({**good, **change})), [])

    def test_spoiled_files_do_not(self):
        spoils = {
            "pod": (lambda d: d.update(podtwin="pod/2"), lambda d: d.update(equipement={}), lambda d: d.pop("podtwin"),
                    lambda d: d["equipment"]["hall"].update(volume=4000), lambda d: d["equipment"]["hall"].update(volum="1 m3"),
                    lambda d: d["equipment"]["hall"].update({"class": "zonne"}), lambda d: d.update(equipment=[])),
            "catalogue": (lambda d: d.update(podtwin="catalogue/9"), lambda d: d.update(typs={}),
                          lambda d: d["types"]["network_rack"].update({"class": "air_rack_of_no_kind"}),
                          lambda d: d["types"]["network_rack"].update(power=24000),
                          lambda d: d["types"]["network_rack"].update(pwoer="24 kW")),
            "scenario": (lambda d: d.update(podtwin="scenario/2"), lambda d: d.update(duration=24),
                         lambda d: d.update(duratoin="24 h"), lambda d: d.pop("pod"),
                         lambda d: d["workload"].update(kind="dreams"), lambda d: d["solver"].update(method="euler"),
                         lambda d: d.update(events=[{"at": "1 h", "target": "A01"}]),
                         lambda d: d.update({"from": {"at": "1 h"}}), lambda d: d.update({"from": {"result": "a.h5", "at": 1}}),
                         lambda d: d.update({"from": {"result": "a.h5", "when": "1 h"}}), lambda d: d.update({"from": 3})),
        }
        for kind, changes in spoils.items():
            validator = self.validator(kind)
            good = yaml.load(SPOILED[kind].read_text(encoding="utf-8"), Loader=Text)
            for k, change in enumerate(changes):
                with self.subTest(kind=kind, change=k):
                    data = copy.deepcopy(good)
                    change(data)
                    self.assertFalse(validator.is_valid(data))


if __name__ == "__main__":
    unittest.main()
