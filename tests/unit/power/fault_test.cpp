// Faults in a run, fault levels and sags, against Thevenin's circuit by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/system/fault_levels.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

const double kRoot3 = std::numbers::sqrt3;
constexpr double kGrid = 500e6, kRatio = 0.1;         // VA and R/X of the grid
constexpr double kRating = 2.5e6, kImpedance = 0.06;  // of the transformer
constexpr double kLoadLoss = 18e3;                    // W
constexpr double kHigh = 20e3, kLow = 480.0;          // V
const Complex kCable(0.5e-3, 0.2e-3);                 // ohm
constexpr double kEarthing = 1e-5;                    // ohm, called solid
constexpr double kTolerance = 1e-6;

Build grid(double short_circuit_power) {
  return Build("utility", "GRID")
      .set("rating", 20e6)
      .set("voltage", kHigh)
      .set("short_circuit_power", short_circuit_power)
      .set("resistance_over_reactance", kRatio)
      .port("to", {"MV"});
}
Build transformer(const char* group, double voltage = kLow) {
  return Build("transformer", "T")
      .set("rating", kRating)
      .set("second_voltage", voltage)
      .set("impedance", kImpedance)
      .set("load_loss", kLoadLoss)
      .set("no_load_loss", 0.0)
      .set("vector_group", group)
      .port("from", {"MV"})
      .port("to", {"LV"});
}
Build cable() {
  return Build("line", "W")
      .set("length", 1.0)
      .numbers("resistance", {kCable.real()})
      .numbers("reactance", {kCable.imag()})
      .port("from", {"LV"})
      .port("to", {"END"});
}
Build fault(const char* id, const char* kind, double resistance) {
  return Build("fault", id).set("kind", kind).set("resistance", resistance).port("at", {"END"});
}
Complex gridImpedance(double voltage, double short_circuit_power = kGrid) {
  const double x = voltage * voltage / short_circuit_power / std::sqrt(1.0 + kRatio * kRatio);
  return {kRatio * x, x};
}
Complex transformerImpedance(double voltage = kLow) {
  const double base = voltage * voltage / kRating, r = kLoadLoss / kRating;
  return {r * base, std::sqrt(kImpedance * kImpedance - r * r) * base};
}

TEST(Fault, DrivesTheCurrentsOfTheveninsCircuitWhateverIsJoined) {
  for (const char* group : {"Dyn11", "YNyn0"})
    for (const double resistance : {1e-5, 3e-3}) {
      SCOPED_TRACE(group);
      Plant plant({grid(kGrid), transformer(group), cable(), fault("F3", "three_phase", resistance),
                   fault("F2", "line_line", resistance), fault("F1", "line_ground", resistance),
                   fault("FE", "line_line_ground", resistance).set("phases", "bc")});
      const Complex behind = transformerImpedance() + kCable, z1 = gridImpedance(kLow) + behind;
      // A delta keeps the grid out of the zero sequence.
      const Complex z0 = (group[0] == 'D' ? Complex{} : gridImpedance(kLow)) + behind + 3.0 * kEarthing;
      const double u = kLow / kRoot3;
      const auto near = [&](const std::string& address, double expected) {
        EXPECT_NEAR(plant.value(address), expected, kTolerance * expected) << address;
      };
      const auto applied = [&](const char* id, auto&& check) {
        EXPECT_EQ(plant.command(id, "apply"), "");
        check();
        // What it heats is what the grid gives beyond the loss on the way.
        EXPECT_NEAR(plant.e.source_power, plant.system().heatToAmbient(plant.e), 1e-9 * plant.e.source_power);
        EXPECT_GT(plant.value(std::string(id) + ".power"), 0.0);
        EXPECT_EQ(plant.command(id, "clear"), "");
        EXPECT_EQ(plant.value(std::string(id) + ".i"), 0.0);
        near("END.v_a", u);
      };
      applied("F3", [&] {
        near("F3.i_a", u / std::abs(z1 + resistance));
        near("F3.i_c", u / std::abs(z1 + resistance));
        EXPECT_NEAR(plant.value("F3.i_earth"), 0.0, 1e-3);
      });
      applied("F2", [&] {
        near("F2.i_a", kLow / std::abs(2.0 * z1 + resistance));
        near("F2.i_b", kLow / std::abs(2.0 * z1 + resistance));
        EXPECT_EQ(plant.value("F2.i_c"), 0.0);
        near("END.v_c", u);
      });
      applied("F1", [&] {
        near("F1.i_a", 3.0 * u / std::abs(2.0 * z1 + z0 + 3.0 * resistance));
        near("F1.i_earth", plant.value("F1.i"));
      });
      applied("FE", [&] {
        near("FE.i_earth", 3.0 * u / std::abs(z1 + resistance + 2.0 * (z0 + resistance)));
        EXPECT_EQ(plant.value("FE.i_a"), 0.0);
      });
    }
}

