#include "core/run/cpu/execute/step_copies.h"

#include "core/run/cpu/execute/node_errors.h"

namespace stashscope::cpu {

std::shared_future<void> CopyLink::start(std::function<void()> copy) {
  Copy task(std::move(copy));
  std::shared_future<void> end = task.get_future().share();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  is_waiting_.notify_one();
  return end;
}

void CopyLink::run(const std::stop_token& stop) {
  for (;;) {
    Copy next;
    {
      std::unique_lock lock(mutex_);
      is_waiting_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (stop.stop_requested()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next();
  }
}

StepCopies::StepCopies(const RunPlan& plan) : plan_(plan) {
  if (plan.copies.empty()) return;
  const std::size_t nodes = plan.dataflow.topology.nodes();
  until_ = IdVector<NodeId, NodeId>(nodes);
  ending_ = IdVector<NodeId, std::vector<NodeId>>(nodes);
  ends_ = IdVector<NodeId, std::shared_future<void>>(nodes);
  for (const auto& [node, until] : plan.copies.copies) {
    until_[node] = until;
    ending_[until].push_back(node);
  }
  away_ = std::make_unique<CopyLink>();
  back_ = std::make_unique<CopyLink>();
}

void StepCopies::start(NodeId node, const std::string& name, std::function<void()> copy) {
  auto named = [name, copy = std::move(copy)] { with_node_in_errors([&] { return name; }, copy); };
  if (plan_.dataflow.kind(node) == AddedKind::offload) {
    ends_[node] = away_->start(std::move(named));
    return;
  }
  const Topology& topology = plan_.dataflow.topology;
  const std::shared_future<void> offload = ends_[topology.producer[topology.inputs[node][0]]];
  ends_[node] = back_->start([offload, named = std::move(named)] {
    offload.get();
    named();
  });
}

std::vector<NodeId> StepCopies::end(AddedKind kind, NodeId until) {
  std::vector<NodeId> ended;
  if (ending_.empty()) return ended;
  for (const NodeId node : ending_[until]) {
    if (plan_.dataflow.kind(node) != kind) continue;
    ends_[node].get();
    ended.push_back(node);
  }
  return ended;
}

}  // namespace stashscope::cpu
