#include "core/recompute/keep_rules.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::string_view domain_prefix = "pytorch.";
constexpr std::size_t most_rules = 6;
constexpr std::size_t most_options = 60;  ///< larger modules have blocks of their own to choose

/// `aten.mm.default`; empty for what Python makes without an operator.
std::string operator_name(const Node& node) {
  if (!node.domain.starts_with(domain_prefix)) return "";
  const std::string space = node.domain.substr(domain_prefix.size());
  if (space == "python") return "";
  return space + "." + node.op_type + "." + node.attributes.text("overload", "default");
}

bool has_tag(const Node& node, std::string_view tag) {
  const auto tags = node.attributes.texts("tags");
  return std::ranges::find(tags, tag) != tags.end();
}

bool is_in_place(const Node& node) { return node.op_type.ends_with('_'); }

/// Whether the operator draws random numbers. Attention draws only for a dropout.
bool draws(const Node& node) {
  if (!has_tag(node, "random")) return false;
  const bool is_attention = node.op_type.find("attention") != std::string::npos;
  return !is_attention ||
         node.attributes.text("arguments", "").find("dropout_p=") != std::string::npos;
}

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

/// Adds the numbers of `3` or `3-5`. Returns whether the text is one of them, below `most`.
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
  if (last < first || last >= most) return false;
  for (std::size_t number = first; number <= last; ++number) numbers.insert(number);
  return true;
}

/// ` 0-2 5` for 0, 1, 2 and 5.
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

/// A set of kept outputs: the first options by falling work for each byte.
struct KeepSet {
  std::vector<bool> has;  ///< by option
  double work = 0;
  std::int64_t bytes = 0;

  void add(std::size_t option, const KeepOption& added) {
    if (has[option]) return;
    has[option] = true;
    work += added.work;
    bytes += added.bytes;
  }
};

/// Operators whose every option is in the set are named without occurrences.
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

/// The sets of the first options by falling work for each byte. What adds no bytes is in all.
std::vector<KeepSet> best_sets(const std::vector<KeepOption>& options) {
  std::vector<std::size_t> sorted;
  for (std::size_t i = 0; i < options.size(); ++i) sorted.push_back(i);
  std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
    const KeepOption& one = options[a];
    const KeepOption& other = options[b];
    return one.work * static_cast<double>(other.bytes) >
           other.work * static_cast<double>(one.bytes);
  });
  std::vector<KeepSet> sets;
  KeepSet set{std::vector<bool>(options.size(), false)};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    set.add(sorted[i], options[sorted[i]]);
    const bool is_next_free = i + 1 < sorted.size() && options[sorted[i + 1]].bytes == 0;
    if (!is_next_free) sets.push_back(set);
  }
  return sets;
}

KeepSet products(const std::vector<KeepOption>& options) {
  KeepSet set{std::vector<bool>(options.size(), false)};
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].is_product || options[i].bytes == 0) set.add(i, options[i]);
  }
  return set;
}

/// Removes the sets that their neighbours replace best, until only a few are left.
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
  constexpr std::size_t most = 100'000;  ///< bounds what a short text makes of its ranges
  KeepRule rule;
  std::size_t listed = 0;
  for (const std::string& part : split(text, '+')) {
    const std::vector<std::string> words = split(part, ' ');
    const auto [known, is_new] = rule.try_emplace(full_name(words[0]));
    if (!is_new || words[0].empty()) return std::nullopt;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!add_range(words[i], most - listed, known->second)) return std::nullopt;
    }
    listed += known->second.size();
  }
  return rule;
}

KeepFinder::KeepFinder(const Graph& graph)
    : graph_(graph),
      step_(*graph.data().captured),
      sizes_(graph.data().symbols.size()),
      name_(graph.nodes().size()),
      is_changed_(step_.storages.size(), false) {
  for (const CapturedDimension& each : step_.dimensions) sizes_[each.symbol] = each.value;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const Node& node = graph.node(id);
    const auto [known, is_new] = ids_.try_emplace(operator_name(node), names_.size());
    if (is_new) names_.push_back(known->first);
    name_[id] = known->second;
    if (!is_in_place(node)) continue;
    for (const ValueId output : node.outputs) is_changed_[step_.storage_of[output]] = true;
  }
  for (const SavedTensor& saved : step_.saved) {
    const ValueId root = step_.storages[saved.storage].root;
    if (!saved.is_number || !root.valid()) continue;
    numbers_.emplace(saved.node, graph.value(root).producer);
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

std::set<std::size_t> KeepFinder::uncounted(const RegionCall& call) const {
  std::set<std::size_t> names;
  const auto add = [&](const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) names.insert(known->second);
  };
  for (const char* const never : {"", "aten.detach.default"}) add(never);
  for (const NodeId node : call.again) {
    if (node < call.first) names.insert(name_[node]);
  }
  // Within some operators PyTorch adds in place, but not under a selective checkpoint.
  for (std::size_t i = call.first.index(); i < call.end; ++i) {
    if (graph_.node(NodeId(i)).op_type == "add_") add("aten.add.Tensor");
  }
  return names;
}

