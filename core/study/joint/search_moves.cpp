#include "core/study/joint/search_moves.h"

#include <algorithm>

#include "core/graph/graph.h"

namespace stashscope {

SearchMoves moves_within(const SearchLimit& limit, const Study& study, std::size_t combinations) {
  constexpr std::size_t most_searched = 4;  // bounds mostly rule out the other combinations
  constexpr double nodes_a_second = 4e6;    // nodes of all steps that are evaluated in a second
  constexpr double moves_a_second = 1.2e6;  // in large steps; up to twice as many in small steps
  constexpr double small_nodes = 2000;
  constexpr std::int64_t moves_of_an_evaluation = 100;
  constexpr std::int64_t least = 20;
  if (limit.moves > 0) {
    const std::int64_t part = std::max(least, limit.moves / 10);
    return {part, moves_of_an_evaluation * part};
  }
  const double searches = 2 * static_cast<double>(std::min(most_searched, combinations));
  const double seconds = 0.7 * limit.seconds / searches;
  const auto nodes = static_cast<double>(std::max<std::size_t>(1, study.graph().nodes().size()));
  const double evaluations = std::min(20'000.0, 0.3 * seconds * nodes_a_second / nodes);
  const double moves = 0.55 * seconds * moves_a_second * std::clamp(small_nodes / nodes, 1.0, 2.0);
  return {std::max(least, static_cast<std::int64_t>(evaluations)),
          std::max(least, static_cast<std::int64_t>(moves))};
}

}  // namespace stashscope
