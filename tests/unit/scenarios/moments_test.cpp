#include "scenarios/moments.hpp"

#include <gtest/gtest.h>

namespace podtwin::scenarios {
namespace {

TEST(Moments, AMomentIsOneNumberWithTheGreatestUnitThatDividesIt) {
  EXPECT_EQ(momentText(0.0), "0 s");
  EXPECT_EQ(momentText(1.0), "1 s");
  EXPECT_EQ(momentText(0.0015), "0.002 s");
  EXPECT_EQ(momentText(59.9996), "1 min");
  EXPECT_EQ(momentText(5400.0), "90 min");
  EXPECT_EQ(momentText(10800.0), "3 h");
  EXPECT_EQ(momentText(3723.5), "3723.5 s");
  EXPECT_EQ(momentText(31536000.0), "8760 h");
  EXPECT_EQ(momentText(1234567.891), "1234567.891 s");
}

TEST(Moments, EvenlySpacedMomentsAreToldTogether) {
  EXPECT_EQ(momentsText({}), "");
  EXPECT_EQ(momentsText({600.0}), "10 min");
  EXPECT_EQ(momentsText({0.0, 3600.0, 7200.0}), "0 s, 1 h, 2 h");
  EXPECT_EQ(momentsText({0.0, 3600.0, 7200.0, 10800.0}), "0 s to 3 h each 1 h");
  EXPECT_EQ(momentsText({5.0, 60.0, 120.0, 180.0, 240.0, 245.0}), "5 s, 1 min to 4 min each 1 min, 245 s");
}

}  // namespace
}  // namespace podtwin::scenarios
