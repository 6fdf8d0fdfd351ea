// The chips' own protection. Equations: rack.md.
#include "model/components/it/rack.hpp"

#include <algorithm>

namespace podtwin {

template <class F>
void RackSet::protect(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences, std::size_t rack,
                      const RackPartSet& part, ProtectionPlace at, std::size_t first, std::size_t count,
                      const Protection& protection, const char* name, const char* with_it, const F& shut) const {
  std::size_t throttled = 0, released = 0, down = 0;
  const double* const t_die = e.y.data() + part.interior(0, 0);
  for (std::size_t i = first; i < first + count; ++i) {
    const double t = t_die[i];
    double& throttle = part.z(state, at.throttled, i);
    if (e.steady_search) {
      // On and off has no steady state; the share of time for which its mean is in the middle of the hysteresis has.
      const double middle = 0.5 * (protection.t_throttle + protection.t_release);
      if (throttle > 0.0 || t > protection.t_throttle)
        throttle = std::clamp(throttle + kSearchGain * (t - middle), 0.0, 1.0);
      if (throttle < 1.0) continue;
    } else if (throttle == 0.0 && t > protection.t_throttle) {
      throttle = 1.0;
      ++throttled;
    } else if (throttle != 0.0 && t < protection.t_release) {
      throttle = 0.0;
      if (part.z(state, at.shut_down, i) == 0.0) ++released;  // what is off has not recovered, it has cooled
    }
    double& off = part.z(state, at.shut_down, i);
    if (off != 0.0 || !(t > protection.t_shutdown)) continue;
    off = 1.0;
    ++down;
    shut(i);
  }
  const auto tell = [&](std::size_t number, const std::string& what, const char* cause) {
    if (number > 0)
      occurrences.push_back({ids()[rack], "protection", cause, std::to_string(number) + " " + name + " " + what});
  };
  tell(throttled, "throttled", "junction above throttle temperature");
  tell(released, "recovered from throttling", "junction below release temperature");
  tell(down, std::string("shut down") + with_it, "junction above shutdown temperature");
}

// The chips' own protection: throttle with hysteresis, shutdown until restored.
void RackSet::sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const {
  const auto alone = [](std::size_t) {};
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    sampleShelves(e, state, r, occurrences);
    protect(e, state, occurrences, r, *gpu_, kGpuPlace, k.first_gpu, k.gpu_count, k.gpu_protection, "GPU(s)", "",
            alone);
    // GPUs without their host are off with it.
    protect(e, state, occurrences, r, *cpu_, kChipPlace, k.first_tray, k.tray_count, k.cpu_protection, "tray CPU(s)",
            ", the GPUs of their trays with them", [&](std::size_t tray) {
              const std::size_t first = k.first_gpu + (tray - k.first_tray) * k.gpus_per_tray;
              for (std::size_t g = first; g < first + k.gpus_per_tray; ++g) gpu_->z(state, kShutDown, g) = 1.0;
            });
    if (switch_ != nullptr)
      protect(e, state, occurrences, r, *switch_, kChipPlace, k.first_switch, k.switch_count, k.switch_protection,
              "NVLink tray(s)", "", alone);
  }
}

// Of the chips of a rack that a search found throttled for a share of the time, as many are throttled at the start.
void RackSet::endSteadySearch(State& state) const {
  const auto settle = [&](const RackPartSet& part, std::size_t throttled, std::size_t first, std::size_t count) {
    double owed = 0.0;
    for (std::size_t i = first; i < first + count; ++i) {
      double& throttle = part.z(state, throttled, i);
      owed += throttle;
      throttle = owed >= 0.5 ? 1.0 : 0.0;
      owed -= throttle;
    }
  };
  for (const Rack& k : racks_) {
    settle(*gpu_, kThrottled, k.first_gpu, k.gpu_count);
    settle(*cpu_, kChipThrottled, k.first_tray, k.tray_count);
    if (switch_ != nullptr) settle(*switch_, kChipThrottled, k.first_switch, k.switch_count);
  }
}

}  // namespace podtwin
