#include "model/system/fault_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "model/base/diagnostics.hpp"
#include "model/network/phasor_elements.hpp"

namespace podtwin {

namespace {

constexpr double kLowVoltage = 1000.0;  // V; IEC 60909-0 table 1
// Of conductors at 80 degC at the end of the fault over that at 20 degC: 1 + 0.004 (80 - 20), IEC 60909-0 equation 32;
// the temperature is an estimate.
constexpr double kHotConductor = 1.24;
constexpr double kLeastShare = 1e-9;  // of the current at a bus; a source with less does not feed it

struct VoltageFactors {
  double greatest, least;
};

/// IEC 60909-0 table 1.
VoltageFactors factorsOf(double nominal, FaultMethod method) {
  if (method == FaultMethod::nominal) return {1.0, 1.0};
  if (nominal > kLowVoltage) return {1.10, 1.00};
  return method == FaultMethod::iec_60909 ? VoltageFactors{1.10, 0.90} : VoltageFactors{1.05, 0.95};
}

/// K_T of IEC 60909-0 section 6.3.3.
double transformerCorrection(double reactance, double factor) { return 0.95 * factor / (1.0 + 0.6 * reactance); }

/// The network of one study: what is closed, as impedances in series.
class StudyNetwork {
 public:
  StudyNetwork(const ElectricalNetwork& electrical, const Evaluation& e, FaultMethod method, Extreme extreme,
               double frequency_share)
      : electrical_(electrical), method_(method), extreme_(extreme), share_(frequency_share) {
    const PhasorNetwork& network = electrical.network();
    voltage_.assign(network.nodes().size(), 0.0);
    for (const auto b : electrical.phasedBuses())
      for (std::size_t k = 0; k < kConductors; ++k) voltage_[electrical.conductor(b, k)] = electrical.nominalVoltage(b);
    PhasorConnection connection = e.phasor.connection;
    std::vector<PhasorElement> elements = network.elements();
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (elements[k].fault_form.empty() || elements[k].is_fault)
        connection.closed[k] = 0;
      else
        elements[k].admittance = admittance(elements[k]);
    }
    std::vector<PhasorSource> sources = network.sources();
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const Complex z = impedance(sources[k]);
      if (z == Complex{}) connection.on[k] = 0;
      sources[k].impedance = z == Complex{} ? Complex(1.0) : z;  // of one that is off it does not matter
    }
    network_ = std::make_unique<PhasorNetwork>(network.nodes(), std::move(elements), std::vector<PhasorLoad>{},
                                               std::move(sources));
    impedances_ = std::make_unique<NetworkImpedances>(*network_, network_->connect(std::move(connection)));
  }

  /// Voltages of all nodes by currents into the conductors of a bus that are live; what is seen there in `seen`.
  Eigen::MatrixXcd look(std::size_t bus, BusImpedance& seen) const {
    Eigen::MatrixXcd all = Eigen::MatrixXcd::Zero(static_cast<Eigen::Index>(voltage_.size()), kConductors);
    for (std::size_t k = 0; k < kConductors; ++k) {
      const std::size_t node = electrical_.conductor(bus, k);
      if (!topology().live(node)) continue;
      seen.live[k] = true;
      if (k + 1 < kConductors) seen.earthed = !topology().adrift(node);
      // Conductors that nothing couples are of parts of their own: no voltage there.
      all.col(static_cast<Eigen::Index>(k)) = impedances_->from(std::span(&node, 1));
    }
    for (std::size_t r = 0; r < kConductors; ++r)
      seen.impedance.row(static_cast<Eigen::Index>(r)) =
          all.row(static_cast<Eigen::Index>(electrical_.conductor(bus, r)));
    return all;
  }

  bool anyPhase(const BusImpedance& seen) const { return seen.live[0] || seen.live[1] || seen.live[2]; }
  const PhasorTopology& topology() const { return impedances_->topology(); }
  const PhasorNetwork& network() const { return *network_; }
  double voltage(std::size_t node) const { return voltage_[node]; }

 private:
  double factor(double nominal) const {
    const VoltageFactors c = factorsOf(nominal, method_);
    return extreme_ == Extreme::greatest ? c.greatest : c.least;
  }

