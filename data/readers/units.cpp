#include "data/readers/units.hpp"

#include <fmt/format.h>
#include <udunits2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <set>
#include <span>
#include <vector>

namespace podtwin::data {
namespace {
/// udunits2 converts seconds to hertz by turning the number over; a time is no frequency here.
bool reciprocal(const ut_unit* a, const ut_unit* b) {
  ut_unit* ratio = ut_divide(a, b);
  const bool differs = ratio != nullptr && ut_is_dimensionless(ratio) == 0;
  if (ratio != nullptr) ut_free(ratio);
  return differs;
}
}  // namespace
}  // namespace podtwin::data

namespace podtwin::data {

namespace {

/// Kinds in the order in which a text of unknown kind is tried; those that share a dimension with an earlier one are
/// left out.
constexpr std::array kTriedKinds = {Quantity::ratio,
                                    Quantity::temperature,
                                    Quantity::time,
                                    Quantity::length,
                                    Quantity::area,
                                    Quantity::volume,
                                    Quantity::mass,
                                    Quantity::density,
                                    Quantity::specific_heat,
                                    Quantity::heat_capacity,
                                    Quantity::conductivity,
                                    Quantity::thermal_conductance,
                                    Quantity::thermal_resistance,
                                    Quantity::heat_transfer_coefficient,
                                    Quantity::dynamic_viscosity,
                                    Quantity::mass_flow,
                                    Quantity::volume_flow,
                                    Quantity::velocity,
                                    Quantity::pressure_gauge,
                                    Quantity::pressure_absolute,
                                    Quantity::acceleration,
                                    Quantity::power,
                                    Quantity::apparent_power,
                                    Quantity::reactive_power,
                                    Quantity::energy,
                                    Quantity::charge,
                                    Quantity::voltage,
                                    Quantity::current,
                                    Quantity::resistance,
                                    Quantity::resistance_per_length,
                                    Quantity::capacitance_per_length,
                                    Quantity::frequency,
                                    Quantity::rotational_speed,
                                    Quantity::angle,
                                    Quantity::power_rate,
                                    Quantity::temperature_rate,
                                    Quantity::token,
                                    Quantity::token_rate,
                                    Quantity::rate,
                                    Quantity::conductance_per_flow,
                                    Quantity::radiance,
                                    Quantity::money,
                                    Quantity::carbon_mass,
                                    Quantity::energy_price,
                                    Quantity::carbon_intensity};

/// SI unit of a kind in the spelling of our extended unit system (tokens and CO2 have base units of their own there).
std::string targetUnit(Quantity kind) {
  switch (kind) {
    case Quantity::token:
      return "token";
    case Quantity::token_rate:
      return "token s-1";
    case Quantity::carbon_mass:
      return "kgCOtwo";
    case Quantity::carbon_intensity:
      return "kgCOtwo J-1";
    default:
      return std::string(siUnit(kind));
  }
}

constexpr double kSecondsPerHour = 3600.0;
constexpr double kSecondsPerMinute = 60.0;
constexpr double kGramsPerTonne = 1e6;
// m3: 231 cubic inches of 25.4 mm exactly (NIST SP 811); udunits2 rounds its US gallon to seven digits.
constexpr double kUsGallon = 3.785411784e-3;
constexpr double kZeroCelsius = 273.15;  // K, by definition

/// udunits2 with our names added; every use holds the mutex, because udunits2 keeps its status in globals.
class UnitSystem {
 public:
  static UnitSystem& instance() {
    static UnitSystem system;
    return system;
  }

  enum class Refusal { none, unknown, other_kind };
  struct Conversion {
    cv_converter* converter = nullptr;
    Refusal refusal = Refusal::none;
  };

  Conversion conversion(const std::string& from, const std::string& to) {
    const std::lock_guard lock(mutex_);
    const auto key = std::make_pair(from, to);
    if (const auto found = conversions_.find(key); found != conversions_.end()) return found->second;
    Conversion made;
    ut_unit* source = ut_parse(system_, from.c_str(), UT_UTF8);
    ut_unit* target = ut_parse(system_, to.c_str(), UT_UTF8);
    if (target == nullptr) throw Error("udunits2 does not know the unit `" + to + "`");
    if (source == nullptr)
      made.refusal = Refusal::unknown;
    else if (ut_are_convertible(source, target) == 0 || reciprocal(source, target))
      made.refusal = Refusal::other_kind;
    else
      made.converter = ut_get_converter(source, target);
    if (made.converter == nullptr && made.refusal == Refusal::none) made.refusal = Refusal::other_kind;
    if (source != nullptr) ut_free(source);
    ut_free(target);
    // Converters live as long as the program; only refusals of a hostile file could fill memory, so those stop at the
    // limit.
    if (made.converter != nullptr || conversions_.size() < kMostCached) conversions_[key] = made;
    return made;
  }

