// Whether, of two devices in series, only the one nearer to a fault trips. Equations: docs/theory/protection.md.
//
// Both carry the fault; the upstream one may see it through a transformer and with other load besides. Selective at a
// current is: the downstream device's clearing time (at its high edge) is no longer than the upstream device's trip
// time (at its low edge), less a margin. Both begin cold. Let-through energy below a half wave is compared as it stands
// in the curves, as virtual time; tests of makers on pairs of current-limiting devices go beyond that.
#pragma once

#include "model/components/power/trip_curve.hpp"

namespace podtwin {

enum class FaultPath { phases, earth };  ///< an earth fault is the residual current of both devices too

struct SelectivityCase {
  double prospective = 0.0;  ///< A, greatest current of a fault behind the downstream device
  double least = 0.0;        ///< A, from which on currents are looked at: those of overloads can be left out
  FaultPath path = FaultPath::phases;
  double upstream_share = 1.0;       ///< current upstream over downstream: turns ratio of a transformer between them
  double upstream_other_load = 0.0;  ///< A that the upstream device carries besides
  double margin = 0.0;               ///< s
  Edge downstream_edge = Edge::high, upstream_edge = Edge::low;  ///< any two devices; middle: usual ones
};

struct Selectivity {
  bool full = false;        ///< up to the prospective current
  double up_to = 0.0;       ///< A downstream: every current from the least one up to this one is selective; 0: none is
  double fails_at = 0.0;    ///< A, first current found that is not, within 1e-12 of up_to; 0 when full
  double downstream = 0.0;  ///< s to no current there
  double upstream = 0.0;    ///< s to the decision there
};
Selectivity selectivity(const TripCurve& downstream, const TripCurve& upstream, const SelectivityCase& at);

}  // namespace podtwin
