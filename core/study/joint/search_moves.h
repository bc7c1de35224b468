#pragma once

#include "core/base/search_limit.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The moves that a search for plans may make.
struct SearchMoves {
  std::int64_t evaluations = 0;   ///< of a search by cluster: evaluated sets of plans
  std::int64_t of_sequences = 0;  ///< of a search by node or by sequence: changes of a sequence
};

/// The number of moves that each search gets: a share of the limit of moves. If moves are not
/// limited, about as many moves as a CPU core makes in a share of the limit of time. This share is
/// smaller for more combinations, because they need more searches.
SearchMoves moves_within(const SearchLimit& limit, const Study& study, std::size_t combinations);

}  // namespace stashscope
