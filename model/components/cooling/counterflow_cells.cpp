#include "model/components/cooling/counterflow_cells.hpp"

#include <algorithm>
#include <tuple>

namespace podtwin {

namespace {

constexpr std::size_t kPoints = CounterflowCells::kPoints;

/// Gauss-Legendre points and weights on 0 .. 1 (Abramowitz and Stegun, table 25.4) and the Lagrange polynomials
/// through the points: their values at the ends and their integrated derivatives.
struct Basis {
  std::array<double, kPoints> point{}, weight{}, at_start{}, at_end{};
  std::array<std::array<double, kPoints>, kPoints> inner{};  ///< weight_j l_i'(x_j) - l_i(1) l_j(1)
};

Basis makeBasis() {
  constexpr std::array<double, 2> kAbscissa{0.33998104358485626480, 0.86113631159405257522};
  constexpr std::array<double, 2> kWeight{0.65214515486254614263, 0.34785484513745385737};
  Basis b;
  b.point = {0.5 - 0.5 * kAbscissa[1], 0.5 - 0.5 * kAbscissa[0], 0.5 + 0.5 * kAbscissa[0], 0.5 + 0.5 * kAbscissa[1]};
  b.weight = {0.5 * kWeight[1], 0.5 * kWeight[0], 0.5 * kWeight[0], 0.5 * kWeight[1]};
  const auto lagrange = [&](std::size_t i, double x) {
    double product = 1.0;
    for (std::size_t k = 0; k < kPoints; ++k)
      if (k != i) product *= (x - b.point[k]) / (b.point[i] - b.point[k]);
    return product;
  };
  const auto slope = [&](std::size_t i, double x) {
    double sum = 0.0;
    for (std::size_t left = 0; left < kPoints; ++left) {
      if (left == i) continue;
      double product = 1.0 / (b.point[i] - b.point[left]);
      for (std::size_t k = 0; k < kPoints; ++k)
        if (k != i && k != left) product *= (x - b.point[k]) / (b.point[i] - b.point[k]);
      sum += product;
    }
    return sum;
  };
  for (std::size_t i = 0; i < kPoints; ++i) {
    b.at_start[i] = lagrange(i, 0.0);
    b.at_end[i] = lagrange(i, 1.0);
  }
  for (std::size_t i = 0; i < kPoints; ++i) {
    // The diagonal is what makes an even temperature stand still to the last digit.
    double others = b.at_start[i];
    for (std::size_t j = 0; j < kPoints; ++j) {
      if (j == i) continue;
      b.inner[i][j] = b.weight[j] * slope(i, b.point[j]) - b.at_end[i] * b.at_end[j];
      others += b.inner[i][j];
    }
    b.inner[i][i] = -others;
  }
  return b;
}

const Basis& basis() {
  static const Basis b = makeBasis();
  return b;
}

}  // namespace

CounterflowCells::CounterflowCells(std::size_t first, std::size_t elements, const Contents& contents, const Ends& ends)
    : first_(first), elements_(elements), contents_(contents), ends_(ends) {}

const ThermalPort& CounterflowCells::inlet(Body body, bool ascending) const {
  if (body == hot) return ascending ? ends_.hot_first : ends_.hot_last;
  return ascending ? ends_.cold_last : ends_.cold_first;
}
const ThermalPort& CounterflowCells::outlet(Body body, bool ascending) const { return inlet(body, !ascending); }

/// Calls add(row, column, conductance): heat of a row [W] a kelvin of a column.
template <class Add>
void CounterflowCells::advection(Body body, double rate, Add add) const {
  const Basis& b = basis();
  const bool ascending = ascends(body, rate);
  const double c = rate < 0.0 ? -rate : rate;
  const ThermalPort &in = inlet(body, ascending), &out = outlet(body, ascending);
  for (std::size_t n = 0; n < elements_; ++n)
    for (std::size_t i = 0; i < kPoints; ++i) {
      const std::size_t row = passed(body, ascending, n, i);
      for (std::size_t j = 0; j < kPoints; ++j) add(row, passed(body, ascending, n, j), c * b.inner[i][j]);
      if (n == 0) add(row, in.column, c * b.at_start[i]);
      for (std::size_t j = 0; n > 0 && j < kPoints; ++j)
        add(row, passed(body, ascending, n - 1, j), c * b.at_start[i] * b.at_end[j]);
    }
  for (std::size_t j = 0; j < kPoints; ++j) add(out.row, passed(body, ascending, elements_ - 1, j), c * b.at_end[j]);
  add(out.row, out.column, -c);
}

template <class Add>
void CounterflowCells::films(const Exchange& x, Add add) const {
  const Basis& b = basis();
  const double length = 1.0 / static_cast<double>(elements_);
  const auto join = [&](std::size_t one, std::size_t other, double g) {
    add(one, one, -g);
    add(one, other, g);
    add(other, other, -g);
    add(other, one, g);
  };
  for (std::size_t n = 0; n < elements_; ++n)
    for (std::size_t i = 0; i < kPoints; ++i) {
      join(index(hot, n, i), index(wall, n, i), x.hot_film * length * b.weight[i]);
      join(index(cold, n, i), index(wall, n, i), x.cold_film * length * b.weight[i]);
    }
}

void CounterflowCells::bind(Binder& b) {
  for (std::size_t n = 0; n < elements_; ++n)
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double share = basis().weight[i] / static_cast<double>(elements_);
      b.coolantCapacity(index(hot, n, i), contents_.hot_node, share * contents_.hot_mass);
      b.capacity(index(wall, n, i), share * contents_.wall_capacity);
      b.coolantCapacity(index(cold, n, i), contents_.cold_node, share * contents_.cold_mass);
    }
  const auto note = [&](std::size_t row, std::size_t column, double) { slots_.push_back({row, column, 0}); };
  for (const double direction : {1.0, -1.0}) {  // the pattern holds both directions of either coolant
    advection(hot, direction, note);
    advection(cold, direction, note);
  }
  films({1.0, 1.0, 1.0, 1.0}, note);
  const auto place = [](const Slot& s) { return std::tie(s.row, s.column); };
  std::sort(slots_.begin(), slots_.end(), [&](const Slot& p, const Slot& q) { return place(p) < place(q); });
  slots_.erase(
      std::unique(slots_.begin(), slots_.end(), [&](const Slot& p, const Slot& q) { return place(p) == place(q); }),
      slots_.end());
  for (Slot& s : slots_) s.slot = b.couple(s.row, s.column);
}

