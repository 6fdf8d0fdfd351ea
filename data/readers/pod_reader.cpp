#include "data/readers/pod_reader.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "data/readers/pod_reading.hpp"

namespace podtwin::data {

namespace {
/// Classes of product.md section 3 that the plant makes itself or that a class makes as its parts.
constexpr std::string_view kBuiltInClasses[] = {"facility", "node",        "bus",         "gpu",  "tray",
                                                "cpu",      "nvlink_tray", "power_shelf", "limit"};
}  // namespace

PodReader::PodReader(const ReadOptions& options, ClassList classes)
    : options_(options), classes_(classes), parser_(found_) {
  for (const ClassInfo* info : classes_) {
    by_class_[std::string(info->name)] = info;
    if (info->user_visible) class_names_.emplace_back(info->name);
    addAddressName(info->name);
    addAddressName(info->group);
  }
  for (const auto name : kBuiltInClasses) addAddressName(name);
}

void PodReader::addAddressName(std::string_view name) {
  if (std::find(address_names_.begin(), address_names_.end(), name) == address_names_.end())
    address_names_.emplace_back(name);
}

PlantDescription PodReader::read(const std::string& path) {
  plant_.file = path;
  loadPod(path, SourceMark{path, 0, 0});
  expandAll();
  reportIdleReplacements();
  for (std::size_t i = 0; i < raw_.size(); ++i) resolve(i);
  readGroups();
  applyOverrides();
  finishDesign();
  for (std::size_t i = 0; i < raw_.size(); ++i) complete(i);
  readCircuits();
  reportIdleSettings();
  readNodes();
  readLimits();
  checkReferences();
  return std::move(plant_);
}

void PodReader::report(Diagnostics& diagnostics) const {
  std::set<std::string> told;
  for (const auto& problem : found_.list()) {
    if (!told.insert(problem.text()).second) continue;
    if (problem.severity == Diagnostic::Severity::error)
      diagnostics.error(problem.where, problem.what, problem.remedy);
    else
      diagnostics.warning(problem.where, problem.what, problem.remedy);
  }
}

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
