#include "model/network/fault_currents.hpp"

#include <Eigen/LU>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {
constexpr std::size_t kPhases = 3, kNeutral = 3;

Complex turn(int thirds) { return std::polar(1.0, 2.0 * std::numbers::pi / 3.0 * static_cast<double>(thirds)); }
}  // namespace

struct NetworkImpedances::Factor {
  Eigen::SparseLU<Eigen::SparseMatrix<Complex>> lu;
};

NetworkImpedances::NetworkImpedances(const PhasorNetwork& network, std::shared_ptr<const PhasorTopology> topology)
    : network_(network), topology_(std::move(topology)), factors_(topology_->parts().size()) {}
NetworkImpedances::~NetworkImpedances() = default;

Eigen::MatrixXcd NetworkImpedances::from(std::span<const std::size_t> nodes) {
  const auto number = static_cast<std::size_t>(topology_->partOf(nodes.front()));
  const auto& part = topology_->parts()[number];
  const auto rows = static_cast<Eigen::Index>(part.nodes.size()), columns = static_cast<Eigen::Index>(nodes.size());
  if (factors_[number] == nullptr) {
    std::vector<Eigen::Triplet<Complex>> triplets;
    for (std::size_t r = 0; r < part.nodes.size(); ++r)
      for (std::size_t k = part.row_start[r]; k < part.row_start[r + 1]; ++k)
        triplets.emplace_back(static_cast<int>(r), static_cast<int>(part.column[k]), part.admittance[k]);
    Eigen::SparseMatrix<Complex> admittance(rows, rows);
    admittance.setFromTriplets(triplets.begin(), triplets.end());
    factors_[number] = std::make_unique<Factor>();
    factors_[number]->lu.compute(admittance);
    if (factors_[number]->lu.info() != Eigen::Success)
      throw SimulationError("fault levels: the impedances of the part with '" + network_.nodes()[nodes.front()] +
                            "' are not determined");
  }
  Eigen::MatrixXcd current = Eigen::MatrixXcd::Zero(rows, columns);
  for (Eigen::Index c = 0; c < columns; ++c) current(topology_->rowOf(nodes[static_cast<std::size_t>(c)]), c) = 1.0;
  const Eigen::MatrixXcd voltage = factors_[number]->lu.solve(current);
  Eigen::MatrixXcd all = Eigen::MatrixXcd::Zero(static_cast<Eigen::Index>(network_.nodes().size()), columns);
  for (std::size_t r = 0; r < part.nodes.size(); ++r)
    all.row(static_cast<Eigen::Index>(part.nodes[r])) = voltage.row(static_cast<Eigen::Index>(r));
  return all;
}

namespace {

/// The greatest or least of several, 0 of none.
class Chosen {
 public:
  explicit Chosen(Extreme extreme) : extreme_(extreme) {}
  void see(double value) {
    if (none_ || (extreme_ == Extreme::greatest ? value > value_ : value < value_)) value_ = value;
    none_ = false;
  }
  double value() const { return value_; }

 private:
  Extreme extreme_;
  bool none_ = true;
  double value_ = 0.0;
};

}  // namespace

FaultCurrents faultCurrents(const BusImpedance& seen, double electromotive_force, Extreme extreme) {
  const auto& z = seen.impedance;
  std::array<Complex, kPhases> emf;
  for (std::size_t k = 0; k < kPhases; ++k) emf[k] = electromotive_force * turn(-static_cast<int>(k));
  const auto at = [&](std::size_t i, std::size_t j) {
    return z(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  };
  FaultCurrents out;
  if (seen.live[0] && seen.live[1] && seen.live[2]) {
    // Phases joined to each other and not to earth: equal voltages, and currents that add up to nothing.
    Eigen::Matrix3cd equations;
    Eigen::Vector3cd given;
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t c = 0; c < kPhases; ++c)
        equations(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = at(r, c) - at(r + 1, c);
      given(static_cast<Eigen::Index>(r)) = emf[r] - emf[r + 1];
    }
    // In the unit of an impedance, so that the equations are of one size.
    equations.row(2).setConstant(equations.topRows(2).cwiseAbs().maxCoeff());
    given(2) = 0.0;
    const Eigen::Vector3cd current = equations.partialPivLu().solve(given);
    Chosen chosen(extreme);
    for (Eigen::Index k = 0; k < 3; ++k) chosen.see(std::abs(current(k)));
    out.three_phase = chosen.value();
  }
  Chosen line_line(extreme), both(extreme), earth(extreme), line_ground(extreme), line_neutral(extreme);
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (!seen.live[i]) continue;
    line_ground.see(seen.earthed ? std::abs(emf[i] / at(i, i)) : 0.0);
    if (seen.live[kNeutral])
      line_neutral.see(std::abs(emf[i] / (at(i, i) + at(kNeutral, kNeutral) - at(i, kNeutral) - at(kNeutral, i))));
    for (std::size_t j = 0; j < i; ++j) {
      if (!seen.live[j]) continue;
      const double between = std::abs((emf[i] - emf[j]) / (at(i, i) + at(j, j) - at(i, j) - at(j, i)));
      line_line.see(between);
      if (!seen.earthed) {
        both.see(between);
        earth.see(0.0);
        continue;
      }
      Eigen::Matrix2cd pair;
      pair << at(i, i), at(i, j), at(j, i), at(j, j);
      const Eigen::Vector2cd current = pair.inverse() * Eigen::Vector2cd(emf[i], emf[j]);
      both.see(extreme == Extreme::greatest ? current.cwiseAbs().maxCoeff() : current.cwiseAbs().minCoeff());
      earth.see(std::abs(current.sum()));
    }
  }
  out.line_line = line_line.value();
  out.line_line_ground = both.value();
  out.earth = earth.value();
  out.line_ground = line_ground.value();
  out.line_neutral = line_neutral.value();
  return out;
}

SequenceImpedances sequenceImpedances(const BusImpedance& seen) {
  SequenceImpedances out{};
  for (int i = 0; i < static_cast<int>(kPhases); ++i)
    for (int j = 0; j < static_cast<int>(kPhases); ++j) {
      out.positive += turn(i - j) * seen.impedance(i, j) / static_cast<double>(kPhases);
      out.zero += seen.impedance(i, j) / static_cast<double>(kPhases);
    }
  return out;
}

double peakOverInitial(Complex z) {
  // kappa = 1.02 + 0.98 exp(-3 R/X) of IEC 60909-0, R/X at the frequency of the network.
  constexpr double kConstant = 1.02, kDecaying = 0.98, kDecay = 3.0;
  const double ratio = z.real() / z.imag() * kEquivalentFrequency;
  return std::numbers::sqrt2 * (kConstant + kDecaying * std::exp(-kDecay * ratio));
}

}  // namespace podtwin
