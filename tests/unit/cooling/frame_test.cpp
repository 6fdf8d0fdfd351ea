// What every cooling class owes the frame: exact Jacobian, conserved energy, a complete declaration.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

// A closed plant with one of every class. Two circuits, a hall, a zone of its own for losses.
PlantBuilder everything() {
  PlantBuilder b;
  b.circuit("tcs", "t-return", 3900.0, 1020.0).circuit("fws", "f-suction", 4180.0, 990.0);
  for (const char* id : {"TP1", "TP2"})
    b.add("pump", id, {{"from", {"t-return"}}, {"to", {"t-discharge"}}, {"air", {"hall"}}}, {{"loss_to_coolant", 0.4}})
        .parameters.at("head_curve")
        .points = {{0.0, 400e3}, {10e-3, 250e3}};
  b.add("plate_heat_exchanger", "hx", {{"hot", {"t-discharge", "t-outlet"}}, {"cold", {"f-cold", "f-return"}}},
        {{"ua", 317e3}, {"hot_flow", 20.2}, {"cold_flow", 19.8}, {"cold_dp", 84e3}, {"hot_dp", 20e3}});
  b.add(
      "cdu", "CDU",
      {{"exchanger", {"hx"}}, {"pumps", {"TP1", "TP2"}}, {"supply_node", {"t-outlet"}}, {"return_node", {"t-return"}}},
      {{"rating", 1350e3}});
  b.add("pipe", "pipe", {{"from", {"t-outlet"}}, {"to", {"t-supply"}}, {"air", {"hall"}}},
        {{"length", 30.0}, {"diameter", 0.15}, {"loss", 40.0}, {"cells", 3}});
  b.add("resistance", "racks", {{"from", {"t-supply"}}, {"to", {"t-return"}}}, {{"dp", 100e3}, {"flow", 20e-3}});
  b.add("heat_source", "load", {{"to", {"t-supply"}}}, {{"power", 900e3}});
  b.add("pump", "FP", {{"from", {"f-suction"}}, {"to", {"f-hot"}}}).parameters.at("head_curve").points = {
      {0.0, 340e3}, {50e-3, 255e3}};
  b.add("dry_cooler", "DC", {{"from", {"f-hot"}}, {"to", {"f-cooled"}}});
  b.add("chiller", "CH", {{"from", {"f-cooled"}}, {"to", {"f-chilled"}}},
        {{"capacity", 5e5}, {"set_point", 300.15}, {"flow", 50e-3}});
  int n = 0;
  for (const char* model : {"mixed", "cells"}) {
    const std::string id = "tank" + std::to_string(++n);
    b.add("tank", id, {{"from", {"f-chilled"}}, {"to", {"f-tank"}}}, {{"volume", 3.0}, {"cells", 4}},
          {{"model", model}});
  }
  b.add("three_way_valve", "V3", {{"from", {"f-tank"}}, {"to", {"f-cold"}}, {"through", {"f-return"}}},
        {{"kv", 37e-3}, {"kv_bypass", 18e-3}});
  b.add("valve", "V", {{"from", {"f-return"}}, {"to", {"f-suction"}}}, {{"kv", 0.1}});
  b.add("fan_wall", "FW", {{"air", {"hall"}}, {"from", {"f-tank"}}, {"to", {"f-return"}}}, {{"supply_air", 302.15}});
  b.add("room_cooler", "RC", {{"air", {"room"}}, {"from", {"f-tank"}}, {"to", {"f-return"}}},
        {{"ua", 5e3}, {"flow", 2e-3}});
  b.add("fixed_flow", "F", {{"from", {"f-return"}}, {"to", {"f-suction"}}}, {{"flow", 1.5}, {"efficiency", 0.5}});
  b.add("zone", "hall", {}, {{"volume", 500.0}});
  b.add("zone", "room", {}, {{"volume", 100.0}});
  b.add("heat_source", "air-load", {{"to", {"room"}}}, {{"power", 20e3}});
  b.add("heat_capacity", "steel", {}, {{"capacity", 5e5}});
  b.add("heat_resistance", "contact", {{"a", {"steel"}}, {"b", {"hall"}}}, {{"resistance", 1e-3}});
  b.add("heat_resistance", "wall", {{"a", {"hall"}}, {"b", {"ambient"}}}, {{"resistance", 1e-3}});
  return b;
}

/// Spreads temperatures and sets speeds, so that no term is zero by chance.
void disturb(Bench& bench, double speed) {
  for (std::size_t k = 0; k < bench.state.y.size(); ++k)
    if (bench.state.y[k] > 200.0 && k != bench.index("facility"))
      bench.state.y[k] = 308.0 + 6.0 * std::sin(1.0 + 1.7 * static_cast<double>(k));
  for (const char* id : {"TP1", "TP2", "FP", "DC", "FW"}) bench.state.y[bench.index(id)] = speed;
  for (const char* id : {"V", "V3"}) bench.state.y[bench.index(id)] = 0.6;
  bench.state.y[bench.index("CH")] = 0.7;
  bench.evaluate();
}

