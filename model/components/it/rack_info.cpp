// Metadata of the rack and its parts: names, units, defaults and their sources.
#include "model/components/it/rack_info.hpp"

namespace podtwin {

namespace {

constexpr std::string_view kLenovo = "Lenovo LP2357 table 27 through hardware.csv (published)";
constexpr std::string_view kEstimate = "engineering estimate, hardware.csv";
constexpr std::string_view kDerived = "derived in pod-design.md section 2";

constexpr PortInfo kRackPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "coolant supply node"},
    {"to", PortKind::fluid, PortCount::one, "coolant return node"},
    {"feeds", PortKind::bus, PortCount::many, "buses that feed the power shelves, in equal shares; none: supply not modelled"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes the heat given to air; outdoor air when left out"},
};

constexpr ParameterInfo kRackParameters[] = {
    {.name = "trays", .kind = ParameterKind::integer, .fallback = 18, .low = 1, .high = 100, .meaning = "Compute trays.", .source = "DGX GB user guide through hardware.csv (published)"},
    {.name = "gpus_per_tray", .kind = ParameterKind::integer, .fallback = 4, .low = 1, .high = 16, .meaning = "GPUs in a compute tray.", .source = "DGX GB user guide through hardware.csv (published)"},
    {.name = "switch_trays", .kind = ParameterKind::integer, .fallback = 9, .low = 0, .high = 50, .meaning = "NVLink switch trays.", .source = "DGX GB user guide through hardware.csv (published)"},
    {.name = "rated_power", .quantity = Quantity::power, .fallback = 135e3, .low = 1e3, .high = 2e6, .meaning = "AC nameplate that the required-flow law refers to.", .source = "Lenovo LP2357 (published)"},
    {.name = "gpu_idle_power", .quantity = Quantity::power, .fallback = 231, .low = 0, .high = 5e3, .meaning = "GPU power without work.", .source = "nvidia-smi capture of 4 GPUs, hardware.csv (published)"},
    {.name = "gpu_power_limit", .quantity = Quantity::power, .fallback = 1400, .low = 1, .high = 1e4, .meaning = "GPU power limit; reached at utilisation 1.", .source = "NVIDIA Blackwell Ultra datasheet (published)"},
    {.name = "gpu_leakage", .quantity = Quantity::power_per_kelvin, .fallback = 1.4, .low = 0, .high = 20, .meaning = "Rise of GPU power with junction temperature, under the power limit.", .source = "estimate: 0.1 % of the power limit per kelvin"},
    {.name = "gpu_leakage_reference", .quantity = Quantity::temperature, .fallback = 333.15, .low = 250, .high = 400, .meaning = "Junction temperature at which utilisation alone gives the power.", .source = "estimate: 60 degC, mid-range of operation"},
    {.name = "gpu_throttle_power", .quantity = Quantity::power, .fallback = 700, .low = 0, .high = 1e4, .meaning = "Power a throttled GPU is held to.", .source = "estimate: clocks at least halved (NVML throttle reasons, practice.md)"},
    {.name = "gpu_throttle_temperature", .quantity = Quantity::temperature, .fallback = 360.15, .low = 300, .high = 420, .meaning = "Junction temperature at which a GPU throttles.", .source = "estimate 87 degC, band 83-90, hardware.csv"},
    {.name = "gpu_throttle_hysteresis", .quantity = Quantity::temperature_difference, .fallback = 3, .low = 0, .high = 30, .meaning = "A throttled GPU recovers this far below the throttle temperature.", .source = "engineering estimate"},
    {.name = "gpu_shutdown_temperature", .quantity = Quantity::temperature, .fallback = 368.15, .low = 300, .high = 430, .meaning = "Junction temperature at which a GPU shuts down until restored.", .source = "estimate 95 degC, hardware.csv"},
    {.name = "gpu_die_capacity", .quantity = Quantity::heat_capacity, .fallback = 120, .low = 1, .high = 5e3, .meaning = "Heat capacity of the GPU package.", .source = kEstimate},
    {.name = "gpu_plate_capacity", .quantity = Quantity::heat_capacity, .fallback = 420, .low = 1, .high = 2e4, .meaning = "Heat capacity of the GPU's cold plate metal.", .source = kEstimate},
    {.name = "gpu_junction_to_case", .quantity = Quantity::thermal_resistance, .fallback = 0.010, .low = 1e-4, .high = 1, .meaning = "Junction to case (plate) resistance of a GPU.", .source = kEstimate},
    {.name = "plate_resistance", .quantity = Quantity::thermal_resistance, .fallback = 0.01617, .low = 1e-4, .high = 1, .meaning = "c1 of the case-to-inlet resistance R = c1 + c0 / V of a GPU's cold plate.", .source = "fit of the OCP OAI 1 kW plate with PG25, pod-design 2.2 (published points)"},
    {.name = "plate_resistance_slope", .quantity = Quantity::conductance_per_flow, .fallback = 0.00839 / 60000.0, .low = 1e-10, .high = 1e-3, .meaning = "c0 of the case-to-inlet resistance, per flow of one GPU.", .source = "fit of the OCP OAI 1 kW plate with PG25, pod-design 2.2: 0.00839 K L/(W min)"},
    {.name = "plate_flow_low", .quantity = Quantity::volume_flow, .fallback = 0.7 / 60000.0, .low = 1e-7, .high = 1e-2, .meaning = "Below this flow of one GPU the plate's conductance is held (the channels are laminar) and R follows from effectiveness.", .source = "lowest flow at which the fit's effectiveness is below 0.76; estimate, within 7 % of the OCP points down to 0.4 L/min"},
    {.name = "cpu_idle_power", .quantity = Quantity::power, .fallback = 150, .low = 0, .high = 5e3, .meaning = "Idle power of a tray's CPUs together.", .source = "2 x 75 W, derived in hardware.csv (compute_tray_idle_power)"},
    {.name = "cpu_power", .quantity = Quantity::power, .fallback = 600, .low = 0, .high = 5e3, .meaning = "Full power of a tray's CPUs together, memory included.", .source = "2 x 300 W Grace, Lenovo LP2357 (published)"},
    {.name = "cpu_die_capacity", .quantity = Quantity::heat_capacity, .fallback = 160, .low = 1, .high = 5e3, .meaning = "Heat capacity of a tray's CPU packages together.", .source = "engineering estimate: 2 x 80 J/K"},
    {.name = "cpu_plate_capacity", .quantity = Quantity::heat_capacity, .fallback = 500, .low = 1, .high = 2e4, .meaning = "Heat capacity of a tray's CPU cold plates together.", .source = "engineering estimate: 2 x 250 J/K"},
    {.name = "cpu_junction_to_case", .quantity = Quantity::thermal_resistance, .fallback = 0.02, .low = 1e-4, .high = 1, .meaning = "Junction to case resistance of a tray's CPUs in parallel.", .source = "engineering estimate: 0.04 K/W each"},
    {.name = "cpu_plate_conductance", .quantity = Quantity::thermal_conductance, .fallback = 60, .low = 0.1, .high = 1e4, .meaning = "Plate to coolant conductance of a tray's CPUs together.", .source = "engineering estimate: 2 x 30 W/K, half a GPU's plate each"},
    {.name = "switch_idle_power", .quantity = Quantity::power, .fallback = 400, .low = 0, .high = 1e4, .meaning = "Idle power of an NVLink tray.", .source = "derived in hardware.csv (rack_idle_power)"},
    {.name = "switch_power", .quantity = Quantity::power, .fallback = 1240, .low = 0, .high = 1e4, .meaning = "Full power of an NVLink tray.", .source = "NVL72 manifold study, hardware.csv (estimate; closes 135 kW)"},
    {.name = "switch_liquid_share", .quantity = Quantity::ratio, .fallback = 1100.0 / 1240.0, .low = 0, .high = 1, .meaning = "Part of an NVLink tray's heat taken by its cold plates.", .source = "1.1 of 1.24 kW, pod-design section 1 finding 1"},
    {.name = "switch_die_capacity", .quantity = Quantity::heat_capacity, .fallback = 200, .low = 1, .high = 5e3, .meaning = "Heat capacity of the switch packages of a tray.", .source = "engineering estimate"},
    {.name = "switch_plate_capacity", .quantity = Quantity::heat_capacity, .fallback = 800, .low = 1, .high = 2e4, .meaning = "Heat capacity of the cold plates of an NVLink tray.", .source = "engineering estimate"},
    {.name = "switch_junction_to_case", .quantity = Quantity::thermal_resistance, .fallback = 0.01, .low = 1e-4, .high = 1, .meaning = "Junction to case resistance of a tray's switches in parallel.", .source = "engineering estimate"},
    {.name = "switch_plate_conductance", .quantity = Quantity::thermal_conductance, .fallback = 60, .low = 0.1, .high = 1e4, .meaning = "Plate to coolant conductance of an NVLink tray.", .source = "engineering estimate: as one GPU plate"},
    {.name = "tray_air_power", .quantity = Quantity::power, .fallback = 400, .low = 0, .high = 5e3, .meaning = "NICs, DPU, SSDs and fans of a compute tray: heat to air.", .source = "6.6 kW less 6.2 kW liquid, pod-design section 1"},
    {.name = "auxiliary_power", .quantity = Quantity::power, .fallback = 1360, .low = 0, .high = 2e4, .meaning = "DC power of management, busbar and fans of the rack: heat to air.", .source = "derived: closes the 135 kW nameplate (133.6 kW are explained by trays, pod-design section 1)"},
    {.name = "excess_liquid_share", .quantity = Quantity::ratio, .fallback = 0.90, .low = 0, .high = 1, .meaning = "Liquid share (of AC) of a set rack power beyond what its devices explain.", .source = "Lenovo LP2357 liquid share (published)"},
    {.name = "tray_coolant_volume", .quantity = Quantity::volume, .fallback = 0.778e-3, .low = 1e-6, .high = 0.1, .meaning = "Coolant in a compute tray.", .source = "VR NVL72 transcription, hardware.csv (estimate)"},
    {.name = "switch_coolant_volume", .quantity = Quantity::volume, .fallback = 0.175e-3, .low = 1e-6, .high = 0.1, .meaning = "Coolant in an NVLink tray.", .source = "VR NVL72 transcription, hardware.csv (estimate)"},
    {.name = "manifold_coolant_volume", .quantity = Quantity::volume, .fallback = 17.7e-3, .low = 1e-6, .high = 1, .meaning = "Coolant in both rack manifolds together.", .source = "VR NVL72 transcription, hardware.csv (estimate)"},
    {.name = "dp_flow_low", .quantity = Quantity::volume_flow, .fallback = 59.0 / 60000.0, .low = 1e-7, .high = 1, .meaning = "Flow of the lower point of the pressure-drop law.", .source = kLenovo},
    {.name = "dp_low", .quantity = Quantity::pressure_difference, .fallback = 15.9e3, .low = 1, .high = 1e7, .meaning = "Pressure drop at dp_flow_low.", .source = kLenovo},
    {.name = "dp_flow_high", .quantity = Quantity::volume_flow, .fallback = 177.0 / 60000.0, .low = 1e-7, .high = 1, .meaning = "Flow of the upper point of the pressure-drop law.", .source = kLenovo},
    {.name = "dp_high", .quantity = Quantity::pressure_difference, .fallback = 126.9e3, .low = 1, .high = 1e7, .meaning = "Pressure drop at dp_flow_high.", .source = kLenovo},
    {.name = "required_flow_cold", .quantity = Quantity::volume_flow, .fallback = 59.0 / 60000.0, .low = 1e-7, .high = 1, .meaning = "Required flow at supply temperature required_t_cold and rated power.", .source = kLenovo},
    {.name = "required_t_cold", .quantity = Quantity::temperature, .fallback = 298.15, .low = 270, .high = 370, .meaning = "Supply temperature of the first required-flow point.", .source = kLenovo},
    {.name = "required_flow_warm", .quantity = Quantity::volume_flow, .fallback = 177.0 / 60000.0, .low = 1e-7, .high = 1, .meaning = "Required flow at supply temperature required_t_warm and rated power.", .source = kLenovo},
    {.name = "required_t_warm", .quantity = Quantity::temperature, .fallback = 318.15, .low = 270, .high = 370, .meaning = "Supply temperature of the second required-flow point.", .source = kLenovo},
    {.name = "shelves", .kind = ParameterKind::integer, .fallback = 8, .low = 1, .high = 64, .meaning = "Power shelves, shared equally by the feeds.", .source = "DGX GB user guide through hardware.csv (published)"},
    {.name = "shelf_rating", .quantity = Quantity::power, .fallback = 33e3, .low = 100, .high = 1e6, .meaning = "DC rating of a shelf.", .source = "NVIDIA BCM power shelf integration (published)"},
    {.name = "shelf_efficiency", .kind = ParameterKind::curve, .quantity = Quantity::ratio, .low = 0, .high = 2, .meaning = "Efficiency of a shelf against its load over rating; default 94.0/96.2/97.5/97.2/96.6 % at 10/20/50/75/100 %.", .source = "97.5 % at half load published, others shaped estimates: hardware.csv", .ordinate = Quantity::ratio, .optional = true},
};

constexpr StateInfo kRackStates[] = {
    {"t_supply", Quantity::temperature, 1.0, "Coolant in the supply manifold [K]."},
    {"t_return", Quantity::temperature, 1.0, "Coolant in the return manifold [K]."},
};
constexpr DiscreteInfo kRackDiscretes[] = {
    {"power_setting", Quantity::power, 0.0, "AC power the rack is held to [W]; 0: power follows utilisation."},
    {"power_cap", Quantity::power, 0.0, "DC power of the GPUs together is held below this [W]; 0: no cap."},
};
constexpr SignalInfo kRackSignals[] = {
    {"power", Quantity::power, SignalType::real, "AC input of the rack, all feeds."},
    {"t_supply", Quantity::temperature, SignalType::real, "Coolant temperature in the supply manifold."},
    {"t_return", Quantity::temperature, SignalType::real, "Coolant temperature in the return manifold."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow through the rack."},
    {"flow_margin", Quantity::volume_flow, SignalType::real, "Flow less the flow the maker requires at this supply temperature and power."},
    {"throttled", Quantity::none, SignalType::integer, "GPUs of the rack that are throttled or shut down."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop from supply to return node."},
    {"power_dc", Quantity::power, SignalType::real, "DC power behind the shelves."},
    {"heat", Quantity::power, SignalType::real, "Heat of the devices taken by coolant-cooled plates."},
    {"heat_air", Quantity::power, SignalType::real, "Heat given to the air of the hall."},
    {"feeds_live", Quantity::none, SignalType::integer, "Feeds that are energised."},
    {"flow_required", Quantity::volume_flow, SignalType::real, "Flow the maker requires at this supply temperature and power."},
};
constexpr CommandInfo kRackCommands[] = {
    {"trip", "", Quantity::none, "Drops the rack's power."},
    {"restore", "", Quantity::none, "Restores it, shut-down GPUs included."},
    {"cap", "power", Quantity::power, "Holds the GPUs' power so that the rack's AC input stays below the value; 0 lifts the cap."},
    {"set", "power", Quantity::power, "Holds the rack's AC input at the value; 0 lets it follow utilisation."},
};
constexpr LimitInfo kRackLimits[] = {
    {"flow_margin", false, 0.0, 5.0, "warranty", "flow below the maker's table, Lenovo LP2357; 5 s is an estimate"},
    {"t_return", true, 338.15, 5.0, "warranty", "NVL72 maximum return 65 degC, hardware.csv (published)"},
    {"t_supply", true, 318.15, 5.0, "warranty", "maximum supply 45 degC, Lenovo LP2357 (published)"},
};
constexpr ClassInfo kRack{.name = "rack", .group = "rack", .title = "Liquid-cooled rack of compute and switch trays", .page = "it/rack.md", .symbol = "rack",
                          .ports = kRackPorts, .parameters = kRackParameters, .states = kRackStates, .discretes = kRackDiscretes,
                          .signals = kRackSignals, .commands = kRackCommands, .limits = kRackLimits};

constexpr StateInfo kTrayStates[] = {{"t_coolant", Quantity::temperature, 1.0, "Coolant mixed in the tray [K]."}};
constexpr SignalInfo kTraySignals[] = {
    {"t_coolant", Quantity::temperature, SignalType::real, "Coolant temperature at the tray's outlet."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow through the tray."},
    {"power", Quantity::power, SignalType::real, "DC power of the tray."},
};
constexpr ClassInfo kTray{.name = "tray", .group = "tray", .title = "Compute tray of a rack", .page = "it/rack.md", .symbol = "tray",
                          .states = kTrayStates, .signals = kTraySignals, .user_visible = false};

constexpr StateInfo kChipStates[] = {
    {"t_junction", Quantity::temperature, 1.0, "Die temperature [K]."},
    {"t_case", Quantity::temperature, 1.0, "Case and cold plate temperature [K]."},
};
constexpr DiscreteInfo kGpuDiscretes[] = {
    {"utilisation", Quantity::ratio, 0.0, "Share of the dynamic power range asked for."},
    {"throttled", Quantity::none, 0.0, "1 while held to the throttle power."},
    {"shut_down", Quantity::none, 0.0, "1 after a thermal shutdown until restored."},
    {"power_cap", Quantity::power, 0.0, "Power cap [W]; 0: none."},
};
constexpr SignalInfo kGpuSignals[] = {
    {"t_junction", Quantity::temperature, SignalType::real, "Junction temperature."},
    {"power", Quantity::power, SignalType::real, "Electric power, all of it heat."},
    {"utilisation", Quantity::ratio, SignalType::real, "Share of the dynamic power range asked for by the workload."},
    {"t_case", Quantity::temperature, SignalType::real, "Case temperature."},
    {"throttled", Quantity::none, SignalType::integer, "1 while throttled, 2 after shutdown."},
};
constexpr CommandInfo kGpuCommands[] = {
    {"trip", "", Quantity::none, "Shuts the GPU down."},
    {"restore", "", Quantity::none, "Brings it back."},
    {"cap", "power", Quantity::power, "Caps its power; 0 lifts the cap."},
};
constexpr LimitInfo kGpuLimits[] = {
    {"t_junction", true, 360.15, 0.0, "alarm", "throttle temperature, estimate 87 degC, hardware.csv"},
    {"t_junction", true, 368.15, 0.0, "trip", "shutdown temperature, estimate 95 degC, hardware.csv"},
};
constexpr ClassInfo kGpu{.name = "gpu", .group = "gpu", .title = "GPU with its own die and cold plate", .page = "it/rack.md", .symbol = "gpu",
                         .states = kChipStates, .discretes = kGpuDiscretes, .signals = kGpuSignals, .commands = kGpuCommands, .limits = kGpuLimits, .user_visible = false};

constexpr SignalInfo kChipSignals[] = {
    {"t_junction", Quantity::temperature, SignalType::real, "Junction temperature."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    {"t_case", Quantity::temperature, SignalType::real, "Case temperature."},
};
constexpr ClassInfo kCpu{.name = "cpu", .group = "cpu", .title = "CPUs of a compute tray with their cold plates, as one", .page = "it/rack.md", .symbol = "cpu",
                         .states = kChipStates, .signals = kChipSignals, .user_visible = false};

constexpr SignalInfo kSwitchSignals[] = {
    {"t_coolant", Quantity::temperature, SignalType::real, "Coolant temperature at the tray's outlet."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    {"t_junction", Quantity::temperature, SignalType::real, "Junction temperature."},
};
constexpr ClassInfo kSwitch{.name = "nvlink_tray", .group = "nvlink_tray", .title = "NVLink switch tray of a rack", .page = "it/rack.md", .symbol = "tray",
                            .states = kTrayStates, .signals = kSwitchSignals, .user_visible = false};

constexpr SignalInfo kShelfSignals[] = {
    {"power", Quantity::power, SignalType::real, "DC output."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to air."},
    {"loading", Quantity::ratio, SignalType::real, "DC output over rating."},
};
constexpr LimitInfo kShelfLimits[] = {{"loading", true, 1.0, 0.0, "rating", "33 kW shelf, NVIDIA BCM (published)"}};
constexpr ClassInfo kShelf{.name = "power_shelf", .group = "power_shelf", .title = "Power shelf of a rack", .page = "it/rack.md", .symbol = "rectifier",
                           .signals = kShelfSignals, .limits = kShelfLimits, .user_visible = false};

}  // namespace

const ClassInfo& rackInfo() { return kRack; }
const ClassInfo& trayInfo() { return kTray; }
const ClassInfo& gpuInfo() { return kGpu; }
const ClassInfo& cpuInfo() { return kCpu; }
const ClassInfo& switchTrayInfo() { return kSwitch; }
const ClassInfo& powerShelfInfo() { return kShelf; }

}  // namespace podtwin
