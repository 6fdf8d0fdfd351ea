#include "model/components/power/trip_curve.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kInstantReset = 0.01;     // s: estimate, half a cycle of 50 Hz; shorter than any pause that matters
constexpr double kShortestTime = 1e-3;     // s: estimate; no trip unit decides sooner. Keeps rates finite
constexpr double kGreatestCurrent = 1e12;  // A: above any there is; its square is still a number
constexpr Edge kEdges[] = {Edge::low, Edge::middle, Edge::high};

double checkedCurrent(double current) {
  if (!(current >= 0.0))
    throw Error("current " + std::to_string(current) + " A of a trip curve: at least 0 A is wanted");
  return std::min(current, kGreatestCurrent);
}

double watchedBy(Watched watched, const WatchedCurrent& current) {
  return checkedCurrent(watched == Watched::phase ? current.phase : current.ground);
}

void require(bool holds, const std::string& name, const std::string& what) {
  if (!holds) throw Error("trip curve, element '" + name + "': " + what);
}
bool positive(double x) { return x > 0.0 && std::isfinite(x); }
bool positive(const Band& band) { return positive(band.low) && positive(band.middle) && positive(band.high); }
bool rising(const Band& band) { return band.low <= band.middle && band.middle <= band.high; }

/// Time [s] from cold of a timed element above its pickup.
double timeAt(const TimedElement& e, double current, Edge edge) {
  const double M = std::min(current / e.base.at(edge), e.definite_above);
  double curve = e.c;
  // expm1 keeps all digits of M^a - 1 near the pickup, where the time is long.
  if (e.k > 0.0) curve += e.k / std::max(std::expm1(e.a * std::log(M)) + (1.0 - e.offset), 0.0);
  return std::max(e.multiplier.at(edge) * std::max(curve, e.least) + e.added.at(edge), kShortestTime);
}

double interpolateLog(const TimeCurrentPoints& points, double current) {
  if (points.empty() || current < points.front().first) return kInfinity;
  const auto& last = points.back();
  if (current >= last.first) return last.second * (last.first / current) * (last.first / current);
  const auto after = std::upper_bound(points.begin(), points.end(), current,
                                      [](double value, const auto& point) { return value < point.first; });
  const auto before = after - 1;
  const double share = std::log(current / before->first) / std::log(after->first / before->first);
  return before->second * std::pow(after->second / before->second, share);
}

double timeAt(const FuseElement& e, double current, Edge edge) {
  return interpolateLog(e.pre_arcing[static_cast<std::size_t>(edge)], current);
}

double arcTime(const FuseElement& e, double current, Edge edge) {
  const double i2t = e.arcing_i2t.at(edge);
  return i2t > 0.0 ? std::min(e.longest_arc, i2t / (current * current)) : 0.0;
}

double fullMemory(const ThermalElement& e, double current, Edge edge) {
  const double M = current / e.rated, full = M * M / e.theta_trip.at(edge), least = e.least.at(edge);
  return least > 0.0 ? std::min(full, -1.0 / std::expm1(-least / e.tau.at(edge))) : full;
}

/// What one memory does at a constant current.
struct Motion {
  enum class Law { linear, decay } law = Law::linear;
  double rate = 0.0;    // 1/s: of a linear one the slope, of a decay one over its time constant
  double target = 0.0;  // of a decay
};

Motion motionOf(const TimedElement& e, const WatchedCurrent& watched, Edge edge) {
  const double current = watchedBy(e.watched, watched);
  if (current > e.pickup.at(edge)) return {Motion::Law::linear, 1.0 / timeAt(e, current, edge)};
  switch (e.reset.law) {
    case Reset::Law::decay:
      return {Motion::Law::decay, 1.0 / e.reset.time};
    case Reset::Law::linear:
      return {Motion::Law::linear, -1.0 / e.reset.time};
    case Reset::Law::inverse: {
      const double M = std::min(current / e.base.at(edge), 1.0);
      return {Motion::Law::linear, -(1.0 - std::pow(M, e.reset.exponent)) / (e.multiplier.at(edge) * e.reset.time)};
    }
  }
  throw Error("unknown law of reset");
}
Motion motionOf(const ThermalElement& e, const WatchedCurrent& watched, Edge edge) {
  return {Motion::Law::decay, 1.0 / e.tau.at(edge), fullMemory(e, checkedCurrent(watched.phase), edge)};
}
Motion motionOf(const FuseElement& e, const WatchedCurrent& watched, Edge edge) {
  const double time = timeAt(e, checkedCurrent(watched.phase), edge);
  if (time < kInfinity) return {Motion::Law::linear, 1.0 / time};
  return {Motion::Law::decay, 1.0 / e.cooling};
}
Motion motionOf(const TripElement& element, const WatchedCurrent& watched, Edge edge) {
  return std::visit([&](const auto& e) { return motionOf(e, watched, edge); }, element);
}

