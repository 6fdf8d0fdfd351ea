// Buffer tank against reference case T10-chiller-trip-buffer, and its own ledger.
#include <cmath>
#include <tuple>

#include "tests/unit/cooling/march.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;

// The case's loop: 2 MW into 60 kg/s at 4,186 J/(kg K), 30 t in the tank, no other content (1 ml at the joints here).
PlantBuilder loop(const std::string& model, double flow = 60.0, double joint = 1e-6) {
  PlantBuilder b;
  b.circuit("c", "cold", 4186.0).volume("cold", joint).volume("hot", joint);
  b.add("tank", "T", {{"from", {"hot"}}, {"to", {"cold"}}}, {{"volume", 30.0}, {"flow", 0.06}}, {{"model", model}});
  b.add("fixed_flow", "F", {{"from", {"cold"}}, {"to", {"hot"}}}, {{"flow", flow}});
  b.add("heat_source", "Q", {{"to", {"hot"}}}, {{"power", 2e6}});
  return b;
}

struct Row {
  double t, celsius;
};

TEST(Tank, OfPlugFlowAgreesWithTheReferenceStaircase) {
  Bench bench(loop("plug"), kZero + 18.0);
  for (const auto& row :
       {Row{60, 18.0}, {240, 18.0}, {510, 25.9630514413}, {900, 25.9630514413}, {1300, 33.9261028826}}) {
    march(bench, row.t, {.max_step = 0.5});
    EXPECT_NEAR(bench.value("T.t_out") - kZero, row.celsius, 1e-6) << row.t << " s";
  }
}

TEST(Tank, OfOneMixedVolumeAgreesWithTheReference) {
  Bench bench(loop("mixed"), kZero + 18.0);
  for (const auto& row : {Row{60, 18.955566173},
                          {240, 21.8222646918},
                          {510, 26.1223124701},
                          {900, 32.3334925944},
                          {1300, 38.7039337474}}) {
    march(bench, row.t);
    EXPECT_NEAR(bench.value("T.t_out") - kZero, row.celsius, 1e-5)
        << row.t << " s";  // 1 ml at each joint is not in the reference
  }
}

TEST(Tank, OfManyCellsLiesBetweenMixedAndPlug) {
  double at_400[3];
  std::size_t k = 0;
  for (const char* model : {"mixed", "cells", "plug"}) {
    Bench bench(loop(model), kZero + 18.0);
    march(bench, 400.0, {.rtol = 1e-6, .max_step = 2.0});
    at_400[k++] = bench.value("T.t_out") - kZero;
  }
  EXPECT_GT(at_400[0], at_400[1]);
  EXPECT_GT(at_400[1], at_400[2]);
}

