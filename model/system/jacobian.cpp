#include "model/system/jacobian.hpp"

#include <algorithm>

namespace podtwin {

Jacobian::Jacobian(const JacobianStructure& structure) : exposed(structure.couplings.size(), 0.0) {
  groups.reserve(structure.groups.size());
  for (const auto& group : structure.groups) {
    GroupValues values;
    values.ii.assign(group.interior * group.interior * group.count, 0.0);
    values.ip.assign(group.interior * group.ports * group.count, 0.0);
    values.pi.assign(group.ports * group.interior * group.count, 0.0);
    groups.push_back(std::move(values));
  }
}

void Jacobian::zero() {
  std::fill(exposed.begin(), exposed.end(), 0.0);
  for (auto& group : groups) {
    std::fill(group.ii.begin(), group.ii.end(), 0.0);
    std::fill(group.ip.begin(), group.ip.end(), 0.0);
    std::fill(group.pi.begin(), group.pi.end(), 0.0);
  }
}

}  // namespace podtwin
