#include "model/network/phasor_elements.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "model/base/diagnostics.hpp"

namespace podtwin {

PhasorElement lineElement(std::string name, const std::vector<std::size_t>& from, const std::vector<std::size_t>& to,
                          const Eigen::MatrixXcd& series, const Eigen::MatrixXcd& shunt) {
  const auto n = static_cast<Eigen::Index>(from.size());
  const Eigen::MatrixXcd y = series.inverse();
  PhasorElement element{
      .name = std::move(name), .terminals = from, .admittance = Eigen::MatrixXcd(2 * n, 2 * n), .joined = {}};
  element.terminals.insert(element.terminals.end(), to.begin(), to.end());
  element.admittance << y, -y, -y, y;
  if (shunt.size() > 0) {
    element.admittance.topLeftCorner(n, n) += 0.5 * shunt;
    element.admittance.bottomRightCorner(n, n) += 0.5 * shunt;
  }
  for (std::size_t k = 0; k < from.size(); ++k) element.joined.emplace_back(k, from.size() + k);
  element.fault_form.across.resize(n, 2 * n);
  element.fault_form.across << Eigen::MatrixXd::Identity(n, n), -Eigen::MatrixXd::Identity(n, n);
  element.fault_form.impedance = series;
  element.fault_form.conductor = true;
  return element;
}

PhasorElement impedanceElement(std::string name, std::size_t from, std::ptrdiff_t to, Complex impedance) {
  PhasorElement element{.name = std::move(name), .terminals = {from}, .admittance = {}, .joined = {}};
  element.fault_form.across = Eigen::MatrixXd::Ones(1, 1);
  if (to != kEarth) {
    element.terminals.push_back(static_cast<std::size_t>(to));
    element.joined = {{0, 1}};
    element.fault_form.across.conservativeResize(1, 2);
    element.fault_form.across(0, 1) = -1.0;
  }
  element.fault_form.impedance = Eigen::MatrixXcd::Constant(1, 1, impedance);
  element.admittance = faultAdmittance(element.fault_form, 1.0);
  return element;
}

Eigen::MatrixXcd faultAdmittance(const FaultForm& form, double frequency_share, double resistance_factor,
                                 double correction) {
  Eigen::MatrixXcd z = form.impedance;
  z.real() *= correction * resistance_factor;
  z.imag() *= correction * frequency_share;
  const Eigen::MatrixXcd across = form.across.cast<Complex>();
  Eigen::MatrixXcd y = across.transpose() * z.inverse() * across;
  if (form.rest.size() > 0) y += form.rest;
  return y;
}

namespace {

// Of the series admittance: every core takes some current, without which the voltage of a star point that is joined to
// nothing would be none. Real cores take ten thousand times as much.
constexpr double kLeastMagnetising = 1e-8;

/// Admittance of a pair between its windings' voltages: [first, second].
Eigen::Matrix2cd pairAdmittance(const WindingPair& pair, MagnetisingPlace place) {
  const double a = pair.ratio;
  const Complex stated = pair.magnetising * a * a;  // seen from the second winding
  const Complex m = stated != Complex{} ? stated : kLeastMagnetising / std::abs(pair.impedance);
  Eigen::Matrix2cd seen;  // both windings with the turns of the second
  if (place == MagnetisingPlace::ends) {
    const Complex y = 1.0 / pair.impedance;
    seen << y + 0.5 * m, -y, -y, y + 0.5 * m;
  } else {
    // A star of two halves of the impedance and the magnetising branch, its middle eliminated.
    const Complex half = 2.0 / pair.impedance, sum = 2.0 * half + m;
    seen << half - half * half / sum, -half * half / sum, -half * half / sum, half - half * half / sum;
  }
  seen(0, 0) /= a * a;
  seen(0, 1) /= a;
  seen(1, 0) /= a;
  return seen;
}

}  // namespace

PhasorElement windingsElement(std::string name, const std::vector<WindingPair>& pairs, MagnetisingPlace place) {
  std::map<std::ptrdiff_t, Eigen::Index> place_of;
  PhasorElement element{.name = std::move(name), .terminals = {}, .admittance = {}, .joined = {}};
  for (const auto& pair : pairs)
    for (const auto node : {pair.first_begin, pair.first_end, pair.second_begin, pair.second_end})
      if (node != kEarth && place_of.emplace(node, static_cast<Eigen::Index>(element.terminals.size())).second)
        element.terminals.push_back(static_cast<std::size_t>(node));
  const auto n = static_cast<Eigen::Index>(element.terminals.size());
  element.admittance = Eigen::MatrixXcd::Zero(n, n);
  const auto branches = static_cast<Eigen::Index>(pairs.size());
  FaultForm& form = element.fault_form;
  form.across = Eigen::MatrixXd::Zero(branches, n);
  form.impedance = Eigen::MatrixXcd::Zero(branches, branches);
  form.rest = Eigen::MatrixXcd::Zero(n, n);
  for (const auto& pair : pairs) {
    const Eigen::Matrix2cd y = pairAdmittance(pair, place);
    Eigen::MatrixXd across = Eigen::MatrixXd::Zero(2, n);  // voltages of the windings from those of the nodes
    const auto put = [&](int winding, std::ptrdiff_t begin, std::ptrdiff_t end) {
      if (begin != kEarth) across(winding, place_of[begin]) += 1.0;
      if (end != kEarth) across(winding, place_of[end]) -= 1.0;
      if (begin != kEarth && end != kEarth)
        element.joined.emplace_back(static_cast<std::size_t>(place_of[begin]), static_cast<std::size_t>(place_of[end]));
    };
    put(0, pair.first_begin, pair.first_end);
    put(1, pair.second_begin, pair.second_end);
    element.admittance += across.transpose().cast<Complex>() * y * across.cast<Complex>();
    const Eigen::Index branch = &pair - pairs.data();
    form.across.row(branch) = across.row(0) / pair.ratio - across.row(1);
    form.impedance(branch, branch) = pair.impedance;
    form.rest +=
        (kLeastMagnetising / std::abs(pair.impedance) * across.row(1).transpose() * across.row(1)).cast<Complex>();
  }
  return element;
}

VectorGroup vectorGroup(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    return Error("vector group '" + text + "': " + why + "; write as Dyn11, YNd1, YNyn0, Dd0");
  };
  std::size_t at = 0;
  const auto side = [&](char star, char delta, char neutral, bool& is_delta, bool& has_neutral) {
    if (at >= text.size() || (text[at] != star && text[at] != delta))
      throw refuse("a side is a star (Y, y) or a delta (D, d)");
    is_delta = text[at++] == delta;
    has_neutral = at < text.size() && text[at] == neutral;
    if (has_neutral) ++at;
    if (is_delta && has_neutral) throw refuse("a delta has no star point");
  };
  VectorGroup group{};
  side('Y', 'D', 'N', group.first_delta, group.first_neutral);
  side('y', 'd', 'n', group.second_delta, group.second_neutral);
  const std::string digits = text.substr(at);
  constexpr int kHours = 12;
  if (digits.empty() || digits.size() > 2 ||
      !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      std::stoi(digits) >= kHours)
    throw refuse("the hour is a number from 0 to 11");
  group.hour = std::stoi(digits);
  if ((group.hour % 2 == 1) != (group.first_delta != group.second_delta))
    throw refuse(group.first_delta == group.second_delta ? "sides of one kind are apart by even hours"
                                                         : "star and delta are apart by odd hours");
  return group;
}

