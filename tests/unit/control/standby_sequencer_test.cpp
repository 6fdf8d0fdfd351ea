// Duty and standby: timing, exchange of roles, common control, loss of supply.
#include <gtest/gtest.h>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

std::vector<InstanceDescription> pumps(double changeover = 5.0) {
  std::vector<InstanceDescription> plant{Build("utility", "GRID-1").set("rating", 1e6).port("to", {"B1"}),
                                         Build("utility", "GRID-2").set("rating", 1e6).port("to", {"B2"}),
                                         Build("thermal_mass", "P1").on("B1"),
                                         Build("thermal_mass", "P2").on("B2"),
                                         Build("thermal_mass", "P3").on("B2"),
                                         Build("sensor", "DPT").set("measures", "P1.dp"),
                                         Build("standby_sequencer", "SEQ")
                                             .set("duty", 2)
                                             .set("changeover_time", changeover)
                                             .port("units", {"P1", "P2", "P3"})};
  return plant;
}
std::string running(const Plant& plant) {
  std::string all;
  for (const char* id : {"P1", "P2", "P3"})
    if (plant.value(std::string(id) + ".power") > 0.0) all += id;
  return all;
}

TEST(Sequencer, StartsTheDutyUnitsAndLeavesTheOthersOff) {
  Plant plant(pumps());
  plant.run(20, 1);
  EXPECT_EQ(running(plant), "P1P2");
  EXPECT_EQ(plant.value("SEQ.running"), 2.0);
  EXPECT_EQ(plant.value("SEQ.available"), 3.0);
  EXPECT_TRUE(plant.occurrences.empty());
}

TEST(Sequencer, StartsTheNextUnitAfterTheChangeoverTime) {
  Plant plant(pumps());
  plant.run(10, 1);
  ASSERT_EQ(plant.command("P1", "trip"), "");
  plant.run(5, 1);  // samples at 10 .. 14 s
  EXPECT_EQ(running(plant), "P2");
  EXPECT_EQ(plant.value("SEQ.running"), 1.0);
  plant.sample();  // at 15 s
  EXPECT_EQ(running(plant), "P2P3");
  ASSERT_EQ(plant.occurrences.size(), 1U);
  EXPECT_EQ(plant.occurrences[0].equipment, "P3");
  EXPECT_EQ(plant.occurrences[0].actor, "SEQ");
}

TEST(Sequencer, KeepsTheRepairedUnitAsTheNewStandby) {
  Plant plant(pumps());
  ASSERT_EQ(plant.command("P1", "trip"), "");
  plant.run(10, 1);
  ASSERT_EQ(plant.command("P1", "restore"), "");
  plant.run(10, 1);
  EXPECT_EQ(running(plant), "P2P3");
  ASSERT_EQ(plant.command("P3", "trip"), "");
  plant.run(10, 1);
  EXPECT_EQ(running(plant), "P1P2");
}

TEST(Sequencer, AnswersTheLossOfASupplyAndSaysWhenNoUnitIsLeft) {
  Plant plant(pumps());
  ASSERT_EQ(plant.command("GRID-1", "trip"), "");
  plant.run(10, 1);
  EXPECT_EQ(running(plant), "P2P3");
  ASSERT_EQ(plant.command("GRID-2", "trip"), "");
  plant.run(10, 1);
  EXPECT_EQ(running(plant), "");
  EXPECT_EQ(plant.value("SEQ.available"), 0.0);
  ASSERT_EQ(plant.command("GRID-1", "restore"), "");
  plant.run(10, 1);
  EXPECT_EQ(running(plant), "P1");
  ASSERT_EQ(plant.command("GRID-2", "restore"), "");
  plant.run(10, 1);
  EXPECT_EQ(plant.value("SEQ.running"), 2.0);
}

TEST(Sequencer, DoesNotStartAUnitThatIsOutOfService) {
  auto description = pumps();
  description[4].in_service = false;  // P3
  Plant plant(description);
  ASSERT_EQ(plant.command("P1", "trip"), "");
  plant.run(20, 1);
  EXPECT_EQ(running(plant), "P2");
}

TEST(Sequencer, BeginsWithTheUnitsThatAreInService) {
  auto description = pumps();
  description[2].in_service = false;  // P1
  Plant plant(description);
  EXPECT_EQ(running(plant), "P2P3");
}

TEST(Sequencer, LeavesTheSpeedOfTheStartedUnitToTheCommonController) {
  auto description = pumps();
  description.push_back(Build("pi_controller", "DPC")
                            .set("set_point_pressure", 40e3)
                            .set("gain", 0.1)
                            .set("integral_time", 5.0)
                            .port("sensor", {"DPT"})
                            .port("drives", {"P1", "P2", "P3"}));
  Plant plant(description);
  plant.run(400, 4);
  EXPECT_EQ(running(plant), "P1P2");
  EXPECT_NEAR(plant.value("DPT.value"), 40e3, 10.0);
  ASSERT_EQ(plant.command("P2", "trip"), "");
  plant.run(10, 4);
  EXPECT_EQ(running(plant), "P1P3");
  EXPECT_NEAR(plant.value("P3.power"), plant.value("P1.power"), 1e-6);
}

TEST(Sequencer, StartsItsClockAnewAfterTheTimeWasSetBack) {
  Plant plant(pumps());
  plant.run(100, 1);
  ASSERT_EQ(plant.command("P1", "trip"), "");
  plant.run(2, 1);
  plant.state.t = 0.0;
  plant.run(4, 1);
  EXPECT_EQ(running(plant), "P2");
  plant.run(2, 1);
  EXPECT_EQ(running(plant), "P2P3");
}

TEST(SequencerInput, RefusesMoreDutyThanUnitsAndUnitsOfTwoSequencers) {
  auto many = pumps();
  many.back().parameters.at("duty").number = 4;
  EXPECT_NE(problemsOf(many).find("wants 4 of 3"), std::string::npos);
  auto twice = pumps();
  twice.push_back(Build("standby_sequencer", "SEQ2").set("duty", 1).port("units", {"P3"}));
  EXPECT_NE(problemsOf(twice).find("sequenced by 'SEQ' and by 'SEQ2'"), std::string::npos);
}

}  // namespace
}  // namespace podtwin::test
