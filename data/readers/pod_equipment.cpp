// Equipment of a pod: names, templates and types expanded to instances with all their parameters.
#include "data/readers/pod_reading.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "data/readers/units.hpp"

namespace podtwin::data {

namespace {
constexpr std::size_t kMostInstantiations = 100'000;  // of templates; a pod has some dozens
}  // namespace

// -- expansion

void PodReader::expandAll() {
  // Templates add to the lists while they are walked.
  for (std::size_t i = 0; i < equipment_.size(); ++i) {
    const Pending pending = equipment_[i];
    expandEquipment(pending);
  }
}

std::vector<ExpandedName> PodReader::namesOf(const Pending& pending, std::string_view what) {
  const YamlEntry& entry = *pending.entry;
  const auto key = substitute(entry.key, Scope{pending.parameters.get(), nullptr}, entry.where, found_);
  if (!key) return {};
  auto names = expandRanges(*key, entry.where, found_);
  for (const auto& expanded : names)
    if (!isIdentifier(expanded.name)) {
      found_.error(
          entry.where,
          "the " + std::string(what) + " `" + expanded.name + "` has characters other than letters, digits, _ and -",
          "rename it");
      return {};
    }
  return names;
}

void PodReader::expandEquipment(const Pending& pending) {
  const YamlEntry& entry = *pending.entry;
  const bool is_template = entry.value->isMap() && entry.value->find("template") != nullptr;
  for (auto& expanded : namesOf(pending, "id")) {
    if (replaced(replaced_equipment_, expanded.name, entry.where)) continue;
    if (is_template) {
      if (!instantiate(pending, expanded)) return;
      continue;
    }
    if (raw_.size() >= kMostExpanded) {
      if (!too_many_)
        found_.error(entry.where, "the pod has more than " + std::to_string(kMostExpanded) + " instances",
                     "shorten its ranges");
      too_many_ = true;
      return;
    }
    const auto [earlier, is_new] = by_id_.emplace(expanded.name, raw_.size());
    if (!is_new) {
      const SourceMark& first = plant_.instances[earlier->second].where;
      found_.error(
          entry.where,
          "id `" + expanded.name + "` is already taken in " + first.file + ", line " + std::to_string(first.line),
          "ids are unique in the pod: rename one of the two");
      continue;
    }
    RawInstance raw;
    // Within a range, `$1` and the like may differ, yet the place is one: its key stands for all.
    raw.display = expanded.captures.empty() ? expanded.name : entry.key;
    raw.body = entry.value.get();
    raw.captures = std::move(expanded.captures);
    raw.parameters = pending.parameters;
    raw_.push_back(std::move(raw));
    InstanceDescription instance;
    instance.id = std::move(expanded.name);
    instance.where = entry.where;
    plant_.instances.push_back(std::move(instance));
  }
}

bool PodReader::instantiate(const Pending& pending, const ExpandedName& expanded) {
  const YamlEntry& entry = *pending.entry;
  Fields fields(*entry.value, "`" + entry.key + "`", found_, Scope{pending.parameters.get(), &expanded.captures});
  const auto name = fields.text("template");
  const YamlNode* with = fields.map("with");
  fields.finish();
  if (!name) return false;
  const SourceMark where = entry.value->find("template")->value->where;
  const auto found = templates_.find(*name);
  if (found == templates_.end()) {
    std::vector<std::string> known;
    for (const auto& [key, value] : templates_) known.push_back(key);
    found_.error(where, "there is no template `" + *name + "`", suggestion(*name, known, "templates"));
    return false;
  }
  // The chain of templates travels as a hidden parameter; `:` keeps it apart from every name a user can write.
  const std::string chain = pending.parameters->contains(":chain") ? pending.parameters->at(":chain") : "";
  const std::string link = ":" + *name + ":";
  if (chain.find(link) != std::string::npos) {
    found_.error(where, "templates go in a circle: `" + *name + "` contains itself", "remove one of the instances");
    return false;
  }
  if (++instantiations_ > kMostInstantiations) {
    if (!too_many_)
      found_.error(where, "more than " + std::to_string(kMostInstantiations) + " templates are instantiated",
                   "shorten the ranges");
    too_many_ = true;
    return false;
  }
  const TemplateDefinition& definition = found->second;
  auto parameters = std::make_shared<Parameters>();
  (*parameters)["id"] = expanded.name;
  (*parameters)[":chain"] = chain + link;
  bool good = true;
  if (with != nullptr)
    for (const auto& value : with->entries) {
      if (std::find(definition.parameters.begin(), definition.parameters.end(), value.key) ==
          definition.parameters.end()) {
        found_.error(value.where, "template `" + *name + "` has no parameter `" + value.key + "`",
                     suggestion(value.key, definition.parameters, "parameters"));
        good = false;
        continue;
      }
      const auto text = scalarText(*value.value, "`" + value.key + "` of template `" + *name + "`", found_,
                                   Scope{pending.parameters.get(), &expanded.captures});
      if (text)
        (*parameters)[value.key] = *text;
      else
        good = false;
    }
  for (const auto& parameter : definition.parameters)
    if (good && !parameters->contains(parameter)) {
      found_.error(entry.where,
                   "`" + entry.key + "`: parameter `" + parameter + "` of template `" + *name + "` is missing",
                   "give it in `with: {" + parameter + ": ...}`");
      good = false;
    }
  if (!good) return false;
  Diagnostics already_told;  // the template's own shape was checked where it is defined
  Fields body(*definition.body, "template `" + *name + "`", already_told);
  collect(body, parameters);
  return true;
}

// -- instances

std::string PodReader::label(std::size_t i) const {
  const std::string class_name = raw_[i].info == nullptr ? "equipment" : std::string(raw_[i].info->name);
  return class_name + " `" + raw_[i].display + "`";
}

std::vector<std::string> PodReader::allIds() const {
  std::vector<std::string> ids;
  for (const auto& instance : plant_.instances) ids.push_back(instance.id);
  return ids;
}

void PodReader::resolve(std::size_t i) {
  RawInstance& raw = raw_[i];
  if (raw.state == RawInstance::State::done) return;
  InstanceDescription& instance = plant_.instances[i];
  if (raw.state == RawInstance::State::visiting) return;  // the caller reports the circle
  raw.state = RawInstance::State::visiting;
  resolveBody(i, raw, instance);
  raw.state = RawInstance::State::done;
}

void PodReader::resolveBody(std::size_t i, RawInstance& raw, InstanceDescription& instance) {
  const Scope scope{raw.parameters.get(), &raw.captures};
  Fields origin(*raw.body, "equipment `" + raw.display + "`", found_, scope);
  if (!raw.body->isMap()) return;
  const bool has_type = origin.has("type");
  const bool has_class = origin.has("class");
  const bool has_like = origin.has("like");
  if (has_type + has_class + has_like != 1) {
    found_.error(instance.where,
                 "equipment `" + raw.display + "` names " +
                     (has_type + has_class + has_like == 0 ? "none" : "more than one") +
                     " of `type`, `class` and `like`",
                 "name a catalogue `type`, a `class`, or another instance by `like`");
    return;
  }
  if (has_class) {
    const auto name = origin.text("class");
    raw.info = name ? findClass(*name, raw.body->find("class")->value->where) : nullptr;
  } else if (has_type) {
    const auto name = origin.text("type");
    const SourceMark where = raw.body->find("type")->value->where;
    const auto type = name ? types_.find(*name) : types_.end();
    if (name && type == types_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : types_) known.push_back(key);
      found_.error(where, "there is no type `" + *name + "` in the catalogues", suggestion(*name, known, "types"));
    }
    if (type != types_.end()) {
      raw.info = type->second.info;
      instance.type = *name;
      instance.parameters = type->second.parameters;
    }
  } else {
    const auto name = origin.text("like");
    if (!name) return;
    const SourceMark where = raw.body->find("like")->value->where;
    const auto other = by_id_.find(*name);
    if (other == by_id_.end()) {
      found_.error(where, "`like`: there is no equipment `" + *name + "`", suggestion(*name, allIds(), "equipment"));
      return;
    }
    if (raw_[other->second].state == RawInstance::State::visiting) {
      found_.error(where, "`like` goes in a circle: `" + instance.id + "` is like `" + *name + "`, which is like it",
                   "name a type or a class in one of them");
      return;
    }
    resolve(other->second);
    raw.info = raw_[other->second].info;
    const InstanceDescription& model = plant_.instances[other->second];
    instance.type = model.type;
    instance.parameters = model.parameters;
    instance.ports = model.ports;
    instance.port_marks = model.port_marks;
    instance.supply = model.supply;
    instance.in_service = model.in_service;
    instance.mode = model.mode;
  }
  if (raw.info == nullptr) return;
  instance.class_name = std::string(raw.info->name);

