// Ramp, dynamic range and oscillation of a power, as a utility limits them. Equations: power_quality_meter.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/power/band_pass.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/power_quality_meter_info.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/metered.hpp"

namespace podtwin {

namespace {

using Info = PowerQualityMeterInfo;

constexpr double kNone = -1.0;           // s; of a moment that has not been
constexpr double kTimeTolerance = 1e-9;  // s

struct PowerQualityMeter {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, kColumns> columns, rows;
    SignalAddress power;
    std::array<double, Info::kRings> length{1.0, 1.0, 1.0};  ///< s, of the windows
    double band_low = 0.0, band_high = 1.0;
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<PowerQualityMeter>&, Binder& b) {
    Instance p{};
    p.length = {d.number("ramp_window"), d.number("range_window"), d.number("oscillation_window")};
    p.band_low = d.number("band_low");
    p.band_high = d.number("band_high");
    if (p.band_low >= p.band_high)
      b.problems().error(d.parameters.at("band_high").where,
                         "'" + d.id + "' has no band: band_low is not below band_high",
                         "give band_high above band_low");
    if (p.length[Info::kOscillationRing] * p.band_low < 1.0 - kTimeTolerance)
      b.problems().error(d.parameters.at("oscillation_window").where,
                         "'" + d.id + "' has an oscillation_window shorter than a period at band_low",
                         "make it at least 1/band_low, or band_low greater");
    p.power = b.signal(i, d.ports.at("measures").at(0));
    if (p.power.set != nullptr && p.power.set->info().signals[p.power.signal].quantity != Quantity::power)
      b.problems().error(d.port_marks.at("measures"),
                         "'" + d.id + "' measures '" + d.ports.at("measures").at(0) + "', which is no power",
                         "name a power, such as GRID.power");
    return p;
  }
  static auto reading(const KernelSet<PowerQualityMeter>& set, const Evaluation& e, std::size_t ring, std::size_t i) {
    return [&set, &e, ring, i](std::size_t k) { return set.z(e, Info::cell(ring, k), i); };
  }
  static double mean(std::size_t i, const Instance& p, const KernelSet<PowerQualityMeter>& set, const Evaluation& e) {
    return SlidingWindow(p.length[Info::kRangeRing]).mean(reading(set, e, Info::kRangeRing, i));
  }
  static bool measured(std::size_t i, const Instance& p, const KernelSet<PowerQualityMeter>& set, const Evaluation& e) {
    const double since = set.z(e, Info::kWindowSince, i);
    return since != kNone && set.z(e, Info::kSampledAt, i) - since >= p.length[Info::kOscillationRing] - kTimeTolerance;
  }
  static double oscillation(std::size_t i, const Instance& p, const KernelSet<PowerQualityMeter>& set,
                            const Evaluation& e) {
    if (!measured(i, p, set, e)) return 0.0;
    const SlidingWindow window(p.length[Info::kOscillationRing]);
    return std::sqrt(2.0 * window.mean(reading(set, e, Info::kOscillationRing, i)));
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<PowerQualityMeter>& set,
                       const Evaluation& e) {
    const auto share = [&](double value) {
      const double of = std::abs(mean(i, p, set, e));
      return of > 0.0 ? value / of : 0.0;
    };
    const auto ramp = [&] {
      return SlidingWindow(p.length[Info::kRampRing]).rate(reading(set, e, Info::kRampRing, i));
    };
    const auto range = [&] {
      return SlidingWindow(p.length[Info::kRangeRing]).range(reading(set, e, Info::kRangeRing, i));
    };
    switch (k) {
      case Info::kPower:
        return p.power.set->signalOf(e, p.power.signal, p.power.instance);
      case Info::kRamp:
        return ramp();
      case Info::kRampMagnitude:
        return std::abs(ramp());
      case Info::kRange:
        return range();
      case Info::kRangeShare:
        return share(range());
      case Info::kOscillation:
        return oscillation(i, p, set, e);
      case Info::kOscillationShare:
        return share(oscillation(i, p, set, e));
      default:
        return measured(i, p, set, e) ? 1.0 : 0.0;
    }
  }
};

class PowerQualityMeterSet final : public KernelSet<PowerQualityMeter>, public Metered {
 public:
  using KernelSet<PowerQualityMeter>::KernelSet;

  double longestPeriod(std::size_t i) const override { return 0.5 / instance(i).band_high; }
  double limitValue(std::size_t limit, std::size_t i) const override {
    const double value = KernelSet<PowerQualityMeter>::limitValue(limit, i);
    return value > 0.0 ? value : kUnbounded;
  }
  void measure(const Evaluation& e, State& s, double period) const override {
    for (std::size_t i = 0; i < size(); ++i) take(e, s, i, period);
  }

 private:
  auto writing(State& s, std::size_t ring, std::size_t i) const {
    return [this, &s, ring, i](std::size_t k) -> double& { return z(s, Info::cell(ring, k), i); };
  }
  void take(const Evaluation& e, State& s, std::size_t i, double period) const {
    const PowerQualityMeter::Instance& p = instance(i);
    const double now = p.power.set->signalOf(e, p.power.signal, p.power.instance);
    double &sampled_at = z(s, Info::kSampledAt, i), &last = z(s, Info::kLast, i);
    if (sampled_at != kNone && e.t <= sampled_at + kTimeTolerance) return;
    for (const auto ring : {Info::kRampRing, Info::kRangeRing}) {
      const SlidingWindow window(p.length[ring]);
      if (sampled_at == kNone)
        window.fill(e.t, now, writing(s, ring, i));
      else
        window.hold(sampled_at, e.t, last, writing(s, ring, i));
      window.touch(now, writing(s, ring, i));
    }
    filter(e, s, i, period, now);
    sampled_at = e.t;
    last = now;
  }
  void filter(const Evaluation& e, State& s, std::size_t i, double period, double now) const {
    const PowerQualityMeter::Instance& p = instance(i);
    double &since = z(s, Info::kWindowSince, i), &reference = z(s, Info::kReference, i), &band = z(s, Info::kBand, i);
    if (period == 0.0) {
      since = kNone;
      return;
    }
    const SlidingWindow window(p.length[Info::kOscillationRing]);
    const auto cell = writing(s, Info::kOscillationRing, i);
    SectionMemory high{z(s, Info::kHighPassFirst, i), z(s, Info::kHighPassSecond, i)},
        low{z(s, Info::kLowPassFirst, i), z(s, Info::kLowPassSecond, i)};
    if (since == kNone) {
      since = e.t;
      reference = z(s, Info::kSampledAt, i) == kNone ? now : z(s, Info::kLast, i);
      high = low = {};
      window.clear(e.t, cell);
    } else {
      window.hold(z(s, Info::kSampledAt, i), e.t, band * band, cell);
    }
    band = BandPass(p.band_low, p.band_high, period).pass(now - reference, high, low);
    z(s, Info::kHighPassFirst, i) = high.first;
    z(s, Info::kHighPassSecond, i) = high.second;
    z(s, Info::kLowPassFirst, i) = low.first;
    z(s, Info::kLowPassSecond, i) = low.second;
  }
};

}  // namespace

RegisteredClass powerQualityMeterClass() {
  return {&Info::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<PowerQualityMeterSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
