#include "data/readers/schema.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "data/readers/class_text.hpp"
#include "data/readers/units.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

using Json = nlohmann::ordered_json;

const char* const kNumberWithUnit = "^[+-]?(\\d|\\.\\d).*$";

Json quantityText(Quantity quantity, const std::string& description) {
  Json out = {{"description",
               description + (description.empty() ? "" : " ") + "For example: " + std::string(exampleOf(quantity))}};
  if (quantity == Quantity::ratio || quantity == Quantity::none)
    out["type"] = {"string", "number"};
  else {
    out["type"] = "string";
    out["pattern"] = kNumberWithUnit;
  }
  return out;
}

/// A value, or a map of value and source.
Json withSource(Json value) {
  Json described = {
      {"type", "object"},
      {"properties", {{"value", value}, {"source", {{"type", "string"}}}, {"note", {{"type", "string"}}}}},
      {"required", {"value"}},
      {"additionalProperties", false}};
  return {{"anyOf", {std::move(value), std::move(described)}}};
}

Json bareParameterSchema(const ParameterInfo& p) {
  const std::string meaning =
      std::string(p.meaning) + (p.source.empty() ? "" : " Source of the default: " + std::string(p.source) + ".");
  switch (p.kind) {
    case ParameterKind::number:
      return withSource(quantityText(p.quantity, meaning));
    case ParameterKind::integer:
      return withSource({{"type", "integer"}, {"description", meaning}});
    case ParameterKind::flag:
      return withSource({{"type", "boolean"}, {"description", meaning}});
    case ParameterKind::text:
      return withSource({{"type", "string"}, {"description", meaning}});
    case ParameterKind::choice: {
      Json choices = Json::array();
      const std::string all(p.choices);
      for (std::size_t at = 0; at <= all.size();) {
        const std::size_t bar = std::min(all.find('|', at), all.size());
        choices.push_back(all.substr(at, bar - at));
        at = bar + 1;
      }
      return withSource({{"enum", choices}, {"description", meaning}});
    }
    case ParameterKind::numbers:
      return withSource({{"type", "array"}, {"items", quantityText(p.quantity, "")}, {"description", meaning}});
    case ParameterKind::curve:
      break;
  }
  Json pair = {{"type", "array"}, {"items", {{"type", {"string", "number"}}}}, {"minItems", 2}, {"maxItems", 2}};
  Json pairs = {{"type", "array"}, {"items", std::move(pair)}, {"description", meaning}};
  const Json text = {{"type", "string"}};
  Json of_file = {{"type", "object"},
                  {"properties", {{"file", text}, {"column", text}, {"gaps", {{"enum", {"refuse", "interpolate"}}}}}},
                  {"required", {"file"}},
                  {"additionalProperties", false},
                  {"description", "Two columns of a CSV file, looked for from the folder of this file."}};
  Json out = withSource(std::move(pairs));
  out["anyOf"].push_back(std::move(of_file));
  return out;
}

Json parameterSchema(const ParameterInfo& p) {
  Json out = bareParameterSchema(p);
  if (const auto standard = defaultText(p)) {
    if (p.kind == ParameterKind::integer)
      out["default"] = static_cast<long long>(p.fallback);
    else if (p.kind == ParameterKind::flag)
      out["default"] = p.fallback != 0.0;
    else
      out["default"] = *standard;
  }
  if (const std::string band = bandText(p); !band.empty()) out["x-podtwin-range"] = band;
  return out;
}

/// Parameters and ports that an instance of the class must have.
Json requiredOf(const ClassInfo& info, bool with_ports) {
  Json names = Json::array();
  for (const auto& p : info.parameters)
    if (isRequired(p)) names.push_back(std::string(p.name));
  if (with_ports)
    for (const auto& port : info.ports)
      if (port.count == PortCount::one) names.push_back(std::string(port.name));
  return names;
}

