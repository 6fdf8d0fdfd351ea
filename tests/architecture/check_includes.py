#!/usr/bin/env python3
"""Checks who includes whom: the layers of the house point inwards (docs/developer, architecture).

    check_includes.py ROOT

Prints one line per violation, `file:line: what is wrong`, and ends with 1 when there is one, 2 when ROOT is not a tree
of this kind. The rules:

  inside model   base <- fluids <- network <- system <- components; model/*.hpp (the version) is below them all
  outside        model <- solvers,   model <- data,   model, solvers, data <- scenarios <- gui;   tests see everything
  components     never include each other; a component's files share its stem (rack.cpp, rack.hpp, rack_info.hpp)
  libraries      SUNDIALS only in solvers, HDF5 only in data/results, Qt only in gui (and in their tests); no file
                 streams and no YAML in model
  form           own headers are included with quotes and their full path from the root, and exist
"""

import re
import sys
from pathlib import Path

SOURCE_ENDINGS = {".hpp", ".cpp", ".h", ".cc", ".hh", ".cxx", ".hxx", ".ipp", ".inl"}
HOUSE = ("model", "solvers", "data", "scenarios", "gui", "tests")

MODEL = ("model", "model/base", "model/fluids", "model/network", "model/system", "model/components")
# Layer -> the layers it may include.
ALLOWED = {layer: set(MODEL[: rank + 1]) for rank, layer in enumerate(MODEL)}
ALLOWED["solvers"] = set(MODEL) | {"solvers"}
ALLOWED["data"] = set(MODEL) | {"data"}
ALLOWED["scenarios"] = ALLOWED["solvers"] | ALLOWED["data"] | {"scenarios"}
ALLOWED["gui"] = ALLOWED["scenarios"] | {"gui"}
ALLOWED["tests"] = ALLOWED["gui"] | {"tests"}

SUNDIALS = re.compile(
    r"(sundials|arkode|cvodes?|idas?|kinsol|nvector|sunmatrix|sunlinsol|sunnonlinsol|sunadaptcontroller|sunmemory)/"
)
HDF5 = re.compile(r"(hdf5\w*\.h|hdf5/.*|H5\w*\.h|H5Cpp\.h|highfive/.*)$")
QT = re.compile(r"(Q[A-Z]\w*(/.*)?|q[a-z]+\.h|qcustomplot\.h|Qt\w*/.*)$")
FILES = re.compile(r"(fstream|yaml-cpp/.*)$")
# Library, the headers it is known by, and the predicate on the including file that permits it.
LIBRARIES = (
    ("SUNDIALS", SUNDIALS, "solvers/", lambda f: f.startswith(("solvers/", "tests/"))),
    ("HDF5", HDF5, "data/results/", lambda f: f.startswith(("data/results/", "tests/"))),
    ("Qt", QT, "gui/", lambda f: f.startswith(("gui/", "tests/gui/"))),
    ("reading files", FILES, "data/", lambda f: not f.startswith("model/")),
)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<name>[^>"]+)[>"]')
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CLASS_TABLE = re.compile(r"\bconstexpr\s+(?:const\s+)?ClassInfo\s+\w+\s*[{=]")


def layer_of(path):
    """The layer a path from the root belongs to; None outside the house."""
    parts = path.split("/")
    if parts[0] == "model":
        if len(parts) == 2:
            return "model"
        inner = f"model/{parts[1]}"
        return inner if inner in MODEL else None
    return parts[0] if parts[0] in HOUSE and len(parts) > 1 else None


def text_of(path):
    """The file's text with block comments blanked and the line numbers kept."""
    text = path.read_text(encoding="utf-8")
    return BLOCK_COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)


def component_key(path):
    """Folder and stem: what the files of one component share."""
    folder, _, name = path.rpartition("/")
    return folder, name.rpartition(".")[0]


def belongs_to(key, component):
    """Whether a file of this folder and stem is part of the component (rack_info belongs to rack)."""
    return key[0] == component[0] and (key[1] == component[1] or key[1].startswith(component[1] + "_"))


def find_components(root, texts):
    """Folder and stem of every component: an equations page stands beside it, or a file of it holds a class table."""
    components = {component_key(name) for name, text in texts.items()
                  if name.startswith("model/components/") and CLASS_TABLE.search(text)}
    for page in sorted((root / "model/components").glob("*/*.md")):
        name = page.relative_to(root).as_posix()
        if (page.with_suffix(".cpp")).exists() or (page.with_suffix(".hpp")).exists():
            components.add(component_key(name))
    # A class table in a file of its own (rack_info.cpp) makes no second component beside its kernel (rack.cpp).
    stems = {component_key(name) for name in texts}
    kernels = {key for table in components for key in stems - components if table != key and belongs_to(table, key)}
    known = components | kernels
    return {component for component in known
            if not any(component != other and belongs_to(component, other) for other in kernels)
            and not any(component == (other[0], other[1] + "_info") for other in known)}


def owner_of(key, components):
    """The component a file of this folder and stem is part of, the closest by name; None for a helper."""
    return max((component for component in components if belongs_to(key, component)),
               key=lambda component: len(component[1]), default=None)


def components_clash(including, included, components):
    """Whether a file of model/components reaches into a component that it is not part of."""
    if included.count("/") < 3 or including.count("/") < 3:
        return False  # the register of all classes stands above the folders and may see them all
    own, other = component_key(including), component_key(included)
    if own[0] != other[0]:
        return True  # it/, cooling/, power/ and control/ do not know each other
    owner = owner_of(other, components)
    # A class list or a shared helper belongs to no component and serves the whole folder.
    return owner is not None and owner != owner_of(own, components)


def check(root):
    """All violations under root as `file:line: message`, sorted by file."""
    paths = [path for top in HOUSE for path in sorted((root / top).rglob("*"))
             if path.suffix in SOURCE_ENDINGS and path.is_file()]
    texts = {path.relative_to(root).as_posix(): text_of(path) for path in paths}
    components = find_components(root, texts)
    violations = []
    for name, text in texts.items():
        layer = layer_of(name)
        if layer is None:
            violations.append(f"{name}:1: is in no layer of the house")
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            included, quoted = match["name"], match["open"] == '"'
            where = f"{name}:{number}:"
            for library, headers, home, permitted in LIBRARIES:
                if headers.match(included) and not permitted(name):
                    violations.append(f"{where} {library} ({included}) is for {home} only")
            own = included.split("/")[0] in HOUSE
            if own and not quoted:
                violations.append(f"{where} {included} is ours and is included with quotes")
            if not quoted and not own:
                continue
            parts = included.split("/")
            if ".." in parts or "." in parts or not (root / included).is_file():
                beside = (root / name).parent / included
                hint = "; includes carry the full path from the root" if beside.is_file() else ""
                violations.append(f"{where} {included} is no file of this tree{hint}")
                continue
            target = layer_of(included)
            if target is None:
                violations.append(f"{where} {included} is in no layer of the house")
            elif target not in ALLOWED[layer]:
                violations.append(f"{where} {layer} must not include {target} ({included})")
            elif layer == target == "model/components" and components_clash(name, included, components):
                violations.append(f"{where} components must not include each other ({included})")
    return violations, len(texts)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    violations, count = check(root)
    if count == 0:
        print(f"{root} holds no sources in {', '.join(HOUSE)}", file=sys.stderr)
        return 2
    for violation in violations:
        print(violation)
    print(f"{count} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
