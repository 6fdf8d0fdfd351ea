#include "data/readers/pod_reader.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/readers/parameter_parser.hpp"
#include "data/readers/ranges.hpp"
#include "data/readers/scenario_reader.hpp"
#include "data/readers/units.hpp"
#include "data/readers/yaml_document.hpp"
#include "data/readers/yaml_helpers.hpp"

namespace podtwin::data {

namespace {

using Parameters = std::map<std::string, std::string>;

constexpr std::size_t kMostInstantiations = 100'000;  // of templates; a pod has some dozens

/// Classes of product.md section 3 that the plant makes itself or that a class makes as its parts.
constexpr std::string_view kBuiltInClasses[] = {"facility", "node",        "bus",         "gpu",  "tray",
                                                "cpu",      "nvlink_tray", "power_shelf", "limit"};

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
  PodReader(const ReadOptions& options, ClassList classes) : options_(options), classes_(classes), parser_(found_) {
    for (const ClassInfo* info : classes_) {
      by_class_[std::string(info->name)] = info;
      if (info->user_visible) class_names_.emplace_back(info->name);
      address_names_.emplace_back(info->name);
      address_names_.emplace_back(info->group);
    }
    for (const auto name : kBuiltInClasses) address_names_.emplace_back(name);
  }

  PlantDescription read(const std::string& path) {
    plant_.file = path;
    loadPod(path, SourceMark{path, 0, 0});
    expandAll();
    reportIdleReplacements();
    for (std::size_t i = 0; i < raw_.size(); ++i) resolve(i);
    readGroups();
    applyOverrides();
    for (std::size_t i = 0; i < raw_.size(); ++i) complete(i);
    readCircuits();
    readNodes();
    readLimits();
    checkReferences();
    return std::move(plant_);
  }

  void catalogueAlone(const std::string& path) { loadCatalogue(path); }

  /// Hands the problems over, each once: all names of a range share their text.
  void report(Diagnostics& diagnostics) const {
    std::set<std::string> told;
    for (const auto& problem : found_.list()) {
      if (!told.insert(problem.text()).second) continue;
      if (problem.severity == Diagnostic::Severity::error)
        diagnostics.error(problem.where, problem.what, problem.remedy);
      else
        diagnostics.warning(problem.where, problem.what, problem.remedy);
    }
  }

 private:
  // -- files

  static std::string canonical(const std::string& path) {
    std::error_code code;
    const auto result = std::filesystem::weakly_canonical(path, code);
    return code ? path : result.string();
  }

  const YamlDocument* load(const std::string& path) {
    try {
      documents_.push_back(YamlDocument::load(path));
    } catch (const InputError& problem) {
      for (const auto& one : problem.problems()) found_.error(one.where, one.what, one.remedy);
      return nullptr;
    }
    plant_.files.push_back(path);
    plant_.source_text += "# ---- " + path + "\n" + documents_.back().text();
    if (!plant_.source_text.ends_with('\n')) plant_.source_text += '\n';
    return &documents_.back();
  }

  void loadPod(const std::string& path, const SourceMark& from) {
    const std::string key = canonical(path);
    if (const auto at = std::find(include_stack_.begin(), include_stack_.end(), key); at != include_stack_.end()) {
      std::string chain;
      for (auto i = at; i != include_stack_.end(); ++i) chain += std::filesystem::path(*i).filename().string() + " -> ";
      found_.error(from, "`include` goes in a circle: " + chain + std::filesystem::path(key).filename().string(),
                   "remove one of the includes");
      return;
    }
    if (!loaded_.insert(key).second) return;  // included by two files: once is enough
    const YamlDocument* document = load(path);
    if (document == nullptr || !checkHeader(document->root(), "pod", found_)) return;
    include_stack_.push_back(key);
    Fields top(document->root(), "pod file", found_);
    top.take("podtwin");
    if (const auto title = top.text("title"); title && plant_.title.empty()) plant_.title = *title;
    readSite(top);
    readPhysics(top);
    readDesign(top);
    readReplacements(top, path);
    for (const auto& [use, where] : top.texts("use"))
      if (const auto file = resolvePath(use, path, options_.search_paths, where, found_)) loadCatalogue(*file);
    for (const auto& [include, where] : top.texts("include"))
      if (const auto file = resolvePath(include, path, options_.search_paths, where, found_)) loadPod(*file, where);
    if (const YamlNode* templates = top.map("templates"))
      for (const auto& entry : templates->entries) addTemplate(entry);
    for (const char* section : {"layout", "common_causes"})
      if (const YamlEntry* entry = top.take(section))
        if (!plant_.opaque_sections.contains(section)) plant_.opaque_sections[section] = toJsonText(*entry->value);
    collect(top, std::make_shared<const Parameters>());
    top.finish();
    include_stack_.pop_back();
  }

  // -- replacements: the outermost file that names something has the say

  void readReplacements(Fields& top, const std::string& path) {
    const YamlNode* node = top.map("replaces");
    if (node == nullptr) return;
    Fields replaces(*node, "`replaces`", found_);
    for (const auto& [name, where] : replaces.texts("templates"))
      replaced_templates_.emplace(name, Replacement{path, where});
    for (const auto& [names, where] : replaces.texts("equipment"))
      for (const auto& expanded : expandRanges(names, where, found_))
        replaced_equipment_.emplace(expanded.name, Replacement{path, where});
    replaces.finish();
  }

  static bool replaced(Replacements& replacements, const std::string& name, const SourceMark& where) {
    const auto it = replacements.find(name);
    if (it == replacements.end() || it->second.by == where.file) return false;
    it->second.used = true;
    return true;
  }

  void reportIdleReplacements() {
    for (const auto& [what, replacements] :
         {std::pair{"template", &replaced_templates_}, {"equipment", &replaced_equipment_}})
      for (const auto& [name, replacement] : *replacements)
        if (!replacement.used)
          found_.error(replacement.where, "`replaces`: no included file has " + std::string(what) + " `" + name + "`",
                       "correct the name, or leave it out: what is new needs no word here");
  }

