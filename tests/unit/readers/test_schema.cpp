#include <gtest/gtest.h>

#include <cstdlib>

#include "data/readers/schema.hpp"
#include "model/base/diagnostics.hpp"
#include "tests/unit/readers/small_plant.hpp"

namespace podtwin::data {
namespace {

using testing::Folder;

/// Exit status of Debian's jsonschema on a YAML file: 0 valid, 1 invalid, anything else a failure of the tools.
int validate(const Folder& folder, const std::string& kind, std::string_view text) {
  const std::string schema = folder.write("schema.json", jsonSchema(kind, testing::smallClasses()));
  const std::string file = folder.write("file.yaml", text);
  const std::string script =
      folder.write("validate.py",
                   "import json, sys, yaml\n"
                   "from jsonschema.validators import validator_for\n"
                   "schema = json.load(open(sys.argv[1]))\n"
                   "validator = validator_for(schema)\n"
                   "validator.check_schema(schema)\n"
                   "class Loader(yaml.SafeLoader): pass\n"
                   "Loader.yaml_implicit_resolvers = {k: [r for r in v if r[0] != 'tag:yaml.org,2002:timestamp'] for "
                   "k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}\n"
                   "document = yaml.load(open(sys.argv[2]), Loader)\n"
                   "sys.exit(0 if validator(schema).is_valid(document) else 1)\n");
  const int status = std::system(("/usr/bin/python3 " + script + " " + schema + " " + file).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const auto at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return out.replace(at, from.size(), to);
}

TEST(Schema, acceptsWhatTheReadersAccept) {
  if (std::system("/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-jsonschema or python3-yaml is not installed";
  const Folder folder;
  EXPECT_EQ(validate(folder, "pod", testing::kPod), 0);
  EXPECT_EQ(validate(folder, "catalogue", testing::kCatalogue), 0);
  EXPECT_EQ(validate(folder, "scenario", testing::kScenario), 0);
  EXPECT_EQ(validate(folder, "study", "podtwin: study/1\nscenario: s.yaml\n"), 0);
}

TEST(Schema, refusesWhatAnEditorCanSee) {
  if (std::system("/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-jsonschema or python3-yaml is not installed";
  const Folder folder;
  EXPECT_EQ(validate(folder, "pod", with(testing::kPod, "pod/1", "pod/2")), 1);
  EXPECT_EQ(validate(folder, "pod", with(testing::kPod, "length: 25 m", "length: 25")), 1);
  EXPECT_EQ(validate(folder, "pod", with(testing::kPod, "class: pipe", "class: pip")), 1);
  EXPECT_EQ(validate(folder, "pod", with(testing::kPod, "length: 25 m", "lenght: 25 m")), 1);
  EXPECT_EQ(validate(folder, "pod", with(testing::kPod, "equipment:", "equipmnt:")), 1);
  EXPECT_EQ(validate(folder, "catalogue", with(testing::kCatalogue, "seal: double", "seal: tripple")), 1);
  EXPECT_EQ(validate(folder, "scenario", with(testing::kScenario, "method: arkode", "method: euler")), 1);
  EXPECT_EQ(validate(folder, "scenario", with(testing::kScenario, "duration: 24 h", "duration: 24")), 1);
  EXPECT_EQ(validate(folder, "scenario", with(testing::kScenario, "do: trip", "does: trip")), 1);
}

TEST(Schema, anUnknownKindIsAnInputError) { EXPECT_THROW(jsonSchema("pdo", testing::smallClasses()), InputError); }

}  // namespace
}  // namespace podtwin::data
