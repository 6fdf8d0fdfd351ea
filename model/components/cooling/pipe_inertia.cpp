#include "model/components/cooling/pipe_inertia.hpp"

#include <cmath>
#include <utility>

#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kStop = 0.01;  // s in which the flow of a pipe that is shut off dies out
constexpr double kErrorSpeed =
    0.01;  // m/s; its flow is the error scale: that through a shut valve that leaks is not lost in it
class PipeInertiaSet final : public ComponentSet {
 public:
  PipeInertiaSet(const PipeSet& pipes, std::vector<std::size_t> of, std::vector<const InstanceDescription*> makers,
                 std::vector<std::string> ids)
      : ComponentSet(pipeMomentumInfo(), std::move(makers), std::move(ids)), pipes_(pipes), of_(std::move(of)) {}

  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override {
    std::vector<std::string> parents;
    for (const auto i : of_) parents.push_back(pipes_.ids()[i]);
    return {{"pipe", std::move(parents)}};
  }

  void bind(Binder& b) override {
    system_ = &b.system();
    for (std::size_t i = 0; i < size(); ++i) {
      const Pipe& p = pipes_.pipe(of_[i]);
      const InstanceDescription& d = description(i);
      Momentum momentum;
      const double length = d.number("length");
      if (length <= 0.0)
        b.problems().error(d.where, "'" + d.id + "' has inertance but no length",
                           "give a length, or leave inertance out");
      momentum.inertance = length / p.area;
      momentum.circuit = system_->fluidNodes()[p.from].circuit;
      momentum.weight = p.density * system_->plant().gravity *
                        (system_->fluidNodes()[p.from].elevation - system_->fluidNodes()[p.to].elevation);
      b.capacity(yIndex(0, i), 1.0);
      b.errorScale(yIndex(0, i), kErrorSpeed * p.density * p.area);
      momenta_.push_back(std::move(momentum));
    }
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t k = 0; k < size(); ++k)
        if (momenta_[i].circuit == momenta_[k].circuit)
          momenta_[i].couplings.push_back({k, b.couple(yIndex(0, i), yIndex(0, k))});
  }
  void initialise(State& state, double) const override {
    initialiseCommon(state);
    for (std::size_t i = 0; i < size(); ++i) state.y[yIndex(0, i)] = 0.0;
  }
  /// A search for a steady state has no use for momentum: the pipe keeps its flow law.
  void edgeLaws(Evaluation& e) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      EdgeLaw& law = e.laws[pipes_.pipe(of_[i]).edge];
      law.fixed = !e.steady_search;
      law.m_fixed = e.steady_search ? 0.0 : e.y[yIndex(0, i)];
    }
  }
  void rates(Evaluation& e) const override {
    if (e.steady_search) return;
    for (std::size_t i = 0; i < size(); ++i) {
      const double m = e.y[yIndex(0, i)];
      e.heat[yIndex(0, i)] += flows(e, i) ? accelerating(e, i) / momenta_[i].inertance : -m / kStop;
    }
  }
  void jacobian(const Evaluation& e, JacobianWriter& w) const override {
    if (e.steady_search) return;
    for (std::size_t i = 0; i < size(); ++i) {
      const Pipe& p = pipes_.pipe(of_[i]);
      for (const auto& [other, slot] : momenta_[i].couplings) {
        if (!flows(e, i)) {
          if (other == i) w.add(slot, yIndex(0, i), -1.0 / kStop);
          continue;
        }
        double slope = 0.0;
        if (other == i) frictionOf(e, i, slope);
        const Pipe& q = pipes_.pipe(of_[other]);
        const double dp = flows(e, other) ? system_->pressureResponse(e, q.from, q.to, p.from, p.to) : 0.0;
        w.add(slot, yIndex(0, i), (dp - slope) / momenta_[i].inertance);
      }
    }
  }
  /// The flow that was found is the one it starts with.
  void advance(const Evaluation& e, State& s, double) const override {
    if (!e.steady_search) return;
    for (std::size_t i = 0; i < size(); ++i) s.y[yIndex(0, i)] = e.m[pipes_.pipe(of_[i]).edge];
  }
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    if (k == 0) return e.m[pipes_.pipe(of_[i]).edge];
    return flows(e, i) ? accelerating(e, i) : 0.0;
  }

 private:
  struct Momentum {
    double inertance = 0.0;  ///< 1/m, Pa s/(kg/s) a second
    double weight = 0.0;     ///< Pa
    std::size_t circuit = 0;
    std::vector<std::pair<std::size_t, std::size_t>> couplings;  ///< instance, slot
  };
  /// Not shut off, at itself or beside it: both ends have a pressure.
  bool flows(const Evaluation& e, std::size_t i) const {
    const Pipe& p = pipes_.pipe(of_[i]);
    return e.laws[p.edge].open && e.fluid_live[p.from] != 0 && e.fluid_live[p.to] != 0;
  }
  double frictionOf(const Evaluation& e, std::size_t i, double& slope) const {
    EdgeLaw law = e.laws[pipes_.pipe(of_[i]).edge];
    law.fixed = false;
    return law.drop(e.y[yIndex(0, i)], slope);
  }
  double accelerating(const Evaluation& e, std::size_t i) const {
    const Pipe& p = pipes_.pipe(of_[i]);
    double slope = 0.0;
    return e.p[p.from] - e.p[p.to] + momenta_[i].weight - frictionOf(e, i, slope);
  }
  const PipeSet& pipes_;
  std::vector<std::size_t> of_;  ///< pipe of each instance
  std::vector<Momentum> momenta_;
  const System* system_ = nullptr;
};

}  // namespace

std::unique_ptr<ComponentSet> makePipeInertiaSet(const PipeSet& pipes) {
  std::vector<std::size_t> of;
  std::vector<const InstanceDescription*> makers;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (!pipes.description(i).flag("inertance")) continue;
    of.push_back(i);
    makers.push_back(&pipes.description(i));
    ids.push_back(pipes.ids()[i] + ".momentum");
  }
  if (of.empty()) return nullptr;
  return std::make_unique<PipeInertiaSet>(pipes, std::move(of), std::move(makers), std::move(ids));
}

}  // namespace podtwin
