// Battery laws against closed forms, cases E06 and E07 and the round trip of pod-design section 3.
#include <gtest/gtest.h>

#include <cmath>

#include "model/components/power/kinetic_battery.hpp"
#include "model/components/power/li_ion_cell.hpp"
#include "model/components/power/peukert.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

constexpr double kAmpereHour = 3600.0, kKilowattHour = 3.6e6, kHour = 3600.0;

Build battery(const char* model) { return Build("battery", "BAT").set("model", model); }
Build wells() {
  return battery("kinetic")
      .set("capacity", 250.0 * kAmpereHour)
      .set("available_fraction", 0.34)
      .set("rate_constant", 1.1e-4)
      .set("full_voltage", 500.0)
      .set("voltage_fall", 70.0)
      .set("resistance", 0.05);
}
std::pair<const ComponentSet*, std::size_t> storeOf(const Plant& plant) { return plant.system().find("BAT"); }

TEST(KineticBattery, FitsTheWellsOfCaseE06) {
  const auto fit = fitKineticWells(60.0, 93.0, 100.0);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->wells.rate * kHour, 0.677, 1e-9);
  EXPECT_NEAR(fit->wells.share, 0.47511, 1e-5);
  EXPECT_NEAR(fit->capacity, 108.159, 1e-3);
}

TEST(KineticBattery, HasNoWellsForCapacitiesThatFallWithTime) {
  EXPECT_FALSE(fitKineticWells(100.0, 93.0, 60.0));
  EXPECT_NE(problemsOf({battery("kinetic")
                            .set("full_voltage", 2.0)
                            .set("capacity_1h", 100.0)
                            .set("capacity_10h", 93.0)
                            .set("capacity_20h", 60.0)})
                .find("no two wells"),
            std::string::npos);
}

TEST(KineticBattery, IsEmptyAtTheTimeOfCaseE07AndTheCurrentToThereIsTheOneDrawn) {
  constexpr double kCurrent = 125.0 / 250.0 / kAmpereHour, kEmpty = 2685.87378028;
  const KineticWells law{0.34, 1.1e-4};
  EXPECT_NEAR(law.availableAfter(0.34, 0.66, kCurrent, kEmpty), 0.0, 1e-10);
  EXPECT_NEAR(law.currentTo(0.0, 0.34, 0.66, kEmpty), kCurrent, 1e-12);
  const KineticWells one{1.0, 0.0};
  EXPECT_NEAR(one.availableAfter(1.0, 0.0, 1e-3, 400.0), 0.6, 1e-12);
}

TEST(KineticBattery, TakesTheSmallerCurrentForAPower) {
  Plant plant({wells()});
  ASSERT_EQ(plant.command("BAT", "set", 120e3), "");
  const double current = plant.value("BAT.current");
  EXPECT_NEAR((500.0 - 0.05 * current) * current, 120e3, 1e-6);
  EXPECT_LT(current, 500.0 / (2.0 * 0.05));
  EXPECT_NEAR(plant.value("BAT.loss"), 0.05 * current * current, 1e-6);
}

TEST(KineticBattery, AutonomyIsTheRuntimeOfCaseE07) {
  Plant plant({wells().set("end_voltage", 400.0).set("end_available", 0.05)});
  const auto [set, i] = storeOf(plant);
  EXPECT_NEAR(set->storageTime(plant.e, i, 50e3), 2954.61416698, 0.5);
  EXPECT_NEAR(set->storageTime(plant.e, i, 120e3), 1141.83960012, 0.2);
  EXPECT_TRUE(std::isinf(set->storageTime(plant.e, i, 0.0)));
}

TEST(EnergyStore, LastsAsItsUsableShareAndEfficiencySay) {
  for (const auto& [energy, seconds] : {std::pair{100.0, 307.8}, {50.0, 153.9}}) {
    Plant plant(
        {battery("energy").set("energy", energy * kKilowattHour).set("usable", 0.9).set("discharge_efficiency", 0.95)});
    const auto [set, i] = storeOf(plant);
    EXPECT_NEAR(set->storageTime(plant.e, i, 1e6), seconds, 1e-9);
  }
}