  /// Puts the sections that a pod file and a template share on their lists.
  void collect(Fields& fields, const std::shared_ptr<const Parameters>& parameters) {
    const auto put = [&](std::string_view section, std::vector<Pending>& list) {
      if (const YamlNode* map = fields.map(section))
        for (const auto& entry : map->entries) list.push_back({&entry, parameters});
    };
    put("equipment", equipment_);
    put("controls", equipment_);
    put("circuits", circuits_);
    put("nodes", nodes_);
    put("groups", groups_);
    put("limits", limits_);
  }

  void loadCatalogue(const std::string& path) {
    if (!loaded_.insert(canonical(path)).second) return;
    const YamlDocument* document = load(path);
    if (document == nullptr || !checkHeader(document->root(), "catalogue", found_)) return;
    Fields top(document->root(), "catalogue", found_);
    top.take("podtwin");
    for (const char* words : {"title", "source", "note"}) top.text(words);
    if (const YamlNode* types = top.map("types"))
      for (const auto& entry : types->entries) addType(entry);
    top.finish();
  }

  void addType(const YamlEntry& entry) {
    if (!isIdentifier(entry.key)) {
      found_.error(entry.where, "the type name `" + entry.key + "` has characters other than letters, digits, _ and -",
                   "rename it");
      return;
    }
    if (const auto earlier = types_.find(entry.key); earlier != types_.end()) {
      found_.error(entry.where,
                   "type `" + entry.key + "` is already in " + earlier->second.where.file + ", line " +
                       std::to_string(earlier->second.where.line),
                   "rename one of the two");
      return;
    }
    TypeDefinition& type = types_[entry.key];
    type.where = entry.where;
    Fields fields(*entry.value, "type `" + entry.key + "`", found_);
    const auto class_name = fields.text("class");
    if (!class_name) {
      if (!fields.has("class")) fields.missing("class", "name the class whose parameters these are");
      return;
    }
    type.info = findClass(*class_name, fields.node().find("class")->value->where);
    if (type.info == nullptr) return;
    const auto type_source = fields.text("source");
    fields.take("note");
    for (const auto& info : type.info->parameters) {
      const YamlEntry* given = fields.take(info.name);
      if (given == nullptr) continue;
      auto value = parser_.parse(info, *given->value, fields.label(info.name), {});
      if (!value) continue;
      if (value->source.empty() && type_source) value->source = *type_source;
      type.parameters[std::string(info.name)] = std::move(*value);
    }
    fields.finish();
  }

  const ClassInfo* findClass(const std::string& name, const SourceMark& where) {
    const auto it = by_class_.find(name);
    if (it != by_class_.end() && it->second->user_visible) return it->second;
    found_.error(where, "there is no class `" + name + "`", suggestion(name, class_names_, "classes"));
    return nullptr;
  }

  void addTemplate(const YamlEntry& entry) {
    if (replaced(replaced_templates_, entry.key, entry.where)) return;
    if (const auto earlier = templates_.find(entry.key); earlier != templates_.end()) {
      found_.error(entry.where,
                   "template `" + entry.key + "` is already in " + earlier->second.where.file + ", line " +
                       std::to_string(earlier->second.where.line),
                   "rename one of the two");
      return;
    }
    TemplateDefinition definition;
    definition.where = entry.where;
    Fields fields(*entry.value, "template `" + entry.key + "`", found_);
    for (const auto& [name, where] : fields.texts("parameters")) {
      if (!isIdentifier(name) || name == "id")
        found_.error(where, "`" + name + "` cannot name a template parameter",
                     "use letters, digits and _; `id` is the instance's own key");
      else if (std::find(definition.parameters.begin(), definition.parameters.end(), name) !=
               definition.parameters.end())
        found_.error(where, "template parameter `" + name + "` is named twice", "keep one");
      else
        definition.parameters.push_back(name);
    }
    for (const char* section : {"equipment", "controls", "circuits", "nodes", "groups", "limits"}) fields.map(section);
    fields.finish();
    if (!entry.value->isMap()) return;
    definition.body = entry.value.get();
    templates_[entry.key] = std::move(definition);
  }

  // -- single values of the pod

  void readSite(Fields& top) {
    const YamlNode* node = top.map("site");
    if (node == nullptr || site_read_) return;
    site_read_ = true;
    Fields site(*node, "`site`", found_);
    if (const auto v = site.quantity("latitude", Quantity::angle)) plant_.latitude = *v;
    if (const auto v = site.quantity("longitude", Quantity::angle)) plant_.longitude = *v;
    if (const auto v = site.quantity("elevation", Quantity::length)) plant_.elevation = *v;
    site.finish();
  }

  void readPhysics(Fields& top) {
    const YamlNode* node = top.map("physics");
    if (node == nullptr || physics_read_) return;
    physics_read_ = true;
    Fields physics(*node, "`physics`", found_);
    if (const auto v = physics.quantity("gravity", Quantity::acceleration)) {
      if (*v > 0.0)
        plant_.gravity = *v;
      else
        found_.error(physics.node().find("gravity")->value->where,
                     physics.label("gravity") + ": " + readableText(*v, Quantity::acceleration) + " is not above 0",
                     "leave it out for 9.80665 m/s2");
    }
    if (const auto v =
            physics.choice("friction", {"epanet", "swamee_jain", "haaland", "colebrook", "colebrook_371", "nikuradse"}))
      plant_.friction = *v;
    physics.finish();
  }

