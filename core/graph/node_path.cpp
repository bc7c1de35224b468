#include "core/graph/node_path.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/dataflow.h"

namespace stashscope {

namespace {

constexpr std::string_view gradient_mark = "_Grad";
constexpr std::string_view accumulation_prefix = "AccumulateGrad_";
/// Real models have fewer nested scopes. The limit keeps a hostile name from building a deep tree.
constexpr std::size_t deepest_scope = 24;

/// The number of modules that `block_of` keeps of a path without numbered modules.
constexpr std::size_t plain_depth = 2;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> nonempty_parts(std::string_view text, char separator) {
  std::vector<std::string> parts = split(text, separator);
  std::erase(parts, std::string());
  return parts;
}

}  // namespace

std::vector<std::string> dotted_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (std::string& part : nonempty_parts(text, '.')) {
    if (is_number(part) && !parts.empty()) {
      parts.back() += "." + part;
    } else {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

namespace {

std::vector<std::string> parts_of(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return nonempty_parts(name, '/');
  if (std::count(name.begin(), name.end(), '.') >= 2) return dotted_parts(name);
  return {std::string(name)};
}

}  // namespace

NodePath parse_node_name(std::string_view name) {
  name = without_clone_suffix(name);
  if (name.starts_with(accumulation_prefix)) name.remove_prefix(accumulation_prefix.size());
  NodePath path;
  const std::size_t mark = name.find(gradient_mark);
  if (mark != std::string_view::npos) {
    name = name.substr(0, mark);
    path.gradient_of = name;
  }
  path.scope = parts_of(name);
  if (!path.scope.empty()) path.scope.pop_back();
  if (path.scope.size() > deepest_scope) path.scope.resize(deepest_scope);
  return path;
}

NodePath path_of(const Node& node) {
  NodePath path = parse_node_name(node.name);
  if (node.origin == nullptr || node.origin->modules.empty()) return path;
  path.scope = node.origin->modules;
  if (path.scope.size() > deepest_scope) path.scope.resize(deepest_scope);
  return path;
}

std::string module_of(const Node& node) {
  return node.origin == nullptr ? std::string() : join(node.origin->modules, ".");
}

std::string block_pattern(std::string_view module) {
  std::vector<std::string> parts = split(module, '.');
  std::ranges::replace_if(parts, is_number, "*");
  return join(parts, ".");
}

std::string layer_around(std::string_view module) {
  std::vector<std::string> parts = split(module, '.');
  const auto number = std::ranges::find_if(parts, is_number);
  if (number != parts.end()) parts.erase(number + 1, parts.end());
  return join(parts, ".");
}

std::string block_of(std::vector<std::string> scope) {
  const auto numbered = std::find_if(scope.rbegin(), scope.rend(), [](const std::string& each) {
    return !series_stem(each).empty();
  });
  const auto depth = static_cast<std::size_t>(scope.rend() - numbered);
  scope.resize(std::min(scope.size(), depth == 0 ? plain_depth : depth + 1));
  return join(scope, ".");
}

std::vector<std::string> without_repeats(const std::vector<std::string>& scope) {
  std::vector<std::string> kept;
  for (const std::string& name : scope) {
    if (!kept.empty() && name.starts_with(kept.back() + ".")) kept.pop_back();
    kept.push_back(name);
  }
  return kept;
}

std::vector<NodeId> nodes_in_module(const Graph& graph, std::string_view module) {
  std::string pattern = "*." + std::string(module) + ".*";
  std::ranges::replace(pattern, '/', '.');
  std::vector<NodeId> nodes;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const std::vector<std::string> scope = path_of(graph.node(id)).scope;
    const auto matches = [&](const std::vector<std::string>& names) {
      return matches_wildcard("." + join(names, ".") + ".", pattern);
    };
    if (matches(scope) || matches(without_repeats(scope))) nodes.push_back(id);
  }
  return nodes;
}

std::string_view series_stem(std::string_view label) {
  const std::size_t last = label.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == label.size()) return {};
  return label.substr(0, last + 1);
}

}  // namespace stashscope
