// Marks a function that is compiled twice, for x86-64-v3 (AVX2 and FMA) and for any x86-64, and chosen at load time.
//
// The second form keeps the program running on old processors; results of the two differ in the last digit (FMA).
// Sanitizers run before the choice can be made, so they get one plain function.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
// One name: a list ("avx2,fma") would make a clone for each, and none with both.
#define PODTWIN_VECTORISED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PODTWIN_VECTORISED
#endif

/// Accumulators side by side in a reduction, so that it fills vector units without reassociating floating-point sums.
#define PODTWIN_LANES 8
