// Patterns of ids in addresses.
#include "scenarios/addresses.hpp"

#include <gtest/gtest.h>

namespace podtwin::scenarios {
namespace {

TEST(Addresses, StarStandsForAnyId) {
  EXPECT_TRUE(matchesPattern("A01-T01-G1", "*"));
  EXPECT_TRUE(matchesPattern("A01-T01-G1", "A01-*"));
  EXPECT_FALSE(matchesPattern("A01-T01-G1", "B*"));
}

TEST(Addresses, RangeOfIdsCoversWhatLiesBetweenItsEnds) {
  EXPECT_TRUE(matchesPattern("A04", "A01-A08"));
  EXPECT_FALSE(matchesPattern("A09", "A01-A08"));
  EXPECT_FALSE(matchesPattern("A004", "A01-A08"));
}

TEST(Addresses, BracketsAndCommasGiveAlternatives) {
  EXPECT_TRUE(matchesPattern("B02", "A[01-04],B02"));
  EXPECT_TRUE(matchesPattern("A03", "A[01-04],B02"));
  EXPECT_FALSE(matchesPattern("A05", "A[01-04],B02"));
}

}  // namespace
}  // namespace podtwin::scenarios
