// What every registered class promises the frame, read from its table and measured on small plants of its own:
// plants/CLASS.yaml, which is also an example of how the class is written, and plants/CLASS-KIND.yaml for kinds that
// have code of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <regex>
#include <set>

#include "data/readers/class_text.hpp"
#include "data/readers/pod_reader.hpp"
#include "data/readers/units.hpp"
#include "model/system/builtin_sets.hpp"
#include "model/system/registry.hpp"
#include "model/system/system.hpp"
#include "solvers/integrator.hpp"
#include "solvers/system_problem.hpp"

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
constexpr double kStep = 1e-3;     // K, or of a unit, of the central differences
constexpr double kMarch = 60.0;    // s that a plant runs before it is looked at in motion
constexpr double kMidStep = 0.05;  // s into a step that no one has accepted yet
constexpr double kMarchRtol = 1e-3;

std::vector<const ClassInfo*> registered() {
  std::vector<const ClassInfo*> all;
  for (const auto& c : registeredClasses()) all.push_back(c.info);
  return all;
}

/// A class with one of its plants.
struct Example {
  const ClassInfo* info;
  std::string plant;  ///< name of the file without its ending
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.plant; }

std::vector<Example> examplesOf(const ClassInfo& info) {
  const std::string name(info.name);
  std::vector<Example> examples{{&info, name}};
  std::set<std::string> kinds;
  for (const auto& file : std::filesystem::directory_iterator(kFolder))
    if (const std::string stem = file.path().stem(); stem.starts_with(name + "-")) kinds.insert(stem);
  for (const auto& kind : kinds) examples.push_back({&info, kind});
  return examples;
}

std::vector<Example> everyExample() {
  std::vector<Example> all;
  for (const ClassInfo* info : registered())
    for (auto& example : examplesOf(*info)) all.push_back(std::move(example));
  return all;
}

/// A small plant, with its state.
struct Bench {
  explicit Bench(const std::string& name, double temperature = kTemperature) {
    Diagnostics problems;
    const auto classes = registered();
    PlantDescription plant = data::readPod(kFolder + name + ".yaml", {}, classes, problems);
    for (const auto& p : problems.list()) ADD_FAILURE() << p.text();
    problems.throwIfErrors();
    system = std::make_unique<System>(std::move(plant), registeredClasses());
    state = system->initialState(temperature, kOutdoors);
    e = system->makeEvaluation();
    ydot.assign(system->size(), 0.0);
    // At a start everything else is 0, a share or a count; later a ledger may be any number.
    for (const double y : state.y) is_temperature.push_back(y > 200.0);
  }
  void evaluate() { system->evaluate(state, state.t, state.y, e, ydot); }
  bool isTemperature(std::size_t k) const { return is_temperature[k]; }
  /// Not error controlled: a ledger or what counts up with it.
  bool isLedger(std::size_t k) const { return std::isinf(system->errorScale()[k]); }
  /// Heat [W] that the coolant in motion would carry at a difference of 1 K: what round-off of the balances is held
  /// against where nothing changes.
  double carried() const {
    double sum = 0.0;
    for (const auto& circuit : system->circuits())
      for (const std::size_t edge : circuit.edges) sum += std::abs(e.m[edge]) * circuit.coolant.specific_heat;
    return sum;
  }
  /// Unknowns that count the volume which entered a delay line. What leaves it inside a step depends on them by the
  /// slope of its profile, and that jumps: the Jacobian leaves it out by design (tank.md).
  std::vector<char> clocks() const {
    std::vector<char> found(system->size(), 0);
    for (const auto& set : system->sets())
      for (std::size_t k = 0; k < set->info().states.size(); ++k)
        if (set->info().states[k].quantity == Quantity::volume)
          for (std::size_t i = 0; i < set->size(); ++i) found[set->yIndex(k, i)] = 1;
    return found;
  }
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
      if (!isLedger(k) || isTemperature(k))
        state.y[k] = isTemperature(k) ? state.y[k] + 8.0 * draw() - 4.0 : 0.4 + 0.4 * draw();
  }

  /// Events of the equipment's own that are due at this moment.
  void settle() {
    constexpr int kMostActs = 20;
    std::vector<Occurrence> occurrences;
    evaluate();
    for (int acts = 0; acts < kMostActs && (system->watch(e) >= 0.0 || system->nextMoment(e) <= state.t); ++acts) {
      system->act(state, e, occurrences);
      evaluate();
    }
  }

  /// Runs as a session does, but for events inside a second: controllers and events each second, delay lines after
  /// every step; evaluated at the end.
  void march(double seconds) {
    solvers::SystemProblem problem(*system, state, e);
    solvers::IntegratorOptions options;
    options.method = solvers::Method::rosenbrock;
    options.rtol = kMarchRtol;
    const auto integrator = solvers::makeIntegrator(problem, options);
    std::vector<Occurrence> occurrences;
    evaluate();
    for (const double end = state.t + seconds; state.t < end;) {
      system->sample(state, e, occurrences);
      const double stop = state.t + 1.0;
      integrator->reset(state.t, state.y);
      while (state.t < stop) {
        const double before = state.t;
        state.t = integrator->step(stop);
        state.y.assign(integrator->state().begin(), integrator->state().end());
        system->advance(state, e, state.t - before);
      }
      settle();
    }
  }

  /// In motion, where an integrator looks: inside a step, so that delay lines stand where the last one left them while
  /// the ledgers have gone on.
  void moveIntoAStep() {
    march(kMarch);
    for (std::size_t k = 0; k < state.y.size(); ++k) state.y[k] += kMidStep * ydot[k];
  }

  std::unique_ptr<System> system;
  State state;
  Evaluation e;
  std::vector<double> ydot;
  std::vector<char> is_temperature;
};

