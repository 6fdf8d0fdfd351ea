// Through which rated equipment a load is fed, and which share of it each carries: a walk from its feeds up the live
// tree.
#pragma once

#include <cstddef>
#include <vector>

#include "model/system/binder.hpp"
#include "model/system/rated_elements.hpp"

namespace podtwin {

class PowerFeeds {
 public:
  /// Reads which equipment stands between which buses.
  void bind(Binder& b);
  const std::vector<RatedElement>& elements() const { return elements_; }
  /// Buses that feed an instance; several share it alike.
  std::vector<std::size_t> feedsOf(const Binder& b, const InstanceDescription& d) const;
  /// The buses named at a port.
  std::vector<std::size_t> busesAt(const Binder& b, const InstanceDescription& d, const char* port) const;
  /// [element] share of a load on these buses that it carries, by what is live and closed. Parallel ways share by their
  /// ratings. With `gains` it is what changes there with a watt of the load.
  std::vector<double> shares(const Evaluation& e, const std::vector<std::size_t>& feeds,
                             const std::vector<double>& gains = {}) const;
  /// [way] watts that it draws more for a watt more that it delivers: by how its loss rises.
  std::vector<double> gains(const Evaluation& e) const;

 private:
  static constexpr std::ptrdiff_t kNone = -1;
  /// A way into a bus: through an instance from the bus above it; kNone: it is a source.
  struct Way {
    const ComponentSet* set;
    std::size_t instance, part;
    std::ptrdiff_t above, element;
    double weight;
    std::size_t number = 0;  ///< among all ways
  };
  double gain(const Evaluation& e, const Way& way) const;
  bool live(const Evaluation& e, const Way& way) const;
  void add(const Evaluation& e, std::size_t bus, double share, std::size_t depth, const std::vector<double>& gains,
           std::vector<double>& out) const;

  const System* system_ = nullptr;
  std::size_t way_count_ = 0;
  std::vector<std::vector<Way>> into_;  // [bus]
  std::vector<RatedElement> elements_;
};

}  // namespace podtwin
