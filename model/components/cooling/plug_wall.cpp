#include "model/components/cooling/plug_wall.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace podtwin::plug {

namespace {

constexpr std::size_t kMostParts = 64;    // of a passage; bounds the cost of a step that is longer than it should be
constexpr double kPartsPerPiece = 2.0;    // at least, so that the error of time is below that of length
constexpr double kUnitsOfPieces = 10.0;   // exchange units over a part times pieces: finer pieces, finer time
constexpr double kMostForTime = 16.0;     // parts for the exchange alone: beyond, coolant and wall are as good as one
constexpr double kFrontPassed = 1e-7;     // s; what leaves within this time counts as gone
constexpr double kPassedPieces = 1e-3;    // and never more than this, of a piece
constexpr std::size_t kMostFronts = 64;   // that are kept sharp at a time
constexpr std::size_t kMostPerPiece = 8;  // nodes of the coolant a piece of the wall
constexpr double kSamePlace = 1e-9;       // of a piece

/// Exponential approach over `units` of exchange to something that goes linearly from u0 to u1: exact for that. All
/// weights are between 0 and 1 and add up to 1, so that nothing overshoots however strong the exchange.
struct Relaxation {
  double kept, first, last, gained;

  explicit Relaxation(double units) {
    gained = -std::expm1(-units);
    kept = 1.0 - gained;
    constexpr double kFew = 1e-3;  // units below which the closed form loses digits; series to 1e-13
    const double mean = units > kFew ? gained / units : 1.0 - units * (0.5 - units * (1.0 / 6.0 - units / 24.0));
    first = mean - kept;
    last = 1.0 - mean;
  }
  double operator()(double y, double u0, double u1) const { return kept * y + first * u0 + last * u1; }
};

/// Rate [1/s] at which a piece of the wall approaches what it would settle at beside coolant of one temperature, and
/// that temperature.
struct WallLaw {
  static constexpr double kLeastRate = 1e-30;  // 1/s; no exchange at all
  double rate, of_coolant, of_air;

  explicit WallLaw(const Exchange& x)
      : rate(std::max(x.wall + x.loss, kLeastRate)), of_coolant(x.wall / rate), of_air(x.loss / rate * x.t_air) {}
  double target(double t) const { return of_coolant * t + of_air; }
};

/// Coolant and wall that exchange heat in place: exact, by the exponential of their two linear equations.
class Standing {
 public:
  Standing(const Exchange& x, double time) : t_air_(x.t_air) {
    const double half = 0.5 * (x.film + x.wall + x.loss), apart = 0.5 * (x.film - x.wall - x.loss);
    const double root = std::max(std::hypot(apart, std::sqrt(x.film * x.wall)), WallLaw::kLeastRate);
    const double slow = std::exp(-x.film * x.loss / (half + root) * time), fast = std::exp(-2.0 * root * time);
    const double both = 0.5 * slow * (1.0 + fast), between = -0.5 * slow * std::expm1(-2.0 * root * time) / root;
    coolant_kept_ = both - between * apart;
    coolant_given_ = between * x.film;
    wall_kept_ = both + between * apart;
    wall_given_ = between * x.wall;
  }
  double coolant(double t, double w) const {
    return t_air_ + coolant_kept_ * (t - t_air_) + coolant_given_ * (w - t_air_);
  }
  double wall(double t, double w) const { return t_air_ + wall_kept_ * (w - t_air_) + wall_given_ * (t - t_air_); }

 private:
  double t_air_, coolant_kept_, coolant_given_, wall_kept_, wall_given_;
};

/// A steep part of the coolant's profile, by its first and its last node.
struct Front {
  std::size_t ahead, behind;
};

/// One passage, marched in equal parts.
class March {
 public:
  March(Profile& coolant, Profile& wall, const Exchange& exchange, const Bore& bore)
      : coolant_(coolant), wall_(wall), exchange_(exchange), law_(exchange), bore_(bore) {
    findFronts();
    findBulges(wall_.at, wall_.value, wall_bulge_);
  }

