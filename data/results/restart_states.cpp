#include "data/results/restart_states.hpp"

#include <fmt/format.h>

#include "data/results/format.hpp"

namespace podtwin::data {

namespace {

/// Links that find room in the header as it is made; further ones take blocks of their own.
constexpr unsigned kExpectedStates = 64;
constexpr unsigned kNameLength = 6;
constexpr unsigned kMostInHeader = 65535;  // HDF5's own bound

std::string nameOf(std::size_t index) { return fmt::format("{:0{}d}", index, kNameLength); }

}  // namespace

void RestartWriter::create(hid_t file) {
  const h5::Properties properties(h5::check(H5Pcreate(H5P_GROUP_CREATE), "create group properties"));
  h5::check(H5Pset_obj_track_times(properties, false), "switch object times off");
  // Links in the group's own header: a new state is then new space and, at the commit, one changed header. The other
  // kind of group spreads a link over a heap, a leaf and an index node, which a torn commit could leave at odds.
  h5::check(H5Pset_link_phase_change(properties, kMostInHeader, 0), "keep links in the header");
  h5::check(H5Pset_est_link_info(properties, kExpectedStates, kNameLength), "make room for links");
  group_ = h5::Group(
      h5::check(H5Gcreate2(file, kRestartGroup, H5P_DEFAULT, properties, H5P_DEFAULT), "create the group of states"));
}

void RestartWriter::append(const Checkpoint& state, ChunkCodec& codec) {
  const h5::Group group = h5::createGroup(group_, nameOf(written_));
  writeState(group, state, codec);
  ++written_;
}

std::vector<double> restartTimes(hid_t file) {
  std::vector<double> times;
  if (!h5::exists(file, kRestartGroup)) return times;
  const h5::Group group = h5::openGroup(file, kRestartGroup);
  for (const auto& name : h5::linkNames(group)) times.push_back(timeOfState(h5::openGroup(group, name)));
  return times;
}

std::string restartPath(std::size_t index) { return std::string(kRestartGroup) + "/" + nameOf(index); }

std::optional<Checkpoint> restartState(hid_t file, std::size_t index) {
  return readState(h5::openGroup(file, restartPath(index)));
}

}  // namespace podtwin::data
