// One state in a group of an HDF5 file: the layout that checkpoint files and the restart states of a result share.
#pragma once

#include <optional>

#include "data/results/checkpoint.hpp"
#include "data/results/chunk_codec.hpp"
#include "data/results/hdf5_handle.hpp"

namespace podtwin::data {

/// Fills `group`, which is a new group or a new file: attributes pod_text_hash, time and checksum, datasets y and z,
/// groups extra and texts. Long vectors are compressed. Throws h5::Failure.
void writeState(hid_t group, const Checkpoint& state, ChunkCodec& codec);

/// The state of a group; nothing when its checksum does not fit its values. Throws h5::Failure when a part is missing
/// or cannot be read.
std::optional<Checkpoint> readState(hid_t group);

/// When the state of a group is of [s], without reading the rest.
double timeOfState(hid_t group);

}  // namespace podtwin::data