  Eigen::MatrixXcd admittance(const PhasorElement& element) const {
    const FaultForm& form = element.fault_form;
    double correction = 1.0, resistance = 1.0;
    if (method_ != FaultMethod::nominal) {
      if (form.conductor && extreme_ == Extreme::least) resistance = kHotConductor;
      if (form.transformer_reactance > 0.0) {
        double lower = std::numeric_limits<double>::infinity();
        for (const auto node : element.terminals)
          if (voltage_[node] > 0.0) lower = std::min(lower, voltage_[node]);
        correction = transformerCorrection(form.transformer_reactance, factorsOf(lower, method_).greatest);
      }
    }
    return faultAdmittance(form, share_, resistance, correction);
  }

  /// At the share of the frequency; 0 of a source that is none behind an impedance.
  Complex impedance(const PhasorSource& source) const {
    const Infeed& infeed = source.infeed;
    const double nominal = voltage_[source.to];
    Complex z{};
    if (infeed.kind == Infeed::Kind::feeder) {
      z = factor(nominal) * (extreme_ == Extreme::greatest ? infeed.impedance : infeed.highest_impedance);
    } else if (infeed.kind == Infeed::Kind::machine) {
      // K_G of IEC 60909-0 section 6.6.1.
      const double correction = method_ == FaultMethod::nominal
                                    ? 1.0
                                    : nominal / infeed.rated_voltage * factorsOf(nominal, method_).greatest /
                                          (1.0 + infeed.reactance * infeed.sine);
      z = correction * infeed.impedance;
    }
    return {z.real(), z.imag() * share_};
  }

  const ElectricalNetwork& electrical_;
  FaultMethod method_;
  Extreme extreme_;
  double share_;
  std::vector<double> voltage_;  // [node] V between phases, nominal; 0 of one that is not a bus's
  std::unique_ptr<PhasorNetwork> network_;
  std::unique_ptr<NetworkImpedances> impedances_;
};

/// Of a converter, at the bus of the fault: each drives its limit.
double limitOf(const PhasorSource& source, Extreme extreme) {
  return extreme == Extreme::greatest ? source.infeed.greatest_current : source.infeed.least_current;
}

void refuseInfinite(const System& system, const Evaluation& e) {
  const auto& sources = system.electrical().network().sources();
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (e.phasor.topology->connection().on[k] == 0 || sources[k].infeed.kind != Infeed::Kind::infinite) continue;
    const auto [set, i] = system.find(sources[k].name);
    throw InputError(
        set == nullptr ? SourceMark{system.plant().file, 0, 0} : set->description(i).where,
        "'" + sources[k].name + "' holds its voltage whatever is drawn: the current of a fault behind it has no end",
        "give it a short_circuit_power; with `holds_voltage: true` the power flow stays as it is");
  }
}

/// Currents of converters at a bus, added to those of what stands behind impedances: as IEC 60909-0 adds them to the
/// three-phase current, and as an upper bound to the others.
void addConverters(FaultLevel& level, const ElectricalNetwork& electrical, std::size_t bus, const Evaluation& e,
                   const Eigen::MatrixXcd& voltages, bool behind_impedance, std::map<std::string, double>& by_source) {
  const auto& sources = electrical.network().sources();
  const std::size_t phase = electrical.conductor(bus, 0);
  const PhasorTopology& topology = *e.phasor.topology;
  if (!topology.live(phase)) return;
  const bool earthed = !topology.adrift(phase), neutral = topology.live(electrical.conductor(bus, kConductors - 1));
  std::set<std::string> seen;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const PhasorSource& source = sources[k];
    if (topology.connection().on[k] == 0 || source.infeed.kind != Infeed::Kind::limited ||
        topology.partOf(source.to) != topology.partOf(phase) || !seen.insert(source.name).second)
      continue;
    double ratio = 1.0;  // of the current at the fault over that of the converter
    if (behind_impedance) {
      // Z_ij / Z_ii of the positive sequence.
      Complex transfer{}, own{};
      const Complex turn = std::polar(1.0, 2.0 * std::numbers::pi / 3.0);
      const Complex weight[] = {1.0, std::conj(turn), turn};
      for (Eigen::Index c = 0; c < 3; ++c) {
        transfer += weight[c] * voltages(static_cast<Eigen::Index>(source.to), c);
        own += weight[c] * voltages(static_cast<Eigen::Index>(phase), c);
      }
      ratio = std::abs(transfer / own);
    } else {
      for (const auto b : electrical.phasedBuses())
        for (std::size_t c = 0; c + 1 < kConductors; ++c)
          if (electrical.conductor(b, c) == source.to) ratio = electrical.nominalVoltage(b) / level.nominal_voltage;
    }
    for (const Extreme extreme : {Extreme::greatest, Extreme::least}) {
      const double current = ratio * limitOf(source, extreme);
      FaultCurrents& to = extreme == Extreme::greatest ? level.greatest : level.least;
      to.three_phase += current;
      to.line_line += current;
      to.line_line_ground += current;
      if (earthed) to.line_ground += current;
      if (earthed) to.earth += current;
      if (neutral) to.line_neutral += current;
      if (extreme == Extreme::greatest) {
        level.peak += std::numbers::sqrt2 * current;
        by_source[source.name] += current;
      }
    }
  }
}

}  // namespace

