// Oil and winding of a transformer after IEC 60076-7, driven by its load: top oil, hot spot, ageing. Equations:
// transformer.md. An indicator beside the heat balance: the loss leaves the transformer as it arises.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>

#include "model/base/dual.hpp"
#include "model/system/binder.hpp"
#include "model/system/class_info.hpp"

namespace podtwin {

namespace iec_60076_7 {
constexpr double kZeroCelsius = 273.15;  // K
// Relative ageing of the paper: 1 at its rated hot spot. Of normal paper it doubles each 6 K; that of upgraded paper is
// an Arrhenius law, in which the standard counts kelvin from -273 degC.
constexpr double kNormalHotSpot = 98.0;     // degC
constexpr double kDoubling = 6.0;           // K
constexpr double kUpgradedHotSpot = 110.0;  // degC
constexpr double kActivation = 15000.0;     // K
constexpr double kArrheniusZero = 273.0;    // K
constexpr double kHottestAgeing =
    250.0;  // degC; beyond it the rate is held: the paper is gone within the hour. estimate
constexpr double kHotSpotNormal = 393.15;     // K, 120 degC
constexpr double kHotSpotEmergency = 413.15;  // K, 140 degC
constexpr double kTopOilNormal = 378.15;      // K, 105 degC
}  // namespace iec_60076_7

// Recommended constants of a distribution transformer with natural circulation of oil and air (ONAN).
inline constexpr std::string_view kThermalSource = "IEC 60076-7 (IEC 60354 table 2): distribution transformer, ONAN";
inline constexpr ParameterInfo kThermalParameters[] = {
    {.name = "thermal_model",
     .kind = ParameterKind::choice,
     .meaning = "Temperatures of oil and winding: none, or by the loading guide for oil-immersed transformers.",
     .source = "none: whether it is oil-immersed is for the pod to say",
     .choices = "none|iec_60076_7"},
    {.name = "rated_top_oil_rise",
     .quantity = Quantity::temperature_difference,
     .fallback = 55.0,
     .low = 1.0,
     .high = 200.0,
     .meaning = "Steady rise of top oil over its surroundings at rating.",
     .source = kThermalSource},
    {.name = "hot_spot_gradient",
     .quantity = Quantity::temperature_difference,
     .fallback = 21.0,
     .low = 0.0,
     .high = 200.0,
     .meaning = "Average winding over average oil at rating, the standard's g.",
     .source = "IEC 60354 table 2: average winding 65 K, average oil 44 K, distribution transformer, ONAN"},
    {.name = "hot_spot_factor",
     .quantity = Quantity::ratio,
     .fallback = 1.1,
     .low = 0.5,
     .high = 5.0,
     .meaning = "Hot spot over top oil, as a multiple of the gradient, the standard's H.",
     .source = kThermalSource},
    {.name = "loss_ratio",
     .quantity = Quantity::ratio,
     .fallback = 5.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Load loss at rating over no-load loss, the standard's R.",
     .source = kThermalSource},
    {.name = "oil_exponent",
     .quantity = Quantity::ratio,
     .fallback = 0.8,
     .low = 0.1,
     .high = 2.0,
     .meaning = "Exponent of total loss in the oil's rise, the standard's x.",
     .source = kThermalSource},
    {.name = "winding_exponent",
     .quantity = Quantity::ratio,
     .fallback = 1.6,
     .low = 0.1,
     .high = 4.0,
     .meaning = "Exponent of load in the winding's rise over oil, the standard's y.",
     .source = kThermalSource},
    {.name = "oil_time_constant",
     .quantity = Quantity::time,
     .fallback = 10800.0,
     .low = 1.0,
     .high = 1e6,
     .meaning = "Average oil time constant, the standard's tau_o.",
     .source = kThermalSource},
    {.name = "winding_time_constant",
     .quantity = Quantity::time,
     .fallback = 240.0,
     .low = 1.0,
     .high = 1e5,
     .meaning = "Winding time constant, the standard's tau_w.",
     .source = kThermalSource},
    {.name = "k11",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.01,
     .high = 10.0,
     .meaning = "Thermal model constant of the oil's rise.",
     .source = kThermalSource},
    {.name = "k21",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 1.0,
     .high = 10.0,
     .meaning = "Thermal model constant of the hot spot: how far it overshoots.",
     .source = kThermalSource},
    {.name = "k22",
     .quantity = Quantity::ratio,
     .fallback = 2.0,
     .low = 0.01,
     .high = 10.0,
     .meaning = "Thermal model constant of the hot spot's time constants.",
     .source = kThermalSource},
    {.name = "paper",
     .kind = ParameterKind::choice,
     .meaning = "Insulation of the winding: how fast it ages.",
     .source = "IEC 60076-7: rated hot spot 98 degC of paper that is not thermally upgraded, 110 degC of upgraded",
     .choices = "non_upgraded|upgraded"},
    {.name = "initial_top_oil_temperature",
     .quantity = Quantity::temperature,
     .fallback = 0.0,
     .low = 0.0,
     .high = 600.0,
     .meaning = "Top oil at a cold start; 0 K: as the rest of the plant.",
     .source = "0: not stated"},
    {.name = "initial_hot_spot_rise",
     .quantity = Quantity::temperature_difference,
     .fallback = 0.0,
     .low = 0.0,
     .high = 300.0,
     .meaning = "Hot spot over top oil at a cold start, as after long at one load.",
     .source = "0: without load before"},
};
inline constexpr StateInfo kThermalStates[] = {
    {"t_oil", Quantity::temperature, 1.0, "Top oil [K]."},
    {"h1", Quantity::temperature_difference, 1.0, "Hot spot over top oil with oil that flows as it did [K]."},
    {"h2", Quantity::temperature_difference, 1.0, "What faster oil takes off that again [K]."},
    {"loss_of_life", Quantity::time, kUnbounded, "Life of the paper that is used up [s]."},
};
inline constexpr SignalInfo kThermalSignals[] = {
    {"t_top_oil", Quantity::temperature, SignalType::real, "Top oil; the surroundings without a thermal model."},
    {"t_hot_spot", Quantity::temperature, SignalType::real,
     "Hottest place of the winding; the surroundings without a thermal model."},
    {"ageing_rate", Quantity::ratio, SignalType::real, "Life used up a time at the hot spot's temperature."},
    {"loss_of_life", Quantity::time, SignalType::integral, "Life of the paper used up since the start."},
    {"overload_time_left", Quantity::time, SignalType::real,
     "Until its hot spot is at 140 degC at its present load, with a thermal model; 1e6 s: later or never."},
};
// The standard's table of limits beyond name plate, distribution transformers: normal cyclic loading, long-time
// emergency.
inline constexpr LimitInfo kThermalLimits[] = {
    {"t_hot_spot", true, iec_60076_7::kHotSpotNormal, 0.0, "alarm", "IEC 60076-7, normal cyclic loading: 120 degC"},
    {"t_hot_spot", true, iec_60076_7::kHotSpotEmergency, 0.0, "trip",
     "IEC 60076-7, long-time emergency loading: 140 degC, oil at the winding may gas"},
    {"t_top_oil", true, iec_60076_7::kTopOilNormal, 0.0, "alarm", "IEC 60076-7, normal cyclic loading: 105 degC"},
};

/// Thermal constants of one transformer, and its rates. Temperatures in K.
struct TransformerThermal {
  enum State : std::size_t { kOil, kH1, kH2, kLife, kStates };