/// What holds for a class as such.
class ContractTable : public ::testing::TestWithParam<const ClassInfo*> {};

/// What holds on each of its plants.
class Contract : public ::testing::TestWithParam<Example> {};

std::string nameOf(const ::testing::TestParamInfo<const ClassInfo*>& info) { return std::string(info.param->name); }
std::string plantOf(const ::testing::TestParamInfo<Example>& info) {
  std::string name = info.param.plant;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

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
  for (const auto& set : bench.system->sets())
    for (std::size_t l = 0; l < set->info().limits.size(); ++l)
      for (std::size_t i = 0; i < set->size(); ++i)
        EXPECT_FALSE(std::isnan(set->limitValue(l, i))) << set->ids()[i] << ": " << set->info().limits[l].signal;
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
    case Quantity::volume:
      return 0.01;
    case Quantity::frequency:
      return 60.0;
    case Quantity::none:
      return 1.0;  // a count
    default:
      return 0.5;
  }
}

TEST_P(ContractTable, IsWhole) { expectWholeTable(*GetParam()); }

TEST_P(ContractTable, ADefaultAsItIsToldReadsBackToItself) {
  constexpr double kTenDigits = 1e-9;
  for (const auto& p : GetParam()->parameters) {
    const auto text = data::defaultText(p);
    EXPECT_FALSE(text && data::isRequired(p)) << p.name;
    if (!text || p.kind != ParameterKind::number) continue;
    Diagnostics problems;
    const auto value = data::parseQuantity(*text, p.quantity, {}, problems);
    ASSERT_TRUE(value) << p.name << ": " << *text;
    EXPECT_NEAR(*value, p.fallback, kTenDigits * std::max(std::abs(p.fallback), 1e-12)) << p.name << ": " << *text;
  }
  EXPECT_NE(data::classText(*GetParam()).find("signals"), std::string::npos);
}

