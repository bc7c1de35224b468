#include "core/recompute/keep_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/recompute/second_run.h"

namespace stashscope {

namespace {

constexpr std::size_t most_rules = 6;
/// A module with more options gets no rules. Such a module usually contains smaller modules that
/// can be regions.
constexpr std::size_t most_options = 60;

constexpr std::string_view usual_space = "aten.";
constexpr std::string_view usual_overload = ".default";

std::string short_name(const std::string& name) {
  std::string_view text = name;
  if (!text.starts_with(usual_space)) return name;
  text.remove_prefix(usual_space.size());
  if (text.ends_with(usual_overload)) text.remove_suffix(usual_overload.size());
  return std::string(text);
}

std::string full_name(const std::string& name) {
  const auto dots = std::ranges::count(name, '.');
  std::string full = dots > 1 ? name : std::string(usual_space) + name;
  if (dots == 0) full += usual_overload;
  return full;
}

/// Adds the numbers of a text such as `3` or `3-5`. Returns false, and adds nothing, if the text
/// has another form or stands for more than `most` numbers.
bool add_range(const std::string& text, std::size_t most, std::set<std::size_t>& numbers) {
  std::size_t first = 0;
  const char* const end = text.data() + text.size();
  const auto from = std::from_chars(text.data(), end, first);
  std::size_t last = first;
  if (from.ec != std::errc()) return false;
  if (from.ptr != end) {
    const auto to = std::from_chars(from.ptr + 1, end, last);
    if (*from.ptr != '-' || to.ec != std::errc() || to.ptr != end) return false;
  }
  if (last < first || last - first >= most) return false;
  for (std::size_t count = 0; count <= last - first; ++count) numbers.insert(first + count);
  return true;
}

/// The text ` 0-2 5` for the numbers 0, 1, 2 and 5.
std::string ranges_text(const std::set<std::size_t>& numbers) {
  std::string text;
  for (auto from = numbers.begin(); from != numbers.end();) {
    std::size_t last = *from;
    auto next = std::next(from);
    while (next != numbers.end() && *next == last + 1) last = *next++;
    text += " " + std::to_string(*from) + (last == *from ? "" : "-" + std::to_string(last));
    from = next;
  }
  return text;
}

/// A set of options whose outputs are kept.
struct KeepSet {
  std::vector<bool> has;  ///< by option
  double work = 0;        ///< work that it spares
  std::int64_t bytes = 0;
};

/// The rule that keeps the options of `set`. If the set has all options of an operator, the rule
/// lists no occurrences for this operator.
KeepRule rule_of(const std::vector<KeepOption>& options, const KeepSet& set) {
  KeepRule rule;
  std::set<std::string> partly;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const KeptOperator& kept = options[i].kept;
    if (set.has[i]) rule[kept.name].insert(kept.occurrence);
    if (!set.has[i]) partly.insert(kept.name);
  }
  for (auto& [name, occurrences] : rule) {
    if (!partly.contains(name)) occurrences.clear();
  }
  return rule;
}

/// Makes sets of the options of a region.
class KeepSets {
 public:
  KeepSets(const std::vector<KeepOption>& options, const SparedWork& spared)
      : options_(options), spared_(spared) {}

  /// Tries the sets that arise when options are added one at a time to those that add no bytes, and
  /// the sets that arise when options are removed one at a time from all options. Returns the tried
  /// sets that spare more work than every tried set with fewer bytes. Options that add no bytes are
  /// in every set.
  std::vector<KeepSet> best() const {
    std::vector<KeepSet> sets;
    KeepSet smallest = set_of([](const KeepOption& each) { return each.bytes == 0; });
    if (smallest.work > 0) sets.push_back(smallest);
    for (KeepSet set = smallest; grow(set);) sets.push_back(set);
    KeepSet largest = set_of([](const KeepOption&) { return true; });
    sets.push_back(largest);
    while (shrink(largest)) sets.push_back(largest);
    return without_worse(std::move(sets));
  }

  KeepSet products() const {
    return set_of([](const KeepOption& each) { return each.is_product || each.bytes == 0; });
  }

