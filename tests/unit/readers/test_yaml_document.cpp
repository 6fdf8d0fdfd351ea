#include <gtest/gtest.h>

#include "data/readers/yaml_document.hpp"
#include "tests/unit/readers/small_plant.hpp"

namespace podtwin::data {
namespace {

std::string refusal(const std::string& text) {
  try {
    YamlDocument::parse(text, "f");
  } catch (const InputError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(YamlDocument, marksAreOneBasedAndCountCharactersNotBytes) {
  const auto document = YamlDocument::parse("a: 1\nbé: {cé: x, d: [y, 'z']}\n", "f");
  const auto& entry = document.root().entries.at(1);
  EXPECT_EQ(entry.where.line, 2);
  EXPECT_EQ(entry.where.column, 1);
  const auto& d = entry.value->entries.at(1);
  EXPECT_EQ(d.where.column, 13);
  EXPECT_EQ(d.value->items.at(1)->where.column, 20);
  EXPECT_TRUE(d.value->items.at(1)->quoted);
}

TEST(YamlDocument, aByteOrderMarkAndCarriageReturnsDoNotShiftPlaces) {
  const auto document = YamlDocument::parse(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n",
      "f");
  EXPECT_EQ(document.root().entries.at(0).where.column, 1);
  EXPECT_EQ(document.root().entries.at(1).where.line, 2);
  EXPECT_EQ(document.root().entries.at(1).value->text, "2");
}

TEST(YamlDocument, aliasesShareTheirValue) {
  const auto document = YamlDocument::parse("a: &x [1, 2]\nb: [*x, *x]\n", "f");
  EXPECT_EQ(toJsonText(document.root()), R"({"a":["1","2"],"b":[["1","2"],["1","2"]]})");
}

TEST(YamlDocument, whatYamlAllowsButPodTwinDoesNotIsRefusedAtItsPlace) {
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "f:3:1: error: duplicate key `a`, first in line 1; keep one of the two");
  EXPECT_NE(refusal("x: {k: 1, k: 2}\n").find("f:1:11: error: duplicate key `k`"), std::string::npos);
  EXPECT_NE(refusal("a: &m {b: 1}\nc:\n  <<: *m\n").find("f:3:3: error: merge keys"), std::string::npos);
  EXPECT_NE(refusal("a: !!binary xyz\n").find("f:1:4: error: the tag"), std::string::npos);
  EXPECT_NE(refusal("a: 1\n---\nb: 2\n").find("f:3:1: error: a second YAML document"), std::string::npos);
  EXPECT_NE(refusal("a: &x [*x]\n").find("f:1:8: error: an alias inside"), std::string::npos);
  EXPECT_NE(refusal("? [a]\n: 1\n").find("f:1:3: error:"), std::string::npos);
  EXPECT_NE(refusal("a: *nowhere\n").find("f:1:4: error:"), std::string::npos);
}

TEST(YamlDocument, malformedTextNamesLineAndColumn) {
  EXPECT_NE(refusal("a: [1, 2\n").find("no valid YAML"), std::string::npos);
  EXPECT_NE(refusal("a: b: c\n").find("f:1:5: error:"), std::string::npos);
  EXPECT_NE(refusal("ok: 1\na: 'never closed\nb: 2\n").find("f:2:4: error: the quote that begins here is not closed"),
            std::string::npos);
  EXPECT_NE(refusal("a: \"never \\\" closed\n").find("f:1:4: error: the quote"), std::string::npos);
  EXPECT_EQ(refusal("a: 'it''s closed'\nb: \"so \\\" is this\"\n"), "accepted");
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("# only a comment\n").find("nothing in the file"), std::string::npos);
  EXPECT_NE(refusal(std::string("a: b\0c\n", 7)).find("f:1:5: error: binary content"), std::string::npos);
  EXPECT_NE(refusal("a: 1\nb: \xff\n").find("f:2:4: error: byte 0xFF is no valid UTF-8"), std::string::npos);
  EXPECT_NE(refusal("a: \xed\xa0\x80\n").find("UTF-8"), std::string::npos);  // a surrogate
}

TEST(YamlDocument, aMillionLevelsAreRefusedWithoutUsingUpTheStack) {
  constexpr int kLevels = 1'000'000;
  EXPECT_NE(refusal("a: " + std::string(kLevels, '[') + std::string(kLevels, ']')).find("nested deeper than 200"),
            std::string::npos);
  for (const char* opening : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < kLevels; ++i) text += opening;
    EXPECT_NE(refusal(text).find("error:"), std::string::npos) << opening;
  }
  std::string indented;
  for (int i = 0; i < 300; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(refusal(indented).find("f:201:201: error:"), std::string::npos);
}

TEST(YamlDocument, nestingThroughAliasesCountsToo) {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " ";
    text += std::string(50, '[') + (i == 0 ? "x" : "*a" + std::to_string(i - 1)) + " " + std::string(50, ']') + "\n";
  }
  EXPECT_NE(refusal(text).find("nested deeper than 200"), std::string::npos);
}

TEST(YamlDocument, anAliasBombIsRefusedBeforeItCostsMemory) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 20; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    text += " ]\n";
  }
  EXPECT_NE(refusal(text).find("more than 1000000 values; aliases multiply"), std::string::npos);
}

TEST(YamlDocument, whatIsNoReadableFileIsSaid) {
  const auto load = [](const std::string& path) -> std::string {
    try {
      YamlDocument::load(path);
    } catch (const InputError& problem) {
      return problem.what();
    }
    return "accepted";
  };
  const testing::Folder folder;
  EXPECT_EQ(load(folder.path("none.yaml")),
            folder.path("none.yaml") +
                ": error: there is no such file; check the path; relative paths start from the file that names them");
  EXPECT_NE(load(folder.path()).find("this is a directory"), std::string::npos);
  EXPECT_NE(load(folder.write("empty.yaml", "")).find("the file is empty"), std::string::npos);
  EXPECT_NE(load("/dev/null").find("no regular file"), std::string::npos);
  // A regular file that even root cannot read: its first page is not mapped.
  EXPECT_NE(load("/proc/self/mem").find("cannot be read"), std::string::npos);
  const std::string huge = folder.write("huge.yaml", "a: 1\n");
  std::filesystem::resize_file(huge, (64U << 20) + 1);
  EXPECT_NE(load(huge).find("larger than 64 MiB"), std::string::npos);
}

}  // namespace
}  // namespace podtwin::data
