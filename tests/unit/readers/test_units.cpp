#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "data/readers/units.hpp"

namespace podtwin::data {
namespace {

double si(std::string_view text, Quantity kind) {
  Diagnostics problems;
  const auto value = parseQuantity(text, kind, {"f", 1, 1}, problems);
  EXPECT_TRUE(value) << text << ": " << (problems.list().empty() ? "" : problems.list().front().text());
  return value.value_or(-1e300);
}

std::string refusal(std::string_view text, Quantity kind) {
  Diagnostics problems;
  const auto value = parseQuantity(text, kind, {"f", 3, 7}, problems);
  EXPECT_FALSE(value) << text << " gave " << value.value_or(0.0);
  EXPECT_EQ(problems.list().size(), 1U);
  return problems.list().empty() ? "" : problems.list().front().text();
}

struct Accepted {
  const char* text;
  Quantity kind;
  double expected;
};

TEST(Units, everyUnitOfTheProductPageConverts) {
  const Accepted cases[] = {
      {"1400 W", Quantity::power, 1400.0},
      {"142 kW", Quantity::power, 142e3},
      {"119 L/min", Quantity::volume_flow, 119e-3 / 60.0},
      {"2 L/s", Quantity::volume_flow, 2e-3},
      {"36 m3/h", Quantity::volume_flow, 0.01},
      {"10 lpm", Quantity::volume_flow, 10e-3 / 60.0},
      {"10 gpm", Quantity::volume_flow, 10.0 * 231.0 * 0.0254 * 0.0254 * 0.0254 / 60.0},  // US gallon: 231 in3
      {"40 degC", Quantity::temperature, 313.15},
      {"40 °C", Quantity::temperature, 313.15},
      {"104 degF", Quantity::temperature, 313.15},
      {"300 K", Quantity::temperature, 300.0},
      {"5 K", Quantity::temperature_difference, 5.0},
      {"250 kPa", Quantity::pressure_gauge, 250e3},
      {"2.5 barg", Quantity::pressure_gauge, 250e3},
      {"1 bara", Quantity::pressure_absolute, 1e5},
      {"12 %", Quantity::ratio, 0.12},
      {"0.5 pu", Quantity::ratio, 0.5},
      {"0.5", Quantity::ratio, 0.5},
      {"3 1", Quantity::ratio, 3.0},
      {"2.5 MVA", Quantity::apparent_power, 2.5e6},
      {"300 kvar", Quantity::reactive_power, 300e3},
      {"250 kWh", Quantity::energy, 9e8},
      {"2 MWh", Quantity::energy, 7.2e9},
      {"100 Ah", Quantity::charge, 360e3},
      {"60 Hz", Quantity::frequency, 60.0},
      {"1800 rpm", Quantity::rotational_speed, 188.49555921538757},
      {"180 deg", Quantity::angle, 3.14159265358979323846},
      {"4096 token", Quantity::token, 4096.0},
      {"90 token/min", Quantity::token_rate, 1.5},
      {"36 USD/MWh", Quantity::energy_price, 1e-8},
      {"360 gCO2/kWh", Quantity::carbon_intensity, 1e-7},
      {"317 kW/K", Quantity::thermal_conductance, 317e3},
      {"3 kJ/K", Quantity::heat_capacity, 3e3},
      {"3.9 kJ/(kg K)", Quantity::specific_heat, 3900.0},
      {"1.5 mPa·s", Quantity::dynamic_viscosity, 1.5e-3},
      {"24 h", Quantity::time, 86400.0},
      {"10 min", Quantity::time, 600.0},
      {"9.80665 m/s2", Quantity::acceleration, 9.80665},
      {"-87.9 deg", Quantity::angle, -87.9 * 3.14159265358979323846 / 180.0},
      {"+3 W", Quantity::power, 3.0},
      {"3W", Quantity::power, 3.0},
  };
  for (const auto& c : cases) EXPECT_NEAR(si(c.text, c.kind), c.expected, 1e-14 * std::abs(c.expected)) << c.text;
}

TEST(Units, aUnitOfAnotherKindIsRefusedThoughUdunitsWouldConvertIt) {
  EXPECT_NE(refusal("5 degC", Quantity::temperature_difference).find("a temperature difference takes K"),
            std::string::npos);
  EXPECT_NE(refusal("1 kVA", Quantity::power).find("`kVA` is of another kind"), std::string::npos);
  EXPECT_NE(refusal("1 kW", Quantity::apparent_power).find("apparent power"), std::string::npos);
  EXPECT_NE(refusal("1 kW", Quantity::reactive_power).find("300 kvar"), std::string::npos);
  EXPECT_NE(refusal("1 V A", Quantity::power).find("apparent power"), std::string::npos);
  EXPECT_NE(refusal("30 Hz", Quantity::rotational_speed).find("rpm"), std::string::npos);
  EXPECT_NE(refusal("1800 rpm", Quantity::frequency).find("Hz"), std::string::npos);
  EXPECT_NE(refusal("5 Hz", Quantity::rate).find("1/s"), std::string::npos);
  EXPECT_NE(refusal("1 rad", Quantity::ratio).find("ratio"), std::string::npos);
  EXPECT_NE(refusal("12 %", Quantity::power).find("`%`"), std::string::npos);
  EXPECT_NE(refusal("1 bara", Quantity::pressure_gauge).find("absolute pressure is given"), std::string::npos);
  EXPECT_NE(refusal("1 psig", Quantity::pressure_absolute).find("gauge pressure is given"), std::string::npos);
  EXPECT_NE(refusal("40 C", Quantity::temperature).find("C is coulomb"), std::string::npos);
  EXPECT_NE(refusal("2 gal", Quantity::volume).find("acceleration"), std::string::npos);
  EXPECT_NE(refusal("10 m", Quantity::time).find("minutes are min"), std::string::npos);
  EXPECT_NE(refusal("0.5 W/m/degC", Quantity::conductivity).find("takes K"), std::string::npos);
  EXPECT_NE(refusal("1 1/s", Quantity::token_rate).find("token"), std::string::npos);
  EXPECT_NE(refusal("1 kg", Quantity::carbon_mass).find("gCO2"), std::string::npos);
}

TEST(Units, whatIsNoQuantityIsRefusedWithAnExample) {
  EXPECT_EQ(refusal("1400", Quantity::power),
            "f:3:7: error: the value: `1400` has no unit, but an active power or heat is due; write an active power or "
            "heat with its unit, as in `142 kW`");
  for (const char* text : {"1e999 W", "nan W", "inf W", "-inf W", "W", "", "1,4 kW", "3 W 4", "3 2 W", "3 lg(re 1 mW)",
                           "3 W @ 2", "0x10 W", "+-3 W", "3 W;", "3 watz"})
    EXPECT_FALSE(refusal(text, Quantity::power).empty()) << text;
  refusal("1 s since 2000-01-01", Quantity::time);
  refusal("-300 degC", Quantity::temperature);
  refusal("3 W", Quantity::none);
}

TEST(Units, aDurationIsNotNegative) {
  Diagnostics problems;
  EXPECT_EQ(parseDuration("24 h", {}, problems), 86400.0);
  EXPECT_FALSE(parseDuration("-1 s", {}, problems));
  EXPECT_EQ(problems.list().size(), 1U);
}

TEST(Units, utcStampsGiveSecondsSince1970) {
  Diagnostics problems;
  EXPECT_EQ(parseTimestamp("1970-01-01T00:00:00Z", {}, problems), 0.0);
  EXPECT_EQ(parseTimestamp("2026-07-15T00:00:00Z", {}, problems), 1784073600.0);
  EXPECT_EQ(parseTimestamp("2026-07-15T02:30:00+02:30", {}, problems), 1784073600.0);
  EXPECT_EQ(parseTimestamp("2026-07-14T19:00:00-0500", {}, problems), 1784073600.0);
  EXPECT_EQ(parseTimestamp("2024-02-29T00:00:00.25Z", {}, problems), 1709164800.25);
  EXPECT_FALSE(problems.hasErrors());
  for (const char* bad : {"2026-07-15T00:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-07-15T24:00:00Z",
                          "2026-07-15", "noon", "2026-07-15T00:00:00+15:00"}) {
    Diagnostics one;
    EXPECT_FALSE(parseTimestamp(bad, {"f", 1, 1}, one)) << bad;
    EXPECT_TRUE(one.hasErrors()) << bad;
  }
  EXPECT_EQ(timestampText(1784073600.0), "2026-07-15T00:00:00Z");
  EXPECT_EQ(timestampText(-0.5), "1969-12-31T23:59:59.500000Z");
}

TEST(Units, exactTextReadsBackToTheSameBits) {
  for (const auto& [value, kind] : {std::pair{119e-3 / 60.0, Quantity::volume_flow},
                                    {313.15, Quantity::temperature},
                                    {0.1, Quantity::rotational_speed},
                                    {1.0 / 3.0, Quantity::token_rate},
                                    {7e-9, Quantity::carbon_intensity},
                                    {1.4e-7, Quantity::conductance_per_flow},
                                    {1.0 / 7.0, Quantity::angle},
                                    {3.0, Quantity::none},
                                    {0.7, Quantity::ratio}})
    EXPECT_EQ(si(exactText(value, kind), kind), value) << exactText(value, kind);
}

// The table of the user guide, 2_pod_file.md.
TEST(Units, theUnitsOfTheUserGuideAreTaken) {
  const std::vector<std::pair<Quantity, std::vector<const char*>>> table = {
      {Quantity::temperature, {"degC", "degF", "K", "°C"}},
      {Quantity::temperature_difference, {"K"}},
      {Quantity::volume_flow, {"L/min", "lpm", "L/s", "m3/h", "m3/s", "gpm"}},
      {Quantity::mass_flow, {"kg/s", "kg/h"}},
      {Quantity::pressure_gauge, {"kPa", "Pa", "bar", "mbar", "psi", "barg", "psig"}},
      {Quantity::pressure_difference, {"kPa", "Pa", "bar", "mbar", "psi"}},
      {Quantity::pressure_absolute, {"kPa", "bara", "psia"}},
      {Quantity::power, {"W", "kW", "MW"}},
      {Quantity::apparent_power, {"VA", "kVA"}},
      {Quantity::reactive_power, {"var", "kvar"}},
      {Quantity::energy, {"J", "kWh", "MWh"}},
      {Quantity::thermal_conductance, {"kW/K", "W/K"}},
      {Quantity::thermal_resistance, {"K/W"}},
      {Quantity::heat_transfer_coefficient, {"W/m2/K"}},
      {Quantity::length, {"mm", "m", "inch", "ft"}},
      {Quantity::area, {"m2"}},
      {Quantity::volume, {"L", "m3"}},
      {Quantity::mass, {"kg"}},
      {Quantity::ratio, {"%", "pu"}},
      {Quantity::time, {"ms", "s", "min", "h", "day"}},
      {Quantity::rotational_speed, {"rpm", "rad/s"}},
      {Quantity::frequency, {"Hz"}},
      {Quantity::angle, {"deg", "rad"}},
      {Quantity::voltage, {"V", "kV"}},
      {Quantity::current, {"A", "kA"}},
      {Quantity::resistance, {"ohm"}},
      {Quantity::resistance_per_length, {"ohm/km", "ohm/mile", "ohm/m"}},
      {Quantity::capacitance_per_length, {"nF/km", "uF/km"}},
      {Quantity::charge, {"Ah"}},
      {Quantity::density, {"kg/m3"}},
      {Quantity::specific_heat, {"J/kg/K"}},
      {Quantity::dynamic_viscosity, {"mPa s"}},
      {Quantity::conductivity, {"W/m/K"}},
      {Quantity::token, {"token"}},
      {Quantity::token_rate, {"token/s"}},
      {Quantity::money, {"USD"}},
      {Quantity::energy_price, {"USD/MWh"}},
      {Quantity::carbon_mass, {"gCO2"}},
      {Quantity::carbon_intensity, {"gCO2/kWh"}}};
  for (const auto& [kind, units] : table)
    for (const char* unit : units) {
      Diagnostics problems;
      EXPECT_TRUE(parseQuantity("300 " + std::string(unit), kind, {}, problems)) << unit;
    }
}

TEST(Units, customaryTextTakesTheUnitThatSuits) {
  EXPECT_EQ(customaryText(0.0, Quantity::time), "0 s");
  EXPECT_EQ(customaryText(10.0, Quantity::time), "10 s");
  EXPECT_EQ(customaryText(0.01, Quantity::time), "10 ms");
  EXPECT_EQ(customaryText(3600.0, Quantity::time), "1 h");
  EXPECT_EQ(customaryText(0.5, Quantity::ratio), "50 %");
  EXPECT_EQ(customaryText(313.15, Quantity::temperature), "40 degC");
  EXPECT_EQ(customaryText(2e-3, Quantity::volume_flow), "2 L/s");
  EXPECT_EQ(textInUnitOf("3 mW", 1.0, Quantity::power), "1000 mW");
  EXPECT_EQ(textInUnitOf("1.7", 1.0, Quantity::ratio), "1");
}

TEST(Units, everyKindTakesItsOwnExampleAndItsExactText) {
  for (int k = 0; k <= static_cast<int>(Quantity::carbon_intensity); ++k) {
    const auto kind = static_cast<Quantity>(k);
    const double value = si(exampleOf(kind), kind);
    EXPECT_EQ(si(exactText(value, kind), kind), value) << exampleOf(kind);
  }
}

}  // namespace
}  // namespace podtwin::data