 private:
  template <class Belongs>
  KeepSet set_of(const Belongs& belongs) const {
    KeepSet set{std::vector<bool>(options_.size(), false)};
    for (std::size_t i = 0; i < options_.size(); ++i) {
      if (!belongs(options_[i])) continue;
      set.has[i] = true;
      set.bytes += options_[i].bytes;
    }
    set.work = spared_(set.has);
    return set;
  }

  KeepSet flipped(const KeepSet& set, std::size_t option) const {
    KeepSet other = set;
    other.has[option] = !set.has[option];
    other.bytes += set.has[option] ? -options_[option].bytes : options_[option].bytes;
    other.work = spared_(other.has);
    return other;
  }

  /// Adds the option that spares most work for each byte. Returns false if no option spares work.
  bool grow(KeepSet& set) const { return change(set, false); }
  /// Removes the option that spares least work for each byte. Returns false if every option that is
  /// left adds no bytes.
  bool shrink(KeepSet& set) const { return change(set, true); }

  bool change(KeepSet& set, bool removes) const {
    std::optional<KeepSet> best;
    double best_rate = 0;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      if (set.has[i] != removes || options_[i].bytes == 0) continue;
      KeepSet other = flipped(set, i);
      const double rate = std::abs(other.work - set.work) / static_cast<double>(options_[i].bytes);
      if (!removes && rate == 0) continue;
      if (best && (removes ? rate >= best_rate : rate <= best_rate)) continue;
      best_rate = rate;
      best = std::move(other);
    }
    if (best) set = std::move(*best);
    return best.has_value();
  }

  static std::vector<KeepSet> without_worse(std::vector<KeepSet> sets) {
    std::ranges::stable_sort(sets, [](const KeepSet& a, const KeepSet& b) {
      return a.bytes != b.bytes ? a.bytes < b.bytes : a.work > b.work;
    });
    double most = 0;
    std::erase_if(sets, [&](const KeepSet& set) {
      const bool is_worse = set.work <= most;
      most = std::max(most, set.work);
      return is_worse;
    });
    return sets;
  }

  const std::vector<KeepOption>& options_;
  const SparedWork& spared_;
};

/// Removes sets until at most `most_rules` are left. Each time, removes the set that differs least
/// from the set before it.
void thin_out(std::vector<KeepSet>& sets) {
  while (sets.size() > most_rules) {
    std::size_t least = 0;
    double smallest = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const std::int64_t bytes = i == 0 ? 0 : sets[i - 1].bytes;
      const double work = i == 0 ? 0 : sets[i - 1].work;
      const double area = static_cast<double>(sets[i].bytes - bytes) * (sets[i].work - work);
      if (i == 0 || area < smallest) {
        smallest = area;
        least = i;
      }
    }
    sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

}  // namespace

std::string to_string(const KeepRule& rule) {
  std::vector<std::string> parts;
  for (const auto& [name, occurrences] : rule) {
    parts.push_back(short_name(name) + ranges_text(occurrences));
  }
  return join(parts, "+");
}

std::optional<KeepRule> parse_keep_rule(const std::string& text) {
  constexpr std::size_t most = 100'000;  ///< limits ranges such as `mm 0-999999999`
  KeepRule rule;
  std::size_t listed = 0;
  for (const std::string& part : split(text, '+')) {
    const std::vector<std::string> words = split(part, ' ');
    const auto [known, is_new] = rule.try_emplace(full_name(words[0]));
    if (!is_new || words[0].empty()) return std::nullopt;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t left = most - listed - known->second.size();
      if (!add_range(words[i], left, known->second)) return std::nullopt;
    }
    listed += known->second.size();
  }
  return rule;
}

KeepFinder::KeepFinder(const Graph& graph)
    : graph_(graph),
      step_(*graph.data().captured),
      operators_(graph),
      sizes_(graph.data().symbols.size()),
      is_changed_(step_.storages.size(), false) {
  for (const CapturedDimension& each : step_.dimensions) sizes_[each.symbol] = each.value;
  for (const Node& node : graph.nodes()) {
    if (!is_in_place(node)) continue;
    for (const ValueId output : node.outputs) is_changed_[step_.storage_of[output]] = true;
  }
}

