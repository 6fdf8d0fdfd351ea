// What every element between two buses shares: its link, the place its loss heats, its loss polynomial.
#pragma once

#include <array>
#include <string>

#include "model/system/kernel_set.hpp"

namespace podtwin {

/// Tables as one, of a class whose tables come from several places.
template <class T, std::size_t N, std::size_t M>
constexpr std::array<T, N + M> joined(const std::array<T, N>& first, const T (&second)[M]) {
  std::array<T, N + M> all{};
  for (std::size_t k = 0; k < N; ++k) all[k] = first[k];
  for (std::size_t k = 0; k < M; ++k) all[N + k] = second[k];
  return all;
}
template <class T, std::size_t N, std::size_t M, class... More>
constexpr auto joined(const T (&first)[N], const T (&second)[M], const More&... more) {
  const auto two = joined(std::to_array(first), second);
  if constexpr (sizeof...(more) == 0)
    return two;
  else
    return joined(two, more...);
}

/// Loss polynomial of rating: loss = rating (a0 + a1 x + a2 x^2), x = output over rating. W in, W out.
struct LossPolynomial {
  double a0 = 0.0, a1 = 0.0, a2 = 0.0;
  double loss(double rating, double power) const {
    const double x = power / rating;
    return rating * (a0 + (a1 + a2 * x) * x);
  }
};

/// Reads `loss_polynomial: [a0, a1, a2]`; true when the instance gives one.
inline bool readLossPolynomial(const InstanceDescription& d, Binder& b, LossPolynomial& out) {
  const auto& given = d.parameters.at("loss_polynomial");
  if (given.numbers.empty()) return false;
  if (given.numbers.size() != 3) {
    b.problems().error(given.where,
                       "'" + d.id + "': loss_polynomial has " + std::to_string(given.numbers.size()) + " coefficients",
                       "give three: [a0, a1, a2] of rating");
    return false;
  }
  out = {given.numbers[0], given.numbers[1], given.numbers[2]};
  return true;
}

/// Row that takes the loss of instance i: the zone at its port `air`, outdoor air without one.
inline std::size_t lossRow(std::size_t i, Binder& b) {
  return (b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient()).row;
}

/// A kernel's common part: one link an instance, its loss into a zone or outdoors.
struct LinkInstance {
  std::array<std::size_t, 0> columns;
  std::array<std::size_t, 1> rows;  ///< where the loss goes
  std::size_t link = 0;             ///< index in Evaluation::link_out
  std::size_t from = 0;             ///< bus it draws from
  double rating = 0.0;
};

inline LinkInstance bindLink(std::size_t i, Binder& b, double rating) {
  LinkInstance p;
  p.rating = rating;
  const auto from = b.bus(i, "from");
  p.from = static_cast<std::size_t>(from);
  p.link = b.link(from, b.bus(i, "to"), i, rating);
  p.rows = {lossRow(i, b)};
  return p;
}

inline constexpr PortInfo kLinkPorts[] = {
    {"from", PortKind::bus, PortCount::one, "bus it draws from"},
    {"to", PortKind::bus, PortCount::one, "bus it feeds"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};

}  // namespace podtwin