KeepFinder::Occurrences KeepFinder::occurrences(const RegionCall& call) const {
  Occurrences found;
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t i = call.first.index(); i < call.end; ++i) {
    const std::size_t name = name_[NodeId(i)];
    found[{name, counts[name]++}] = NodeId(i);
  }
  return found;
}

double KeepFinder::work(NodeId node) const {
  constexpr double operations_of_a_byte = 100;
  double bytes = 0;
  const auto add = [&](ValueId value) {
    bytes += static_cast<double>(step_.storages[step_.storage_of[value]].bytes_as_captured);
  };
  std::ranges::for_each(graph_.node(node).inputs, add);
  std::ranges::for_each(graph_.node(node).outputs, add);
  const std::int64_t flops =
      step_.flops[node] ? step_.flops[node]->evaluate(sizes_).value_or(0) : 0;
  return bytes + static_cast<double>(flops) / operations_of_a_byte;
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
  std::vector<Occurrences> others;
  std::set<std::size_t> left_out;
  for (const RegionCall& call : region.calls) {
    left_out.merge(uncounted(call));
    if (&call != &region.calls.front()) others.push_back(occurrences(call));
  }
  const RegionCall& first = region.calls.front();
  const std::set<NodeId> again(first.again.begin(), first.again.end());
  for (const auto& each : occurrences(first)) {
    const auto& [key, node] = each;
    const bool is_everywhere = std::ranges::all_of(others, [&](const Occurrences& other) {
      const auto there = other.find(each.first);
      return there != other.end() && can_keep(graph_.node(there->second));
    });
    if (!again.contains(node) || left_out.contains(key.first) || !is_everywhere ||
        !can_keep(graph_.node(node))) {
      continue;
    }
    found.push_back({{names_[key.first], key.second},
                     node,
                     work(node),
                     added_bytes(region, node),
                     graph_.node(node).attributes.has("flops")});
  }
  std::ranges::sort(found, {}, &KeepOption::node);
  return found;
}

RegionCall KeepFinder::keeping(RegionCall call,
                               const std::set<std::pair<std::size_t, std::size_t>>& kept) const {
  std::set<NodeId> nodes;
  for (const auto& [key, node] : occurrences(call)) {
    if (kept.contains(key)) nodes.insert(node);
  }
  std::set<NodeId> numbers;
  for (const NodeId node : nodes) {
    const auto [from, to] = numbers_.equal_range(node);
    for (auto each = from; each != to; ++each) numbers.insert(each->second);
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
  Region result{region.module, {}, {}, {}, {}};
  std::set<std::pair<std::size_t, std::size_t>> kept;
  for (const auto& [name, occurrences] : rule) {
    std::size_t found = 0;
    for (const KeepOption& option : options) {
      if (option.kept.name != name) continue;
      if (!occurrences.empty() && !occurrences.contains(option.kept.occurrence)) continue;
      kept.insert({ids_.at(name), option.kept.occurrence});
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

std::vector<KeepRule> keep_rules(const std::vector<KeepOption>& options, std::int64_t freed_bytes) {
  if (options.empty() || options.size() > most_options) return {};
  std::vector<KeepSet> sets = best_sets(options);
  std::erase_if(sets,
                [&](const KeepSet& set) { return set.bytes > freed_bytes - freed_bytes / 20; });
  thin_out(sets);
  const KeepSet all_products = products(options);
  const bool is_known =
      std::ranges::any_of(sets, [&](const KeepSet& set) { return set.has == all_products.has; });
  if (!is_known && all_products.work > 0 && all_products.bytes < freed_bytes) {
    sets.insert(std::ranges::upper_bound(sets, all_products.bytes, {}, &KeepSet::bytes),
                all_products);
  }
  std::vector<KeepRule> rules;
  rules.reserve(sets.size());
  for (const KeepSet& set : sets) rules.push_back(rule_of(options, set));
  return rules;
}

}  // namespace stashscope