TEST(Fault, IsRefusedOnPhasesThatItsKindDoesNotJoin) {
  EXPECT_NE(problemsOf({grid(kGrid), transformer("Dyn11"), cable(), fault("F", "line_line", 1e-3).set("phases", "a")})
                .find("it joins two phases"),
            std::string::npos);
  EXPECT_NE(
      problemsOf({Build("utility", "GRID").set("rating", 1e6).port("to", {"END"}), fault("F", "line_ground", 1e-3)})
          .find("without a nominal voltage"),
      std::string::npos);
}

TEST(Fault, LowersVoltagesAboveItAndLoadsThereAreImpedancesThen) {
  Plant plant({grid(kGrid), transformer("Dyn11"), cable(), fault("F", "three_phase", 1e-3),
               Build("electrical_load", "L").set("power", 200e3).set("connection", "star").on("LV")});
  EXPECT_NEAR(plant.value("L.power"), 200e3, 1e-3);
  plant.command("F", "apply");
  const double share = plant.value("LV.voltage"), lowest = 0.7;
  EXPECT_LT(share, lowest);
  EXPECT_NEAR(plant.value("L.power"), 200e3 * share * share / (lowest * lowest), 1.0);
  EXPECT_GT(plant.value("T.i_a"), 1e3);
  EXPECT_NEAR(plant.e.source_power, plant.system().heatToAmbient(plant.e), 1e-9 * plant.e.source_power);
}

TEST(Fault, IsSolvedWhateverItsResistanceAndTheBooksLackTheShortfallAlone) {
  // A UPS without a current limit drives megawatts into faults behind it, so that its input sinks through the corners
  // of every load there.
  for (const char* bus : {"LV", "UB", "PDU"})
    for (const char* kind : {"three_phase", "line_line", "line_ground", "line_line_ground"})
      for (int third = -14; third <= 8; ++third) {
        const double resistance = std::pow(10.0, third / 3.0);
        SCOPED_TRACE(std::string(bus) + " " + kind + " " + std::to_string(resistance));
        Plant plant(
            {grid(300e6), transformer("Dyn11"),
             Build("ups", "U").set("rating", 1e6).port("from", {"LV"}).port("to", {"UB"}),
             Build("busway", "W").set("rating", 1600.0).port("from", {"UB"}).port("to", {"PDU"}),
             Build("electrical_load", "L").set("power", 600e3).set("connection", "star").on("PDU"),
             Build("electrical_load", "M").set("power", 700e3).set("reactive_power", 300e3).on("LV"),
             Build("electrical_load", "C").set("power", 200e3).set("model", "current").on("LV"),
             Build("electrical_load", "S").set("power", 200e3).set("connection", "star").set("phases", "a").on("LV"),
             Build("fault", "F").set("kind", kind).set("resistance", resistance).port("at", {bus})});
        EXPECT_EQ(plant.command("F", "apply"), "");
        double short_of = 0.0;
        for (const char* each : {"MV", "LV", "UB", "PDU"}) short_of += plant.value(std::string(each) + ".shortfall");
        EXPECT_GE(short_of, 0.0);
        EXPECT_NEAR(plant.system().heatToAmbient(plant.e) - plant.e.source_power, short_of,
                    1e-7 * (plant.e.source_power + short_of));
      }
}

double levelOf(const FaultStudy& study, const std::string& bus) {
  for (const auto& level : study.levels)
    if (level.bus == bus) return level.greatest.three_phase;
  ADD_FAILURE() << "no level of " << bus;
  return 0.0;
}

TEST(FaultLevel, OfATransformerBehindAStrongGridIsItsRatedCurrentOverItsImpedance) {
  // practice.md section 4: 2.5 MVA of 6 % give 50.1 kA at 480 V and 58.0 kA at 415 V.
  for (const auto& [voltage, kilo] : {std::pair{480.0, 50.1}, std::pair{415.0, 58.0}}) {
    const Plant plant({grid(1e12), transformer("Dyn11", voltage)});
    EXPECT_NEAR(levelOf(faultLevels(plant.system(), plant.e, FaultMethod::nominal), "LV") / 1e3, kilo, 0.05);
  }
}

