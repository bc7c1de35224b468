#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// A link that makes copies in one direction, one after the other, on a thread of its own. The
/// destructor waits for the copy that runs. Copies that have not started by then are never made,
/// and get() of their futures throws a std::future_error.
class CopyLink {
 public:
  using Copy = std::packaged_task<void()>;

  CopyLink() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

  /// Queues a copy behind all earlier copies. Returns a future that becomes ready when the copy has
  /// ended.
  std::shared_future<void> start(std::function<void()> copy);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any is_waiting_;
  std::deque<Copy> waiting_;
  std::jthread thread_;  ///< the last member, because it uses the others
};

/// The copies of a step on the CPU that run at the same time as other nodes, on one thread for each
/// direction. No thread is started for a step without such copies. Keeps a reference to the plan.
class StepCopies {
 public:
  explicit StepCopies(const RunPlan& plan);

  /// Whether the node starts a copy that runs at the same time as other nodes.
  bool overlaps(NodeId node) const { return !until_.empty() && until_[node].valid(); }
  /// Starts the copy of a node for which `overlaps` is true. The source and the target must stay
  /// until the copy has ended. A fetch waits for the offload of its tensor.
  /// @param name the name of the node, for errors of the copy
  void start(NodeId node, const std::string& name, std::function<void()> copy);
  /// Waits for the fetches that must end before `node` starts. Returns the nodes that started these
  /// copies. Throws the Error of a copy that failed, with the name of the node that started it.
  std::vector<NodeId> end_fetches(NodeId node) { return end(AddedKind::fetch, node); }
  /// Does the same for the offloads that must end before the next node after `node` starts.
  std::vector<NodeId> end_offloads(NodeId node) { return end(AddedKind::offload, node); }

 private:
  std::vector<NodeId> end(AddedKind kind, NodeId until);

  const RunPlan& plan_;
  /// The `OverlappedCopy::until` of each node that starts a copy. Empty without copies.
  IdVector<NodeId, NodeId> until_;
  IdVector<NodeId, std::vector<NodeId>> ending_;  ///< the nodes whose copies end at a node
  IdVector<NodeId, std::shared_future<void>> ends_;
  std::unique_ptr<CopyLink> away_;
  std::unique_ptr<CopyLink> back_;  ///< after `away_`, because its copies wait for those of `away_`
};

}  // namespace stashscope::cpu