  /// All moves by `shift` [m3], more than none.
  void part(double shift, double time) {
    shift_ = shift;
    time_ = time;
    while (first_ + 2 < coolant_.size() && coolant_.at[first_ + 1] <= 0.0) ++first_;
    moved_.resize(coolant_.size());
    for (std::size_t k = 0; k < moved_.size(); ++k) moved_[k] = coolant_.at[k] - shift;
    relaxed_ = coolant_.value;
    findBulges(coolant_.at, coolant_.value, coolant_bulge_);
    placeNodes();
    guess();
    constexpr int kMostRounds = 12;    // each mends the error of the one before by the exchange units of both sides
    constexpr double kSettled = 1e-6;  // K
    for (int round = 0; round < kMostRounds; ++round) {
      relaxCoolant();
      findBulges(moved_, relaxed_, relaxed_bulge_);
      const double change = relaxWall();
      findBulges(nodes_.at, end_, end_bulge_);
      if (change < kSettled) break;
    }
    relaxCoolant();
    coolant_.at.swap(moved_);
    coolant_.value.swap(relaxed_);
    wall_.at.swap(nodes_.at);
    wall_.value.swap(end_);
    wall_bulge_.swap(end_bulge_);
  }

  /// Nothing moves; a jump of the wall beside a front that stands is as sharp as the front.
  void stand(double time) {
    shift_ = 0.0;
    moved_ = coolant_.at;
    findBulges(coolant_.at, coolant_.value, coolant_bulge_);
    placeNodes();
    const Standing exchanged(exchange_, time);
    const double near = kSamePlace * bore_.piece();
    ProfileReader of_wall(wall_.at, wall_.value, wall_bulge_), of_coolant(coolant_.at, coolant_.value, coolant_bulge_);
    relaxed_.resize(coolant_.size());
    end_.resize(nodes_.size());
    for (std::size_t k = 0; k < coolant_.size(); ++k) {
      const double at = coolant_.at[k];
      const bool second = k > 0 && at - coolant_.at[k - 1] <= near;
      relaxed_[k] = exchanged.coolant(coolant_.value[k], second ? of_wall.behind(at + near) : of_wall(at - near));
    }
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const double t =
          follows_[j] < 0 ? of_coolant(nodes_.at[j]) : coolant_.value[static_cast<std::size_t>(follows_[j])];
      end_[j] = exchanged.wall(t, nodes_.value[j]);
    }
    coolant_.value.swap(relaxed_);
    wall_.at.swap(nodes_.at);
    wall_.value.swap(end_);
  }

 private:
  void findFronts() {
    constexpr double kHeight = 0.05;  // K; a piece that changes less is smooth however short it is
    constexpr double kShare = 0.1;    // of a piece of the wall; what is longer is resolved, or nearly so
    const auto steep = [&](double width, double change) {
      return width <= kShare * bore_.piece() && std::abs(change) > kHeight;
    };
    for (std::size_t k = 0; k + 1 < coolant_.size() && fronts_.size() < kMostFronts; ++k) {
      std::size_t end = k;
      while (end + 1 < coolant_.size() && coolant_.at[end + 1] - coolant_.at[k] <= bore_.piece() &&
             steep(coolant_.at[end + 1] - coolant_.at[end], coolant_.value[end + 1] - coolant_.value[end]))
        ++end;
      if (end == k) continue;
      fronts_.push_back({k, end});
      k = end - 1;
    }
  }

  struct Bend {
    double when = 0.0, value = 0.0;  ///< of the part; K
  };

  struct Extra {
    double at, start;
    std::ptrdiff_t follows;  ///< node of the coolant that stands there; -1: none
  };

