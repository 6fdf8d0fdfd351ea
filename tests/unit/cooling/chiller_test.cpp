// Chiller by curves, and the start sequence of any chiller.
#include <cmath>

#include "model/components/cooling/chiller_curves.hpp"
#include "model/components/cooling/chiller_start.hpp"
#include "tests/unit/cooling/plant_builder.hpp"
#include "tests/unit/fluids/expect_error.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;
constexpr double kCp = 4186.0;

// Public EnergyPlus data set 'McQuay WSC 471kW/5.89COP/Vanes', fitted for 7.22 to 12.78 and 12.78 to 26.67 degC.
const std::vector<double> kCapacity{0.252113, 0.01324053, -0.008637329, 0.08581056, -0.004261176, 0.008661899};
const std::vector<double> kInput{0.4475238, -0.0258821, -0.001459053, 0.04342595, -0.001000651, 0.001920106};
const std::vector<double> kPartLoad{0.2778889, 0.2338363, 0.4883748};

EirCurves mcQuay() {
  return {biquadraticOf(kCapacity),
          biquadraticOf(kInput),
          cubicOf(kPartLoad),
          {kZero + 7.22, kZero + 12.78, 2.0},
          {kZero + 12.78, kZero + 26.67, 2.0}};
}

TEST(ChillerCurves, AreOneAtTheReferenceOfTheDataSet) {
  const EirCurves c = mcQuay();
  EXPECT_NEAR(c.capacityShare(kZero + 8.89, kZero + 26.67).value, 1.0, 0.01);
  EXPECT_NEAR(c.inputRatio(kZero + 8.89, kZero + 26.67), 1.0, 0.01);
  EXPECT_NEAR(c.partLoad(1.0), 1.0, 0.01);
}

TEST(ChillerCurves, AreFollowedWithinTheMarginAndHeldBeyond) {
  const EirCurves c = mcQuay();
  EXPECT_EQ(c.outside(kZero + 10.0, kZero + 20.0), 0.0);
  EXPECT_NEAR(c.outside(kZero + 10.0, kZero + 28.0), 1.33, 1e-9);
  EXPECT_NE(c.inputRatio(kZero + 10.0, kZero + 27.0), c.inputRatio(kZero + 10.0, kZero + 26.67));
  EXPECT_EQ(c.inputRatio(kZero + 10.0, kZero + 60.0), c.inputRatio(kZero + 10.0, kZero + 28.67));
  EXPECT_EQ(c.capacityShare(kZero + 30.0, kZero + 20.0).by_leaving, 0.0);
}

TEST(ChillerCurves, ThatAreNotPositiveInTheirRangeAreFound) {
  EirCurves c = mcQuay();
  EXPECT_EQ(c.fault(0.1, 1.15), "");
  c.evaporator.high = kZero + 30.0;
  EXPECT_NE(c.fault(0.1, 1.15).find("capacity_curve"), std::string::npos);
  c = mcQuay();
  c.part_load = {-0.1, 0.5, 0.0, 0.0};
  EXPECT_NE(c.fault(0.1, 1.15).find("part_load_curve"), std::string::npos);
}