TEST(FaultLevel, ByIec60909HasItsVoltageAndCorrectionFactors) {
  const Plant plant({grid(kGrid).set("least_short_circuit_power", 250e6), transformer("Dyn11"), cable()});
  const double c = 1.1, reactance = std::sqrt(kImpedance * kImpedance - std::pow(kLoadLoss / kRating, 2));
  const double correction = 0.95 * c / (1.0 + 0.6 * reactance);
  const Complex z1 = c * gridImpedance(kLow) + correction * transformerImpedance() + kCable,
                z0 = correction * transformerImpedance() + kCable + 3.0 * kEarthing;
  const FaultStudy study = faultLevels(plant.system(), plant.e, FaultMethod::iec_60909);
  ASSERT_EQ(study.levels.size(), 3U);
  const FaultLevel& end = study.levels[2];
  EXPECT_EQ(end.bus, "END");
  const double u = c * kLow / kRoot3;
  EXPECT_NEAR(end.greatest.three_phase, u / std::abs(z1), kTolerance * end.greatest.three_phase);
  EXPECT_NEAR(end.greatest.line_line, kRoot3 * u / std::abs(2.0 * z1), kTolerance * end.greatest.line_line);
  EXPECT_NEAR(end.greatest.line_ground, 3.0 * u / std::abs(2.0 * z1 + z0), kTolerance * end.greatest.line_ground);
  EXPECT_NEAR(end.greatest.earth, 3.0 * u / std::abs(z1 + 2.0 * z0), kTolerance * end.greatest.earth);
  EXPECT_NEAR(end.reactance_over_resistance, z1.imag() / z1.real(), 1e-5);
  // Least: c = 0.9 (of the medium voltage 1), conductors at 80 degC; the feeder's impedance with its own least c.
  const Complex least =
      gridImpedance(kLow, 250e6) + correction * transformerImpedance() + Complex(1.24 * kCable.real(), kCable.imag());
  EXPECT_NEAR(end.least.three_phase, 0.9 * kLow / kRoot3 / std::abs(least), kTolerance * end.least.three_phase);
  ASSERT_EQ(end.infeeds.size(), 1U);
  EXPECT_EQ(end.infeeds[0].source, "GRID");
  EXPECT_NEAR(end.infeeds[0].current, end.greatest.three_phase, kTolerance * end.greatest.three_phase);
}

TEST(FaultLevel, IsRefusedBehindASourceThatHoldsItsVoltageWithoutEnd) {
  const Plant plant({grid(0.0), transformer("Dyn11")});
  EXPECT_THROW(faultLevels(plant.system(), plant.e, FaultMethod::iec_60909), InputError);
  const Plant held({grid(kGrid).set("holds_voltage", 1.0), transformer("Dyn11")});
  EXPECT_GT(levelOf(faultLevels(held.system(), held.e, FaultMethod::iec_60909), "MV"), 14e3);
}

TEST(FaultLevel, BehindAUpsIsTheLimitOfItsInverter) {
  const Plant plant({grid(kGrid), transformer("Dyn11"),
                     Build("ups", "U").set("rating", 1e6).port("from", {"LV"}).port("to", {"UB"})});
  const FaultStudy study = faultLevels(plant.system(), plant.e, FaultMethod::iec_60909);
  const double rated = 1e6 / (kRoot3 * kLow);
  for (const auto& level : study.levels) {
    EXPECT_EQ(level.limited, level.bus == "UB");
    if (level.bus != "UB") continue;
    EXPECT_NEAR(level.greatest.three_phase, 2.0 * rated, 1e-6);
    EXPECT_NEAR(level.least.line_ground, 1.5 * rated, 1e-6);
    EXPECT_NEAR(level.peak, std::numbers::sqrt2 * 2.0 * rated, 1e-6);
  }
}

TEST(FaultLevel, LeavesAFaultThatIsAppliedOut) {
  Plant plant({grid(kGrid), transformer("Dyn11"), cable(), fault("F", "three_phase", 1e-4)});
  const double before = levelOf(faultLevels(plant.system(), plant.e, FaultMethod::iec_60909), "END");
  plant.command("F", "apply");
  EXPECT_DOUBLE_EQ(levelOf(faultLevels(plant.system(), plant.e, FaultMethod::iec_60909), "END"), before);
}

// A generator with voltages: subtransient reactance 12 % of 1 MVA at 480 V, power factor 0.8.
constexpr double kMachinePower = 1e6, kMachineReactance = 0.12, kMachineResistance = 0.005, kMachineSine = 0.6;
constexpr PortInfo kMachinePorts[] = {{"to", PortKind::bus, PortCount::one, "bus it feeds"}};
constexpr ClassInfo kMachineInfo{.name = "machine",
                                 .group = "machine",
                                 .title = "Machine",
                                 .page = "",
                                 .symbol = "none",
                                 .ports = kMachinePorts,
                                 .electrical = ElectricalRole::source};