bool KeepFinder::can_keep(const Node& node) const {
  if (node.outputs.empty() || has_tag(node, "view") || is_in_place(node) || draws(node)) {
    return false;
  }
  return std::ranges::all_of(node.outputs, [&](ValueId output) {
    return step_.is_root(output) && !is_changed_[step_.storage_of[output]];
  });
}

bool KeepFinder::launches_kernel(NodeId id) const {
  const Node& node = graph_.node(id);
  const bool makes =
      std::ranges::any_of(node.outputs, [&](ValueId output) { return step_.is_root(output); });
  return (makes && !node.op_type.starts_with("empty")) || is_in_place(node);
}

double KeepFinder::operations(NodeId node) const {
  constexpr double bytes_of_element = 4;
  if (!launches_kernel(node)) return 0;
  if (step_.flops[node]) {
    return static_cast<double>(step_.flops[node]->evaluate(sizes_).value_or(0));
  }
  std::int64_t bytes = 0;
  for (const ValueId output : graph_.node(node).outputs) {
    bytes += step_.storages[step_.storage_of[output]].bytes_as_captured;
  }
  return static_cast<double>(bytes) / bytes_of_element;
}

/// The unit is the time in which a device moves a byte.
double KeepFinder::time(NodeId node) const {
  constexpr double operations_of_a_byte = 100;
  constexpr double bytes_of_a_launch = 7.5e6;
  if (!launches_kernel(node)) return 0;
  double bytes = bytes_of_a_launch;
  const auto add = [&](ValueId value) {
    bytes += static_cast<double>(step_.storages[step_.storage_of[value]].bytes_as_captured);
  };
  std::ranges::for_each(graph_.node(node).inputs, add);
  std::ranges::for_each(graph_.node(node).outputs, add);
  return bytes + operations(node) / operations_of_a_byte;
}

std::int64_t KeepFinder::added_bytes(const Region& region, NodeId node) const {
  std::int64_t bytes = 0;
  const NodeId trigger = region.calls.front().trigger;
  for (const ValueId output : graph_.node(node).outputs) {
    const CapturedStorage& storage = step_.storages[step_.storage_of[output]];
    const bool is_freed = std::ranges::find(region.freed, output) != region.freed.end();
    if (is_freed || storage.last < trigger) bytes += storage.bytes_as_captured;
  }
  return bytes;
}

std::vector<KeepOption> KeepFinder::options(const Region& region) const {
  std::vector<KeepOption> found;
  std::vector<std::map<OperatorCalls::Key, NodeId>> others;
  std::set<std::size_t> left_out;
  for (const RegionCall& call : region.calls) {
    left_out.merge(operators_.uncounted(call));
    if (&call != &region.calls.front()) others.push_back(operators_.of(call));
  }
  const RegionCall& first = region.calls.front();
  const std::set<NodeId> again(first.again.begin(), first.again.end());
  for (const auto& each : operators_.of(first)) {
    const auto& [key, node] = each;
    const bool is_everywhere = std::ranges::all_of(others, [&](const auto& other) {
      const auto there = other.find(each.first);
      return there != other.end() && can_keep(graph_.node(there->second));
    });
    if (!again.contains(node) || left_out.contains(key.first) || !is_everywhere ||
        !can_keep(graph_.node(node))) {
      continue;
    }
    found.push_back({{operators_.name(key.first), key.second},
                     node,
                     added_bytes(region, node),
                     graph_.node(node).attributes.has("flops")});
  }
  std::ranges::sort(found, {}, &KeepOption::node);
  return found;
}

RegionCall KeepFinder::keeping(RegionCall call, const std::set<OperatorCalls::Key>& kept) const {
  std::set<NodeId> nodes;
  for (const auto& [key, node] : operators_.of(call)) {
    if (kept.contains(key)) nodes.insert(node);
  }
  std::set<NodeId> numbers;
  for (const NodeId node : nodes) {
    for (const NodeId number : operators_.numbers_for(node)) numbers.insert(number);
  }
  std::vector<NodeId> again;
  for (const NodeId node : call.again) {
    if (nodes.erase(node) > 0) {
      call.kept.push_back({node, again.size()});
    } else if (!numbers.contains(node)) {
      again.push_back(node);
    }
  }
  for (const NodeId node : nodes) call.kept.push_back({node, {}});
  call.again = std::move(again);
  return call;
}

