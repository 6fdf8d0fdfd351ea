#include "model/components/cooling/effectiveness.hpp"

#include <string>

#include "model/base/diagnostics.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {
void checkRatio(double cr) {
  if (!(cr >= 0.0 && cr <= 1.0))
    throw Error("effectiveness needs a capacity ratio of 0 to 1, got " + fluids::inWords(cr));
}
}  // namespace

double checkedEffectiveness(Arrangement arrangement, double ntu, double cr) {
  checkRatio(cr);
  if (!(ntu >= 0.0)) throw Error("effectiveness needs NTU of 0 or more, got " + fluids::inWords(ntu));
  return effectiveness(arrangement, ntu, cr);
}

double counterflowNtu(double eps, double cr) {
  checkRatio(cr);
  if (!(eps >= 0.0 && eps < 1.0))
    throw Error("no finite counterflow exchanger has the effectiveness " + fluids::inWords(eps));
  // ln((1 - eps Cr)/(1 - eps))/(1 - Cr), written so that Cr = 1 is its limit eps/(1 - eps).
  const double x = eps * (1.0 - cr) / (1.0 - eps);
  return cr == 1.0 ? eps / (1.0 - eps) : std::log1p(x) / (1.0 - cr);
}

}  // namespace podtwin
