"""A pod file of one line an item, written from and read back into plain tables. All numbers are in SI units."""


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {scalar(item)}" for key, item in value.items()) + "}"
    return str(value)


def written(sections):
    """Text of {section: {name: item}}; a section that is no table of tables is written on its own line."""
    lines = ["podtwin: pod/1"]
    for section, items in sections.items():
        if section in ("site", "physics", "design"):
            lines.append(f"{section}: {scalar(items)}")
            continue
        lines.append(f"{section}:")
        lines += [f"  {name}: {scalar(item)}" for name, item in items.items()]
    return "\n".join(lines) + "\n"


class _Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in " ,":
            self.at += 1

    def value(self):
        self.skip()
        if self.text[self.at] == "{":
            self.at += 1
            table = {}
            while True:
                self.skip()
                if self.text[self.at] == "}":
                    self.at += 1
                    return table
                end = self.text.index(":", self.at)
                key, self.at = self.text[self.at:end], end + 1
                table[key] = self.value()
        if self.text[self.at] == "[":
            self.at += 1
            items = []
            while True:
                self.skip()
                if self.text[self.at] == "]":
                    self.at += 1
                    return items
                items.append(self.value())
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",}]":
            self.at += 1
        return self.text[start:self.at].strip()


def read(text):
    """The tables of a text that `written` made, values as text."""
    sections, section = {}, None
    for line in text.splitlines()[1:]:
        key, _, rest = line.strip().partition(":")
        if line.startswith("  "):
            sections[section][key] = _Reader(rest).value()
        elif rest.strip():
            sections[key] = _Reader(rest).value()
        else:
            section = key
            sections[section] = {}
    return sections


def number(item, key, default=None):
    """A number of an item, in SI units; of a text such as `12 m`."""
    if key not in item:
        return default
    return float(item[key].split()[0])


def points(item, key):
    return [tuple(float(value.split()[0]) for value in point) for point in item[key]]
