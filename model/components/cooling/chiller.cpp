// Chiller that holds its leaving temperature, air- or water-cooled. Equations: chiller.md.
#include <array>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/cooling/chiller_curves.hpp"
#include "model/components/cooling/chiller_info.hpp"
#include "model/components/cooling/chiller_start.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/fluids/range.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;
constexpr std::size_t kLoading = 0, kEntering = 1, kLeaving = 2, kCondenserIn = 3, kCondenserOut = 4;

enum class CopLaw { carnot, constant, eir };

struct Chiller {
  static constexpr int kColumns = 5, kRows = 5;
  struct Instance {
    /// Loading, entering, leaving, condenser in and out; in outdoor air the latter two are its dry bulb and ledger.
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, condenser_edge;
    bool water_cooled, on_off, own_control;
    std::ptrdiff_t control_bus;
    CopLaw law;
    EirCurves curves;
    ChillerStartRules rules;
    const fluids::CoolantHeat *coolant, *condenser_coolant;
    double cp, capacity, set_point, cop, carnot, approach, lift, cop_max, fans, response, ramp, k, m_linear, m_proof;
    double condenser_cp, condenser_k, condenser_linear, condenser_proof, recirculation, cutout;
    double minimum_load, unloading, maximum_load, differential;
    const KernelSet<Chiller>* set;
  };
  static const ClassInfo& info() { return kChillerInfo; }

  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Chiller>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    const std::size_t from = b.fluidNode(i, "from"), to = b.fluidNode(i, "to");
    p.edge = b.edge(from, to, d.id);
    p.cp = b.specificHeat(from);
    p.coolant = &b.coolantHeat(from);
    p.capacity = d.number("capacity");
    p.set_point = d.number("set_point");
    const std::string& law = d.text("cop_law");
    p.law = law == "constant" ? CopLaw::constant : law == "eir" ? CopLaw::eir : CopLaw::carnot;
    p.cop = d.number("cop");
    p.carnot = d.number("carnot_fraction");
    p.approach = d.number("condenser_approach");
    p.lift = d.number("minimum_lift");
    p.cop_max = d.number("cop_max");
    p.response = d.number("response_time");
    p.ramp = d.number("ramp_time");
    p.minimum_load = d.number("minimum_load");
    p.unloading = std::max(d.number("unloading_limit"), p.minimum_load);
    p.maximum_load = p.law == CopLaw::eir ? d.number("maximum_load") : 1.0;
    p.on_off = d.text("low_load") == "on_off";
    p.differential = d.number("differential");
    p.cutout = d.number("condenser_cutout");
    const double m = d.number("flow") * b.density(from);
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    p.m_proof = d.number("minimum_flow") * m;
    const ThermalPort in = b.nodePort(from), out = b.nodePort(to);
    p.columns = {set.yIndex(0, i), in.column, out.column, 0, 0};
    p.rows = {set.yIndex(0, i), in.row, out.row, 0, 0};
    bindCondenser(p, i, d, b);
    p.fans = p.law == CopLaw::carnot && !p.water_cooled ? d.number("fan_fraction") : 0.0;
    bindStart(p, i, d, b);
    if (p.law == CopLaw::eir) bindCurves(p, d, b);
    return p;
  }

  static void bindCondenser(Instance& p, std::size_t i, const InstanceDescription& d, Binder& b) {
    const std::size_t ends = b.portCount(i, "condenser");
    p.water_cooled = ends == 2;
    if (ends != 0 && ends != 2)
      b.problems().error(d.port_marks.at("condenser"),
                         "'" + d.id + "' names " + std::to_string(ends) + " nodes of its condenser",
                         "name two, [inlet, outlet], or leave the port out for a condenser in outdoor air");
    if (!p.water_cooled) {
      const ThermalPort air = b.ambient();
      p.columns[kCondenserIn] = p.columns[kCondenserOut] = air.column;
      p.rows[kCondenserIn] = p.rows[kCondenserOut] = air.row;
      p.recirculation = d.number("recirculation");
      return;
    }
    const std::size_t from = b.fluidNode(i, "condenser", 0), to = b.fluidNode(i, "condenser", 1);
    p.condenser_edge = b.edge(from, to, d.id + " (condenser)");
    p.condenser_cp = b.specificHeat(from);
    p.condenser_coolant = &b.coolantHeat(from);
    const double flow = d.number("condenser_flow") * b.density(from);
    if (flow <= 0.0) {
      b.problems().error(d.where, "'" + d.id + "' has a condenser on a circuit and no condenser_flow",
                         "give the flow at which condenser_dp is stated");
      return;
    }
    p.condenser_k = d.number("condenser_dp") / (flow * flow);
    p.condenser_linear = kLinearShare * flow;
    p.condenser_proof = d.number("condenser_minimum_flow") * flow;
    const ThermalPort in = b.nodePort(from), out = b.nodePort(to);
    p.columns[kCondenserIn] = in.column;
    p.columns[kCondenserOut] = out.column;
    p.rows[kCondenserIn] = in.row;
    p.rows[kCondenserOut] = out.row;
  }

  static void bindStart(Instance& p, std::size_t i, const InstanceDescription& d, Binder& b) {
    p.own_control = b.hasPort(i, "control_supply");
    p.control_bus = b.bus(i, "control_supply");
    const double whole = d.number("restart_delay");
    double boot = d.number("boot_time");
    if (const ParameterValue& given = d.parameters.at("boot_time"); given.given && boot > whole)
      b.problems().error(given.where,
                         "'" + d.id + "': its boot_time of " + fluids::inWords(boot) +
                             " s is a part of restart_delay, and that is " + fluids::inWords(whole) + " s",
                         "raise restart_delay or lower boot_time");
    boot = std::min(boot, whole);
    p.rules = {.boot = boot,
               .restart = whole - boot,
               .flow_proof = d.number("flow_proof_time"),
               .flow_loss = d.number("flow_loss_time"),
               .coast_down = d.number("coast_down_time"),
               .minimum_off = d.number("minimum_off_time"),
               .stagger = d.number("stagger"),
               .fast = d.flag("fast_restart")};
  }

  static std::span<const double> list(const InstanceDescription& d, Binder& b, const char* name, std::size_t least,
                                      std::size_t most) {
    const ParameterValue& value = d.parameters.at(name);
    const std::size_t count = value.numbers.size();
    if (count >= least && count <= most) return value.numbers;
    b.problems().error(value.given ? value.where : d.where,
                       "'" + d.id + "' has cop_law eir and " + std::to_string(count) + " values of " + name,
                       "give " + std::to_string(least) + (least == most ? "" : " or " + std::to_string(most)) +
                           " values, as the data sheet or EnergyPlus's data set states them");
    return {};
  }
  static CurveRange range(const InstanceDescription& d, Binder& b, const char* name) {
    const auto ends = list(d, b, name, 2, 2);
    if (ends.empty()) return {0.0, 0.0, 0.0};
    if (!(ends[0] < ends[1]))
      b.problems().error(d.parameters.at(name).where, "'" + d.id + "': " + name + " does not rise",
                         "write [lowest, highest]");
    return {ends[0], ends[1], d.number("extrapolation_margin")};
  }
  static void bindCurves(Instance& p, const InstanceDescription& d, Binder& b) {
    const auto capacity = list(d, b, "capacity_curve", 6, 6), input = list(d, b, "input_curve", 6, 6),
               load = list(d, b, "part_load_curve", 3, 4);
    p.curves = {biquadraticOf(capacity), biquadraticOf(input), cubicOf(load), range(d, b, "evaporator_range"),
                range(d, b, "condenser_range")};
    if (capacity.empty() || input.empty() || load.empty() || !(p.curves.evaporator.low < p.curves.evaporator.high) ||
        !(p.curves.condenser.low < p.curves.condenser.high))
      return;
    if (const std::string fault = p.curves.fault(p.unloading, p.maximum_load); !fault.empty()) {
      b.problems().error(d.parameters.at("capacity_curve").where, "'" + d.id + "': " + fault + ", not positive",
                         "check coefficients and units (degC), or narrow the ranges or extrapolation_margin");
      return;
    }
    warnOutside(d, b, p.curves.evaporator, p.set_point, "set_point", "evaporator_range");
    const DesignPoint& design = b.system().plant().design;
    if (!p.water_cooled && design.given)
      warnOutside(d, b, p.curves.condenser, design.dry_bulb + p.recirculation, "design dry bulb", "condenser_range");
  }
  static void warnOutside(const InstanceDescription& d, Binder& b, const CurveRange& range, double T,
                          const std::string& what, const char* name) {
    if (range.outside(T) <= 0.0) return;
    char text[160];
    std::snprintf(text, sizeof text, "%.2f degC, is outside its %s of %.2f to %.2f degC", T - 273.15, name,
                  range.low - 273.15, range.high - 273.15);
    b.problems().warning(d.where, "'" + d.id + "': the " + what + ", " + text,
                         "its capacity and power there are extrapolated; use curves that cover it");
  }

  static void initialise(std::size_t i, const Instance&, const KernelSet<Chiller>& set, State& s, double) {
    s.y[set.yIndex(0, i)] = 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Chiller>& set, Evaluation& e) {
    const bool open = set.z(e, kInService, i) != 0.0;
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = open;
    if (!p.water_cooled) return;
    e.laws[p.condenser_edge].k = p.condenser_k;
    e.laws[p.condenser_edge].m_linear = p.condenser_linear;
    e.laws[p.condenser_edge].open = open;
  }

  // -- states
  static bool controlled(const Instance& p, const Evaluation& e) {
    return p.control_bus < 0 || e.energised[static_cast<std::size_t>(p.control_bus)] != 0;
  }
  static bool running(const Instance& p, const Evaluation& e) {
    return p.set->z(e, kChillerState, p.self) == static_cast<double>(ChillerState::running) &&
           p.set->available(e, p.self) && controlled(p, e);
  }
  static ChillerMemory memory(const Instance& p, State& s) {
    const auto at = [&](ChillerDiscrete k) -> double& { return p.set->z(s, k, p.self); };
    return {at(kChillerState),       at(kChillerBootedAt),  at(kChillerAvailableSince),
            at(kChillerProvenSince), at(kChillerLostSince), at(kChillerStoppedAt)};
  }
  static ChillerInputs inputs(const Instance& p, const Evaluation& e) {
    const bool flow =
        std::abs(e.m[p.edge]) >= p.m_proof && (!p.water_cooled || std::abs(e.m[p.condenser_edge]) >= p.condenser_proof);
    const bool cycles = p.on_off && p.minimum_load > 0.0;
    return {.t = e.t,
            .available = p.set->available(e, p.self),
            .controlled = controlled(p, e),
            .own_control = p.own_control,
            .flow = flow,
            .rest = cycles &&
                    at(p, e).leaving<p.set_point - p.differential, .call = entering(p, e)> p.set_point + p.differential,
            .at_once = e.steady_search};
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Chiller>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    if (!e.steady_search) set.z(s, kChillerAveraged, i) = 0.0;
    const ChillerNews news = advanceChiller(p.rules, inputs(p, e), memory(p, s));
    if (!news.text.empty())
      events.push_back({set.ids()[i], std::string(news.actor), std::string(news.cause), std::string(news.text)});
    if (!running(p, e) || e.steady_search || condenserTop(p, e) <= p.cutout) return;
    set.z(s, kTripped, i) = 1.0;
    events.push_back({set.ids()[i], "protection", "high condensing pressure", "tripped"});
  }

  // -- performance
  struct Point {
    double rate, entering, condenser, leaving, heat, available, served;
  };
  static double entering(const Instance& p, const Evaluation& e) {
    return e.y[p.columns[e.m[p.edge] >= 0.0 ? kEntering : kLeaving]];
  }
  static double condenserRate(const Instance& p, const Evaluation& e) {
    return p.water_cooled ? e.m[p.condenser_edge] * p.condenser_cp : 0.0;
  }
  static double condenserEntering(const Instance& p, const Evaluation& e) {
    return e.y[p.columns[condenserRate(p, e) >= 0.0 ? kCondenserIn : kCondenserOut]] + p.recirculation;
  }
  static double capacityAt(const Instance& p, double leaving, double condenser) {
    return p.law == CopLaw::eir ? p.capacity * p.curves.capacityShare(leaving, condenser).value : p.capacity;
  }
  /// Heat with all compressors loaded.
  static ChillerDuty duty(const Instance& p, const Evaluation& e, double rate, double entering, double condenser) {
    if (!running(p, e)) return {0.0, 0.0, 0.0};
    ChillerDuty full{};
    if (p.law == CopLaw::eir) {
      full = eirDuty(p.curves, p.capacity, p.maximum_load, rate, entering, p.set_point, condenser);
    } else if (const double wanted = rate * (entering - p.set_point); wanted > 0.0) {
      full = wanted <= p.capacity ? ChillerDuty{wanted, rate, 0.0} : ChillerDuty{p.capacity, 0.0, 0.0};
    }
    const bool averaged = e.steady_search || p.set->z(e, kChillerAveraged, p.self) != 0.0;
    return p.on_off && p.minimum_load > 0.0 && !averaged ? least(p, full, rate, entering, condenser) : full;
  }
  /// Compressors that run take minimum_load at least, down to twice the differential below the set point.
  static ChillerDuty least(const Instance& p, const ChillerDuty& full, double rate, double entering, double condenser) {
    const double lowest = rate * (entering - p.set_point + 2.0 * p.differential);
    const double held = p.minimum_load * capacityAt(p, p.set_point, condenser);
    if (full.heat >= std::min(lowest, held) || lowest <= 0.0) return full;
    if (lowest <= held) return {lowest, rate, 0.0};
    const double slope = p.law == CopLaw::eir ? p.curves.capacityShare(p.set_point, condenser).by_condenser : 0.0;
    return {held, 0.0, p.minimum_load * p.capacity * slope};
  }
  /// Of coolant between the entering temperature and the set point.
  static double meanSpecificHeat(const Instance& p, double entering) {
    constexpr double kAlike = 1e-3;  // K
    const double span = entering - p.set_point;
    if (std::abs(span) < kAlike) return p.coolant->specificHeat(entering);
    return (p.coolant->enthalpy(entering) - p.coolant->enthalpy(p.set_point)) / span;
  }
  static Point at(const Instance& p, const Evaluation& e) {
    Point now{};
    now.entering = entering(p, e);
    now.rate = std::abs(e.m[p.edge]) * meanSpecificHeat(p, now.entering);
    now.condenser = condenserEntering(p, e);
    now.heat = e.y[p.columns[kLoading]] * duty(p, e, now.rate, now.entering, now.condenser).heat;
    now.leaving =
        now.rate > 0.0
            ? p.coolant->fromCarried(p.coolant->carried(now.entering) - now.heat / (std::abs(e.m[p.edge]) * p.cp))
            : e.y[p.columns[kLeaving]];
    now.available = capacityAt(p, now.leaving, now.condenser);
    now.served = p.set->served(e, p.self);
    return now;
  }
  static double cyclingRatio(const Instance& p, const Point& now) {
    if (now.heat <= 0.0) return 0.0;
    return p.minimum_load > 0.0 ? std::min(now.heat / (p.minimum_load * now.available), 1.0) : 1.0;
  }
  static double partLoad(const Instance& p, const Point& now) {
    return std::max(now.heat / now.available, p.unloading);
  }
  static double performance(const Instance& p, const Point& now) {
    if (p.law == CopLaw::constant) return p.cop;
    if (p.law == CopLaw::carnot) {
      const double lift = std::max(now.condenser + p.approach - p.set_point, p.lift);
      return std::min(p.carnot * p.set_point / lift, p.cop_max);
    }
    // Below the minimum load compressors run at it a share of the time.
    const double load = std::max(now.heat / now.available, p.minimum_load), running = partLoad(p, now);
    return p.cop * load / (p.curves.inputRatio(now.leaving, now.condenser) * p.curves.partLoad(running));
  }
  static double electric(const Instance& p, const Point& now) {
    if (now.heat <= 0.0) return 0.0;
    const double compressor = now.heat / performance(p, now);
    return now.served * (compressor + p.fans * (now.heat + compressor));
  }
  static double condenserTop(const Instance& p, const Evaluation& e) {
    const double rate = std::abs(condenserRate(p, e));
    if (rate <= 0.0) return condenserEntering(p, e);
    const Point now = at(p, e);
    const double in = now.condenser - p.recirculation;
    return p.recirculation +
           p.condenser_coolant->fromCarried(p.condenser_coolant->carried(in) + (now.heat + electric(p, now)) / rate);
  }

  static void demand(std::size_t i, const Instance& p, const KernelSet<Chiller>& set, Evaluation& e) {
    set.load(e, i, electric(p, at(p, e)));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    using std::min;
    const S towards = (S(running(p, e) ? 1.0 : 0.0) - x[kLoading]) / S(p.response);
    r[kLoading] = p.ramp > 0.0 ? min(towards, S(1.0 / p.ramp)) : towards;
    const double flow = e.m[p.edge];
    const std::size_t in = flow >= 0.0 ? kEntering : kLeaving, out = kEntering + kLeaving - in;
    const double through = condenserRate(p, e);
    const std::size_t cold = through >= 0.0 ? kCondenserIn : kCondenserOut, hot = kCondenserIn + kCondenserOut - cold;
    const double entering = valueOf(x[in]), mean = meanSpecificHeat(p, entering);
    const ChillerDuty full = duty(p, e, std::abs(flow) * mean, entering, valueOf(x[cold]) + p.recirculation);
    const double by_entering = full.by_entering * p.coolant->specificHeat(entering) / mean;
    const S taken = x[kLoading] * (S(full.heat) + S(by_entering) * (x[in] - S(entering)) +
                                   S(full.by_condenser) * (x[cold] - S(valueOf(x[cold]))));
    r[out] = S(std::abs(flow) * p.cp) * (p.coolant->carried(x[in]) - p.coolant->carried(x[out])) - taken;
    r[hot] = taken + S(electric(p, at(p, e)));
    if (p.water_cooled)
      r[hot] += S(std::abs(through)) * (p.condenser_coolant->carried(x[cold]) - p.condenser_coolant->carried(x[hot]));
  }

  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Chiller>& set,
                       const Evaluation& e) {
    const Point now = at(p, e);
    const bool outside = p.law == CopLaw::eir && running(p, e);
    switch (k) {
      case kChillerHeat:
        return now.heat;
      case kChillerPower:
        return electric(p, now);
      case kChillerCop: {
        const double power = electric(p, now);
        return power > 0.0 ? now.heat / power : 0.0;
      }
      case kChillerCompressorCop:
        return performance(p, now);
      case kChillerLeaving:
        return now.leaving;
      case kChillerLoad:
        return now.heat / now.available;
      case kChillerRunning:
        return running(p, e) ? 1.0 : 0.0;
      case kChillerSaturated:
        return running(p, e) && now.rate * (now.entering - p.set_point) >
                                    p.maximum_load * capacityAt(p, p.set_point, now.condenser)
                   ? 1.0
                   : 0.0;
      case kChillerAvailable:
        return now.available;
      case kChillerCycling:
        return cyclingRatio(p, now);
      case kChillerHotGas:
        return now.heat < p.unloading * now.available
                   ? std::max(cyclingRatio(p, now) * p.unloading * now.available - now.heat, 0.0)
                   : 0.0;
      case kChillerEntering:
        return now.entering;
      case kChillerCondenserEntering:
        return now.condenser;
      case kChillerCondenserLeaving:
        return condenserTop(p, e);
      case kChillerRejected:
        return now.heat + electric(p, now);
      case kChillerLift:
        return now.condenser - now.leaving;
      case kChillerExtrapolated:
        return outside && p.curves.outside(now.leaving, now.condenser) > 0.0 ? 1.0 : 0.0;
      case kChillerOutsideCurves:
        return outside ? p.curves.outside(now.leaving, now.condenser) : 0.0;
      case kChillerStateSignal:
        return set.z(e, kChillerState, p.self);
      default:
        return untilStart(p, e);
    }
  }
  static double untilStart(const Instance& p, const Evaluation& e) {
    double held[6];
    for (std::size_t k = 0; k < std::size(held); ++k) held[k] = p.set->z(e, kChillerState + k, p.self);
    return timeToStart(p.rules, inputs(p, e), {held[0], held[1], held[2], held[3], held[4], held[5]});
  }
};

class ChillerSet : public KernelSet<Chiller> {
 public:
  using KernelSet<Chiller>::KernelSet;
  void endSteadySearch(State& s) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      endChillerSearch(s.t, Chiller::memory(instance(i), s));
      z(s, kChillerAveraged, i) = 1.0;
    }
  }
};

}  // namespace

RegisteredClass chillerClass() {
  return {&kChillerInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RidesThrough<ChillerSet, kChillerRideThrough>>(std::move(instances)));
          }};
}

}  // namespace podtwin
