#include "scenarios/csv_tables.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/base/diagnostics.hpp"
#include "model/base/text_hash.hpp"

namespace podtwin::scenarios {

CsvTables::CsvTables(std::string folder, std::string list) : folder_(std::move(folder)), list_(std::move(list)) {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!error && std::filesystem::is_directory(folder_, error) && ::access(folder_.c_str(), W_OK | X_OK) == 0) return;
  const std::string why = error ? error.message() : std::strerror(errno);
  throw InputError({folder_}, "no tables can be written there: " + why, "name another folder with --csv");
}

void CsvTables::write(const std::string& name, const std::string& text) {
  if (folder_.empty()) return;
  put(name, text);
  written_[name] = fnv1a(text);
}

void CsvTables::finish() {
  if (folder_.empty()) return;
  std::ifstream list(folder_ + "/" + list_);
  std::string hash, name;
  while (list >> hash && std::getline(list >> std::ws, name)) {
    if (written_.contains(name) || name.find('/') != std::string::npos || !name.ends_with(".csv")) continue;
    const std::string path = folder_ + "/" + name;
    std::error_code error;
    if (std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::regular) continue;
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (fnv1a(text) == hash) std::filesystem::remove(path, error);
  }
  list.close();
  std::string text;
  for (const auto& [file, of] : written_) text += of + " " + file + "\n";
  put(list_, text);
}

void CsvTables::put(const std::string& name, const std::string& text) const {
  const std::string path = folder_ + "/" + name;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw SimulationError("cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace podtwin::scenarios
