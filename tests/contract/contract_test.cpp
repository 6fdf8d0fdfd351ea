// What every registered class promises the frame, read from its table and measured on a small plant of its own
// (plants/CLASS.yaml, which is also an example of how the class is written).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>

#include "data/readers/pod_reader.hpp"
#include "model/system/builtin_sets.hpp"
#include "model/system/registry.hpp"
#include "model/system/system.hpp"

namespace podtwin {
namespace {

const std::string kFolder = std::string(PODTWIN_SOURCE_DIR) + "/tests/contract/plants/";
constexpr double kReference = 273.15;    // K; zero of stored heat
constexpr double kTemperature = 308.15;  // K; of the coolant before it is perturbed
constexpr double kCold = 278.15;         // K
const Weather kOutdoors{303.15, 0.4, 99000.0};
constexpr double kEnergyTolerance = 1e-9;    // of throughput
constexpr double kJacobianTolerance = 1e-5;  // of the entry and of the greatest entry of its row
constexpr double kAboveOne = 3.0;
constexpr double kStep = 1e-3;  // K, or of a unit, of the central differences

std::vector<const ClassInfo*> registered() {
  std::vector<const ClassInfo*> all;
  for (const auto& c : registeredClasses()) all.push_back(c.info);
  return all;
}

/// The small plant of a class, with its state.
struct Bench {
  explicit Bench(const std::string& class_name, double temperature = kTemperature) {
    Diagnostics problems;
    const auto classes = registered();
    PlantDescription plant = data::readPod(kFolder + class_name + ".yaml", {}, classes, problems);
    for (const auto& p : problems.list()) ADD_FAILURE() << p.text();
    problems.throwIfErrors();
    system = std::make_unique<System>(std::move(plant), registeredClasses());
    state = system->initialState(temperature, kOutdoors);
    e = system->makeEvaluation();
    ydot.assign(system->size(), 0.0);
  }
  void evaluate() { system->evaluate(state, state.t, state.y, e, ydot); }
  bool isTemperature(std::size_t k) const { return state.y[k] > 200.0; }
  const ComponentSet& facility() const { return *system->sets().front(); }

  /// Every temperature moved by up to 4 K, every other unknown that is a share into 0.4 to 0.8; the same on every
  /// machine.
  void perturb() {
    std::uint64_t seed = 12345;
    const auto draw = [&seed] {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(seed >> 11) / 9007199254740992.0;
    };
    const std::size_t ledgers = facility().exposedCount();
    for (std::size_t k = ledgers; k < state.y.size(); ++k)
      state.y[k] = isTemperature(k) ? state.y[k] + 8.0 * draw() - 4.0 : 0.4 + 0.4 * draw();
  }

