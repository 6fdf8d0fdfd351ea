// Circuits, nodes and limits of a pod, and whether what they name exists.
#include "data/readers/pod_reading.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "data/readers/units.hpp"

namespace podtwin::data {

// -- circuits, nodes, limits

void PodReader::readCircuits() {
  std::set<std::string> seen;
  for (const auto& pending : circuits_) {
    const YamlEntry& entry = *pending.entry;
    for (const auto& expanded : namesOf(pending, "circuit")) {
      if (!seen.insert(expanded.name).second) {
        found_.error(entry.where, "circuit `" + expanded.name + "` is defined twice", "rename one of the two");
        continue;
      }
      const Scope scope{pending.parameters.get(), &expanded.captures};
      CircuitDescription circuit;
      circuit.name = expanded.name;
      circuit.where = entry.where;
      Fields fields(*entry.value, "circuit `" + entry.key + "`", found_, scope);
      readFluid(fields, scope, circuit.fluid);
      if (const YamlNode* node = fields.map("reference")) {
        Fields reference(*node, "`reference` of circuit `" + entry.key + "`", found_, scope);
        if (const auto name = reference.text("node")) {
          circuit.reference_node = *name;
          reference_marks_.push_back({*name, node->find("node")->value->where});
        } else if (!reference.has("node")) {
          reference.missing("node", "name the node whose pressure is held");
        }
        if (const auto pressure = reference.quantity("pressure", Quantity::pressure_gauge))
          circuit.reference_pressure = *pressure;
        else if (!reference.has("pressure"))
          reference.missing("pressure", "write `pressure: 200 kPa`");
        reference.finish();
      }
      if (const auto t = fields.quantity("property_temperature", Quantity::temperature))
        circuit.property_temperature = *t;
      if (const auto holder = fields.text("held_by")) {
        circuit.held_by = *holder;
        circuit.held_by_where = entry.value->find("held_by")->value->where;
      }
      if (const auto stiffness = fields.quantity("trapped_stiffness", Quantity::pressure_per_kelvin)) {
        circuit.trapped_stiffness = *stiffness;
        if (!(*stiffness >= 0.0))
          found_.error(entry.value->find("trapped_stiffness")->value->where,
                       "circuit `" + expanded.name + "`: trapped_stiffness is negative",
                       "give the rise of pressure a kelvin, such as 2.5 bar/K");
      }
      if (const auto constant = fields.flag("constant_properties")) circuit.constant_properties = *constant;
      fields.finish();
      plant_.circuits.push_back(std::move(circuit));
    }
  }
}

void PodReader::readFluid(Fields& fields, const Scope& scope, FluidSpec& fluid) {
  const YamlEntry* entry = fields.take("fluid");
  if (entry == nullptr) {
    fields.missing("fluid", "name one, as in `fluid: PG25`, or give its properties");
    return;
  }
  if (entry->value->isMap()) {
    fluid.name = "custom";
    Fields properties(*entry->value, fields.label("fluid"), found_, scope);
    const auto read = [&](std::string_view key, Quantity kind) {
      const auto value = properties.quantity(key, kind);
      if (value && *value <= 0.0)
        found_.error(entry->value->find(key)->value->where,
                     properties.label(key) + ": " + readableText(*value, kind) + " is not above 0",
                     "give a positive value");
      return value;
    };
    fluid.density = read("density", Quantity::density);
    fluid.viscosity = read("viscosity", Quantity::dynamic_viscosity);
    fluid.specific_heat = read("specific_heat", Quantity::specific_heat);
    fluid.conductivity = read("conductivity", Quantity::conductivity);
    for (const char* key : {"density", "viscosity"})
      if (!properties.has(key)) properties.missing(key, "a fluid of one's own needs at least density and viscosity");
    properties.finish();
    return;
  }
  if (const auto name = scalarText(*entry->value, fields.label("fluid"), found_, scope)) fluid.name = *name;
}

void PodReader::readNodes() {
  std::map<std::string, SourceMark> seen;
  for (const auto& pending : nodes_) {
    const YamlEntry& entry = *pending.entry;
    for (const auto& expanded : namesOf(pending, "node")) {
      if (const auto [earlier, is_new] = seen.emplace(expanded.name, entry.where); !is_new) {
        found_.error(
            entry.where,
            "node `" + expanded.name + "` is already described in line " + std::to_string(earlier->second.line),
            "put all of a node in one entry");
        continue;
      }
      Fields fields(*entry.value, "node `" + entry.key + "`", found_,
                    Scope{pending.parameters.get(), &expanded.captures});
      NodeDescription node;
      node.name = expanded.name;
      node.where = entry.where;
      node.elevation = fields.quantity("elevation", Quantity::length);
      node.volume = fields.quantity("volume", Quantity::volume);
      node.fixed_pressure = fields.quantity("pressure", Quantity::pressure_gauge);
      node.fixed_temperature = fields.quantity("temperature", Quantity::temperature);
      node.inflow = fields.quantity("inflow", Quantity::volume_flow);
      node.initial_temperature = fields.quantity("initial_temperature", Quantity::temperature);
      node.nominal_voltage = fields.quantity("nominal_voltage", Quantity::voltage);
      fields.finish();
      const auto positive = [&](std::string_view key, const std::optional<double>& value, Quantity kind) {
        if (value && *value <= 0.0)
          found_.error(entry.value->find(key)->value->where,
                       fields.label(key) + ": " + readableText(*value, kind) + " is not above 0",
                       "give a positive value");
      };
      positive("volume", node.volume, Quantity::volume);
      positive("temperature", node.fixed_temperature, Quantity::temperature);
      positive("initial_temperature", node.initial_temperature, Quantity::temperature);
      positive("nominal_voltage", node.nominal_voltage, Quantity::voltage);
      plant_.nodes.push_back(std::move(node));
    }
  }
}

void PodReader::readLimits() {
  std::set<std::string> seen;
  for (const auto& pending : limits_) {
    const YamlEntry& entry = *pending.entry;
    for (const auto& expanded : namesOf(pending, "limit")) {
      if (!seen.insert(expanded.name).second) {
        found_.error(entry.where, "limit `" + expanded.name + "` is defined twice", "rename one of the two");
        continue;
      }
      readLimit(entry, expanded, Scope{pending.parameters.get(), &expanded.captures});
    }
  }
}

void PodReader::readLimit(const YamlEntry& entry, const ExpandedName& expanded, const Scope& scope) {
  Fields fields(*entry.value, "limit `" + entry.key + "`", found_, scope);
  LimitDescription limit;
  limit.id = expanded.name;
  limit.where = entry.where;
  std::optional<Quantity> kind;
  if (const auto text = fields.text("signal")) {
    limit.signal = *text;
    if (const auto address =
            parseAddress(*text, SignalPart::required, entry.value->find("signal")->value->markAt(0), found_))
      kind = signalKind(*address);
  } else if (!fields.has("signal")) {
    fields.missing("signal", "give the address of the limited value");
  }
  const auto above = fields.text("above");
  const auto below = fields.text("below");
  if (fields.has("above") == fields.has("below")) {
    found_.error(entry.where, "limit `" + entry.key + "` needs one of `above` and `below`",
                 "write `above: 85 degC`, for instance");
  } else {
    limit.above = fields.has("above");
    const auto& text = limit.above ? above : below;
    const SourceMark where = entry.value->find(limit.above ? "above" : "below")->value->where;
    limit.text = text.value_or("");
    limit.value_where = where;
    if (text && kind) {
      limit.quantity = *kind;
      if (const auto value = parseQuantity(*text, *kind, where, found_, fields.label(limit.above ? "above" : "below")))
        limit.value = *value;
    } else if (text) {
      // The signals of a part, and what a sensor measures, are not known here; the value's own unit tells its kind.
      if (const auto value = parseAnyKind(*text))
        std::tie(limit.value, limit.quantity) = *value;
      else
        found_.error(where, fields.label(limit.above ? "above" : "below") + ": `" + *text + "` is no value with a unit",
                     "write it as `85 degC`, for instance");
    }
  }
  if (const auto delay = fields.duration("delay")) limit.delay = *delay;
  if (const auto of = fields.choice("kind", {"alarm", "trip", "warranty", "rating"}))
    limit.kind = *of;
  else if (!fields.has("kind"))
    limit.kind = "alarm";
  if (const auto source = fields.text("source")) limit.source = *source;
  fields.finish();
  plant_.limits.push_back(std::move(limit));
}

std::optional<Quantity> PodReader::signalKind(const Address& address) {
  const ClassInfo* info = nullptr;
  if (address.kind == Address::Kind::pattern) {
    if (!knownClass(address.name)) {
      unknownClass(address);
      return std::nullopt;
    }
    for (const ClassInfo* known : classes_)
      if (known->name == address.name || known->group == address.name) {
        info = known;
        break;
      }
  } else if (address.kind == Address::Kind::group) {
    const auto it = plant_.groups.find(address.name);
    if (it == plant_.groups.end()) {
      unknownGroup(address);
      return std::nullopt;
    }
    if (!it->second.empty()) info = raw_[by_id_.at(it->second.front())].info;
  } else {
    const auto it = by_id_.find(address.name);
    if (it != by_id_.end())
      info = raw_[it->second].info;
    else if (!isPlace(address.name)) {
      auto known = allIds();
      for (const auto& node : places()) known.push_back(node);
      found_.error(address.where, "`" + address.text + "`: there is no equipment or node `" + address.name + "`",
                   suggestion(address.name, known, "equipment"));
      return std::nullopt;
    }
  }
  if (info == nullptr) return std::nullopt;
  std::vector<std::string> names;
  const auto look = [&](std::string_view name, Quantity quantity) -> std::optional<Quantity> {
    names.emplace_back(name);
    return name == address.signal ? std::optional(quantity) : std::nullopt;
  };
  for (const auto& signal : info->signals)
    if (const auto kind = look(signal.name, signal.quantity)) return signal.by_instance ? std::nullopt : kind;
  for (const auto& state : info->states)
    if (const auto kind = look(state.name, state.quantity)) return kind;
  for (const auto& discrete : info->discretes)
    if (const auto kind = look(discrete.name, discrete.quantity)) return kind;
  // An instance may stand for the bus or zone of the same name too.
  if (address.kind == Address::Kind::instance && isPlace(address.name)) return std::nullopt;
  found_.error(address.where,
               "`" + address.text + "`: class " + std::string(info->name) + " has no signal `" + address.signal + "`",
               suggestion(address.signal, names, "signals"));
  return std::nullopt;
}

// -- references

const std::set<std::string>& PodReader::places() {
  if (places_built_) return places_;
  places_built_ = true;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (raw_[i].info == nullptr) continue;
    for (const auto& port : raw_[i].info->ports) {
      if (port.kind == PortKind::member || port.kind == PortKind::signal) continue;
      const auto it = plant_.instances[i].ports.find(std::string(port.name));
      if (it == plant_.instances[i].ports.end()) continue;
      for (const auto& name : it->second) {
        places_.insert(name);
        used_.insert(name);
        if (port.kind == PortKind::bus) buses_.insert(name);
        if (port.kind == PortKind::fluid) fluid_nodes_.insert(name);
      }
    }
  }
  for (const auto& node : plant_.nodes) {
    places_.insert(node.name);
    if (node.nominal_voltage) buses_.insert(node.name);
  }
  return places_;
}

