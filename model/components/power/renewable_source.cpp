// Solar or wind power by a series, at a bus whose voltage something else forms. Equations: renewable_source.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/renewable_source_info.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

using Info = RenewableSourceInfo;

constexpr double kNotLive = -1.0;        // value of live_since
constexpr double kTimeTolerance = 1e-9;  // s

struct RenewableSource {
  static constexpr int kColumns = 0, kRows = 2;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self = 0, bus = 0;
    const KernelSet<RenewableSource>* set = nullptr;
    bool phased = false;
    double rating = 1.0, limit = 1.0, reactive = 0.0, return_delay = 0.0;
    std::vector<std::pair<double, double>> series;  ///< s, W
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<RenewableSource>& set, Binder& b) {
    Instance p{};
    p.self = i;
    p.set = &set;
    const auto bus = b.bus(i, "to");
    p.bus = static_cast<std::size_t>(bus);
    p.phased = b.phased(bus);
    p.rows = {set.yIndex(Info::kDelivered, i), set.yIndex(Info::kWithheld, i)};
    for (const auto row : p.rows) b.capacity(row, 1.0);
    p.rating = d.number("rating");
    p.limit = d.number("limit") > 0.0 ? d.number("limit") : p.rating;
    p.reactive = d.number("reactive_power");
    p.return_delay = d.number("return_delay");
    readSeries(d, b, p);
    return p;
  }
  static void readSeries(const InstanceDescription& d, Binder& b, Instance& p) {
    const ParameterValue &power = d.parameters.at("power"), &share = d.parameters.at("share");
    if (power.points.empty() == share.points.empty()) {
      b.problems().error(power.points.empty() ? d.where : share.where,
                         "'" + d.id + "' has " + (power.points.empty() ? "no series" : "two series"),
                         "give one of `power` and `share`, as in `power: {file: NAME.csv}`");
      return;
    }
    const bool of_share = power.points.empty();
    const ParameterValue& given = of_share ? share : power;
    const double scale = d.number("scale") * (of_share ? p.rating : 1.0);
    for (const auto& [time, value] : given.points) {
      const double watt = scale * value;
      if (!(watt >= 0.0 && watt <= p.rating * (1.0 + kRoundOff))) {
        b.problems().error(given.where,
                           "'" + d.id + "' has " + fluids::inWords(watt) + " W at " + fluids::inWords(time) +
                               " s, outside 0 to its rating of " + fluids::inWords(p.rating) + " W",
                           "mend the series, or give another `rating` or `scale`");
        return;
      }
      p.series.emplace_back(time, watt);
    }
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<RenewableSource>& set, State& s, double) {
    set.z(s, Info::kLimit, i) = p.limit;
  }

  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static bool live(const Instance& p, const Evaluation& e) { return e.energised[p.bus] != 0; }
  /// It forms no voltage.
  static bool connects(std::size_t, const Instance&, const KernelSet<RenewableSource>&, const Evaluation&) {
    return false;
  }
  static double available(const Instance& p, const Evaluation& e) {
    if (p.series.empty()) return 0.0;
    const auto next = std::upper_bound(p.series.begin(), p.series.end(), e.t,
                                       [](double t, const auto& point) { return t < point.first; });
    if (next == p.series.begin()) return p.series.front().second;
    if (next == p.series.end()) return p.series.back().second;
    const auto& [t0, w0] = *(next - 1);
    return w0 + (next->second - w0) * (e.t - t0) / (next->first - t0);
  }
  static bool gives(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && live(p, e) && held(p, e, Info::kConnected) != 0.0;
  }
  static double power(const Instance& p, const Evaluation& e) {
    return gives(p, e) ? std::min(available(p, e), held(p, e, Info::kLimit)) : 0.0;
  }
  static void demand(std::size_t, const Instance& p, const KernelSet<RenewableSource>&, Evaluation& e) {
    e.bus_load[p.bus] -= power(p, e);
    if (p.phased && gives(p, e)) e.bus_reactive[p.bus] -= p.reactive;
  }
  /// Its power is one of the sources of the energy books; all others are known by now.
  static void drawStores(std::size_t, const Instance& p, const KernelSet<RenewableSource>&, Evaluation& e) {
    e.source_power += power(p, e);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    if (e.steady_search) return;
    const double given = power(p, e);
    r[0] = S(given);
    r[1] = S(available(p, e) - given);
  }

  // -- events of its own
  static bool returning(const Instance& p, const Evaluation& e) {
    return held(p, e, Info::kConnected) == 0.0 && live(p, e);
  }
  static bool watching(std::size_t, const Instance&, const KernelSet<RenewableSource>&, const Evaluation&) {
    return true;
  }
  static double watch(std::size_t, const Instance& p, const KernelSet<RenewableSource>&, const Evaluation& e) {
    constexpr double kDueNow = 1.0, kNothing = -1.0;
    const bool lost = held(p, e, Info::kConnected) != 0.0 && !live(p, e);
    return lost || returning(p, e) != (held(p, e, Info::kLiveSince) != kNotLive) ? kDueNow : kNothing;
  }
  static double nextMoment(std::size_t, const Instance& p, const KernelSet<RenewableSource>&, const Evaluation& e) {
    const double since = held(p, e, Info::kLiveSince);
    return since == kNotLive ? kUnbounded : since + p.return_delay;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<RenewableSource>& set, const Evaluation& e,
                  State& s, std::vector<Occurrence>& events) {
    const std::string& id = set.ids()[i];
    const double since = set.z(s, Info::kLiveSince, i);
    const auto put = [&](std::size_t discrete, double value) {
      set.z(s, discrete, i) = value;
      ++s.topology;
    };
    if (held(p, e, Info::kConnected) != 0.0 && !live(p, e)) {
      put(Info::kConnected, 0.0);
      events.push_back({id, id, "its bus is dead", "disconnects"});
    } else if (returning(p, e) != (since != kNotLive)) {
      put(Info::kLiveSince, returning(p, e) ? e.t : kNotLive);
    } else if (since != kNotLive && since + p.return_delay <= e.t + kTimeTolerance) {
      put(Info::kLiveSince, kNotLive);
      put(Info::kConnected, 1.0);
      events.push_back({id, id, "its bus is live", "connects"});
    }
  }
  static bool solves(std::size_t k, const Instance& p) { return k != Info::kReactive || p.phased; }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<RenewableSource>&,
                       const Evaluation& e) {
    switch (k) {
      case Info::kPower:
        return power(p, e);
      case Info::kReactive:
        return p.phased && gives(p, e) ? p.reactive : 0.0;
      case Info::kAvailable:
        return available(p, e);
      case Info::kCurtailed:
        return available(p, e) - power(p, e);
      case Info::kLoading:
        return power(p, e) / p.rating;
      case Info::kLimitSignal:
        return held(p, e, Info::kLimit);
      case Info::kConnectedSignal:
        return gives(p, e) ? 1.0 : 0.0;
      case Info::kEnergyOut:
        return e.y[p.rows[0]];
      default:
        return e.y[p.rows[1]];
    }
  }

 private:
  static constexpr double kRoundOff = 1e-9;  // of rating, that units and scale may leave
};

class RenewableSourceSet final : public KernelSet<RenewableSource> {
 public:
  using KernelSet<RenewableSource>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "curtail" && verb != "release") return KernelSet<RenewableSource>::command(s, i, verb, value, reason);
    const bool curtails = verb == "curtail";
    if (curtails && !(value >= 0.0 && value <= instance(i).rating)) {
      reason = "it is curtailed to a power from 0 to its rating";
      return false;
    }
    z(s, Info::kLimit, i) = curtails ? value : instance(i).limit;
    ++s.topology;
    return true;
  }
};

}  // namespace

RegisteredClass renewableSourceClass() {
  return {&RenewableSourceInfo::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RenewableSourceSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
