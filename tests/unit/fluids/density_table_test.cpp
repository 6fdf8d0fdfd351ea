// The density of a coolant as sums over volumes read it, against the data it is a table of and against pod-design's.
#include "model/fluids/density_table.hpp"

#include <gtest/gtest.h>

#include "model/base/diagnostics.hpp"
#include "model/fluids/coolant.hpp"

namespace podtwin::fluids {
namespace {

constexpr double kAtmosphere = 101325.0;  // Pa
constexpr double kZero = 273.15;          // K

TEST(DensityTable, FollowsItsCoolant) {
  for (const char* name : {"water", "PG25", "EG40"}) {
    const DensityTable table(name, kAtmosphere);
    for (double t = 2.1; t < 95.0; t += 0.37)
      EXPECT_NEAR(table.at(kZero + t), coolantAt(name, kZero + t, kAtmosphere).density, 2e-4) << name << " " << t;
  }
}

// pod-design section 6: 2.04 m3 of PG25 swell by 24 L from 20 to 45 degC (practice.md section 3).
TEST(DensityTable, GivesTheExpansionOfPracticeAndTheDensitiesOfPodDesign) {
  const DensityTable pg25("PG25", kAtmosphere);
  for (const auto& [t, density] : {std::pair{10.0, 1027.8}, {20.0, 1023.9}, {40.0, 1014.5}, {60.0, 1003.0}})
    EXPECT_NEAR(pg25.at(kZero + t), density, 0.06) << t;
  EXPECT_NEAR(2.04 * (1.0 - pg25.at(kZero + 45.0) / pg25.at(kZero + 20.0)), 24e-3, 0.3e-3);
}

TEST(DensityTable, EndsWhereItsDataDoAndGoesOnAsItEnds) {
  const DensityTable water("water", kAtmosphere), pg25("PG25", kAtmosphere);
  EXPECT_NEAR(water.low(), kZero, 0.26);
  EXPECT_LT(pg25.low(), kZero - 8.0);  // freezes near -10 degC
  EXPECT_NEAR(pg25.at(pg25.high() + 10.0), pg25.at(pg25.high()) + 10.0 * pg25.slope(pg25.high()), 1e-6);
  EXPECT_THROW(DensityTable("PG", kAtmosphere), Error);
}

TEST(DensityTable, OfAStatedDensityIsFlat) {
  const DensityTable table(870.0);
  EXPECT_EQ(table.at(250.0), 870.0);
  EXPECT_EQ(table.slope(350.0), 0.0);
}

// 250 L of propylene glycol are 259.0 kg, 3.404 kmol; 750 L of water 748.7 kg, 41.56 kmol.
TEST(WaterMoleFraction, OfPg25IsThatOfItsMoles) {
  EXPECT_NEAR(waterMoleFraction("PG25"), 41.56 / (41.56 + 3.404), 1e-4);
  EXPECT_EQ(waterMoleFraction("water"), 1.0);
  EXPECT_LT(waterMoleFraction("EG50"), waterMoleFraction("EG40"));
}

}  // namespace
}  // namespace podtwin::fluids
