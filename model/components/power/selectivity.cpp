#include "model/components/power/selectivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kSame = 1e-9;        // share: times that differ by less are equal but for rounding
constexpr double kRefined = 1e-12;    // share of the current to which the limit is found
constexpr double kPerDecade = 500.0;  // currents looked at; between them times are smooth
constexpr double kBeginning = 1e-3;   // of the least current that trips anything

struct Times {
  double downstream, upstream;
  bool selective;
};

class Pair {
 public:
  Pair(const TripCurve& downstream, const TripCurve& upstream, const SelectivityCase& at)
      : downstream_(downstream), upstream_(upstream), at_(at) {}

  double upstreamCurrent(double current) const { return at_.upstream_share * current + at_.upstream_other_load; }
  double downstreamCurrent(double current) const { return (current - at_.upstream_other_load) / at_.upstream_share; }

  Times times(double current) const {
    const bool earth = at_.path == FaultPath::earth;
    const double above = upstreamCurrent(current);
    const WatchedCurrent below{current, earth ? current : 0.0};
    // What other loads draw is balanced but for the fault: it is no residual current.
    const WatchedCurrent up{above, earth ? at_.upstream_share * current : 0.0};
    Times t{downstream_.clearingTime(below, at_.downstream_edge), upstream_.tripTime(up, at_.upstream_edge), true};
    t.selective = t.upstream == std::numeric_limits<double>::infinity() ||
                  t.downstream + at_.margin <= t.upstream * (1.0 + kSame);
    return t;
  }

  /// Rising currents up to the prospective one: a grid, and either side of every jump of either curve.
  std::vector<double> currents() const {
    std::vector<double> corners = downstream_.corners(at_.downstream_edge);
    for (const double c : upstream_.corners(at_.upstream_edge)) {
      corners.push_back(downstreamCurrent(c));
      corners.push_back(c / at_.upstream_share);  // of a ground element, which sees no other load
    }
    std::erase_if(corners, [&](double c) { return !(c > at_.least) || c >= at_.prospective; });
    double first = at_.prospective;
    for (const double c : corners) first = std::min(first, c);
    first = std::max(kBeginning * first, at_.least);
    std::vector<double> all = {at_.prospective};
    for (const double c : corners)
      // Three steps of rounding: the corner upstream goes through a multiplication and a sum.
      for (const double side : {c * (1.0 - kRefined), c, c * (1.0 + kRefined)}) all.push_back(side);
    const double step = std::pow(10.0, 1.0 / kPerDecade);
    for (double c = first; c < at_.prospective; c *= step) all.push_back(c);
    std::erase_if(all, [&](double c) { return c < at_.least || c > at_.prospective; });
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  const TripCurve& downstream_;
  const TripCurve& upstream_;
  const SelectivityCase& at_;
};

}  // namespace

Selectivity selectivity(const TripCurve& downstream, const TripCurve& upstream, const SelectivityCase& at) {
  if (!(at.prospective > 0.0) || !std::isfinite(at.prospective) || !(at.upstream_share > 0.0) ||
      !std::isfinite(at.upstream_share) || !(at.upstream_other_load >= 0.0) || !(at.margin >= 0.0) ||
      !(at.least >= 0.0 && at.least <= at.prospective))
    throw Error(
        "selectivity: prospective current and share above 0, least current no greater, other load and margin not "
        "negative");
  const Pair pair(downstream, upstream, at);
  double good = 0.0;
  for (const double current : pair.currents()) {
    Times found = pair.times(current);
    if (found.selective) {
      good = current;
      continue;
    }
    double bad = current;
    while (good > 0.0 && bad - good > kRefined * bad) {
      const double middle = 0.5 * (good + bad);
      if (middle <= good || middle >= bad) break;
      const Times t = pair.times(middle);
      (t.selective ? good : bad) = middle;
      if (!t.selective) found = t;
    }
    return {.full = false, .up_to = good, .fails_at = bad, .downstream = found.downstream, .upstream = found.upstream};
  }
  return {.full = true, .up_to = at.prospective};
}

}  // namespace podtwin
