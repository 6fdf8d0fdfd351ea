// The content of a volume that coolant leaves in the order it came: a profile of temperature over volume, linear in
// pieces and in order of entry. Piece k of the line has volume[k], and temperature[k] is that of its end on the side
// where coolant enters; the end where coolant leaves has `t_head`.
#pragma once

#include "model/system/state.hpp"

namespace podtwin::plug {

inline constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
inline constexpr double kStepShare =
    1.0 / 1000.0;                            // of the volume; inflow is put down in stretches no shorter than this
inline constexpr double kFrontHeight = 0.1;  // K; steep is more than this over a stretch of kStepShare, a front is ...
                                             // ... steep over more than this

/// Heat in the content over heat capacity a volume, relative to the reference temperature [m3 K].
double content(const DelayLine& line, double t_head);

/// Temperature `depth` [m3] behind the outlet.
double behindOutlet(const DelayLine& line, double t_head, double depth);

/// Temperature `depth` [m3] ahead of the inlet.
double aheadOfInlet(const DelayLine& line, double t_head, double depth);

/// Time [s] until one side of the next front leaves at `flow` [m3/s, negative: at the inlet]: where the profile changes
/// by more than kFrontHeight faster than by kFrontHeight over kStepShare of `volume` [m3], the content. Infinite when
/// none does within `horizon` [s].
double nextFront(const DelayLine& line, double t_head, double flow, double volume, double horizon);

/// What came in over a step.
struct Inflow {
  double volume;  ///< m3
  double heat;    ///< J
  double t_end;   ///< K, of its last bit; NaN: unknown
};

/// What was put down last, while further inflow may still be joined to it.
struct Stretch {
  double volume = 0.0;  ///< m3; 0: nothing may be joined
  double heat = 0.0;    ///< J
  double start = 0.0;   ///< K, where it starts
};

/// The vessel: its volume [m3] and the heat capacity of a volume of its coolant [J/(m3 K)].
struct Vessel {
  double volume, rho_cp;
};

/// Puts the inflow down behind the tail as two pieces that hold exactly its heat and go from `start` [K] to its last
/// bit's temperature: a ramp and a level where the mean lies between them, else a rise and a fall. `rho_cp` [J/(m3 K)].
void layDown(DelayLine& line, const Inflow& in, double start, double rho_cp);

/// The inflow enters at the tail, as much leaves at the head; returns what that held [m3 K].
double move(DelayLine& line, double& t_head, Stretch& open, const Inflow& in, const Vessel& vessel);

/// Turns the content around; returns the temperature at its new head.
double reverse(DelayLine& line, double t_head);

}  // namespace podtwin::plug