double timeToFull(const Motion& motion, double memory) {
  if (memory >= 1.0) return 0.0;
  if (motion.law == Motion::Law::linear) return motion.rate > 0.0 ? (1.0 - memory) / motion.rate : kInfinity;
  if (!(motion.target > 1.0)) return kInfinity;
  return -std::log1p(-(1.0 - memory) / (motion.target - memory)) / motion.rate;
}

void check(const TimedElement& e) {
  require(positive(e.pickup) && rising(e.pickup), e.name, "a pickup above 0 A, rising from low to high, is wanted");
  require(positive(e.base), e.name, "a base current above 0 A is wanted");
  require(positive(e.multiplier) && rising(e.multiplier), e.name,
          "a time multiplier above 0, rising from low to high, is wanted");
  require(e.k >= 0.0 && e.c >= 0.0 && e.least >= 0.0 && e.k + e.c + e.least > 0.0 && std::isfinite(e.k + e.c + e.least),
          e.name, "k, c and the least time are not negative, and not all nothing");
  require(rising(e.added), e.name, "the tolerance of the time rises from low to high");
  require(e.k == 0.0 || positive(e.a), e.name, "an exponent above 0 is wanted");
  for (const Edge edge : kEdges) {
    const double M = e.pickup.at(edge) / e.base.at(edge);
    require(e.k == 0.0 || std::pow(M, e.a) >= e.offset, e.name, "at the pickup M^a falls short of the offset");
    require(M < e.definite_above, e.name, "it is definite only above its pickup");
  }
  require(positive(e.reset.time), e.name, "a reset time above 0 s is wanted");
  require(e.reset.law != Reset::Law::inverse || positive(e.reset.exponent), e.name,
          "a reset exponent above 0 is wanted");
}
void check(const ThermalElement& e) {
  require(positive(e.rated), e.name, "a rated current above 0 A is wanted");
  require(positive(e.tau) && positive(e.theta_trip) && rising(e.theta_trip), e.name,
          "a time constant and a trip level above 0, rising from low to high, are wanted");
  require(e.least.low >= 0.0 && rising(e.least), e.name, "a least time that is not negative and rises is wanted");
}
void check(const FuseElement& e) {
  for (const auto& points : e.pre_arcing) {
    require(points.size() >= 2, e.name, "two or more points of current and time at each edge are wanted");
    for (std::size_t k = 0; k < points.size(); ++k) {
      require(positive(points[k].first) && positive(points[k].second), e.name, "currents and times above 0 are wanted");
      require(k == 0 || (points[k].first > points[k - 1].first && points[k].second < points[k - 1].second), e.name,
              "from point to point the current rises and the time falls");
    }
  }
  require(e.arcing_i2t.low >= 0.0 && rising(e.arcing_i2t) && e.longest_arc >= 0.0, e.name,
          "I2t and time of the arc are not negative");
  require(positive(e.cooling), e.name, "a time constant of cooling above 0 s is wanted");
}

}  // namespace

Reset Reset::instantaneous() { return {Law::decay, kInstantReset, 2.0}; }

TripCurve::TripCurve(std::vector<TripElement> elements, Band breaking)
    : elements_(std::move(elements)), breaking_(breaking) {
  for (const auto& element : elements_) std::visit([](const auto& e) { check(e); }, element);
  require(breaking.low >= 0.0 && rising(breaking), "breaking", "a time that is not negative and rises is wanted");
}

const std::string& TripCurve::name(std::size_t element) const {
  return std::visit([](const auto& e) -> const std::string& { return e.name; }, elements_.at(element));
}

