#include "scenarios/workload/workload.hpp"

#include <fmt/format.h>

#include "model/base/diagnostics.hpp"

namespace podtwin::scenarios {

void ItInventory::check() const {
  for (std::size_t gpu = 0; gpu < gpu_tray.size(); ++gpu) {
    if (gpu_tray[gpu] >= tray_rack.size()) {
      throw Error(
          fmt::format("workload: GPU {} is in tray {}, but there are {} trays", gpu, gpu_tray[gpu], tray_rack.size()));
    }
  }
  for (std::size_t tray = 0; tray < tray_rack.size(); ++tray) {
    if (tray_rack[tray] >= racks) {
      throw Error(fmt::format("workload: tray {} is in rack {}, but there are {} racks", tray, tray_rack[tray], racks));
    }
  }
}

}  // namespace podtwin::scenarios
