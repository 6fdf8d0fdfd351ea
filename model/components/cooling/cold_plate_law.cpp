#include "model/components/cooling/cold_plate_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"

namespace podtwin {

ColdPlateResistance ColdPlateResistance::table(Points points) {
  ColdPlateResistance r;
  r.curve_ = MonotoneCurve(points);
  r.tabulated_ = true;
  r.low_ = r.curve_.low();
  r.high_ = r.curve_.high();
  return r;
}

ColdPlateResistance ColdPlateResistance::quadratic(Points points) {
  if (points.size() < 3) throw Error("a parabola needs three points or more");
  // Normal equations in x = V / V_last; polynomials of x up to its square are well apart on 0 .. 1.
  const double scale = points.back().first;
  double m[3][4] = {};
  for (const auto& [flow, resistance] : points) {
    const double x = flow / scale, basis[3] = {1.0, x, x * x};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] += basis[i] * basis[j];
      m[i][3] += basis[i] * resistance * flow;
    }
  }
  for (int p = 0; p < 3; ++p)
    for (int row = 0; row < 3; ++row) {
      if (row == p) continue;
      const double f = m[row][p] / m[p][p];
      for (int c = p; c < 4; ++c) m[row][c] -= f * m[p][c];
    }
  ColdPlateResistance r;
  for (int k = 0; k < 3; ++k) r.a_[k] = m[k][3] / m[k][k] / std::pow(scale, k);
  r.low_ = points.front().first;
  r.high_ = points.back().first;
  return r;
}

ColdPlateResistance ColdPlateResistance::fit(double resistance, double r_flow, double low, double high) {
  ColdPlateResistance r;
  r.a_[0] = r_flow;
  r.a_[1] = resistance;
  r.low_ = low;
  r.high_ = high;
  return r;
}

double ColdPlateResistance::resistance(double flow) const {
  return tabulated_ ? curve_.value(flow) : a_[0] / flow + a_[1] + a_[2] * flow;
}

double ColdPlateResistance::conductance(double flow, double rho_cp) const {
  const double at = std::clamp(flow, low_, high_);  // held beyond the range, and flagged by whoever asks
  const double rate = at * rho_cp, effectiveness = 1.0 / (resistance(at) * rate);
  if (!(effectiveness > 0.0 && effectiveness < 1.0)) return std::numeric_limits<double>::infinity();
  return -std::log1p(-effectiveness) * rate;
}

}  // namespace podtwin
