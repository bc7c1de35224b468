#include "core/arena/arena_search.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/arena/arena_orders.h"
#include "core/arena/canonical_search.h"
#include "core/arena/greedy_fit.h"
#include "core/arena/local_search.h"
#include "core/arena/sections.h"

namespace stashscope {

namespace {

/// The exact search takes a few hundred bytes of the stack for each buffer, and memory for each
/// pair.
constexpr std::size_t most_exact_buffers = 2000;

/// A local search without a limit ends after this many rounds in a row without a better placement.
constexpr int most_idle_rounds = 200;

/// The share of the limit that the exact search spends on each capacity in its first round. Each
/// further round doubles the share.
constexpr double first_share = 0.0025;
/// How many times longer each round tries the lower bound than any other capacity.
constexpr double share_of_the_bound = 4;

struct GreedyPass {
  GreedyFit fit;
  ArenaOrder order;
};

/// The result of a search is never worse than that of the first pass. The other passes are sorted
/// by their average result, the best first.
constexpr std::array<GreedyPass, 12> passes = {{{&first_fit, ArenaOrder::start},
                                                {&stacked_fit, ArenaOrder::area},
                                                {&stacked_fit, ArenaOrder::load_start},
                                                {&first_fit, ArenaOrder::size},
                                                {&first_fit, ArenaOrder::peak_size},
                                                {&stacked_fit, ArenaOrder::peak_size},
                                                {&stacked_fit, ArenaOrder::load_width},
                                                {&first_fit, ArenaOrder::load_area},
                                                {&stacked_fit, ArenaOrder::size},
                                                {&first_fit, ArenaOrder::load_width},
                                                {&first_fit, ArenaOrder::area},
                                                {&stacked_fit, ArenaOrder::start}}};

class ArenaSearch {
 public:
  ArenaSearch(std::vector<ArenaBuffer> buffers, std::optional<std::int64_t> capacity,
              const SearchLimit& limit, const Progress& progress)
      : buffers_(std::move(buffers)),
        sections_(sections_of(buffers_)),
        capacity_(capacity),
        clock_(limit, progress),
        progress_(progress) {
    result_.load_bound = load_bound(buffers_);
    result_.lower_bound = result_.load_bound;
    goal_ = std::max(result_.load_bound, capacity.value_or(0));
    for (const ArenaBuffer& each : buffers_) unit_ = std::gcd(unit_, each.bytes);
  }

  ArenaResult run() {
    greedy_passes();
    if (!is_done()) search_locally(0.02);
    if (!is_done() && buffers_.size() <= most_exact_buffers) search_exactly();
    if (!is_done()) search_locally(1);
    progress_.update(1, "placing buffers");
    return std::move(result_);
  }

 private:
  /// Whether nothing better is asked for or possible.
  bool is_done() const {
    return capacity() <= goal_ || capacity() <= result_.lower_bound || is_impossible();
  }
  bool is_impossible() const { return capacity_ && result_.lower_bound > *capacity_; }
  std::int64_t capacity() const { return result_.placement.capacity; }

  void keep(const ArenaPlacement& placement) {
    if (placement.capacity < capacity()) result_.placement = placement;
  }

  /// Only a cancelled search stops the first pass: a search that goes on needs a placement.
  bool stops_pass() const { return found_.empty() ? progress_.cancelled() : clock_.is_over(); }
  void greedy_passes();
  void search_locally(double share);
  void search_exactly();
  void narrow_down(CanonicalSearch& search, double share);
  double share_of_rest(double share) const {
    return std::min(0.9, share / std::max(0.1, 1 - clock_.used()));
  }
  ArenaAnswer search_exactly(CanonicalSearch& search, std::int64_t capacity, double share);

