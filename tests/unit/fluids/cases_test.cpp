// Reference cases P01 to P06, row by row at each row's own tolerance. The folder of the cases is that of the
// environment variable PODTWIN_CASES, else ../shared/reference/cases beside the repository; without it these tests are
// skipped and the figures carried in the other files of this folder stand alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/fluids/glycol.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/water.hpp"

namespace {

using namespace podtwin::fluids;

constexpr double kFreezing = 273.15;  // K

struct Row {
  std::string scenario, object, quantity;
  double value = 0.0, tol_abs = 0.0, tol_rel = 0.0;
};

std::filesystem::path casesFolder() {
  if (const char* given = std::getenv("PODTWIN_CASES")) return given;
  return std::filesystem::path(PODTWIN_SOURCE_DIR) / ".." / "shared" / "reference" / "cases";
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::vector<Row> readRows(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  if (line != "scenario,object,quantity,time_s,value,unit,tol_abs,tol_rel")
    throw std::runtime_error(file.string() + ": unknown columns: " + line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const auto f = split(line, ',');
    if (f.size() != 8) throw std::runtime_error(file.string() + ": a row of " + std::to_string(f.size()) + " fields");
    rows.push_back({f[0], f[1], f[2], std::stod(f[4]), std::stod(f[6]), std::stod(f[7])});
  }
  return rows;
}

/// "T=300;p=3MPa" as numbers in SI units: degC to K (a bare T is in K), MPa to Pa, % to 1.
class Conditions {
 public:
  explicit Conditions(const std::string& object) {
    for (const auto& part : split(object, ';')) {
      const auto equals = part.find('=');
      if (equals == std::string::npos) throw std::runtime_error("no condition: " + part);
      std::size_t used = 0;
      double x = std::stod(part.substr(equals + 1), &used);
      const std::string unit = part.substr(equals + 1 + used);
      if (unit == "C")
        x += kFreezing;
      else if (unit == "MPa")
        x *= 1e6;
      else if (unit == "%")
        x /= 100.0;
      else if (!unit.empty() && unit != "Pa" && unit != "m")
        throw std::runtime_error("unknown unit in " + part);
      values_[part.substr(0, equals)] = x;
    }
  }
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  double operator[](const std::string& name) const { return values_.at(name); }

 private:
  std::map<std::string, double> values_;
};

/// A row that contradicts its own source, or another case: the tolerance is not widened, the row is not met.
struct RowNotMet {
  const char *scenario, *object, *quantity, *why;
};
constexpr RowNotMet kRowsNotMet[] = {
    {"viscosity", "rho=1;T=433.15", "dynamic_viscosity",
     "printed with 8 digits, half a unit of the last is 3.4e-8 relative; the row asks for 1e-8 and the release's "
     "equation "
     "in 40-digit arithmetic departs by 3.34e-8"},
    {"wet_bulb", "Tdb=30C;W=0.0192281274241096;p=95461", "wet_bulb",
     "its humidity ratio was made with the table's 3169.7 Pa at 25 degC, not with the saturation equation (3169.216 "
     "Pa) "
     "that P05 requires within 1e-4; the equations give 25.0019 degC, the row asks for 25 within 0.001"},
};

const RowNotMet* notMet(const Row& row) {
  for (const RowNotMet& r : kRowsNotMet)
    if (row.scenario == r.scenario && row.object == r.object && row.quantity == r.quantity) return &r;
  return nullptr;
}

/// Every row of a case against `compute`, which gives nothing for a row it does not know: that is a failure too.
template <class Compute>
void checkCase(const std::string& name, std::size_t n_expected, const Compute& compute) {
  const auto file = casesFolder() / name / "expected.csv";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << file.string() << " is not there; set PODTWIN_CASES to the folder of the reference cases";
  const auto rows = readRows(file);
  EXPECT_EQ(rows.size(), n_expected);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.scenario + "," + row.object + "," + row.quantity);
    std::optional<double> x;
    ASSERT_NO_THROW(x = compute(row, Conditions(row.object)));
    ASSERT_TRUE(x.has_value()) << "no function gives this row";
    if (const RowNotMet* known = notMet(row)) {
      std::cout << "row not met: " << row.scenario << "," << row.object << "," << row.quantity << ": " << known->why
                << "\n";
      EXPECT_GT(std::fabs(*x - row.value), std::max(row.tol_abs, row.tol_rel * std::fabs(row.value)))
          << "this row is met now: take it out of kRowsNotMet";
      continue;
    }
    EXPECT_LE(std::fabs(*x - row.value), std::max(row.tol_abs, row.tol_rel * std::fabs(row.value)))
        << "computed " << *x << ", expected " << row.value;
  }
}

