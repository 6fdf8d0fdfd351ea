// Random numbers without a state: draw `index` of stream `stream` of a seed is a hash of the three.
//
// Any draw can be asked for at any time in any order on any thread and is the same; a checkpoint stores nothing.
// Portable bit for bit: integers, and IEEE additions, multiplications, divisions and square roots only (logarithm and
// exponential are our own; random.cpp is compiled without contraction to fused multiply-add).
//
// Mixing: finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014), applied once for each of seed, stream and index.
#pragma once

#include <cstdint>

namespace podtwin {

class RandomStream {
 public:
  /// Streams of one seed are independent of each other, as are the same streams of two seeds.
  constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : key_(mix(mix(seed + kGolden) + (stream + 1) * kGolden)) {}

  /// 64 uniform bits.
  constexpr std::uint64_t bits(std::uint64_t index) const { return mix(key_ + (index + 1) * kGolden); }

  /// Uniform on (0, 1): odd multiples of 2^-53, so neither end is ever drawn.
  constexpr double uniform(std::uint64_t index) const {
    constexpr double kStep = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>((bits(index) >> 12) * 2 + 1) * kStep;
  }
  /// Uniform integer in [0, count), count > 0; bias below count / 2^64.
  constexpr std::uint64_t below(std::uint64_t index, std::uint64_t count) const { return bits(index) % count; }

  /// Zero mean, unit variance: the inverse normal distribution of uniform(index), within +-8.2.
  double normal(std::uint64_t index) const;

  /// Poisson-distributed count of a mean >= 0 (throws Error otherwise): exact by inversion up to a mean of 32, above it
  /// the Cornish-Fisher quantile mean + sqrt(mean) z + (z^2 - 1)/6, rounded (an estimate: within 1 of the exact
  /// quantile for |z| < 4).
  std::uint64_t poisson(std::uint64_t index, double mean) const;

 private:
  static constexpr std::uint64_t kGolden =
      0x9E3779B97F4A7C15u;  // 2^64 / golden ratio, odd: steps of it visit all numbers
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  std::uint64_t key_;
};

}  // namespace podtwin