 private:
  static constexpr std::size_t kMostCached = 10'000;  // a plant has some dozens

  UnitSystem() {
    ut_set_error_message_handler(ut_ignore);
    system_ = ut_read_xml(nullptr);
    if (system_ == nullptr)
      throw Error(
          "udunits2 cannot read its unit database; install the package libudunits2-data or set UDUNITS2_XML_PATH");
    // A unit of its own kind is a base unit here, so that nothing else converts to it.
    base({"VA"});
    base({"var", "VAr", "VAR"});
    base({"token", "tokens"});
    base({"USD"});
    base({"gCOtwo"});
    derived({"Wh"}, "W s", kSecondsPerHour);
    derived({"Ah"}, "A s", kSecondsPerHour);
    derived({"lpm", "Lpm", "LPM"}, "L/min", 1.0);
    derived({"gpm", "GPM"}, "m3/min", kUsGallon);
    derived({"rpm"}, "radian/min", 2.0 * std::numbers::pi);
    derived({"deg"}, "arc_degree", 1.0);
    derived({"pu"}, "1", 1.0);
    derived({"tCOtwo"}, "gCOtwo", kGramsPerTonne);
  }
  ~UnitSystem() {
    for (const auto& [units, conversion] : conversions_)
      if (conversion.converter != nullptr) cv_free(conversion.converter);
    ut_free_system(system_);
  }
  UnitSystem(const UnitSystem&) = delete;
  UnitSystem& operator=(const UnitSystem&) = delete;

  void map(const std::vector<const char*>& names, ut_unit* unit) {
    for (const char* name : names) {
      // Names that udunits2 gives another meaning are taken from it; the others are not there, which is as good.
      ut_unmap_name_to_unit(system_, name, UT_ASCII);
      ut_unmap_symbol_to_unit(system_, name, UT_ASCII);
      if (unit == nullptr || ut_map_symbol_to_unit(name, UT_ASCII, unit) != UT_SUCCESS)
        throw Error("udunits2 does not take the unit name `" + std::string(name) + "`");
    }
  }
  void base(const std::vector<const char*>& names) {
    ut_unit* unit = ut_new_base_unit(system_);
    map(names, unit);
    ut_free(unit);
  }
  void derived(const std::vector<const char*>& names, const char* of, double factor) {
    ut_unit* unit = ut_parse(system_, of, UT_UTF8);
    if (unit == nullptr) throw Error("udunits2 does not know the unit `" + std::string(of) + "`");
    ut_unit* scaled = ut_scale(factor, unit);
    map(names, scaled);
    ut_free(scaled);
    ut_free(unit);
  }

  std::mutex mutex_;
  ut_system* system_ = nullptr;
  std::map<std::pair<std::string, std::string>, Conversion> conversions_;
};

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A unit text as udunits2 shall see it, with the unit names in it.
struct UnitText {
  std::string text;
  std::vector<std::string> names;
  bool valid = true;
};

UnitText normalised(std::string_view given) {
  static constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"CO2e", "COtwo"}, {"CO2", "COtwo"}, {"°C", "degC"}, {"°F", "degF"}, {"°", "deg"}, {"·", "."},
      {"⋅", "."},        {"²", "2"},       {"³", "3"},     {"Ω", "ohm"},   {"µ", "u"},   {"μ", "u"}};
  // Words by which udunits2 reads offsets and logarithms.
  static const std::set<std::string> operators = {"since", "after", "from", "ref", "lg", "ln", "re"};
  constexpr std::size_t kLongestUnit = 48;  // characters; real ones stay below 20