  Fields fields(*raw.body, label(i), found_, scope);
  for (const char* key : {"type", "class", "like"}) fields.take(key);
  if (const auto tag = fields.text("tag")) instance.tag = *tag;
  if (const auto supply = fields.text("supply")) {
    instance.supply = *supply;
    instance.port_marks["supply"] = raw.body->find("supply")->value->where;
  }
  if (const auto in_service = fields.flag("in_service")) instance.in_service = *in_service;
  if (const auto mode = fields.choice("mode", {"auto", "manual", "off"})) setMode(instance, *mode);
  for (const auto& info : raw.info->parameters)
    if (const YamlEntry* given = fields.take(info.name)) {
      if (auto value = parser_.parse(info, *given->value, fields.label(info.name), scope))
        instance.parameters[std::string(info.name)] = std::move(*value);
      else
        broken_.insert(instance.id + "." + std::string(info.name));
    }
  for (const auto& port : raw.info->ports) readPort(port, fields, instance);
  fields.finish();
}

void PodReader::setMode(InstanceDescription& instance, const std::string& mode) {
  instance.mode = mode == "auto"     ? OperatingMode::automatic
                  : mode == "manual" ? OperatingMode::manual
                                     : OperatingMode::off;
}

void PodReader::readPort(const PortInfo& port, Fields& fields, InstanceDescription& instance) {
  if (!fields.has(port.name)) {
    fields.take(port.name);
    return;
  }
  const std::string name(port.name);
  std::vector<std::string> names;
  SourceMark first = fields.node().find(port.name)->value->where;
  for (const auto& [text, where] : fields.texts(port.name)) {
    if (port.kind == PortKind::signal) {
      if (parseAddress(text, SignalPart::required, where, found_)) names.push_back(text);
      continue;
    }
    for (auto& expanded : expandRanges(text, where, found_)) {
      if (!isIdentifier(expanded.name)) {
        found_.error(where,
                     fields.label(name) + ": the name `" + expanded.name +
                         "` has characters other than letters, digits, _ and -",
                     "rename it");
        continue;
      }
      names.push_back(std::move(expanded.name));
    }
  }
  if (port.count != PortCount::many && names.size() > 1)
    found_.error(first,
                 fields.label(name) + ": " + std::to_string(names.size()) + " names are given, but the port takes one",
                 "name one");
  instance.ports[name] = std::move(names);
  instance.port_marks[name] = std::move(first);
}

