// Breakers and fuses in a plant: what they watch, when they are due, and which are in series.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/components/power/selectivity_of_plant.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

constexpr double kVoltage = 480.0;  // V

Build grid() { return Build("utility", "GRID").set("rating", 1e9).set("voltage", kVoltage).port("to", {"A"}); }
Build between(const std::string& class_name, const std::string& id, const std::string& from, const std::string& to) {
  return Build(class_name, id).port("from", {from}).port("to", {to});
}
/// A balanced load of constant current [A].
Build drawing(double current, const std::string& bus) {
  return Build("electrical_load", "L-" + bus)
      .set("power", std::numbers::sqrt3 * kVoltage * current)
      .set("model", "current")
      .on(bus);
}

TEST(ProtectionOfPlant, ARelayIsDueWhenItsCurveSaysAndOpensLater) {
  Plant plant({grid(),
               between("breaker", "Q", "A", "B")
                   .set("protection", "relay")
                   .set("relay_curve", "IEC very inverse")
                   .set("pickup", 100.0)
                   .set("opening_time", 0.06),
               drawing(400.0, "B")});
  plant.evaluate();
  // The pickup is crossed first: that is an event of its own.
  EXPECT_GE(plant.system().watch(plant.e), 0.0);
  std::vector<Occurrence> told;
  plant.system().act(plant.state, plant.e, told);
  plant.evaluate();
  EXPECT_TRUE(told.empty());
  EXPECT_LT(plant.system().watch(plant.e), 0.0);
  EXPECT_NEAR(plant.system().nextMoment(plant.e), 13.5 / 3.0, 1e-9);
  EXPECT_NEAR(plant.value("Q.time_to_trip"), 13.5 / 3.0, 1e-9);
  const auto [set, i] = plant.system().find("Q");
  plant.state.y[set->yIndex(0, i)] = 1.0;
  plant.evaluate();
  plant.system().act(plant.state, plant.e, told);
  plant.evaluate();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].text, "IEC very inverse element tripped at 4 x 100 A after 0 s");
  EXPECT_EQ(plant.value("Q.closed"), 1.0);
  EXPECT_NEAR(plant.system().nextMoment(plant.e), 0.06, 1e-12);
  plant.state.t = 0.06;
  plant.evaluate();
  plant.system().act(plant.state, plant.e, told);
  plant.evaluate();
  EXPECT_EQ(plant.value("Q.closed"), 0.0);
  EXPECT_EQ(plant.value("Q.tripped"), 1.0);
  EXPECT_EQ(plant.value("Q.i"), 0.0);
}

TEST(ProtectionOfPlant, PairsAreFoundThroughABuswayAndATransformerAndNotPastTheFirstDevice) {
  Plant plant({grid(), between("breaker", "TOP", "A", "B").set("protection", "relay").set("pickup", 2e3),
               between("transformer", "T", "B", "C")
                   .set("rating", 1e6)
                   .set("first_voltage", kVoltage)
                   .set("second_voltage", 208.0),
               between("breaker", "MIDDLE", "C", "D")
                   .set("protection", "moulded_case")
                   .set("rated_current", 400.0)
                   .set("instantaneous_pickup", 4e3),
               between("busway", "W", "D", "E").set("rating", 400.0).set("voltage", 208.0),
               between("fuse", "F", "E", "G").set("rated_current", 200.0)});
  const auto found = selectivityOfPlant(plant.system());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].downstream + found[0].upstream, "MIDDLETOP");
  EXPECT_NEAR(found[0].upstream_share, 208.0 / 480.0, 1e-12);
  EXPECT_EQ(found[1].downstream + found[1].upstream, "FMIDDLE");
  EXPECT_EQ(found[1].upstream_share, 1.0);
  EXPECT_FALSE(found[1].found.full);
  // From 1.05 Ir on the breaker may trip within two hours, the fuse takes up to three at 1.6 In.
  EXPECT_NEAR(found[1].found.up_to, 1.05 * 400.0, 0.01);
  EXPECT_EQ(selectivityWarnings(found).empty(), false);
}

}  // namespace
}  // namespace podtwin::test
