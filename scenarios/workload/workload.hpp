// What the IT equipment is asked to do, as a function of time.
//
// Every workload is constant after construction and random access in time: demand(t) depends on t alone, so that a
// run restarted from a checkpoint sees the values that an uninterrupted one sees, bit for bit. Random parts are drawn
// by hashing (seed, item, time step), never from a generator with a state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace podtwin::scenarios {

/// Times closer than this are the same instant [s]; covers the rounding of a clock that adds up steps.
inline constexpr double kSameInstant = 1e-6;

/// Which GPU sits in which tray, and which tray in which rack. Trays without a GPU are allowed.
struct ItInventory {
  std::vector<std::uint32_t> gpu_tray;   ///< [gpu] tray
  std::vector<std::uint32_t> tray_rack;  ///< [tray] rack
  std::size_t racks = 0;
  /// Throws Error when an index points nowhere.
  void check() const;
};

/// What the IT equipment is asked to do from a time on.
struct ItDemand {
  std::vector<double> gpu_utilisation;  ///< [gpu] share of the dynamic power range asked for [1], 0 to 1
  std::vector<double> rack_power;       ///< [rack] AC input to hold [W]; 0: follows utilisation
  double overload = 0.0;  ///< share of the work offered that the GPUs cannot take [1]; 0 where it is not made of work
};

/// Demand over time; times are seconds from the start of the simulation, not negative.
class Workload {
 public:
  virtual ~Workload() = default;
  /// The demand that holds from `time` until nextChange(time); sizes the vectors and fills everything.
  virtual void demand(double time, ItDemand& out) const = 0;
  /// The demand to hold from a time on for a span [s]: its mean where it changes within, what holds at `from` where it
  /// is made of levels that hold.
  virtual void meanDemand(double from, double /*span*/, ItDemand& out) const { demand(from, out); }
  /// The first time after `time` at which the demand changes [s]; `time` itself when it changes all the time, infinity
  /// when it stays.
  virtual double nextChange(double time) const = 0;
  /// Method, parameters and seed as text, for the scenario's record in a result file.
  virtual std::map<std::string, std::string> provenance() const = 0;
};

}  // namespace podtwin::scenarios