  void readDesign(Fields& top) {
    const YamlNode* node = top.map("design");
    if (node == nullptr || plant_.design.given) return;
    plant_.design.given = true;
    Fields design(*node, "`design`", found_);
    const auto at_least = [&](Fields& fields, std::string_view key, std::optional<double> value, double low,
                              double high, Quantity kind) -> double {
      if (!value) {
        if (!fields.has(key))
          fields.missing(key, "write `" + std::string(key) + ": " + std::string(exampleOf(kind)) + "`");
        return 0.0;
      }
      if (*value < low || *value > high)
        found_.error(fields.node().find(key)->value->where,
                     fields.label(key) + ": " + readableText(*value, kind) + " is outside " + readableText(low, kind) +
                         " to " + readableText(high, kind),
                     "give a value inside");
      return *value;
    };
    constexpr double kLargestRack = 10e6;  // W; far above any announced rack
    constexpr double kColdest = 180.0;     // K; below the coldest air measured on Earth (184 K, Vostok)
    constexpr double kHottest = 335.0;     // K; above the hottest air measured on Earth (330 K, Death Valley)
    plant_.design.rack_power = at_least(design, "rack_power", design.quantity("rack_power", Quantity::power), 0.0,
                                        kLargestRack, Quantity::power);
    if (const YamlNode* weather_node = design.map("weather")) {
      Fields weather(*weather_node, "`weather` of `design`", found_);
      plant_.design.dry_bulb = at_least(weather, "dry_bulb", weather.quantity("dry_bulb", Quantity::temperature),
                                        kColdest, kHottest, Quantity::temperature);
      plant_.design.relative_humidity =
          at_least(weather, "relative_humidity", weather.quantity("relative_humidity", Quantity::ratio), 0.0, 1.0,
                   Quantity::ratio);
      weather.finish();
    } else if (!design.has("weather")) {
      design.missing("weather", "write `weather: {dry_bulb: 35 degC, relative_humidity: 40 %}`");
    }
    design.finish();
  }

  // -- expansion

  void expandAll() {
    // Templates add to the lists while they are walked.
    for (std::size_t i = 0; i < equipment_.size(); ++i) {
      const Pending pending = equipment_[i];
      expandEquipment(pending);
    }
  }

  /// Names of a key with template parameters and ranges filled in; empty after a problem.
  std::vector<ExpandedName> namesOf(const Pending& pending, std::string_view what) {
    const YamlEntry& entry = *pending.entry;
    const auto key = substitute(entry.key, Scope{pending.parameters.get(), nullptr}, entry.where, found_);
    if (!key) return {};
    auto names = expandRanges(*key, entry.where, found_);
    for (const auto& expanded : names)
      if (!isIdentifier(expanded.name)) {
        found_.error(
            entry.where,
            "the " + std::string(what) + " `" + expanded.name + "` has characters other than letters, digits, _ and -",
            "rename it");
        return {};
      }
    return names;
  }

  void expandEquipment(const Pending& pending) {
    const YamlEntry& entry = *pending.entry;
    const bool is_template = entry.value->isMap() && entry.value->find("template") != nullptr;
    for (auto& expanded : namesOf(pending, "id")) {
      if (replaced(replaced_equipment_, expanded.name, entry.where)) continue;
      if (is_template) {
        if (!instantiate(pending, expanded)) return;
        continue;
      }
      if (raw_.size() >= kMostExpanded) {
        if (!too_many_)
          found_.error(entry.where, "the pod has more than " + std::to_string(kMostExpanded) + " instances",
                       "shorten its ranges");
        too_many_ = true;
        return;
      }
      const auto [earlier, is_new] = by_id_.emplace(expanded.name, raw_.size());
      if (!is_new) {
        const SourceMark& first = plant_.instances[earlier->second].where;
        found_.error(
            entry.where,
            "id `" + expanded.name + "` is already taken in " + first.file + ", line " + std::to_string(first.line),
            "ids are unique in the pod: rename one of the two");
        continue;
      }
      RawInstance raw;
      // Within a range, `$1` and the like may differ, yet the place is one: its key stands for all.
      raw.display = expanded.captures.empty() ? expanded.name : entry.key;
      raw.body = entry.value.get();
      raw.captures = std::move(expanded.captures);
      raw.parameters = pending.parameters;
      raw_.push_back(std::move(raw));
      InstanceDescription instance;
      instance.id = std::move(expanded.name);
      instance.where = entry.where;
      plant_.instances.push_back(std::move(instance));
    }
  }

  /// False when going on with the rest of a range would only repeat the problem.
  bool instantiate(const Pending& pending, const ExpandedName& expanded) {
    const YamlEntry& entry = *pending.entry;
    Fields fields(*entry.value, "`" + entry.key + "`", found_, Scope{pending.parameters.get(), &expanded.captures});
    const auto name = fields.text("template");
    const YamlNode* with = fields.map("with");
    fields.finish();
    if (!name) return false;
    const SourceMark where = entry.value->find("template")->value->where;
    const auto found = templates_.find(*name);
    if (found == templates_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : templates_) known.push_back(key);
      found_.error(where, "there is no template `" + *name + "`", suggestion(*name, known, "templates"));
      return false;
    }
    // The chain of templates travels as a hidden parameter; `:` keeps it apart from every name a user can write.
    const std::string chain = pending.parameters->contains(":chain") ? pending.parameters->at(":chain") : "";
    const std::string link = ":" + *name + ":";
    if (chain.find(link) != std::string::npos) {
      found_.error(where, "templates go in a circle: `" + *name + "` contains itself", "remove one of the instances");
      return false;
    }
    if (++instantiations_ > kMostInstantiations) {
      if (!too_many_)
        found_.error(where, "more than " + std::to_string(kMostInstantiations) + " templates are instantiated",
                     "shorten the ranges");
      too_many_ = true;
      return false;
    }
    const TemplateDefinition& definition = found->second;
    auto parameters = std::make_shared<Parameters>();
    (*parameters)["id"] = expanded.name;
    (*parameters)[":chain"] = chain + link;
    bool good = true;
    if (with != nullptr)
      for (const auto& value : with->entries) {
        if (std::find(definition.parameters.begin(), definition.parameters.end(), value.key) ==
            definition.parameters.end()) {
          found_.error(value.where, "template `" + *name + "` has no parameter `" + value.key + "`",
                       suggestion(value.key, definition.parameters, "parameters"));
          good = false;
          continue;
        }
        const auto text = scalarText(*value.value, "`" + value.key + "` of template `" + *name + "`", found_,
                                     Scope{pending.parameters.get(), &expanded.captures});
        if (text)
          (*parameters)[value.key] = *text;
        else
          good = false;
      }
    for (const auto& parameter : definition.parameters)
      if (good && !parameters->contains(parameter)) {
        found_.error(entry.where,
                     "`" + entry.key + "`: parameter `" + parameter + "` of template `" + *name + "` is missing",
                     "give it in `with: {" + parameter + ": ...}`");
        good = false;
      }
    if (!good) return false;
    Diagnostics already_told;  // the template's own shape was checked where it is defined
    Fields body(*definition.body, "template `" + *name + "`", already_told);
    collect(body, parameters);
    return true;
  }