FaultStudy faultLevels(const System& system, const Evaluation& e, FaultMethod method) {
  FaultStudy study;
  const ElectricalNetwork& electrical = system.electrical();
  for (std::size_t b = 0; b < system.buses().size(); ++b)
    if (e.energised[b] != 0 && !electrical.phased(b)) study.without_voltage.push_back(system.buses()[b].name);
  if (electrical.empty()) return study;
  refuseInfinite(system, e);
  std::set<std::string> unknown;
  for (std::size_t k = 0; k < electrical.network().sources().size(); ++k)
    if (const auto& source = electrical.network().sources()[k];
        e.phasor.topology->connection().on[k] != 0 && source.infeed.kind == Infeed::Kind::none)
      unknown.insert(source.name);
  study.unknown_sources.assign(unknown.begin(), unknown.end());

  const StudyNetwork greatest(electrical, e, method, Extreme::greatest, 1.0),
      slower(electrical, e, method, Extreme::greatest, kEquivalentFrequency),
      least(electrical, e, method, Extreme::least, 1.0);
  for (const auto b : electrical.phasedBuses()) {
    if (e.energised[b] == 0) continue;
    FaultLevel level;
    level.bus = electrical.busName(b);
    level.nominal_voltage = electrical.nominalVoltage(b);
    const VoltageFactors c = factorsOf(level.nominal_voltage, method);
    level.factor_max = c.greatest;
    level.factor_min = c.least;
    BusImpedance seen, seen_slower, seen_least;
    const Eigen::MatrixXcd voltages = greatest.look(b, seen);
    const bool behind_impedance = greatest.anyPhase(seen);
    level.limited = !behind_impedance;
    std::map<std::string, double> by_source;
    if (behind_impedance) {
      slower.look(b, seen_slower);
      least.look(b, seen_least);
      const double phase = level.nominal_voltage / std::numbers::sqrt3;
      level.greatest = faultCurrents(seen, c.greatest * phase, Extreme::greatest);
      level.least = faultCurrents(seen_least, c.least * phase, Extreme::least);
      if (seen.live[0] && seen.live[1] && seen.live[2]) {
        const SequenceImpedances z = sequenceImpedances(seen);
        level.positive = z.positive;
        level.zero = seen.earthed ? z.zero : Complex{};
        level.reactance_over_resistance =
            z.positive.real() > 0.0 ? z.positive.imag() / z.positive.real() : std::numeric_limits<double>::infinity();
        level.peak = peakOverInitial(sequenceImpedances(seen_slower).positive) * level.greatest.three_phase;
        // A balanced current into the fault: what each source's impedance carries of it.
        const Complex turn = std::polar(1.0, 2.0 * std::numbers::pi / 3.0);
        const Eigen::VectorXcd sunk = voltages.col(0) + std::conj(turn) * voltages.col(1) + turn * voltages.col(2);
        const auto& sources = greatest.network().sources();
        std::map<std::string, double> most;
        for (std::size_t k = 0; k < sources.size(); ++k) {
          if (greatest.topology().connection().on[k] == 0) continue;
          Complex across = sunk(static_cast<Eigen::Index>(sources[k].to));
          if (sources[k].from != kEarth) across -= sunk(sources[k].from);
          const double share =
              std::abs(across / sources[k].impedance) * greatest.voltage(sources[k].to) / level.nominal_voltage;
          most[sources[k].name] = std::max(most[sources[k].name], share);  // of its phases
        }
        for (const auto& [name, share] : most)
          if (share > kLeastShare) by_source[name] += share * level.greatest.three_phase;
      }
    }
    addConverters(level, electrical, b, e, voltages, behind_impedance, by_source);
    for (const auto& [name, current] : by_source) level.infeeds.push_back({name, current});
    std::stable_sort(level.infeeds.begin(), level.infeeds.end(),
                     [](const FaultInfeed& x, const FaultInfeed& y) { return x.current > y.current; });
    study.levels.push_back(std::move(level));
  }
  return study;
}

}  // namespace podtwin
