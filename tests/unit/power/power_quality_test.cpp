// Windows and filters of the power quality meter against arithmetic and sinusoids of known amplitude.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "model/components/power/band_pass.hpp"
#include "model/components/power/sliding_window.hpp"

namespace podtwin {
namespace {

class Ring {
 public:
  auto cell() {
    return [this](std::size_t k) -> double& { return cells_[k]; };
  }

 private:
  std::array<double, SlidingWindow::kCells> cells_{};
};

TEST(SlidingWindow, ARampIsTheChangeOverTheWindowOverItsTime) {
  Ring ring;
  const SlidingWindow window(60.0);
  window.fill(0.0, 5e6, ring.cell());
  // 10 kW each second from 20 s on: after 60 s of it 10 kW/s, after 30 s half of that.
  for (int t = 0; t < 200; ++t) {
    window.hold(t, t + 1.0, 5e6 + 1e4 * std::max(t - 20.0, 0.0), ring.cell());
    if (t == 51) {
      EXPECT_NEAR(window.rate(ring.cell()), 0.5e4, 0.05 * 1e4);
    }
    if (t > 90) {
      EXPECT_NEAR(window.rate(ring.cell()), 1e4, 1e-6);
    }
  }
}

TEST(SlidingWindow, MeanAndRangeForgetWhatIsOlderThanTheWindow) {
  Ring ring;
  const SlidingWindow window(10.0);
  window.fill(0.0, 100.0, ring.cell());
  window.hold(0.0, 5.0, 100.0, ring.cell());
  window.hold(5.0, 6.0, 300.0, ring.cell());
  window.hold(6.0, 12.0, 100.0, ring.cell());
  EXPECT_EQ(window.range(ring.cell()), 200.0);
  EXPECT_NEAR(window.mean(ring.cell()), 120.0, 1e-9);
  window.hold(12.0, 15.4, 100.0, ring.cell());
  EXPECT_EQ(window.range(ring.cell()), 200.0);
  window.hold(15.4, 16.6, 100.0, ring.cell());
  EXPECT_EQ(window.range(ring.cell()), 0.0);
  EXPECT_NEAR(window.mean(ring.cell()), 100.0, 1e-9);
  window.touch(150.0, ring.cell());
  EXPECT_EQ(window.range(ring.cell()), 50.0);
}

/// Amplitude of a sinusoid of amplitude 1 behind the filter, once settled.
double passed(double low, double high, double frequency, double period) {
  const BandPass filter(low, high, period);
  SectionMemory first, second;
  const double settle = 30.0 / low;
  double square = 0.0;
  const auto count = static_cast<int>(std::round((settle + 20.0 / low) / period));
  int counted = 0;
  for (int k = 0; k < count; ++k) {
    const double out = filter.pass(std::sin(2.0 * std::numbers::pi * frequency * k * period), first, second);
    if (k * period < settle) continue;
    square += out * out;
    ++counted;
  }
  return std::sqrt(2.0 * square / counted);
}

TEST(BandPass, PassesItsBandAndHalvesThePowerAtItsEnds) {
  constexpr double kPeriod = 0.005;
  for (const double f : {0.5, 1.0, 2.0, 5.0}) EXPECT_NEAR(passed(0.1, 20.0, f, kPeriod), 1.0, 4e-3) << f;
  EXPECT_NEAR(passed(0.1, 20.0, 0.1, kPeriod), std::numbers::sqrt2 / 2.0, 2e-3);
  EXPECT_NEAR(passed(0.1, 20.0, 20.0, kPeriod), std::numbers::sqrt2 / 2.0, 2e-3);
}

TEST(BandPass, KeepsOutWhatIsBesideItsBandInTheSecondOrder) {
  constexpr double kPeriod = 0.005;
  // A tenth of the corner: 1/sqrt(1 + 10^4).
  EXPECT_NEAR(passed(1.0, 20.0, 0.1, kPeriod), 0.0099995, 5e-4);
  EXPECT_LT(passed(0.1, 2.0, 20.0, kPeriod), 0.0101);
  const BandPass filter(0.1, 20.0, kPeriod);
  SectionMemory first, second;
  double out = 0.0;
  for (int k = 0; k < 40000; ++k) out = filter.pass(1.0, first, second);
  EXPECT_NEAR(out, 0.0, 1e-6) << "a constant is no oscillation";
}

TEST(BandPass, AtTwoSamplesAPeriodOfItsTopItIsAHighPassAlone) { EXPECT_NEAR(passed(0.1, 50.0, 1.0, 0.01), 1.0, 1e-3); }

}  // namespace
}  // namespace podtwin