/// Chilled water of `flow` [kg/s] enters at `entering`, condenser water of 20 kg/s at `condenser` [degC].
PlantBuilder plant(double flow, double entering, double condenser, PlantBuilder::Numbers numbers = {},
                   PlantBuilder::Texts texts = {}) {
  PlantBuilder b;
  b.circuit("c", "", kCp).boundary("in", 2e5, kZero + entering).boundary("end", 1e5);
  b.boundary("cool", 2e5, kZero + condenser).boundary("drain", 1e5);
  const PlantBuilder::Numbers base{{"capacity", 471.2e3},   {"cop", 5.89},         {"set_point", kZero + 10.0},
                                   {"flow", 0.01035},       {"minimum_load", 0.1}, {"maximum_load", 1.15},
                                   {"condenser_flow", 0.02}};
  numbers.insert(base.begin(), base.end());
  texts.insert({"cop_law", "eir"});
  auto& d = b.add("chiller", "X", {{"from", {"in"}}, {"to", {"out"}}, {"condenser", {"cool", "warm"}}}, numbers, texts);
  d.parameters["capacity_curve"].numbers = kCapacity;
  d.parameters["input_curve"].numbers = kInput;
  d.parameters["part_load_curve"].numbers = kPartLoad;
  d.parameters["evaporator_range"].numbers = {kZero + 7.22, kZero + 12.78};
  d.parameters["condenser_range"].numbers = {kZero + 12.78, kZero + 26.67};
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  b.add("fixed_flow", "K", {{"from", {"warm"}}, {"to", {"drain"}}}, {{"flow", 20.0}});
  return b;
}
void load(Bench& bench) {
  bench.state.y[bench.index("X")] = 1.0;
  bench.evaluate();
}

TEST(EirChiller, GivesTheCondenserItsHeatAndItsPower) {
  Bench bench(plant(8.0, 16.0, 20.0));
  load(bench);
  EXPECT_NEAR(bench.value("X.heat"), 8.0 * kCp * 6.0, 1e-6);
  EXPECT_NEAR(bench.value("X.heat_rejected"), bench.value("X.heat") + bench.value("X.power"), 1e-6);
  EXPECT_NEAR(bench.value("X.t_condenser_leaving"), kZero + 20.0 + bench.value("X.heat_rejected") / (20.0 * kCp), 1e-9);
  EXPECT_NEAR(bench.e.heat[bench.index("warm")],
              bench.value("X.heat_rejected") - 20.0 * kCp * (bench.state.y[bench.index("warm")] - kZero - 20.0), 1e-3);
  // Case M04 (LBNL Buildings): COP 5.98723697662 at 9.999994 and 19.999994 degC and a part load of 0.42140189.
  EXPECT_NEAR(bench.value("X.load"), 200928.0 / bench.value("X.capacity_available"), 1e-9);
  Bench published(plant(0.42140189 * bench.value("X.capacity_available") / (6.0 * kCp), 16.0, 20.0));
  load(published);
  EXPECT_NEAR(published.value("X.cop"), 5.98723697662, 1e-4);
}

TEST(EirChiller, CyclesBelowItsLeastLoadAndWastesHotGasBelowItsUnloadingLimit) {
  Bench full(plant(8.0, 16.0, 20.0));
  load(full);
  const double available = full.value("X.capacity_available");
  const auto power = [&](double share, double unloading) {
    Bench bench(plant(share * available / (6.0 * kCp), 16.0, 20.0, {{"unloading_limit", unloading}}));
    load(bench);
    EXPECT_NEAR(bench.value("X.hot_gas"),
                std::max(std::min(share / 0.1, 1.0) * std::max(unloading, 0.1) - share, 0.0) * available,
                1e-6 * available);
    return bench.value("X.power");
  };
  EXPECT_NEAR(power(0.05, 0.1), 0.5 * power(0.1, 0.1), 1e-6);
  EXPECT_NEAR(power(0.15, 0.2), power(0.2, 0.2), 1e-6);
}

TEST(EirChiller, ThatHasTooLittleCapacityLeavesTheWaterWhereWhatItTakesIsWhatItCan) {
  Bench bench(plant(60.0, 16.0, 26.0));
  load(bench);
  EXPECT_EQ(bench.value("X.saturated"), 1.0);
  EXPECT_NEAR(bench.value("X.heat"), 60.0 * kCp * (kZero + 16.0 - bench.value("X.t_leaving")), 1e-3);
  EXPECT_NEAR(bench.value("X.heat"),
              1.15 * 471.2e3 * mcQuay().capacityShare(bench.value("X.t_leaving"), kZero + 26.0).value, 1e-2);
  EXPECT_GT(bench.value("X.t_leaving"), kZero + 10.0);
}