// -- groups

void PodReader::readGroups() {
  for (const auto& pending : groups_) {
    const YamlEntry& entry = *pending.entry;
    const Scope scope{pending.parameters.get(), nullptr};
    const auto key = substitute(entry.key, scope, entry.where, found_);
    if (!key) continue;
    if (!isIdentifier(*key)) {
      found_.error(entry.where, "the group name `" + *key + "` has characters other than letters, digits, _ and -",
                   "rename it");
      continue;
    }
    if (plant_.groups.contains(*key)) {
      found_.error(entry.where, "group `" + *key + "` is defined twice", "rename one of the two");
      continue;
    }
    std::vector<std::string>& members = plant_.groups[*key];
    const auto add = [&](const YamlNode& node) {
      if (const auto text = scalarText(node, "group `" + *key + "`", found_, scope))
        addMembers(*key, *text, node.where, members);
    };
    if (entry.value->isSequence())
      for (const auto& item : entry.value->items) add(*item);
    else
      add(*entry.value);
  }
}

void PodReader::addMembers(const std::string& group, const std::string& text, const SourceMark& where,
                           std::vector<std::string>& members) {
  std::unordered_set<std::string> present(members.begin(), members.end());
  const auto put = [&](const std::string& id) {
    if (present.insert(id).second) members.push_back(id);
  };
  const std::string class_name = text.substr(0, text.find('['));
  const bool names_class = text.find('[') != std::string::npos && knownClass(class_name);
  if (names_class || text.find('*') != std::string::npos) {
    const std::string address_text = names_class ? text : "";
    std::optional<Address> address;
    if (names_class) {
      address = parseAddress(text, SignalPart::forbidden, where, found_);
      if (!address) return;
    }
    bool any = false;
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      const auto& id = plant_.instances[i].id;
      const bool hit = names_class ? raw_[i].info != nullptr &&
                                         (raw_[i].info->name == class_name || raw_[i].info->group == class_name) &&
                                         address->matches(id)
                                   : matchesPattern(text, id);
      if (hit) put(id);
      any = any || hit;
    }
    if (!any) found_.error(where, "group `" + group + "`: `" + text + "` matches no equipment", "check the pattern");
    return;
  }
  for (const auto& expanded : expandRanges(text, where, found_)) {
    if (by_id_.contains(expanded.name))
      put(expanded.name);
    else
      found_.error(where, "group `" + group + "`: there is no equipment `" + expanded.name + "`",
                   suggestion(expanded.name, allIds(), "equipment"));
  }
}

