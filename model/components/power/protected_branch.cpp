#include "model/components/power/protected_branch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace podtwin {

namespace {

constexpr double kTimeTolerance = 1e-9;  // s
constexpr double kDropOut = 1.0 - 1e-9;  // of the pickup: beyond what rounding moves a current by
constexpr double kNear = 0.8;            // of the pickup, from where on a step is looked at; a current rises by less
constexpr std::size_t kPoles = 3;
constexpr double kFull = 1.0;

std::array<double, kConductors> memories(const ProtectedBranch& p, const Evaluation& e) {
  std::array<double, kConductors> m{};
  for (std::size_t k = 0; k < p.curve.memories(); ++k) m[k] = e.y[p.set->yIndex(k, p.self)];
  return m;
}

double currentOf(const ProtectedBranch& p, std::size_t element, const WatchedCurrent& current) {
  return p.curve.watched(element) == Watched::phase ? current.phase : current.ground;
}

double held(const ProtectedBranch& p, const Evaluation& e, std::size_t discrete) {
  return p.set->z(e, discrete, p.self);
}

/// How near an element is to picking up, or to dropping out: not negative when it does.
double crossing(const ProtectedBranch& p, std::size_t element, const WatchedCurrent& current, double since) {
  const double multiple = currentOf(p, element, current) / p.pickup[element];
  return since == kNoMoment ? multiple - 1.0 : kDropOut - multiple;
}

std::string number(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

/// "long time element tripped at 2.31 x 1600 A after 34.2 s".
std::string tripText(const ProtectedBranch& p, std::size_t element, const WatchedCurrent& current, double after) {
  constexpr int kFew = 3, kSome = 4;
  const double base = p.multiples[element];
  return p.curve.name(element) + " element tripped at " + number(currentOf(p, element, current) / base, kFew) + " x " +
         number(base, kSome) + " A after " + number(after, kFew) + " s";
}

}  // namespace

namespace protection {

Edge edgeOf(const std::string& text) { return text == "low" ? Edge::low : text == "high" ? Edge::high : Edge::middle; }

void bindPoles(std::size_t i, const InstanceDescription& d, Binder& b, bool four, ProtectedBranch& p) {
  const auto from = b.bus(i, "from"), to = b.bus(i, "to");
  std::vector<std::size_t> begin, end;
  for (std::size_t k = 0; k < kConductors; ++k) {
    const std::size_t at = b.conductor(from, k), beyond = b.conductor(to, k);
    if (k < kPoles || four) {
      begin.push_back(at);
      end.push_back(beyond);
    } else {
      p.neutral = static_cast<std::ptrdiff_t>(b.element(
          i, impedanceElement(d.id + " neutral", at, static_cast<std::ptrdiff_t>(beyond), d.number("resistance")),
          true));
    }
  }
  const auto n = static_cast<Eigen::Index>(begin.size());
  const Eigen::MatrixXcd z = d.number("resistance") * Eigen::MatrixXcd::Identity(n, n);
  branches::bindElement(i, b, lineElement(d.id, begin, end, z, {}), p);
}

void notePickups(ProtectedBranch& p) {
  for (std::size_t k = 0; k < p.curve.memories(); ++k) {
    p.pickup.push_back(p.curve.tripsAbove(k, p.edge));
    p.multiples.push_back(p.curve.multiplesOf(k));
  }
}

WatchedCurrent watched(const ProtectedBranch& p, const Evaluation& e) {
  if (!p.phased || !p.set->connects(e, p.self)) return 0.0;
  const Eigen::VectorXcd current = e.phasor.currents(p.element);
  double greatest = 0.0;
  Complex sum{};
  for (std::size_t k = 0; k < kConductors; ++k) {
    if (p.from_place[k] < 0) continue;
    const Complex i = current[p.from_place[k]];
    sum += i;
    if (k < kPoles) greatest = std::max(greatest, std::abs(i));
  }
  if (p.neutral >= 0) sum += e.phasor.currents(static_cast<std::size_t>(p.neutral))[0];
  for (const auto& inrush : p.inrush) greatest -= inrush.set->signalOf(e, inrush.signal, inrush.instance);
  return {std::max(greatest, 0.0), std::abs(sum)};
}

double neutralCurrent(const ProtectedBranch& p, const Evaluation& e) {
  return p.neutral >= 0 ? std::abs(e.phasor.currents(static_cast<std::size_t>(p.neutral))[0])
                        : branches::currentIn(p, kPoles, e);
}

double loss(const ProtectedBranch& p, const Evaluation& e) { return branches::loss(p, e); }

Trip nextTrip(const ProtectedBranch& p, const Evaluation& e) {
  const auto m = memories(p, e);
  return p.curve.nextTrip(watched(p, e), std::span(m).first(p.curve.memories()), p.edge);
}

double greatestMemory(const ProtectedBranch& p, const Evaluation& e) {
  const auto m = memories(p, e);
  return std::max(*std::max_element(m.begin(), m.end()), 0.0);
}

double timeToTrip(const ProtectedBranch& p, const Evaluation& e) {
  if (p.curve.memories() == 0 || !p.set->connects(e, p.self)) return kNever;
  return held(p, e, kDecided) != 0.0 ? 0.0 : std::min(nextTrip(p, e).time, kNever);
}

bool watching(const ProtectedBranch& p, const Evaluation& e) {
  if (p.curve.memories() == 0 || held(p, e, kDecided) != 0.0) return false;
  const WatchedCurrent current = watched(p, e);
  for (std::size_t k = 0; k < p.curve.memories(); ++k)
    if (currentOf(p, k, current) > kNear * p.pickup[k] || held(p, e, kAboveSince + k) != kNoMoment) return true;
  return false;
}

double watch(const ProtectedBranch& p, const Evaluation& e) {
  double nearest = -kFull;
  if (p.curve.memories() == 0 || held(p, e, kDecided) != 0.0) return nearest;
  const auto m = memories(p, e);
  const WatchedCurrent current = watched(p, e);
  const bool closed = p.set->connects(e, p.self);
  for (std::size_t k = 0; k < p.curve.memories(); ++k) {
    if (closed) nearest = std::max(nearest, m[k] - kFull);
    nearest = std::max(nearest, crossing(p, k, current, held(p, e, kAboveSince + k)));
  }
  return nearest;
}

double nextMoment(const ProtectedBranch& p, const Evaluation& e) {
  if (const double at = held(p, e, kOpensAt); at != kNoMoment) return at;
  if (p.curve.memories() == 0 || held(p, e, kDecided) != 0.0 || !p.set->connects(e, p.self)) return kUnbounded;
  return e.t + nextTrip(p, e).time;
}

void order(const ProtectedBranch& p, std::size_t by, double decided_at, double opens_at, State& s) {
  p.set->z(s, kDecided, p.self) = 1.0 + static_cast<double>(by);
  p.set->z(s, kTrippedAt, p.self) = decided_at;
  p.set->z(s, kOpensAt, p.self) = opens_at;
}

void openIfDue(const ProtectedBranch& p, const Evaluation& e, State& s, std::vector<Occurrence>& events) {
  const auto& set = *p.set;
  double& at = set.z(s, kOpensAt, p.self);
  if (at == kNoMoment || at > e.t + kTimeTolerance) return;
  at = kNoMoment;
  const std::string& id = set.ids()[p.self];
  if (set.z(s, kStuck, p.self) != 0.0) {
    events.push_back({id, id, "its mechanism is stuck", "does not open"});
    return;
  }
  set.z(s, kTripped, p.self) = 1.0;
  ++s.topology;
  events.push_back({id, id, "its protection", "opens"});
}

void act(const ProtectedBranch& p, const Evaluation& e, State& s, std::vector<Occurrence>& events) {
  const auto& set = *p.set;
  if (p.curve.memories() > 0 && set.z(s, kDecided, p.self) == 0.0) {
    const WatchedCurrent current = watched(p, e);
    for (std::size_t k = 0; k < p.curve.memories(); ++k) {
      double& since = set.z(s, kAboveSince + k, p.self);
      if (crossing(p, k, current, since) >= 0.0) since = since == kNoMoment ? e.t : kNoMoment;
    }
    const Trip trip = nextTrip(p, e);
    if (set.connects(e, p.self) && trip.time <= kTimeTolerance) {
      const double at = e.t + trip.time, since = set.z(s, kAboveSince + trip.element, p.self);
      const bool earth = p.curve.watched(trip.element) == Watched::ground;
      order(p, trip.element, at, at + p.curve.clearingDelay(current, trip.element, p.edge), s);
      const std::string& id = set.ids()[p.self];
      events.push_back({id, id, earth ? "earth fault" : "overcurrent",
                        tripText(p, trip.element, current, since == kNoMoment ? 0.0 : at - since)});
    }
  }
  openIfDue(p, e, s, events);
}

void reset(const ComponentSet& set, std::size_t elements, std::size_t i, State& s) {
  set.z(s, kDecided, i) = 0.0;
  set.z(s, kOpensAt, i) = kNoMoment;
  for (std::size_t k = 0; k < elements; ++k) set.z(s, kAboveSince + k, i) = kNoMoment;
}

}  // namespace protection

double protectionSignal(std::size_t k, const ProtectedBranch& p, const Evaluation& e) {
  switch (k) {
    case 0:
      return protection::watched(p, e).phase;
    case 1:
      return p.rated_current > 0.0 ? protection::watched(p, e).phase / p.rated_current : 0.0;
    case 2:
      return protection::greatestMemory(p, e);
    case 3:
      return protection::timeToTrip(p, e);
    default:
      return held(p, e, kTrippedAt);
  }
}

bool solvesProtection(std::size_t k, const ProtectedBranch& p) {
  switch (k) {
    case 0:
      return p.phased;
    case 1:
      return p.phased && p.rated_current > 0.0;
    case 2:
    case 3:
      return p.curve.memories() > 0;
    default:
      return true;
  }
}

}  // namespace podtwin
