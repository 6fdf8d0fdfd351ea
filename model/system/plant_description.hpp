// A plant as a pod file describes it, after the reader expanded ranges, templates and types:
// plain data in SI units with the place of every value in its file. No YAML, no solver.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/system/class_info.hpp"

namespace podtwin {

/// One parameter of one instance, SI. Which member counts follows the ParameterKind.
struct ParameterValue {
  double number = 0.0;                            ///< number, integer, flag (0 or 1)
  std::string text;                               ///< choice, text
  std::vector<double> numbers;                    ///< numbers
  std::vector<std::pair<double, double>> points;  ///< curve, in file order
  SourceMark where;
  bool given = false;  ///< by the instance or its type; false for a class default
  std::string source;  ///< of the catalogue entry, if it states one
};

enum class OperatingMode { automatic, manual, off };

struct InstanceDescription {
  std::string id;
  std::string class_name;
  std::string type;                                       ///< catalogue type, or empty
  std::map<std::string, ParameterValue> parameters;       ///< every parameter of the class, defaults filled in
  std::map<std::string, std::vector<std::string>> ports;  ///< port -> node, bus, zone or member names
  std::map<std::string, SourceMark> port_marks;
  std::string tag;     ///< alias at the building system
  std::string supply;  ///< bus that feeds its drive, actuator or controller; empty: not modelled
  bool in_service = true;
  OperatingMode mode = OperatingMode::automatic;
  SourceMark where;

  double number(const std::string& name) const { return parameters.at(name).number; }
  bool flag(const std::string& name) const { return parameters.at(name).number != 0.0; }
  const std::string& text(const std::string& name) const { return parameters.at(name).text; }
};

struct FluidSpec {
  std::string name;  ///< water, PG25, propylene-glycol-NN, ...; "custom" when the properties are given
  std::optional<double> density, viscosity, specific_heat, conductivity;  ///< SI; custom only
};

struct CircuitDescription {
  std::string name;
  FluidSpec fluid;
  std::string reference_node;       ///< node whose pressure is held; empty if boundaries do it
  double reference_pressure = 0.0;  ///< Pa gauge
  std::string held_by;              ///< equipment that holds its pressure in place of a reference; may be empty
  SourceMark held_by_where;
  double trapped_stiffness = 2.5e5;      ///< Pa/K of a part whose every way out is shut
  double property_temperature = 313.15;  ///< K at which stated volume flows and nominal points hold
  bool constant_properties = false;      ///< those of property_temperature at every temperature
  SourceMark where;
};

struct NodeDescription {
  std::string name;
  std::optional<double> elevation;            ///< m
  std::optional<double> volume;               ///< m3 of coolant mixed at the node
  std::optional<double> fixed_pressure;       ///< Pa gauge: boundary
  std::optional<double> fixed_temperature;    ///< K: boundary
  std::optional<double> inflow;               ///< m3/s into the circuit
  std::optional<double> initial_temperature;  ///< K
  std::optional<double> nominal_voltage;      ///< V, line to line
  SourceMark where;
};

/// A limit the pod file states: quantity, value, delay, kind, source (practice section 2).
struct LimitDescription {
  std::string id;
  std::string signal;  ///< address
  bool above = true;
  double value = 0.0;
  Quantity quantity =
      Quantity::none;  ///< of the value: the signal's where its class is known, else as the unit in the file tells
  std::string text;    ///< of the value, to be read again where the plant tells the signal's kind
  SourceMark value_where;
  double delay = 0.0;
  std::string kind;
  std::string source;
  SourceMark where;
};

struct DesignPoint {
  double rack_power = 0.0;         ///< W
  double dry_bulb = 0.0;           ///< K
  double relative_humidity = 0.0;  ///< 1
  bool given = false;
};

/// What an instance is told by hand at the start, beside its parameters: `--set tcs1-P1.speed=0.8`.
struct StartSetting {
  std::string id, argument, text;  ///< argument of its `set`: speed, position
  std::string written;             ///< the whole option
  SourceMark where;
};

struct PlantDescription {
  std::string file;
  std::string title;
  double latitude = 0.0;   ///< rad
  double longitude = 0.0;  ///< rad
  double elevation = 0.0;  ///< m
  double gravity = 9.80665;
  std::string friction = "colebrook";
  std::vector<CircuitDescription> circuits;
  std::vector<NodeDescription> nodes;
  std::vector<InstanceDescription> instances;  ///< equipment and controls, in file order
  std::vector<LimitDescription> limits;
  std::map<std::string, std::vector<std::string>> groups;  ///< name -> instance ids
  DesignPoint design;
  std::map<std::string, std::string> opaque_sections;  ///< layout, common_causes: section -> JSON text
  std::vector<StartSetting> start_settings;
  std::vector<std::string> files;  ///< pod file and catalogues, as they were found
  std::string source_text;         ///< pod file and catalogues as read, for provenance
};

}  // namespace podtwin
