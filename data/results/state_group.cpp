#include "data/results/state_group.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <cstddef>
#include <span>

namespace podtwin::data {

namespace {

/// Below it the index of a compressed dataset would be as large as the values.
constexpr std::size_t kSmallestPacked = 4096;  // byte

/// Covers every value with its name and length, in the order of the maps.
class Checksum {
 public:
  void add(const std::string& text) {
    addSize(text.size());
    crc_ = crc32(crc_, std::as_bytes(std::span(text.data(), text.size())));
  }
  void add(const std::vector<double>& values) {
    addSize(values.size());
    crc_ = crc32(crc_, std::as_bytes(std::span(values)));
  }
  std::string text() const { return fmt::format("{:08x}", crc_); }

 private:
  void addSize(std::uint64_t size) { crc_ = crc32(crc_, std::as_bytes(std::span(&size, 1))); }
  unsigned crc_ = 0;
};

std::string checksumOf(const Checkpoint& state) {
  Checksum sum;
  sum.add(state.pod_text_hash);
  sum.add(std::vector<double>{state.time});
  sum.add(state.y);
  sum.add(state.z);
  for (const auto& [name, values] : state.extra) {
    sum.add(name);
    sum.add(values);
  }
  for (const auto& [name, text] : state.texts) {
    sum.add(name);
    sum.add(text);
  }
  return sum.text();
}

class VectorWriter {
 public:
  explicit VectorWriter(ChunkCodec& codec) : codec_(codec) {}

  void write(hid_t parent, const std::string& name, const std::vector<double>& values, const std::string& key,
             const std::string& meaning) const {
    const h5::Properties properties(h5::check(H5Pcreate(H5P_DATASET_CREATE), "create dataset properties"));
    h5::check(H5Pset_obj_track_times(properties, false), "switch object times off");
    const auto bytes = std::as_bytes(std::span(values));
    const hsize_t size = values.size();
    const bool packed = bytes.size() >= kSmallestPacked;
    if (packed) {
      h5::check(H5Pset_chunk(properties, 1, &size), "set the chunk of " + name);
      h5::check(H5Pset_shuffle(properties), "set the shuffle filter of " + name);
      h5::check(H5Pset_deflate(properties, 1), "set the deflate filter of " + name);
    }
    const h5::Space space(h5::check(H5Screate_simple(1, &size, nullptr), "create a space"));
    const h5::Dataset dataset(
        h5::check(H5Dcreate2(parent, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                  "create " + name));
    if (packed)
      writePacked(dataset, bytes, name);
    else if (!values.empty())
      h5::check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write " + name);
    h5::writeAttribute(dataset, "key", key);
    // Its own axis: readers that take a file for netCDF refuse a group in which an axis has no scale.
    h5::check(H5DSset_scale(dataset, name.c_str()), "make " + name + " a scale");
    h5::writeAttribute(dataset, "units", "1");
    h5::writeAttribute(dataset, "long_name", meaning);
  }

 private:
  void writePacked(hid_t dataset, std::span<const std::byte> bytes, const std::string& name) const {
    constexpr unsigned kSkipAllFilters = 0x3;  // shuffle is filter 0, deflate filter 1
    const hsize_t at = 0;
    const auto fewer = codec_.encode(bytes, sizeof(double));
    const auto chunk = fewer.empty() ? bytes : fewer;
    h5::check(
        H5Dwrite_chunk(dataset, H5P_DEFAULT, fewer.empty() ? kSkipAllFilters : 0, &at, chunk.size(), chunk.data()),
        "write " + name);
  }

  ChunkCodec& codec_;
};

/// Keys may hold any character, so entries are numbered and carry their key.
std::string numbered(std::size_t number) { return fmt::format("{:06d}", number); }

std::string keyOf(hid_t group, const std::string& name) {
  return h5::readTextAttribute(h5::openDataset(group, name), "key");
}

}  // namespace

void writeState(hid_t group, const Checkpoint& state, ChunkCodec& codec) {
  h5::writeAttribute(group, "pod_text_hash", state.pod_text_hash);
  h5::writeAttribute(group, "time", state.time);
  h5::writeAttribute(group, "checksum", checksumOf(state));
  const VectorWriter vectors(codec);
  vectors.write(group, "y", state.y, "y", "continuous state, in the order of the program");
  vectors.write(group, "z", state.z, "z", "discrete state, in the order of the program");
  const h5::Group extra = h5::createGroup(group, "extra");
  std::size_t number = 0;
  for (const auto& [key, values] : state.extra) vectors.write(extra, numbered(number++), values, key, key);
  const h5::Group texts = h5::createGroup(group, "texts");
  number = 0;
  for (const auto& [key, text] : state.texts) {
    const std::string name = numbered(number++);
    h5::writeText(texts, name, text, "text");
    h5::writeAttribute(h5::openDataset(texts, name), "key", key);
  }
}

std::optional<Checkpoint> readState(hid_t group) {
  Checkpoint state;
  state.pod_text_hash = h5::readTextAttribute(group, "pod_text_hash");
  state.time = timeOfState(group);
  state.y = h5::readNumbers(group, "y");
  state.z = h5::readNumbers(group, "z");
  const h5::Group extra = h5::openGroup(group, "extra");
  for (const auto& name : h5::linkNames(extra)) state.extra[keyOf(extra, name)] = h5::readNumbers(extra, name);
  const h5::Group texts = h5::openGroup(group, "texts");
  for (const auto& name : h5::linkNames(texts)) state.texts[keyOf(texts, name)] = h5::readText(texts, name);
  if (h5::readTextAttribute(group, "checksum") != checksumOf(state)) return std::nullopt;
  return state;
}

double timeOfState(hid_t group) { return h5::readNumberAttribute(group, "time"); }

}  // namespace podtwin::data
