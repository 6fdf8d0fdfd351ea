#include "data/results/chunk_codec.hpp"

#include <libdeflate.h>

#include <new>

namespace podtwin::data {

namespace {

constexpr int kLevel = 1;

template <std::size_t Element>
void shuffleFixed(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < Element; ++k) out[k * count + i] = in[i * Element + k];
}

}  // namespace

void shuffleBytes(std::span<const std::byte> in, std::size_t element, std::span<std::byte> out) {
  const std::size_t count = in.size() / element;
  switch (element) {
    case 4:
      shuffleFixed<4>(in.data(), count, out.data());
      break;
    case 8:
      shuffleFixed<8>(in.data(), count, out.data());
      break;
    default:
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < element; ++k) out[k * count + i] = in[i * element + k];
  }
}

struct ChunkCodec::Compressor {
  libdeflate_compressor* handle = libdeflate_alloc_compressor(kLevel);
  Compressor() {
    if (handle == nullptr) throw std::bad_alloc();
  }
  ~Compressor() { libdeflate_free_compressor(handle); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
};

ChunkCodec::ChunkCodec() : compressor_(std::make_unique<Compressor>()) {}
ChunkCodec::~ChunkCodec() = default;

std::span<const std::byte> ChunkCodec::encode(std::span<const std::byte> chunk, std::size_t element) {
  if (shuffled_.size() < chunk.size()) {
    shuffled_.resize(chunk.size());
    compressed_.resize(chunk.size());
  }
  shuffleBytes(chunk, element, std::span(shuffled_).first(chunk.size()));
  const std::size_t size = libdeflate_zlib_compress(compressor_->handle, shuffled_.data(), chunk.size(),
                                                    compressed_.data(), chunk.size() - 1);
  return std::span(compressed_).first(size);
}

unsigned crc32(unsigned crc, std::span<const std::byte> bytes) {
  // The library takes a null pointer, which an empty vector has, for a request of the start value.
  return bytes.empty() ? crc : libdeflate_crc32(crc, bytes.data(), bytes.size());
}

}  // namespace podtwin::data
