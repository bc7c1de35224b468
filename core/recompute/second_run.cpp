#include "core/recompute/second_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace stashscope {

namespace {

constexpr std::string_view usual_domain = "pytorch.aten";

void add_once(std::vector<std::size_t>& numbers, std::size_t number) {
  if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
}

bool any(const std::vector<std::size_t>& numbers, const std::vector<bool>& flags) {
  return std::ranges::any_of(numbers, [&](std::size_t number) { return flags[number]; });
}

}  // namespace

SecondRun::SecondRun(const Graph& graph, const RegionCall& call) : nodes_(call.again.size()) {
  const CapturedStep& step = *graph.data().captured;
  std::map<StorageId, std::size_t> numbers;
  const auto number = [&](StorageId storage) {
    const auto [known, is_new] = numbers.try_emplace(storage, maker_.size());
    if (is_new) maker_.push_back(none);
    return known->second;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = graph.node(call.again[i]);
    Flow& flow = nodes_[i];
    for (const ValueId input : node.inputs) add_once(flow.reads, number(step.storage_of[input]));
    for (const ValueId output : node.outputs) {
      const std::size_t storage = number(step.storage_of[output]);
      const bool is_new = step.is_root(output);
      if (is_new) maker_[storage] = i;
      add_once(is_new || maker_[storage] == i ? flow.makes : flow.writes, storage);
    }
    const bool is_usual = node.domain == usual_domain;
    flow.reads_sizes = is_usual && node.op_type == "empty_like";
    flow.must_run = !is_usual || node.outputs.empty() || draws(node);
    flow.makes_only = !flow.must_run && flow.writes.empty();
  }
  saved_.resize(maker_.size(), false);
  for (const std::size_t row : call.saved) {
    const auto known = numbers.find(step.saved[row].storage);
    if (known != numbers.end()) saved_[known->second] = true;
  }
}

bool SecondRun::writes_needed(std::size_t node, const Flags& runs, const Flags& kept,
                              const std::vector<bool>& wanted) const {
  const Flow& flow = nodes_[node];
  return any(flow.makes, wanted) || std::ranges::any_of(flow.writes, [&](std::size_t storage) {
           const std::size_t maker = maker_[storage];
           return maker == none || kept[maker] || runs[maker];
         });
}

SecondRun::Flags SecondRun::needed(const Flags& kept, const Flags& forced) const {
  Flags runs(size(), false);
  std::vector<bool> wanted = saved_;
  // A node that is found to run may make earlier and later nodes needed.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (std::size_t i = size(); i-- > 0;) {
      if (runs[i] || kept[i]) continue;
      const bool must_run = nodes_[i].must_run || forced[i];
      if (!must_run && !writes_needed(i, runs, kept, wanted)) continue;
      runs[i] = is_changed = true;
      if (nodes_[i].reads_sizes) continue;
      for (const std::size_t storage : nodes_[i].reads) wanted[storage] = true;
    }
  }
  return runs;
}

SecondRun::Outcome SecondRun::outcome(const Flags& left_out) const {
  Outcome found{Flags(size(), true), Flags(size(), false), {}};
  std::vector<bool> is_empty(maker_.size(), false);
  for (std::size_t i = 0; i < size(); ++i) {
    const Flow& flow = nodes_[i];
    found.reads[i] = !flow.reads_sizes && any(flow.reads, is_empty);
    if (!left_out[i] && !found.reads[i]) continue;
    found.runs[i] = false;
    for (const std::size_t storage : flow.makes) is_empty[storage] = true;
    const bool changes_data =
        std::ranges::any_of(flow.writes, [&](std::size_t storage) { return !is_empty[storage]; });
    if (changes_data || flow.must_run) found.conflicts.push_back(i);
  }
  return found;
}

/// Which nodes of each call are left out.
struct RunPruner::Plan {
  struct Call {
    SecondRun run;
    std::map<OperatorCalls::Key, std::size_t> places;  ///< positions in `RegionCall::again`
    SecondRun::Flags forced;
    SecondRun::Flags left_out;
    SecondRun::Outcome outcome;
  };

  std::vector<Call> calls;
  std::set<OperatorCalls::Key> keys;
};

