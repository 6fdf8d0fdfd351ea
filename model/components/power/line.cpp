// Cable or overhead line: series impedances of its conductors and their capacitances. Equations: line.md.
#include <Eigen/LU>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr double kLargest = 1.0;  // ohm/m; a wire of a tenth of a square millimetre has less
constexpr ParameterInfo kParameters[] = {
    {.name = "length", .quantity = Quantity::length, .low = 0.01, .high = 1e6, .meaning = "Length.", .source = ""},
    {.name = "conductors",
     .kind = ParameterKind::text,
     .meaning = "Those it has, in the order of its matrices: abc, abcn, ca, b, ...; left out: abc.",
     .source = "abc: a cable without neutral",
     .optional = true},
    {.name = "resistance",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::resistance_per_length,
     .low = -kLargest,
     .high = kLargest,
     .meaning =
         "Of each conductor: one value for all, or the lower triangle of the matrix row by row, [aa, ba, bb, ca, cb, "
         "cc, ...], with the mutual parts of the return path.",
     .source = ""},
    {.name = "reactance",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::resistance_per_length,
     .low = -kLargest,
     .high = kLargest,
     .meaning = "Likewise. One value is the positive sequence's: no coupling between phases.",
     .source = ""},
    {.name = "capacitance",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::capacitance_per_length,
     .low = -1e-6,
     .high = 1e-6,
     .meaning = "Of each conductor to earth: one value for all, or the lower triangle of the matrix; left out: none.",
     .source = "",
     .optional = true},
    {.name = "parallel",
     .kind = ParameterKind::integer,
     .fallback = 1.0,
     .low = 1.0,
     .high = 100.0,
     .meaning = "Equal lines side by side.",
     .source = "1: one"},
    {.name = "frequency",
     .quantity = Quantity::frequency,
     .fallback = 60.0,
     .low = 1.0,
     .high = 1000.0,
     .meaning = "At which its capacitances charge; reactances are given at it.",
     .source = "60 Hz: North America"},
    {.name = "ampacity",
     .quantity = Quantity::current,
     .fallback = 1e5,
     .low = 0.1,
     .high = 1e6,
     .meaning = "Rated current of a conductor, all parallel lines together.",
     .source = "1e5 A: not stated"},
};
constexpr SignalInfo kOwnSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"loading", Quantity::ratio, SignalType::real, "i_max over ampacity."},
    {"i_max", Quantity::current, SignalType::real, "Greatest current of a conductor at either end."},
};
constexpr auto kSignals = joined(kOwnSignals, kBranchSignals);
constexpr std::size_t kFirstBranchSignal = 4;
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Opened at both ends."},
                                     {"restore", "", Quantity::none, "Closed."}};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 60.0, "rating", "ampacity; 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "line",
                          .group = "line",
                          .title = "Cable or line",
                          .page = "power/line.md",
                          .symbol = "line",
                          .ports = kSameVoltagePorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::branch};

/// Matrix of n conductors from one value or a lower triangle; empty when nothing is given, with a problem when neither
/// fits.
Eigen::MatrixXd matrixOf(const InstanceDescription& d, const char* name, Eigen::Index n, Binder& b) {
  const auto& given = d.parameters.at(name);
  const auto& values = given.numbers;
  if (values.empty()) return {};
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  if (values.size() == 1) {
    m.diagonal().setConstant(values[0]);
    return m;
  }
  const auto wanted = static_cast<std::size_t>(n * (n + 1) / 2);
  if (values.size() != wanted) {
    b.problems().error(given.where,
                       "'" + d.id + "': " + name + " has " + std::to_string(values.size()) + " values for " +
                           std::to_string(n) + " conductors",
                       "give one value, or the lower triangle: " + std::to_string(wanted) + " values");
    return m;
  }
  std::size_t k = 0;
  for (Eigen::Index row = 0; row < n; ++row)
    for (Eigen::Index column = 0; column <= row; ++column) m(row, column) = m(column, row) = values[k++];
  return m;
}

struct Line {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : Branch {
    double ampacity;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Line>&, Binder& b) {
    Instance p{};
    p.ampacity = d.number("ampacity");
    const auto& named = d.parameters.at("conductors");
    const std::string conductors = named.text.empty() ? "abc" : named.text;
    const std::string letters = "abcn";
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < conductors.size(); ++k) {
      const auto place = letters.find(conductors[k]);
      if (place == std::string::npos || conductors.find(conductors[k]) != k) {
        b.problems().error(named.where, "'" + d.id + "' has the conductors '" + conductors + "'",
                           "write each of a, b, c and n once at most: abc, abcn, ca");
        return p;
      }
      places.push_back(place);
    }
    const auto n = static_cast<Eigen::Index>(places.size());
    const double length = d.number("length"), parallel = d.number("parallel");
    const Eigen::MatrixXd r = matrixOf(d, "resistance", n, b), x = matrixOf(d, "reactance", n, b),
                          c = matrixOf(d, "capacitance", n, b);
    if (r.size() == 0 || x.size() == 0) return p;  // the reader has told it
    if (!branches::isPhased(i, b)) {
      b.problems().error(d.where, "'" + d.id + "' joins buses without a nominal voltage",
                         "give one of them a nominal_voltage in `nodes:`, or a voltage at the source");
      return p;
    }
    Eigen::MatrixXcd z(n, n);
    z.real() = r * (length / parallel);
    z.imag() = x * (length / parallel);
    constexpr double kLeastDeterminant = 1e-12;  // of the diagonal's product: conductors that are one
    double diagonal = 1.0;
    for (Eigen::Index k = 0; k < n; ++k) diagonal *= std::abs(z(k, k));
    if (!(diagonal > 0.0) || !(std::abs(z.determinant()) > kLeastDeterminant * diagonal) ||
        Eigen::MatrixXd(z.real()).diagonal().minCoeff() < 0.0) {
      b.problems().error(d.where,
                         "'" + d.id + "' has no impedance along one of its conductors, or a negative resistance",
                         "give resistance and reactance whose matrix can be inverted; join buses by a breaker");
      return p;
    }
    Eigen::MatrixXcd shunt;
    if (c.size() > 0) {
      shunt = Eigen::MatrixXcd::Zero(n, n);
      shunt.imag() = c * (2.0 * std::numbers::pi * d.number("frequency") * length * parallel);
    }
    std::vector<std::size_t> begin, end;
    for (const auto k : places) {
      begin.push_back(b.conductor(b.bus(i, "from"), k));
      end.push_back(b.conductor(b.bus(i, "to"), k));
    }
    branches::bindElement(i, b, lineElement(d.id, begin, end, z, shunt), p);
    return p;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(branches::loss(p, e));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Line>&, const Evaluation& e) {
    if (k >= kFirstBranchSignal) return branchSignal(k - kFirstBranchSignal, p, e);
    switch (k) {
      case 0:
        return branches::delivered(p, e).real();
      case 1:
        return branches::loss(p, e);
      case 2:
        return branches::greatestCurrent(p, e) / p.ampacity;
      default:
        return branches::greatestCurrent(p, e);
    }
  }
};

}  // namespace

RegisteredClass lineClass() { return {&kInfo, makeKernelSetInto<Line, SetList>}; }

}  // namespace podtwin
