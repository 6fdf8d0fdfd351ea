// Circuits, nodes and limits of a pod.
#include "data/readers/pod_reading.hpp"

#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "data/readers/units.hpp"
#include "model/fluids/coolant.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/range.hpp"

namespace podtwin::data {

namespace {
constexpr double kAtmosphere = 101325.0;  // Pa; where properties of coolants are taken
}  // namespace

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
      const SourceMark fluid_where =
          circuitSetting(expanded.name, "fluid", [&](const std::string& text) {
            circuit.fluid = {};
            circuit.fluid.name = text;
          }).value_or(entry.value->find("fluid") != nullptr ? entry.value->find("fluid")->value->where : entry.where);
      if (const YamlNode* node = fields.map("reference")) {
        Fields reference(*node, "`reference` of circuit `" + entry.key + "`", found_, scope);
        if (const auto name = reference.text("node")) {
          circuit.reference_node = *name;
          reference_marks_.push_back({*name, node->find("node")->value->where});
        } else if (!reference.has("node")) {
          reference.missing("node", "name the node whose pressure is held");
        }
        if (const auto pressure = reference.quantity("pressure", Quantity::pressure_gauge)) {
          circuit.reference_pressure = *pressure;
          refuseVacuum(*pressure, "the reference of circuit `" + expanded.name + "`", *node->find("pressure")->value);
        } else if (!reference.has("pressure"))
          reference.missing("pressure", "write `pressure: 200 kPa`");
        reference.finish();
      }
      if (const auto t = fields.quantity("property_temperature", Quantity::temperature))
        circuit.property_temperature = *t;
      SourceMark temperature_where = entry.value->find("property_temperature") != nullptr
                                         ? entry.value->find("property_temperature")->value->where
                                         : fluid_where;
      if (const auto set = circuitSetting(expanded.name, "property_temperature", [&](const std::string& text) {
            if (const auto t =
                    parseQuantity(text, Quantity::temperature, {"--set", 0, 0}, found_, "property_temperature"))
              circuit.property_temperature = *t;
          }))
        temperature_where = *set;
      checkFluid(circuit, fluid_where, temperature_where);
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

std::optional<SourceMark> PodReader::circuitSetting(const std::string& circuit, const std::string& key,
                                                    const std::function<void(const std::string&)>& take) {
  for (auto& setting : circuit_settings_)
    if (setting.circuit == circuit && setting.key == key) {
      setting.used = true;
      take(setting.value);
      return SourceMark{"--set", 0, 0};
    }
  return std::nullopt;
}

void PodReader::reportIdleSettings() {
  for (const auto& setting : circuit_settings_)
    if (!setting.used) {
      std::vector<std::string> known;
      for (const auto& circuit : plant_.circuits) known.push_back(circuit.name);
      found_.error({"--set", 0, 0}, "`" + setting.text + "`: there is no circuit `" + setting.circuit + "`",
                   suggestion(setting.circuit, known, "circuits"));
    }
}

void PodReader::refuseVacuum(double pressure, const std::string& what, const YamlNode& given) {
  const double vacuum = -fluids::standardPressure(plant_.elevation);
  if (pressure > vacuum) return;
  const std::string written = given.isScalar() ? given.text : "";
  found_.error(given.where,
               what + ": " + textInUnitOf(written, pressure, Quantity::pressure_gauge) +
                   " is below absolute vacuum, at this site " + fluids::inWords(std::round(vacuum / 10.0) / 100.0) +
                   " kPa gauge",
               "give a gauge pressure above that; usual are 100 to 300 kPa");
}

void PodReader::checkFluid(const CircuitDescription& circuit, const SourceMark& where,
                           const SourceMark& of_temperature) {
  if (circuit.fluid.density || circuit.fluid.name.empty() || circuit.fluid.name == "custom") return;
  constexpr int kStrongest = 60;  // per cent by volume, of the data of glycol mixtures
  const std::string& name = circuit.fluid.name;
  const std::string subject = "`fluid` of circuit `" + circuit.name + "`: ";
  const std::string digits = name.size() > 2 ? name.substr(2) : "";
  std::string letters = name.substr(0, 2);
  for (char& c : letters) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (letters == "PG" || letters == "EG") {
    const bool numeric =
        !digits.empty() && digits.find_first_not_of("0123456789.-+% ") == std::string::npos && digits != "0";
    const bool whole = digits.find_first_not_of("0123456789") == std::string::npos && !digits.empty() &&
                       digits.size() <= 3 && (digits.front() != '0' || digits == "0");
    if (letters == name.substr(0, 2) && numeric && !whole) {
      found_.error(where, subject + "`" + name + "` is no mixture",
                   "write glycol in whole per cent by volume, 0 to 60, as in `" + letters + "25`");
      return;
    }
    if (whole && std::stoi(digits) > kStrongest) {
      found_.error(where, subject + "`" + name + "`: " + digits + " % of glycol by volume is outside 0 to 60 %",
                   "choose a glycol fraction up to 60 %, as in `" + letters + "60`");
      return;
    }
  }
  fluids::CoolantRange range;
  try {
    range = fluids::coolantRange(name, kAtmosphere);
  } catch (const Error& error) {
    found_.error(where, subject + error.what(), "write `water`, or glycol by whole per cent of volume: `PG25`, `EG30`");
    return;
  }
  const double t = circuit.property_temperature;
  try {
    fluids::coolantAt(name, t, kAtmosphere);
  } catch (const Error&) {
    found_.error(of_temperature,
                 "`property_temperature` of circuit `" + circuit.name + "`: " + readableText(t, Quantity::temperature) +
                     " is outside the data of " + name + ", " + readableText(range.t_low, Quantity::temperature) +
                     " to " + readableText(range.t_high, Quantity::temperature),
                 "give a temperature inside, that of usual operation");
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
      if (node.fixed_pressure)
        refuseVacuum(*node.fixed_pressure, "`pressure` of node `" + expanded.name + "`",
                     *entry.value->find("pressure")->value);
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

}  // namespace podtwin::data