  // -- instances

  std::string label(std::size_t i) const {
    const std::string class_name = raw_[i].info == nullptr ? "equipment" : std::string(raw_[i].info->name);
    return class_name + " `" + raw_[i].display + "`";
  }

  std::vector<std::string> allIds() const {
    std::vector<std::string> ids;
    for (const auto& instance : plant_.instances) ids.push_back(instance.id);
    return ids;
  }

  void resolve(std::size_t i) {
    RawInstance& raw = raw_[i];
    if (raw.state == RawInstance::State::done) return;
    InstanceDescription& instance = plant_.instances[i];
    if (raw.state == RawInstance::State::visiting) return;  // the caller reports the circle
    raw.state = RawInstance::State::visiting;
    resolveBody(i, raw, instance);
    raw.state = RawInstance::State::done;
  }

  void resolveBody(std::size_t i, RawInstance& raw, InstanceDescription& instance) {
    const Scope scope{raw.parameters.get(), &raw.captures};
    Fields origin(*raw.body, "equipment `" + raw.display + "`", found_, scope);
    if (!raw.body->isMap()) return;
    const bool has_type = origin.has("type");
    const bool has_class = origin.has("class");
    const bool has_like = origin.has("like");
    if (has_type + has_class + has_like != 1) {
      found_.error(instance.where,
                   "equipment `" + raw.display + "` names " +
                       (has_type + has_class + has_like == 0 ? "none" : "more than one") +
                       " of `type`, `class` and `like`",
                   "name a catalogue `type`, a `class`, or another instance by `like`");
      return;
    }
    if (has_class) {
      const auto name = origin.text("class");
      raw.info = name ? findClass(*name, raw.body->find("class")->value->where) : nullptr;
    } else if (has_type) {
      const auto name = origin.text("type");
      const SourceMark where = raw.body->find("type")->value->where;
      const auto type = name ? types_.find(*name) : types_.end();
      if (name && type == types_.end()) {
        std::vector<std::string> known;
        for (const auto& [key, value] : types_) known.push_back(key);
        found_.error(where, "there is no type `" + *name + "` in the catalogues", suggestion(*name, known, "types"));
      }
      if (type != types_.end()) {
        raw.info = type->second.info;
        instance.type = *name;
        instance.parameters = type->second.parameters;
      }
    } else {
      const auto name = origin.text("like");
      if (!name) return;
      const SourceMark where = raw.body->find("like")->value->where;
      const auto other = by_id_.find(*name);
      if (other == by_id_.end()) {
        found_.error(where, "`like`: there is no equipment `" + *name + "`", suggestion(*name, allIds(), "equipment"));
        return;
      }
      if (raw_[other->second].state == RawInstance::State::visiting) {
        found_.error(where, "`like` goes in a circle: `" + instance.id + "` is like `" + *name + "`, which is like it",
                     "name a type or a class in one of them");
        return;
      }
      resolve(other->second);
      raw.info = raw_[other->second].info;
      const InstanceDescription& model = plant_.instances[other->second];
      instance.type = model.type;
      instance.parameters = model.parameters;
      instance.ports = model.ports;
      instance.port_marks = model.port_marks;
      instance.supply = model.supply;
      instance.in_service = model.in_service;
      instance.mode = model.mode;
    }
    if (raw.info == nullptr) return;
    instance.class_name = std::string(raw.info->name);

    Fields fields(*raw.body, label(i), found_, scope);
    for (const char* key : {"type", "class", "like"}) fields.take(key);
    if (const auto tag = fields.text("tag")) instance.tag = *tag;
    if (const auto supply = fields.text("supply")) {
      instance.supply = *supply;
      instance.port_marks["supply"] = raw.body->find("supply")->value->where;
    }
    if (const auto in_service = fields.flag("in_service")) instance.in_service = *in_service;
    if (const auto mode = fields.choice("mode", {"auto", "manual", "off"})) setMode(instance, *mode);
    for (const auto& info : raw.info->parameters)
      if (const YamlEntry* given = fields.take(info.name)) {
        if (auto value = parser_.parse(info, *given->value, fields.label(info.name), scope))
          instance.parameters[std::string(info.name)] = std::move(*value);
        else
          broken_.insert(instance.id + "." + std::string(info.name));
      }
    for (const auto& port : raw.info->ports) readPort(port, fields, instance);
    fields.finish();
  }

  static void setMode(InstanceDescription& instance, const std::string& mode) {
    instance.mode = mode == "auto"     ? OperatingMode::automatic
                    : mode == "manual" ? OperatingMode::manual
                                       : OperatingMode::off;
  }

  void readPort(const PortInfo& port, Fields& fields, InstanceDescription& instance) {
    if (!fields.has(port.name)) {
      fields.take(port.name);
      return;
    }
    const std::string name(port.name);
    std::vector<std::string> names;
    SourceMark first = fields.node().find(port.name)->value->where;
    for (const auto& [text, where] : fields.texts(port.name)) {
      if (port.kind == PortKind::signal) {
        if (parseAddress(text, SignalPart::required, where, found_)) names.push_back(text);
        continue;
      }
      for (auto& expanded : expandRanges(text, where, found_)) {
        if (!isIdentifier(expanded.name)) {
          found_.error(where,
                       fields.label(name) + ": the name `" + expanded.name +
                           "` has characters other than letters, digits, _ and -",
                       "rename it");
          continue;
        }
        names.push_back(std::move(expanded.name));
      }
    }
    if (port.count != PortCount::many && names.size() > 1)
      found_.error(
          first, fields.label(name) + ": " + std::to_string(names.size()) + " names are given, but the port takes one",
          "name one");
    instance.ports[name] = std::move(names);
    instance.port_marks[name] = std::move(first);
  }

  // -- groups

