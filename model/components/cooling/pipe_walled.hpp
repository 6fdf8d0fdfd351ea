// Content and wall of the pipes in plug flow whose wall stores heat: coolant leaves in the order it came and exchanges
// heat with the wall on its way. Equations: pipe.md.
#pragma once

#include <memory>

#include "model/components/cooling/pipe.hpp"
#include "model/components/cooling/plug_wall.hpp"

namespace podtwin {

class PipeWalledSet final : public ComponentSet {
 public:
  PipeWalledSet(const PipeSet& pipes, std::vector<std::size_t> of, std::vector<const InstanceDescription*> makers,
                std::vector<std::string> ids);

  /// Temperature [K] of what leaves at the end the coolant flows to, and of the wall there.
  double leaving(const Evaluation& e, std::size_t i) const;
  double wallThere(const Evaluation& e, std::size_t i) const;
  /// Heat [W] lost to the surroundings.
  double loss(const Evaluation& e, std::size_t i) const;

  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override;
  std::size_t lineCount() const override { return 2 * size(); }
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
  /// What came in over a step, by end.
  struct Gained {
    double volume, heat;
  };
  const Pipe& pipe(std::size_t i) const { return pipes_.pipe(of_[i]); }
  std::size_t coolantLine(std::size_t i) const { return line_first + 2 * i; }
  std::size_t wallLine(std::size_t i) const { return line_first + 2 * i + 1; }
  plug::Bore bore(std::size_t i) const { return {pipe(i).volume, pieces_[i]}; }
  plug::Exchange exchange(std::size_t i, double m, double t_air) const;
  Outflow outflow(const Evaluation& e, std::size_t i, double later = 0.0) const;
  double heatCapacity(std::size_t i) const;
  double coolantMean(const Evaluation& e, std::size_t i) const;
  double wallMean(const Evaluation& e, std::size_t i) const;
  double given(const Evaluation& e, std::size_t i) const;
  void settle(const Evaluation& e, State& s, std::size_t i) const;
  void pass(const Evaluation& e, State& s, std::size_t i, bool forward, const Gained& in, double time) const;
  void keepBooks(State& s, std::size_t i, double moved) const;

  const PipeSet& pipes_;
  const System* system_ = nullptr;
  std::vector<std::size_t> of_;      ///< pipe of each instance
  std::vector<std::size_t> pieces_;  ///< of the wall of each
  std::vector<std::vector<std::size_t>> slots_;
};

/// The set of those among the pipes that are in plug flow and have a wall; null when none is.
std::unique_ptr<PipeWalledSet> makePipeWalledSet(const PipeSet& pipes);

}  // namespace podtwin
