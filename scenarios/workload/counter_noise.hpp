// Random numbers without a state: a hash of what they belong to.
#pragma once

#include <cmath>
#include <cstdint>

namespace podtwin::scenarios {

/// Odd constant of the golden ratio in 64 bits; steps of it visit all 64-bit numbers.
inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

/// Scrambles 64 bits: the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t mixBits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Hash of item `index` of the stream `key`.
inline std::uint64_t hashOf(std::uint64_t key, std::uint64_t index) { return mixBits(key + (index + 1) * kGolden); }

/// Sum of the four 16-bit parts of a hash: near normal (kurtosis 2.7), bounded, exact in integers, cheap.
inline double fourPartSum(std::uint64_t hash) {
  constexpr std::uint64_t kLowParts = 0x0000FFFF0000FFFFu;
  const std::uint64_t pairs = (hash & kLowParts) + ((hash >> 16) & kLowParts);
  return static_cast<double>(static_cast<std::int32_t>((pairs & 0xFFFFFFFFu) + (pairs >> 32)));
}
/// Its mean: 4 x 65535 / 2.
inline constexpr double kFourPartMean = 131070.0;
/// Its standard deviation: sqrt(4 x (65536^2 - 1) / 12).
inline const double kFourPartDeviation = std::sqrt((65536.0 * 65536.0 - 1.0) / 3.0);

/// Zero mean, unit variance, within +-3.47.
inline double standardNoise(std::uint64_t hash) { return (fourPartSum(hash) - kFourPartMean) / kFourPartDeviation; }

}  // namespace podtwin::scenarios
