// The derivative of the rates by the unknowns, in the form that makes it cheap to solve with:
// exposed unknowns in one small sparse matrix, and groups of identical interior blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace podtwin {

/// `count` identical blocks of `interior` unknowns each. A block couples to itself and to `ports`
/// exposed unknowns, and to nothing else (the die and plate of a GPU and the coolant around it).
/// Unknown k of block i is y[first + k * count + i]; port j of block i is y[port[j * count + i]].
struct InteriorGroup {
  std::string name;
  std::size_t count = 0;
  std::size_t interior = 0;
  std::size_t ports = 0;
  std::size_t first = 0;
  std::vector<std::int64_t> port;
};

struct Coupling {
  std::int64_t row;
  std::int64_t column;
  friend auto operator<=>(const Coupling&, const Coupling&) = default;
};

/// Fixed pattern of a Jacobian. y is ordered: exposed unknowns first, then the groups.
struct JacobianStructure {
  std::size_t size = 0;
  std::size_t exposed = 0;
  std::vector<Coupling> couplings;  ///< among exposed unknowns; sorted, unique, every diagonal present
  std::vector<InteriorGroup> groups;
};

/// Values of df/dy [1/s scaled by the unknowns' own units] on a JacobianStructure.
/// Group arrays are structure of arrays: entry (r, c) of block i stands at [(r * columns + c) * count + i].
struct Jacobian {
  struct GroupValues {
    std::vector<double> ii;  ///< interior rows by interior columns
    std::vector<double> ip;  ///< interior rows by port columns
    std::vector<double> pi;  ///< port rows by interior columns (port rows are exposed unknowns)
  };
  explicit Jacobian(const JacobianStructure& structure);
  void zero();
  std::vector<double> exposed;  ///< one value a coupling, in the order of the structure
  std::vector<GroupValues> groups;
};

}  // namespace podtwin