TEST(Cases, P01WaterAgreesWithThePrintedFiguresOfIapws) {
  checkCase("P01-iapws-if97-tables", 38, [](const Row& row, const Conditions& c) -> std::optional<double> {
    const auto& q = row.quantity;
    if (row.scenario == "region1") {
      if (q == "specific_volume") return 1.0 / waterDensity(c["T"], c["p"]);
      if (q == "enthalpy") return waterEnthalpy(c["T"], c["p"]);
      if (q == "internal_energy") return waterInternalEnergy(c["T"], c["p"]);
      if (q == "entropy") return waterEntropy(c["T"], c["p"]);
      if (q == "cp") return waterSpecificHeat(c["T"], c["p"]);
      if (q == "sound_speed") return waterSoundSpeed(c["T"], c["p"]);
    }
    if (row.scenario == "saturation" && q == "pressure") return waterSaturationPressure(c["T"]);
    if (row.scenario == "saturation" && q == "temperature") return waterSaturationTemperature(c["p"]);
    if (q == "dynamic_viscosity") return waterViscosity(c["T"], c["rho"]);
    if (q == "thermal_conductivity") return waterConductivity(c["T"], c["rho"]);
    if (q == "surface_tension") return waterSurfaceTension(c["T"]);
    return std::nullopt;
  });
}

TEST(Cases, P02WaterAtLiquidCoolingConditionsAgreesWithIapws) {
  checkCase("P02-water-grid", 156, [](const Row& row, const Conditions& c) -> std::optional<double> {
    const auto& q = row.quantity;
    const double T = c["T"];
    if (q == "vapour_pressure") return waterSaturationPressure(T);
    const double p = c["p"], density = waterDensity(T, p);
    if (q == "density") return density;
    if (q == "cp") return waterSpecificHeat(T, p);
    if (q == "enthalpy") return waterEnthalpy(T, p);
    if (q == "dynamic_viscosity") return waterViscosity(T, density);
    if (q == "thermal_conductivity") return waterConductivity(T, density);
    if (q == "prandtl") return waterPrandtl(T, p);
    return std::nullopt;
  });
}

TEST(Cases, P03GlycolsAgreeWithTheSameCorrelations) {
  checkCase("P03-glycol-properties", 820, [](const Row& row, const Conditions& c) -> std::optional<double> {
    const std::map<std::string, Glycol> glycols{{"MPG", Glycol::propylene_by_mass},
                                                {"APG", Glycol::propylene_by_volume},
                                                {"MEG", Glycol::ethylene_by_mass},
                                                {"AEG", Glycol::ethylene_by_volume}};
    const Glycol glycol = glycols.at(row.scenario);
    const auto& q = row.quantity;
    const double x = c["x"];
    if (q == "freezing_temperature") return glycolFreezingPoint(glycol, x);
    if (q == "density") return glycolDensity(glycol, c["T"], x);
    if (q == "cp") return glycolSpecificHeat(glycol, c["T"], x);
    if (q == "thermal_conductivity") return glycolConductivity(glycol, c["T"], x);
    if (q == "dynamic_viscosity") return glycolViscosity(glycol, c["T"], x);
    return std::nullopt;
  });
}