  void readGroups() {
    for (const auto& pending : groups_) {
      const YamlEntry& entry = *pending.entry;
      const Scope scope{pending.parameters.get(), nullptr};
      const auto key = substitute(entry.key, scope, entry.where, found_);
      if (!key) continue;
      if (!isIdentifier(*key)) {
        found_.error(entry.where, "the group name `" + *key + "` has characters other than letters, digits, _ and -",
                     "rename it");
        continue;
      }
      if (plant_.groups.contains(*key)) {
        found_.error(entry.where, "group `" + *key + "` is defined twice", "rename one of the two");
        continue;
      }
      std::vector<std::string>& members = plant_.groups[*key];
      const auto add = [&](const YamlNode& node) {
        if (const auto text = scalarText(node, "group `" + *key + "`", found_, scope))
          addMembers(*key, *text, node.where, members);
      };
      if (entry.value->isSequence())
        for (const auto& item : entry.value->items) add(*item);
      else
        add(*entry.value);
    }
  }

  void addMembers(const std::string& group, const std::string& text, const SourceMark& where,
                  std::vector<std::string>& members) {
    std::unordered_set<std::string> present(members.begin(), members.end());
    const auto put = [&](const std::string& id) {
      if (present.insert(id).second) members.push_back(id);
    };
    const std::string class_name = text.substr(0, text.find('['));
    const bool names_class = text.find('[') != std::string::npos && knownClass(class_name);
    if (names_class || text.find('*') != std::string::npos) {
      const std::string address_text = names_class ? text : "";
      std::optional<Address> address;
      if (names_class) {
        address = parseAddress(text, SignalPart::forbidden, where, found_);
        if (!address) return;
      }
      bool any = false;
      for (std::size_t i = 0; i < raw_.size(); ++i) {
        const auto& id = plant_.instances[i].id;
        const bool hit = names_class ? raw_[i].info != nullptr &&
                                           (raw_[i].info->name == class_name || raw_[i].info->group == class_name) &&
                                           address->matches(id)
                                     : matchesPattern(text, id);
        if (hit) put(id);
        any = any || hit;
      }
      if (!any) found_.error(where, "group `" + group + "`: `" + text + "` matches no equipment", "check the pattern");
      return;
    }
    for (const auto& expanded : expandRanges(text, where, found_)) {
      if (by_id_.contains(expanded.name))
        put(expanded.name);
      else
        found_.error(where, "group `" + group + "`: there is no equipment `" + expanded.name + "`",
                     suggestion(expanded.name, allIds(), "equipment"));
    }
  }

  bool knownClass(const std::string& name) const {
    return std::find(address_names_.begin(), address_names_.end(), name) != address_names_.end();
  }

  // -- --set

