// The under-voltage trip of a drive and its restart, for every class that has one. Equations: pump.md.
//
// A class lists kUndervoltageTrip, kRestartDelay and kRestartMode among its parameters and
// kDeadSinceInfo, kUndervoltageInfo, kRestartAtInfo, in this order, among its held values, keeps a DriveSupply an
// instance, and hands `sample` and `supplyChanged` on.
#pragma once

#include <vector>

#include "model/system/component_set.hpp"

namespace podtwin {

inline constexpr ParameterInfo kUndervoltageTrip{
    .name = "undervoltage_trip",
    .quantity = Quantity::time,
    .fallback = 0.0,
    .low = 0.0,
    .high = 3600.0,
    .meaning = "Loss of supply that trips the drive; a shorter one it rides through, coasting. 0: it never trips.",
    .source = "0: runs on when its supply returns; drives by SEMI F47 about 0.2 s, practice.md section 4"};
inline constexpr ParameterInfo kRestartDelay{
    .name = "restart_delay",
    .quantity = Quantity::time,
    .fallback = 5.0,
    .low = 0.0,
    .high = 3600.0,
    .meaning = "From the return of supply to the restart of a drive that tripped so, at the speed it then has.",
    .source = "engineering estimate: charging and self-test of a drive"};
inline constexpr ParameterInfo kRestartMode{.name = "restart",
                                            .kind = ParameterKind::choice,
                                            .fallback = 0.0,
                                            .meaning = "Whether it restarts by itself or waits for `restore`.",
                                            .source = "practice.md section 4: auto or manual",
                                            .choices = "automatic|manual"};

inline constexpr double kSupplied = -1.0;  // value of dead_since
inline constexpr DiscreteInfo kDeadSinceInfo{"dead_since", Quantity::time, kSupplied,
                                             "Time since which it has no supply [s]; -1: it has."};
inline constexpr DiscreteInfo kUndervoltageInfo{"undervoltage", Quantity::none, 0.0,
                                                "1: its drive tripped on the loss of supply."};
inline constexpr DiscreteInfo kRestartAtInfo{"restart_at", Quantity::time, 0.0, "Time of its restart [s]."};

struct DriveSupply {
  double trip_after = 0.0, restart_delay = 0.0;  ///< s
  bool restarts = true;
  std::size_t first = 0;  ///< index of dead_since among the held values; undervoltage and restart_at follow it
};

/// What the three parameters say. A class whose start has a delay of its own gives `own_delay`.
DriveSupply driveSupply(const InstanceDescription& d, std::size_t first_discrete, bool own_delay = false);

/// After every event that changes what is supplied: counts the time without supply and trips the drive.
void watchSupply(const DriveSupply& drive, const ComponentSet& set, std::size_t i, const Evaluation& e, State& s,
                 std::vector<Occurrence>& events);

/// At a sample: likewise, and restarts a drive whose supply is back for long enough, flying at the speed it has.
void sampleSupply(const DriveSupply& drive, const ComponentSet& set, std::size_t i, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events);

}  // namespace podtwin
