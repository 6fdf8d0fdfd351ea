#include "solvers/fast_nvector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "model/base/vectorised.hpp"

namespace podtwin::solvers {

namespace {

// SUNDIALS calls these with x, y and z the same vector at times; entries are then read before they are written.
PODTWIN_VECTORISED void linearSum(std::size_t n, double a, const double* x, double b, const double* y, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}
PODTWIN_VECTORISED void addScaled(std::size_t n, double a, const double* x, const double* y, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}
PODTWIN_VECTORISED void scaled(std::size_t n, double a, const double* x, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i];
}
PODTWIN_VECTORISED void combine2(std::size_t n, double a, const double* x, double b, const double* y, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] += a * x[i] + b * y[i];
}
PODTWIN_VECTORISED void multiplied(std::size_t n, const double* x, const double* y, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = x[i] * y[i];
}
PODTWIN_VECTORISED void divided(std::size_t n, const double* x, const double* y, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = x[i] / y[i];
}
PODTWIN_VECTORISED void absolute(std::size_t n, const double* x, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = std::abs(x[i]);
}
PODTWIN_VECTORISED void inverse(std::size_t n, const double* x, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = 1.0 / x[i];
}
PODTWIN_VECTORISED void plusConstant(std::size_t n, const double* x, double b, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + b;
}

/// Greatest |x w|; NaN when an entry is not finite, also where the weight is small.
PODTWIN_VECTORISED double greatest(std::size_t n, const double* __restrict x, const double* __restrict w) {
  double worst[PODTWIN_LANES], sum[PODTWIN_LANES];
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) worst[k] = sum[k] = 0.0;
  const auto one = [&](std::size_t i, std::size_t k) {
    const double value = std::abs(x[i] * w[i]);
    worst[k] = value > worst[k] ? value : worst[k];
    sum[k] += value;
  };
  std::size_t i = 0;
  for (; i + PODTWIN_LANES <= n; i += PODTWIN_LANES)
    for (std::size_t k = 0; k < PODTWIN_LANES; ++k) one(i + k, k);
  for (; i < n; ++i) one(i, 0);
  double most = 0.0, all = 0.0;
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) most = worst[k] > most ? worst[k] : most, all += sum[k];
  return all == all ? most : all;  // a comparison skips a NaN, a sum does not
}
PODTWIN_VECTORISED double least(std::size_t n, const double* __restrict x) {
  double worst[PODTWIN_LANES];
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) worst[k] = std::numeric_limits<double>::max();
  std::size_t i = 0;
  for (; i + PODTWIN_LANES <= n; i += PODTWIN_LANES)
    for (std::size_t k = 0; k < PODTWIN_LANES; ++k) worst[k] = x[i + k] < worst[k] ? x[i + k] : worst[k];
  for (; i < n; ++i) worst[0] = x[i] < worst[0] ? x[i] : worst[0];
  return *std::min_element(worst, worst + PODTWIN_LANES);
}

std::size_t length(N_Vector v) { return static_cast<std::size_t>(NV_LENGTH_S(v)); }
double* data(N_Vector v) { return NV_DATA_S(v); }

void opLinearSum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  if (b == 1.0)
    addScaled(length(x), a, data(x), data(y), data(z));
  else
    linearSum(length(x), a, data(x), b, data(y), data(z));
}
void opConst(realtype c, N_Vector z) { std::fill(data(z), data(z) + length(z), c); }
void opScale(realtype a, N_Vector x, N_Vector z) {
  if (a != 1.0)
    scaled(length(x), a, data(x), data(z));
  else if (data(x) != data(z))
    std::copy(data(x), data(x) + length(x), data(z));
}
void opProduct(N_Vector x, N_Vector y, N_Vector z) { multiplied(length(x), data(x), data(y), data(z)); }
void opDivide(N_Vector x, N_Vector y, N_Vector z) { divided(length(x), data(x), data(y), data(z)); }
void opAbsolute(N_Vector x, N_Vector z) { absolute(length(x), data(x), data(z)); }
void opInverse(N_Vector x, N_Vector z) { inverse(length(x), data(x), data(z)); }
void opAddConstant(N_Vector x, realtype b, N_Vector z) { plusConstant(length(x), data(x), b, data(z)); }
realtype opGreatestNorm(N_Vector x, N_Vector w) { return greatest(length(x), data(x), data(w)); }
realtype opLeast(N_Vector x) { return least(length(x), data(x)); }

/// z = sum c_k x_k; z may be x_0 and no other.
int opLinearCombination(int count, realtype* c, N_Vector* x, N_Vector z) {
  const std::size_t n = length(z);
  double* const out = data(z);
  int k = 0;
  if (count > 1 && data(x[1]) != out) {
    linearSum(n, c[0], data(x[0]), c[1], data(x[1]), out);
    k = 2;
  } else {
    opScale(c[0], x[0], z);
    k = 1;
  }
  for (; k + 1 < count; k += 2) combine2(n, c[k], data(x[k]), c[k + 1], data(x[k + 1]), out);
  if (k < count) addScaled(n, c[k], data(x[k]), out, out);
  return 0;
}
/// z_k = a_k x + y_k.
int opScaleAddMulti(int count, realtype* a, N_Vector x, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < count; ++k) addScaled(length(x), a[k], data(x), data(y[k]), data(z[k]));
  return 0;
}

}  // namespace

N_Vector newFastVector(std::size_t n, SUNContext context) {
  N_Vector v = N_VNew_Serial(static_cast<sunindextype>(n), context);
  if (v == nullptr) throw Error("SUNDIALS: no memory for a vector");
  v->ops->nvlinearsum = opLinearSum;
  v->ops->nvconst = opConst;
  v->ops->nvscale = opScale;
  v->ops->nvprod = opProduct;
  v->ops->nvdiv = opDivide;
  v->ops->nvabs = opAbsolute;
  v->ops->nvinv = opInverse;
  v->ops->nvaddconst = opAddConstant;
  v->ops->nvwrmsnorm = opGreatestNorm;
  v->ops->nvmin = opLeast;
  v->ops->nvlinearcombination = opLinearCombination;
  v->ops->nvscaleaddmulti = opScaleAddMulti;
  std::fill(NV_DATA_S(v), NV_DATA_S(v) + n, 0.0);
  return v;
}

}  // namespace podtwin::solvers
