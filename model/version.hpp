// Versions of the program and of its result files.
#pragma once

namespace podtwin {

inline constexpr const char* kVersion = "0.1.0";
inline constexpr int kResultFormat = 1;  ///< raised when readers of older files would misread a newer one

}  // namespace podtwin
