#include <gtest/gtest.h>

#include "data/readers/expression.hpp"
#include "data/readers/ranges.hpp"

namespace podtwin::data {
namespace {

std::vector<std::string> names(std::string_view text) {
  Diagnostics problems;
  std::vector<std::string> out;
  for (auto& expanded : expandRanges(text, {"f", 1, 1}, problems)) out.push_back(expanded.name);
  EXPECT_EQ(problems.hasErrors(), out.empty()) << text;
  return out;
}

TEST(Ranges, theRightmostRangeRunsFastestAndNumbersKeepTheirWidth) {
  EXPECT_EQ(names("[A-B][08-10]"), (std::vector<std::string>{"A08", "A09", "A10", "B08", "B09", "B10"}));
  EXPECT_EQ(names("P[9-11]"), (std::vector<std::string>{"P9", "P10", "P11"}));
  EXPECT_EQ(names("x-[a,c]-[1-2,7]"), (std::vector<std::string>{"x-a-1", "x-a-2", "x-a-7", "x-c-1", "x-c-2", "x-c-7"}));
  EXPECT_EQ(names("plain"), std::vector<std::string>{"plain"});
}

TEST(Ranges, capturesHoldWhatEachRangeGave) {
  Diagnostics problems;
  const auto expanded = expandRanges("[A-B][01-02]", {}, problems);
  EXPECT_EQ(expanded.at(2).captures, (std::vector<std::string>{"B", "01"}));
}

TEST(Ranges, whatExpandsToNothingOrTooMuchIsRefused) {
  for (const char* bad : {"[5-1]", "[C-A]", "[]", "[a,]", "[1-", "1]", "[A-b]", "[a-7]", "[1-9999999]",
                          "[1-1000][1-1001]", "[[1-2]]", "[1 2]"}) {
    Diagnostics problems;
    EXPECT_TRUE(expandRanges(bad, {"f", 4, 10}, problems).empty()) << bad;
    EXPECT_EQ(problems.list().size(), 1U) << bad;
  }
  EXPECT_EQ(names("[1-1000][1-1000]").size(), 1'000'000U);
}

TEST(Ranges, addressesTakeTheirThreeForms) {
  Diagnostics problems;
  const auto one = parseAddress("tcs1-P1.speed", SignalPart::required, {}, problems);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->kind, Address::Kind::instance);
  EXPECT_EQ(one->name, "tcs1-P1");
  EXPECT_EQ(one->signal, "speed");
  const auto many = parseAddress("gpu[A01-*, B[01-02]-T01-G1].t_junction", SignalPart::required, {}, problems);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->patterns, (std::vector<std::string>{"A01-*", "B01-T01-G1", "B02-T01-G1"}));
  EXPECT_TRUE(many->matches("A01-T05-G3"));
  EXPECT_TRUE(many->matches("B02-T01-G1"));
  EXPECT_FALSE(many->matches("B03-T01-G1"));
  const auto group = parseAddress("group:row-A", SignalPart::forbidden, {}, problems);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->kind, Address::Kind::group);
  EXPECT_EQ(group->name, "row-A");
  EXPECT_FALSE(problems.hasErrors());
}

TEST(Ranges, malformedAddressesAreRefused) {
  for (const char* bad :
       {"", ".speed", "gpu[*.t", "gpu[].t", "a b.c", "[x].t", "a.", "a.b c", "gpu[a;b].t", "tcs1-P1"}) {
    Diagnostics problems;
    EXPECT_FALSE(parseAddress(bad, SignalPart::required, {}, problems)) << bad;
    EXPECT_EQ(problems.list().size(), 1U) << bad;
  }
  Diagnostics problems;
  EXPECT_FALSE(parseAddress("a.b", SignalPart::forbidden, {}, problems));
}

TEST(Ranges, starsMatchAnyRunOfCharacters) {
  EXPECT_TRUE(matchesPattern("*", ""));
  EXPECT_TRUE(matchesPattern("A*-G1", "A01-T02-G1"));
  EXPECT_FALSE(matchesPattern("A*-G1", "A01-T02-G2"));
  EXPECT_TRUE(matchesPattern("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(matchesPattern("a", "ab"));
}

TEST(Expressions, conditionsParseToATreeWithPlaces) {
  Diagnostics problems;
  const auto parsed =
      parseComparison("max(gpu[*].t_junction, rack[A01,A02].t_return) >= 85 degC", {"f", 2, 10}, problems);
  ASSERT_TRUE(parsed) << problems.list().front().text();
  EXPECT_EQ(parsed->left.kind, Expression::Kind::maximum);
  ASSERT_EQ(parsed->left.arguments.size(), 2U);
  EXPECT_EQ(parsed->left.arguments[1].address.patterns, (std::vector<std::string>{"A01", "A02"}));
  EXPECT_EQ(parsed->left.arguments[1].where.column, 33);
  EXPECT_EQ(parsed->op, Comparison::Operator::at_least);
  EXPECT_EQ(parsed->limit, "85 degC");
  const auto plain = parseComparison("hall.t_air<30 degC", {}, problems);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->left.address.name, "hall");
  EXPECT_EQ(plain->op, Comparison::Operator::below);
  EXPECT_FALSE(problems.hasErrors());
}

TEST(Expressions, malformedConditionsAreRefused) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "max(";
  for (const std::string& bad : {std::string("max(gpu[*].t > 1 K"), std::string("maxi(a.b) > 1"), std::string("a.b"),
                                 std::string("a.b > "), std::string("a.b > hot"), std::string("a.b = 1"),
                                 std::string("> 3"), std::string("a.b > 1 foo"), std::string("max() > 1"), deep}) {
    Diagnostics problems;
    EXPECT_FALSE(parseComparison(bad, {"f", 1, 1}, problems)) << bad;
    EXPECT_EQ(problems.list().size(), 1U) << bad;
  }
  Diagnostics problems;
  EXPECT_FALSE(parseExpression("a.b c", {}, problems));
}

}  // namespace
}  // namespace podtwin::data
