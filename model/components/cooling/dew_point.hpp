// The dew point of the air that a coil treats, and how far the coil is from making condensate.
#pragma once

#include <algorithm>
#include <string>

#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

/// Where the dew point of the air at a heat port is found: in its zone, else outdoors.
struct DewPoint {
  SignalAddress zone;
  std::size_t outdoors = 0;

  double at(const Evaluation& e) const {
    return zone.set != nullptr ? zone.set->signalOf(e, zone.signal, zone.instance) : e.z[outdoors];
  }
};

inline DewPoint dewPoint(const Binder& b, const InstanceDescription& d, const std::string& port) {
  return {b.system().findSignal(d.ports.at(port).at(0) + ".t_dew_point"), b.outdoorAir().dew_point};
}

/// Coldest coolant in the coil above the dew point [K]: no part of its surface is colder.
inline double dewPointMargin(const DewPoint& dew_point, const Evaluation& e, double in, double out) {
  return std::min(in, out) - dew_point.at(e);
}

inline constexpr LimitInfo kDewPointLimit{
    "dew_point_margin",
    false,
    0.0,
    60.0,
    "alarm",
    "the coil makes condensate, which is not modelled: its heat is sensible only; 60 s is an estimate"};

}  // namespace podtwin
