#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/passes/graph_pass.h"
#include "core/passes/infer_and_simplify.h"
#include "core/passes/infer_shapes.h"
#include "core/passes/what_if/loss_in_pieces.h"
#include "core/run/cpu/execute/evaluate.h"

namespace stashscope::test {

/// A model after some passes, with its losses in pieces.
struct LossInPieces {
  Graph graph;
  std::size_t replaced = 0;
  std::vector<WhatIfStop> stopped;
};

inline LossInPieces loss_in_pieces(const Graph& model, std::int64_t rows,
                                   std::set<std::string> passes = {},
                                   ElementType precision = ElementType::undefined) {
  const PassSelection selection{std::move(passes), precision, cpu_evaluator()};
  const Graph passed = infer_shapes(apply_passes(infer_and_simplify(model), {}, selection).graph);
  Rewriter rewriter(passed, parameter_candidates(passed, {}));
  std::vector<WhatIfStop> stopped;
  const std::size_t replaced = compute_loss_in_pieces(rewriter, rows, stopped);
  return {infer_shapes(rewriter.finish()), replaced, std::move(stopped)};
}

}  // namespace stashscope::test