  UnitText unit;
  unit.text = std::string(trimmed(given));
  for (const auto& [from, to] : kSpellings) replaceAll(unit.text, from, to);
  if (unit.text.size() > kLongestUnit) unit.valid = false;
  // Only names, exponents and operators: udunits2 would also take factors and offsets ("3 W", "K @ 5").
  char before = '/';
  for (std::size_t i = 0; i < unit.text.size() && unit.valid; ++i) {
    const char c = unit.text[i];
    if (isLetter(c)) {
      std::size_t end = i;
      while (end < unit.text.size() && isLetter(unit.text[end])) ++end;
      unit.names.push_back(unit.text.substr(i, end - i));
      if (operators.contains(unit.names.back())) unit.valid = false;
      i = end - 1;
      before = 'a';
      continue;
    }
    if (isDigit(c)) {
      const bool leading_one = i == 0 && c == '1' && (unit.text.size() == 1 || unit.text[1] == '/');
      const bool exponent = before == 'a' || before == ')' || before == '^' || before == '-';
      if (!leading_one && !exponent) unit.valid = false;
    } else if (c == '-') {
      if (before != 'a' && before != '^' && before != ')') unit.valid = false;
    } else if (std::string_view("/.*^() ").find(c) == std::string_view::npos) {
      unit.valid = false;
    }
    before = c;
  }
  return unit;
}

