// Byte shuffle and zlib stream of one chunk, as HDF5's own filters would write them, only faster (libdeflate).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace podtwin::data {

/// Groups byte k of every element together, the layout of HDF5's shuffle filter. Sizes are a multiple of `element`.
void shuffleBytes(std::span<const std::byte> in, std::size_t element, std::span<std::byte> out);

/// Shuffle, then a zlib stream at level 1: higher levels gain under 3 % on noisy readings (numerics.md section 4).
class ChunkCodec {
 public:
  ChunkCodec();
  ~ChunkCodec();
  ChunkCodec(const ChunkCodec&) = delete;
  ChunkCodec& operator=(const ChunkCodec&) = delete;

  /// The compressed bytes, valid until the next call; empty when they would not be fewer than the chunk's.
  std::span<const std::byte> encode(std::span<const std::byte> chunk, std::size_t element);

 private:
  struct Compressor;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> shuffled_;
  std::vector<std::byte> compressed_;
};

/// CRC-32 (zlib) of bytes, continued from `crc`; starts at 0.
unsigned crc32(unsigned crc, std::span<const std::byte> bytes);

}  // namespace podtwin::data