struct Machine {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t bus;
    std::array<std::size_t, 3> source;
  };
  static const ClassInfo& info() { return kMachineInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Machine>&, Binder& b) {
    const auto bus = b.bus(i, "to");
    const Complex z = Complex(kMachineResistance, kMachineReactance) * kLow * kLow / kMachinePower;
    Instance p{{}, {}, static_cast<std::size_t>(bus), {}};
    for (std::size_t k = 0; k < 3; ++k)
      p.source[k] = b.source(i,
                             {.name = d.id,
                              .to = b.conductor(bus, k),
                              .impedance = z,
                              .infeed = {.kind = Infeed::Kind::machine,
                                         .impedance = z,
                                         .rated_voltage = kLow,
                                         .reactance = kMachineReactance,
                                         .sine = kMachineSine}},
                             -1);
    return p;
  }
  static void demand(std::size_t, const Instance& p, const KernelSet<Machine>&, Evaluation& e) {
    for (std::size_t k = 0; k < 3; ++k) e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.bus, k, kLow);
  }
  static double signal(std::size_t, std::size_t, const Instance&, const KernelSet<Machine>&, const Evaluation&) {
    return 0.0;
  }
};

TEST(FaultLevel, OfAMachineHasItsCorrectionFactor) {
  std::vector<RegisteredClass> classes(testClasses().begin(), testClasses().end());
  classes.push_back({&kMachineInfo, makeKernelSetInto<Machine, SetList>});
  PlantDescription plant;
  InstanceDescription machine;
  machine.id = "G";
  machine.class_name = "machine";
  machine.ports["to"] = {"B"};
  plant.instances = {machine};
  NodeDescription node;
  node.name = "B";
  node.nominal_voltage = kLow;
  plant.nodes = {node};
  const System system(plant, classes);
  const State state = system.initialState(300.0, Weather{});
  Evaluation e = system.makeEvaluation();
  std::vector<double> ydot(system.size());
  system.evaluate(state, 0.0, state.y, e, ydot);
  const double correction = 1.1 / (1.0 + kMachineReactance * kMachineSine);
  const double z = correction * std::hypot(kMachineResistance, kMachineReactance) * kLow * kLow / kMachinePower;
  const double expected = 1.1 * kLow / kRoot3 / z;
  EXPECT_NEAR(levelOf(faultLevels(system, e, FaultMethod::iec_60909), "B"), expected, kTolerance * expected);
}

TEST(Sag, LowersEveryVoltageByItsShareUntilRestored) {
  Plant plant({grid(kGrid), transformer("Dyn11")});
  const double angle = plant.value("LV.angle_a");
  EXPECT_EQ(plant.command("GRID", "sag", 0.5), "");
  EXPECT_NEAR(plant.value("LV.voltage"), 0.5, 1e-9);
  EXPECT_NEAR(plant.value("LV.angle_a"), angle, 1e-9);
  EXPECT_EQ(plant.command("GRID", "sag", 0.0), "");
  EXPECT_NEAR(plant.value("LV.voltage"), 0.0, 1e-12);
  EXPECT_EQ(plant.command("GRID", "swell", 1.2), "");
  EXPECT_NEAR(plant.value("LV.voltage"), 1.2, 1e-9);
  EXPECT_NE(plant.command("GRID", "sag", 1.2), "");
  EXPECT_NE(plant.command("GRID", "swell", 0.8), "");
  EXPECT_EQ(plant.command("GRID", "restore"), "");
  EXPECT_NEAR(plant.value("LV.voltage"), 1.0, 1e-9);
}

TEST(Sag, WhatDrivesTurnIntoHeatBeyondWhatTheyCanDrawIsTheShortfallOfTheirBus) {
  Plant plant({grid(kGrid), transformer("Dyn11"), Build("thermal_mass", "M").on("LV")});
  plant.command("M", "set", 1.0);
  EXPECT_EQ(plant.value("LV.shortfall"), 0.0);
  const auto lacking = [&] {
    double heat = plant.system().heatToAmbient(plant.e);
    const auto [set, i] = plant.system().find("M");
    heat += plant.e.heat[set->yIndex(0, i)];
    return heat - plant.e.source_power;
  };
  EXPECT_NEAR(lacking(), 0.0, 1e-3);
  plant.command("GRID", "sag", 0.6);  // above the lowest share of 50 %: all power is drawn
  EXPECT_NEAR(lacking(), 0.0, 1e-3);
  EXPECT_EQ(plant.value("LV.shortfall"), 0.0);
  plant.command("GRID", "sag", 0.2);
  EXPECT_NEAR(plant.value("LV.shortfall"), kMassPower * (1.0 - 0.16), 0.02 * kMassPower);
  EXPECT_NEAR(lacking(), plant.value("LV.shortfall"), 1e-3);
}

}  // namespace
}  // namespace podtwin::test
