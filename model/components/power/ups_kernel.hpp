// UPS as its laws, its events and its binding see it. Equations: ups.md.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/components/power/branch.hpp"
#include "model/components/power/efficiency_curve.hpp"
#include "model/components/power/ups_info.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin::ups {

using Points = std::vector<std::pair<double, double>>;
using Info = UpsInfo;
using Mode = UpsMode;

inline constexpr double kNotDue = -1.0;  // s, of held moments

struct Ups {
  static constexpr int kColumns = 1, kRows = 2;
  static constexpr std::size_t kPhases = 3, kWays = 2;
  struct Store {
    const ComponentSet* set;
    std::size_t instance;
    std::size_t soc;  ///< its signal
    double soc_max;   ///< at which it is full
  };
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self = 0;
    const KernelSet<Ups>* set = nullptr;
    const System* system = nullptr;
    bool phased = false;  ///< its output has voltages
    std::size_t from = 0, to = 0, bypass = 0;
    bool own_bypass = false;                 ///< its bypass is another bus than its input
    std::vector<std::size_t> links;          ///< of Evaluation::link_out: from its input, from its bypass
    std::vector<std::size_t> sources;        ///< of its three phases
    std::array<Branch, kWays> ways;          ///< of its static and its maintenance bypass, between buses with voltages
    bool has_bypass = true;                  ///< its bypass has the voltage of its output
    double rated_current = 0.0;              ///< A, of a phase
    double current_limit = 0.0;              ///< A, of a phase of its inverter
    double current_limit_time = kUnbounded;  ///< s
    std::vector<Store> stores;
    double rating = 0.0, frames = 1.0, voltage = 0.0;
    EfficiencyCurve efficiency, eco, battery;
    bool polynomial = false, battery_as_input = true;
    LossPolynomial loss;
    double bypass_loss = 0.0;
    double low = 0.0, high = 0.0, bypass_angle = 0.0;
    double frequency_low = 0.0, frequency_high = 0.0;
    double walk_delay = 0.0, walk_time = 0.0, stagger = 0.0;
    std::size_t dip_count = 0;
    double dip_time = 0.0, dip_hold = 0.0;
    double recharge_utility = 0.0, recharge_generator = 0.0, charger = 1.0;
    Points overload;
    double overload_from = 1.0, overload_beyond = 0.1, recovery = 1.0;
    double retransfer = 0.0, autonomy_low = 0.0;
    bool restarts = true, eco_on_generator = false;
    Mode initially = Mode::double_conversion;
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b);
  static void bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p);
  static void bindWay(std::size_t i, const std::string& name, Binder& b, double pole, std::size_t part, Instance& p);
  static void bindStores(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b, Instance& p);
  static void bindOverload(const InstanceDescription& d, Binder& b, Instance& p);
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Ups>& set, State& s, double);

  // -- what carries the output, of held values and live buses alone
  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static bool is(const Instance& p, const Evaluation& e, std::size_t discrete) { return held(p, e, discrete) != 0.0; }
  static Mode present(const Instance& p, const Evaluation& e) {
    return static_cast<Mode>(static_cast<int>(held(p, e, Info::kPresent)));
  }
  static bool onBypass(Mode mode) { return mode == Mode::bypass || mode == Mode::maintenance; }
  static bool onInput(Mode mode) { return mode == Mode::double_conversion || mode == Mode::eco; }
  static bool inverterCarries(Mode mode) { return mode == Mode::double_conversion || mode == Mode::battery; }
  static bool ready(const Instance& p, const Evaluation& e) { return !p.stores.empty() && is(p, e, Info::kStoreReady); }
  static bool carries(const Instance& p, const Evaluation& e) {
    const Mode mode = present(p, e);
    return p.set->available(e, p.self) && mode != Mode::off && (mode != Mode::battery || ready(p, e));
  }
  /// By its converters; between buses with voltages a bypass is a way of its own.
  static bool connects(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e) {
    return carries(p, e) && !(p.phased && onBypass(present(p, e)));
  }
  static bool wayCloses(const Instance& p, const Evaluation& e, std::size_t way) {
    return carries(p, e) && present(p, e) == (way == 0 ? Mode::bypass : Mode::maintenance);
  }
  static bool selfFed(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    return connects(i, p, set, e) && ready(p, e) && !onBypass(present(p, e));
  }
  static bool fedFromStore(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e) {
    return present(p, e) == Mode::battery;
  }
  static bool drawsFrom(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e,
                        std::ptrdiff_t bus) {
    if (!p.own_bypass) return true;
    return static_cast<std::size_t>(bus) == (onBypass(present(p, e)) ? p.bypass : p.from);
  }
  /// With a loss of its input taken in before it was acted on.
  static Mode effective(const Instance& p, const Evaluation& e) {
    if (!carries(p, e)) return Mode::off;
    const Mode mode = present(p, e);
    if (onBypass(mode)) return e.energised[p.bypass] != 0 ? mode : Mode::off;
    if (mode == Mode::battery || e.energised[p.from] != 0) return mode;
    return ready(p, e) ? Mode::battery : Mode::off;
  }
  static SourceKind sourceOf(const Instance& p, const Evaluation& e) {
    return static_cast<SourceKind>(e.bus_source[p.from]);
  }

  // -- powers
  static double framesIn(const Instance& p, const Evaluation& e) { return p.frames - held(p, e, Info::kFramesOut); }
  static double ratingIn(const Instance& p, const Evaluation& e) {
    return p.rating * std::max(framesIn(p, e), 1.0) / p.frames;  // without any it has tripped
  }
  static double conversionLoss(const Instance& p, const Evaluation& e, double out);
  static double batteryLoss(const Instance& p, const Evaluation& e, double out);
  static bool walks(const Instance& p, const Evaluation& e) { return held(p, e, Info::kWalkFrom) != kNotDue; }
  /// Share of the output that the input carries in double conversion.
  static double inputShare(const Instance& p, const Evaluation& e);
  /// Power [W] into the batteries.
  static double charge(const Instance& p, const Evaluation& e, Mode mode);
  struct Flows {
    double input = 0.0, battery = 0.0, loss = 0.0;  // W; battery positive out of it
  };
  static Flows flows(const Instance& p, const Evaluation& e, double out);
  static Complex output(const Instance& p, const Evaluation& e);
  static double loading(const Instance& p, const Evaluation& e) { return output(p, e).real() / ratingIn(p, e); }
  /// Current [A] of a phase of its output: of its inverter, or through its bypass.
  static double currentOf(const Instance& p, const Evaluation& e, std::size_t phase);
  static double greatestCurrent(const Instance& p, const Evaluation& e);
  /// Whether the bus asks its inverter for more current than it gives.
  static bool limitsCurrent(const Instance& p, const Evaluation& e);
  static void demand(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e);
  static std::complex<double> converterInput(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e,
                                             double power);
  /// What it draws beyond its output: with the output it is what enters its upper bus.
  static double beyondOutput(const Instance& p, const Evaluation& e, double out);

  // -- batteries and overload
  static void drawStores(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e);
  /// By what each can give (take) of it.
  static std::vector<double> shares(const Instance& p, const Evaluation& e, double power);
  /// Power [W] that its batteries can give at present; 0: none.
  static double batteryLimit(const Instance& p, const Evaluation& e);
  static double autonomy(const Instance& p, const Evaluation& e);
  /// Longest time [s] of a constant load; infinite: for ever.
  static double overloadTime(const Instance& p, double load);
  static double overloadTime(const Instance& p, const Evaluation& e);
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r);

  // -- input and bypass
  /// Least and greatest voltage between phases, of nominal.
  static std::pair<double, double> voltages(std::size_t bus, const Evaluation& e);
  /// Zero where the input leaves its window, or, once it has, comes back into it.
  static double inputMargin(const Instance& p, const Evaluation& e);
  static bool bypassGood(const Instance& p, const Evaluation& e);
  static bool mayBeEco(const Instance& p, const Evaluation& e);
  static bool wantsEco(const Instance& p, const Evaluation& e);

  // -- events of its own
  static bool locked(const Instance& p, const Evaluation& e) { return held(p, e, Info::kLockedUntil) != kNotDue; }
  static bool over(double moment, const Evaluation& e);
  /// Moments at which a frame begins or ends to walk in, from the beginning of all, in rising order.
  static std::vector<double> walkPoints(const Instance& p, const Evaluation& e);
  /// Next beginning or end of a frame's walk-in.
  static double walkMoment(const Instance& p, const Evaluation& e);
  /// Whether it waits for its input to go back to it.
  static bool waits(const Instance& p, const Evaluation& e);
  /// Whether the battery gives now.
  static bool draws(const Instance& p, const Evaluation& e);
  /// Whether a charge should begin or is over: a battery that is full from the start is never charged.
  static bool chargeChanges(const Instance& p, const Evaluation& e);
  /// Zero where its batteries are asked for more than they can give.
  static double batteryMargin(const Instance& p, const Evaluation& e);
  static bool batteryCanCarry(const Instance& p, const Evaluation& e);
  static bool storeChanged(const Instance& p, const Evaluation& e);
  /// Zero where it has forgotten its overload; due at once where it should begin to.
  static double forgetMargin(const Instance& p, const Evaluation& e);
  static double ecoMargin(const Instance& p, const Evaluation& e);
  /// Zero where the load is within rating again, or, while that is timed, no more.
  static double reliefMargin(const Instance& p, const Evaluation& e);
  static bool watching(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e);
  static double watch(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e);
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e);
  static void act(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events);

  // -- signals
  static double dips(const Instance& p, const Evaluation& e);
  static bool solves(std::size_t k, const Instance& p) {
    return k < Info::kReactive || k > Info::kCurrentC || p.phased;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e);

 private:
  class Acts;
};

}  // namespace podtwin::ups
