#include "model/components/cooling/pump_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;  // of the last point's flow; below it the curve's quadratic part is linear
constexpr double kStraight = 1e-9;     // of the shut-off head; less curvature than that is rounding of a straight line
constexpr double kSlowest = 0.05;      // of full speed; below it a table's resistance is that of this speed

/// Quadratic h0 + h1 q + h2 q^2 through the points of the head curve.
void fitHead(const std::vector<std::pair<double, double>>& points, double& h0, double& h1, double& h2) {
  if (points.size() == 2) {
    const double a = points[0].first * points[0].first, b = points[1].first * points[1].first;
    h2 = (points[1].second - points[0].second) / (b - a);
    h0 = points[0].second - h2 * a;
    h1 = 0.0;
    return;
  }
  // Least squares on 1, q/s, (q/s)^2 by the normal equations; exact for three points.
  const double s = points.back().first > 0.0 ? points.back().first : 1.0;
  double m[3][4] = {};
  for (const auto& [q, h] : points) {
    const double basis[3] = {1.0, q / s, q / s * q / s};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] += basis[i] * basis[j];
      m[i][3] += basis[i] * h;
    }
  }
  for (int p = 0; p < 3; ++p)
    for (int r = 0; r < 3; ++r) {
      if (r == p) continue;
      const double f = m[r][p] / m[p][p];
      for (int c = p; c < 4; ++c) m[r][c] -= f * m[p][c];
    }
  h0 = m[0][3] / m[0][0];
  h1 = m[1][3] / m[1][1] / s;
  h2 = m[2][3] / m[2][2] / (s * s);
}

}  // namespace

void PumpCurve::apply(EdgeLaw& law, double speed) const {
  law.head_0 = h0 * speed * speed;
  if (!falls_by.empty()) {
    law.table = &falls_by;
    law.stretch = std::max(speed, kSlowest);
    law.k = law.stretch * law.stretch;
    return;
  }
  law.head_1 = h1 * speed;
  law.k = -h2;
  law.m_linear = kLinearShare * m_nominal;
}

PumpCurve pumpCurveOf(const InstanceDescription& d, double density, Diagnostics& problems) {
  PumpCurve p;
  const auto& curve = d.parameters.at("head_curve");
  const auto& points = curve.points;
  bool rising = points.size() >= 2;
  for (std::size_t k = 1; k < points.size(); ++k) rising = rising && points[k].first > points[k - 1].first;
  if (!rising) {
    problems.error(curve.given ? curve.where : d.where,
                   "'" + d.id + "' needs a head_curve of two or more points with rising flow",
                   "write head_curve: [[0 L/min, 400 kPa], [600 L/min, 250 kPa]]");
    return p;
  }
  p.m_nominal = points.back().first * density;
  if (d.text("head_form") == "table") {
    std::vector<std::pair<double, double>> falls;
    for (std::size_t k = 1; k < points.size(); ++k)
      falls.emplace_back(points[k].first * density, points[0].second - points[k].second);
    p.h0 = points[0].second;
    try {
      if (points[0].first != 0.0 || !(p.h0 > 0.0)) throw Error("it has no head at no flow");
      p.falls_by = FlowTable(falls);
    } catch (const Error&) {
      problems.error(curve.where,
                     "'" + d.id + "': a head_curve as a table begins at no flow and falls from point to point",
                     "give the shut-off head first and lower heads at higher flows, or head_form: quadratic");
    }
    return p;
  }
  fitHead(points, p.h0, p.h1, p.h2);
  if (std::abs(p.h2) * points.back().first * points.back().first < kStraight * p.h0) p.h2 = 0.0;
  p.h1 /= density;
  p.h2 /= density * density;
  if (!(p.h0 > 0.0) || p.h2 > 0.0 || (p.h2 == 0.0 && p.h1 >= 0.0))
    problems.error(curve.where, "'" + d.id + "': the head curve does not fall with flow",
                   "give a finite shut-off head and lower heads at higher flows");
  return p;
}

}  // namespace podtwin