double differentiatedError(Bench& bench) {
  const JacobianStructure& structure = bench.system->structure();
  Jacobian jacobian(structure);
  jacobian.zero();
  bench.system->jacobian(bench.e, jacobian);
  const std::vector<double> start = bench.state.y;
  double worst = 0.0;
  const std::size_t facility = 5;  // its ledgers take electric powers, which carry no derivative
  for (std::size_t column = facility; column < bench.system->size(); ++column) {
    if (start[column] < 200.0) continue;  // flows do not depend on temperatures, but they do on speeds
    const double h = 1e-3;
    bench.state.y[column] = start[column] + h;
    bench.evaluate();
    const std::vector<double> above = bench.ydot;
    bench.state.y[column] = start[column] - h;
    bench.evaluate();
    const std::vector<double> below = bench.ydot;
    bench.state.y[column] = start[column];
    for (std::size_t row = facility; row < bench.system->size(); ++row) {
      double exact = 0.0;
      for (std::size_t k = 0; k < structure.couplings.size(); ++k)
        if (structure.couplings[k].row == static_cast<std::int64_t>(row) &&
            structure.couplings[k].column == static_cast<std::int64_t>(column))
          exact = jacobian.exposed[k];
      const double difference = (above[row] - below[row]) / (2.0 * h);
      const double miss = std::abs(exact - difference) / (1.0 + std::abs(difference));
      if (miss > 1e-6)
        ADD_FAILURE() << bench.system->nameOf(row) << " by " << bench.system->nameOf(column) << ": " << exact
                      << " against " << difference;
      worst = std::max(worst, miss);
    }
  }
  bench.evaluate();
  return worst;
}

TEST(CoolingFrame, HasAnExactJacobianByTemperaturesInEitherFlowDirection) {
  Bench bench(everything());
  disturb(bench, 0.8);
  EXPECT_GT(bench.value("racks.flow"), 1e-3);
  EXPECT_LE(differentiatedError(bench), 1e-6);
}

TEST(CoolingFrame, HasAnExactJacobianOfReversedTanksPipesAndExchangers) {
  PlantBuilder b;
  b.circuit("c", "a").circuit("d", "p");
  b.add("fixed_flow", "F", {{"from", {"a"}}, {"to", {"b"}}}, {{"flow", -12.0}});
  b.add("fixed_flow", "G", {{"from", {"p"}}, {"to", {"q"}}}, {{"flow", -9.0}});
  b.add("pipe", "pipe", {{"from", {"b"}}, {"to", {"c"}}}, {{"length", 10.0}, {"diameter", 0.1}, {"loss", 30.0}});
  b.add("tank", "cells", {{"from", {"c"}}, {"to", {"d"}}}, {{"volume", 1.0}, {"cells", 3}}, {{"model", "cells"}});
  b.add("tank", "mixed", {{"from", {"d"}}, {"to", {"e"}}}, {{"volume", 1.0}}, {{"model", "mixed"}});
  b.add("tank", "plug", {{"from", {"e"}}, {"to", {"f"}}}, {{"volume", 1.0}}, {{"model", "plug"}});
  b.add("plate_heat_exchanger", "hx", {{"hot", {"f", "a"}}, {"cold", {"q", "p"}}},
        {{"ua", 5e4}, {"hot_flow", 12.0}, {"cold_flow", 9.0}});
  Bench bench(b);
  for (std::size_t k = 0; k < bench.state.y.size(); ++k)
    if (bench.state.y[k] > 200.0 && k != bench.index("facility"))
      bench.state.y[k] = 308.0 + 6.0 * std::sin(1.0 + 1.7 * static_cast<double>(k));
  bench.evaluate();
  EXPECT_LT(bench.value("pipe.flow"), 0.0);
  EXPECT_LE(differentiatedError(bench), 1e-6);
}

TEST(CoolingFrame, ConservesEnergyRunningAndStandingStill) {
  for (const double speed : {0.8, 0.3, 0.0}) {
    Bench bench(everything());
    disturb(bench, speed);
    // All heat that enters any row comes from the sources: temperatures' rows and the two ledgers of heat given away.
    double sum = bench.system->heatToAmbient(bench.e), largest = 0.0;
    for (std::size_t k = 5; k < bench.e.heat.size(); ++k) {
      if (bench.state.y[k] < 200.0) continue;
      sum += bench.e.heat[k];
      largest = std::max(largest, std::abs(bench.e.heat[k]));
    }
    EXPECT_NEAR(sum, bench.e.source_power, 1e-9 * largest + 1e-6) << speed;
    for (const double rate : bench.ydot) EXPECT_TRUE(std::isfinite(rate));
    for (const auto& set : bench.system->sets())
      for (std::size_t k = 0; k < set->info().signals.size(); ++k)
        for (std::size_t i = 0; i < set->size(); ++i)
          EXPECT_TRUE(std::isfinite(set->signalOf(bench.e, k, i)))
              << set->ids()[i] << "." << set->info().signals[k].name;
  }
}

