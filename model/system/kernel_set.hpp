// Turns a small kernel, written once for a scalar type, into a component set with an exact Jacobian.
//
// A kernel declares which unknowns one instance reads (columns) and to which rows it adds (rows), and computes the
// additions from the values it read. The set evaluates it with doubles for the rates and with dual numbers for the
// Jacobian. Flows, commands and electric powers are read from the Evaluation as plain numbers: they carry no derivative
// (see docs/decisions), so the same powers must enter every row without one.
//
//   struct Kernel {
//     static constexpr int kColumns = 2, kRows = 2;
//     struct Instance { std::array<std::size_t, kColumns> columns; std::array<std::size_t, kRows> rows; ... };
//     static const ClassInfo& info();
//     /// Reads parameters and ports of instance i, declares edges, links, drives, capacities.
//     static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Kernel>& set, Binder& b);
//     /// Additions to the rows [W, or unit/s where the row's capacity is 1].
//     template <class S> static void balance(const Instance&, const Evaluation&, std::span<const S, kColumns> x,
//                                            std::span<S, kRows> r);
//     static void edgeLaws(std::size_t i, const Instance&, const KernelSet<Kernel>&, Evaluation&);   // optional
//     static void demand(std::size_t i, const Instance&, const KernelSet<Kernel>&, Evaluation&);     // optional
//     static bool connects(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&);    // optional
//     static double linkLoss(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&, double
//     power); // optional static double signal(std::size_t k, std::size_t i, const Instance&, const KernelSet<Kernel>&,
//     const Evaluation&); static double storedEnergy(std::size_t i, const Instance&, const KernelSet<Kernel>&, const
//     Evaluation&);  // optional static void initialise(std::size_t i, const Instance&, const KernelSet<Kernel>&,
//     State&, double temperature); // optional static void sample(std::size_t i, const Instance&, const
//     KernelSet<Kernel>&, const Evaluation&, State&,
//                        std::vector<Occurrence>&);   // optional
//     static bool watching(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&);     //
//     optional static double watch(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&); //
//     optional static double nextMoment(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&);
//     // optional static void act(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&, State&,
//                     std::vector<Occurrence>&);   // optional
//     static double waterUse(const Instance&, const Evaluation&); // optional
//     static double itPower(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&); // optional
//     static CoolantLedger coolantLedger(std::size_t i, const Instance&, const KernelSet<Kernel>&, const Evaluation&);
//     // optional
//   };
// A kernel that needs the instance index inside balance() keeps it in its Instance.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/dual.hpp"
#include "model/system/binder.hpp"
#include "model/system/component_set.hpp"

namespace podtwin {

template <class Kernel>
class KernelSet : public ComponentSet {
 public:
  using Instance = typename Kernel::Instance;

  explicit KernelSet(std::vector<const InstanceDescription*> instances)
      : ComponentSet(Kernel::info(), std::move(instances)) {}

  const Instance& instance(std::size_t i) const { return instances_[i]; }

  void bind(Binder& binder) override {
    instances_.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      instances_.push_back(Kernel::bind(i, description(i), *this, binder));
      for (const auto row : instances_.back().rows)
        for (const auto column : instances_.back().columns) slots_.push_back(binder.couple(row, column));
    }
  }