TEST(EirChiller, TellsThatItWorksOutsideItsCurves) {
  Bench inside(plant(8.0, 16.0, 20.0)), outside(plant(8.0, 16.0, 31.67));
  load(inside);
  load(outside);
  EXPECT_EQ(inside.value("X.extrapolated"), 0.0);
  EXPECT_EQ(outside.value("X.extrapolated"), 1.0);
  EXPECT_NEAR(outside.value("X.outside_curves"), 5.0, 1e-6);
  EXPECT_EQ(plant(8.0, 16.0, 20.0, {{"set_point", kZero + 18.0}}).build()->warnings().size(), 1U);
  EXPECT_EQ(plant(8.0, 16.0, 20.0).build()->warnings().size(), 0U);
}

TEST(EirChiller, WithoutCurvesOrFlowOfItsCondenserIsRefused) {
  const auto still = plant(8.0, 16.0, 20.0, {{"condenser_flow", 0.0}});
  testing_support::expectError([&] { still.build(); }, {"condenser_flow"});
  auto b = plant(8.0, 16.0, 20.0);
  auto& d = b.add("chiller", "Y", {{"from", {"in"}}, {"to", {"out"}}},
                  {{"capacity", 1e5}, {"set_point", 283.0}, {"flow", 0.01}}, {{"cop_law", "eir"}});
  d.parameters["capacity_curve"].numbers = {1.0, 0.0};
  testing_support::expectError(
      [&] { b.build(); }, {"2 values of capacity_curve", "0 values of input_curve", "0 values of evaporator_range"});
}

TEST(EirChiller, TripsOnHighCondensingPressureUntilItIsRestored) {
  Bench bench(plant(8.0, 16.0, 20.0, {{"condenser_cutout", kZero + 21.0}}));
  load(bench);
  bench.sample();
  bench.evaluate();
  EXPECT_EQ(bench.value("X.running"), 0.0);
  EXPECT_EQ(bench.value("X.heat"), 0.0);
}

// -- start sequence, hand calculation of practice.md section 3: boot 25 s, 45 s to the first compressor, coast-down 150
// s
constexpr ChillerStartRules kRules{.boot = 25.0,
                                   .restart = 45.0,
                                   .flow_proof = 0.0,
                                   .flow_loss = 3.0,
                                   .coast_down = 150.0,
                                   .minimum_off = 0.0,
                                   .stagger = 0.0,
                                   .fast = false};
constexpr ChillerInputs kWell{.t = 0.0,
                              .available = true,
                              .controlled = true,
                              .own_control = false,
                              .flow = true,
                              .rest = false,
                              .call = true,
                              .at_once = false};

struct Machine {
  double state = 4.0, booted = 0.0, available = kChillerNever, proven = kChillerNever, lost = kChillerNever,
         stopped = kChillerNever;
  ChillerMemory memory() { return {state, booted, available, proven, lost, stopped}; }
};

/// Second at which compressors run again; `seen` gives what the chiller sees at each second.
template <class Seen>
double startOf(const ChillerStartRules& rules, const Seen& seen) {
  Machine machine;
  bool stopped = false;
  for (double t = 0.0; t < 1000.0; t += 1.0) {
    ChillerInputs in = seen(t);
    in.t = t;
    const double left = timeToStart(rules, in, machine.memory());
    advanceChiller(rules, in, machine.memory());
    stopped = stopped || machine.state != 4.0;
    if (stopped && machine.state == 4.0) return t;
    EXPECT_TRUE(std::isfinite(left) && left >= 0.0);
  }
  return -1.0;
}
ChillerInputs outage(double t, double from, double until, bool own_control, bool controller_too) {
  ChillerInputs in = kWell;
  in.available = t < from || t >= until;
  in.own_control = own_control;
  in.controlled = in.available || !controller_too;
  return in;
}