  /// The wall's nodes of this part: evenly spaced ones, those where a front will stand, as the wall has a kink there,
  /// and jumps that a front left where it stood.
  void placeNodes() {
    const double near = kSamePlace * bore_.piece();
    extras_.clear();
    const auto inside = [&](double at) { return at > near && at < bore_.volume - near; };
    for (const Front& f : fronts_) {
      if (inside(moved_[f.ahead]))
        extras_.push_back({moved_[f.ahead], 0.0, static_cast<std::ptrdiff_t>(shift_ > 0.0 ? -1 : f.ahead)});
      const bool wide = moved_[f.behind] - moved_[f.ahead] > near;
      if (inside(moved_[f.behind]) && (wide || shift_ <= 0.0))
        extras_.push_back({moved_[f.behind], 0.0, static_cast<std::ptrdiff_t>(shift_ > 0.0 ? -1 : f.behind)});
    }
    const std::size_t of_fronts = extras_.size();
    for (std::size_t k = 0; k < of_fronts; ++k) {
      const bool second = k > 0 && extras_[k].at - extras_[k - 1].at <= near;
      ProfileReader read(wall_.at, wall_.value, wall_bulge_);
      extras_[k].start = second ? read.behind(extras_[k].at + near) : read(extras_[k].at - near);
    }
    constexpr double kJump = 0.01;  // K; a lower one is not kept
    for (std::size_t k = 1; k + 2 < wall_.size() && extras_.size() < 4 * kMostFronts; ++k) {
      if (wall_.at[k + 1] - wall_.at[k] > near || std::abs(wall_.value[k + 1] - wall_.value[k]) < kJump) continue;
      const double at = wall_.at[k];
      const auto begin = extras_.begin(), end = begin + static_cast<std::ptrdiff_t>(of_fronts);
      if (!inside(at) || std::any_of(begin, end, [&](const Extra& x) { return std::abs(x.at - at) <= near; })) continue;
      extras_.push_back({at, wall_.value[k], -1});
      extras_.push_back({at, wall_.value[k + 1], -1});
    }
    std::stable_sort(extras_.begin(), extras_.end(), [](const Extra& a, const Extra& b) { return a.at < b.at; });
    nodes_.clear();
    follows_.clear();
    ProfileReader read(wall_.at, wall_.value, wall_bulge_);
    std::size_t next = 0;
    const auto put = [&](const Extra& x) {
      nodes_.add(x.at, x.start);
      follows_.push_back(x.follows);
    };
    for (std::size_t j = 0; j <= bore_.pieces; ++j) {
      const double at = j == bore_.pieces ? bore_.volume : bore_.piece() * static_cast<double>(j);
      bool taken = false;
      for (; next < extras_.size() && extras_[next].at <= at + near; ++next) {
        taken = taken || extras_[next].at >= at - near;
        put(extras_[next]);
      }
      if (!taken) put({at, read(at), -1});
    }
  }

  /// Wall at the end of the part beside coolant that passes as it is at its begin.
  void guess() {
    end_.resize(nodes_.size());
    bends_.assign(nodes_.size(), {});
    const Relaxation relax(law_.rate * time_);
    ProfileReader read(coolant_.at, coolant_.value, coolant_bulge_),
        upstream(coolant_.at, coolant_.value, coolant_bulge_);
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      end_[j] = relax(nodes_.value[j], law_.target(read(nodes_.at[j])), law_.target(upstream(nodes_.at[j] + shift_)));
    findBulges(nodes_.at, end_, end_bulge_);
  }