bool any(const UnitText& unit, std::span<const std::string_view> names) {
  return std::any_of(unit.names.begin(), unit.names.end(), [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}
bool any(const UnitText& unit, std::initializer_list<std::string_view> names) {
  return any(unit, std::span<const std::string_view>(names.begin(), names.size()));
}

constexpr auto kAngular = std::to_array<std::string_view>(
    {"rad", "mrad", "radian", "deg", "degree", "degrees", "arc_degree", "rpm", "krpm", "revolution", "turn"});
constexpr auto kHertz = std::to_array<std::string_view>({"Hz", "mHz", "kHz", "MHz", "GHz", "hertz"});
constexpr auto kScales = std::to_array<std::string_view>(
    {"degC", "degF", "celsius", "fahrenheit", "degree_Celsius", "degrees_Celsius", "degreeC", "degreesC", "degree_C",
     "degrees_C", "deg_C", "deg_F", "degreeF", "degrees_F", "degR", "Celsius", "Fahrenheit", "°C", "°F"});

bool isPressure(Quantity kind) {
  return kind == Quantity::pressure_gauge || kind == Quantity::pressure_absolute ||
         kind == Quantity::pressure_difference;
}

/// Takes the g or a off `barg`, `psia`, `kPag`; returns why the suffix does not fit, or nothing.
std::string takePressureSuffix(UnitText& unit, Quantity kind) {
  static const std::set<std::string> plain = {"bar", "mbar", "psi", "Pa", "kPa", "MPa", "hPa"};
  if (unit.names.size() != 1 || unit.names.front() != unit.text) return "";
  const std::string name = unit.text;
  if (name.size() < 3 || plain.contains(name) || (name.back() != 'g' && name.back() != 'a')) return "";
  const std::string stem = name.substr(0, name.size() - 1);
  if (!plain.contains(stem)) return "";
  const bool gauge = name.back() == 'g';
  if (kind == Quantity::pressure_difference) return "a difference of pressures is neither gauge nor absolute";
  if (gauge && kind == Quantity::pressure_absolute) return "gauge pressure is given where absolute pressure is due";
  if (!gauge && kind == Quantity::pressure_gauge) return "absolute pressure is given where gauge pressure is due";
  unit.text = stem;
  unit.names.front() = stem;
  return "";
}

/// Why a unit of the right dimension is of the wrong kind all the same; empty when it fits.
std::string kindMismatch(const UnitText& unit, Quantity kind) {
  switch (kind) {
    case Quantity::temperature_difference:
      return any(unit, kScales) ? "a temperature difference takes K; " + unit.text + " gives a temperature" : "";
    case Quantity::temperature:
      return "";
    case Quantity::ratio:
      return unit.text == "%" || unit.text == "pu" || unit.text == "1" ? "" : "a ratio takes %, pu, 1 or no unit";
    case Quantity::frequency:
      return any(unit, kHertz) ? "" : "a frequency takes Hz; revolutions take rpm";
    case Quantity::rotational_speed:
      return any(unit, kAngular) && !any(unit, kHertz) ? "" : "a rotational speed takes rpm or rad/s, not Hz";
    case Quantity::angle:
      return any(unit, kAngular) && !any(unit, {"rpm"}) ? "" : "an angle takes deg or rad";
    case Quantity::rate:
      return any(unit, kHertz) || any(unit, kAngular) ? "a rate takes 1/s, 1/min or 1/h" : "";
    case Quantity::power:
      return any(unit, {"V", "kV", "mV", "A", "mA", "kA"}) ? "volt times ampere is apparent power" : "";
    case Quantity::energy:
      return any(unit, {"N", "kN", "V", "kV"}) ? "an energy takes J or kWh" : "";
    default:
      // Inside a compound unit a scale with an offset has no meaning.
      return any(unit, kScales) ? "a compound unit takes K, not degC or degF" : "";
  }
}

std::string withArticle(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

std::string remedyFor(Quantity kind) {
  return "write " + withArticle(quantityName(kind)) + " with its unit, as in `" + std::string(exampleOf(kind)) + "`";
}

/// A converter to SI, or why the unit is refused.
struct Resolved {
  const cv_converter* converter = nullptr;
  std::string what;
};

Resolved resolve(std::string_view given, Quantity kind) {
  Resolved out;
  UnitText unit = normalised(given);
  const std::string shown(trimmed(given));
  if (!unit.valid) {
    out.what = "the unit `" + shown + "` is not understood";
    return out;
  }
  if (isPressure(kind)) {
    if (const auto reason = takePressureSuffix(unit, kind); !reason.empty()) {
      out.what = reason + " (`" + shown + "`)";
      return out;
    }
  }
  const auto conversion = UnitSystem::instance().conversion(unit.text, targetUnit(kind));
  if (conversion.refusal == UnitSystem::Refusal::unknown) {
    out.what = "the unit `" + shown + "` is unknown";
    return out;
  }
  if (conversion.refusal == UnitSystem::Refusal::other_kind) {
    out.what = "the unit `" + shown + "` is of another kind than " + withArticle(quantityName(kind));
    if (unit.text == "C") out.what += " (C is coulomb)";
    if (unit.text == "F") out.what += " (F is farad)";
    if (any(unit, {"gal"})) out.what += " (gal is an acceleration)";
    if (unit.text == "m" && kind == Quantity::time) out.what += " (m is metre; minutes are min)";
    return out;
  }
  if (const auto mismatch = kindMismatch(unit, kind); !mismatch.empty()) {
    out.what = mismatch + " (`" + shown + "` is given)";
    return out;
  }
  out.converter = conversion.converter;
  return out;
}

struct Split {
  std::optional<double> number;
  bool out_of_range = false;
  std::string_view unit;
};

Split split(std::string_view text) {
  Split out;
  text = trimmed(text);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::size_t first = digits.starts_with('-') && digits.size() == text.size() ? 1 : 0;
  // from_chars would also take "inf" and "nan", which no input may be.
  if (first >= digits.size() || !(isDigit(digits[first]) || digits[first] == '.')) return out;
  double value = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument) return out;
  out.unit = trimmed(digits.substr(static_cast<std::size_t>(end - digits.data())));
  out.out_of_range = code == std::errc::result_out_of_range || !std::isfinite(value);
  if (!out.out_of_range) out.number = value;
  return out;
}

UnitScale scaleOf(const cv_converter* converter) {
  const double offset = cv_convert_double(converter, 0.0);
  return {cv_convert_double(converter, 1.0) - offset, offset};
}

}  // namespace

std::string_view exampleOf(Quantity kind) {
  switch (kind) {
    case Quantity::none:
      return "3";
    case Quantity::ratio:
      return "12 %";
    case Quantity::temperature:
      return "40 degC";
    case Quantity::temperature_difference:
      return "5 K";
    case Quantity::time:
      return "10 min";
    case Quantity::length:
      return "25 m";
    case Quantity::area:
      return "2 m2";
    case Quantity::volume:
      return "450 L";
    case Quantity::mass:
      return "120 kg";
    case Quantity::density:
      return "1020 kg/m3";
    case Quantity::specific_heat:
      return "3900 J/kg/K";
    case Quantity::heat_capacity:
      return "120 J/K";
    case Quantity::conductivity:
      return "0.5 W/m/K";
    case Quantity::thermal_conductance:
      return "317 kW/K";
    case Quantity::thermal_resistance:
      return "0.02 K/W";
    case Quantity::heat_transfer_coefficient:
      return "800 W/m2/K";
    case Quantity::dynamic_viscosity:
      return "1.5 mPa s";
    case Quantity::mass_flow:
      return "12 kg/s";
    case Quantity::volume_flow:
      return "119 L/min";
    case Quantity::velocity:
      return "2 m/s";
    case Quantity::pressure_gauge:
      return "200 kPa";
    case Quantity::pressure_absolute:
      return "101325 Pa";
    case Quantity::pressure_difference:
      return "80 kPa";
    case Quantity::acceleration:
      return "9.80665 m/s2";
    case Quantity::power:
      return "142 kW";
    case Quantity::apparent_power:
      return "2.5 MVA";
    case Quantity::reactive_power:
      return "300 kvar";
    case Quantity::energy:
      return "250 kWh";
    case Quantity::charge:
      return "100 Ah";
    case Quantity::voltage:
      return "480 V";
    case Quantity::current:
      return "1600 A";
    case Quantity::resistance:
      return "0.01 ohm";
    case Quantity::resistance_per_length:
      return "0.125 ohm/km";
    case Quantity::capacitance_per_length:
      return "280 nF/km";
    case Quantity::frequency:
      return "60 Hz";
    case Quantity::rotational_speed:
      return "1800 rpm";
    case Quantity::angle:
      return "43 deg";
    case Quantity::power_rate:
      return "100 kW/s";
    case Quantity::power_per_kelvin:
      return "1.4 W/K";
    case Quantity::pressure_per_kelvin:
      return "2.5 bar/K";
    case Quantity::temperature_rate:
      return "0.1 K/s";
    case Quantity::rate:
      return "0.5 1/s";
    case Quantity::conductance_per_flow:
      return "1.4e-7 K m3 W-1 s-1";
    case Quantity::token:
      return "4096 token";
    case Quantity::token_rate:
      return "2500 token/s";
    case Quantity::radiance:
      return "800 W/m2";
    case Quantity::money:
      return "1200 USD";
    case Quantity::carbon_mass:
      return "350 gCO2";
    case Quantity::energy_price:
      return "60 USD/MWh";
    case Quantity::carbon_intensity:
      return "400 gCO2/kWh";
  }
  return "1";
}

std::optional<double> parseNumber(std::string_view text) {
  const Split parts = split(text);
  return parts.unit.empty() ? parts.number : std::nullopt;
}

std::optional<double> parseQuantity(std::string_view text, Quantity kind, const SourceMark& where,
                                    Diagnostics& diagnostics, const std::string& subject) {
  const std::string shown(trimmed(text));
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    diagnostics.error(where, subject + ": " + what, remedy);
    return std::nullopt;
  };
  const Split parts = split(text);
  if (parts.out_of_range)
    return refuse("`" + shown + "` is beyond the range of a number (1e-307 to 1e308)", "give a finite value");
  if (!parts.number) return refuse("`" + shown + "` does not begin with a number", remedyFor(kind));
  if (parts.unit.empty()) {
    if (kind == Quantity::none || kind == Quantity::ratio) return parts.number;
    return refuse("`" + shown + "` has no unit, but " + withArticle(quantityName(kind)) + " is due", remedyFor(kind));
  }
  if (parts.unit.size() > 1 && parts.unit[0] == ',' && isDigit(parts.unit[1])) {
    std::string better = shown;
    better[better.find(',')] = '.';
    return refuse("`" + shown + "` has a comma", "write a decimal point, not a comma: `" + better + "`");
  }
  if (kind == Quantity::none) {
    if (parts.unit == "1") return parts.number;
    return refuse("`" + shown + "` has a unit, but a pure number is due", "leave the unit out");
  }
  const Resolved unit = resolve(parts.unit, kind);
  if (unit.converter == nullptr) return refuse(unit.what, remedyFor(kind));
  const double value = cv_convert_double(unit.converter, *parts.number);
  if (!std::isfinite(value))
    return refuse("`" + shown + "` is beyond the range of a number in SI units", "give a finite value");
  if (kind == Quantity::temperature && value < 0.0)
    return refuse("`" + shown + "` is below absolute zero (-273.15 degC)", remedyFor(kind));
  return value;
}

