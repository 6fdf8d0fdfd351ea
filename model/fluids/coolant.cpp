#include "model/fluids/coolant.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "model/base/diagnostics.hpp"
#include "model/fluids/glycol.hpp"
#include "model/fluids/range.hpp"
#include "model/fluids/water.hpp"

namespace podtwin::fluids {

std::vector<std::string> coolantNames() {
  return {"water", "PG25", "PG30", "PG40", "PG50", "EG25", "EG30", "EG40", "EG50"};
}

namespace {

constexpr double kFreezing = 273.15;                // K; of water, where its data as a liquid begin
constexpr double kWeakest = 0.1, kStrongest = 0.6;  // by volume; the data of glycol mixtures

struct Mixture {
  Glycol glycol;
  double fraction;  ///< 1, of volume
  bool weak() const { return fraction < kWeakest; }
  double share() const { return fraction / kWeakest; }  ///< of a weak one: that of the weakest mixture with data
};

/// "PGnn" or "EGnn"; none for another name. Throws Error for a fraction that is none of a coolant.
std::optional<Mixture> mixtureOf(const std::string& name) {
  const bool propylene = name.rfind("PG", 0) == 0, ethylene = name.rfind("EG", 0) == 0;
  const std::string digits = name.size() > 2 ? name.substr(2) : std::string();
  if ((!propylene && !ethylene) || digits.empty() || digits.size() > 3 || (digits.front() == '0' && digits != "0") ||
      !std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  const double fraction = std::stod(digits) / 100.0;
  requireRange(propylene ? "propylene glycol by volume" : "ethylene glycol by volume", "fraction", fraction, 0.0,
               kStrongest, "");
  return Mixture{propylene ? Glycol::propylene_by_volume : Glycol::ethylene_by_volume, fraction};
}

Coolant waterAt(double T, double p) {
  const double density = waterDensity(T, p);
  return {.name = "water",
          .density = density,
          .specific_heat = waterSpecificHeat(T, p),
          .viscosity = waterViscosity(T, density),
          .conductivity = waterConductivity(T, density)};
}

Coolant mixtureAt(Glycol glycol, double T, double x) {
  return {.name = "",
          .density = glycolDensity(glycol, T, x),
          .specific_heat = glycolSpecificHeat(glycol, T, x),
          .viscosity = glycolViscosity(glycol, T, x),
          .conductivity = glycolConductivity(glycol, T, x)};
}

double between(double a, double b, double share) { return a + share * (b - a); }

/// Between water and the weakest mixture with data, straight in the fraction; viscosity straight in its logarithm.
Coolant weakMixtureAt(const Mixture& mixture, double T, double p) {
  const Coolant water = waterAt(T, p), weakest = mixtureAt(mixture.glycol, T, kWeakest);
  const double share = mixture.share();
  return {.name = "",
          .density = between(water.density, weakest.density, share),
          .specific_heat = between(water.specific_heat, weakest.specific_heat, share),
          .viscosity = std::exp(between(std::log(water.viscosity), std::log(weakest.viscosity), share)),
          .conductivity = between(water.conductivity, weakest.conductivity, share)};
}

[[noreturn]] void refuseUnknown(const std::string& name) {
  const std::string near = nearestName(name, coolantNames());
  throw Error("unknown coolant '" + name + "': " + (near.empty() ? "" : "did you mean '" + near + "'? ") +
              "use water, PGnn or EGnn (glycol in per cent by volume)");
}

}  // namespace

std::optional<double> freezingPoint(const std::string& name) {
  if (name == "water") return kFreezing;
  const auto mixture = mixtureOf(name);
  if (!mixture) return std::nullopt;
  if (mixture->weak()) return between(kFreezing, glycolFreezingPoint(mixture->glycol, kWeakest), mixture->share());
  return glycolFreezingPoint(mixture->glycol, mixture->fraction);
}

Coolant coolantAt(const std::string& name, double T, double p) {
  if (name == "water") return waterAt(T, p);
  const auto mixture = mixtureOf(name);
  if (!mixture) refuseUnknown(name);
  Coolant coolant = mixture->weak() ? weakMixtureAt(*mixture, T, p) : mixtureAt(mixture->glycol, T, mixture->fraction);
  coolant.name = name;
  return coolant;
}

CoolantRange coolantRange(const std::string& name, double p) {
  constexpr double kShort = 0.1;  // K; of boiling
  const double boiling = waterSaturationTemperature(p) - kShort;
  if (name == "water") return {kFreezing, boiling};
  const auto mixture = mixtureOf(name);
  if (!mixture) refuseUnknown(name);
  const auto [low, high] = glycolRange(mixture->glycol, std::max(mixture->fraction, kWeakest));
  if (mixture->weak()) return {kFreezing, std::min(high, boiling)};
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