  /// Coolant along its way through the wall, from one place to the other at the time it is there.
  void relaxCoolant() {
    const double whole = bore_.volume, units = exchange_.film * time_, near = kSamePlace * bore_.piece();
    const Relaxation relax_all(units);
    ProfileReader before(wall_.at, wall_.value, wall_bulge_), after(nodes_.at, end_, end_bulge_);
    std::size_t next = 0;
    for (std::size_t k = first_; k < coolant_.size(); ++k) {
      const double from = coolant_.at[k], to = moved_[k];
      if (from > whole && to >= whole) break;  // not in yet
      const double late = from > whole ? (from - whole) / shift_ : 0.0, inside = 1.0 - late;
      const double begin =
          late > 0.0 ? nodes_.value.back() + (end_.back() - nodes_.value.back()) * late : before(from - near);
      const double end = after.behind(std::max(to, 0.0) + near), t = coolant_.value[k];
      const Relaxation relax_part = late > 0.0 ? Relaxation(units * inside) : relax_all;
      // Between them it passes nodes of the wall: what the mean over the way differs from that of its ends.
      while (next < nodes_.size() && nodes_.at[next] <= to + near) ++next;
      double mean = 0.0, last = end, last_when = 1.0, low = std::min({begin, end, t}), high = std::max({begin, end, t});
      bool bent = false;
      for (std::size_t j = next; j < nodes_.size() && nodes_.at[j] < std::min(from, whole) - near; ++j) {
        const double when = (from - nodes_.at[j]) / shift_;
        if (nodes_.at[j] <= 0.0) continue;
        const double w = wallAt(j, when);
        mean += (last_when - when) * 0.5 * (w + last);
        last = w;
        last_when = when;
        low = std::min(low, w);
        high = std::max(high, w);
        bent = true;
      }
      double result = relax_part(t, begin, end);
      if (bent) {
        mean = (mean + (last_when - late) * 0.5 * (begin + last)) / inside;
        result += relax_part.gained * (mean - 0.5 * (begin + end));
        result = std::clamp(result, low, high);
      }
      relaxed_[k] = result;
    }
  }

  /// The wall beside what passed it, split where a front did; returns the greatest change of a node [K].
  double relaxWall() {
    const double near = kSamePlace * bore_.piece();
    const Relaxation relax(law_.rate * time_);
    ProfileReader before(coolant_.at, coolant_.value, coolant_bulge_), after(moved_, relaxed_, relaxed_bulge_);
    std::size_t next = 0;
    double change = 0.0;
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const double at = nodes_.at[j];
      // A front that is here at the begin has passed, one that is here at the end has not.
      const double t0 = before.behind(at + near), t1 = after(at - near);
      while (next < fronts_.size() && coolant_.at[fronts_[next].behind] < at + near) ++next;
      double w;
      if (next < fronts_.size() && coolant_.at[fronts_[next].ahead] < at + shift_ - near)
        w = besideFronts(nodes_.value[j], at, t0, t1, next, bends_[j]);
      else
        w = relax(nodes_.value[j], law_.target(t0), law_.target(t1));
      change = std::max(change, std::abs(w - end_[j]));
      end_[j] = w;
    }
    return change;
  }

  /// Temperature of a node of the wall at a moment of the part; a front that passed it bent its way there.
  double wallAt(std::size_t j, double when) const {
    const Bend& bend = bends_[j];
    const double start = nodes_.value[j];
    if (bend.when >= 1.0 || bend.when <= 0.0) return start + (end_[j] - start) * when;
    if (when <= bend.when) return start + (bend.value - start) * when / bend.when;
    return bend.value + (end_[j] - bend.value) * (when - bend.when) / (1.0 - bend.when);
  }

  double besideFronts(double w, double at, double t0, double t1, std::size_t next, Bend& bend) const {
    double share = 0.0, t = t0;
    const auto on = [&](double until, double t_until) {
      if (until > share) w = Relaxation(law_.rate * time_ * (until - share))(w, law_.target(t), law_.target(t_until));
      share = std::max(share, until);
      t = t_until;
    };
    for (; next < fronts_.size() && coolant_.at[fronts_[next].ahead] < at + shift_; ++next)
      for (const std::size_t k : {fronts_[next].ahead, fronts_[next].behind}) {
        const double when = (coolant_.at[k] - at) / shift_;
        if (when < 0.0) continue;  // had begun to pass before
        if (when > 1.0) {          // passes only in part
          on(1.0, t1);
          return w;
        }
        on(when, coolant_.value[k] + (relaxed_[k] - coolant_.value[k]) * when);
        bend = {when, w};
      }
    on(1.0, t1);
    return w;
  }

  Profile& coolant_;
  Profile& wall_;
  Exchange exchange_;
  WallLaw law_;
  Bore bore_;
  std::vector<Front> fronts_;
  double shift_ = 0.0, time_ = 0.0;
  std::size_t first_ = 0;        ///< first node that has not left long ago
  std::vector<double> moved_;    ///< places of the coolant's nodes at the end of the part
  std::vector<double> relaxed_;  ///< their temperatures then
  Profile nodes_;                ///< of the wall, with its temperatures at the begin
  std::vector<double> end_;      ///< and at the end
  std::vector<double> wall_bulge_, coolant_bulge_, relaxed_bulge_, end_bulge_;
  std::vector<Bend> bends_;  ///< where a front passed
  std::vector<std::ptrdiff_t> follows_;
  std::vector<Extra> extras_;
};

