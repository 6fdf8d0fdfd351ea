// Addresses of product.md section 2.1 resolved on an assembled plant: "ID.signal", "class[pattern].signal",
// "group:NAME".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/readers/ranges.hpp"
#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin::scenarios {

struct ResolvedSignal {
  const ComponentSet* set = nullptr;  ///< null when it could not be resolved (a problem was added)
  std::size_t signal = 0;
  std::vector<std::size_t> instances;  ///< all of one kind of quantity

  Quantity quantity() const { return set->signalQuantity(signal, instances.front()); }
};

/// A signal of one or several instances of one class.
ResolvedSignal resolveSignal(const System& system, const std::string& address, const SourceMark& where,
                             Diagnostics& problems);

/// False, with a problem, when the signal is not of one kind of quantity in all of `instances` (ids of the set):
/// sensors of temperatures and of pressures have no common value to compare with.
bool ofOneQuantity(const ComponentSet& set, std::size_t signal, const std::vector<std::size_t>& instances,
                   const std::string& address, const SourceMark& where, Diagnostics& problems);

/// The instances named by "ID", "class[pattern]" or "group:NAME"; an error with the nearest name when there is none.
std::vector<std::pair<ComponentSet*, std::size_t>> resolveTargets(const System& system, const std::string& target,
                                                                  const SourceMark& where, Diagnostics& problems);

/// The same of an address that is read already.
std::vector<std::pair<ComponentSet*, std::size_t>> resolveTargets(const System& system, const data::Address& address,
                                                                  Diagnostics& problems);

/// A remedy: the name nearest to `word`, or `otherwise` when none is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names, const std::string& otherwise);

/// True when `id` matches a pattern of ids, ranges and `*`, separated by commas: "*", "A01-A08", "A*", "A01,B02",
/// "A[01-04]".
bool matchesPattern(const std::string& id, const std::string& pattern);

}  // namespace podtwin::scenarios
