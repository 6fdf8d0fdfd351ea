#include "data/results/chunk_codec.hpp"

#include <gtest/gtest.h>

#include <random>

namespace podtwin::data {
namespace {

std::vector<std::byte> bytesOf(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(ChunkCodec, ShuffleGathersTheSameByteOfEveryElement) {
  const auto in = bytesOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  std::vector<std::byte> out(in.size());
  shuffleBytes(in, 4, out);
  EXPECT_EQ(out, bytesOf({1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  shuffleBytes(in, 2, out);
  EXPECT_EQ(out, bytesOf({1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12}));
}

TEST(ChunkCodec, GivesNothingWhereCompressionDoesNotHelp) {
  std::mt19937 random(1);
  std::vector<std::byte> noise(4096);
  for (auto& byte : noise) byte = static_cast<std::byte>(random() & 0xFFU);
  ChunkCodec codec;
  EXPECT_TRUE(codec.encode(noise, 4).empty());
  const std::vector<std::byte> constant(4096);
  const auto packed = codec.encode(constant, 4);
  EXPECT_GT(packed.size(), 0U);
  EXPECT_LT(packed.size(), 100U);
}

TEST(ChunkCodec, ChecksumIsThatOfZlib) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(0, std::as_bytes(std::span(text))), 0xCBF43926U);  // the published check value of CRC-32
  EXPECT_EQ(crc32(0xCBF43926U, {}), 0xCBF43926U);
}

}  // namespace
}  // namespace podtwin::data