/// What a class reports and can be asked: no rule for editors, but the words that scenarios take.
void describe(const ClassInfo& info, Json& out) {
  out["title"] = std::string(info.title);
  out["x-podtwin-page"] = "model/components/" + std::string(info.page);
  out["x-podtwin-group"] = std::string(info.group);
  Json signals = Json::object();
  for (const auto& s : info.signals)
    signals[std::string(s.name)] = {{"unit", s.by_instance ? "of what it measures" : std::string(siUnit(s.quantity))},
                                    {"meaning", std::string(s.meaning)}};
  out["x-podtwin-signals"] = std::move(signals);
  Json commands = Json::object();
  for (const auto& c : info.commands) {
    Json arguments = Json::object();
    if (!c.argument.empty())
      arguments[std::string(c.argument)] = {
          {"kind", c.by_instance ? "that of what it measures" : std::string(quantityName(c.quantity))},
          {"unit", c.by_instance ? "of what it measures" : std::string(siUnit(c.quantity))},
          {"example", c.by_instance ? "" : std::string(exampleOf(c.quantity))}};
    commands[std::string(c.verb)] = {{"with", std::move(arguments)}, {"meaning", std::string(c.meaning)}};
  }
  out["x-podtwin-commands"] = std::move(commands);
  if (!info.refusals.empty()) {
    Json refusals = Json::object();
    for (const auto& r : info.refusals) refusals[std::string(r.verb)] = std::string(r.reason);
    out["x-podtwin-refuses"] = std::move(refusals);
  }
  Json limits = Json::object();
  for (const auto& l : info.limits) {
    std::string meaning, unit = "1";
    for (const auto& s : info.signals)
      if (s.name == l.signal) {
        meaning = std::string(s.meaning);
        unit = std::string(siUnit(s.quantity));
      }
    Json one = {{"signal", std::string(l.signal)}, {"unit", unit},       {"violated", limitText(info, l)},
                {"kind", std::string(l.kind)},     {"meaning", meaning}, {"source", std::string(l.source)}};
    // A signal may have a limit at either end.
    std::string key(l.signal);
    if (limits.contains(key)) key += l.above ? ", above" : ", below";
    limits[key] = std::move(one);
  }
  out["x-podtwin-limits"] = std::move(limits);
}

Json classProperties(const ClassInfo& info) {
  Json properties = Json::object();
  for (const auto& p : info.parameters) properties[std::string(p.name)] = parameterSchema(p);
  return properties;
}

