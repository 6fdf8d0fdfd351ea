// Content of the pipes in plug flow: leaves in the order it came and decays towards the surroundings. Equations:
// pipe.md.
#pragma once

#include <memory>

#include "model/components/cooling/pipe.hpp"

namespace podtwin {

class PipePlugSet final : public ComponentSet {
 public:
  PipePlugSet(const PipeSet& pipes, std::vector<std::size_t> of, std::vector<const InstanceDescription*> makers,
              std::vector<std::string> ids);

  /// Temperature [K] of what leaves at the end the coolant flows to.
  double leaving(const Evaluation& e, std::size_t i) const;
  /// Heat [W] lost to the surroundings.
  double loss(const Evaluation& e, std::size_t i) const;
  double meanCarried(const Evaluation& e, std::size_t i) const;

  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override;
  std::size_t lineCount() const override { return size(); }
  void bind(Binder& b) override;
  void initialise(State& state, double temperature) const override;
  void rates(Evaluation& e) const override;
  void jacobian(const Evaluation& e, JacobianWriter& w) const override;
  double nextFront(const Evaluation& e, const State& s, double horizon) const override;
  void advance(const Evaluation& e, State& s, double h) const override;
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override;
  double contentTemperature(const Evaluation& e, std::size_t i) const override { return signalOf(e, 1, i); }
  double storedEnergy(const Evaluation& e) const override;

 private:
  struct Outflow;
  const Pipe& pipe(std::size_t i) const { return pipes_.pipe(of_[i]); }
  Outflow outflow(const Evaluation& e, std::size_t i) const;
  double decayed(const Evaluation& e, std::size_t i) const;
  void settle(const Evaluation& e, State& s, std::size_t i) const;
  void enter(State& s, std::size_t i, double volume, double heat, double t_end) const;
  void keepBooks(State& s, std::size_t i, double moved) const;

  const PipeSet& pipes_;
  const System* system_ = nullptr;
  std::vector<std::size_t> of_;  ///< pipe of each instance
  std::vector<std::vector<std::size_t>> slots_;
};

/// The set of those among the pipes that are in plug flow; null when none is.
std::unique_ptr<PipePlugSet> makePipePlugSet(const PipeSet& pipes);

}  // namespace podtwin