Watched TripCurve::watched(std::size_t element) const {
  const auto* timed = std::get_if<TimedElement>(&elements_.at(element));
  return timed != nullptr ? timed->watched : Watched::phase;
}

double TripCurve::tripTime(WatchedCurrent current, Edge edge) const {
  return nextTrip(current, std::vector<double>(memories()), edge).time;
}

double TripCurve::clearingTime(WatchedCurrent current, Edge edge) const {
  const Trip trip = nextTrip(current, std::vector<double>(memories()), edge);
  if (trip.time == kInfinity) return kInfinity;
  return trip.time + clearingDelay(current, trip.element, edge);
}

double TripCurve::clearingDelay(WatchedCurrent current, std::size_t element, Edge edge) const {
  const auto* fuse = std::get_if<FuseElement>(&elements_.at(element));
  return breaking_.at(edge) + (fuse != nullptr ? arcTime(*fuse, checkedCurrent(current.phase), edge) : 0.0);
}

Trip TripCurve::nextTrip(WatchedCurrent current, std::span<const double> memory, Edge edge) const {
  if (memory.size() != memories())
    throw Error("trip curve: " + std::to_string(memory.size()) + " memories for " + std::to_string(memories()) +
                " elements");
  Trip first;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const double time = timeToFull(motionOf(elements_[k], current, edge), memory[k]);
    if (time < first.time) first = {time, k};
  }
  return first;
}

double TripCurve::memoryRate(WatchedCurrent current, double memory, std::size_t element, Edge edge) const {
  const Motion motion = motionOf(elements_.at(element), current, edge);
  if (motion.law == Motion::Law::decay) return (motion.target - memory) * motion.rate;
  return motion.rate < 0.0 && memory <= 0.0 ? 0.0 : motion.rate;
}

double TripCurve::memorySlope(WatchedCurrent current, std::size_t element, Edge edge) const {
  const Motion motion = motionOf(elements_.at(element), current, edge);
  return motion.law == Motion::Law::decay ? -motion.rate : 0.0;
}

double TripCurve::memoryAfter(WatchedCurrent current, double memory, std::size_t element, double duration,
                              Edge edge) const {
  const Motion motion = motionOf(elements_.at(element), current, edge);
  if (motion.law == Motion::Law::decay) return memory - (motion.target - memory) * std::expm1(-duration * motion.rate);
  const double after = memory + motion.rate * duration;
  return motion.rate < 0.0 ? std::max(after, std::min(memory, 0.0)) : after;
}

double TripCurve::tripsAbove(std::size_t element, Edge edge) const {
  struct Threshold {
    Edge edge;
    double operator()(const TimedElement& e) const { return e.pickup.at(edge); }
    double operator()(const ThermalElement& e) const { return e.rated * std::sqrt(e.theta_trip.at(edge)); }
    double operator()(const FuseElement& e) const { return e.pre_arcing[static_cast<std::size_t>(edge)].front().first; }
  };
  return std::visit(Threshold{edge}, elements_.at(element));
}

double TripCurve::tripsAbove(Watched by, Edge edge) const {
  double least = kInfinity;
  for (std::size_t k = 0; k < elements_.size(); ++k)
    if (watched(k) == by) least = std::min(least, tripsAbove(k, edge));
  return least;
}

double TripCurve::multiplesOf(std::size_t element) const {
  struct Base {
    double operator()(const TimedElement& e) const { return e.base.middle; }
    double operator()(const ThermalElement& e) const { return e.rated; }
    double operator()(const FuseElement& e) const {
      return e.pre_arcing[static_cast<std::size_t>(Edge::middle)].front().first;
    }
  };
  return std::visit(Base{}, elements_.at(element));
}

std::vector<double> TripCurve::corners(Edge edge) const {
  std::vector<double> currents;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    currents.push_back(tripsAbove(k, edge));
    if (const auto* timed = std::get_if<TimedElement>(&elements_[k]);
        timed != nullptr && timed->definite_above < kInfinity)
      currents.push_back(timed->base.at(edge) * timed->definite_above);
    if (const auto* fuse = std::get_if<FuseElement>(&elements_[k]))
      for (const auto& [current, time] : fuse->pre_arcing[static_cast<std::size_t>(edge)]) currents.push_back(current);
  }
  std::sort(currents.begin(), currents.end());
  return currents;
}

}  // namespace podtwin