std::optional<double> parseDuration(std::string_view text, const SourceMark& where, Diagnostics& diagnostics,
                                    const std::string& subject) {
  const auto value = parseQuantity(text, Quantity::time, where, diagnostics, subject);
  if (value && *value < 0.0) {
    diagnostics.error(where, subject + ": `" + std::string(trimmed(text)) + "` is negative", "give 0 s or more");
    return std::nullopt;
  }
  return value;
}

std::optional<std::pair<double, Quantity>> parseAnyKind(std::string_view text) {
  const Split parts = split(text);
  if (!parts.number) return std::nullopt;
  if (parts.unit.empty()) return std::make_pair(*parts.number, Quantity::none);
  for (const Quantity kind : kTriedKinds) {
    const Resolved unit = resolve(parts.unit, kind);
    if (unit.converter == nullptr) continue;
    const double value = cv_convert_double(unit.converter, *parts.number);
    if (std::isfinite(value)) return std::make_pair(value, kind);
  }
  return std::nullopt;
}

std::optional<UnitScale> parseUnit(std::string_view unit, Quantity kind, const SourceMark& where,
                                   Diagnostics& diagnostics, const std::string& subject) {
  const std::string_view bare = trimmed(unit);
  const bool countable = kind == Quantity::none || kind == Quantity::ratio || kind == Quantity::token;
  if (countable && (bare == "1" || (bare.empty() && kind != Quantity::token))) return UnitScale{};
  if (kind == Quantity::none) {
    diagnostics.error(where, subject + ": the unit `" + std::string(bare) + "` stands where a pure number is due",
                      "head it [1]");
    return std::nullopt;
  }
  const Resolved resolved = bare.empty() ? Resolved{nullptr, "the unit is missing"} : resolve(bare, kind);
  if (resolved.converter == nullptr) {
    diagnostics.error(where, subject + ": " + resolved.what,
                      "head it `name [unit]` with the unit of " + withArticle(quantityName(kind)) + ", such as [" +
                          targetUnit(kind) + "]");
    return std::nullopt;
  }
  return scaleOf(resolved.converter);
}

