// Metadata of the rack and its parts: names, units, limits and their sources.
#include "model/components/it/rack_info.hpp"

namespace podtwin {

namespace {

constexpr double kNever = -1.0;  // value of a time that is not set

constexpr PortInfo kRackPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "coolant supply node"},
    {"to", PortKind::fluid, PortCount::one, "coolant return node"},
    {"feeds", PortKind::bus, PortCount::many,
     "buses that feed the power shelves, in equal shares; none: supply not modelled"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes the heat given to air; outdoor air when left out"},
};

// Error scales of the stores: at the default tolerance of 0.05 of them a step may err by 5 J and 50 W.
constexpr double kEnergyScale = 100.0, kPowerScale = 1000.0;
constexpr StateInfo kRackStates[] = {
    {"t_supply", Quantity::temperature, 1.0, "Coolant in the supply manifold [K]."},
    {"t_return", Quantity::temperature, 1.0, "Coolant in the return manifold [K]."},
    {"capacitors_missing", Quantity::energy, kEnergyScale, "Energy missing from the shelves' capacitors [J]."},
    {"bbu_missing", Quantity::energy, kEnergyScale, "Energy missing from the battery backup shelves [J]."},
    {"hold_up_missing", Quantity::energy, kEnergyScale, "Energy missing from the supplies' own capacitors [J]."},
    {"smoothed_demand", Quantity::power, kPowerScale, "DC demand as the smoothing filter has it [W]."},
};
constexpr DiscreteInfo kRackDiscretes[] = {
    {"power_setting", Quantity::power, 0.0, "AC power the rack is held to [W]; 0: power follows utilisation."},
    {"power_cap", Quantity::power, 0.0, "AC input of the rack is held below this [W] by its GPUs; 0: no cap."},
    {"flow_resistance", Quantity::ratio, 1.0,
     "Pressure drop over that with every tray connected and clean at the same flow; 0: no tray lets coolant through."},
    {"flow_uneven", Quantity::none, 0.0, "1 while trays differ in flow by more than 1 % or a plate is clogged."},
    {"cap_ordered", Quantity::power, 0.0,
     "AC input that an on-GPU limit on its way will hold the rack to [W]; 0: none."},
    {"cap_due", Quantity::time, kNever, "Time at which it holds [s]; -1: none is on its way."},
    {"brake", Quantity::none, 0.0, "1 while the hardware brake holds the GPUs by order."},
    {"brake_due", Quantity::time, kNever, "Time at which it will [s]; -1: none is on its way."},
    {"shelf_brake", Quantity::none, 0.0, "1 while the shelves hold the GPUs by the hardware brake."},
    {"shelf_brake_due", Quantity::time, kNever, "Time at which they will [s]; -1: not on its way."},
    {"shelf_limit", Quantity::none, 0.0, "1 while GPUs are held to what the shelves can give."},
    {"shelf_limit_due", Quantity::time, kNever, "Time at which they will be [s]; -1: not on its way."},
    {"overload_since", Quantity::time, kNever,
     "Time since which the rack has asked for more than that [s]; -1: it has not."},
    {"bbu_ended", Quantity::none, 0.0, "1 once the battery backup is empty, until it is charged."},
    {"dropped", Quantity::none, 0.0, "1 while the rack is off because its busbar collapsed."},
    {"restart_due", Quantity::time, kNever, "Time of its return [s]; -1: none."},
    {"drops", Quantity::none, 0.0, "Times it has dropped."},
};
constexpr SignalInfo kRackSignals[] = {
    {"power", Quantity::power, SignalType::real, "AC input of the rack, all feeds."},
    {"t_supply", Quantity::temperature, SignalType::real, "Coolant temperature in the supply manifold."},
    {"t_return", Quantity::temperature, SignalType::real, "Coolant temperature in the return manifold."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow through the rack."},
    {"flow_margin", Quantity::volume_flow, SignalType::real,
     "Flow less the flow the maker requires at this supply temperature and power."},
    {"throttled", Quantity::none, SignalType::integer, "GPUs of the rack that are throttled or shut down."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop from supply to return node."},
    {"power_dc", Quantity::power, SignalType::real, "DC power behind the shelves."},
    {"heat", Quantity::power, SignalType::real, "Heat of the devices taken by coolant-cooled plates."},
    {"heat_air", Quantity::power, SignalType::real, "Heat given to the air of the hall."},
    {"feeds_live", Quantity::none, SignalType::integer, "Feeds that are energised."},
    {"flow_required", Quantity::volume_flow, SignalType::real,
     "Flow the maker requires at this supply temperature and power."},
    {"power_available", Quantity::power, SignalType::real, "DC power that its live supplies can give."},
    {"power_margin", Quantity::power, SignalType::real,
     "DC power available less what the rack asks for without the shelves' brake and limit."},
    {"capacitor_charge", Quantity::ratio, SignalType::real, "Charge of the shelves' capacitors."},
    {"bbu_charge", Quantity::ratio, SignalType::real, "Charge of the battery backup shelves; 0 without any."},
    {"time_to_drop", Quantity::time, SignalType::real,
     "Time for which its stores carry what supplies do not, at present powers, up to an hour."},
    {"held_by", Quantity::none, SignalType::integer,
     "What holds its GPUs down: 0 nothing, 1 an ordered limit, 2 the shelves' limit, 3 the hardware brake."},
    {"dropped", Quantity::none, SignalType::integer, "1 while it is off because its busbar collapsed."},
    {"drops", Quantity::none, SignalType::integer, "Times it has dropped: work lost."},
    {"busbar_voltage", Quantity::voltage, SignalType::real, "Voltage of the DC busbar; 0 while it is off."},
};
constexpr CommandInfo kRackCommands[] = {
    {"trip", "", Quantity::none, "Drops the rack's power."},
    {"restore", "", Quantity::none, "Restores it, shut-down GPUs included."},
    {"cap", "power", Quantity::power,
     "Holds the GPUs' power, after limit_time, so that the rack's AC input stays below the value; 0 lifts the cap."},
    {"brake", "", Quantity::none, "Holds every GPU to gpu_brake_power, after brake_time."},
    {"release", "", Quantity::none, "Lets the ordered brake go."},
    {"set", "power", Quantity::power, "Holds the rack's AC input at the value; 0 lets it follow utilisation."},
};
constexpr LimitInfo kRackLimits[] = {
    {"flow_margin", false, 0.0, 5.0, "warranty", "flow below the maker's table, Lenovo LP2357; 5 s is an estimate"},
    {"t_return", true, 338.15, 5.0, "warranty", "NVL72 maximum return 65 degC, hardware.csv (published)"},
    {"t_supply", true, 318.15, 5.0, "warranty", "maximum supply 45 degC, Lenovo LP2357 (published)"},
    {"power_margin", false, 0.0, 0.0, "rating", "sum of its live supplies' ratings"},
    {"dropped", true, 0.5, 0.0, "trip", "the rack's work is lost"},
};

constexpr DiscreteInfo kTrayDiscretes[] = {
    {"disconnected", Quantity::none, 0.0, "1 while its quick disconnects are apart."},
    {"air_locked", Quantity::none, 0.0, "1 while air fills its channels and nothing flows."},
    {"clogging", Quantity::ratio, 0.0, "Share of its open area that is blocked."},
    {"flow_share", Quantity::ratio, 0.0, "Share of the rack's flow."},
};
constexpr CommandInfo kTrayCommands[] = {
    {"isolate", "", Quantity::none, "Takes its quick disconnects apart: nothing flows, its coolant stands."},
    {"restore", "", Quantity::none, "Connects and vents it; its GPUs and CPUs come back after a thermal shutdown."},
    {"clog", "share", Quantity::ratio, "Blocks the stated share of its open area."},
    {"clean", "", Quantity::none, "Nothing of its own blocked; its plates keep what they have."},
    {"air_lock", "", Quantity::none, "Air fills its channels: nothing flows until it is vented."},
    {"vent", "", Quantity::none, "Lets the air out."},
};
constexpr StateInfo kTrayStates[] = {{"t_coolant", Quantity::temperature, 1.0, "Coolant mixed in the tray [K]."}};
constexpr SignalInfo kTraySignals[] = {
    {"t_coolant", Quantity::temperature, SignalType::real, "Coolant temperature at the tray's outlet."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow through the tray."},
    {"power", Quantity::power, SignalType::real, "DC power of the tray."},
    {"shut", Quantity::none, SignalType::integer, "0 coolant can pass, 1 disconnected, 2 air-locked."},
};
// The data of the coolants end here (glycol.hpp), where water boils at 101.325 kPa. A loop under pressure boils later,
// but neither vapour nor what follows from it is modelled.
constexpr double kCoolantBoils = 373.15;  // K
constexpr std::string_view kBoils =
    "validity: coolant data end at 100 degC and water boils there at 101.325 kPa; boiling is not modelled, rack.md";
constexpr LimitInfo kTrayLimits[] = {{"t_coolant", true, kCoolantBoils, 0.0, "alarm", kBoils}};
constexpr ClassInfo kTray{.name = "tray",
                          .group = "tray",
                          .title = "Compute tray of a rack",
                          .page = "it/rack.md",
                          .symbol = "tray",
                          .states = kTrayStates,
                          .discretes = kTrayDiscretes,
                          .signals = kTraySignals,
                          .commands = kTrayCommands,
                          .limits = kTrayLimits,
                          .user_visible = false};

constexpr StateInfo kChipStates[] = {
    {"t_junction", Quantity::temperature, 1.0, "Die temperature [K]."},
    {"t_case", Quantity::temperature, 1.0, "Case and cold plate temperature [K]."},
};
constexpr StateInfo kSwitchStates[] = {
    {"t_coolant", Quantity::temperature, 1.0, "Coolant mixed in the tray [K]."},
    {"t_junction", Quantity::temperature, 1.0, "Die temperature [K]."},
    {"t_case", Quantity::temperature, 1.0, "Case and cold plate temperature [K]."},
};
constexpr DiscreteInfo kGpuDiscretes[] = {
    {"utilisation", Quantity::ratio, 0.0, "Share of the dynamic power range asked for."},
    {"throttled", Quantity::none, 0.0, "1 while held to the throttle power."},
    {"shut_down", Quantity::none, 0.0, "1 after a thermal shutdown until restored."},
    {"power_cap", Quantity::power, 0.0, "Power cap [W]; 0: none."},
    {"clogging", Quantity::ratio, 0.0, "Share of the open area of its plate that is blocked."},
    {"flow_share", Quantity::ratio, 0.0, "Share of its tray's flow."},
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
    {"clog", "share", Quantity::ratio, "Blocks the stated share of the open area of its plate."},
    {"clean", "", Quantity::none, "Nothing of its plate blocked."},
};
constexpr LimitInfo kGpuLimits[] = {
    {"t_junction", true, 360.15, 0.0, "alarm", "throttle temperature, estimate 87 degC, hardware.csv",
     "gpu_throttle_temperature"},
    {"t_junction", true, 368.15, 0.0, "trip", "shutdown temperature, estimate 95 degC, hardware.csv",
     "gpu_shutdown_temperature"},
};
constexpr ClassInfo kGpu{.name = "gpu",
                         .group = "gpu",
                         .title = "GPU with its own die and cold plate",
                         .page = "it/rack.md",
                         .symbol = "gpu",
                         .states = kChipStates,
                         .discretes = kGpuDiscretes,
                         .signals = kGpuSignals,
                         .commands = kGpuCommands,
                         .limits = kGpuLimits,
                         .user_visible = false};

constexpr SignalInfo kChipSignals[] = {
    {"t_junction", Quantity::temperature, SignalType::real, "Junction temperature."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    {"t_case", Quantity::temperature, SignalType::real, "Case temperature."},
    {"throttled", Quantity::none, SignalType::integer, "1 while throttled, 2 after shutdown."},
};
constexpr DiscreteInfo kCpuDiscretes[] = {
    {"throttled", Quantity::none, 0.0, "1 while held to the throttle power."},
    {"shut_down", Quantity::none, 0.0, "1 after a thermal shutdown until restored."},
    {"flow_share", Quantity::ratio, 0.0, "Share of its tray's flow."},
};
constexpr CommandInfo kChipCommands[] = {{"restore", "", Quantity::none, "Brings it back after a thermal shutdown."}};
constexpr LimitInfo kCpuLimits[] = {
    {"t_junction", true, 368.15, 0.0, "alarm", "throttle temperature, estimate 95 degC, rack.md",
     "cpu_throttle_temperature"},
    {"t_junction", true, 378.15, 0.0, "trip", "shutdown temperature, estimate 105 degC, rack.md",
     "cpu_shutdown_temperature"},
};
constexpr ClassInfo kCpu{.name = "cpu",
                         .group = "cpu",
                         .title = "CPUs of a compute tray with their cold plates, as one",
                         .page = "it/rack.md",
                         .symbol = "cpu",
                         .states = kChipStates,
                         .discretes = kCpuDiscretes,
                         .signals = kChipSignals,
                         .commands = kChipCommands,
                         .limits = kCpuLimits,
                         .user_visible = false};

constexpr DiscreteInfo kSwitchDiscretes[] = {
    {"throttled", Quantity::none, 0.0, "1 while held to the throttle power."},
    {"shut_down", Quantity::none, 0.0, "1 after a thermal shutdown until restored."},
    {"disconnected", Quantity::none, 0.0, "1 while its quick disconnects are apart."},
    {"air_locked", Quantity::none, 0.0, "1 while air fills its channels and nothing flows."},
    {"clogging", Quantity::ratio, 0.0, "Share of its open area that is blocked."},
    {"flow_share", Quantity::ratio, 0.0, "Share of the rack's flow."},
};
constexpr CommandInfo kSwitchCommands[] = {
    {"isolate", "", Quantity::none, "Takes its quick disconnects apart: nothing flows, its coolant stands."},
    {"restore", "", Quantity::none, "Connects and vents it; it comes back after a thermal shutdown."},
    {"clog", "share", Quantity::ratio, "Blocks the stated share of its open area."},
    {"clean", "", Quantity::none, "Nothing blocked."},
    {"air_lock", "", Quantity::none, "Air fills its channels: nothing flows until it is vented."},
    {"vent", "", Quantity::none, "Lets the air out."},
};
constexpr SignalInfo kSwitchSignals[] = {
    {"t_coolant", Quantity::temperature, SignalType::real, "Coolant temperature at the tray's outlet."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    {"t_junction", Quantity::temperature, SignalType::real, "Junction temperature."},
    {"throttled", Quantity::none, SignalType::integer, "1 while throttled, 2 after shutdown."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow through the tray."},
    {"shut", Quantity::none, SignalType::integer, "0 coolant can pass, 1 disconnected, 2 air-locked."},
};
constexpr LimitInfo kSwitchLimits[] = {
    {"t_junction", true, 368.15, 0.0, "alarm", "throttle temperature, estimate 95 degC, rack.md",
     "switch_throttle_temperature"},
    {"t_junction", true, 378.15, 0.0, "trip", "shutdown temperature, estimate 105 degC, rack.md",
     "switch_shutdown_temperature"},
    {"t_coolant", true, kCoolantBoils, 0.0, "alarm", kBoils},
};
constexpr ClassInfo kSwitch{.name = "nvlink_tray",
                            .group = "nvlink_tray",
                            .title = "NVLink switch tray of a rack",
                            .page = "it/rack.md",
                            .symbol = "tray",
                            .states = kSwitchStates,
                            .discretes = kSwitchDiscretes,
                            .signals = kSwitchSignals,
                            .commands = kSwitchCommands,
                            .limits = kSwitchLimits,
                            .user_visible = false};

constexpr DiscreteInfo kShelfDiscretes[] = {
    {"low_since_a", Quantity::time, kNever, "Time since which phase a of its feed is too low [s]; -1: it is not."},
    {"low_since_b", Quantity::time, kNever, "Likewise of phase b [s]."},
    {"low_since_c", Quantity::time, kNever, "Likewise of phase c [s]."},
    {"off_a", Quantity::none, 0.0, "1 while its supplies on phase a give nothing for want of input."},
    {"off_b", Quantity::none, 0.0, "Likewise on phase b."},
    {"off_c", Quantity::none, 0.0, "Likewise on phase c."},
    {"restart_due_a", Quantity::time, kNever, "Time of their return [s]; -1: none."},
    {"restart_due_b", Quantity::time, kNever, "Likewise on phase b [s]."},
    {"restart_due_c", Quantity::time, kNever, "Likewise on phase c [s]."},
    {"failed_a", Quantity::none, 0.0, "Supplies on phase a that have failed."},
    {"failed_b", Quantity::none, 0.0, "Likewise on phase b."},
    {"failed_c", Quantity::none, 0.0, "Likewise on phase c."},
};
constexpr SignalInfo kShelfSignals[] = {
    {"power", Quantity::power, SignalType::real, "DC output."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to air."},
    {"loading", Quantity::ratio, SignalType::real, "DC output over rating."},
    {"supplies_live", Quantity::none, SignalType::integer, "Supplies that can give power."},
    {"full", Quantity::none, SignalType::integer, "1 while it gives all that its live supplies can."},
};
constexpr CommandInfo kShelfCommands[] = {
    {"trip", "", Quantity::none, "Output off."},
    {"restore", "", Quantity::none, "Output on, with every supply."},
    {"fail", "supply", Quantity::none, "The supply of this number fails."},
};
constexpr LimitInfo kShelfLimits[] = {
    {"loading", true, 1.0, 0.0, "rating", "33 kW shelf, NVIDIA BCM (published)"},
    {"full", true, 0.5, 0.0, "rating", "sum of the ratings of its live supplies"},
};
constexpr ClassInfo kShelf{.name = "power_shelf",
                           .group = "power_shelf",
                           .title = "Power shelf of a rack",
                           .page = "it/rack.md",
                           .symbol = "rectifier",
                           .discretes = kShelfDiscretes,
                           .signals = kShelfSignals,
                           .commands = kShelfCommands,
                           .limits = kShelfLimits,
                           .user_visible = false};

}  // namespace

const ClassInfo& rackInfo() {
  static const ClassInfo rack{.name = "rack",
                              .group = "rack",
                              .title = "Liquid-cooled rack of compute and switch trays",
                              .page = "it/rack.md",
                              .symbol = "rack",
                              .ports = kRackPorts,
                              .parameters = rackParameters(),
                              .states = kRackStates,
                              .discretes = kRackDiscretes,
                              .signals = kRackSignals,
                              .commands = kRackCommands,
                              .limits = kRackLimits};
  return rack;
}
const ClassInfo& trayInfo() { return kTray; }
const ClassInfo& gpuInfo() { return kGpu; }
const ClassInfo& cpuInfo() { return kCpu; }
const ClassInfo& switchTrayInfo() { return kSwitch; }
const ClassInfo& powerShelfInfo() { return kShelf; }

}  // namespace podtwin