/// Puts what enters behind the tail.
void append(Profile& coolant, Inflow in, const Bore& bore, double rho_cp) {
  constexpr double kThimble = 1e-6;   // of a piece; a mean over less is round-off of the ledgers
  constexpr double kRoundOff = 1e-6;  // of the change; a mean no farther than this beyond its ends is at the end
  const double start = coolant.value.back(), mean = kReferenceTemperature + in.heat / (rho_cp * in.volume);
  DelayLine line{{0.0}, {start}, 0};
  if (in.volume < kThimble * bore.piece()) {
    line.volume.push_back(in.volume);
    line.temperature.push_back(in.t_end == in.t_end ? in.t_end : mean);
  } else {
    const auto [low, high] = std::minmax(start, in.t_end == in.t_end ? in.t_end : mean);
    const double within = std::clamp(mean, low, high);
    if (std::abs(mean - within) <= kRoundOff * (high - low))
      in.heat = rho_cp * in.volume * (within - kReferenceTemperature);
    layDown(line, in, start, rho_cp);
  }
  double depth = coolant.at.back();
  for (std::size_t k = 1; k < line.volume.size(); ++k) {
    depth += line.volume[k];
    coolant.add(depth, line.temperature[k]);
  }
}

/// Takes away what has left, what leaves within `passed` [m3] included.
void cut(Profile& coolant, const Bore& bore, double passed) {
  std::size_t k = 1;
  while (k + 1 < coolant.size() && coolant.at[k] <= passed) ++k;
  std::vector<double> bulge;
  findBulges(coolant.at, coolant.value, bulge);
  const double head = ProfileReader(coolant.at, coolant.value, bulge).behind(passed);
  const auto gone = static_cast<std::ptrdiff_t>(k - 1);
  coolant.at.erase(coolant.at.begin(), coolant.at.begin() + gone);
  coolant.value.erase(coolant.value.begin(), coolant.value.begin() + gone);
  coolant.at.front() = 0.0;
  coolant.value.front() = head;
  for (double& at : coolant.at) at = std::min(at, bore.volume);
  coolant.at.back() = bore.volume;
}

}  // namespace

std::size_t partsOf(const Passage& passage, const Exchange& x, const Bore& bore) {
  const double by_length = kPartsPerPiece * passage.volume / bore.piece();
  const double by_time = passage.time * (x.film + x.wall + x.loss) * static_cast<double>(bore.pieces) / kUnitsOfPieces;
  const double parts = std::ceil(std::max(by_length, std::min(by_time, kMostForTime)));
  return parts >= static_cast<double>(kMostParts) ? kMostParts
                                                  : std::max<std::size_t>(1, static_cast<std::size_t>(parts));
}

