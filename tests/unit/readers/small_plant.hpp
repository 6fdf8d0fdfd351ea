// A small registry of classes and small accepted files for the readers' tests; no class of the product is needed.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "data/readers/pod_reader.hpp"
#include "model/system/class_info.hpp"

namespace podtwin::data::testing {

inline constexpr PortInfo kTwoPorts[] = {{"from", PortKind::fluid, PortCount::one, "inlet"},
                                         {"to", PortKind::fluid, PortCount::one, "outlet"}};
inline constexpr ParameterInfo kPumpParameters[] = {
    {.name = "head",
     .quantity = Quantity::pressure_difference,
     .low = 1.0,
     .high = 1e7,
     .meaning = "Shut-off head.",
     .source = ""},
    {.name = "speed",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed at the start.",
     .source = "test"},
    {.name = "stages",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 20,
     .meaning = "Stages.",
     .source = "test"},
    {.name = "seal", .kind = ParameterKind::choice, .meaning = "Seal.", .source = "test", .choices = "single|double"},
    {.name = "coasts", .kind = ParameterKind::flag, .fallback = 1, .meaning = "Coasts down.", .source = "test"},
    {.name = "maker", .kind = ParameterKind::text, .meaning = "Maker.", .source = "", .optional = true},
    {.name = "warm_up",
     .quantity = Quantity::temperature_difference,
     .fallback = 1.0,
     .low = 0.0,
     .high = 50.0,
     .meaning = "Rise.",
     .source = "test"},
    {.name = "curve",
     .kind = ParameterKind::curve,
     .quantity = Quantity::volume_flow,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Head.",
     .source = "",
     .ordinate = Quantity::pressure_difference,
     .optional = true},
    {.name = "presets",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::power,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Presets.",
     .source = "",
     .optional = true},
};
inline constexpr SignalInfo kPumpSignals[] = {{"flow", Quantity::volume_flow, SignalType::real, "Flow."},
                                              {"power", Quantity::power, SignalType::real, "Power."}};
inline constexpr ParameterInfo kPipeParameters[] = {
    {.name = "length", .quantity = Quantity::length, .low = 0.0, .high = 1e5, .meaning = "Length.", .source = ""},
    {.name = "diameter",
     .quantity = Quantity::length,
     .fallback = 0.1,
     .low = 1e-3,
     .high = 3.0,
     .meaning = "Diameter.",
     .source = "test"},
};
inline constexpr PortInfo kRackPorts[] = {{"from", PortKind::fluid, PortCount::one, "supply"},
                                          {"to", PortKind::fluid, PortCount::one, "return"},
                                          {"feeds", PortKind::bus, PortCount::many, "buses"}};
inline constexpr ParameterInfo kRackParameters[] = {
    {.name = "rated_power",
     .quantity = Quantity::power,
     .fallback = 135e3,
     .low = 1e3,
     .high = 2e6,
     .meaning = "Rating.",
     .source = "test"},
    {.name = "t_limit",
     .quantity = Quantity::temperature,
     .fallback = 360.0,
     .low = 300.0,
     .high = 420.0,
     .meaning = "Limit.",
     .source = "test"},
};
inline constexpr SignalInfo kRackSignals[] = {{"power", Quantity::power, SignalType::real, "Power."},
                                              {"t_supply", Quantity::temperature, SignalType::real, "Supply."}};
inline constexpr PortInfo kControllerPorts[] = {{"drives", PortKind::member, PortCount::many, "driven equipment"},
                                                {"measured", PortKind::signal, PortCount::optional, "measured signal"}};
inline constexpr SignalInfo kGpuSignals[] = {{"t_junction", Quantity::temperature, SignalType::real, "Junction."}};

inline constexpr ClassInfo kPump{.name = "pump",
                                 .group = "pump",
                                 .title = "",
                                 .page = "",
                                 .symbol = "",
                                 .ports = kTwoPorts,
                                 .parameters = kPumpParameters,
                                 .signals = kPumpSignals};
inline constexpr ClassInfo kPipe{.name = "pipe",
                                 .group = "pipe",
                                 .title = "",
                                 .page = "",
                                 .symbol = "",
                                 .ports = kTwoPorts,
                                 .parameters = kPipeParameters};
inline constexpr ClassInfo kRack{.name = "rack",
                                 .group = "rack",
                                 .title = "",
                                 .page = "",
                                 .symbol = "",
                                 .ports = kRackPorts,
                                 .parameters = kRackParameters,
                                 .signals = kRackSignals};
inline constexpr ClassInfo kController{
    .name = "controller", .group = "controller", .title = "", .page = "", .symbol = "", .ports = kControllerPorts};
inline constexpr ClassInfo kGpu{.name = "gpu",
                                .group = "gpu",
                                .title = "",
                                .page = "",
                                .symbol = "",
                                .signals = kGpuSignals,
                                .user_visible = false};

inline ClassList smallClasses() {
  static const ClassInfo* const classes[] = {&kPump, &kPipe, &kRack, &kController, &kGpu};
  return classes;
}

/// A folder of its own that is removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "podtwin-readers-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, std::string_view text) const {
    const std::string file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::string path(const std::string& name = "") const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

inline constexpr std::string_view kCatalogue =
    "podtwin: catalogue/1\n"
    "types:\n"
    "  p1200: {class: pump, head: {value: 476 kPa, source: sheet}, seal: double}\n"
    "  nvl72: {class: rack, source: maker, rated_power: 135 kW}\n";

inline constexpr std::string_view kPod =
    "podtwin: pod/1\n"                                                                                    // 1
    "title: Two pumps and two rows\n"                                                                     // 2
    "site: {latitude: 43 deg, longitude: -87.9 deg, elevation: 220 m}\n"                                  // 3
    "use: [cat.yaml]\n"                                                                                   // 4
    "physics: {gravity: 9.81 m/s2, friction: haaland}\n"                                                  // 5
    "circuits:\n"                                                                                         // 6
    "  tcs1: {fluid: PG25, reference: {node: tcs1-return, pressure: 200 kPa}}\n"                          // 7
    "nodes:\n"                                                                                            // 8
    "  tcs1-supply: {elevation: 3 m, volume: 0.75 m3}\n"                                                  // 9
    "equipment:\n"                                                                                        // 10
    "  tcs1-P[1-2]: {type: p1200, from: tcs1-return, to: tcs1-discharge, supply: BW-A-$1}\n"              // 11
    "  tcs1-pipe: {class: pipe, length: 25 m, from: tcs1-discharge, to: tcs1-supply}\n"                   // 12
    "  \"[A-B][01-02]\": {type: nvl72, from: tcs1-supply, to: tcs1-return, feeds: [BW-$1-1, BW-$1-2]}\n"  // 13
    "  tcs1-P3: {like: tcs1-P1, speed: 80 %}\n"                                                           // 14
    "controls:\n"                                                                                         // 15
    "  C1: {class: controller, drives: [tcs1-P1, tcs1-P2], measured: tcs1-P1.flow}\n"                     // 16
    "groups:\n"                                                                                           // 17
    "  row-A: [\"A[01-02]\"]\n"                                                                           // 18
    "limits:\n"                                                                                           // 19
    "  hot: {signal: \"rack[*].t_supply\", above: 46 degC, delay: 5 s, kind: alarm}\n"                    // 20
    "design: {rack_power: 142 kW, weather: {dry_bulb: 35 degC, relative_humidity: 40 %}}\n";              // 21

inline constexpr std::string_view kScenario =
    "podtwin: scenario/1\n"                                    // 1
    "title: Pump trip at noon\n"                               // 2
    "pod: pod.yaml\n"                                          // 3
    "start: 2026-07-15T00:00:00Z\n"                            // 4
    "duration: 24 h\n"                                         // 5
    "weather: {dry_bulb: 35 degC, relative_humidity: 40 %}\n"  // 6
    "workload: {kind: constant, rack_power: 142 kW}\n"         // 7
    "solver: {method: arkode}\n"                               // 8
    "from: steady\n"                                           // 9
    "out_of_service: [tcs1-P2]\n"                              // 10
    "events:\n"                                                // 11
    "  - {at: 12 h, target: tcs1-P1, do: trip}\n"              // 12
    "  - {when: \"max(gpu[*].t_junction) > 85 degC\", for: 3 s, target: \"group:row-A\", do: cap, with: {power: 100 "
    "kW}}\n"                                                                                     // 13
    "record:\n"                                                                                  // 14
    "  - {class: gpu, signals: [t_junction, power], period: 10 s}\n"                             // 15
    "  - {class: rack, signals: [\"*\"], period: 1 s, reduce: {gpu.t_junction: [max, mean]}}\n"  // 16
    "expect:\n"                                                                                  // 17
    "  - {signal: \"max(gpu[*].t_junction)\", below: 87 degC}\n";                                // 18

inline constexpr std::string_view kTrace =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 18:15:46.6805900,374,44\r\n"
    "2023-11-16 18:15:50.9951690,396,109\r\n"
    "2023-11-16 18:15:51.2224670,879,55";

inline constexpr std::string_view kWeatherCsv =
    "# measured\n"
    "time [s],dry_bulb [degC],relative_humidity [%],pressure [kPa]\n"
    "0,20,50,100\n"
    "3600,21,45,100.1\n";

/// An EPW of `hours` hours from 1 January, UTC-6, 10 degC rising by 0.1 K an hour within each day.
inline std::string epw(int hours = 48) {
  std::string text = "LOCATION,Here,WI,USA,Test,1,43.0,-87.9,-6.0,220\n";
  for (const char* head : {"DESIGN CONDITIONS,0", "TYPICAL/EXTREME PERIODS,0", "GROUND TEMPERATURES,0",
                           "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0", "COMMENTS 1,x", "COMMENTS 2,",
                           "DATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31"})
    text += std::string(head) + "\n";
  for (int h = 0; h < hours; ++h)
    text += std::to_string(1990 + h / 24) + ",1," + std::to_string(h / 24 + 1) + "," + std::to_string(h % 24 + 1) +
            ",0,?9," + std::to_string(10 + h % 24 / 10) + "." + std::to_string(h % 24 % 10) + ",2.0,60,99000,0,0\n";
  return text;
}

}  // namespace podtwin::data::testing