  bool modelled = false, upgraded = false;
  double oil_rise = 0.0, winding_rise = 0.0;  // K at rating: top oil over surroundings, hot spot over top oil
  double loss_ratio = 0.0, x = 0.0, y = 0.0, k21 = 0.0;
  double tau_oil = 0.0, tau_h1 = 0.0, tau_h2 = 0.0;  // s
  double start_oil = 0.0, start_rise = 0.0;

  static TransformerThermal read(const InstanceDescription& d, Binder& b) {
    TransformerThermal p;
    p.modelled = d.text("thermal_model") == "iec_60076_7";
    if (!p.modelled && !d.parameters.at("thermal_model").given)
      for (const auto& info : kThermalParameters)
        if (const auto& given = d.parameters.at(std::string(info.name)); given.given)
          b.problems().error(given.where,
                             "'" + d.id + "' gives " + std::string(info.name) + " and has no thermal model",
                             "write `thermal_model: iec_60076_7`, or `none` if it shall have none");
    const double tau_o = d.number("oil_time_constant"), k22 = d.number("k22");
    p.upgraded = d.text("paper") == "upgraded";
    p.oil_rise = d.number("rated_top_oil_rise");
    p.winding_rise = d.number("hot_spot_factor") * d.number("hot_spot_gradient");
    p.loss_ratio = d.number("loss_ratio");
    p.x = d.number("oil_exponent");
    p.y = d.number("winding_exponent");
    p.k21 = d.number("k21");
    p.tau_oil = d.number("k11") * tau_o;
    p.tau_h1 = k22 * d.number("winding_time_constant");
    p.tau_h2 = tau_o / k22;
    p.start_oil = d.number("initial_top_oil_temperature");
    p.start_rise = d.number("initial_hot_spot_rise");
    return p;
  }