// On a lattice of its own: bits of coolant and places of the wall as far apart as a part moves, so that each part takes
// every bit from one place to the next.
Leaving leavingAfter(const DelayLine& coolant, const DelayLine& wall, const Passage& passage, const Exchange& exchange,
                     const Bore& bore, double t_in, std::size_t parts) {
  if (passage.volume <= 0.0) {
    const Standing exchanged(exchange, passage.time);
    const double t_there = passage.forward ? coolant.temperature[coolant.head] : coolant.temperature.back(),
                 w_there = passage.forward ? wall.temperature[wall.head] : wall.temperature.back();
    return {exchanged.coolant(t_there, w_there), exchanged.wall(t_there, w_there)};
  }
  const bool turned_over = passage.volume >= bore.volume;
  const double volume = turned_over ? bore.volume : passage.volume,
               time = turned_over ? passage.time * bore.volume / passage.volume : passage.time,
               part = 1.0 / static_cast<double>(parts);
  std::array<double, kMostParts + 1> t, w, by_in{}, wall_by_in{};
  const auto sample = [&](const DelayLine& line, std::array<double, kMostParts + 1>& to) {
    const Profile profile = profileNear(line, passage.forward, volume);
    std::vector<double> bulge;
    findBulges(profile.at, profile.value, bulge);
    ProfileReader read(profile.at, profile.value, bulge);
    for (std::size_t k = 0; k <= parts; ++k) to[k] = read.behind(volume * part * static_cast<double>(k));
  };
  sample(coolant, t);
  sample(wall, w);
  if (turned_over) {
    t[parts] = t_in;
    by_in[parts] = 1.0;
  }
  const WallLaw law(exchange);
  const Relaxation film(exchange.film * time * part), store(law.rate * time * part);
  const double share = 1.0 / (1.0 - film.last * store.last * law.of_coolant);
  for (std::size_t done = 0; done < parts; ++done)
    for (std::size_t j = 0; j + done < parts; ++j) {
      // T' = given + film.last w', w' = stored + store.last target(T')
      const double given = film.kept * t[j + 1] + film.first * w[j + 1];
      const double stored = store.kept * w[j] + store.first * law.target(t[j]) + store.last * law.of_air;
      t[j] = share * (given + film.last * stored);
      w[j] = stored + store.last * law.of_coolant * t[j];
      if (!turned_over) continue;
      const double given_by = film.kept * by_in[j + 1] + film.first * wall_by_in[j + 1];
      const double stored_by = store.kept * wall_by_in[j] + store.first * law.of_coolant * by_in[j];
      by_in[j] = share * (given_by + film.last * stored_by);
      wall_by_in[j] = stored_by + store.last * law.of_coolant * by_in[j];
    }
  return {t[0], w[0], by_in[0]};
}

void march(DelayLine& coolant_line, DelayLine& wall_line, const Passage& passage, const Inflow& in,
           const Exchange& exchange, const Bore& bore, double rho_cp) {
  Profile coolant = profileOf(coolant_line), wall = profileOf(wall_line);
  coolant.at.back() = wall.at.back() = bore.volume;
  if (!passage.forward) {
    turn(coolant, bore.volume);
    turn(wall, bore.volume);
  }
  if (in.volume > 0.0) append(coolant, in, bore, rho_cp);
  refine(coolant, bore.piece());
  March all(coolant, wall, exchange, bore);
  if (in.volume <= 0.0) {
    all.stand(passage.time);
  } else {
    const std::size_t parts = partsOf(passage, exchange, bore);
    for (std::size_t k = 0; k < parts; ++k)
      all.part(in.volume / static_cast<double>(parts), passage.time / static_cast<double>(parts));
    cut(coolant, bore,
        passage.time > 0.0 ? std::min(kFrontPassed * in.volume / passage.time, kPassedPieces * bore.piece()) : 0.0);
  }
  coarsen(coolant, bore.piece(), kMostPerPiece * bore.pieces);
  if (!passage.forward) {
    turn(coolant, bore.volume);
    turn(wall, bore.volume);
  }
  coolant_line = lineOf(coolant);
  wall_line = lineOf(wall);
}

void settle(DelayLine& coolant, DelayLine& wall, const Bore& bore, bool forward, double t_air, double excess,
            double units, double wall_share) {
  Profile fluid, metal;
  for (std::size_t j = 0; j <= bore.pieces; ++j) {
    const double from_inlet = 1.0 - static_cast<double>(j) / static_cast<double>(bore.pieces);
    const double here = excess * std::exp(-units * from_inlet), at = bore.piece() * static_cast<double>(j);
    fluid.add(at, t_air + here);
    metal.add(at, t_air + wall_share * here);
  }
  if (!forward) {
    turn(fluid, bore.volume);
    turn(metal, bore.volume);
  }
  coolant = lineOf(fluid);
  wall = lineOf(metal);
}

}  // namespace podtwin::plug
