// One reading of a pod file with all it includes, collecting every problem before any is thrown. The parts: files
// (pod_files.cpp), equipment (pod_equipment.cpp), the plant besides (pod_plant.cpp), references (pod_references.cpp),
// --set (pod_overrides.cpp).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "data/readers/parameter_parser.hpp"
#include "data/readers/pod_reader.hpp"
#include "data/readers/ranges.hpp"
#include "data/readers/yaml_document.hpp"
#include "data/readers/yaml_helpers.hpp"

namespace podtwin::data {

using Parameters = std::map<std::string, std::string>;

/// A catalogue type: a class with parameters.
struct TypeDefinition {
  const ClassInfo* info = nullptr;
  std::map<std::string, ParameterValue> parameters;
  SourceMark where;
};

struct TemplateDefinition {
  std::vector<std::string> parameters;
  const YamlNode* body = nullptr;
  SourceMark where;
};

/// An instance before its type or model is looked up.
struct RawInstance {
  std::string display;  // the key as written: the same for all of a range, so that a problem is told once
  const YamlNode* body = nullptr;
  std::vector<std::string> captures;
  std::shared_ptr<const Parameters> parameters;
  enum class State { fresh, visiting, done } state = State::fresh;
  const ClassInfo* info = nullptr;  // null when the instance is broken
};

/// A name whose definition in included files makes way for that of the including one.
struct Replacement {
  std::string by;  // the file that says so
  SourceMark where;
  bool used = false;
};
using Replacements = std::map<std::string, Replacement>;

/// A part of a pod section that waits for all ids to be known.
struct Pending {
  const YamlEntry* entry = nullptr;
  std::shared_ptr<const Parameters> parameters;
};

class PodReader {
 public:
  PodReader(const ReadOptions& options, ClassList classes);

  PlantDescription read(const std::string& path);

  void catalogueAlone(const std::string& path) { loadCatalogue(path); }

  /// Hands the problems over, each once: all names of a range share their text.
  void report(Diagnostics& diagnostics) const;

 private:
  void addAddressName(std::string_view name);

  // -- files

  static std::string canonical(const std::string& path);

  const YamlDocument* load(const std::string& path);

  void loadPod(const std::string& path, const SourceMark& from);

  // -- replacements: the outermost file that names something has the say

  void readReplacements(Fields& top, const std::string& path);

  static bool replaced(Replacements& replacements, const std::string& name, const SourceMark& where);

  void reportIdleReplacements();

  /// Puts the sections that a pod file and a template share on their lists.
  void collect(Fields& fields, const std::shared_ptr<const Parameters>& parameters);

  void loadCatalogue(const std::string& path);

  void addType(const YamlEntry& entry);

  const ClassInfo* findClass(const std::string& name, const SourceMark& where);

  void addTemplate(const YamlEntry& entry);

  // -- single values of the pod

  void readSite(Fields& top);

  void readPhysics(Fields& top);

  void readDesign(Fields& top);

  /// The humidity of a design weather that states its wet bulb, once the site is known.
  void finishDesign();

  // -- expansion

  void expandAll();

  /// Names of a key with template parameters and ranges filled in; empty after a problem.
  std::vector<ExpandedName> namesOf(const Pending& pending, std::string_view what);

  void expandEquipment(const Pending& pending);

  /// False when going on with the rest of a range would only repeat the problem.
  bool instantiate(const Pending& pending, const ExpandedName& expanded);

  // -- instances

  std::string label(std::size_t i) const;

  std::vector<std::string> allIds() const;

  void resolve(std::size_t i);

  void resolveBody(std::size_t i, RawInstance& raw, InstanceDescription& instance);

  static void setMode(InstanceDescription& instance, const std::string& mode);

  void readPort(const PortInfo& port, Fields& fields, InstanceDescription& instance);

  // -- groups

  void readGroups();

  void addMembers(const std::string& group, const std::string& text, const SourceMark& where,
                  std::vector<std::string>& members);

