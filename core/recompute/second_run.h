#pragma once

#include <cstddef>
#include <vector>

#include "core/graph/captured_step.h"
#include "core/recompute/operator_calls.h"
#include "core/recompute/regions.h"

namespace stashscope {

/// The flow of data through the second run of one call of a region. Nodes are positions in
/// `RegionCall::again`.
class SecondRun {
 public:
  using Flags = std::vector<bool>;  ///< by node

  SecondRun(const Graph& graph, const RegionCall& call);

  std::size_t size() const { return nodes_.size(); }

  /// The nodes that have to run:
  /// - those that make a storage in which autograd saves a tensor or that a needed node reads;
  /// - those that change or view a storage that a needed node or a kept node makes, or that exists
  ///   before the run;
  /// - those that draw random numbers, that have no outputs, or that are no operators of ATen.
  /// @param kept nodes whose outputs the region keeps
  /// @param forced further nodes that have to run
  Flags needed(const Flags& kept, const Flags& forced) const;

  /// The course of a second run that leaves out nodes. Stand-ins, which are tensors without data,
  /// take the place of the outputs of these nodes.
  struct Outcome {
    Flags runs;
    Flags reads;  ///< nodes that read a stand-in
    /// Nodes that do not run although they change or view a storage that has data, or have to run
    /// in any case.
    std::vector<std::size_t> conflicts;
  };
  /// Besides `left_out`, nodes that read stand-ins do not run, except those that read only sizes.
  Outcome outcome(const Flags& left_out) const;

  /// Whether the node only makes new storages, by an operator of PyTorch that draws nothing.
  bool makes_only(std::size_t node) const { return nodes_[node].makes_only; }

 private:
  struct Flow {
    std::vector<std::size_t> reads;   ///< storages, as numbered within the run
    std::vector<std::size_t> makes;   ///< new storages
    std::vector<std::size_t> writes;  ///< older storages that the node changes or views
    bool reads_sizes = false;         ///< reads no data of its inputs
    bool must_run = false;
    bool makes_only = false;
  };

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool writes_needed(std::size_t node, const Flags& runs, const Flags& kept,
                     const std::vector<bool>& wanted) const;

  std::vector<Flow> nodes_;
  std::vector<std::size_t> maker_;  ///< by storage: the node that makes it, or `none`
  std::vector<bool> saved_;         ///< by storage: whether autograd saves a tensor in it
};

/// Removes from second runs the nodes whose results nothing needs, as `stashscope.apply` does.
class RunPruner {
 public:
  explicit RunPruner(const Graph& graph);
  explicit RunPruner(Graph&& graph) = delete;

  /// The region without the nodes that need not run again. `Region::skipped` names the operator
  /// calls that PyTorch is told to leave out. Calls that read their outputs are left out, too.
  /// Every call of the module leaves out the same operator calls. Changes nothing in steps whose
  /// tensors are spread over ranks.
  Region pruned(Region region) const;

 private:
  struct Plan;

  Plan plan(const Region& region) const;
  void find_conflicts(Plan& plan) const;
  RegionCall pruned(RegionCall call, const SecondRun::Outcome& outcome) const;

  const Graph& graph_;
  OperatorCalls operators_;
  bool is_spread_ = false;
};

}  // namespace stashscope