Region KeepFinder::keeping(const Region& region, const std::vector<KeepOption>& options,
                           const KeepRule& rule) const {
  Region result{region.module, {}, {}, {}, {}, region.frees_outputs};
  std::set<OperatorCalls::Key> kept;
  for (const auto& [name, occurrences] : rule) {
    std::size_t found = 0;
    for (const KeepOption& option : options) {
      if (option.kept.name != name) continue;
      if (!occurrences.empty() && !occurrences.contains(option.kept.occurrence)) continue;
      kept.insert({*operators_.find(name), option.kept.occurrence});
      result.kept.push_back(option.kept);
      ++found;
    }
    if (found == 0 || found < occurrences.size()) return result;
  }
  result.freed = region.freed;
  for (const RegionCall& call : region.calls) {
    result.calls.push_back(keeping(call, kept));
    for (const KeptNode& each : result.calls.back().kept) {
      for (const ValueId output : graph_.node(each.node).outputs) {
        if (std::erase(result.freed, output) > 0) continue;
        const NodeId last = step_.storages[step_.storage_of[output]].last;
        if (last < call.trigger) result.held.push_back(output);
      }
    }
  }
  return result;
}

SparedWork KeepFinder::spared(const Region& region, const std::vector<KeepOption>& options,
                              const std::function<double(NodeId)>& work_of) const {
  const RegionCall& call = region.calls.front();
  const SecondRun run(graph_, call);
  std::vector<double> works;
  std::map<NodeId, std::size_t> places;
  for (std::size_t i = 0; i < call.again.size(); ++i) {
    works.push_back(work_of(call.again[i]));
    places[call.again[i]] = i;
  }
  std::vector<std::size_t> place_of;
  place_of.reserve(options.size());
  for (const KeepOption& option : options) place_of.push_back(places.at(option.node));
  const SecondRun::Flags none(run.size(), false);
  const auto total = [run, works, none](const SecondRun::Flags& kept) {
    const SecondRun::Flags runs = run.needed(kept, none);
    double sum = 0;
    for (std::size_t i = 0; i < works.size(); ++i) sum += runs[i] ? works[i] : 0;
    return sum;
  };
  return [total, place_of, none, all = total(none)](const std::vector<bool>& kept) {
    SecondRun::Flags nodes = none;
    for (std::size_t i = 0; i < kept.size(); ++i) nodes[place_of[i]] = kept[i];
    return all - total(nodes);
  };
}

std::vector<SparedWork> KeepFinder::measures(const Region& region,
                                             const std::vector<KeepOption>& options) const {
  return {spared(region, options, [this](NodeId node) { return time(node); }),
          spared(region, options, [this](NodeId node) { return operations(node); })};
}

std::vector<KeepRule> keep_rules(const std::vector<KeepOption>& options, std::int64_t freed_bytes,
                                 const std::vector<SparedWork>& measures) {
  if (options.empty() || options.size() > most_options) return {};
  std::vector<KeepSet> all;
  const auto add = [&](KeepSet set) {
    const bool is_known =
        std::ranges::any_of(all, [&](const KeepSet& each) { return each.has == set.has; });
    if (!is_known) all.push_back(std::move(set));
  };
  for (const SparedWork& measure : measures) {
    const KeepSets made(options, measure);
    std::vector<KeepSet> sets = made.best();
    std::erase_if(sets,
                  [&](const KeepSet& set) { return set.bytes > freed_bytes - freed_bytes / 20; });
    thin_out(sets);
    std::ranges::for_each(sets, add);
    const KeepSet products = made.products();
    if (products.work > 0 && products.bytes < freed_bytes) add(products);
  }
  std::ranges::stable_sort(all, {}, &KeepSet::bytes);
  std::vector<KeepRule> rules;
  rules.reserve(all.size());
  for (const KeepSet& set : all) rules.push_back(rule_of(options, set));
  return rules;
}

}  // namespace stashscope