RunPruner::RunPruner(const Graph& graph) : graph_(graph), operators_(graph) {
  // Collectives show that tensors are spread over ranks. For such tensors, the dispatch mode of a
  // selective checkpoint sees other operators than the captured ones.
  is_spread_ = std::ranges::any_of(
      graph.nodes(), [](const Node& node) { return node.domain == "pytorch._c10d_functional"; });
}

Region RunPruner::pruned(Region region) const {
  if (is_spread_) return region;
  const Plan found = plan(region);
  for (std::size_t i = 0; i < region.calls.size(); ++i) {
    region.calls[i] = pruned(std::move(region.calls[i]), found.calls[i].outcome);
  }
  for (const OperatorCalls::Key& key : found.keys) {
    // An operator call that reads a stand-in in every call of the module need not be named.
    const bool is_named = std::ranges::any_of(found.calls, [&](const Plan::Call& call) {
      const auto place = call.places.find(key);
      return place != call.places.end() && !call.outcome.reads[place->second];
    });
    if (is_named) region.skipped.push_back({operators_.name(key.first), key.second});
  }
  return region;
}

RunPruner::Plan RunPruner::plan(const Region& region) const {
  Plan plan;
  std::set<std::size_t> uncounted;
  // The calls of casts cannot be counted: autocast may have made a cast before the call, but makes
  // it during the second run.
  if (const auto cast = operators_.find("aten._to_copy.default")) uncounted.insert(*cast);
  for (const RegionCall& call : region.calls) uncounted.merge(operators_.uncounted(call));
  for (const RegionCall& call : region.calls) {
    const SecondRun run(graph_, call);
    std::map<NodeId, std::size_t> places;
    for (std::size_t i = 0; i < call.again.size(); ++i) places[call.again[i]] = i;
    std::map<OperatorCalls::Key, std::size_t> by_key;
    for (const auto& [key, node] : operators_.of(call)) {
      const auto place = places.find(node);
      if (place != places.end()) by_key[key] = place->second;
    }
    const SecondRun::Flags forced(run.size(), false);
    plan.calls.push_back({run, std::move(by_key), forced, forced, {}});
    for (const auto& [key, place] : plan.calls.back().places) {
      if (!uncounted.contains(key.first)) plan.keys.insert(key);
    }
  }
  find_conflicts(plan);
  return plan;
}

/// Leaves out fewer nodes until no call has conflicts.
void RunPruner::find_conflicts(Plan& plan) const {
  for (bool has_conflicts = true; has_conflicts;) {
    has_conflicts = false;
    for (const Plan::Call& call : plan.calls) {
      const SecondRun::Flags needed =
          call.run.needed(SecondRun::Flags(call.run.size(), false), call.forced);
      std::erase_if(plan.keys, [&](const OperatorCalls::Key& key) {
        const auto place = call.places.find(key);
        return place != call.places.end() &&
               (needed[place->second] || !call.run.makes_only(place->second));
      });
    }
    for (Plan::Call& call : plan.calls) {
      call.left_out.assign(call.run.size(), false);
      for (const OperatorCalls::Key& key : plan.keys) {
        const auto place = call.places.find(key);
        if (place != call.places.end()) call.left_out[place->second] = true;
      }
      call.outcome = call.run.outcome(call.left_out);
      for (const std::size_t node : call.outcome.conflicts) {
        call.forced[node] = has_conflicts = true;
      }
    }
  }
}

RegionCall RunPruner::pruned(RegionCall call, const SecondRun::Outcome& outcome) const {
  std::set<NodeId> numbers;
  for (std::size_t i = 0; i < call.again.size(); ++i) {
    if (outcome.runs[i]) continue;
    for (const NodeId number : operators_.numbers_for(call.again[i])) numbers.insert(number);
  }
  std::vector<NodeId> again;
  std::vector<std::size_t> position_of;  // how many nodes run before each
  for (std::size_t i = 0; i < call.again.size(); ++i) {
    position_of.push_back(again.size());
    if (!outcome.runs[i]) {
      call.skipped.push_back({call.again[i], again.size()});
    } else if (!numbers.contains(call.again[i])) {
      again.push_back(call.again[i]);
    }
  }
  position_of.push_back(again.size());
  for (KeptNode& kept : call.kept) {
    if (kept.position) kept.position = position_of[*kept.position];
  }
  call.again = std::move(again);
  return call;
}

}  // namespace stashscope