  void initialise(State& state, double temperature) const override {
    initialiseCommon(state);
    for (std::size_t k = 0; k < info().states.size(); ++k)
      for (std::size_t i = 0; i < size(); ++i)
        state.y[yIndex(k, i)] = info().states[k].quantity == Quantity::temperature ? temperature : 0.0;
    if constexpr (requires(const Instance& d, State& s) { Kernel::initialise(std::size_t{}, d, *this, s, 0.0); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::initialise(i, instances_[i], *this, state, temperature);
  }

  bool controlledWay(std::size_t i, ControlledWay& way) const override {
    if constexpr (requires(const Instance& d) { Kernel::controlledWay(d, way); }) {
      Kernel::controlledWay(instances_[i], way);
      return true;
    } else {
      return ComponentSet::controlledWay(i, way);
    }
  }

  bool drivesFlow() const override {
    return requires { Kernel::kDrivesFlow; };
  }

  void control(Evaluation& e) const override {
    if constexpr (requires(const Instance& d) { Kernel::control(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::control(i, instances_[i], *this, e);
  }

  void edgeLaws(Evaluation& e) const override {
    if constexpr (requires(const Instance& d) { Kernel::edgeLaws(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::edgeLaws(i, instances_[i], *this, e);
  }

  void demand(Evaluation& e) const override {
    if constexpr (requires(const Instance& d) { Kernel::demand(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::demand(i, instances_[i], *this, e);
  }

  bool connects(const Evaluation& e, std::size_t i) const override {
    if constexpr (requires(const Instance& d) { Kernel::connects(std::size_t{}, d, *this, e); })
      return Kernel::connects(i, instances_[i], *this, e);
    else
      return ComponentSet::connects(e, i);
  }

  bool solves(std::size_t k, std::size_t i) const override {
    if constexpr (requires(const Instance& d) { Kernel::solves(k, d); })
      return Kernel::solves(k, instances_[i]);
    else
      return ComponentSet::solves(k, i);
  }
  bool selfFed(const Evaluation& e, std::size_t i) const override {
    if constexpr (requires(const Instance& d) { Kernel::selfFed(std::size_t{}, d, *this, e); })
      return Kernel::selfFed(i, instances_[i], *this, e);
    else
      return ComponentSet::selfFed(e, i);
  }
  bool fedFromStore(const Evaluation& e, std::size_t i) const override {
    if constexpr (requires(const Instance& d) { Kernel::fedFromStore(std::size_t{}, d, *this, e); })
      return Kernel::fedFromStore(i, instances_[i], *this, e);
    else
      return ComponentSet::fedFromStore(e, i);
  }
  bool drawsFrom(const Evaluation& e, std::size_t i, std::ptrdiff_t bus) const override {
    if constexpr (requires(const Instance& d) { Kernel::drawsFrom(std::size_t{}, d, *this, e, bus); })
      return Kernel::drawsFrom(i, instances_[i], *this, e, bus);
    else
      return ComponentSet::drawsFrom(e, i, bus);
  }
  void drawStores(Evaluation& e) const override {
    if constexpr (requires(const Instance& d) { Kernel::drawStores(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::drawStores(i, instances_[i], *this, e);
  }
  std::complex<double> converterInput(const Evaluation& e, std::size_t i, double power) const override {
    if constexpr (requires(const Instance& d) { Kernel::converterInput(std::size_t{}, d, *this, e, power); })
      return Kernel::converterInput(i, instances_[i], *this, e, power);
    else
      return ComponentSet::converterInput(e, i, power);
  }
  SourceKind sourceKind() const override {
    if constexpr (requires { Kernel::kSourceKind; })
      return Kernel::kSourceKind;
    else
      return ComponentSet::sourceKind();
  }

  double linkLoss(const Evaluation& e, std::size_t link, double power) const override {
    if constexpr (requires(const Instance& d) { Kernel::linkLoss(link, d, *this, e, power); })
      return Kernel::linkLoss(link, instances_[link], *this, e, power);  // one link an instance
    else
      return ComponentSet::linkLoss(e, link, power);
  }

  void rates(Evaluation& e) const override {
    if constexpr (Kernel::kRows > 0) {
      std::array<double, Kernel::kColumns> x;
      for (const auto& d : instances_) {
        std::array<double, Kernel::kRows> r{};
        for (std::size_t c = 0; c < x.size(); ++c) x[c] = e.y[d.columns[c]];
        Kernel::template balance<double>(d, e, std::span<const double, Kernel::kColumns>(x),
                                         std::span<double, Kernel::kRows>(r));
        for (std::size_t k = 0; k < r.size(); ++k) e.heat[d.rows[k]] += r[k];
      }
    }
  }

  void jacobian(const Evaluation& e, JacobianWriter& writer) const override {
    if constexpr (Kernel::kRows > 0 && Kernel::kColumns > 0) {
      using S = Dual<Kernel::kColumns>;
      std::size_t slot = 0;
      for (const auto& d : instances_) {
        std::array<S, Kernel::kColumns> x{};
        std::array<S, Kernel::kRows> r{};
        for (std::size_t c = 0; c < x.size(); ++c) {
          x[c].value = e.y[d.columns[c]];
          x[c].d[c] = 1.0;
        }
        Kernel::template balance<S>(d, e, std::span<const S, Kernel::kColumns>(x), std::span<S, Kernel::kRows>(r));
        for (std::size_t k = 0; k < r.size(); ++k)
          for (std::size_t c = 0; c < x.size(); ++c) writer.add(slots_[slot++], d.rows[k], r[k].d[c]);
      }
    }
  }

  bool watching(const Evaluation& e) const override {
    if constexpr (requires(const Instance& d) { Kernel::watching(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i)
        if (Kernel::watching(i, instances_[i], *this, e)) return true;
    return false;
  }
  double watch(const Evaluation& e) const override {
    double greatest = ComponentSet::watch(e);
    if constexpr (requires(const Instance& d) { Kernel::watch(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) greatest = std::max(greatest, Kernel::watch(i, instances_[i], *this, e));
    return greatest;
  }
  double nextMoment(const Evaluation& e) const override {
    double soonest = ComponentSet::nextMoment(e);
    if constexpr (requires(const Instance& d) { Kernel::nextMoment(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i)
        soonest = std::min(soonest, Kernel::nextMoment(i, instances_[i], *this, e));
    return soonest;
  }
  void act(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override {
    if constexpr (requires(const Instance& d) { Kernel::act(std::size_t{}, d, *this, e, state, occurrences); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::act(i, instances_[i], *this, e, state, occurrences);
  }

  void sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override {
    if constexpr (requires(const Instance& d) { Kernel::sample(std::size_t{}, d, *this, e, state, occurrences); })
      for (std::size_t i = 0; i < size(); ++i) Kernel::sample(i, instances_[i], *this, e, state, occurrences);
  }

  void supplyChanged(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override {
    if constexpr (requires(const Instance& d) {
                    Kernel::supplyChanged(std::size_t{}, d, *this, e, state, occurrences);
                  })
      for (std::size_t i = 0; i < size(); ++i) Kernel::supplyChanged(i, instances_[i], *this, e, state, occurrences);
  }

  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i)
      out[i] = k == tripped_signal_ ? z(e, kTripped, i) : Kernel::signal(k, i, instances_[i], *this, e);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    return k == tripped_signal_ ? z(e, kTripped, i) : Kernel::signal(k, i, instances_[i], *this, e);
  }

  double itPower(const Evaluation& e) const override {
    double sum = 0.0;
    if constexpr (requires(const Instance& d) { Kernel::itPower(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) sum += Kernel::itPower(i, instances_[i], *this, e);
    return sum;
  }

  double waterUse(const Evaluation& e) const override {
    double sum = 0.0;
    if constexpr (requires(const Instance& d) { Kernel::waterUse(d, e); })
      for (const auto& d : instances_) sum += Kernel::waterUse(d, e);
    return sum;
  }

  double storedEnergy(const Evaluation& e) const override {
    double sum = 0.0;
    if constexpr (requires(const Instance& d) { Kernel::storedEnergy(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) sum += Kernel::storedEnergy(i, instances_[i], *this, e);
    return sum;
  }

  CoolantLedger coolantLedger(const Evaluation& e) const override {
    CoolantLedger sum;
    if constexpr (requires(const Instance& d) { Kernel::coolantLedger(std::size_t{}, d, *this, e); })
      for (std::size_t i = 0; i < size(); ++i) sum += Kernel::coolantLedger(i, instances_[i], *this, e);
    return sum;
  }

 private:
  std::size_t tripped_signal_ = !info().signals.empty() && info().signals.back().name == kTrippedSignal.name
                                    ? info().signals.size() - 1
                                    : static_cast<std::size_t>(-1);
  std::vector<Instance> instances_;
  std::vector<std::size_t> slots_;
};

/// Registry entry of a kernel: `RegisteredClass{&Kernel::info(), makeKernelSet<Kernel>}`.
template <class Kernel, class List>
void makeKernelSetInto(std::vector<const InstanceDescription*> instances, List& out) {
  out.push_back(std::make_unique<KernelSet<Kernel>>(std::move(instances)));
}

}  // namespace podtwin
