// Files of a pod: includes, catalogues, templates, what replaces what, and the single values of the pod.
#include "data/readers/pod_reading.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "data/readers/units.hpp"
#include "data/readers/wet_bulb.hpp"
#include "model/fluids/moist_air.hpp"

namespace podtwin::data {

// -- files

std::string PodReader::canonical(const std::string& path) {
  std::error_code code;
  const auto result = std::filesystem::weakly_canonical(path, code);
  return code ? path : result.string();
}

const YamlDocument* PodReader::load(const std::string& path) {
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

void PodReader::loadPod(const std::string& path, const SourceMark& from) {
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

void PodReader::readReplacements(Fields& top, const std::string& path) {
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

bool PodReader::replaced(Replacements& replacements, const std::string& name, const SourceMark& where) {
  const auto it = replacements.find(name);
  if (it == replacements.end() || it->second.by == where.file) return false;
  it->second.used = true;
  return true;
}

void PodReader::reportIdleReplacements() {
  for (const auto& [what, replacements] :
       {std::pair{"template", &replaced_templates_}, {"equipment", &replaced_equipment_}})
    for (const auto& [name, replacement] : *replacements)
      if (!replacement.used)
        found_.error(replacement.where, "`replaces`: no included file has " + std::string(what) + " `" + name + "`",
                     "correct the name, or leave it out: what is new needs no word here");
}

void PodReader::collect(Fields& fields, const std::shared_ptr<const Parameters>& parameters) {
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

void PodReader::loadCatalogue(const std::string& path) {
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

void PodReader::addType(const YamlEntry& entry) {
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

const ClassInfo* PodReader::findClass(const std::string& name, const SourceMark& where) {
  const auto it = by_class_.find(name);
  if (it != by_class_.end() && it->second->user_visible) return it->second;
  found_.error(where, "there is no class `" + name + "`", suggestion(name, class_names_, "classes"));
  return nullptr;
}

void PodReader::addTemplate(const YamlEntry& entry) {
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
    else if (std::find(definition.parameters.begin(), definition.parameters.end(), name) != definition.parameters.end())
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

void PodReader::readSite(Fields& top) {
  const YamlNode* node = top.map("site");
  if (node == nullptr || site_read_) return;
  site_read_ = true;
  Fields site(*node, "`site`", found_);
  if (const auto v = site.quantity("latitude", Quantity::angle)) plant_.latitude = *v;
  if (const auto v = site.quantity("longitude", Quantity::angle)) plant_.longitude = *v;
  if (const auto v = site.quantity("elevation", Quantity::length)) plant_.elevation = *v;
  site.finish();
}

void PodReader::readPhysics(Fields& top) {
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

namespace {

constexpr double kLargestRack = 10e6;  // W; far above any announced rack
constexpr double kColdest = 180.0;     // K; below the coldest air measured on Earth (184 K, Vostok)
constexpr double kHottest = 335.0;     // K; above the hottest air measured on Earth (330 K, Death Valley)

void tellBand(double value, const std::string& written, const std::string& label, double low, double high,
              Quantity kind, const SourceMark& where, Diagnostics& problems) {
  const bool above = value > high;
  problems.error(
      where,
      label + ": " + written + " is " + (above ? "above " : "below ") + textInUnitOf(written, above ? high : low, kind),
      (kind == Quantity::ratio && above && value <= 100.0 && parseNumber(written)
           ? "write `" + written + " %` if per cent is meant, or "
           : std::string()) +
          "give a value from " + textInUnitOf(written, low, kind) + " to " + textInUnitOf(written, high, kind));
}

}  // namespace

void PodReader::overrideDesign(const std::string& key, const std::string& value, const std::string& text) {
  const SourceMark where{"--set", 0, 0};
  const auto take = [&](Quantity kind, double low, double high) -> std::optional<double> {
    const auto number = parseQuantity(value, kind, where, found_, "`" + text + "`");
    if (number && !(*number >= low && *number <= high)) {
      tellBand(*number, value, "`" + text + "`", low, high, kind, where, found_);
      return std::nullopt;
    }
    return number;
  };
  DesignPoint& design = plant_.design;
  if (key == "rack_power") {
    design.rack_power = take(Quantity::power, 0.0, kLargestRack).value_or(design.rack_power);
  } else if (key == "weather.dry_bulb") {
    design.dry_bulb = take(Quantity::temperature, kColdest, kHottest).value_or(design.dry_bulb);
  } else if (key == "weather.relative_humidity") {
    design.relative_humidity = take(Quantity::ratio, 0.0, 1.0).value_or(design.relative_humidity);
    design_wet_bulb_.reset();
  } else if (key == "weather.wet_bulb") {
    design_wet_bulb_ = take(Quantity::temperature, kColdest, kHottest);
    design_wet_bulb_where_ = where;
  } else {
    const std::vector<std::string> known = {"rack_power", "weather.dry_bulb", "weather.relative_humidity",
                                            "weather.wet_bulb"};
    found_.error(where, "`" + text + "`: `design` has no value `" + key + "`", suggestion(key, known, "values"));
    return;
  }
  if (!design.given)
    found_.error(where, "`" + text + "`: the pod has no `design` to change",
                 "write `design: {rack_power: 142 kW, weather: {dry_bulb: 35 degC, relative_humidity: 40 %}}` into it");
}

void PodReader::finishDesign() {
  if (!design_wet_bulb_ || found_.hasErrors()) return;
  DesignPoint& design = plant_.design;
  if (const auto humidity =
          humidityOfWetBulb(design.dry_bulb, *design_wet_bulb_, fluids::standardPressure(plant_.elevation),
                            design_wet_bulb_where_, "`wet_bulb` of `weather` of `design`", found_))
    design.relative_humidity = *humidity;
}

void PodReader::readDesign(Fields& top) {
  const YamlNode* node = top.map("design");
  if (node == nullptr || plant_.design.given) return;
  plant_.design.given = true;
  Fields design(*node, "`design`", found_);
  const auto at_least = [&](Fields& fields, std::string_view key, std::optional<double> value, double low, double high,
                            Quantity kind) -> double {
    if (!value) {
      if (!fields.has(key))
        fields.missing(key, "write `" + std::string(key) + ": " + std::string(exampleOf(kind)) + "`");
      return 0.0;
    }
    if (*value < low || *value > high)
      tellBand(*value, fields.node().find(key)->value->text, fields.label(key), low, high, kind,
               fields.node().find(key)->value->where, found_);
    return *value;
  };
  plant_.design.rack_power = at_least(design, "rack_power", design.quantity("rack_power", Quantity::power), 0.0,
                                      kLargestRack, Quantity::power);
  if (const YamlNode* weather_node = design.map("weather")) {
    Fields weather(*weather_node, "`weather` of `design`", found_);
    plant_.design.dry_bulb = at_least(weather, "dry_bulb", weather.quantity("dry_bulb", Quantity::temperature),
                                      kColdest, kHottest, Quantity::temperature);
    if (weather.has("wet_bulb")) {
      design_wet_bulb_ = at_least(weather, "wet_bulb", weather.quantity("wet_bulb", Quantity::temperature), kColdest,
                                  kHottest, Quantity::temperature);
      design_wet_bulb_where_ = weather_node->find("wet_bulb")->value->where;
      if (weather.has("relative_humidity"))
        found_.error(weather_node->find("relative_humidity")->value->where,
                     "`weather` of `design` has both wet_bulb and relative_humidity: one follows from the other",
                     "leave one of them out");
      weather.take("relative_humidity");
    } else {
      plant_.design.relative_humidity =
          at_least(weather, "relative_humidity", weather.quantity("relative_humidity", Quantity::ratio), 0.0, 1.0,
                   Quantity::ratio);
      weather.take("wet_bulb");
    }
    weather.finish();
  } else if (!design.has("weather")) {
    design.missing("weather", "write `weather: {dry_bulb: 35 degC, relative_humidity: 40 %}`");
  }
  design.finish();
}

}  // namespace podtwin::data
