#include "data/readers/pod_text.hpp"

#include <cmath>
#include <map>

#include "data/readers/units.hpp"

namespace podtwin::data {

namespace {

/// Double-quoted YAML text; a `$` is doubled so that it reads back as itself.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '$') out += '$';
    out += c;
  }
  return out + "\"";
}

std::string list(const std::vector<std::string>& names) {
  std::string out = "[";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ", ") + quoted(names[i]);
  return out + "]";
}

std::string valueText(const ParameterInfo& info, const ParameterValue& value) {
  switch (info.kind) {
    case ParameterKind::number:
      return exactText(value.number, info.quantity);
    case ParameterKind::integer:
      return std::to_string(std::llround(value.number));
    case ParameterKind::flag:
      return value.number != 0.0 ? "true" : "false";
    case ParameterKind::choice:
    case ParameterKind::text:
      return quoted(value.text);
    case ParameterKind::numbers: {
      std::string out = "[";
      for (std::size_t i = 0; i < value.numbers.size(); ++i)
        out += (i == 0 ? "" : ", ") + exactText(value.numbers[i], info.quantity);
      return out + "]";
    }
    case ParameterKind::curve: {
      std::string out = "[";
      for (std::size_t i = 0; i < value.points.size(); ++i)
        out += (i == 0 ? "[" : ", [") + exactText(value.points[i].first, info.quantity) + ", " +
               exactText(value.points[i].second, info.ordinate) + "]";
      return out + "]";
    }
  }
  return "";
}

}  // namespace

std::string expandPod(const PlantDescription& plant, ClassList classes) {
  std::map<std::string_view, const ClassInfo*> by_name;
  for (const ClassInfo* info : classes) by_name[info->name] = info;
  std::string out = "podtwin: pod/1\n";
  if (!plant.title.empty()) out += "title: " + quoted(plant.title) + "\n";
  out += "site: {latitude: " + exactText(plant.latitude, Quantity::angle) +
         ", longitude: " + exactText(plant.longitude, Quantity::angle) +
         ", elevation: " + exactText(plant.elevation, Quantity::length) + "}\n";
  out += "physics: {gravity: " + exactText(plant.gravity, Quantity::acceleration) + ", friction: " + plant.friction +
         "}\n";
  if (plant.design.given)
    out += "design: {rack_power: " + exactText(plant.design.rack_power, Quantity::power) +
           ", weather: {dry_bulb: " + exactText(plant.design.dry_bulb, Quantity::temperature) +
           ", relative_humidity: " + exactText(plant.design.relative_humidity, Quantity::ratio) + "}}\n";
  if (!plant.circuits.empty()) out += "circuits:\n";
  for (const auto& circuit : plant.circuits) {
    out += "  " + quoted(circuit.name) + ": {fluid: ";
    if (circuit.fluid.name == "custom" && circuit.fluid.density) {
      std::string properties;
      const auto add = [&](const char* key, const std::optional<double>& value, Quantity kind) {
        if (value) properties += (properties.empty() ? "" : ", ") + std::string(key) + ": " + exactText(*value, kind);
      };
      add("density", circuit.fluid.density, Quantity::density);
      add("viscosity", circuit.fluid.viscosity, Quantity::dynamic_viscosity);
      add("specific_heat", circuit.fluid.specific_heat, Quantity::specific_heat);
      add("conductivity", circuit.fluid.conductivity, Quantity::conductivity);
      out += "{" + properties + "}";
    } else {
      out += quoted(circuit.fluid.name);
    }
    if (!circuit.reference_node.empty())
      out += ", reference: {node: " + quoted(circuit.reference_node) +
             ", pressure: " + exactText(circuit.reference_pressure, Quantity::pressure_gauge) + "}";
    if (!circuit.held_by.empty()) out += ", held_by: " + quoted(circuit.held_by);
    if (circuit.trapped_stiffness != CircuitDescription{}.trapped_stiffness)
      out += ", trapped_stiffness: " + exactText(circuit.trapped_stiffness, Quantity::pressure_per_kelvin);
    out += ", property_temperature: " + exactText(circuit.property_temperature, Quantity::temperature) +
           (circuit.constant_properties ? ", constant_properties: true}\n" : "}\n");
  }
  if (!plant.nodes.empty()) out += "nodes:\n";
  for (const auto& node : plant.nodes) {
    std::string fields;
    const auto add = [&](const char* key, const std::optional<double>& value, Quantity kind) {
      if (value) fields += (fields.empty() ? "" : ", ") + std::string(key) + ": " + exactText(*value, kind);
    };
    add("elevation", node.elevation, Quantity::length);
    add("volume", node.volume, Quantity::volume);
    add("pressure", node.fixed_pressure, Quantity::pressure_gauge);
    add("temperature", node.fixed_temperature, Quantity::temperature);
    add("inflow", node.inflow, Quantity::volume_flow);
    add("initial_temperature", node.initial_temperature, Quantity::temperature);
    add("nominal_voltage", node.nominal_voltage, Quantity::voltage);
    out += "  " + quoted(node.name) + ": {" + fields + "}\n";
  }
  if (!plant.instances.empty()) out += "equipment:\n";
  for (const auto& instance : plant.instances) {
    out += "  " + quoted(instance.id) + ":";
    if (!instance.type.empty()) out += "  # type " + instance.type;
    out += "\n    class: " + instance.class_name + "\n";
    if (!instance.tag.empty()) out += "    tag: " + quoted(instance.tag) + "\n";
    if (!instance.supply.empty()) out += "    supply: " + quoted(instance.supply) + "\n";
    if (!instance.in_service) out += "    in_service: false\n";
    if (instance.mode != OperatingMode::automatic)
      out += instance.mode == OperatingMode::manual ? "    mode: manual\n" : "    mode: \"off\"\n";
    for (const auto& [port, names] : instance.ports) out += "    " + port + ": " + list(names) + "\n";
    const auto info = by_name.find(instance.class_name);
    if (info == by_name.end()) continue;
    for (const auto& parameter : info->second->parameters) {
      const auto value = instance.parameters.find(std::string(parameter.name));
      if (value == instance.parameters.end() || !value->second.given) continue;
      const std::string text = valueText(parameter, value->second);
      out += "    " + value->first + ": ";
      out +=
          value->second.source.empty() ? text : "{value: " + text + ", source: " + quoted(value->second.source) + "}";
      out += "\n";
    }
  }
  if (!plant.groups.empty()) out += "groups:\n";
  for (const auto& [name, members] : plant.groups) out += "  " + quoted(name) + ": " + list(members) + "\n";
  if (!plant.limits.empty()) out += "limits:\n";
  for (const auto& limit : plant.limits) {
    out += "  " + quoted(limit.id) + ": {signal: " + quoted(limit.signal) + (limit.above ? ", above: " : ", below: ") +
           exactText(limit.value, limit.quantity) + ", delay: " + exactText(limit.delay, Quantity::time) +
           ", kind: " + limit.kind;
    if (!limit.source.empty()) out += ", source: " + quoted(limit.source);
    out += "}\n";
  }
  for (const auto& [section, json] : plant.opaque_sections) out += section + ": " + json + "\n";
  return out;
}

}  // namespace podtwin::data
