#include "model/components/cooling/drive_supply.hpp"

namespace podtwin {

namespace {

constexpr double kTolerance = 1e-9;  // s

struct Held {
  double &dead_since, &undervoltage, &restart_at, &tripped;
};

Held held(const DriveSupply& drive, const ComponentSet& set, std::size_t i, State& s) {
  return {set.z(s, drive.first, i), set.z(s, drive.first + 1, i), set.z(s, drive.first + 2, i), set.z(s, kTripped, i)};
}

bool watched(const DriveSupply& drive, const ComponentSet& set, std::size_t i, const Evaluation& e) {
  return drive.trip_after > 0.0 && set.supply_bus[i] >= 0 && !e.steady_search;
}

void say(const ComponentSet& set, std::size_t i, State& s, std::vector<Occurrence>& events, const char* cause,
         const char* text) {
  ++s.topology;
  events.push_back({set.ids()[i], set.ids()[i], cause, text});
}

}  // namespace

DriveSupply driveSupply(const InstanceDescription& d, std::size_t first_discrete, bool own_delay) {
  return {.trip_after = d.number("undervoltage_trip"),
          .restart_delay = own_delay ? 0.0 : d.number("restart_delay"),
          .restarts = d.text("restart") == "automatic",
          .first = first_discrete};
}

void watchSupply(const DriveSupply& drive, const ComponentSet& set, std::size_t i, const Evaluation& e, State& s,
                 std::vector<Occurrence>& events) {
  if (!watched(drive, set, i, e)) return;
  const Held h = held(drive, set, i, s);
  const bool dead = e.energised[static_cast<std::size_t>(set.supply_bus[i])] == 0;
  if (h.undervoltage != 0.0 && h.tripped == 0.0) h.undervoltage = 0.0;  // restored by hand
  if (dead && h.dead_since == kSupplied) h.dead_since = e.t;
  if (h.dead_since != kSupplied && h.tripped == 0.0 && e.t - h.dead_since > drive.trip_after + kTolerance) {
    h.undervoltage = h.tripped = 1.0;
    say(set, i, s, events, "under-voltage", "drive trip");
  }
  if (dead) return;
  if (h.dead_since != kSupplied) h.restart_at = e.t + drive.restart_delay;
  h.dead_since = kSupplied;
}

void sampleSupply(const DriveSupply& drive, const ComponentSet& set, std::size_t i, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
  watchSupply(drive, set, i, e, s, events);
  if (!watched(drive, set, i, e)) return;
  const Held h = held(drive, set, i, s);
  if (h.dead_since != kSupplied || h.undervoltage == 0.0 || !drive.restarts || e.t < h.restart_at - kTolerance) return;
  h.undervoltage = h.tripped = 0.0;
  say(set, i, s, events, "supply is back", "drive restart");
}

}  // namespace podtwin
