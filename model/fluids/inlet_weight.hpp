// A wall of one temperature cooled by a coolant that warms along it, told by the coolant's temperature at the outlet.
#pragma once

namespace podtwin {

/// Share of the coolant's rise that a plate sees less than the outlet temperature: 1 - 1/effectiveness + 1/NTU.
/// 1/2 at high flow (the mean of inlet and outlet), 0 at none (the coolant stands).
double inletWeight(double ntu);

}  // namespace podtwin