  std::unique_ptr<System> system;
  State state;
  Evaluation e;
  std::vector<double> ydot;
};

class Contract : public ::testing::TestWithParam<const ClassInfo*> {};

std::string nameOf(const ::testing::TestParamInfo<const ClassInfo*>& info) { return std::string(info.param->name); }

void expectName(std::string_view name, const std::string& where) {
  static const std::regex snake("[a-z][a-z0-9]*(_[a-z0-9]+)*");
  EXPECT_TRUE(std::regex_match(std::string(name), snake)) << where << ": '" << name << "' is no snake_case name";
}

void expectSentence(std::string_view text, const std::string& where) {
  ASSERT_FALSE(text.empty()) << where << " says nothing";
  EXPECT_EQ(text.back(), '.') << where << ": '" << text << "' ends without a full stop";
}

template <class List>
void expectUnique(const List& list, const std::string& where) {
  std::set<std::string_view> seen;
  for (const auto& item : list) EXPECT_TRUE(seen.insert(item.name).second) << where << ": '" << item.name << "' twice";
}

void expectWholeTable(const ClassInfo& info) {
  const std::string name(info.name);
  expectName(info.name, name);
  expectName(info.group, name + " group");
  EXPECT_FALSE(info.title.empty()) << name;
  EXPECT_FALSE(info.symbol.empty()) << name;
  const auto page = std::filesystem::path(PODTWIN_SOURCE_DIR) / "model/components" / info.page;
  EXPECT_TRUE(!info.page.empty() && std::filesystem::is_regular_file(page))
      << name << ": its page '" << info.page << "' does not exist";
  expectUnique(info.ports, name + " ports");
  expectUnique(info.parameters, name + " parameters");
  expectUnique(info.states, name + " states");
  expectUnique(info.discretes, name + " discretes");
  expectUnique(info.signals, name + " signals");
  for (const auto& port : info.ports) {
    expectName(port.name, name);
    EXPECT_FALSE(port.meaning.empty()) << name << "." << port.name;
  }
  for (const auto& p : info.parameters) {
    const std::string where = name + "." + std::string(p.name);
    expectName(p.name, where);
    expectSentence(p.meaning, where);
    EXPECT_LE(p.low, p.high) << where;
    const bool has_default = !p.optional && (p.kind == ParameterKind::choice || p.fallback == p.fallback);
    if (has_default) {
      EXPECT_FALSE(p.source.empty()) << where << ": a default without a source";
    }
    if (p.kind == ParameterKind::choice) {
      EXPECT_FALSE(p.choices.empty()) << where;
    } else if (p.fallback == p.fallback) {
      EXPECT_GE(p.fallback, p.low) << where;
      EXPECT_LE(p.fallback, p.high) << where;
    }
    if (p.quantity != Quantity::none) {
      EXPECT_FALSE(siUnit(p.quantity).empty()) << where << " has no unit";
    }
    if (p.kind == ParameterKind::number || p.kind == ParameterKind::numbers || p.kind == ParameterKind::curve) {
      EXPECT_NE(p.quantity, Quantity::none) << where << ": a number without a kind of quantity";
    }
  }
  for (const auto& s : info.states) {
    expectName(s.name, name);
    expectSentence(s.meaning, name + "." + std::string(s.name));
    EXPECT_GT(s.abs_tol, 0.0) << name << "." << s.name;
  }
  for (const auto& d : info.discretes) {
    expectName(d.name, name);
    expectSentence(d.meaning, name + "." + std::string(d.name));
  }
  EXPECT_FALSE(info.signals.empty()) << name << " shows nothing";
  for (const auto& s : info.signals) {
    expectName(s.name, name);
    expectSentence(s.meaning, name + "." + std::string(s.name));
    EXPECT_FALSE(siUnit(s.quantity).empty()) << name << "." << s.name;
  }
  std::set<std::string_view> verbs;
  for (const auto& c : info.commands) {
    EXPECT_TRUE(verbs.insert(c.verb).second) << name << ": '" << c.verb << "' twice";
    expectName(c.verb, name);
    if (!c.argument.empty()) expectName(c.argument, name);
    expectSentence(c.meaning, name + " " + std::string(c.verb));
  }
  for (const auto& limit : info.limits) {
    const std::string where = name + " limit of " + std::string(limit.signal);
    EXPECT_TRUE(std::any_of(info.signals.begin(), info.signals.end(),
                            [&](const SignalInfo& s) { return s.name == limit.signal; }))
        << where << ": no such signal";
    EXPECT_TRUE(std::isfinite(limit.value)) << where;
    EXPECT_GE(limit.delay, 0.0) << where;
    EXPECT_FALSE(limit.source.empty()) << where << " has no source";
    EXPECT_TRUE((std::set<std::string_view>{"alarm", "trip", "warranty", "rating"}).contains(limit.kind))
        << where << ": kind '" << limit.kind << "'";
  }
}

void expectFinite(const Bench& bench, const std::string& when) {
  for (std::size_t k = 0; k < bench.ydot.size(); ++k)
    EXPECT_TRUE(std::isfinite(bench.ydot[k])) << when << ": rate of " << bench.system->nameOf(k);
  for (const auto& set : bench.system->sets()) {
    std::vector<double> values(set->size());
    for (std::size_t s = 0; s < set->info().signals.size(); ++s) {
      set->signal(bench.e, s, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(std::isfinite(values[i])) << when << ": " << set->ids()[i] << "." << set->info().signals[s].name;
        EXPECT_EQ(values[i], set->signalOf(bench.e, s, i))
            << when << ": " << set->ids()[i] << "." << set->info().signals[s].name << " one by one";
      }
    }
  }
}

double magnitude(Quantity quantity) {
  switch (quantity) {
    case Quantity::temperature:
      return 300.0;
    case Quantity::temperature_difference:
      return 1.0;
    case Quantity::power:
      return 2000.0;
    case Quantity::pressure_difference:
      return 3e4;
    case Quantity::volume_flow:
      return 1e-3;
    default:
      return 0.5;
  }
}

TEST_P(Contract, TheTableIsWhole) { expectWholeTable(*GetParam()); }

TEST_P(Contract, TheExamplePlantHoldsTheClassAndTheTablesOfItsPartsAreWhole) {
  ASSERT_TRUE(std::filesystem::exists(kFolder + std::string(GetParam()->name) + ".yaml"))
      << "write tests/contract/plants/" << GetParam()->name << ".yaml";
  const Bench bench{std::string(GetParam()->name)};
  bool present = false;
  for (const auto& set : bench.system->sets()) {
    present = present || (&set->info() == GetParam() && set->size() > 0);
    if (!set->info().user_visible && set->info().page.substr(0, 2) != "..") expectWholeTable(set->info());
  }
  EXPECT_TRUE(present);
}

TEST_P(Contract, SignalsAndRatesAreFiniteAtAColdStartPerturbedAndWithEverythingTripped) {
  const std::string name(GetParam()->name);
  {
    Bench bench(name, kCold);
    bench.evaluate();
    expectFinite(bench, "cold start");
  }
  Bench bench(name);
  bench.evaluate();
  expectFinite(bench, "start");
  bench.perturb();
  bench.evaluate();
  expectFinite(bench, "perturbed");
  Bench tripped = Bench(name);
  std::string reason;
  for (const auto& set : tripped.system->sets())
    for (std::size_t i = 0; i < set->size(); ++i)
      for (const auto& command : set->info().commands)
        if (command.verb == "trip" || command.verb == "close") {
          EXPECT_TRUE(set->command(tripped.state, i, command.verb, kRequired, reason)) << reason;
        }
  tripped.evaluate();
  expectFinite(tripped, "tripped");
  for (const auto& set : tripped.system->sets())
    if (set->info().user_visible)
      for (std::size_t i = 0; i < set->size(); ++i) set->z(tripped.state, kInService, i) = 0.0;
  ++tripped.state.topology;
  for (std::size_t k = tripped.facility().exposedCount(); k < tripped.state.y.size(); ++k)
    if (!tripped.isTemperature(k)) tripped.state.y[k] = 0.0;  // pumps at rest, valves shut
  tripped.evaluate();
  expectFinite(tripped, "out of service and at rest");
  std::vector<Occurrence> occurrences;
  tripped.system->sample(tripped.state, tripped.e, occurrences);
  tripped.evaluate();
  expectFinite(tripped, "sampled at rest");
}

TEST_P(Contract, SomeInstanceAcceptsEveryCommandOfTheTableAndNoneAcceptsAnother) {
  for (const auto& command : GetParam()->commands) {
    Bench bench{std::string(GetParam()->name)};
    bench.evaluate();
    bool accepted = false;
    std::string reasons;
    for (const auto& set : bench.system->sets()) {
      if (&set->info() != GetParam()) continue;
      for (std::size_t i = 0; i < set->size(); ++i) {
        std::string reason;
        // A share is tried below and above 1: positions are below, multiples such as a clogging factor above.
        const double value = command.argument.empty() ? kRequired : magnitude(command.quantity);
        if (set->command(bench.state, i, command.verb, value, reason) ||
            set->command(bench.state, i, command.verb, kAboveOne * value, reason))
          accepted = true;
        else
          reasons += set->ids()[i] + ": " + reason + "\n";
        EXPECT_FALSE(set->command(bench.state, i, "no_such_verb", kRequired, reason)) << set->ids()[i];
        EXPECT_FALSE(reason.empty());
      }
    }
    EXPECT_TRUE(accepted) << command.verb << "\n" << reasons;
    bench.evaluate();
    expectFinite(bench, "after " + std::string(command.verb));
  }
}

TEST_P(Contract, HeatThatIsStoredGivenAwayAndCarriedOutIsThePowerOfTheSources) {
  for (const bool perturbed : {false, true}) {
    Bench bench{std::string(GetParam()->name)};
    if (perturbed) bench.perturb();
    bench.evaluate();
    // Heat capacity of every unknown, from the sets' own account of stored heat, which is linear in temperatures.
    std::vector<double> y(bench.system->size());
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = bench.isTemperature(k) ? kReference : bench.state.y[k];
    Evaluation probe = bench.e;
    probe.y = y;
    const auto stored = [&] {
      double sum = 0.0;
      for (const auto& set : bench.system->sets()) sum += set->storedEnergy(probe);
      return sum;
    };
    double sum = 0.0, throughput = std::abs(bench.e.source_power);
    for (std::size_t k = bench.facility().exposedCount(); k < y.size(); ++k) {
      const double before = y[k];
      y[k] = before + 1.0;
      const double above = stored();
      y[k] = before;
      const double heat = (above - stored()) * bench.ydot[k];
      sum += heat;
      throughput += std::abs(heat);
    }
    for (const auto ledger : {kEnergyToAmbient, kEnergyToBoundaries}) {
      sum += bench.ydot[bench.facility().yIndex(ledger, 0)];
      throughput += std::abs(bench.ydot[bench.facility().yIndex(ledger, 0)]);
    }
    EXPECT_NEAR(sum, bench.e.source_power, kEnergyTolerance * throughput)
        << (perturbed ? "perturbed" : "at the start") << ", throughput " << throughput << " W";
    EXPECT_NEAR(bench.ydot[bench.facility().yIndex(kEnergySources, 0)], bench.e.source_power,
                kEnergyTolerance * throughput);
  }
}

TEST_P(Contract, TheJacobianIsTheDerivativeOfTheRates) {
  Bench bench{std::string(GetParam()->name)};
  bench.perturb();
  bench.evaluate();
  const JacobianStructure& structure = bench.system->structure();
  Jacobian jacobian(structure);
  bench.system->jacobian(bench.e, jacobian);
  // Dense copy: entry [row * n + column], and which entries the pattern holds.
  const std::size_t n = structure.size;
  std::vector<double> stated(n * n, 0.0);
  for (std::size_t c = 0; c < structure.couplings.size(); ++c)
    stated[static_cast<std::size_t>(structure.couplings[c].row) * n +
           static_cast<std::size_t>(structure.couplings[c].column)] += jacobian.exposed[c];
  for (std::size_t g = 0; g < structure.groups.size(); ++g) {
    const InteriorGroup& group = structure.groups[g];
    const auto& values = jacobian.groups[g];
    for (std::size_t i = 0; i < group.count; ++i) {
      const auto interior = [&](std::size_t k) { return group.first + k * group.count + i; };
      const auto port = [&](std::size_t j) { return static_cast<std::size_t>(group.port[j * group.count + i]); };
      for (std::size_t r = 0; r < group.interior; ++r) {
        for (std::size_t c = 0; c < group.interior; ++c)
          stated[interior(r) * n + interior(c)] += values.ii[(r * group.interior + c) * group.count + i];
        for (std::size_t c = 0; c < group.ports; ++c)
          stated[interior(r) * n + port(c)] += values.ip[(r * group.ports + c) * group.count + i];
      }
      for (std::size_t r = 0; r < group.ports; ++r)
        for (std::size_t c = 0; c < group.interior; ++c)
          stated[port(r) * n + interior(c)] += values.pi[(r * group.interior + c) * group.count + i];
    }
  }
  std::vector<double> row_scale(n, 0.0);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) row_scale[r] = std::max(row_scale[r], std::abs(stated[r * n + c]));
  std::size_t compared = 0, told = 0;
  const std::size_t ledgers = bench.facility().exposedCount();
  for (std::size_t c = 0; c < n; ++c) {
    if (c < ledgers && c != bench.facility().yIndex(kDryBulb, 0)) continue;
    const double before = bench.state.y[c];
    std::vector<double> side[2], flows[2], powers[2];
    for (const int k : {0, 1}) {
      bench.state.y[c] = before + (k == 0 ? -kStep : kStep);
      bench.evaluate();
      side[k] = bench.ydot;
      flows[k] = bench.e.m;
      powers[k] = bench.e.bus_load;
      powers[k].push_back(bench.e.source_power);
    }
    bench.state.y[c] = before;
    // The Jacobian holds flows and electric power by design: unknowns that move them are left out here.
    if (flows[0] != flows[1] || powers[0] != powers[1]) continue;
    for (std::size_t r = ledgers; r < n; ++r) {
      const double measured = (side[1][r] - side[0][r]) / (2.0 * kStep);
      const double noise = 1e-15 * (std::abs(side[0][r]) + std::abs(side[1][r])) / kStep * 10.0;
      const double tolerance = kJacobianTolerance * (std::abs(measured) + row_scale[r]) + noise;
      ++compared;
      if (std::abs(stated[r * n + c] - measured) > tolerance && ++told <= 12)
        ADD_FAILURE() << "d(rate of " << bench.system->nameOf(r) << ")/d(" << bench.system->nameOf(c) << "): stated "
                      << stated[r * n + c] << ", measured " << measured;
    }
  }
  EXPECT_TRUE(compared > 0 || n == ledgers) << "no entry was left to compare";
  EXPECT_EQ(told, 0U) << "entries that are wrong, of " << compared << " compared";
}

INSTANTIATE_TEST_SUITE_P(EveryClass, Contract, ::testing::ValuesIn(registered()), nameOf);

}  // namespace
}  // namespace podtwin
