// Values of parameters from YAML by their ParameterInfo, with every check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/yaml_helpers.hpp"
#include "model/base/diagnostics.hpp"
#include "model/system/class_info.hpp"
#include "model/system/plant_description.hpp"

namespace podtwin::data {

/// "a|b|c" as {"a", "b", "c"}: the choices of a ParameterInfo.
std::vector<std::string> splitChoices(std::string_view choices);

class ParameterParser {
 public:
  /// Problems go to `diagnostics`, which must outlive the parser.
  explicit ParameterParser(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The value in SI, or nothing after a problem has been added: wrong kind, unit or band. `label` names the parameter
  /// and whose it is.
  std::optional<ParameterValue> parse(const ParameterInfo& info, const YamlNode& given, const std::string& label,
                                      const Scope& scope);

 private:
  bool inBand(const ParameterInfo& info, Quantity kind, double number, const std::string& written,
              const std::string& label, const SourceMark& where);
  std::optional<double> quantity(const ParameterInfo& info, Quantity kind, const YamlNode& node,
                                 const std::string& label, const Scope& scope, bool banded);
  std::optional<ParameterValue> numbers(const ParameterInfo& info, const YamlNode& node, const std::string& label,
                                        const Scope& scope, ParameterValue value);
  std::optional<ParameterValue> curve(const ParameterInfo& info, const YamlNode& node, const std::string& label,
                                      const Scope& scope, ParameterValue value);
  std::optional<ParameterValue> curveOfFile(const ParameterInfo& info, const YamlNode& node, const std::string& label,
                                            const Scope& scope, ParameterValue value);

  Diagnostics& diagnostics_;
};

}  // namespace podtwin::data