Json names() { return {{"anyOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}}; }

Json instanceSchema(std::span<const ClassInfo* const> classes) {
  // By class where the instance names one; a catalogue type or a template decides later, in the reader.
  Json byClass = Json::array();
  Json class_names = Json::array();
  for (const auto* info : classes) {
    if (!info->user_visible) continue;
    class_names.push_back(std::string(info->name));
    Json properties = classProperties(*info);
    for (const auto& port : info->ports) {
      properties[std::string(port.name)] = names();
      properties[std::string(port.name)]["description"] = std::string(port.meaning);
    }
    properties["class"] = {{"const", std::string(info->name)}};
    for (const char* common : {"tag", "supply", "note", "source"}) properties[common] = {{"type", "string"}};
    properties["in_service"] = {{"type", "boolean"}};
    properties["mode"] = {{"enum", {"auto", "manual", "off"}}};
    Json then = {{"properties", properties}, {"additionalProperties", false}, {"required", requiredOf(*info, true)}};
    describe(*info, then);
    byClass.push_back(
        {{"if", {{"properties", {{"class", {{"const", std::string(info->name)}}}}}, {"required", {"class"}}}},
         {"then", std::move(then)}});
  }
  return {
      {"type", "object"},
      {"properties",
       {{"class", {{"enum", class_names}}},
        {"type", {{"type", "string"}}},
        {"like", {{"type", "string"}}},
        {"template", {{"type", "string"}}},
        {"with", {{"type", "object"}}}}},
      {"anyOf",
       {{{"required", {"class"}}}, {{"required", {"type"}}}, {{"required", {"like"}}}, {{"required", {"template"}}}}},
      {"allOf", byClass}};
}

Json mapOf(Json value) { return {{"type", "object"}, {"additionalProperties", std::move(value)}}; }

Json fileSchema(const std::string& kind, Json properties, Json required) {
  properties["podtwin"] = {{"const", kind + "/1"}};
  properties["title"] = {{"type", "string"}};
  required.push_back("podtwin");
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "PodTwin " + kind},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json catalogueSchema(std::span<const ClassInfo* const> classes) {
  Json byClass = Json::array();
  Json class_names = Json::array();
  for (const auto* info : classes) {
    if (!info->user_visible) continue;
    class_names.push_back(std::string(info->name));
    Json properties = classProperties(*info);
    properties["class"] = {{"const", std::string(info->name)}};
    for (const char* common : {"source", "note", "title"}) properties[common] = {{"type", "string"}};
    // An instance may state what its type leaves open, so nothing is required here.
    byClass.push_back({{"if", {{"properties", {{"class", {{"const", std::string(info->name)}}}}}}},
                       {"then",
                        {{"properties", properties},
                         {"additionalProperties", false},
                         {"x-podtwin-required", requiredOf(*info, false)}}}});
  }
  Json type = {{"type", "object"},
               {"properties", {{"class", {{"enum", class_names}}}}},
               {"required", {"class"}},
               {"allOf", byClass}};
  return fileSchema("catalogue", {{"types", mapOf(std::move(type))}}, {"types"});
}

Json podSchema(std::span<const ClassInfo* const> classes) {
  const Json instances = mapOf(instanceSchema(classes));
  Json node = {{"type", {"object", "null"}}, {"properties", Json::object()}, {"additionalProperties", false}};
  for (const auto& [name, quantity] : {std::pair{"elevation", Quantity::length},
                                       {"volume", Quantity::volume},
                                       {"pressure", Quantity::pressure_gauge},
                                       {"temperature", Quantity::temperature},
                                       {"inflow", Quantity::volume_flow},
                                       {"initial_temperature", Quantity::temperature},
                                       {"nominal_voltage", Quantity::voltage}})
    node["properties"][name] = quantityText(quantity, "");
  Json circuit = {{"type", "object"},
                  {"properties",
                   {{"fluid", {{"type", {"string", "object"}}}},
                    {"reference", {{"type", "object"}}},
                    {"property_temperature", quantityText(Quantity::temperature, "")},
                    {"held_by", {{"type", "string"}}},
                    {"trapped_stiffness", quantityText(Quantity::pressure_per_kelvin, "")},
                    {"constant_properties", {{"type", "boolean"}}}}},
                  {"required", {"fluid"}},
                  {"additionalProperties", false}};
  Json out = fileSchema("pod",
                        {{"site", {{"type", "object"}}},
                         {"use", names()},
                         {"include", names()},
                         {"replaces",
                          {{"type", "object"},
                           {"properties", {{"templates", names()}, {"equipment", names()}}},
                           {"additionalProperties", false}}},
                         {"templates", mapOf({{"type", "object"}})},
                         {"circuits", mapOf(std::move(circuit))},
                         {"equipment", instances},
                         {"controls", instances},
                         {"nodes", mapOf(std::move(node))},
                         {"limits", mapOf({{"type", "object"}})},
                         {"groups", mapOf({{"type", "array"}, {"items", {{"type", "string"}}}})},
                         {"layout", Json::object()},
                         {"common_causes", Json::object()},
                         {"design", {{"type", "object"}}},
                         {"physics", {{"type", "object"}}}},
                        Json::array());
  Json parts = Json::object();
  for (const auto* info : classes)
    if (!info->user_visible) {
      Json part = Json::object();
      describe(*info, part);
      parts[std::string(info->name)] = std::move(part);
    }
  out["x-podtwin-parts"] = std::move(parts);
  return out;
}

Json scenarioSchema() {
  Json event = {
      {"type", "object"},
      {"properties",
       {{"at", quantityText(Quantity::time, "Time since the start.")},
        {"when", {{"type", "string"}, {"description", "Condition, for example max(gpu[*].t_junction) > 85 degC"}}},
        {"for", quantityText(Quantity::time, "")},
        {"target", names()},
        {"do", {{"type", "string"}}},
        {"with", {{"type", "object"}}},
        {"note", {{"type", "string"}}}}},
      {"required", {"target", "do"}},
      {"additionalProperties", false}};
  Json record = {{"type", "object"},
                 {"properties",
                  {{"class",
                    {{"type", "string"},
                     {"description", "A class of the pod, or restart: whole states for `from: {result: ...}`."}}},
                   {"signals", names()},
                   {"period", quantityText(Quantity::time, "")},
                   {"window_period", quantityText(Quantity::time, "Period within a window.")},
                   {"reduce", mapOf(names())}}},
                 {"required", {"class"}},
                 {"additionalProperties", false}};
  Json window = {{"type", "object"},
                 {"description", "A span that is simulated at a high rate."},
                 {"properties",
                  {{"from", quantityText(Quantity::time, "Whole seconds since the start.")},
                   {"for", quantityText(Quantity::time, "Whole seconds.")},
                   {"period", quantityText(Quantity::time, "1 to 20 ms.")}}},
                 {"required", {"from", "for", "period"}},
                 {"additionalProperties", false}};
  Json expect = {{"type", "object"},
                 {"properties",
                  {{"signal", {{"type", "string"}}},
                   {"below", {{"type", {"string", "number"}}}},
                   {"above", {{"type", {"string", "number"}}}},
                   {"equals", {{"type", {"string", "number"}}}},
                   {"tolerance", {{"type", {"string", "number"}}}}}},
                 {"required", {"signal"}},
                 {"additionalProperties", false}};
  // The keys below `properties` count for the form {result: run.h5, at: 3 h} only.
  Json from = {{"type", {"string", "object"}},
               {"description", "steady, cold, a checkpoint file, or a state stored in a result file."},
               {"properties",
                {{"result", {{"type", "string"}, {"description", "Result file."}}},
                 {"at", quantityText(Quantity::time, "A moment whose state is stored; left out: the last one.")}}},
               {"required", {"result"}},
               {"additionalProperties", false}};
  const auto list = [](Json item) { return Json{{"type", "array"}, {"items", std::move(item)}}; };
  return fileSchema(
      "scenario",
      {{"pod", {{"type", "string"}}},
       {"start", {{"type", "string"}}},
       {"duration", quantityText(Quantity::time, "Length of the run.")},
       {"weather", {{"type", "object"}}},
       {"workload",
        {{"type", "object"},
         {"properties", {{"kind", {{"enum", {"idle", "constant", "step", "series", "requests", "training"}}}}}},
         {"required", {"kind"}}}},
       {"solver",
        {{"type", "object"},
         {"properties",
          {{"method", {{"enum", {"arkode", "cvode", "rosenbrock"}}}},
           {"rtol", {{"type", {"string", "number"}}}},
           {"max_step", quantityText(Quantity::time, "")}}},
         {"additionalProperties", false}}},
       {"from", std::move(from)},
       {"seed", {{"type", "integer"}}},
       {"out_of_service", list({{"type", "string"}})},
       {"events", list(std::move(event))},
       {"windows", list(std::move(window))},
       {"record", list(std::move(record))},
       {"expect", list(std::move(expect))},
       {"limits", {{"type", {"array", "object"}}}},
       {"include", names()}},
      {"pod", "duration"});
}

}  // namespace

std::string jsonSchema(const std::string& kind, std::span<const ClassInfo* const> classes) {
  if (kind == "pod") return podSchema(classes).dump(2);
  if (kind == "catalogue") return catalogueSchema(classes).dump(2);
  if (kind == "scenario") return scenarioSchema().dump(2);
  if (kind == "study")
    return fileSchema("study",
                      {{"scenario", {{"type", "string"}}},
                       {"parameters", {{"type", "object"}}},
                       {"outputs", {{"type", "array"}}},
                       {"seed", {{"type", "integer"}}}},
                      {"scenario"})
        .dump(2);
  std::vector<std::string> words = {"pod", "scenario", "study", "catalogue"};
  for (const auto* info : classes) {
    if (info->name == kind) return classText(*info);
    words.emplace_back(info->name);
  }
  const std::string near = nearestName(kind, words);
  throw InputError(
      {}, "there is no schema of '" + kind + "'",
      (near.empty() ? "" : "did you mean '" + near + "'? ") +
          std::string("name pod, scenario, study or catalogue for a JSON schema, or a class (`podtwin schema "
                      "pump`) for its tables"));
}

}  // namespace podtwin::data
