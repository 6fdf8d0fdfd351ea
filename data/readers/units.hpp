// Text with a unit ("119 L/min") to SI, by the kind of quantity that is due; durations and UTC stamps.
//
// Number and unit are split before udunits2 sees the unit, because it would read "40 degC" whole as 40 K. A kind is
// finer than a dimension: W, VA and var, Hz and rpm, temperature and difference are told apart although udunits2
// converts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/diagnostics.hpp"
#include "model/system/quantity.hpp"

namespace podtwin::data {

/// SI value of `text`; nothing when it is refused, with the reason added to `diagnostics`. `subject` names what the
/// value is for ("`speed` of `tcs1-P1`") and begins the message.
std::optional<double> parseQuantity(std::string_view text, Quantity kind, const SourceMark& where,
                                    Diagnostics& diagnostics, const std::string& subject = "the value");

/// A duration [s]: one number, one unit, not negative ("24 h").
std::optional<double> parseDuration(std::string_view text, const SourceMark& where, Diagnostics& diagnostics,
                                    const std::string& subject = "the duration");

/// A finite number without unit; nothing when `text` is anything else.
std::optional<double> parseNumber(std::string_view text);

/// SI value of `text` and the first kind that takes it, for places where the kind is known only later (a limit on a
/// part).
std::optional<std::pair<double, Quantity>> parseAnyKind(std::string_view text);

/// SI = scale * x + offset of a bare unit text ("degC", "L/min"), as in table headers; nothing when refused.
struct UnitScale {
  double scale = 1.0;
  double offset = 0.0;
};
std::optional<UnitScale> parseUnit(std::string_view unit, Quantity kind, const SourceMark& where,
                                   Diagnostics& diagnostics, const std::string& subject = "the column");
/// The same for a unit of any kind; the kind that took it is returned too.
std::optional<std::pair<UnitScale, Quantity>> parseUnitOfAnyKind(std::string_view unit);

/// Seconds since 1970-01-01T00:00:00Z of an ISO 8601 stamp with zone (`Z` or `+02:00`); a blank may stand for the `T`.
std::optional<double> parseTimestamp(std::string_view text, const SourceMark& where, Diagnostics& diagnostics,
                                     const std::string& subject = "the time");
/// The same without a zone, taken as UTC: the form of published traces. Nothing when malformed.
std::optional<double> parseTimestampWithoutZone(std::string_view text);

/// Text that parseQuantity reads back to the same bits: "0.0019833333333333335 m3 s-1".
std::string exactText(double value, Quantity kind);
/// Short text for messages: "40 degC", "0.002 m3 s-1".
std::string readableText(double value, Quantity kind);
/// Text in the unit that suits the kind and size, exact to ten digits: "120 L/min", "0.5 s", "12 %".
std::string customaryText(double value, Quantity kind);
/// `value` in the unit in which the user wrote `like`: "1000 mW" beside "3 mW".
std::string textInUnitOf(std::string_view like, double value, Quantity kind);
/// "2026-07-15T00:00:00Z", with up to microseconds when needed.
std::string timestampText(double seconds_since_epoch);
/// A text of the kind as a person would write it: "40 degC".
std::string_view exampleOf(Quantity kind);

}  // namespace podtwin::data
