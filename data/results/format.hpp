// What writer and readers of result files must agree on (product.md section 3).
#pragma once

#include <cstdint>

namespace podtwin::data {

inline constexpr std::int32_t kFormatVersion = 1;
inline constexpr char kFacilityGroup[] = "facility";
inline constexpr char kWallGroup[] = "wall";
inline constexpr char kRestartGroup[] = "restart";
/// Root attributes that tell a result file from a checkpoint file.
inline constexpr char kFormatAttribute[] = "format_version";
inline constexpr char kCheckpointAttribute[] = "podtwin_checkpoint";
/// Beside a signal whose ids differ in unit stands a text of this ending with the unit of each.
inline constexpr char kUnitsEnding[] = "_units";

/// Values of nowhere-written cells: the defaults of netCDF, which its readers know.
inline constexpr float kMissingFloat = 9.9692099683868690e+36F;
inline constexpr double kMissingDouble = 9.9692099683868690e+36;
inline constexpr std::int32_t kMissingInteger = -2147483647;

}  // namespace podtwin::data