bool PodReader::isPlace(const std::string& name) {
  if (name == "facility" || places().contains(name)) return true;
  for (std::size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    const auto it = by_id_.find(name.substr(0, dash));
    // Only racks and their like make parts; they are the classes that other classes of the list belong to.
    if (it != by_id_.end() && raw_[it->second].info != nullptr && raw_[it->second].info->group == "rack") return true;
  }
  return false;
}

void PodReader::checkReferences() {
  places();
  std::set<std::string> supplies;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const InstanceDescription& instance = plant_.instances[i];
    if (raw_[i].info == nullptr) continue;
    for (const auto& port : raw_[i].info->ports) {
      const auto it = instance.ports.find(std::string(port.name));
      if (it == instance.ports.end()) continue;
      const SourceMark& where = instance.port_marks.at(std::string(port.name));
      const std::string subject = "`" + std::string(port.name) + "` of " + label(i);
      for (const auto& name : it->second) {
        if (port.kind == PortKind::member && !by_id_.contains(name))
          found_.error(where, subject + ": there is no equipment `" + name + "`",
                       suggestion(name, allIds(), "equipment"));
        if (port.kind == PortKind::signal)
          if (const auto address = parseAddress(name, SignalPart::required, where, found_)) signalKind(*address);
      }
    }
    if (!instance.supply.empty()) checkSupply(i, instance);
  }
  for (const auto& [name, where] : reference_marks_) {
    if (fluid_nodes_.contains(name)) continue;
    const std::string near = nearestName(name, {fluid_nodes_.begin(), fluid_nodes_.end()});
    if (near.empty())
      found_.warning(where, "no equipment uses the reference node `" + name + "`", "connect something to it");
    else
      found_.error(where, "no equipment uses the reference node `" + name + "`", "did you mean `" + near + "`?");
  }
  for (const auto& node : plant_.nodes) {
    const auto same = std::find_if(plant_.circuits.begin(), plant_.circuits.end(),
                                   [&](const auto& circuit) { return circuit.reference_node == node.name; });
    if (node.fixed_pressure && same != plant_.circuits.end() && *node.fixed_pressure != same->reference_pressure)
      found_.error(node.where,
                   "the node '" + node.name +
                       "' has a pressure and is, with another one, the reference of the circuit '" + same->name +
                       "': two things would set one pressure",
                   "leave one of them out");
    if (!used_.contains(node.name))
      found_.warning(node.where, "no equipment uses the node `" + node.name + "`",
                     "connect something to it, or remove the entry");
  }
}

void PodReader::checkSupply(std::size_t i, const InstanceDescription& instance) {
  if (buses_.contains(instance.supply)) return;
  const auto it = instance.port_marks.find("supply");
  const SourceMark& where = it == instance.port_marks.end() ? instance.where : it->second;
  const std::string what =
      "`supply` of " + label(i) + ": nothing else is connected to the bus `" + instance.supply + "`";
  const std::string near = nearestName(instance.supply, {buses_.begin(), buses_.end()});
  if (!near.empty())
    found_.error(where, what, "did you mean `" + near + "`?");
  else
    found_.warning(where, what, "connect a source to it; without one this equipment has no supply");
}

}  // namespace podtwin::data