TEST(ChillerStart, TakesBootAndDelayAfterAnOutageAndTheDelayAloneWithItsControllerOnUps) {
  auto rules = kRules;
  rules.coast_down = 0.0;
  EXPECT_EQ(startOf(rules, [](double t) { return outage(t, 10.0, 30.0, false, false); }), 30.0 + 70.0);
  EXPECT_EQ(startOf(rules, [](double t) { return outage(t, 10.0, 30.0, true, true); }), 30.0 + 70.0);
  EXPECT_EQ(startOf(rules, [](double t) { return outage(t, 10.0, 30.0, true, false); }), 30.0 + 45.0);
}

TEST(ChillerStart, WaitsForTheCoastDownOfShortOutages) {
  EXPECT_EQ(startOf(kRules, [](double t) { return outage(t, 10.0, 30.0, true, false); }), 10.0 + 150.0);
  EXPECT_EQ(startOf(kRules, [](double t) { return outage(t, 10.0, 310.0, true, false); }), 310.0 + 45.0);
}

TEST(ChillerStart, WithFastRestartWaitsForNeitherCoastDownNorMinimumOffTime) {
  auto rules = kRules;
  rules.minimum_off = 300.0;
  EXPECT_EQ(startOf(rules, [](double t) { return outage(t, 10.0, 30.0, true, false); }), 10.0 + 300.0);
  rules.fast = true;
  EXPECT_EQ(startOf(rules, [](double t) { return outage(t, 10.0, 30.0, true, false); }), 30.0 + 45.0);
}

TEST(ChillerStart, OfLagAndStandbyIsStaggered) {
  for (const double stagger : {45.0, 90.0}) {
    auto rules = kRules;
    rules.coast_down = 0.0;
    rules.stagger = stagger;
    EXPECT_EQ(startOf(rules, [](double t) { return outage(t, 10.0, 30.0, true, false); }), 30.0 + 45.0 + stagger);
  }
}

TEST(ChillerStart, StopsWithoutFlowAndNeedsItProvenBeforeTheDelay) {
  auto rules = kRules;
  rules.coast_down = 0.0;
  rules.flow_proof = 10.0;
  const auto noFlow = [](double t) {
    ChillerInputs in = kWell;
    in.own_control = true;
    in.flow = t < 10.0 || t >= 60.0;
    return in;
  };
  EXPECT_EQ(startOf(rules, noFlow), 60.0 + 10.0 + 45.0);
  Machine brief;
  for (double t = 0.0; t < 12.0; t += 1.0) {
    ChillerInputs in = kWell;
    in.t = t;
    in.flow = t < 5.0 || t >= 7.0;  // shorter than flow_loss
    advanceChiller(rules, in, brief.memory());
    EXPECT_EQ(brief.state, 4.0);
  }
}

TEST(ChillerStart, CyclesNoFasterThanItsMinimumOffTime) {
  auto rules = kRules;
  rules.coast_down = 0.0;
  rules.minimum_off = 120.0;
  EXPECT_EQ(startOf(rules,
                    [](double t) {
                      ChillerInputs in = kWell;
                      in.rest = t == 5.0;
                      return in;
                    }),
            125.0);
}

TEST(ChillerStart, TellsHowLongItTakesAtLeast) {
  Machine machine;
  ChillerInputs in = kWell;
  in.available = false;
  in.t = 100.0;
  auto rules = kRules;
  rules.coast_down = 0.0;
  advanceChiller(rules, in, machine.memory());
  EXPECT_EQ(timeToStart(rules, in, machine.memory()), 70.0);
  in.available = true;
  for (in.t = 101.0; in.t <= 111.0; in.t += 1.0) advanceChiller(rules, in, machine.memory());
  in.t = 111.0;
  EXPECT_EQ(timeToStart(rules, in, machine.memory()), 60.0);
  EXPECT_EQ(machine.memory().now(), ChillerState::booting);
}

}  // namespace
}  // namespace podtwin
