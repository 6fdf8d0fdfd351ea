// Everything about a plant that changes with time. Copying it is a checkpoint, a fork, a rewind.
#pragma once

#include <cstdint>
#include <vector>

namespace podtwin {

/// Coolant on its way through a plug-flow volume: parcels in order of entry, each with its volume [m3]
/// and temperature [K]. The oldest parcel is at index `head`.
struct DelayLine {
  std::vector<double> volume;
  std::vector<double> temperature;
  std::size_t head = 0;
};

struct State {
  double t = 0.0;                ///< s from the start of the scenario
  std::vector<double> y;         ///< continuous unknowns, in the order of the system's layout
  std::vector<double> z;         ///< discrete values: modes, positions commanded, held samples, inputs
  std::vector<DelayLine> lines;  ///< plug-flow volumes
  std::uint64_t topology = 1;    ///< raised by every change of z that can change what is connected
};

}  // namespace podtwin