std::optional<std::pair<UnitScale, Quantity>> parseUnitOfAnyKind(std::string_view unit) {
  const std::string_view bare = trimmed(unit);
  if (bare.empty()) return std::nullopt;
  for (const Quantity kind : kTriedKinds) {
    const Resolved resolved = resolve(bare, kind);
    if (resolved.converter != nullptr) return std::make_pair(scaleOf(resolved.converter), kind);
  }
  return std::nullopt;
}

namespace {

/// Reads exactly `count` digits at `at`.
std::optional<int> digitsAt(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!isDigit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// The stamp in seconds and the text after it (the zone): YYYY-MM-DDThh:mm[:ss[.fraction]].
std::optional<std::pair<double, std::string_view>> stamp(std::string_view text) {
  text = trimmed(text);
  const auto year = digitsAt(text, 0, 4);
  const auto month = digitsAt(text, 5, 2);
  const auto day = digitsAt(text, 8, 2);
  const auto hour = digitsAt(text, 11, 2);
  const auto minute = digitsAt(text, 14, 2);
  if (!year || !month || !day || !hour || !minute) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':') return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *hour > 23 || *minute > 59) return std::nullopt;
  std::size_t at = 16;
  int second = 0;
  double fraction = 0.0;
  if (at < text.size() && text[at] == ':') {
    const auto given = digitsAt(text, at + 1, 2);
    if (!given || *given > 59) return std::nullopt;
    second = *given;
    at += 3;
    if (at < text.size() && text[at] == '.') {
      std::size_t end = at + 1;
      while (end < text.size() && isDigit(text[end])) ++end;
      if (end == at + 1) return std::nullopt;
      const std::string digits = "0" + std::string(text.substr(at, end - at));
      std::from_chars(digits.data(), digits.data() + digits.size(), fraction);
      at = end;
    }
  }
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  const auto whole = ((static_cast<long long>(days) * 24 + *hour) * 60 + *minute) * 60 + second;
  return std::make_pair(static_cast<double>(whole) + fraction, text.substr(at));
}

}  // namespace

std::optional<double> parseTimestampWithoutZone(std::string_view text) {
  const auto parsed = stamp(text);
  if (!parsed || !parsed->second.empty()) return std::nullopt;
  return parsed->first;
}