TEST(Cases, P04MoistAirAgreesWithThePrintedTablesOfAshrae) {
  constexpr double kSeaLevel = 101325.0;  // Pa; the saturation tables are at this pressure
  checkCase("P04-ashrae-psychrometric-tables", 32, [](const Row& row, const Conditions& c) -> std::optional<double> {
    const auto& q = row.quantity;
    if (row.scenario == "sat_pressure") return vapourSaturationPressure(c["T"]);
    if (row.scenario == "sat_humidity_ratio") return saturationHumidityRatio(c["T"], kSeaLevel);
    if (row.scenario == "sat_enthalpy") return moistAirEnthalpy(c["T"], saturationHumidityRatio(c["T"], kSeaLevel));
    if (row.scenario == "std_atmosphere") return standardPressure(c["z"]);
    if (row.scenario == "wet_bulb") return wetBulbFromRatio(c["Tdb"], c["W"], c["p"]) - kFreezing;
    if (row.scenario == "handbook_example1") {
      const double T = c["Tdb"], p = c["p"], ratio = humidityRatioFromWetBulb(T, c["Twb"], p);
      if (q == "humidity_ratio") return ratio;
      if (q == "dew_point") return dewPointFromRatio(ratio, p) - kFreezing;
      if (q == "relative_humidity") return relativeHumidityFromRatio(T, ratio, p);
      if (q == "enthalpy") return moistAirEnthalpy(T, ratio);
      if (q == "specific_volume") return moistAirVolume(T, ratio, p);
    }
    return std::nullopt;
  });
}

TEST(Cases, P05MoistAirOnAGridAgreesWithPsychroLib) {
  checkCase("P05-moist-air-grid", 250, [](const Row& row, const Conditions& c) -> std::optional<double> {
    const auto& q = row.quantity;
    const double T = c["Tdb"], humidity = c["RH"], p = c["p"], ratio = humidityRatio(T, humidity, p);
    if (q == "humidity_ratio") return ratio;
    if (q == "wet_bulb") return wetBulb(T, humidity, p) - kFreezing;
    if (q == "dew_point") return dewPoint(T, humidity) - kFreezing;
    if (q == "enthalpy") return moistAirEnthalpy(T, ratio);
    if (q == "specific_volume") return moistAirVolume(T, ratio, p);
    return std::nullopt;
  });
}

TEST(Cases, P06WetBulbByStullAndByAshraeAgree) {
  constexpr double kSeaLevel = 101325.0;  // Pa
  checkCase("P06-stull-wet-bulb", 16, [](const Row& row, const Conditions& c) -> std::optional<double> {
    if (row.scenario == "stull") return stullWetBulb(c["T"], c["RH"]) - kFreezing;
    if (row.scenario == "ashrae") return wetBulb(c["T"], c["RH"], kSeaLevel) - kFreezing;
    return std::nullopt;
  });
}

TEST(Cases, ViscosityRowNotMetAgreesToAllItsPrintedDigits) {
  constexpr double kMicro = 1e6;  // Printed as 14.538324 uPa s
  EXPECT_DOUBLE_EQ(std::round(waterViscosity(433.15, 1.0) * kMicro * 1e6) / 1e6, 14.538324);
  constexpr double kExact = 14.538324485778432814;  // uPa s: the release's equation in 40-digit arithmetic
  EXPECT_NEAR(waterViscosity(433.15, 1.0) * kMicro, kExact, 1e-14 * kExact);
}

TEST(Cases, WetBulbRowNotMetIsMetWhenItsHumidityRatioComesFromTheEquation) {
  constexpr double kT = 303.15, kWet = 298.15, kPressure = 95461.0;
  // As in the source's own test: there and back by the same equations, to its 0.001 K.
  const double ratio = humidityRatioFromWetBulb(kT, kWet, kPressure);
  EXPECT_NEAR(wetBulbFromRatio(kT, ratio, kPressure), kWet, 0.001);
  // The source holds the quoted ratio to 3e-4 only.
  EXPECT_NEAR(ratio, 0.0192281274241096, 3e-4 * 0.0192281274241096);
  // The quoted ratio is that of the table's 3169.7 Pa put in equation 33 by hand.
  const double saturated = 0.621945 * 3169.7 / (kPressure - 3169.7);
  EXPECT_NEAR(((2501.0 - 2.326 * 25.0) * saturated - 1.006 * 5.0) / (2501.0 + 1.86 * 30.0 - 4.186 * 25.0),
              0.0192281274241096, 1e-12);
}

}  // namespace
