#include "core/run/cpu/execute/step_copies.h"

namespace stashscope::cpu {

void with_node_in_errors(const std::string& node, const std::function<void()>& work) {
  try {
    work();
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(node, error.reason(), error.available_bytes(), error.hint());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    throw Error(ErrorKind::run, node, error.what());
  }
}

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
  is_waited_at_ = IdVector<NodeId, bool>(nodes, false);
  ends_ = IdVector<NodeId, std::shared_future<void>>(nodes);
  for (const auto& [node, until] : plan.copies.copies) {
    until_[node] = until;
    is_waited_at_[until] = true;
  }
  away_ = std::make_unique<CopyLink>();
  back_ = std::make_unique<CopyLink>();
}

void StepCopies::start(NodeId node, const std::string& name, std::function<void()> made) {
  auto copy = [name, made = std::move(made)] { with_node_in_errors(name, made); };
  if (plan_.dataflow.kind(node) == AddedKind::offload) {
    ends_[node] = away_->start(std::move(copy));
    return;
  }
  const Topology& topology = plan_.dataflow.topology;
  const std::shared_future<void> offload = ends_[topology.producer[topology.inputs[node][0]]];
  ends_[node] = back_->start([offload, copy = std::move(copy)] {
    offload.get();
    copy();
  });
}

std::vector<NodeId> StepCopies::end(AddedKind kind, NodeId until) {
  std::vector<NodeId> ended;
  if (until_.empty() || !is_waited_at_[until]) return ended;
  for (const OverlappedCopy& each : plan_.copies.copies) {
    if (each.until != until || plan_.dataflow.kind(each.node) != kind) continue;
    ends_[each.node].get();
    ended.push_back(each.node);
  }
  return ended;
}

}  // namespace stashscope::cpu