std::optional<double> parseTimestamp(std::string_view text, const SourceMark& where, Diagnostics& diagnostics,
                                     const std::string& subject) {
  const std::string shown(trimmed(text));
  const auto parsed = stamp(text);
  if (!parsed) {
    diagnostics.error(where, subject + ": `" + shown + "` is no date and time", "write it as `2026-07-15T00:00:00Z`");
    return std::nullopt;
  }
  const std::string_view zone = parsed->second;
  if (zone.empty()) {
    diagnostics.error(where, subject + ": `" + shown + "` has no time zone",
                      "append Z for UTC, or an offset such as +02:00");
    return std::nullopt;
  }
  if (zone == "Z") return parsed->first;
  const bool colon = zone.size() == 6 && zone[3] == ':';
  const auto hours = digitsAt(zone, 1, 2);
  const auto minutes = digitsAt(zone, colon ? 4 : 3, 2);
  constexpr int kLargestOffset = 14;  // h; UTC+14 is the easternmost zone
  if ((zone[0] != '+' && zone[0] != '-') || (!colon && zone.size() != 5) || !hours || !minutes ||
      *hours > kLargestOffset || *minutes > 59) {
    diagnostics.error(where, subject + ": the time zone `" + std::string(zone) + "` is not understood",
                      "append Z for UTC, or an offset such as +02:00");
    return std::nullopt;
  }
  const double offset = *hours * kSecondsPerHour + *minutes * kSecondsPerMinute;
  return zone[0] == '-' ? parsed->first + offset : parsed->first - offset;
}

std::string exactText(double value, Quantity kind) {
  if (kind == Quantity::none || kind == Quantity::ratio) return fmt::format("{}", value);
  std::string unit = targetUnit(kind);
  replaceAll(unit, "COtwo", "CO2");
  return fmt::format("{} {}", value, unit);
}

std::string readableText(double value, Quantity kind) {
  if (kind == Quantity::none || kind == Quantity::ratio) return fmt::format("{:.6g}", value);
  if (kind == Quantity::temperature) return fmt::format("{:.6g} degC", value - kZeroCelsius);
  std::string unit = targetUnit(kind);
  replaceAll(unit, "COtwo", "CO2");
  return fmt::format("{:.6g} {}", value, unit);
}

namespace {

/// Units beside that of the example and the SI one, in which values of a kind are written.
std::vector<std::string_view> otherUnits(Quantity kind) {
  switch (kind) {
    case Quantity::time:
      return {"min", "h", "ms"};
    case Quantity::length:
      return {"mm"};
    case Quantity::volume_flow:
      return {"L/s"};
    case Quantity::power:
      return {"W", "MW"};
    case Quantity::apparent_power:
      return {"kVA"};
    case Quantity::thermal_conductance:
      return {"W/K"};
    default:
      return {};
  }
}

/// `value` in a unit to ten digits; nothing where the unit does not take it.
std::optional<std::string> inUnit(double value, Quantity kind, std::string_view unit) {
  const Resolved resolved = resolve(unit, kind);
  if (resolved.converter == nullptr) return std::nullopt;
  const UnitScale scale = scaleOf(resolved.converter);
  const double number = (value - scale.offset) / scale.scale;
  constexpr double kRoundOff = 1e-13;
  return fmt::format("{:.10g} {}", std::abs(number) < kRoundOff ? 0.0 : number, unit);
}

}  // namespace

std::string customaryText(double value, Quantity kind) {
  if (kind == Quantity::none || !std::isfinite(value)) return fmt::format("{:.10g}", value);
  std::vector<std::string_view> units = {kind == Quantity::time ? "s" : split(exampleOf(kind)).unit};
  for (const auto unit : otherUnits(kind)) units.push_back(unit);
  std::string best;
  std::size_t digits = 0;
  for (const auto unit : units) {
    const auto text = inUnit(value, kind, unit);
    if (!text) continue;
    const std::size_t own = text->find(' ');
    if (best.empty() || own < digits) {
      best = *text;
      digits = own;
    }
  }
  return best.empty() ? readableText(value, kind) : best;
}

std::string textInUnitOf(std::string_view like, double value, Quantity kind) {
  const Split parts = split(like);
  if (kind == Quantity::ratio && parts.unit.empty()) return readableText(value, kind);
  if (parts.unit.empty()) return customaryText(value, kind);
  return inUnit(value, kind, parts.unit).value_or(customaryText(value, kind));
}

std::string timestampText(double seconds) {
  constexpr long long kMicro = 1'000'000;
  const double whole = std::floor(seconds);
  const auto microseconds = std::llround((seconds - whole) * static_cast<double>(kMicro));
  const auto total = static_cast<long long>(whole) + microseconds / kMicro;
  const auto rest = microseconds % kMicro;
  const std::chrono::sys_seconds point{std::chrono::seconds{total}};
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date{day};
  const long long second = (point - day).count();
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), second / 3600,
                                 second / 60 % 60, second % 60);
  if (rest != 0) text += fmt::format(".{:06}", rest);
  return text + "Z";
}

}  // namespace podtwin::data
