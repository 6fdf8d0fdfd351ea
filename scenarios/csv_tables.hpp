// The CSV tables that a command writes into a folder.
#pragma once

#include <map>
#include <string>

namespace podtwin::scenarios {

/// The tables of one folder, with a list of them, so that a later run of the command knows which there are its own.
class CsvTables {
 public:
  /// Makes the folder; an empty name writes nothing. `list` is the hidden file with the command's tables. Throws
  /// InputError when none can be written there.
  CsvTables(std::string folder, std::string list);
  /// Throws SimulationError when the disk takes no more.
  void write(const std::string& name, const std::string& text);
  /// Removes what an earlier run wrote here, nobody has changed since, and this one did not write.
  void finish();

 private:
  void put(const std::string& name, const std::string& text) const;
  std::string folder_, list_;
  std::map<std::string, std::string> written_;  // name and hash of the text
};

}  // namespace podtwin::scenarios
