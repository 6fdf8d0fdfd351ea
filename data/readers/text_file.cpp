#include "data/readers/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kReadBlock = 1U << 16;  // byte a read call

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& remedy) {
  throw InputError(SourceMark{path, 0, 0}, what, remedy);
}

bool isContinuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// Length of the valid UTF-8 sequence that begins at `at`, or 0 when there is none (RFC 3629 table 3-7).
std::size_t sequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned char {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead <= 0xDFU) return isContinuation(byte(1)) ? 2 : 0;
  if (lead >= 0xE0U && lead <= 0xEFU) {
    if (!isContinuation(byte(1)) || !isContinuation(byte(2))) return 0;
    if (lead == 0xE0U && byte(1) < 0xA0U) return 0;  // overlong
    if (lead == 0xEDU && byte(1) > 0x9FU) return 0;  // surrogate
    return 3;
  }
  if (lead >= 0xF0U && lead <= 0xF4U) {
    if (!isContinuation(byte(1)) || !isContinuation(byte(2)) || !isContinuation(byte(3))) return 0;
    if (lead == 0xF0U && byte(1) < 0x90U) return 0;  // overlong
    if (lead == 0xF4U && byte(1) > 0x8FU) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

}  // namespace

std::string checkedText(std::string text, const std::string& name) {
  if (std::string_view(text).starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text.empty()) refuse(name, "the file is empty", "write something into it, or name another file");
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\0')
      throw InputError(SourceMark{name, line, column}, "binary content (a NUL byte)",
                       "give a UTF-8 text file; a result or an archive cannot be read here");
    const std::size_t length = sequenceLength(text, i);
    if (length == 0) {
      char shown[8];
      std::snprintf(shown, sizeof shown, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(text[i])));
      throw InputError(SourceMark{name, line, column}, "byte " + std::string(shown) + " is no valid UTF-8",
                       "save the file as UTF-8");
    }
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
    i += length;
  }
  return text;
}

std::string readTextFile(const std::string& path, std::uintmax_t largest) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found)
    refuse(path, "there is no such file", "check the path; relative paths start from the file that names them");
  if (code) refuse(path, "the file cannot be looked up (" + code.message() + ")", "check the path and its permissions");
  if (status.type() == fs::file_type::directory) refuse(path, "this is a directory", "name a file");
  if (status.type() != fs::file_type::regular)
    refuse(path, "this is no regular file", "copy the content into a file and name that");

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file)
    refuse(path, "the file cannot be opened (" + std::string(std::strerror(errno)) + ")", "check its permissions");
  std::string text;
  std::string block(kReadBlock, '\0');
  for (;;) {
    errno = 0;
    const std::size_t got = std::fread(block.data(), 1, block.size(), file.get());
    text.append(block, 0, got);
    if (text.size() > largest)
      refuse(path, "the file is larger than " + std::to_string(largest >> 20) + " MiB", "split it, or thin it out");
    if (got < block.size()) {
      if (std::ferror(file.get()) != 0)
        refuse(path, "the file cannot be read (" + std::string(std::strerror(errno)) + ")",
               "check the disk and its permissions");
      break;
    }
  }
  return checkedText(std::move(text), path);
}

}  // namespace podtwin::data
