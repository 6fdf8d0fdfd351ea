// Nominal voltages of buses: stated at the bus, by an element's rating, or by what it is joined to.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {
constexpr double kSameVoltage = 0.15;  // ratings of equipment of one level of voltage differ by less: 13.2 and 13.8 kV

std::string volts(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g V", v);
  return text;
}
}  // namespace

void System::findBusVoltages(std::span<const RegisteredClass> classes, Diagnostics& problems) {
  struct Known {
    double voltage = 0.0;
    bool stated = false;  // at the bus itself
    std::string by;
  };
  std::vector<Known> known(buses_.size());
  std::vector<SourceMark> where(buses_.size());
  for (const auto& node : plant_.nodes)
    if (node.nominal_voltage && bus_index_.contains(node.name))
      known[bus_index_.at(node.name)] = {*node.nominal_voltage, true, "`nodes:`"};
  struct At {
    const InstanceDescription* instance;
    const ClassInfo* info;
  };
  std::vector<At> electrical;
  for (const auto& instance : plant_.instances)
    for (const auto& c : classes)
      if (c.info->name == instance.class_name)
        for (const auto& port : c.info->ports)
          if (port.kind == PortKind::bus && instance.ports.contains(std::string(port.name))) {
            electrical.push_back({&instance, c.info});
            break;
          }
  const auto busAt = [&](const At& at, const PortInfo& port) {
    const auto found = at.instance->ports.find(std::string(port.name));
    return found == at.instance->ports.end() || found->second.empty()
               ? -1
               : static_cast<std::ptrdiff_t>(bus_index_.at(found->second[0]));
  };
  const auto note = [&](std::ptrdiff_t bus, double voltage, const At& at) {
    if (bus < 0 || !(voltage > 0.0)) return false;
    Known& k = known[static_cast<std::size_t>(bus)];
    if (k.voltage == 0.0) {
      k = {voltage, false, "'" + at.instance->id + "'"};
      return true;
    }
    if (std::abs(voltage - k.voltage) > kSameVoltage * k.voltage && where[static_cast<std::size_t>(bus)].line == 0) {
      where[static_cast<std::size_t>(bus)] = at.instance->where;
      problems.error(at.instance->where,
                     "the bus '" + buses_[static_cast<std::size_t>(bus)].name + "' has " + volts(k.voltage) + " by " +
                         k.by + " and " + volts(voltage) + " by '" + at.instance->id + "'",
                     "put a transformer between them, or correct one of the two");
    }
    return false;
  };
  for (const auto& at : electrical)
    for (const auto& port : at.info->ports)
      if (port.kind == PortKind::bus && !port.voltage.empty()) {
        const auto& p = at.instance->parameters.at(std::string(port.voltage));
        if (p.given) note(busAt(at, port), p.number, at);
      }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& at : electrical)
      for (const auto& from : at.info->ports)
        for (const auto& to : at.info->ports)
          if (from.kind == PortKind::bus && to.kind == PortKind::bus && from.same_voltage && to.same_voltage &&
              &from != &to) {
            const auto a = busAt(at, from);
            if (a >= 0) changed = note(busAt(at, to), known[static_cast<std::size_t>(a)].voltage, at) || changed;
          }
  }
  if (problems.hasErrors()) return;

  // A section is solved with voltages when all of its buses have one and all of its equipment knows them.
  std::vector<std::size_t> section(buses_.size());
  std::iota(section.begin(), section.end(), std::size_t{0});
  const auto of = [&](std::size_t b) {
    while (section[b] != b) b = section[b] = section[section[b]];
    return b;
  };
  for (const auto& at : electrical)
    if (at.info->electrical == ElectricalRole::branch) {
      std::ptrdiff_t first = -1;
      for (const auto& port : at.info->ports)
        if (port.kind == PortKind::bus)
          if (const auto b = busAt(at, port); b >= 0) {
            if (first >= 0) section[of(static_cast<std::size_t>(b))] = of(static_cast<std::size_t>(first));
            first = b;
          }
    }
  std::vector<std::string> why(buses_.size());
  for (std::size_t b = 0; b < buses_.size(); ++b)
    if (known[b].voltage == 0.0 && why[of(b)].empty()) why[of(b)] = "the bus '" + buses_[b].name + "' has none";
  for (const auto& at : electrical)
    if (at.info->electrical == ElectricalRole::power_only)
      for (const auto& port : at.info->ports)
        if (port.kind == PortKind::bus)
          if (const auto b = busAt(at, port); b >= 0 && why[of(static_cast<std::size_t>(b))].empty())
            why[of(static_cast<std::size_t>(b))] =
                "a " + std::string(at.info->name) + " such as '" + at.instance->id + "' knows power alone";
  std::vector<char> told(buses_.size(), 0);
  for (std::size_t b = 0; b < buses_.size(); ++b) {
    const std::string& reason = why[of(b)];
    if (reason.empty()) {
      electrical_.addBus(b, buses_[b].name, known[b].voltage);
    } else if (known[b].stated && told[of(b)] == 0) {
      told[of(b)] = 1;
      problems.warning(whereNamed(buses_[b].name),
                       "the nominal voltage of '" + buses_[b].name + "' is not used: " + reason +
                           "; what is joined to it carries active power alone",
                       "give every bus of the section a voltage: by `nodes:`, a transformer's or a source's voltage");
    }
  }
}

}  // namespace podtwin