  /// Life used up a time at a hot spot [K].
  template <class S>
  S ageing(const S& hot_spot) const {
    using namespace iec_60076_7;
    using std::exp, std::min;
    const S celsius = min(hot_spot - kZeroCelsius, S(kHottestAgeing));
    if (upgraded)
      return exp(kActivation / (kUpgradedHotSpot + kArrheniusZero) - kActivation / (celsius + kArrheniusZero));
    return exp(std::numbers::ln2 / kDoubling * (celsius - kNormalHotSpot));
  }

  /// Rates [K/s, s/s] of the states in their order at a load over rating. Without supply the core loses nothing either.
  /// A search for the steady state takes all lags as `kSearch` and uses up no life.
  template <class S>
  std::array<S, kStates> rates(double load, bool energised, bool search, const S& surroundings, const S& oil,
                               const S& h1, const S& h2) const {
    constexpr double kSearch = 3.0;  // s; docs/decisions/0005
    if (!modelled) return {S(0.0), S(0.0), S(0.0), S(0.0)};
    const double loss = energised ? (1.0 + load * load * loss_ratio) / (1.0 + loss_ratio) : 0.0;  // of rated
    const double rise = oil_rise * std::pow(loss, x), gradient = winding_rise * std::pow(load, y);
    const auto lag = [&](double tau) { return search ? kSearch : tau; };
    return {(rise + surroundings - oil) / lag(tau_oil), (k21 * gradient - h1) / lag(tau_h1),
            ((k21 - 1.0) * gradient - h2) / lag(tau_h2), search ? S(0.0) : ageing(oil + h1 - h2)};
  }

  /// Hot spot [K] after a time [s] at a load over rating that stays, energised.
  double hotSpotAfter(double time, double load, double surroundings, double oil, double h1, double h2) const {
    const double loss = (1.0 + load * load * loss_ratio) / (1.0 + loss_ratio);
    const double gradient = winding_rise * std::pow(load, y);
    const auto towards = [time](double from, double to, double tau) {
      return to + (from - to) * std::exp(-time / tau);
    };
    return towards(oil, oil_rise * std::pow(loss, x) + surroundings, tau_oil) + towards(h1, k21 * gradient, tau_h1) -
           towards(h2, (k21 - 1.0) * gradient, tau_h2);
  }
  /// Time [s] until it is at the limit of emergency loading; kLongest: later or never.
  double timeToHotSpotLimit(double load, double surroundings, double oil, double h1, double h2) const {
    constexpr double kLongest = 1e6, kGrowth = 1.2;
    constexpr int kHalvings = 50;
    const auto hot = [&](double time) {
      return hotSpotAfter(time, load, surroundings, oil, h1, h2) >= iec_60076_7::kHotSpotEmergency;
    };
    if (hot(0.0)) return 0.0;
    double before = 0.0, after = 1.0;
    while (after < kLongest && !hot(after)) {
      before = after;
      after *= kGrowth;
    }
    if (after >= kLongest) return kLongest;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (before + after);
      (hot(middle) ? after : before) = middle;
    }
    return after;
  }
};

}  // namespace podtwin
