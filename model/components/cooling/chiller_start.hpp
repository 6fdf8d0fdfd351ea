// Start sequence of a chiller: what has to pass before its first compressor runs. Equations: chiller.md.
#pragma once

#include <string_view>

namespace podtwin {

enum class ChillerState { off = 0, booting = 1, flow_proof = 2, start_delay = 3, running = 4, cycled_off = 5 };

/// Times [s] of the sequence.
struct ChillerStartRules {
  double boot, restart;  ///< of the controller; from it to the first compressor
  double flow_proof;     ///< flow must have stood this long
  double flow_loss;      ///< flow may be missing this long while it runs
  double coast_down;     ///< after a stop, before a start
  double minimum_off;    ///< likewise, also between cycles
  double stagger;        ///< later than the lead
  bool fast;             ///< after a loss of supply, trip or flow neither coast-down nor minimum_off counts
};

/// What a chiller sees of its plant at a sample.
struct ChillerInputs {
  double t;          ///< s
  bool available;    ///< in service, not tripped, supplied
  bool controlled;   ///< its controller is supplied, by a supply of its own where `own_control`
  bool own_control;  ///< stated: the controller's supply is not that of the compressors
  bool flow;         ///< through evaporator and condenser
  bool rest, call;   ///< too little load to run on; load enough to start again
  bool at_once;      ///< of a steady search: nothing waits
};

/// Held values of one chiller; times [s], kChillerNever where there is none.
struct ChillerMemory {
  double &state, &booted_at, &available_since, &proven_since, &lost_since, &stopped_at;
  ChillerState now() const { return static_cast<ChillerState>(static_cast<int>(state)); }
};
inline constexpr double kChillerNever = -1.0;

/// A change worth an event; empty when there is none.
struct ChillerNews {
  std::string_view actor, cause, text;
};

ChillerNews advanceChiller(const ChillerStartRules& rules, const ChillerInputs& in, const ChillerMemory& memory);

/// Least time [s] to the first compressor if all that is missing came back now; 0 while one runs.
double timeToStart(const ChillerStartRules& rules, const ChillerInputs& in, const ChillerMemory& memory);

/// Clocks that ran ahead during a steady search stand at `t` again.
void endChillerSearch(double t, const ChillerMemory& memory);

}  // namespace podtwin
