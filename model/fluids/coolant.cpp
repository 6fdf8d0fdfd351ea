#include "model/fluids/coolant.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "model/base/diagnostics.hpp"
#include "model/fluids/glycol.hpp"
#include "model/fluids/water.hpp"

namespace podtwin::fluids {

std::vector<std::string> coolantNames() {
  return {"water", "PG25", "PG30", "PG40", "PG50", "EG25", "EG30", "EG40", "EG50"};
}

namespace {

struct Mixture {
  Glycol glycol;
  double fraction;  ///< 1, of volume
};

/// "PGnn" or "EGnn"; none for another name.
std::optional<Mixture> mixtureOf(const std::string& name) {
  const bool propylene = name.rfind("PG", 0) == 0, ethylene = name.rfind("EG", 0) == 0;
  const std::string digits = name.size() > 2 ? name.substr(2) : std::string();
  if ((!propylene && !ethylene) || digits.empty() || digits.size() > 3 || digits.front() == '0' ||
      !std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  return Mixture{propylene ? Glycol::propylene_by_volume : Glycol::ethylene_by_volume, std::stod(digits) / 100.0};
}

[[noreturn]] void refuseUnknown(const std::string& name) {
  const std::string near = nearestName(name, coolantNames());
  throw Error("unknown coolant '" + name + "': " + (near.empty() ? "" : "did you mean '" + near + "'? ") +
              "use water, PGnn or EGnn (glycol in per cent by volume)");
}

}  // namespace

std::optional<double> freezingPoint(const std::string& name) {
  constexpr double kWater = 273.15;  // K
  if (name == "water") return kWater;
  if (const auto mixed = mixtureOf(name)) return glycolFreezingPoint(mixed->glycol, mixed->fraction);
  return std::nullopt;
}

Coolant coolantAt(const std::string& name, double T, double p) {
  Coolant coolant;
  coolant.name = name;
  if (name == "water") {
    coolant.density = waterDensity(T, p);
    coolant.specific_heat = waterSpecificHeat(T, p);
    coolant.viscosity = waterViscosity(T, coolant.density);
    coolant.conductivity = waterConductivity(T, coolant.density);
    return coolant;
  }
  const auto mixture = mixtureOf(name);
  if (!mixture) refuseUnknown(name);
  const auto [glycol, x] = *mixture;
  coolant.density = glycolDensity(glycol, T, x);
  coolant.specific_heat = glycolSpecificHeat(glycol, T, x);
  coolant.viscosity = glycolViscosity(glycol, T, x);
  coolant.conductivity = glycolConductivity(glycol, T, x);
  return coolant;
}

CoolantRange coolantRange(const std::string& name, double p) {
  constexpr double kFreezing = 273.15;  // K; where the data of liquid water begin
  constexpr double kShort = 0.1;        // K; of boiling
  if (name == "water") return {kFreezing, waterSaturationTemperature(p) - kShort};
  const auto mixture = mixtureOf(name);
  if (!mixture) refuseUnknown(name);
  const auto [low, high] = glycolRange(mixture->glycol, mixture->fraction);
  return {low, high};
}

double waterMoleFraction(const std::string& name) {
  const bool propylene = name.rfind("PG", 0) == 0, ethylene = name.rfind("EG", 0) == 0;
  if (!propylene && !ethylene) return 1.0;
  // kg/m3 and kg/kmol at 20 degC: CRC Handbook of Chemistry and Physics.
  constexpr double kWater = 998.2 / 18.015, kPropylene = 1036.1 / 76.09, kEthylene = 1113.5 / 62.07;
  const double glycol = std::stod(name.substr(2)) / 100.0;
  const double water = (1.0 - glycol) * kWater;
  return water / (water + glycol * (propylene ? kPropylene : kEthylene));
}

}  // namespace podtwin::fluids
