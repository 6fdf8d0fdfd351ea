// Pipes: transport delay, loss, wall and momentum against closed forms.
#include <cmath>
#include <numbers>

#include "model/components/cooling/pipe_heat.hpp"
#include "tests/unit/cooling/march.hpp"

namespace podtwin {
namespace {

constexpr double kCp = 4000.0;                                 // J/(kg K), of the circuit
constexpr double kArea = 0.25 * std::numbers::pi * 0.1 * 0.1;  // m2

// 100 m of a bore of 100 mm between a warm boundary and a flow of 5 kg/s.
PlantBuilder line(const std::map<std::string, double>& numbers, const std::map<std::string, std::string>& texts) {
  PlantBuilder b;
  b.circuit("c", "in", kCp).boundary("in", 1e5, 313.15).boundary("end", 1e5);
  b.volume("out", 1e-6);
  std::map<std::string, double> all = numbers;
  all.insert({{"length", 100.0}, {"diameter", 0.1}});
  b.add("pipe", "P", {{"from", {"in"}}, {"to", {"out"}}}, all, texts);
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", 5.0}});
  return b;
}

double stored(const Bench& bench) {
  const EnergyLedger l = bench.system->ledger(bench.state, bench.e);
  return l.stored + l.to_ambient + l.to_boundaries - l.sources;
}

TEST(Pipe, InPlugFlowDecaysFromInletToOutletByItsResidence) {
  Bench bench(line({{"loss", 2000.0}}, {{"model", "plug"}}), 293.15);
  const double air = bench.system->weather(bench.state).dry_bulb;
  const double rho = bench.system->circuits()[0].coolant.density, residence = rho * kArea * 100.0 / 5.0;
  const double before = stored(bench), units = 2000.0 / (5.0 * kCp);
  march(bench, 0.5 * residence, {.rtol = 1e-9, .max_step = 1.0});
  EXPECT_NEAR(bench.value("P.t_out"), air + (293.15 - air) * std::exp(-0.5 * units), 1e-5) << "what was in it";
  march(bench, 1.5 * residence, {.rtol = 1e-9, .max_step = 1.0});
  EXPECT_NEAR(bench.value("P.t_out"), air + (313.15 - air) * std::exp(-units), 1e-5) << "what came in";
  EXPECT_NEAR(bench.value("P.loss"), 5.0 * kCp * (313.15 - bench.value("P.t_out")), 1.0);
  EXPECT_NEAR(stored(bench), before, 1e-9 * 5.0 * kCp * 20.0 * residence);
}

TEST(Pipe, WithAWallHoldsTheHeatOfBoth) {
  // A copper wall of 5 mm: in the end everything is as warm as the inlet, the 5 L at the boundary behind it too.
  Bench bench(line({{"wall_thickness", 5e-3}, {"cells", 3.0}}, {{"wall_material", "copper"}}), 293.15);
  const double rho = bench.system->circuits()[0].coolant.density;
  const double wall = std::numbers::pi * 0.105 * 5e-3 * 100.0 * 8933.0 * 385.0;  // J/K
  const double before = bench.system->ledger(bench.state, bench.e).stored;
  march(bench, 20000.0, {.rtol = 1e-6});
  EXPECT_NEAR(bench.value("P.t_wall"), 313.15, 1e-3);
  EXPECT_NEAR(bench.system->ledger(bench.state, bench.e).stored - before,
              20.0 * (wall + (kArea * 100.0 + 1e-6 + 5e-3) * rho * kCp), 1e-4 * 20.0 * wall);
}

TEST(Pipe, NusseltNumbersAreThoseOfTheTextbook) {
  EXPECT_DOUBLE_EQ(pipeNusselt(0.0, 5.0), 3.66);
  EXPECT_DOUBLE_EQ(pipeNusselt(2300.0, 5.0), 3.66);
  // By hand, Re = 1e4, Pr = 6: f = (1.8 * 4 - 1.5)^-2 = 0.030779, f/8 = 0.0038473;
  // Nu = 0.0038473 * 6e4 / (1 + 12.7 * 0.062027 * (3.301927 - 1)) = 230.84 / 2.81334.
  EXPECT_NEAR(pipeNusselt(1e4, 6.0), 82.05, 0.01);
  EXPECT_NEAR(pipeNusselt(4000.0, 6.0), pipeNusselt(4000.0 - 1e-6, 6.0), 1e-5);
}

TEST(Pipe, StartsFromRestAsTheHyperbolicTangentOfItsInertance) {
  // Between held pressures with fittings far above its friction: m = m_end tanh(t / tau), tau = I / (R m_end).
  PlantBuilder b;
  b.circuit("c", "in", kCp).boundary("in", 1e5, 293.15).boundary("end", 0.0);
  b.add("pipe", "P", {{"from", {"in"}}, {"to", {"end"}}},
        {{"length", 1.0}, {"diameter", 0.1}, {"minor_loss", 1e6}, {"inertance", 1.0}});
  Bench bench(b, 293.15);
  const double rho = bench.system->circuits()[0].coolant.density;
  const double r = 0.5e6 / (rho * kArea * kArea), end = std::sqrt(1e5 / r), tau = 1.0 / kArea / (r * end);
  march(bench, tau, {.rtol = 1e-8});
  EXPECT_NEAR(bench.value("P.momentum.mass_flow"), end * std::tanh(1.0), 1e-4 * end);
  std::string reason;
  const auto [pipes, i] = bench.system->find("P");
  EXPECT_TRUE(pipes->command(bench.state, i, "isolate", kRequired, reason)) << reason;
  bench.evaluate();
  EXPECT_EQ(bench.value("P.flow"), 0.0);
  march(bench, 2.0 * tau + 1.0, {.rtol = 1e-8});
  EXPECT_TRUE(pipes->command(bench.state, i, "restore", kRequired, reason)) << reason;
  bench.evaluate();
  EXPECT_NEAR(bench.value("P.momentum.mass_flow"), 0.0, 1e-6 * end) << "it starts from rest again";
}

TEST(Pipe, TwoInARowWithInertanceAndNothingBetweenAreRefused) {
  PlantBuilder b;
  b.circuit("c", "in", kCp).boundary("in", 1e5, 293.15).boundary("end", 0.0);
  for (const auto& [id, from, to] : {std::tuple{"P", "in", "mid"}, {"Q", "mid", "end"}})
    b.add("pipe", id, {{"from", {from}}, {"to", {to}}}, {{"length", 10.0}, {"diameter", 0.1}, {"inertance", 1.0}});
  try {
    const Bench bench(b, 293.15);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("inertance"), std::string::npos) << error.what();
  }
}

TEST(Pipe, WhatContradictsItselfIsRefusedWithARemedy) {
  struct Bad {
    std::map<std::string, double> numbers;
    const char* model;
    const char* named;
  };
  for (const auto& bad : {Bad{{{"loss", 3.0}, {"loss_per_area", 3.0}}, "cells", "more than one way"},
                          {{{"outer_film", 8.0}, {"loss_per_area", 3.0}}, "cells", "more than one way"},
                          {{{"insulation_thickness", 0.02}}, "cells", "outer_film"},
                          {{{"wall_density", 7000.0}}, "cells", "wall_thickness"},
                          {{{"inner_film", 700.0}}, "cells", "wall_thickness"},
                          {{{"length", 0.0}, {"inertance", 1.0}}, "cells", "length"}}) {
    try {
      const Bench bench(line(bad.numbers, {{"model", bad.model}}), 293.15);
      ADD_FAILURE() << "accepted: " << bad.named;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(bad.named), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace podtwin