TEST(EnergyStore, GivesWhatConvertersDrawTogether) {
  Plant plant({battery("energy").set("energy", kKilowattHour).set("discharge_efficiency", 0.9)});
  const auto [set, i] = storeOf(plant);
  std::vector<double> rates(plant.ydot.size());
  plant.evaluate();
  set->drawStorage(plant.e, i, 600.0);
  set->drawStorage(plant.e, i, 300.0);
  EXPECT_NEAR(plant.value("BAT.power"), 900.0, 1e-12);
  EXPECT_NEAR(plant.value("BAT.loss"), 100.0, 1e-9);
  plant.evaluate();
  EXPECT_EQ(plant.value("BAT.power"), 0.0);
}

TEST(EnergyStore, EndsUnderWhatAConverterDraws) {
  Plant plant({battery("energy").set("energy", kKilowattHour).set("initial_soc", 1e-9).set("rated_power", 2e3)});
  const auto [set, i] = storeOf(plant);
  EXPECT_EQ(set->storageLimit(plant.e, i, false), 2e3);
  set->drawStorage(plant.e, i, 1e3);
  EXPECT_TRUE(set->watching(plant.e));
  EXPECT_LT(set->watch(plant.e), 0.0);
  plant.state.y[set->yIndex(0, i)] = 0.0;
  plant.evaluate();
  set->drawStorage(plant.e, i, 1e3);
  ASSERT_GE(set->watch(plant.e), 0.0);
  set->act(plant.e, plant.state, plant.occurrences);
  plant.evaluate();
  EXPECT_LT(set->watch(plant.e), 0.0);
  EXPECT_EQ(plant.value("BAT.ended"), 1.0);
  EXPECT_EQ(set->storageLimit(plant.e, i, false), 0.0);
  EXPECT_EQ(set->storageTime(plant.e, i, 1e3), 0.0);
  EXPECT_EQ(set->storageLimit(plant.e, i, true), std::numeric_limits<double>::infinity());
}

TEST(LiIonCell, LosesFivePerCentInARoundTripAtRatedPower) {
  // Steady: the RC element carries the current, too.
  constexpr double kPower = 100e3;
  Plant plant({battery("li_ion")
                   .set("capacity", 67.0 * kAmpereHour)
                   .set("cells", 128)
                   .set("rated_power", kPower)
                   .set("initial_soc", 0.5)});
  const auto [set, i] = storeOf(plant);
  const auto lossShare = [&](double power) {
    EXPECT_EQ(plant.command("BAT", "set", power), "");
    for (int k = 0; k < 50; ++k) {
      // The element at rest under its current, by its own rate.
      plant.state.y[set->yIndex(2, i)] += 10.0 * plant.ydot[set->yIndex(2, i)];
      plant.evaluate();
    }
    return plant.value("BAT.loss") / kPower;
  };
  const double out = lossShare(kPower), in = lossShare(-kPower);
  EXPECT_NEAR((1.0 - in) / (1.0 + out), 0.95, 2e-3);
}

TEST(LiIonCell, HoldsTheEnergyUnderItsOpenCircuitVoltage) {
  const std::vector<std::pair<double, double>> line{{0.0, 3.0}, {0.5, 3.6}, {1.0, 4.0}};
  const OpenCircuitVoltage voltage(line);
  EXPECT_NEAR(voltage.integral(1.0), 0.5 * 3.3 + 0.5 * 3.8, 1e-12);
  EXPECT_NEAR(voltage.integral(0.25), 0.25 * 3.15, 1e-12);
  EXPECT_NEAR(voltage.integral(-0.1), -0.3, 1e-12);
}

