#include "scenarios/workload/request_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace podtwin::scenarios {
namespace {

constexpr double kGridTolerance = 1e-9;  // relative, of a time against its place on the grid of windows

bool isCount(double value) { return std::isfinite(value) && value >= 0.0; }

}  // namespace

void RequestSeries::check(const SourceMark& where) const {
  const std::size_t n = time.size();
  if (n == 0) throw InputError(where, "the request series has no rows", "give at least one window");
  if (requests.size() != n || context_tokens.size() != n || generated_tokens.size() != n) {
    throw InputError(where, "the columns of the request series differ in length", "give every window all four values");
  }
  if (!(std::isfinite(window) && window > 0.0)) {
    throw InputError(where, fmt::format("the window of the request series is {} s", window), "give a length above 0");
  }
  double requests_total = 0.0;
  double tokens_total = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = static_cast<double>(i) * window;
    if (!(std::abs(time[i] - expected) <= kGridTolerance * period())) {
      throw InputError(where,
                       fmt::format("row {} of the request series is at {} s instead of {} s", i + 1, time[i], expected),
                       "windows begin at 0 s and follow each other without a gap");
    }
    for (const double value : {requests[i], context_tokens[i], generated_tokens[i]}) {
      if (!isCount(value)) {
        throw InputError(where, fmt::format("row {} of the request series holds the count {}", i + 1, value),
                         "counts are finite and not negative");
      }
    }
    requests_total += requests[i];
    tokens_total += context_tokens[i] + generated_tokens[i];
  }
  if (!(requests_total > 0.0 && tokens_total > 0.0)) {
    throw InputError(where, "the request series holds no requests or no tokens", "use the idle workload for that");
  }
}

RequestSeries makeRequestSeries(std::span<const double> arrival, std::span<const double> context_tokens,
                                std::span<const double> generated_tokens, const RequestSeriesOptions& options) {
  const SourceMark& where = options.where;
  const std::size_t n = arrival.size();
  if (context_tokens.size() != n || generated_tokens.size() != n) {
    throw InputError(where, "the columns of the request trace differ in length", "give every request all three values");
  }
  const double windows_exact = options.period / options.window;
  const double windows_rounded = std::round(windows_exact);
  if (!(options.window > 0.0 && windows_rounded >= 1.0 &&
        std::abs(windows_exact - windows_rounded) < kGridTolerance * windows_rounded)) {
    throw InputError(
        where, fmt::format("the period {} s is not a multiple of the window {} s", options.period, options.window),
        "choose a window that divides the period");
  }
  if (!(options.generation_rate > 0.0)) {
    throw InputError(where, fmt::format("the generation rate is {} token/s", options.generation_rate),
                     "give a rate above 0");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(arrival[i]) || (i > 0 && arrival[i] < arrival[i - 1])) {
      throw InputError(where,
                       fmt::format("request {} arrives at {} s, before the one in front of it", i + 1, arrival[i]),
                       "sort the requests by arrival");
    }
    if (!isCount(context_tokens[i]) || !isCount(generated_tokens[i])) {
      throw InputError(
          where,
          fmt::format("request {} has {} prompt and {} output tokens", i + 1, context_tokens[i], generated_tokens[i]),
          "token counts are finite and not negative");
    }
  }
  if (n < 2 || !(arrival.back() > arrival.front())) {
    throw InputError(where, fmt::format("the trace has {} requests and spans no time", n),
                     "give at least two arrivals at different times");
  }

  const auto windows = static_cast<std::size_t>(windows_rounded);
  RequestSeries out;
  out.window = options.window;
  out.time.resize(windows);
  for (std::size_t i = 0; i < windows; ++i) out.time[i] = static_cast<double>(i) * options.window;
  out.requests.assign(windows, 0.0);
  out.context_tokens.assign(windows, 0.0);
  out.generated_tokens.assign(windows, 0.0);

  const double count = static_cast<double>(n);
  const double span = (arrival.back() - arrival.front()) * count / (count - 1.0);  // s, with the gap that closes it
  const double stretch = options.period / span;
  for (std::size_t i = 0; i < n; ++i) {
    const double begin = (arrival[i] - arrival.front()) * stretch / options.window;  // in windows, below their number
    const auto first = std::min(static_cast<std::size_t>(begin), windows - 1);
    out.requests[first] += 1.0;
    out.context_tokens[first] += context_tokens[i];
    const double length = generated_tokens[i] / options.generation_rate / options.window;  // in windows
    const double end = begin + length;
    auto last = static_cast<std::size_t>(end);
    if (last == first || length <= 0.0) {
      out.generated_tokens[first] += generated_tokens[i];
      continue;
    }
    for (std::size_t w = first; w <= last; ++w) {
      const double left = std::max(begin, static_cast<double>(w));
      const double right = std::min(end, static_cast<double>(w + 1));
      out.generated_tokens[w % windows] += generated_tokens[i] * (right - left) / length;
    }
  }
  return out;
}

}  // namespace podtwin::scenarios
