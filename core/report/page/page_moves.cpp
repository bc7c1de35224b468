#include "core/report/page/page_moves.h"

#include <algorithm>

#include "core/study/search/next_moves.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

namespace {

constexpr std::size_t moves_of_page = 5;
/// Limit on the number of nodes of all tried studies together. Trying a row of the plan table
/// computes a part of the study again.
constexpr std::size_t nodes_of_tried_moves = 40'000;
constexpr std::size_t least_tried_moves = 3;
/// Trying a pass infers shapes and builds the backward pass again. Up to this number of nodes, all
/// passes together take a few seconds; on larger graphs, no pass is tried.
constexpr std::size_t most_nodes_for_passes = 5'000;

}  // namespace

void add_moves(ReportInput& input) {
  const Study& study = input.study;
  const std::size_t nodes = std::max<std::size_t>(study.graph().nodes().size(), 1);
  input.tried_moves.rows = std::max(least_tried_moves, nodes_of_tried_moves / nodes);
  if (nodes > most_nodes_for_passes) input.tried_moves.passes = 0;
  if (is_order_searched(study) || study.choices.plans.sequence) return;
  input.moves = next_moves(study, moves_of_page, Progress(), input.tried_moves);
}

}  // namespace stashscope
