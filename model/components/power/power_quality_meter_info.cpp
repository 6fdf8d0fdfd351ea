#include "model/components/power/power_quality_meter_info.hpp"

#include <array>

namespace podtwin {

namespace {

using Info = PowerQualityMeterInfo;

constexpr PortInfo kPorts[] = {
    {.name = "measures", .kind = PortKind::signal, .count = PortCount::one, .meaning = "power, such as GRID.power"}};
constexpr ParameterInfo kParameters[] = {
    {.name = "ramp_window",
     .quantity = Quantity::time,
     .fallback = 60.0,
     .low = 1.0,
     .high = 86400.0,
     .meaning = "Time over which a ramp is taken.",
     .source = "engineering estimate: limits are stated a minute"},
    {.name = "ramp_limit",
     .quantity = Quantity::power_rate,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e12,
     .meaning = "Greatest ramp, up or down; 0: none.",
     .source = "0: utilities set their own; 10 MW/min at 150 MW in hardware.csv, site_ramp_limit (estimate)"},
    {.name = "range_window",
     .quantity = Quantity::time,
     .fallback = 10.0,
     .low = 0.1,
     .high = 86400.0,
     .meaning = "Time over which the dynamic range is taken.",
     .source = "engineering estimate: the longest step of training"},
    {.name = "range_limit",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e12,
     .meaning = "Greatest dynamic range; 0: none.",
     .source = "0: utilities set their own, pod-design section 3"},
    {.name = "band_low",
     .quantity = Quantity::frequency,
     .fallback = 0.1,
     .low = 0.01,
     .high = 100.0,
     .meaning = "Lower end of the band of oscillations.",
     .source = "hardware.csv, utility_critical_band_low (published)"},
    {.name = "band_high",
     .quantity = Quantity::frequency,
     .fallback = 20.0,
     .low = 0.02,
     .high = 500.0,
     .meaning = "Upper end of the band of oscillations.",
     .source = "hardware.csv, utility_critical_band_high (published)"},
    {.name = "oscillation_window",
     .quantity = Quantity::time,
     .fallback = 10.0,
     .low = 0.1,
     .high = 3600.0,
     .meaning = "Time over which the amplitude of oscillations is taken.",
     .source = "engineering estimate: a period at the lower end of the band"},
    {.name = "oscillation_limit",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e12,
     .meaning = "Greatest amplitude of oscillations; 0: none.",
     .source = "0: utilities set their own; numbers not found, pod-design section 3"},
};

constexpr std::size_t kFirstOwn = kCommonCount, kOwn = Info::kFirstCell - kFirstOwn,
                      kCells = Info::kRings * SlidingWindow::kCells;
constexpr std::size_t kNameLength = 16;

/// "ramp_007": name of a cell of a ring.
struct CellName {
  std::array<char, kNameLength> text{};
  std::size_t length = 0;
};
constexpr CellName cellName(std::string_view ring, std::size_t k) {
  CellName name;
  for (const char c : ring) name.text[name.length++] = c;
  name.text[name.length++] = '_';
  constexpr std::size_t kTen = 10;
  for (const std::size_t unit : {kTen * kTen, kTen, std::size_t{1}})
    name.text[name.length++] = static_cast<char>('0' + k / unit % kTen);
  return name;
}
constexpr std::array<CellName, kCells> kCellNames = [] {
  constexpr std::string_view kOfRing[Info::kRings] = {"ramp", "range", "band"};
  std::array<CellName, kCells> names{};
  for (std::size_t k = 0; k < kCells; ++k)
    names[k] = cellName(kOfRing[k / SlidingWindow::kCells], k % SlidingWindow::kCells);
  return names;
}();
constexpr std::array<DiscreteInfo, kOwn + kCells> kDiscretes = [] {
  std::array<DiscreteInfo, kOwn + kCells> all{};
  const DiscreteInfo own[kOwn] = {
      {"sampled_at", Quantity::time, -1.0, "Moment of the last sample [s]; -1: none."},
      {"window_since", Quantity::time, -1.0, "Since when a window is open [s]; -1: none is."},
      {"reference", Quantity::power, 0.0, "Power before the window [W]."},
      {"last", Quantity::power, 0.0, "Power at the last sample [W]."},
      {"band", Quantity::power, 0.0, "Part of it in the band [W]."},
      {"high_pass_first", Quantity::power, 0.0, "Memory of the high pass [W]."},
      {"high_pass_second", Quantity::power, 0.0, "Memory of the high pass [W]."},
      {"low_pass_first", Quantity::power, 0.0, "Memory of the low pass [W]."},
      {"low_pass_second", Quantity::power, 0.0, "Memory of the low pass [W]."},
  };
  for (std::size_t k = 0; k < kOwn; ++k) all[k] = own[k];
  for (std::size_t k = 0; k < kCells; ++k)
    all[kOwn + k] = {std::string_view(kCellNames[k].text.data(), kCellNames[k].length), Quantity::none, 0.0,
                     "Time, integral, greatest and least of a span of the window."};
  return all;
}();

constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power measured."},
    {"ramp", Quantity::power_rate, SignalType::real, "Its change over ramp_window, over that time."},
    {"ramp_magnitude", Quantity::power_rate, SignalType::real, "Likewise, up or down."},
    {"range", Quantity::power, SignalType::real, "Greatest less least over range_window: the dynamic range."},
    {"range_share", Quantity::ratio, SignalType::real, "Likewise over its mean there; 0 of a mean of 0."},
    {"oscillation", Quantity::power, SignalType::real,
     "Amplitude of the sinusoid with the power of its oscillations in the band; 0 while not measured."},
    {"oscillation_share", Quantity::ratio, SignalType::real, "Likewise over its mean; 0 of a mean of 0."},
    {"oscillation_measured", Quantity::none, SignalType::integer,
     "1 once a window of the scenario has been open for oscillation_window."},
};
constexpr LimitInfo kLimits[] = {
    {.signal = "ramp_magnitude",
     .above = true,
     .kind = "rating",
     .source = "ramp_limit of the connection",
     .parameter = "ramp_limit"},
    {.signal = "range",
     .above = true,
     .kind = "rating",
     .source = "range_limit of the connection",
     .parameter = "range_limit"},
    {.signal = "oscillation",
     .above = true,
     .kind = "rating",
     .source = "oscillation_limit of the connection",
     .parameter = "oscillation_limit"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "it only measures; trip what it measures"},
    {"isolate", "it only measures; isolate what it measures"},
    {"stick", "it has no mechanism; stick what moves"},
};
constexpr ClassInfo kInfo{.name = "power_quality_meter",
                          .group = "power_quality_meter",
                          .title = "Power quality meter",
                          .page = "power/power_quality_meter.md",
                          .symbol = "sensor",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .limits = kLimits,
                          .refusals = kRefusals};

}  // namespace

const ClassInfo& PowerQualityMeterInfo::table() { return kInfo; }

}  // namespace podtwin
