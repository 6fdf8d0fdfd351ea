#include "scenarios/fault_level_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "model/base/diagnostics.hpp"
#include "scenarios/csv_text.hpp"

namespace podtwin::scenarios {

namespace {

constexpr std::array<std::pair<const char*, FaultMethod>, 3> kMethods{
    {{"iec_60909", FaultMethod::iec_60909},
     {"iec_60909_6_percent", FaultMethod::iec_60909_6_percent},
     {"nominal", FaultMethod::nominal}}};

constexpr std::size_t kMostNamed = 12;
constexpr std::size_t kMostSources = 4;  // on a line of the printed table

std::string named(const std::vector<std::string>& ids) {
  std::string text;
  for (std::size_t k = 0; k < std::min(ids.size(), kMostNamed); ++k) text += (k == 0 ? "'" : ", '") + ids[k] + "'";
  if (ids.size() > kMostNamed) text += fmt::format(" and {} more", ids.size() - kMostNamed);
  return text;
}

std::string kilo(double ampere) { return fmt::format("{:.3f}", ampere / 1e3); }

std::string currentsText(const FaultCurrents& i) {
  return fmt::format("{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}", kilo(i.three_phase), kilo(i.line_line),
                     kilo(i.line_line_ground), kilo(i.earth), kilo(i.line_ground), kilo(i.line_neutral));
}

std::string currentsCsv(const FaultCurrents& i) {
  return fmt::format(",{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g}", i.three_phase, i.line_line, i.line_line_ground,
                     i.earth, i.line_ground, i.line_neutral);
}

std::string currentsHead(const char* which) {
  std::string head;
  for (const char* name : {"ik3", "ik2", "ik2e", "ie2e", "ik1", "ik1n"}) head += fmt::format(",{}_{} [A]", name, which);
  return head;
}

const char* methodText(FaultMethod method) {
  switch (method) {
    case FaultMethod::iec_60909:
      return "IEC 60909-0, low voltage of +-10 %";
    case FaultMethod::iec_60909_6_percent:
      return "IEC 60909-0, low voltage of +-6 %";
    default:
      return "nominal voltage over impedance, no correction";
  }
}

}  // namespace

FaultMethod faultMethod(const std::string& word) {
  for (const auto& [name, method] : kMethods)
    if (word == name) return method;
  throw InputError({"--short-circuit", 0, 0}, "there is no method '" + word + "'",
                   "write --short-circuit, which is iec_60909, or --short-circuit=iec_60909_6_percent or "
                   "--short-circuit=nominal");
}

FaultStudy studyFaultLevels(const System& system, const Evaluation& e, FaultMethod method) {
  if (system.electrical().empty())
    throw InputError({system.plant().file, 0, 0},
                     "no bus of it has a voltage: fault levels need the impedances between buses with voltages",
                     "give buses a nominal_voltage in `nodes:`, or a voltage at the source, and transformers theirs");
  return faultLevels(system, e, method);
}

FaultLevelTables tellFaultLevels(const FaultStudy& study, FaultMethod method) {
  FaultLevelTables tables;
  tables.levels = "id,nominal_voltage [V],c_max [1],c_min [1]" + currentsHead("max") + ",ip [A]" + currentsHead("min") +
                  ",x_over_r [1],r_1 [ohm],x_1 [ohm],r_0 [ohm],x_0 [ohm],current_limited [1]\r\n";
  tables.infeeds = "id,source,ik3_max [A],share [1]\r\n";
  fmt::print(
      "\nFault levels ({} buses; {})\n  initial currents of bolted faults in kA, greatest and below least: "
      "three-phase, "
      "line-line, line-line-ground and its\n  earth current, line-ground, line-neutral; peak of the three-phase one; "
      "X/R\n"
      "  {:<16} {:>9}      {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}\n",
      study.levels.size(), methodText(method), "bus", "U", "ik3", "ik2", "ik2e", "ie2e", "ik1", "ik1n", "ip", "X/R");
  for (const auto& level : study.levels) {
    tables.levels +=
        fmt::format("{},{:.12g},{:.12g},{:.12g}", quoted(level.bus), level.nominal_voltage, level.factor_max,
                    level.factor_min) +
        currentsCsv(level.greatest) + fmt::format(",{:.12g}", level.peak) + currentsCsv(level.least) +
        (level.limited
             ? ",,,,,"
             : fmt::format(",{:.12g},{:.12g},{:.12g}", level.reactance_over_resistance, level.positive.real(),
                           level.positive.imag()) +
                   (level.zero == Complex{} ? ",,"
                                            : fmt::format(",{:.12g},{:.12g}", level.zero.real(), level.zero.imag()))) +
        fmt::format(",{}\r\n", level.limited ? 1 : 0);
    fmt::print("  {:<16} {:>7.6g} V max  {} {:>9} {:>7}\n", level.bus, level.nominal_voltage,
               currentsText(level.greatest), kilo(level.peak),
               level.limited ? std::string("-") : fmt::format("{:.2f}", level.reactance_over_resistance));
    fmt::print("  {:<16} {:>9} min  {}\n", "", "", currentsText(level.least));
    std::string from;
    for (std::size_t k = 0; k < level.infeeds.size(); ++k) {
      const auto& infeed = level.infeeds[k];
      const double share = infeed.current / level.greatest.three_phase;
      tables.infeeds +=
          fmt::format("{},{},{:.12g},{:.12g}\r\n", quoted(level.bus), quoted(infeed.source), infeed.current, share);
      if (k < kMostSources)
        from +=
            fmt::format("{}{} {} ({:.1f} %)", k == 0 ? "" : "; ", infeed.source, kilo(infeed.current), 100.0 * share);
    }
    if (level.infeeds.size() > kMostSources) from += fmt::format("; {} more", level.infeeds.size() - kMostSources);
    fmt::print("  {:<16} from {}{}\n", "", from, level.limited ? ", limited by converters" : "");
  }
  if (!study.without_voltage.empty())
    fmt::print(stderr, "warning: no fault level at {}: {} active power alone; give nominal voltages\n",
               named(study.without_voltage), study.without_voltage.size() == 1 ? "it carries" : "they carry");
  if (!study.unknown_sources.empty())
    fmt::print(stderr, "warning: what {} would drive into a fault is not known and left out of the fault levels\n",
               named(study.unknown_sources));
  return tables;
}

}  // namespace podtwin::scenarios