  bool knownClass(const std::string& name) const;

  // -- --set

  void applyOverrides();

  std::vector<std::string> addressesOf(const std::string& path, const SourceMark& where);

  /// `--set` of a value of a section of the pod, `design.weather.dry_bulb` say; false when `text` is none.
  bool overrideSection(const std::string& text, std::size_t equals);

  void overrideDesign(const std::string& key, const std::string& value, const std::string& text);

  std::vector<std::size_t> addressed(const Address& address);

  void unknownGroup(const Address& address);
  void unknownClass(const Address& address);

  static bool isSignal(const ClassInfo& info, std::string_view name);

  void override(std::size_t i, const Address& address, const YamlNode& value, const std::string& text);

  // -- completion

  /// Fills in defaults and reports what a user must give.
  void complete(std::size_t i);

  static std::string exampleValue(const ParameterInfo& info);

  // -- circuits, nodes, limits

  void readCircuits();

  void readFluid(Fields& fields, const Scope& scope, FluidSpec& fluid);

  /// The value that --set gives for a key of a circuit, handed to `take`; where it was given.
  std::optional<SourceMark> circuitSetting(const std::string& circuit, const std::string& key,
                                           const std::function<void(const std::string&)>& take);
  void reportIdleSettings();

  /// Refuses a fluid that there is none of, or none at the temperature, each at its own place.
  void checkFluid(const CircuitDescription& circuit, const SourceMark& where, const SourceMark& of_temperature);

  void refuseVacuum(double pressure, const std::string& what, const YamlNode& given);

  void readNodes();

  void readLimits();

  void readLimit(const YamlEntry& entry, const ExpandedName& expanded, const Scope& scope);

  /// Kind of the addressed signal, when its class is known here and tells it; reports names that are not.
  std::optional<Quantity> signalKind(const Address& address);

  // -- references

  /// Nodes, buses and zones that exist by being used or described.
  const std::set<std::string>& places();
  /// A place, the facility, or a part of an instance ("A01-T01-G1" of "A01").
  bool isPlace(const std::string& name);

  void checkReferences();

  void checkLonelyNodes();

  /// A bus exists by being used, so a supply that no other equipment knows is an error only when it looks like a
  /// misspelt one.
  void checkSupply(std::size_t i, const InstanceDescription& instance);

  const ReadOptions& options_;
  ClassList classes_;
  Diagnostics found_;
  ParameterParser parser_;
  PlantDescription plant_;

  std::map<std::string, const ClassInfo*> by_class_;
  std::vector<std::string> class_names_, address_names_;
  std::deque<YamlDocument> documents_;  // nodes point into them
  Replacements replaced_templates_, replaced_equipment_;
  std::vector<std::string> include_stack_;
  std::set<std::string> loaded_;
  std::map<std::string, TypeDefinition> types_;
  std::map<std::string, TemplateDefinition> templates_;
  std::vector<Pending> equipment_, circuits_, nodes_, groups_, limits_;
  std::size_t instantiations_ = 0;
  bool too_many_ = false, site_read_ = false, physics_read_ = false, places_built_ = false;

  std::vector<RawInstance> raw_;  // [i] belongs to plant_.instances[i]
  std::unordered_map<std::string, std::size_t> by_id_;
  std::unordered_set<std::string> broken_;  // "ID.parameter" given but refused: not reported as missing as well
  struct CircuitSetting {
    std::string circuit, key, value, text;
    bool used = false;
  };
  std::vector<CircuitSetting> circuit_settings_;
  std::optional<double> design_wet_bulb_;  // K
  SourceMark design_wet_bulb_where_;
  struct NodeUser {
    SourceMark where;
    std::string label;
  };
  std::map<std::string, std::map<std::string, NodeUser>> node_users_;  // of fluid nodes, by equipment and port
  std::set<std::string> places_, buses_, fluid_nodes_, used_;
  std::vector<std::pair<std::string, SourceMark>> reference_marks_;
};

}  // namespace podtwin::data
