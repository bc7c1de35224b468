#pragma once

#include "core/base/search_limit.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The moves of one search for plans.
struct SearchMoves {
  std::int64_t evaluations = 0;  ///< of sets of plans by cluster
  std::int64_t of_sequences = 0;
};

/// The fixed moves of each search: a share of the limit of moves. If moves are not limited, about
/// as many as a core makes in a share of the limit of time. This share is smaller for more
/// combinations, which need more searches.
SearchMoves moves_within(const SearchLimit& limit, const Study& study, std::size_t combinations);

}  // namespace stashscope
