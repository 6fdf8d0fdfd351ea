#include "scenarios/conditions.hpp"

#include <algorithm>

#include "scenarios/addresses.hpp"

namespace podtwin::scenarios {

double Observable::value(const Evaluation& e, std::size_t* which) const {
  if (instances.size() == 1) {
    if (which != nullptr) *which = instances.front();
    return set->signalOf(e, signal, instances.front());
  }
  std::vector<double> column(set->size());
  set->signal(e, signal, column);
  double result = 0.0;
  std::size_t place = instances.front();
  switch (reduction) {
    case Reduction::min:
    case Reduction::max:
    case Reduction::none: {
      const bool least = reduction == Reduction::min;
      result = column[place];
      for (const auto i : instances)
        if (least ? column[i] < result : column[i] > result) {
          result = column[i];
          place = i;
        }
      break;
    }
    case Reduction::mean:
    case Reduction::sum:
      for (const auto i : instances) result += column[i];
      if (reduction == Reduction::mean) result /= static_cast<double>(instances.size());
      break;
  }
  if (which != nullptr) *which = place;
  return result;
}

std::optional<Observable> observableOf(const System& system, const data::Expression& expression,
                                       Diagnostics& problems) {
  using Kind = data::Expression::Kind;
  if (expression.kind == Kind::address) {
    const data::Address& address = expression.address;
    Observable out;
    out.text = expression.text;
    if (address.kind == data::Address::Kind::instance) {
      const ResolvedSignal signal = resolveSignal(system, address.text, address.where, problems);
      if (signal.set == nullptr) return std::nullopt;
      out.set = signal.set;
      out.signal = signal.signal;
      out.instances = signal.instances;
      return out;
    }
    data::Address target = address;
    target.signal.clear();
    if (target.kind == data::Address::Kind::group) target.text = "group:" + target.name;
    const auto places = resolveTargets(system, target, problems);
    if (places.empty()) return std::nullopt;
    out.set = places.front().first;
    const auto& signals = out.set->info().signals;
    std::vector<std::string> names;
    out.signal = signals.size();
    for (std::size_t k = 0; k < signals.size(); ++k) {
      names.emplace_back(signals[k].name);
      if (signals[k].name == address.signal) out.signal = k;
    }
    if (out.signal == signals.size()) {
      problems.error(address.where,
                     "a " + std::string(out.set->info().name) + " has no signal '" + address.signal + "'",
                     suggestion(address.signal, names,
                                "`podtwin schema " + std::string(out.set->info().name) + "` lists its signals"));
      return std::nullopt;
    }
    for (const auto& [set, i] : places) {
      if (set != out.set) {
        problems.error(address.where, "'" + address.text + "' names equipment of several classes",
                       "name one class at a time");
        return std::nullopt;
      }
      out.instances.push_back(i);
    }
    std::sort(out.instances.begin(), out.instances.end());
    if (!ofOneQuantity(*out.set, out.signal, out.instances, address.text, address.where, problems)) return std::nullopt;
    return out;
  }
  if (expression.arguments.size() != 1) {
    problems.error(expression.where, "'" + expression.text + "' takes several values",
                   "write one function of one address, such as max(gpu[*].t_junction)");
    return std::nullopt;
  }
  auto inner = observableOf(system, expression.arguments.front(), problems);
  if (!inner) return inner;
  inner->text = expression.text;
  inner->reduction = expression.kind == Kind::minimum   ? Observable::Reduction::min
                     : expression.kind == Kind::maximum ? Observable::Reduction::max
                     : expression.kind == Kind::mean    ? Observable::Reduction::mean
                                                        : Observable::Reduction::sum;
  return inner;
}

double Condition::margin(const Evaluation& e) const {
  const double value = observable.value(e);
  return above ? value - threshold : threshold - value;
}

}  // namespace podtwin::scenarios
