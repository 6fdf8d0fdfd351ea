// A day of LLM requests on the pod: tokens to busy time to utilisation of every GPU.
//
// Day: a series of tokens over an hour is repeated; every repetition is shifted round the circle by a seeded offset
//   and its rate multiplied by `scale` and by the factor of the hour of day.
// Replica: the GPUs of one tray serve one copy of the model together (tensor parallel).
// Busy time: GPU-seconds per second asked for = context rate / prefill_rate + generated rate / decode_rate.
// Placement: spread gives every replica the same share; packed fills racks in order up to `full_load` and, when the
//   whole pod is full, spreads the rest.
// Dispersion: the share of a replica varies as the number N of requests in it would for Poisson arrivals (variance N,
//   N = arrivals over the residency time); the pod's total is kept. Knots every residency time, blended linearly and
//   scaled to constant variance, so the noise is continuous in time; below a quarter request in a replica the
//   variance is smaller than Poisson's.
// Capacity: a replica is busy at most all the time. What exceeds is not served later; ItDemand::overload counts it.
// Utilisation = busy share x phase weight x (1 + imbalance of the GPU), at most 1: the share of the dynamic power
//   range (prefill is bound by arithmetic, decode by memory and draws less).
// Inputs are held over each input_step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/base/random.hpp"
#include "scenarios/workload/request_series.hpp"
#include "scenarios/workload/workload.hpp"

namespace podtwin::scenarios {

enum class Placement {
  packed,  ///< racks are filled in order
  spread   ///< all replicas alike
};

struct RequestOptions {
  RequestSeries series;
  std::array<double, 24> hourly_factors = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  double scale = 1.0;  ///< copies of the trace that the pod serves [1]
  Placement placement = Placement::spread;
  std::uint64_t seed = 0;
  double start_of_day = 0.0;  ///< time of day at the start of the simulation [s], picks the hourly factor

  /// Prompt tokens a GPU takes in when it does nothing else [token/s].
  /// Source: estimate; 40 % of 5 PFLOP/s (GB300, dense FP8, published) at 2 x 37e9 FLOP per token (a mixture of
  /// experts with 37e9 active parameters, DeepSeek-R1 class).
  double prefill_rate = 27000.0;
  /// Output tokens a GPU makes when it does nothing else [token/s].
  /// Source: derived; 8,064 token/s per GPU in MLPerf Inference v6.0 is 2.77 times the v5.1 result (GB300 NVL72,
  /// DeepSeek-R1, server), which gives 2,911; the older one, because a service is not tuned like a record.
  double decode_rate = 2900.0;
  /// Share of the dynamic power range while a GPU prefills [1]. Source: estimate; bound by arithmetic.
  double prefill_weight = 1.0;
  /// Share of the dynamic power range while a GPU decodes [1]. Source: estimate, 0.6 to 0.7; bound by memory.
  double decode_weight = 0.65;
  /// Tokens one request receives per second [token/s]; sets the residency time.
  double generation_rate = kGenerationRate;
  /// Standard deviation of the utilisation between the GPUs of a replica [1]. Source: estimate, a few per cent.
  double imbalance = 0.02;
  /// Busy share to which packed placement fills a rack [1]. Source: estimate; leaves room for bursts.
  double full_load = 0.9;
  double input_step = 1.0;  ///< s over which the demand is held

  std::string series_name;   ///< for provenance: file and what it is
  std::string factors_name;  ///< for provenance
  SourceMark where;          ///< what an error in these options points at
};

/// Rates of the whole pod, before capacity.
struct TokenRates {
  double requests = 0.0;          ///< 1/s
  double context_tokens = 0.0;    ///< token/s
  double generated_tokens = 0.0;  ///< token/s
};

/// The pod as a whole at one time; shares of all its GPUs' time.
struct PodLoad {
  double offered = 0.0;      ///< busy share asked for [1]; may exceed 1
  double served = 0.0;       ///< busy share that fits [1]
  double utilisation = 0.0;  ///< mean share of the dynamic power range [1], before imbalance
};

class RequestWorkload : public Workload {
 public:
  /// Throws InputError when an option is out of its range, Error when the inventory is inconsistent or has no GPU.
  RequestWorkload(ItInventory inventory, RequestOptions options);

  void demand(double time, ItDemand& out) const override;
  double nextChange(double time) const override;
  std::map<std::string, std::string> provenance() const override;

  TokenRates tokenRates(double time) const;
  PodLoad podLoad(double time) const;
  /// Time a request stays in a replica [s]: mean output tokens / generation_rate, at least one input step.
  double residencyTime() const { return residency_; }
  std::size_t replicas() const { return replica_size_.size(); }

 private:
  struct Instant {
    double sample = 0.0;     ///< start of the input step [s]
    std::size_t window = 0;  ///< of the series
    double factor = 0.0;     ///< scale x hourly factor [1]
  };
  Instant instantOf(double time) const;
  /// Fills the utilisation of each replica and sums up.
  PodLoad evaluate(double time, std::vector<double>& replica_utilisation) const;
  void checkOptions() const;
  /// Busy share of each rack [1].
  std::vector<double> rackLevels(double offered) const;

  ItInventory inventory_;
  RequestOptions options_;
  // Replicas are ordered by rack.
  std::vector<RandomStream> replica_noise_;  ///< [replica] draws of its dispersion, by knot
  std::vector<double> replica_size_;         ///< [replica] GPUs
  std::vector<std::size_t> rack_first_;      ///< [rack + 1] first replica of the rack
  std::vector<double> rack_gpus_;            ///< [rack]
  std::vector<std::uint32_t> gpu_replica_;   ///< [gpu]
  std::vector<double> gpu_imbalance_;        ///< [gpu] factor, mean 1 in every replica
  std::vector<double> window_work_;          ///< [window] GPU-seconds per second at factor 1
  std::vector<double> window_weight_;        ///< [window] mean phase weight
  RandomStream shift_;                       ///< of the repetitions, by number of the repetition
  double residency_ = 0.0;                   ///< s
};

}  // namespace podtwin::scenarios