bool PodReader::knownClass(const std::string& name) const {
  return std::find(address_names_.begin(), address_names_.end(), name) != address_names_.end();
}

// -- completion

void PodReader::complete(std::size_t i) {
  const RawInstance& raw = raw_[i];
  InstanceDescription& instance = plant_.instances[i];
  if (raw.info == nullptr) return;
  for (const auto& info : raw.info->parameters) {
    const std::string name(info.name);
    if (instance.parameters.contains(name) || broken_.contains(instance.id + "." + name)) continue;
    ParameterValue value;
    value.where = instance.where;
    value.source = std::string(info.source);
    const bool scalar =
        info.kind == ParameterKind::number || info.kind == ParameterKind::integer || info.kind == ParameterKind::flag;
    bool missing = false;
    if (scalar) {
      missing = std::isnan(info.fallback) && !info.optional;
      value.number = std::isnan(info.fallback) ? 0.0 : info.fallback;
    } else if (info.kind == ParameterKind::choice) {
      value.text = splitChoices(info.choices).front();
    } else {
      missing = !info.optional;
    }
    if (missing) {
      found_.error(instance.where,
                   label(i) + ": parameter `" + name + "` is missing (" + std::string(info.meaning) + ")",
                   "give it, as in `" + name + ": " + exampleValue(info) + "`");
      continue;
    }
    instance.parameters[name] = std::move(value);
  }
  for (const auto& port : raw.info->ports) {
    const auto it = instance.ports.find(std::string(port.name));
    const std::size_t count = it == instance.ports.end() ? 0 : it->second.size();
    if (port.count == PortCount::one && count == 0)
      found_.error(
          it == instance.ports.end() ? instance.where : instance.port_marks.at(std::string(port.name)),
          label(i) + ": port `" + std::string(port.name) + "` is not connected (" + std::string(port.meaning) + ")",
          "give it, as in `" + std::string(port.name) + ": NAME`");
  }
}

std::string PodReader::exampleValue(const ParameterInfo& info) {
  const std::string x(exampleOf(info.quantity));
  switch (info.kind) {
    case ParameterKind::curve:
      return "[[" + x + ", " + std::string(exampleOf(info.ordinate)) + "], ...]";
    case ParameterKind::numbers:
      return "[" + x + ", ...]";
    case ParameterKind::flag:
      return "true";
    case ParameterKind::integer:
      return "3";
    case ParameterKind::text:
      return "NAME";
    default:
      return x;
  }
}

}  // namespace podtwin::data