TEST_P(ContractTable, HasAPlantForEveryChoiceOfAParameter) {
  std::map<std::string_view, std::set<std::string>> taken;
  for (const auto& example : examplesOf(*GetParam())) {
    ASSERT_TRUE(std::filesystem::exists(kFolder + example.plant + ".yaml"))
        << "write tests/contract/plants/" << example.plant << ".yaml";
    const Bench bench(example.plant);
    for (const auto& instance : bench.system->plant().instances)
      if (instance.class_name == GetParam()->name)
        for (const auto& p : GetParam()->parameters)
          if (p.kind == ParameterKind::choice) taken[p.name].insert(instance.text(std::string(p.name)));
  }
  for (const auto& p : GetParam()->parameters) {
    if (p.kind != ParameterKind::choice) continue;
    std::string_view rest = p.choices;
    while (!rest.empty()) {
      const std::size_t bar = std::min(rest.find('|'), rest.size());
      const std::string choice(rest.substr(0, bar));
      EXPECT_TRUE(taken[p.name].contains(choice))
          << "no plant in tests/contract/plants has a " << GetParam()->name << " of " << p.name << ": " << choice;
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
}

TEST_P(Contract, TheExamplePlantHoldsTheClassAndTheTablesOfItsPartsAreWhole) {
  const Bench bench(GetParam().plant);
  bool present = false;
  for (const auto& set : bench.system->sets()) {
    present = present || (&set->info() == GetParam().info && set->size() > 0);
    if (!set->info().user_visible && set->info().page.substr(0, 2) != "..") expectWholeTable(set->info());
  }
  EXPECT_TRUE(present);
}

TEST_P(Contract, EverySignalHasTheKindOfQuantityOfItsTableOrOneOfItsOwn) {
  const Bench bench(GetParam().plant);
  for (const auto& set : bench.system->sets())
    for (std::size_t k = 0; k < set->info().signals.size(); ++k)
      for (std::size_t i = 0; i < set->size(); ++i) {
        const SignalInfo& signal = set->info().signals[k];
        const Quantity quantity = set->signalQuantity(k, i);
        const std::string where = set->ids()[i] + "." + std::string(signal.name);
        if (signal.by_instance)
          EXPECT_NE(quantity, Quantity::none) << where;
        else
          EXPECT_EQ(quantity, signal.quantity) << where;
      }
}

TEST_P(Contract, SignalsAndRatesAreFiniteAtAColdStartPerturbedAndWithEverythingTripped) {
  const std::string name = GetParam().plant;
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
  for (const auto& command : GetParam().info->commands) {
    Bench bench(GetParam().plant);
    bench.evaluate();
    bool accepted = false;
    std::string reasons;
    for (const auto& set : bench.system->sets()) {
      if (&set->info() != GetParam().info) continue;
      for (std::size_t i = 0; i < set->size(); ++i) {
        std::string reason;
        // A share is tried below and above 1: positions are below, multiples such as a clogging factor above; and 1, a
        // count.
        const double value = command.argument.empty() ? kRequired : magnitude(command.quantity);
        if (set->command(bench.state, i, command.verb, value, reason) ||
            set->command(bench.state, i, command.verb, kAboveOne * value, reason) ||
            set->command(bench.state, i, command.verb, 1.0, reason))
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

constexpr double kHalfway = 0.5;      // command of every drive before it is asked
constexpr double kElsewhere = 0.45;   // a share that is not that
constexpr double kReaction = 30.0;    // s in which what is late to react does
constexpr double kSeenChange = 1e-6;  // of the greatest of a kind; more is a change

/// Rates, flows and powers of a plant.
struct Seen {
  explicit Seen(const Bench& bench) : rates(bench.ydot), flows(bench.e.m), powers(bench.e.bus_load) {
    powers.insert(powers.end(), {bench.e.source_power, bench.e.unmetered_load});
  }
  bool operator==(const Seen& other) const {
    return alike(rates, other.rates) && alike(flows, other.flows) && alike(powers, other.powers);
  }
  static bool alike(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
      if (std::abs(a[k] - b[k]) > kSeenChange * (std::abs(a[k]) + std::abs(b[k])) + 1e-12) return false;
    return true;
  }
  std::vector<double> rates, flows, powers;
};

/// Something asked of an instance, by place, so that it can be asked in several copies of a plant.
struct Asked {
  std::size_t set, instance;
  std::string verb;
};

/// False when it is refused; the reason is never empty then.
bool ask(Bench& bench, const Asked& asked) {
  const ComponentSet& set = *bench.system->sets()[asked.set];
  double value = kRequired;
  if (asked.verb == "set") {
    value = kElsewhere;
    for (const auto& command : set.info().commands)
      if (command.verb == "set" && command.quantity != Quantity::ratio) value = magnitude(command.quantity);
  }
  std::string reason;
  if (set.command(bench.state, asked.instance, asked.verb, value, reason)) return true;
  EXPECT_FALSE(reason.empty()) << set.ids()[asked.instance] << " refuses " << asked.verb << " without a word";
  return false;
}

/// What is seen of a plant in motion after all that was asked of it, at once or `later` [s].
Seen seenAfter(const std::string& plant, const std::vector<Asked>& all, double later) {
  Bench bench(plant);
  bench.perturb();
  for (const auto& set : bench.system->sets())
    for (std::size_t i = 0; i < set->size(); ++i)
      if (set->drive[i] >= 0) set->z(bench.state, kCommand, i) = kHalfway;
  for (const auto& asked : all) ask(bench, asked);
  if (later > 0.0) bench.march(later);
  bench.evaluate();
  return Seen(bench);
}

/// Whether it matters that `asked` was asked: at once, later, after its opposite, or when something else happens
/// besides.
bool changesSomething(const std::string& plant, const Asked& asked) {
  if (!(seenAfter(plant, {}, 0.0) == seenAfter(plant, {asked}, 0.0))) return true;
  if (!(seenAfter(plant, {}, kReaction) == seenAfter(plant, {asked}, kReaction))) return true;
  for (const char* verb : {"open", "close"}) {
    const Asked opposite{asked.set, asked.instance, verb};
    if (Bench fresh(plant); verb == asked.verb || !ask(fresh, opposite)) continue;
    if (!(seenAfter(plant, {opposite}, 0.0) == seenAfter(plant, {opposite, asked}, 0.0))) return true;
  }
  const Bench other(plant);
  for (std::size_t s = 0; s < other.system->sets().size(); ++s)
    for (std::size_t i = 0; i < other.system->sets()[s]->size(); ++i)
      for (const char* verb : {"trip", "open", "close"}) {
        const Asked besides{s, i, verb};
        if (!(seenAfter(plant, {besides}, kReaction) == seenAfter(plant, {asked, besides}, kReaction))) return true;
        if (asked.verb != "open" && asked.verb != "close") continue;
        const Asked opposite{asked.set, asked.instance, asked.verb == "open" ? "close" : "open"};
        if (!(seenAfter(plant, {opposite, besides}, kReaction) ==
              seenAfter(plant, {opposite, asked, besides}, kReaction)))
          return true;
      }
  return false;
}

TEST_P(Contract, WhatAnyClassCanBeAskedChangesSomethingOrIsRefused) {
  const std::string& plant = GetParam().plant;
  const Bench bench(plant);
  constexpr std::size_t kMostAlike = 6;  // of the same class are looked at
  for (std::size_t s = 0; s < bench.system->sets().size(); ++s) {
    const ComponentSet& set = *bench.system->sets()[s];
    if (&set.info() != GetParam().info && set.info().user_visible) continue;  // has a plant of its own
    for (std::size_t i = 0; i < std::min(set.size(), kMostAlike); ++i)
      for (const char* verb : {"trip", "isolate", "stick", "set", "open", "close"}) {
        const Asked asked{s, i, verb};
        if (Bench fresh(plant); !ask(fresh, asked)) continue;
        EXPECT_TRUE(changesSomething(plant, asked))
            << set.ids()[i] << ", a " << set.info().name << ", accepts '" << verb << "' and nothing changes";
      }
  }
}

TEST_P(Contract, RestoreUndoesTripIsolateAndStick) {
  const std::string& plant = GetParam().plant;
  const Bench bench(plant);
  const Seen before = seenAfter(plant, {}, 0.0);
  for (std::size_t s = 0; s < bench.system->sets().size(); ++s) {
    const ComponentSet& set = *bench.system->sets()[s];
    if (&set.info() != GetParam().info) continue;
    for (std::size_t i = 0; i < set.size(); ++i)
      for (const char* verb : {"trip", "isolate", "stick"}) {
        if (Bench fresh(plant); !ask(fresh, {s, i, verb})) continue;
        EXPECT_TRUE(seenAfter(plant, {{s, i, verb}, {s, i, "restore"}}, 0.0) == before)
            << set.ids()[i] << " is not as before after '" << verb << "' and 'restore'";
      }
  }
}

TEST_P(Contract, WhatIsStuckMovesForNoOrderAndObeysTheLastOneOnceItIsFree) {
  const std::string& plant = GetParam().plant;
  const Bench bench(plant);
  for (std::size_t s = 0; s < bench.system->sets().size(); ++s) {
    const ComponentSet& set = *bench.system->sets()[s];
    if (&set.info() != GetParam().info) continue;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Asked stick{s, i, "stick"}, restore{s, i, "restore"};
      if (Bench fresh(plant); set.drive[i] < 0 || !ask(fresh, stick)) continue;
      const Seen stuck = seenAfter(plant, {stick}, kReaction);
      for (const char* verb : {"set", "open", "close", "automatic"}) {
        const Asked order{s, i, verb};
        EXPECT_TRUE(seenAfter(plant, {stick, order}, kReaction) == stuck) << set.ids()[i] << " obeys " << verb;
        EXPECT_TRUE(seenAfter(plant, {stick, order, restore}, kReaction) == seenAfter(plant, {order}, kReaction))
            << set.ids()[i] << " has forgotten " << verb;
      }
    }
  }
}

TEST_P(Contract, HeatThatIsStoredGivenAwayAndCarriedOutIsThePowerOfTheSources) {
  for (const auto* when : {"at the start", "perturbed", "inside a step"}) {
    SCOPED_TRACE(when);
    Bench bench(GetParam().plant);
    if (when == std::string_view("perturbed")) bench.perturb();
    if (when == std::string_view("inside a step")) bench.moveIntoAStep();
    bench.evaluate();
    // Heat capacity of every unknown, from the sets' own account of stored heat, which is linear in temperatures, and
    // in what coolant of varying specific heat carries.
    std::vector<double> y(bench.system->size());
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = bench.isTemperature(k) ? kReference : bench.state.y[k];
    const auto temperatureOf = [&](std::size_t k, double unknown) {
      const fluids::CoolantHeat* heat = bench.system->carriedBy(k);
      double t = unknown;
      for (int step = 0; heat != nullptr && step < 8; ++step) t -= (heat->carried(t) - unknown) / heat->carriedSlope(t);
      return t;
    };
    Evaluation probe = bench.e;
    probe.y = y;
    const auto stored = [&] {
      double sum = 0.0;
      for (const auto& set : bench.system->sets()) sum += set->storedEnergy(probe);
      return sum;
    };
    double sum = 0.0, throughput = std::abs(bench.e.source_power) + bench.carried();
    for (std::size_t k = bench.facility().exposedCount(); k < y.size(); ++k) {
      const double before = y[k];
      y[k] = temperatureOf(k, before + 1.0);
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
    EXPECT_NEAR(sum, bench.e.source_power, kEnergyTolerance * throughput) << "throughput " << throughput << " W";
    EXPECT_NEAR(bench.ydot[bench.facility().yIndex(kEnergySources, 0)], bench.e.source_power,
                kEnergyTolerance * throughput);
  }
}

TEST_P(Contract, OverAMinuteTheBooksBalance) {
  Bench bench(GetParam().plant);
  bench.evaluate();
  const EnergyLedger start = bench.system->ledger(bench.state, bench.e);
  bench.march(kMarch);
  const EnergyLedger end = bench.system->ledger(bench.state, bench.e);
  const double error = end.stored - start.stored - end.sources + end.to_ambient + end.to_boundaries;
  const double throughput = std::abs(end.sources) + std::abs(end.to_ambient) + std::abs(end.to_boundaries) +
                            std::abs(end.stored - start.stored) + kMarch * bench.carried();
  EXPECT_NEAR(error, 0.0, kEnergyTolerance * throughput) << "throughput " << throughput << " J";
}

/// The Jacobian of a plant as it stands, entry by entry, against central differences.
void expectExactJacobian(Bench& bench) {
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
  const std::vector<char> clock = bench.clocks();
  for (std::size_t c = 0; c < n; ++c) {
    if ((c < ledgers && c != bench.facility().yIndex(kDryBulb, 0)) || clock[c] != 0) continue;
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

TEST_P(Contract, TheJacobianIsTheDerivativeOfTheRates) {
  Bench perturbed(GetParam().plant);
  perturbed.perturb();
  expectExactJacobian(perturbed);
  SCOPED_TRACE("inside a step");
  Bench moving(GetParam().plant);
  moving.moveIntoAStep();
  expectExactJacobian(moving);
}

INSTANTIATE_TEST_SUITE_P(EveryClass, ContractTable, ::testing::ValuesIn(registered()), nameOf);
INSTANTIATE_TEST_SUITE_P(EveryPlant, Contract, ::testing::ValuesIn(everyExample()), plantOf);

}  // namespace
}  // namespace podtwin
