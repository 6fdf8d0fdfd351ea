// SUNDIALS' serial vectors with vectorised operations.
//
// Debian's N_Vector_Serial loops over one number at a time. These replace the operations ARKODE and CVODE spend their
// time in; clones inherit them. The norm is replaced by another one on purpose: the greatest weighted entry instead of
// the root mean square, in which one bad die would hide among 14,000 unknowns. Reductions keep several accumulators
// side by side (PODTWIN_LANES), so they need no relaxed floating-point rules.
#pragma once

#include <nvector/nvector_serial.h>

namespace podtwin::solvers {

/// A serial vector of `n` entries with the operations above; free it with N_VDestroy. Throws Error without memory.
N_Vector newFastVector(std::size_t n, SUNContext context);

}  // namespace podtwin::solvers