TEST(Peukert, GivesTheTimeOfItsLaw) {
  // t = H (C / (I H))^k: 200 Ah at 10 h, drawn at 100 A.
  constexpr double kRated = 20.0, kExponent = 1.15;
  const double time = 10.0 * std::pow(200.0 / (100.0 * 10.0), kExponent);
  EXPECT_NEAR(200.0 / (100.0 * peukertFactor(100.0, kRated, kExponent)), time, 1e-12);
  EXPECT_EQ(peukertFactor(10.0, kRated, kExponent), 1.0);
  const double drain = 100.0 * peukertFactor(100.0, kRated, kExponent);
  EXPECT_NEAR(currentOfDrain(drain, kRated, kExponent), 100.0, 1e-9);
}

TEST(LeadAcid, FloatsAt230VoltsACellAndIsSpentBelow167) {
  Plant plant({battery("vrla").set("capacity", 100.0 * kAmpereHour).set("cells", 240).set("initial_soc", 0.9)});
  const auto [set, i] = storeOf(plant);
  const double charge = set->storageLimit(plant.e, i, true);
  ASSERT_EQ(plant.command("BAT", "set", -charge), "");
  EXPECT_NEAR(plant.value("BAT.voltage"), 240 * 2.30, 1e-6);
  const double most = set->storageLimit(plant.e, i, false);
  ASSERT_EQ(plant.command("BAT", "set", most), "");
  EXPECT_NEAR(plant.value("BAT.voltage"), 240 * 1.67, 1e-6);
}

TEST(Battery, StringsThatAreLeftCarryMore) {
  Plant plant({wells().set("strings", 4)});
  ASSERT_EQ(plant.command("BAT", "set", 80e3), "");
  // I of P = (500 V - 50 mohm / n I) I, of n strings.
  const auto current = [](double strings) {
    const double resistance = 0.05 / strings;
    return (500.0 - std::sqrt(500.0 * 500.0 - 4.0 * resistance * 80e3)) / (2.0 * resistance);
  };
  const std::size_t available = storeOf(plant).first->yIndex(0, 0);
  EXPECT_NEAR(-plant.ydot[available], current(4.0) / 4.0 / (250.0 * kAmpereHour), 1e-12);
  ASSERT_EQ(plant.command("BAT", "fail", 1.0), "");
  EXPECT_NEAR(-plant.ydot[available], current(3.0) / 3.0 / (250.0 * kAmpereHour), 1e-12);
  EXPECT_NEAR(plant.value("BAT.current"), current(3.0), 1e-6);
  EXPECT_NE(plant.command("BAT", "fail", 5.0), "");
  EXPECT_NE(plant.command("BAT", "fail", 1.5), "");
  ASSERT_EQ(plant.command("BAT", "fail", 4.0), "");
  EXPECT_EQ(plant.value("BAT.power"), 0.0);
}

TEST(Battery, NamesWhatItsModelNeeds) {
  EXPECT_NE(problemsOf({battery("energy")}).find("has no energy"), std::string::npos);
  EXPECT_NE(problemsOf({battery("li_ion").set("capacity", 1.0)}).find("has no rated_power"), std::string::npos);
  EXPECT_NE(problemsOf({battery("kinetic").set("capacity", 1.0)}).find("has no full_voltage"), std::string::npos);
  EXPECT_NE(problemsOf({battery("vrla").set("capacity", 1.0).set("soc_min", 0.5).set("soc_max", 0.4)}).find("soc_max"),
            std::string::npos);
  EXPECT_NE(problemsOf({battery("vrla").set("capacity", 1.0).curve("open_circuit", {{0.1, 1.9}, {1.0, 2.1}})})
                .find("from an empty to a full cell"),
            std::string::npos);
  EXPECT_NE(Plant({battery("energy").set("energy", 1.0)}).command("BAT", "draw", 1.0), "");
}

}  // namespace
}  // namespace podtwin::test
