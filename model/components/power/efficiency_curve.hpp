// Loss of one conversion unit from its efficiency at several loads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/curve.hpp"
#include "model/fluids/range.hpp"
#include "model/system/binder.hpp"

namespace podtwin {

/// Efficiency against output over rating, linear between its points; beyond the last point its efficiency holds, below
/// the first its *loss*: an efficiency held there would let the loss vanish at no load.
class EfficiencyCurve {
 public:
  EfficiencyCurve() = default;
  explicit EfficiencyCurve(const std::vector<std::pair<double, double>>& points)
      : curve_(points),
        first_load_(points.front().first),
        first_loss_(first_load_ * (1.0 / points.front().second - 1.0)) {}

  /// Loss [W] at an output of `power` [W] from what is rated `rating` [W].
  double loss(double rating, double power) const {
    const double x = power / rating;
    return x <= first_load_ ? rating * first_loss_ : power * (1.0 / curve_.value(x) - 1.0);
  }

 private:
  Curve curve_;
  double first_load_ = 0.0, first_loss_ = 0.0;  // 1, of rating
};

/// Reads the curve that an instance gives at `efficiency`; false, with a problem, when it is none.
inline bool readEfficiencyCurve(const InstanceDescription& d, Binder& b, EfficiencyCurve& out) {
  const auto& given = d.parameters.at("efficiency");
  for (const auto& [x, eta] : given.points)
    if (!(x >= 0.0 && eta > 0.0 && eta <= 1.0)) {
      b.problems().error(given.where,
                         "'" + d.id + "': an efficiency of " + fluids::inWords(eta) + " at load " + fluids::inWords(x),
                         "give loads from 0 and efficiencies above 0 and not above 100 %");
      return false;
    }
  try {
    out = EfficiencyCurve(given.points);
  } catch (const Error& error) {
    b.problems().error(given.where, "'" + d.id + "': " + error.what(),
                       "give rising loads, [[25 %, 97 %], [100 %, 96 %]]");
    return false;
  }
  return true;
}

}  // namespace podtwin