std::size_t CounterflowCells::slot(std::size_t row, std::size_t column) const {
  return std::lower_bound(slots_.begin(), slots_.end(), std::tie(row, column),
                          [](const Slot& s, const auto& wanted) { return std::tie(s.row, s.column) < wanted; })
      ->slot;
}

void CounterflowCells::rates(const Exchange& x, Evaluation& e) const {
  const auto carry = [&](Body body, double rate) {
    advection(body, rate, [&](std::size_t row, std::size_t column, double g) {
      e.heat[row] += g * coolant(body).carried(e.y[column]);
    });
  };
  carry(hot, x.hot_rate);
  carry(cold, x.cold_rate);
  films(x, [&](std::size_t row, std::size_t column, double g) { e.heat[row] += g * e.y[column]; });
}

void CounterflowCells::jacobian(const Exchange& x, const Evaluation& e, JacobianWriter& w) const {
  const auto carry = [&](Body body, double rate) {
    advection(body, rate, [&](std::size_t row, std::size_t column, double g) {
      w.add(slot(row, column), row, g * coolant(body).carriedSlope(e.y[column]));
    });
  };
  carry(hot, x.hot_rate);
  carry(cold, x.cold_rate);
  films(x, [&](std::size_t row, std::size_t column, double g) { w.add(slot(row, column), row, g); });
}

double CounterflowCells::leaving(Body body, double rate, const Evaluation& e) const {
  const bool ascending = ascends(body, rate);
  double carried = 0.0;
  for (std::size_t j = 0; j < kPoints; ++j)
    carried += basis().at_end[j] * coolant(body).carried(e.y[passed(body, ascending, elements_ - 1, j)]);
  return coolant(body).fromCarried(carried);
}

double CounterflowCells::heatToCold(const Exchange& x, const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t n = 0; n < elements_; ++n)
    for (std::size_t i = 0; i < kPoints; ++i)
      sum += basis().weight[i] * (e.y[index(wall, n, i)] - e.y[index(cold, n, i)]);
  return x.cold_film * sum / static_cast<double>(elements_);
}

double CounterflowCells::stored(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t n = 0; n < elements_; ++n)
    for (std::size_t i = 0; i < kPoints; ++i)
      sum += basis().weight[i] * (contents_.hot_mass * contents_.hot->enthalpy(e.y[index(hot, n, i)]) +
                                  contents_.wall_capacity * (e.y[index(wall, n, i)] - fluids::kReferenceTemperature) +
                                  contents_.cold_mass * contents_.cold->enthalpy(e.y[index(cold, n, i)]));
  return sum / static_cast<double>(elements_);
}

}  // namespace podtwin
