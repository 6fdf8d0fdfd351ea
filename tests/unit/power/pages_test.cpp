// What every class of power and control declares about itself is complete.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

std::vector<const ClassInfo*> classes() {
  std::vector<const ClassInfo*> all;
  for (const auto part : {powerClasses(), controlClasses()})
    for (const auto& c : part) all.push_back(c.info);
  return all;
}

TEST(ClassTables, HaveAnEquationsPageWithAllItsSectionsAndEveryNameInIt) {
  for (const auto* info : classes()) {
    const std::string path = std::string(PODTWIN_SOURCE_DIR) + "/model/components/" + std::string(info->page);
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    std::stringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    for (const char* section :
         {"Parameters", "Ports", "States", "Equations", "Initialisation", "Signals", "Limits of validity", "Sources"})
      EXPECT_NE(page.find("## " + std::string(section) + "\n"), std::string::npos) << path << ": " << section;
    const auto mentioned = [&](std::string_view name) {
      EXPECT_NE(page.find("`" + std::string(name) + "`"), std::string::npos) << path << ": " << name;
    };
    for (const auto& p : info->parameters) mentioned(p.name);
    for (const auto& p : info->ports) mentioned(p.name);
    for (const auto& s : info->states) mentioned(s.name);
    for (const auto& s : info->signals) mentioned(s.name);
  }
}

TEST(ClassTables, GiveASourceForEveryDefaultAndUniqueNames) {
  for (const auto* info : classes()) {
    std::set<std::string_view> names;
    for (const auto& p : info->parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << info->name << "." << p.name;
      EXPECT_FALSE(p.meaning.empty()) << info->name << "." << p.name;
      if (p.kind == ParameterKind::number && p.fallback == p.fallback) {
        EXPECT_FALSE(p.source.empty()) << info->name << "." << p.name;
        EXPECT_GE(p.fallback, p.low) << info->name << "." << p.name;
        EXPECT_LE(p.fallback, p.high) << info->name << "." << p.name;
      }
    }
    std::set<std::string_view> verbs;
    for (const auto& c : info->commands) EXPECT_TRUE(verbs.insert(c.verb).second) << info->name << ": " << c.verb;
  }
}

}  // namespace
}  // namespace podtwin::test
