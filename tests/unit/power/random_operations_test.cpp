// Random networks under random operations of their breakers: whatever is open, a bus is live exactly when closed ways
// lead to a source, nothing is NaN, and currents balance at every conductor, so power does by phase.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "model/system/electrical_network.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace {

using namespace podtwin;
using podtwin::test::Build;
using podtwin::test::Plant;

constexpr std::size_t kBuses = 14;
constexpr int kOperations = 250;    // of each of four networks: a thousand
constexpr double kBalanced = 1e-9;  // of the greatest current; what the issue asks of power by phase
constexpr double kNominal = 480.0;  // V

struct Way {
  std::string id;
  std::size_t from, to;
  bool breaker;
};

std::string bus(std::size_t k) { return "B" + std::to_string(k); }

class RandomNetwork {
 public:
  explicit RandomNetwork(unsigned seed) : random_(seed) {
    // A spanning tree of breakers and lines, and ways across it.
    for (std::size_t k = 1; k < kBuses; ++k) join(pick(k), k);
    for (std::size_t k = 0; k < kBuses; ++k) {
      const std::size_t a = pick(kBuses), b = pick(kBuses);
      if (a != b) join(a, b);
    }
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t at = pick(kBuses);
      if (!fed_.insert(at).second) continue;
      instances_.push_back(Build("utility", "U" + std::to_string(s))
                               .port("to", {bus(at)})
                               .set("rating", 5e6)
                               .set("voltage", kNominal * (0.98 + 0.02 * unit()))
                               .set("short_circuit_power", 20e6 + 30e6 * unit())
                               .set("parallel", "allowed"));
    }
    instances_.push_back(Build("neutral_earthing", "E").port("at", {bus(0)}));
    const std::array<const char*, 6> phases{"a", "b", "c", "ab", "bc", "abc"};
    const std::array<const char*, 3> models{"power", "current", "impedance"};
    for (std::size_t k = 0; k < kBuses; ++k)
      instances_.push_back(Build("electrical_load", "L" + std::to_string(k))
                               .on(bus(k))
                               .set("power", 100e3 * unit())
                               .set("reactive_power", 40e3 * unit())
                               .set("connection", "star")
                               .set("phases", phases[pick(phases.size())])
                               .set("model", models[pick(models.size())]));
    plant_ = std::make_unique<Plant>(instances_);
  }

  void operate() {
    const Way* way = nullptr;
    while (way == nullptr || !way->breaker) way = &ways_[pick(ways_.size())];
    const bool closed = open_.contains(way->id);
    ASSERT_EQ(plant_->command(way->id, closed ? "close" : "open"), "");
    if (closed)
      open_.erase(way->id);
    else
      open_.insert(way->id);
    check(way->id);
  }

  void check(const std::string& last) const {
    SCOPED_TRACE("after " + last);
    std::set<std::size_t> live = fed_;
    for (bool more = true; more;) {
      more = false;
      for (const auto& way : ways_)
        if (!open_.contains(way.id) && live.contains(way.from) != live.contains(way.to)) {
          live.insert(way.from);
          live.insert(way.to);
          more = true;
        }
    }
    const auto& phasor = plant_->e.phasor;
    for (std::size_t k = 0; k < kBuses; ++k) {
      const double source = plant_->value(bus(k) + ".source");
      EXPECT_EQ(plant_->value(bus(k) + ".energised"), live.contains(k) ? 1.0 : 0.0) << bus(k);
      EXPECT_EQ(source, live.contains(k) ? 1.0 : 0.0) << bus(k);
      for (const char* name : {".v_a", ".v_b", ".v_c", ".v_n"}) {
        const double v = plant_->value(bus(k) + name);
        ASSERT_TRUE(std::isfinite(v)) << bus(k) << name;
        // A neutral that three poles leave joined has what voltage the neutral beside it has.
        if (!live.contains(k) && std::string(name) != ".v_n") {
          EXPECT_EQ(v, 0.0) << bus(k) << name;
        }
      }
      if (!live.contains(k)) {
        EXPECT_EQ(plant_->value("L" + std::to_string(k) + ".power"), 0.0);
      }
    }
    for (std::size_t p = 0; p < phasor.topology->parts().size(); ++p)
      EXPECT_LE(phasor.network->imbalance(*phasor.topology, p, phasor.state), kBalanced);
    double drawn = 0.0;
    for (std::size_t k = 0; k < kBuses; ++k) drawn += plant_->value("L" + std::to_string(k) + ".power");
    for (std::size_t n = 0; n < phasor.network->elements().size(); ++n) drawn += phasor.absorbed(n).real();
    EXPECT_NEAR(drawn, plant_->e.source_power, 1e-8 * std::max(1e3, plant_->e.source_power));
  }

 private:
  double unit() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  void join(std::size_t a, std::size_t b) {
    const bool breaker = unit() < 0.6;
    const std::string id = (breaker ? "Q" : "W") + std::to_string(ways_.size());
    Build way(breaker ? "breaker" : "line", id);
    way.port("from", {bus(a)}).port("to", {bus(b)});
    if (breaker)
      way.set("poles", unit() < 0.5 ? "4" : "3");
    else
      way.set("length", 5.0 + 40.0 * unit())
          .set("conductors", "abcn")
          .numbers("resistance", {0.05e-3})
          .numbers("reactance", {0.08e-3});
    instances_.push_back(way);
    ways_.push_back({id, a, b, breaker});
  }

  std::mt19937 random_;
  std::vector<InstanceDescription> instances_;
  std::vector<Way> ways_;
  std::set<std::size_t> fed_;
  std::set<std::string> open_;
  std::unique_ptr<Plant> plant_;
};

TEST(RandomOperations, OfBreakersLeaveNoIslandWithoutSourceAndEveryPhaseInBalance) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNetwork network(seed);
    network.check("the start");
    for (int k = 0; k < kOperations && !HasFailure(); ++k) network.operate();
  }
}

}  // namespace