// Windings of one leg have voltages in phase. With the first side's winding from a to b (delta) or a to its star point,
// and the second's likewise, star to star and delta to delta are at hour 0. From delta to star the second's phase is in
// phase with a-b, 30 degrees ahead of a: hour 11. From star to delta a-b of the second is in phase with a of the first:
// hour 1. A turn of the second's phases by one is 4 hours, the other sense of its windings 6.
PhasorElement transformerElement(std::string name, const ThreePhaseTransformer& data,
                                 const std::array<std::ptrdiff_t, 4>& first,
                                 const std::array<std::ptrdiff_t, 4>& second) {
  const VectorGroup& group = data.group;
  constexpr int kHours = 12, kTurn = 4, kReversed = 6, kPhases = 3;
  const int base = group.first_delta == group.second_delta ? 0 : group.first_delta ? 11 : 1;
  int turns = 0;
  bool reversed = false;
  for (int t = 0; t < kPhases; ++t)
    for (const bool r : {false, true})
      if ((base + kTurn * t + (r ? kReversed : 0)) % kHours == group.hour) {
        turns = t;
        reversed = r;
      }
  const double root3 = std::numbers::sqrt3;
  const double first_winding = group.first_delta ? data.first_voltage : data.first_voltage / root3;
  const double second_winding = group.second_delta ? data.second_voltage : data.second_voltage / root3;
  const double leg = data.power / kPhases;  // VA
  std::vector<WindingPair> pairs;
  for (int k = 0; k < kPhases; ++k) {
    const auto phase = [](int n) { return static_cast<std::size_t>(n % kPhases); };
    WindingPair pair{};
    pair.first_begin = first[phase(k)];
    pair.first_end = group.first_delta ? first[phase(k + 1)] : first[3];
    // Turning the second side by one phase: what is a there lies on the leg that b of the first side has ... behind by
    // 120 degrees, 4 hours.
    pair.second_begin = second[phase(k + kPhases - turns)];
    pair.second_end = group.second_delta ? second[phase(k + kPhases - turns + 1)] : second[3];
    if (reversed) std::swap(pair.second_begin, pair.second_end);
    pair.ratio = first_winding / second_winding;
    pair.impedance = data.impedance * second_winding * second_winding / leg;
    pair.magnetising = data.magnetising * leg / (first_winding * first_winding);
    pairs.push_back(pair);
  }
  PhasorElement element = windingsElement(std::move(name), pairs, data.place);
  element.fault_form.transformer_reactance = data.impedance.imag();
  return element;
}

}  // namespace podtwin
