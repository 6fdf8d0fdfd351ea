// Requests and tokens per window over a period that repeats.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin::scenarios {

/// Tokens one request receives per second while it is answered [token/s].
/// Source: estimate; a target of 25 ms between tokens, usual for interactive service.
inline constexpr double kGenerationRate = 40.0;

/// Counts per window of equal length; window i begins at time[i] = i x window, the last one is followed by the first.
struct RequestSeries {
  std::vector<double> time;              ///< start of each window [s]
  std::vector<double> requests;          ///< arrivals in the window [1]
  std::vector<double> context_tokens;    ///< prompt tokens that arrive in the window [token]
  std::vector<double> generated_tokens;  ///< output tokens made in the window [token]
  double window = 0.0;                   ///< s

  std::size_t size() const { return time.size(); }
  double period() const { return window * static_cast<double>(time.size()); }  ///< s
  /// Throws InputError unless sizes agree, times are i x window and counts are finite, not negative and not all 0.
  void check(const SourceMark& where) const;
};

/// How single requests become a series.
struct RequestSeriesOptions {
  double period = 3600.0;                    ///< the trace is stretched to fill this [s]; a multiple of the window
  double window = 1.0;                       ///< s
  double generation_rate = kGenerationRate;  ///< token/s of one request; infinity: all tokens count at the arrival
  SourceMark where;
};

/// Builds the series from single requests in order of arrival [s from any origin]. The trace, closed to a circle by
/// one mean gap between its last and its first request, is stretched in time to fill the period, so that no hole and
/// no request is added. Prompt tokens count at the arrival; the output tokens are spread evenly over tokens /
/// generation_rate from the arrival on, which is not stretched; what passes the end counts at the beginning. Totals
/// are those of the trace. Throws InputError on arrays of different sizes, a falling time or a bad number.
RequestSeries makeRequestSeries(std::span<const double> arrival, std::span<const double> context_tokens,
                                std::span<const double> generated_tokens, const RequestSeriesOptions& options = {});

}  // namespace podtwin::scenarios