TEST(Tank, OfTwentyCellsIsTheErlangResponseOfTwentyTanks) {
  // A step at the inlet of n mixed cells: 1 - exp(-x) sum_{k<n} x^k/k! with x = n t/tau.
  PlantBuilder b;
  b.circuit("c", "in").boundary("in", 1e5, 313.15).boundary("end", 1e5);
  b.volume("out", 1e-6);
  b.add("tank", "T", {{"from", {"in"}}, {"to", {"out"}}}, {{"volume", 1.0}}, {{"model", "cells"}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", 10.0}});
  Bench bench(b, 293.15);
  march(bench, 80.0, {.rtol = 1e-8});
  const double x = 20.0 * 80.0 / 100.0;
  double sum = 0.0, term = 1.0;
  for (int k = 0; k < 20; ++k) {
    sum += term;
    term *= x / (k + 1);
  }
  EXPECT_NEAR(bench.value("T.t_out"), 293.15 + 20.0 * (1.0 - std::exp(-x) * sum), 1e-4);
}

// Heat given equals heat stored, to 1e-9 of what passed through the tank, whatever steps the integrator took.
class TankLedger : public testing::TestWithParam<std::pair<const char*, solvers::Method>> {};

TEST_P(TankLedger, ClosesOverSwingsAndReversals) {
  const auto& [model, method] = GetParam();
  Bench bench(loop(model, 60.0, 0.5), kZero + 18.0);
  bench.state.y[bench.index("hot")] = kZero + 30.0;
  bench.evaluate();
  const double start = bench.system->ledger(bench.state, bench.e).stored;
  double t = 0.0, throughput = 0.0, worst = 0.0;
  for (const double flow : {60.0, -45.0, 5.0, -5.0, 0.0, 80.0, -80.0, 20.0}) {
    ASSERT_TRUE(bench.command("F", "set", flow));
    bench.evaluate();
    throughput += std::abs(flow) * 4186.0 * 40.0 * 170.0;
    t += 170.0;
    march(bench, t, {.method = method, .rtol = 1e-4}, [&] {
      const EnergyLedger ledger = bench.system->ledger(bench.state, bench.e);
      worst =
          std::max(worst, std::abs(ledger.stored - start - ledger.sources + ledger.to_ambient + ledger.to_boundaries));
    });
  }
  EXPECT_LE(worst, 1e-9 * throughput);
}
INSTANTIATE_TEST_SUITE_P(EveryModelAndMethod, TankLedger,
                         testing::Values(std::pair{"plug", solvers::Method::cvode},
                                         std::pair{"plug", solvers::Method::rosenbrock},
                                         std::pair{"mixed", solvers::Method::rosenbrock},
                                         std::pair{"cells", solvers::Method::rosenbrock}));

TEST(Tank, GivesBackInOrderWhatWentInWhenTheFlowTurns) {
  // 25 t of hot water enter, then the flow turns: the same hot water leaves at the inlet, then the cold.
  PlantBuilder b;
  b.circuit("c", "in").boundary("in", 1e5, 333.15).boundary("out", 1e5, 283.15).volume("mid", 1e-5);
  b.add("tank", "T", {{"from", {"in"}}, {"to", {"mid"}}}, {{"volume", 50.0}});
  b.add("fixed_flow", "F", {{"from", {"mid"}}, {"to", {"out"}}}, {{"flow", 100.0}});
  Bench bench(b, 293.15);
  march(bench, 250.0, {.max_step = 1.0});
  EXPECT_NEAR(bench.value("T.t_out"), 293.15, 1e-9);
  EXPECT_NEAR(bench.value("T.t_mean"), 313.15, 1e-6);
  ASSERT_TRUE(bench.command("F", "set", -100.0));
  bench.evaluate();
  march(bench, 490.0, {.max_step = 1.0});
  // 24 t of it have left at the inlet, and as much of 283 K came in behind the 25 t of 293 K.
  const auto mean = [&](double hot, double cold) { return 283.15 + (50.0 * hot + 10.0 * cold) / 50.0; };
  EXPECT_NEAR(bench.value("T.t_mean"), mean(1.0, 25.0), 1e-3);
  march(bench, 520.0, {.max_step = 1.0});
  EXPECT_NEAR(bench.value("T.t_mean"), mean(0.0, 23.0), 1e-3);
}

TEST(Tank, StaysWithinItsContentAsAFrontLeavesAtAnyStep) {
  // 293 K leaves, then 313 K: nothing colder or hotter may ever leave, whatever steps the integrator chose.
  PlantBuilder b;
  b.circuit("c", "in").boundary("in", 1e5, 313.15).boundary("end", 1e5).volume("out", 1e-3);
  b.add("tank", "T", {{"from", {"in"}}, {"to", {"out"}}}, {{"volume", 1.0}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", 10.0}});
  for (const auto& [method, rtol, longest] : {std::tuple{solvers::Method::rosenbrock, 1e-3, 10.0},
                                              {solvers::Method::rosenbrock, 1e-3, 0.3},
                                              {solvers::Method::cvode, 1e-6, 0.0},
                                              {solvers::Method::arkode, 1e-3, 10.0}}) {
    Bench bench(b, 293.15);
    double lowest = 400.0, highest = 0.0;
    march(bench, 300.0, {.method = method, .rtol = rtol, .max_step = longest}, [&] {
      lowest = std::min(lowest, bench.value("T.t_out"));
      highest = std::max(highest, bench.value("T.t_out"));
    });
    EXPECT_NEAR(lowest, 293.15, 0.05);
    EXPECT_NEAR(highest, 313.15, 0.05);
    EXPECT_NEAR(bench.value("T.t_out"), 313.15, 1e-3);
  }
}

TEST(Tank, ShowsAndStoresWhatIsThereInsideAStepToo) {
  // Where an integrator looks, the content still stands as the last step left it and the ledgers have gone on. A front
  // between 318 K and 338 K is at the outlet; 10 kg more come in at 338 K.
  PlantBuilder b;
  b.circuit("c", "in").boundary("in", 1e5, 338.15).boundary("end", 1e5).volume("out", 1e-3);
  b.add("tank", "T", {{"from", {"in"}}, {"to", {"out"}}}, {{"volume", 1.0}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", 10.0}});
  Bench bench(b, 318.15);
  march(bench, 99.5, {.max_step = 0.1});
  ASSERT_NEAR(bench.value("T.t_out"), 318.15, 1e-3);
  const double before = bench.system->ledger(bench.state, bench.e).stored;
  bench.state.y[bench.index("T", 1)] += 10.0 * 4000.0 * (338.15 - kZero);
  bench.state.y[bench.index("T", 2)] += 0.01;
  bench.state.y[bench.index("T", 3)] += 5.0 * 4000.0 * (318.15 + 338.15 - 2.0 * kZero);
  bench.evaluate();
  EXPECT_NEAR(bench.value("T.t_out"), 338.15, 1e-3);
  EXPECT_NEAR(bench.system->ledger(bench.state, bench.e).stored - before, 5.0 * 4000.0 * 20.0, 1e-3);
}

TEST(Tank, PassesItsInletThroughInASteadySearch) {
  Bench bench(loop("plug"), kZero + 18.0);
  bench.state.y[bench.index("hot")] = kZero + 30.0;
  bench.e.steady_search = true;
  bench.evaluate();
  EXPECT_NEAR(bench.e.heat[bench.index("cold")], 60.0 * 4186.0 * 12.0, 1e-3);
  bench.system->advance(bench.state, bench.e, 1.0);
  EXPECT_DOUBLE_EQ(bench.value("T.t_mean"), kZero + 30.0);
}

}  // namespace
}  // namespace podtwin
