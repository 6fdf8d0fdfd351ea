#include "model/fluids/water.hpp"

#include <array>
#include <cmath>

#include "model/fluids/range.hpp"

namespace podtwin::fluids {

namespace {

constexpr double kGasConstant = 461.526;          // J/(kg K), IF97
constexpr double kCriticalTemperature = 647.096;  // K
constexpr double kCriticalDensity = 322.0;        // kg/m3

// IAPWS-IF97 (2007 release), table 2: dimensionless Gibbs energy of region 1, sum n (7.1 - pi)^I (tau - 1.222)^J.
struct Term {
  int i, j;
  double n;
};
constexpr std::array<Term, 34> kRegion1{
    {{0, -2, 0.14632971213167},       {0, -1, -0.84548187169114},       {0, 0, -0.37563603672040e1},
     {0, 1, 0.33855169168385e1},      {0, 2, -0.95791963387872},        {0, 3, 0.15772038513228},
     {0, 4, -0.16616417199501e-1},    {0, 5, 0.81214629983568e-3},      {1, -9, 0.28319080123804e-3},
     {1, -7, -0.60706301565874e-3},   {1, -1, -0.18990068218419e-1},    {1, 0, -0.32529748770505e-1},
     {1, 1, -0.21841717175414e-1},    {1, 3, -0.52838357969930e-4},     {2, -3, -0.47184321073267e-3},
     {2, 0, -0.30001780793026e-3},    {2, 1, 0.47661393906987e-4},      {2, 3, -0.44141845330846e-5},
     {2, 17, -0.72694996297594e-15},  {3, -4, -0.31679644845054e-4},    {3, 0, -0.28270797985312e-5},
     {3, 6, -0.85205128120103e-9},    {4, -5, -0.22425281908000e-5},    {4, -2, -0.65171222895601e-6},
     {4, 10, -0.14341729937924e-12},  {5, -8, -0.40516996860117e-6},    {8, -11, -0.12734301741641e-8},
     {8, -6, -0.17424871230634e-9},   {21, -29, -0.68762131295531e-18}, {23, -31, 0.14478307828521e-19},
     {29, -38, 0.26335781662795e-22}, {30, -39, -0.11947622640071e-22}, {31, -40, 0.18228094581404e-23},
     {32, -41, -0.93537087292458e-25}}};
constexpr double kPressureStar = 16.53e6;    // Pa
constexpr double kTemperatureStar = 1386.0;  // K
// Table 34: saturation line.
constexpr std::array<double, 10> kSaturation{
    0.11670521452767e4, -0.72421316703206e6, -0.17073846940092e2, 0.12020824702470e5, -0.32325550322333e7,
    0.14915108613530e2, -0.48232657361591e4, 0.40511340542057e6,  -0.23855557567849,  0.65017534844798e3};

struct Gibbs {
  double g = 0, p = 0, pp = 0, t = 0, tt = 0, pt = 0;  // value and derivatives by pi and tau
};

Gibbs gibbs(double T, double p) {
  constexpr double kLow = 273.15, kHigh = 623.15, kPressureHigh = 100e6;  // K, K, Pa: region 1
  requireRange("water", "temperature", T, kLow, kHigh, "K");
  const double boiling = waterSaturationPressure(T);
  if (p < boiling)
    throw Error("water: pressure " + inWords(p) + " Pa is below the saturation pressure " + inWords(boiling) +
                " Pa at " + inWords(T) + " K; it is not liquid");
  requireRange("water", "pressure", p, boiling, kPressureHigh, "Pa");
  const double a = 7.1 - p / kPressureStar, b = kTemperatureStar / T - 1.222;
  Gibbs s;
  for (const auto& [i, j, n] : kRegion1) {
    const double x = std::pow(a, i), y = std::pow(b, j);
    const double x1 = i == 0 ? 0.0 : i * std::pow(a, i - 1), y1 = j == 0 ? 0.0 : j * std::pow(b, j - 1);
    s.g += n * x * y;
    s.p -= n * x1 * y;
    s.pp += i < 2 ? 0.0 : n * i * (i - 1) * std::pow(a, i - 2) * y;
    s.t += n * x * y1;
    s.tt += n * x * j * (j - 1) * std::pow(b, j - 2);
    s.pt -= n * x1 * y1;
  }
  return s;
}

/// Range of the transport equations that the IAPWS releases share up to 100 MPa, gas included.
void checkTransport(double T, double density) {
  constexpr double kLow = 273.15, kHigh = 1173.15, kDensest = 1250.0;  // K, K, kg/m3
  requireRange("water transport", "temperature", T, kLow, kHigh, "K");
  requireRange("water transport", "density", density, 0.0, kDensest, "kg/m3");
}

}  // namespace

double waterDensity(double T, double p) { return kPressureStar / (gibbs(T, p).p * kGasConstant * T); }

double waterSpecificHeat(double T, double p) {
  const double tau = kTemperatureStar / T;
  return -kGasConstant * tau * tau * gibbs(T, p).tt;
}

double waterEnthalpy(double T, double p) { return kGasConstant * kTemperatureStar * gibbs(T, p).t; }

double waterEntropy(double T, double p) {
  const Gibbs s = gibbs(T, p);
  return kGasConstant * (kTemperatureStar / T * s.t - s.g);
}

double waterInternalEnergy(double T, double p) {
  const Gibbs s = gibbs(T, p);
  return kGasConstant * T * (kTemperatureStar / T * s.t - p / kPressureStar * s.p);
}

double waterSoundSpeed(double T, double p) {
  const Gibbs s = gibbs(T, p);
  const double tau = kTemperatureStar / T;
  const double cross = s.p - tau * s.pt;
  return std::sqrt(kGasConstant * T * s.p * s.p / (cross * cross / (tau * tau * s.tt) - s.pp));
}

double waterSaturationPressure(double T) {
  constexpr double kLow = 273.15;
  requireRange("water saturation", "temperature", T, kLow, kCriticalTemperature, "K");
  const auto& n = kSaturation;
  const double th = T + n[8] / (T - n[9]);
  const double a = th * th + n[0] * th + n[1], b = n[2] * th * th + n[3] * th + n[4],
               c = n[5] * th * th + n[6] * th + n[7];
  const double root = 2.0 * c / (-b + std::sqrt(b * b - 4.0 * a * c));
  return 1e6 * root * root * root * root;
}

double waterSaturationTemperature(double p) {
  constexpr double kLow = 611.213, kHigh = 22.064e6;  // Pa
  requireRange("water saturation", "pressure", p, kLow, kHigh, "Pa");
  const auto& n = kSaturation;
  const double be = std::pow(p / 1e6, 0.25);
  const double e = be * be + n[2] * be + n[5], f = n[0] * be * be + n[3] * be + n[6],
               g = n[1] * be * be + n[4] * be + n[7];
  const double d = 2.0 * g / (-f - std::sqrt(f * f - 4.0 * e * g));
  return 0.5 * (n[9] + d - std::sqrt((n[9] + d) * (n[9] + d) - 4.0 * (n[8] + n[9] * d)));
}

double waterViscosity(double T, double density) {
  checkTransport(T, density);
  // IAPWS R12-08, tables 1 and 2.
  constexpr std::array<double, 4> kDilute{1.67752, 2.20462, 0.6366564, -0.241605};
  constexpr double kFinite[6][7] = {{5.20094e-1, 2.22531e-1, -2.81378e-1, 1.61913e-1, -3.25372e-2, 0, 0},
                                    {8.50895e-2, 9.99115e-1, -9.06851e-1, 2.57399e-1, 0, 0, 0},
                                    {-1.08374, 1.88797, -7.72479e-1, 0, 0, 0, 0},
                                    {-2.89555e-1, 1.26613, -4.89837e-1, 0, 6.98452e-2, 0, -4.35673e-3},
                                    {0, 0, -2.57040e-1, 0, 0, 8.72102e-3, 0},
                                    {0, 1.20573e-1, 0, 0, 0, 0, -5.93264e-4}};
  const double t = T / kCriticalTemperature, r = density / kCriticalDensity;
  double below = 0.0;
  for (std::size_t i = 0; i < kDilute.size(); ++i) below += kDilute[i] / std::pow(t, static_cast<double>(i));
  double exponent = 0.0;
  for (int i = 0; i < 6; ++i) {
    double inner = 0.0;
    for (int j = 6; j >= 0; --j) inner = inner * (r - 1.0) + kFinite[i][j];
    exponent += std::pow(1.0 / t - 1.0, i) * inner;
  }
  return 1e-6 * 100.0 * std::sqrt(t) / below * std::exp(r * exponent);
}

double waterConductivity(double T, double density) {
  checkTransport(T, density);
  // IAPWS R15-11, tables 1 and 2.
  constexpr std::array<double, 5> kDilute{2.443221e-3, 1.323095e-2, 6.770357e-3, -3.454586e-3, 4.096266e-4};
  constexpr double kFinite[5][6] = {{1.60397357, -0.646013523, 0.111443906, 0.102997357, -0.0504123634, 0.00609859258},
                                    {2.33771842, -2.78843778, 1.53616167, -0.463045512, 0.0832827019, -0.00719201245},
                                    {2.19650529, -4.54580785, 3.55777244, -1.40944978, 0.275418278, -0.0205938816},
                                    {-1.21051378, 1.60812989, -0.621178141, 0.0716373224, 0, 0},
                                    {-2.7203370, 4.57586331, -3.18369245, 1.1168348, -0.19268305, 0.012913842}};
  const double t = T / kCriticalTemperature, r = density / kCriticalDensity;
  double below = 0.0;
  for (std::size_t i = 0; i < kDilute.size(); ++i) below += kDilute[i] / std::pow(t, static_cast<double>(i));
  double exponent = 0.0;
  for (int i = 0; i < 5; ++i) {
    double inner = 0.0;
    for (int j = 5; j >= 0; --j) inner = inner * (r - 1.0) + kFinite[i][j];
    exponent += std::pow(1.0 / t - 1.0, i) * inner;
  }
  return 1e-3 * std::sqrt(t) / below * std::exp(r * exponent);
}

double waterSurfaceTension(double T) {
  // IAPWS R1-76 (2014): B tau^mu (1 + b tau).
  constexpr double kLow = 273.15, kB = 235.8e-3, kMu = 1.256, kb = -0.625;  // K, N/m, 1, 1
  requireRange("water surface tension", "temperature", T, kLow, kCriticalTemperature, "K");
  const double tau = 1.0 - T / kCriticalTemperature;
  return kB * std::pow(tau, kMu) * (1.0 + kb * tau);
}

double waterPrandtl(double T, double p) {
  const double density = waterDensity(T, p);
  return waterSpecificHeat(T, p) * waterViscosity(T, density) / waterConductivity(T, density);
}

}  // namespace podtwin::fluids