  std::vector<ArenaBuffer> buffers_;
  ArenaSections sections_;
  std::optional<std::int64_t> capacity_;
  ArenaClock clock_;
  Progress progress_;
  ArenaResult result_;
  std::int64_t goal_ = 0;
  std::int64_t unit_ = 0;                // divides all sizes, and so the lowest capacity, too
  std::vector<OrderedPlacement> found_;  // the best placement for each `GreedyFit`
};

void ArenaSearch::greedy_passes() {
  const std::vector<std::int64_t> loads = largest_loads(buffers_, sections_);
  for (const GreedyPass& pass : passes) {
    if (!found_.empty() && (is_done() || clock_.is_over())) return;
    progress_.update(clock_.used(), "placing buffers");
    OrderedPlacement found{pass.fit, ordered(buffers_, loads, pass.order), {}};
    const auto same = std::find_if(found_.begin(), found_.end(),
                                   [&](const auto& each) { return each.fit == pass.fit; });
    const std::int64_t most =
        same == found_.end() ? most_arena_bytes : same->placement.capacity - 1;
    found.placement.offsets =
        pass.fit(buffers_, sections_, found.order, most, [this] { return stops_pass(); });
    clock_.count(static_cast<std::int64_t>(buffers_.size()));
    if (found.placement.offsets.empty()) continue;
    found.placement.capacity = capacity_of(buffers_, found.placement.offsets);
    if (found_.empty()) result_.placement = found.placement;
    keep(found.placement);
    if (same == found_.end()) {
      found_.push_back(std::move(found));
    } else {
      *same = std::move(found);
    }
  }
}

void ArenaSearch::search_locally(double share) {
  ArenaClock clock = clock_.share_of_rest(share);
  LocalSearch search(buffers_, sections_, clock_.limit().seed);
  int idle = 0;
  for (std::size_t turn = 0; !is_done() && !clock.is_over(); ++turn) {
    progress_.update(clock_.used(), "placing buffers");
    OrderedPlacement& current = found_[turn % found_.size()];
    const std::int64_t goal = std::min(goal_, current.placement.capacity);
    idle = search.improve(current, goal, [&] { return clock.is_over(); }) ? 0 : idle + 1;
    keep(current.placement);
    clock.count(static_cast<std::int64_t>(buffers_.size()));
    clock_.count(static_cast<std::int64_t>(buffers_.size()));
    if (!clock.has_limit() && idle > most_idle_rounds) return;
  }
}

ArenaAnswer ArenaSearch::search_exactly(CanonicalSearch& search, std::int64_t capacity,
                                        double share) {
  progress_.update(clock_.used(), "placing buffers");
  ArenaClock clock = clock_.share_of_rest(share);
  const ArenaAnswer answer = search.search(capacity, clock);
  clock_.count(clock.moves());
  if (answer == ArenaAnswer::placed) {
    keep({search.offsets(), capacity_of(buffers_, search.offsets())});
  }
  if (answer == ArenaAnswer::impossible) {
    const std::int64_t next_multiple = (capacity / unit_ + 1) * unit_;
    result_.lower_bound = std::max(result_.lower_bound, next_multiple);
  }
  return answer;
}

void ArenaSearch::search_exactly() {
  CanonicalSearch search(buffers_);
  if (capacity_) {
    search_exactly(search, goal_, 0.9);
    return;
  }
  for (double share = first_share; !is_done() && clock_.used() < 0.9; share *= 2) {
    narrow_down(search, share);
  }
}

/// Tries the lower bound, which is often reached. Then halves the range between the highest
/// capacity tried in vain and the lowest capacity found, until the two are close. Each try takes
/// `share` of the limit; that of the lower bound takes `share_of_the_bound` times as much.
void ArenaSearch::narrow_down(CanonicalSearch& search, double share) {
  const std::int64_t lowest = result_.lower_bound;
  const std::int64_t apart = std::max(unit_, lowest / 1000);
  search_exactly(search, lowest, share_of_rest(share * share_of_the_bound));
  std::int64_t least = std::max(lowest + unit_, result_.lower_bound);
  while (!is_done() && capacity() - least >= apart && clock_.used() < 0.9) {
    const std::int64_t next = least + (capacity() - least) / 2 / unit_ * unit_;
    const ArenaAnswer answer = search_exactly(search, next, share_of_rest(share));
    if (answer != ArenaAnswer::placed) least = next + unit_;
  }
}

}  // namespace

ArenaResult find_placement(const std::vector<ArenaBuffer>& buffers,
                           std::optional<std::int64_t> capacity, const SearchLimit& limit,
                           const Progress& progress) {
  std::vector<ArenaBuffer> with_bytes;
  for (const ArenaBuffer& each : buffers) {
    if (each.bytes > 0) with_bytes.push_back(each);
  }
  if (with_bytes.empty()) return {{std::vector<std::int64_t>(buffers.size(), 0), 0}, 0, 0};
  ArenaResult result = ArenaSearch(with_bytes, capacity, limit, progress).run();
  std::vector<std::int64_t> offsets;
  offsets.reserve(buffers.size());
  std::size_t next = 0;
  for (const ArenaBuffer& each : buffers) {
    offsets.push_back(each.bytes > 0 ? result.placement.offsets[next++] : 0);
  }
  result.placement.offsets = std::move(offsets);
  return result;
}

}  // namespace stashscope
