// Cheap near-normal noise from 64 random bits, for thousands of draws in a step of input.
#pragma once

#include <cmath>
#include <cstdint>

namespace podtwin::scenarios {

/// Sum of the four 16-bit parts of random bits: near normal (kurtosis 2.7), bounded, exact in integers.
inline double fourPartSum(std::uint64_t bits) {
  constexpr std::uint64_t kLowParts = 0x0000FFFF0000FFFFu;
  const std::uint64_t pairs = (bits & kLowParts) + ((bits >> 16) & kLowParts);
  return static_cast<double>(static_cast<std::int32_t>((pairs & 0xFFFFFFFFu) + (pairs >> 32)));
}
/// Its mean: 4 x 65535 / 2.
inline constexpr double kFourPartMean = 131070.0;
/// Its standard deviation: sqrt(4 x (65536^2 - 1) / 12).
inline const double kFourPartDeviation = std::sqrt((65536.0 * 65536.0 - 1.0) / 3.0);

/// Zero mean, unit variance, within +-3.47.
inline double fourPartNoise(std::uint64_t bits) { return (fourPartSum(bits) - kFourPartMean) / kFourPartDeviation; }

}  // namespace podtwin::scenarios