TEST(CoolingFrame, ReportsACduFromItsParts) {
  Bench bench(everything());
  disturb(bench, 0.8);
  EXPECT_EQ(bench.value("CDU.heat"), bench.value("hx.heat"));
  EXPECT_NEAR(bench.value("CDU.flow"), bench.value("TP1.flow") + bench.value("TP2.flow"), 1e-15);
  EXPECT_NEAR(bench.value("CDU.power"), bench.value("TP1.power") + bench.value("TP2.power"), 1e-9);
  EXPECT_EQ(bench.value("CDU.pumps_running"), 2.0);
  EXPECT_EQ(bench.value("CDU.t_supply"), bench.state.y[bench.index("t-outlet")]);
  EXPECT_NEAR(bench.value("CDU.loading"), bench.value("hx.heat") / 1350e3, 1e-12);
  ASSERT_TRUE(bench.command("TP1", "trip"));
  bench.evaluate();
  EXPECT_EQ(bench.value("CDU.pumps_running"), 1.0);
}

TEST(CoolingFrame, RefusesAMemberOfTheWrongKind) {
  PlantBuilder b = everything();
  b.add("cdu", "wrong",
        {{"exchanger", {"pipe"}}, {"pumps", {"hx"}}, {"supply_node", {"t-outlet"}}, {"return_node", {"t-return"}}});
  EXPECT_THROW(b.build(), InputError);
}

TEST(CoolingFrame, DeclaresEveryClassCompletely) {
  std::set<std::string_view> names;
  for (const auto& entry : coolingClasses()) {
    const ClassInfo& info = *entry.info;
    SCOPED_TRACE(std::string(info.name));
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_FALSE(info.title.empty());
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(PODTWIN_SOURCE_DIR) / "model/components" / info.page))
        << info.page;
    for (const auto& p : info.parameters) {
      EXPECT_FALSE(p.meaning.empty()) << p.name;
      EXPECT_LE(p.low, p.high) << p.name;
      const bool has_default = p.fallback == p.fallback && p.kind != ParameterKind::curve;
      EXPECT_TRUE(!has_default || !p.source.empty()) << p.name << " has a default without a source";
      if (has_default && p.kind != ParameterKind::choice && p.kind != ParameterKind::flag) {
        EXPECT_GE(p.fallback, p.low) << p.name;
        EXPECT_LE(p.fallback, p.high) << p.name;
      }
    }
    for (const auto& limit : info.limits) {
      EXPECT_TRUE(std::any_of(info.signals.begin(), info.signals.end(), [&](const SignalInfo& s) {
        return s.name == limit.signal;
      })) << limit.signal;
      EXPECT_FALSE(limit.source.empty());
    }
  }
}

TEST(Frame, CoolantThatStatedFlowsAloneJoinToTheRestIsRefused) {
  PlantBuilder b;
  b.circuit("c", "a");
  b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  b.add("fixed_flow", "F1", {{"from", {"b"}}, {"to", {"x"}}}, {{"flow", 2.0}});
  b.add("fixed_flow", "F2", {{"from", {"x"}}, {"to", {"a"}}}, {{"flow", 1.0}});
  try {
    b.build();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'F1' into it, 'F2' out of it"), std::string::npos) << error.what();
  }
}

TEST(Frame, ANodeAtNearlyAbsoluteZeroStartsThere) {
  constexpr double kCold = 0.5;  // K; not taken for one that is not stated
  PlantBuilder b;
  b.circuit("c", "a");
  b.boundary("b", 0.0, kCold);
  b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  EXPECT_EQ(Bench(b).value("b.t"), kCold);
}

TEST(Frame, APressureBelowAbsoluteVacuumIsRefusedWhereHeldAndAlarmedElsewhere) {
  constexpr double kVacuum = -101325.0;  // Pa gauge at sea level
  PlantBuilder b;
  b.circuit("c", "a");
  b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  PlantBuilder below = b;
  below.boundary("b", kVacuum - 1.0);
  EXPECT_THROW(below.build(), InputError);
  b.boundary("b", kVacuum + 1.0);
  Bench bench(b);
  const ComponentSet& nodes = *bench.system->findSignal("b.p").set;
  ASSERT_EQ(nodes.info().limits.size(), 4U);
  EXPECT_EQ(nodes.info().limits[0].signal, "p");
  EXPECT_EQ(nodes.info().limits[1].signal, "trapped_rise");
  EXPECT_EQ(nodes.info().limits[2].signal, "t");
  EXPECT_EQ(nodes.info().limits[3].signal, "t");
  EXPECT_NEAR(nodes.limitValue(0, 0), kVacuum, 1.0);
}

}  // namespace
}  // namespace podtwin
