// Trip curves of standards and of usual devices: relays, miniature and moulded-case breakers, electronic trip units,
// fuses. Equations, how the edges are derived, and sources: docs/theory/protection.md.
//
// What a standard fixes is a band; a device lies somewhere in it. Currents in A, times in s. "Recalled" marks a figure
// written down from memory of its standard or catalogue, to be verified against it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/components/power/trip_curve.hpp"

namespace podtwin {

// ---- Relays: IEC 60255-151 and IEEE C37.112 ----

struct RelayCurve {
  std::string_view name;
  double k, a, c;                     ///< s, 1, s: t = multiplier (k/(M^a - 1) + c)
  double reset_time, reset_exponent;  ///< s, 1: t_r = multiplier reset_time/(1 - M^exponent)
  std::string_view source;
};
/// Standard, very, extremely, long-time and short-time inverse (IEC), moderately, very and extremely inverse (IEEE).
std::span<const RelayCurve> relayCurves();
/// Throws Error that lists the names.
const RelayCurve& relayCurve(std::string_view name);

/// What a relay may be off by. Estimates in the range of makers' data sheets.
struct RelayTolerance {
  double pickup = 0.03;  ///< share
  double time = 0.05;    ///< share
  double added = 0.03;   ///< s
};
enum class RelayReset { instantaneous, definite, inverse };
/// `reset_time` [s] is that of a definite reset; an inverse one has the curve's own.
TimedElement relayElement(const RelayCurve& curve, double pickup, double multiplier,
                          RelayReset reset = RelayReset::instantaneous, double reset_time = 0.0,
                          const RelayTolerance& tolerance = {});
/// Trips a fixed time after its pickup: instantaneous, short-time, earth-fault elements.
TimedElement definiteElement(std::string name, Band pickup, Band time, Watched watched = Watched::phase);

/// Overcurrent relay of a breaker; a pickup of 0 leaves the element out. Elements in the order inverse, instantaneous,
/// ground.
struct RelaySettings {
  std::string_view curve;
  double pickup = 0.0;      ///< A
  double multiplier = 1.0;  ///< 1
  RelayReset reset = RelayReset::instantaneous;
  double reset_time = 0.0;     ///< s, of a definite reset
  double instantaneous = 0.0;  ///< A
  double ground = 0.0;         ///< A, residual
  double ground_delay = 0.0;   ///< s
};
TripCurve relayBreaker(const RelaySettings& settings, Band breaking = Band::exactly(0.0));

// ---- Thermal and magnetic breakers: IEC 60898-1 and IEC 60947-2 ----

/// What bounds a thermal element: it does not trip at `non_trip` within the conventional time, trips at `trip` within
/// it, and trips in `reference_time` at the multiple `reference`; all from cold, multiples of the rated current.
struct ThermalBand {
  double non_trip = 0.0, trip = 0.0;
  double conventional_time = 0.0;  ///< s
  double reference = 0.0;
  Band reference_time{};   ///< s
  double hold = 0.0;       ///< multiple that it bears for `hold_time`, at its low edge too; 0: nothing said
  double hold_time = 0.0;  ///< s
};
/// The image whose low edge reaches its trip level at `non_trip` after just the conventional time, whose high edge does
/// so at `trip`, and whose middle lies at the geometric mean of currents and of reference times.
ThermalElement thermalElement(std::string name, double rated, const ThermalBand& band);
enum class MagneticType { B, C, D };
ThermalBand thermalBandIec60898(double rated, MagneticType type);
ThermalBand thermalBandIec60947(double rated);
Band magneticMultiples(MagneticType type);

/// From pickup to no current [s]: estimate. Current-limiting breakers clear within a half wave; the standard promises
/// no more than 0.1 s, which stands for the high edge where the worst device is meant.
inline constexpr Band kMagneticTime{0.005, 0.01, 0.02};
/// Elements: thermal, magnetic.
TripCurve miniatureBreaker(double rated, MagneticType type, Band magnetic_time = kMagneticTime);
/// `instantaneous` is the setting [A]; IEC 60947-2 lets it be off by a fifth.
TripCurve mouldedCaseBreaker(double rated, double instantaneous, Band magnetic_time = kMagneticTime);

// ---- Electronic trip units ----

/// Settings of an LSIG unit; a pickup of 0 leaves the element out. Elements in the order L, S, I, G.
struct TripUnit {
  double long_time = 0.0;         ///< A, Ir
  double long_time_delay = 0.0;   ///< s at 6 Ir
  double short_time = 0.0;        ///< A
  double short_time_delay = 0.0;  ///< s
  bool short_time_ramp = false;   ///< I2t up to 10 Ir
  double instantaneous = 0.0;     ///< A
  double ground = 0.0;            ///< A, residual
  double ground_delay = 0.0;      ///< s
  bool ground_ramp = false;       ///< I2t up to Ir
};
/// Opening and arc of an air or moulded-case breaker behind its unit [s]: estimate.
inline constexpr Band kBreakingTime{0.02, 0.03, 0.05};
TripCurve electronicBreaker(const TripUnit& unit, Band breaking = kBreakingTime);

// ---- Fuses: IEC 60269 ----

/// Gates of a gG fuse-link, A and A2s. Recalled; verify.
struct FuseGates {
  double rated;
  double least_10s, greatest_5s, least_01s, greatest_01s;
  double least_pre_arcing_i2t, greatest_operating_i2t;  ///< of the discrimination test, 4 ms at its current
};
std::span<const FuseGates> fuseGatesGg();
/// The edges are the gates. Throws Error that lists the ratings.
TripCurve fuseGg(double rated);
/// For short circuits only: below 4 In it is no protection.
TripCurve fuseAm(double rated);
/// A fuse by its maker's curve (ultrarapid, any other): `pre_arcing` is its middle, `tolerance` the share of current to
/// either side, `clearing_over_pre_arcing` the I2t to no current over that to melting.
TripCurve fuseOf(std::string name, const TimeCurrentPoints& pre_arcing, double tolerance,
                 double clearing_over_pre_arcing);

}  // namespace podtwin