  void applyOverrides() {
    for (const auto& text : options_.set_overrides) {
      if (text.starts_with("scenario.")) continue;
      const SourceMark where{"--set", 0, 0};
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) {
        found_.error(where, "`" + text + "` has no `=`", "write 'ADDRESS=VALUE', as in 'tcs1-P1.speed=0.8'");
        continue;
      }
      if (const std::string word = text.substr(0, text.find_first_of(".="));
          isScenarioKey(word) && !by_id_.contains(word)) {
        found_.error(where, "`" + text + "`: there is no equipment `" + word + "`; it is a key of the scenario",
                     "write `scenario." + text.substr(0, equals) + "`");
        continue;
      }
      const auto address = parseAddress(std::string_view(text).substr(0, equals), SignalPart::required, where, found_);
      if (!address) continue;
      std::optional<YamlDocument> value;
      try {
        value = YamlDocument::parseAt(text.substr(equals + 1), where);
      } catch (const InputError& problem) {
        for (const auto& one : problem.problems()) found_.error(one.where, "`" + text + "`: " + one.what, one.remedy);
        continue;
      }
      const auto targets = addressed(*address);
      for (const std::size_t i : targets) override(i, *address, value->root(), text);
    }
  }

  std::vector<std::size_t> addressed(const Address& address) {
    std::vector<std::size_t> hits;
    switch (address.kind) {
      case Address::Kind::instance: {
        const auto it = by_id_.find(address.name);
        if (it != by_id_.end()) return {it->second};
        found_.error(address.where, "`" + address.text + "`: there is no equipment `" + address.name + "`",
                     suggestion(address.name, allIds(), "equipment"));
        return {};
      }
      case Address::Kind::group: {
        const auto it = plant_.groups.find(address.name);
        if (it == plant_.groups.end()) {
          unknownGroup(address);
          return {};
        }
        for (const auto& id : it->second) hits.push_back(by_id_.at(id));
        return hits;
      }
      case Address::Kind::pattern: {
        if (!knownClass(address.name)) {
          unknownClass(address);
          return {};
        }
        for (std::size_t i = 0; i < raw_.size(); ++i)
          if (raw_[i].info != nullptr && (raw_[i].info->name == address.name || raw_[i].info->group == address.name) &&
              address.matches(plant_.instances[i].id))
            hits.push_back(i);
        if (hits.empty())
          found_.error(address.where, "`" + address.text + "` matches no equipment",
                       "check the pattern; `podtwin check --expand` lists all ids");
        return hits;
      }
    }
    return hits;
  }

  void unknownGroup(const Address& address) {
    std::vector<std::string> known;
    for (const auto& [name, members] : plant_.groups) known.push_back(name);
    found_.error(address.where, "`" + address.text + "`: there is no group `" + address.name + "`",
                 suggestion(address.name, known, "groups"));
  }
  void unknownClass(const Address& address) {
    found_.error(address.where, "`" + address.text + "`: there is no class `" + address.name + "`",
                 suggestion(address.name, address_names_, "classes"));
  }

  static bool isSignal(const ClassInfo& info, std::string_view name) {
    return std::any_of(info.signals.begin(), info.signals.end(),
                       [&](const SignalInfo& signal) { return signal.name == name; });
  }

  void override(std::size_t i, const Address& address, const YamlNode& value, const std::string& text) {
    InstanceDescription& instance = plant_.instances[i];
    if (raw_[i].info == nullptr) return;
    const std::string& key = address.signal;
    const std::string what = "`" + text + "`";
    if (key == "in_service") {
      if (const auto given = scalarText(value, what, found_))
        if (const auto flag = parseFlag(*given, what, value.where, found_)) instance.in_service = *flag;
      return;
    }
    if (key == "mode") {
      const auto given = scalarText(value, what, found_);
      const std::vector<std::string> modes = {"auto", "manual", "off"};
      if (!given) return;
      if (std::find(modes.begin(), modes.end(), *given) != modes.end())
        setMode(instance, *given);
      else
        found_.error(value.where, what + ": there is no mode `" + *given + "`", suggestion(*given, modes, "modes"));
      return;
    }
    std::vector<std::string> known = {"in_service", "mode"};
    for (const auto& info : raw_[i].info->parameters) {
      known.emplace_back(info.name);
      if (info.name != key) continue;
      if (auto parsed = parser_.parse(info, value, what, {})) instance.parameters[key] = std::move(*parsed);
      broken_.erase(instance.id + "." + key);
      return;
    }
    for (const auto& command : raw_[i].info->commands) {
      if (command.verb != "set" || !isSignal(*raw_[i].info, command.argument)) continue;
      known.emplace_back(command.argument);
      if (command.argument != key) continue;
      if (auto given = scalarText(value, what, found_))
        plant_.start_settings.push_back({instance.id, key, std::move(*given), text, value.where});
      return;
    }
    found_.error(value.where, what + ": class " + instance.class_name + " has no parameter `" + key + "`",
                 suggestion(key, known, "parameters"));
  }

  // -- completion

  /// Fills in defaults and reports what a user must give.
  void complete(std::size_t i) {
    const RawInstance& raw = raw_[i];
    InstanceDescription& instance = plant_.instances[i];
    if (raw.info == nullptr) return;
    for (const auto& info : raw.info->parameters) {
      const std::string name(info.name);
      if (instance.parameters.contains(name) || broken_.contains(instance.id + "." + name)) continue;
      ParameterValue value;
      value.where = instance.where;
      value.source = std::string(info.source);
      const bool scalar =
          info.kind == ParameterKind::number || info.kind == ParameterKind::integer || info.kind == ParameterKind::flag;
      bool missing = false;
      if (scalar) {
        missing = std::isnan(info.fallback) && !info.optional;
        value.number = std::isnan(info.fallback) ? 0.0 : info.fallback;
      } else if (info.kind == ParameterKind::choice) {
        value.text = splitChoices(info.choices).front();
      } else {
        missing = !info.optional;
      }
      if (missing) {
        found_.error(instance.where,
                     label(i) + ": parameter `" + name + "` is missing (" + std::string(info.meaning) + ")",
                     "give it, as in `" + name + ": " + exampleValue(info) + "`");
        continue;
      }
      instance.parameters[name] = std::move(value);
    }
    for (const auto& port : raw.info->ports) {
      const auto it = instance.ports.find(std::string(port.name));
      const std::size_t count = it == instance.ports.end() ? 0 : it->second.size();
      if (port.count == PortCount::one && count == 0)
        found_.error(
            it == instance.ports.end() ? instance.where : instance.port_marks.at(std::string(port.name)),
            label(i) + ": port `" + std::string(port.name) + "` is not connected (" + std::string(port.meaning) + ")",
            "give it, as in `" + std::string(port.name) + ": NAME`");
    }
  }

  static std::string exampleValue(const ParameterInfo& info) {
    const std::string x(exampleOf(info.quantity));
    switch (info.kind) {
      case ParameterKind::curve:
        return "[[" + x + ", " + std::string(exampleOf(info.ordinate)) + "], ...]";
      case ParameterKind::numbers:
        return "[" + x + ", ...]";
      case ParameterKind::flag:
        return "true";
      case ParameterKind::integer:
        return "3";
      case ParameterKind::text:
        return "NAME";
      default:
        return x;
    }
  }

  // -- circuits, nodes, limits

  void readCircuits() {
    std::set<std::string> seen;
    for (const auto& pending : circuits_) {
      const YamlEntry& entry = *pending.entry;
      for (const auto& expanded : namesOf(pending, "circuit")) {
        if (!seen.insert(expanded.name).second) {
          found_.error(entry.where, "circuit `" + expanded.name + "` is defined twice", "rename one of the two");
          continue;
        }
        const Scope scope{pending.parameters.get(), &expanded.captures};
        CircuitDescription circuit;
        circuit.name = expanded.name;
        circuit.where = entry.where;
        Fields fields(*entry.value, "circuit `" + entry.key + "`", found_, scope);
        readFluid(fields, scope, circuit.fluid);
        if (const YamlNode* node = fields.map("reference")) {
          Fields reference(*node, "`reference` of circuit `" + entry.key + "`", found_, scope);
          if (const auto name = reference.text("node")) {
            circuit.reference_node = *name;
            reference_marks_.push_back({*name, node->find("node")->value->where});
          } else if (!reference.has("node")) {
            reference.missing("node", "name the node whose pressure is held");
          }
          if (const auto pressure = reference.quantity("pressure", Quantity::pressure_gauge))
            circuit.reference_pressure = *pressure;
          else if (!reference.has("pressure"))
            reference.missing("pressure", "write `pressure: 200 kPa`");
          reference.finish();
        }
        if (const auto t = fields.quantity("property_temperature", Quantity::temperature))
          circuit.property_temperature = *t;
        if (const auto holder = fields.text("held_by")) {
          circuit.held_by = *holder;
          circuit.held_by_where = entry.value->find("held_by")->value->where;
        }
        if (const auto stiffness = fields.quantity("trapped_stiffness", Quantity::pressure_per_kelvin)) {
          circuit.trapped_stiffness = *stiffness;
          if (!(*stiffness >= 0.0))
            found_.error(entry.value->find("trapped_stiffness")->value->where,
                         "circuit `" + expanded.name + "`: trapped_stiffness is negative",
                         "give the rise of pressure a kelvin, such as 2.5 bar/K");
        }
        if (const auto constant = fields.flag("constant_properties")) circuit.constant_properties = *constant;
        fields.finish();
        plant_.circuits.push_back(std::move(circuit));
      }
    }
  }

  void readFluid(Fields& fields, const Scope& scope, FluidSpec& fluid) {
    const YamlEntry* entry = fields.take("fluid");
    if (entry == nullptr) {
      fields.missing("fluid", "name one, as in `fluid: PG25`, or give its properties");
      return;
    }
    if (entry->value->isMap()) {
      fluid.name = "custom";
      Fields properties(*entry->value, fields.label("fluid"), found_, scope);
      const auto read = [&](std::string_view key, Quantity kind) {
        const auto value = properties.quantity(key, kind);
        if (value && *value <= 0.0)
          found_.error(entry->value->find(key)->value->where,
                       properties.label(key) + ": " + readableText(*value, kind) + " is not above 0",
                       "give a positive value");
        return value;
      };
      fluid.density = read("density", Quantity::density);
      fluid.viscosity = read("viscosity", Quantity::dynamic_viscosity);
      fluid.specific_heat = read("specific_heat", Quantity::specific_heat);
      fluid.conductivity = read("conductivity", Quantity::conductivity);
      for (const char* key : {"density", "viscosity"})
        if (!properties.has(key)) properties.missing(key, "a fluid of one's own needs at least density and viscosity");
      properties.finish();
      return;
    }
    if (const auto name = scalarText(*entry->value, fields.label("fluid"), found_, scope)) fluid.name = *name;
  }

  void readNodes() {
    std::map<std::string, SourceMark> seen;
    for (const auto& pending : nodes_) {
      const YamlEntry& entry = *pending.entry;
      for (const auto& expanded : namesOf(pending, "node")) {
        if (const auto [earlier, is_new] = seen.emplace(expanded.name, entry.where); !is_new) {
          found_.error(
              entry.where,
              "node `" + expanded.name + "` is already described in line " + std::to_string(earlier->second.line),
              "put all of a node in one entry");
          continue;
        }
        Fields fields(*entry.value, "node `" + entry.key + "`", found_,
                      Scope{pending.parameters.get(), &expanded.captures});
        NodeDescription node;
        node.name = expanded.name;
        node.where = entry.where;
        node.elevation = fields.quantity("elevation", Quantity::length);
        node.volume = fields.quantity("volume", Quantity::volume);
        node.fixed_pressure = fields.quantity("pressure", Quantity::pressure_gauge);
        node.fixed_temperature = fields.quantity("temperature", Quantity::temperature);
        node.inflow = fields.quantity("inflow", Quantity::volume_flow);
        node.initial_temperature = fields.quantity("initial_temperature", Quantity::temperature);
        node.nominal_voltage = fields.quantity("nominal_voltage", Quantity::voltage);
        fields.finish();
        const auto positive = [&](std::string_view key, const std::optional<double>& value, Quantity kind) {
          if (value && *value <= 0.0)
            found_.error(entry.value->find(key)->value->where,
                         fields.label(key) + ": " + readableText(*value, kind) + " is not above 0",
                         "give a positive value");
        };
        positive("volume", node.volume, Quantity::volume);
        positive("temperature", node.fixed_temperature, Quantity::temperature);
        positive("initial_temperature", node.initial_temperature, Quantity::temperature);
        positive("nominal_voltage", node.nominal_voltage, Quantity::voltage);
        plant_.nodes.push_back(std::move(node));
      }
    }
  }

  void readLimits() {
    std::set<std::string> seen;
    for (const auto& pending : limits_) {
      const YamlEntry& entry = *pending.entry;
      for (const auto& expanded : namesOf(pending, "limit")) {
        if (!seen.insert(expanded.name).second) {
          found_.error(entry.where, "limit `" + expanded.name + "` is defined twice", "rename one of the two");
          continue;
        }
        readLimit(entry, expanded, Scope{pending.parameters.get(), &expanded.captures});
      }
    }
  }

  void readLimit(const YamlEntry& entry, const ExpandedName& expanded, const Scope& scope) {
    Fields fields(*entry.value, "limit `" + entry.key + "`", found_, scope);
    LimitDescription limit;
    limit.id = expanded.name;
    limit.where = entry.where;
    std::optional<Quantity> kind;
    if (const auto text = fields.text("signal")) {
      limit.signal = *text;
      if (const auto address =
              parseAddress(*text, SignalPart::required, entry.value->find("signal")->value->markAt(0), found_))
        kind = signalKind(*address);
    } else if (!fields.has("signal")) {
      fields.missing("signal", "give the address of the limited value");
    }
    const auto above = fields.text("above");
    const auto below = fields.text("below");
    if (fields.has("above") == fields.has("below")) {
      found_.error(entry.where, "limit `" + entry.key + "` needs one of `above` and `below`",
                   "write `above: 85 degC`, for instance");
    } else {
      limit.above = fields.has("above");
      const auto& text = limit.above ? above : below;
      const SourceMark where = entry.value->find(limit.above ? "above" : "below")->value->where;
      limit.text = text.value_or("");
      limit.value_where = where;
      if (text && kind) {
        limit.quantity = *kind;
        if (const auto value =
                parseQuantity(*text, *kind, where, found_, fields.label(limit.above ? "above" : "below")))
          limit.value = *value;
      } else if (text) {
        // The signals of a part, and what a sensor measures, are not known here; the value's own unit tells its kind.
        if (const auto value = parseAnyKind(*text))
          std::tie(limit.value, limit.quantity) = *value;
        else
          found_.error(where,
                       fields.label(limit.above ? "above" : "below") + ": `" + *text + "` is no value with a unit",
                       "write it as `85 degC`, for instance");
      }
    }
    if (const auto delay = fields.duration("delay")) limit.delay = *delay;
    if (const auto of = fields.choice("kind", {"alarm", "trip", "warranty", "rating"}))
      limit.kind = *of;
    else if (!fields.has("kind"))
      limit.kind = "alarm";
    if (const auto source = fields.text("source")) limit.source = *source;
    fields.finish();
    plant_.limits.push_back(std::move(limit));
  }

  /// Kind of the addressed signal, when its class is known here and tells it; reports names that are not.
  std::optional<Quantity> signalKind(const Address& address) {
    const ClassInfo* info = nullptr;
    if (address.kind == Address::Kind::pattern) {
      if (!knownClass(address.name)) {
        unknownClass(address);
        return std::nullopt;
      }
      for (const ClassInfo* known : classes_)
        if (known->name == address.name || known->group == address.name) {
          info = known;
          break;
        }
    } else if (address.kind == Address::Kind::group) {
      const auto it = plant_.groups.find(address.name);
      if (it == plant_.groups.end()) {
        unknownGroup(address);
        return std::nullopt;
      }
      if (!it->second.empty()) info = raw_[by_id_.at(it->second.front())].info;
    } else {
      const auto it = by_id_.find(address.name);
      if (it != by_id_.end())
        info = raw_[it->second].info;
      else if (!isPlace(address.name)) {
        auto known = allIds();
        for (const auto& node : places()) known.push_back(node);
        found_.error(address.where, "`" + address.text + "`: there is no equipment or node `" + address.name + "`",
                     suggestion(address.name, known, "equipment"));
        return std::nullopt;
      }
    }
    if (info == nullptr) return std::nullopt;
    std::vector<std::string> names;
    const auto look = [&](std::string_view name, Quantity quantity) -> std::optional<Quantity> {
      names.emplace_back(name);
      return name == address.signal ? std::optional(quantity) : std::nullopt;
    };
    for (const auto& signal : info->signals)
      if (const auto kind = look(signal.name, signal.quantity)) return signal.by_instance ? std::nullopt : kind;
    for (const auto& state : info->states)
      if (const auto kind = look(state.name, state.quantity)) return kind;
    for (const auto& discrete : info->discretes)
      if (const auto kind = look(discrete.name, discrete.quantity)) return kind;
    // An instance may stand for the bus or zone of the same name too.
    if (address.kind == Address::Kind::instance && isPlace(address.name)) return std::nullopt;
    found_.error(address.where,
                 "`" + address.text + "`: class " + std::string(info->name) + " has no signal `" + address.signal + "`",
                 suggestion(address.signal, names, "signals"));
    return std::nullopt;
  }

  // -- references

  /// Nodes, buses and zones that exist by being used or described.
  const std::set<std::string>& places() {
    if (places_built_) return places_;
    places_built_ = true;
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      if (raw_[i].info == nullptr) continue;
      for (const auto& port : raw_[i].info->ports) {
        if (port.kind == PortKind::member || port.kind == PortKind::signal) continue;
        const auto it = plant_.instances[i].ports.find(std::string(port.name));
        if (it == plant_.instances[i].ports.end()) continue;
        for (const auto& name : it->second) {
          places_.insert(name);
          used_.insert(name);
          if (port.kind == PortKind::bus) buses_.insert(name);
          if (port.kind == PortKind::fluid) fluid_nodes_.insert(name);
        }
      }
    }
    for (const auto& node : plant_.nodes) {
      places_.insert(node.name);
      if (node.nominal_voltage) buses_.insert(node.name);
    }
    return places_;
  }
  /// A place, the facility, or a part of an instance ("A01-T01-G1" of "A01").
  bool isPlace(const std::string& name) {
    if (name == "facility" || places().contains(name)) return true;
    for (std::size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
      const auto it = by_id_.find(name.substr(0, dash));
      // Only racks and their like make parts; they are the classes that other classes of the list belong to.
      if (it != by_id_.end() && raw_[it->second].info != nullptr && raw_[it->second].info->group == "rack") return true;
    }
    return false;
  }

  void checkReferences() {
    places();
    std::set<std::string> supplies;
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      const InstanceDescription& instance = plant_.instances[i];
      if (raw_[i].info == nullptr) continue;
      for (const auto& port : raw_[i].info->ports) {
        const auto it = instance.ports.find(std::string(port.name));
        if (it == instance.ports.end()) continue;
        const SourceMark& where = instance.port_marks.at(std::string(port.name));
        const std::string subject = "`" + std::string(port.name) + "` of " + label(i);
        for (const auto& name : it->second) {
          if (port.kind == PortKind::member && !by_id_.contains(name))
            found_.error(where, subject + ": there is no equipment `" + name + "`",
                         suggestion(name, allIds(), "equipment"));
          if (port.kind == PortKind::signal)
            if (const auto address = parseAddress(name, SignalPart::required, where, found_)) signalKind(*address);
        }
      }
      if (!instance.supply.empty()) checkSupply(i, instance);
    }
    for (const auto& [name, where] : reference_marks_) {
      if (fluid_nodes_.contains(name)) continue;
      const std::string near = nearestName(name, {fluid_nodes_.begin(), fluid_nodes_.end()});
      if (near.empty())
        found_.warning(where, "no equipment uses the reference node `" + name + "`", "connect something to it");
      else
        found_.error(where, "no equipment uses the reference node `" + name + "`", "did you mean `" + near + "`?");
    }
    for (const auto& node : plant_.nodes) {
      if (node.fixed_pressure && std::any_of(reference_marks_.begin(), reference_marks_.end(),
                                             [&](const auto& r) { return r.first == node.name; }))
        found_.error(node.where,
                     "the node '" + node.name +
                         "' has a pressure and is the reference of the circuit: two things would "
                         "set one pressure",
                     "leave one of them out");
      if (!used_.contains(node.name))
        found_.warning(node.where, "no equipment uses the node `" + node.name + "`",
                       "connect something to it, or remove the entry");
    }
  }

  /// A bus exists by being used, so a supply that no other equipment knows is an error only when it looks like a
  /// misspelt one.
  void checkSupply(std::size_t i, const InstanceDescription& instance) {
    if (buses_.contains(instance.supply)) return;
    const auto it = instance.port_marks.find("supply");
    const SourceMark& where = it == instance.port_marks.end() ? instance.where : it->second;
    const std::string what =
        "`supply` of " + label(i) + ": nothing else is connected to the bus `" + instance.supply + "`";
    const std::string near = nearestName(instance.supply, {buses_.begin(), buses_.end()});
    if (!near.empty())
      found_.error(where, what, "did you mean `" + near + "`?");
    else
      found_.warning(where, what, "connect a source to it; without one this equipment has no supply");
  }

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
  std::set<std::string> places_, buses_, fluid_nodes_, used_;
  std::vector<std::pair<std::string, SourceMark>> reference_marks_;
};

}  // namespace

PlantDescription readPod(const std::string& path, const ReadOptions& options, ClassList classes,
                         Diagnostics& diagnostics) {
  PodReader reader(options, classes);
  PlantDescription plant = reader.read(path);
  reader.report(diagnostics);
  return plant;
}

void checkCatalogue(const std::string& path, ClassList classes, Diagnostics& diagnostics) {
  const ReadOptions options;
  PodReader reader(options, classes);
  reader.catalogueAlone(path);
  reader.report(diagnostics);
}

}  // namespace podtwin::data
