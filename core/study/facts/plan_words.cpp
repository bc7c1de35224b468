#include "core/study/facts/plan_words.h"

#include <map>

#include "core/base/text.h"
#include "core/graph/node_modules.h"
#include "core/graph/node_path.h"
#include "core/recompute/regions.h"
#include "core/study/facts/plan_facts.h"

namespace stashscope {

namespace {

/// The name without its final number: `h` for `h.3`. A name without a number stays as it is.
std::string without_number(const std::string& name) {
  const std::string_view stem = series_stem(name);
  if (stem.empty()) return name;
  const std::size_t end = stem.find_last_not_of("._");
  return std::string(stem.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

std::string last_module(const Graph& graph, const Occurrence& each) {
  const NodePath path = path_of(graph.node(OccurrenceFacts::node(each)));
  return path.scope.empty() ? "" : without_number(path.scope.back());
}

/// The name, without number, that the innermost modules of all occurrences of a row share: `attn`,
/// `h`. Empty if the modules have different names.
std::string shared_module_name(const Graph& graph, const PlanRow& row) {
  std::string shared;
  for (const Occurrence& each : *row.occurrences) {
    const std::string name = last_module(graph, each);
    if (!shared.empty() && name != shared) return "";
    shared = name;
    if (name.empty()) return "";
  }
  return shared;
}

/// For each row, the shortened name of its module if the row has a single occurrence; else empty.
std::vector<std::string> lone_modules(const Study& study) {
  std::vector<std::vector<std::string>> scopes(plan_rows(study));
  std::vector<std::vector<std::string>*> lone;
  for (std::size_t row = 0; row < scopes.size(); ++row) {
    const auto& occurrences = plan_row(study, row).occurrences;
    if (occurrences == nullptr || occurrences->size() != 1) continue;
    scopes[row] = path_of(study.graph().node(OccurrenceFacts::node(occurrences->front()))).scope;
    lone.push_back(&scopes[row]);
  }
  shorten_modules(lone);
  std::vector<std::string> names;
  names.reserve(scopes.size());
  for (const std::vector<std::string>& scope : scopes) names.push_back(join(scope, "."));
  return names;
}

std::string place_words(const Graph& graph, const PlanRow& row, const std::string& lone_module) {
  const auto places = row.occurrences->size();
  if (places == 1) return lone_module.empty() ? "" : ", in " + lone_module;
  const std::string module = shared_module_name(graph, row);
  return ", " + std::to_string(places) + (module.empty() ? " places" : " x " + module);
}

/// A row's name lists the operators that run again before the operator whose output is freed, if
/// there are at most this many.
constexpr std::size_t most_listed_nodes = 3;

enum class Detail { normal, all_operators };

std::string node_words(const Study& study, const NodePlan& plan, Detail detail) {
  const std::string& freed = study.graph().node(plan.node).op_type;
  std::vector<std::string> before;
  for (const NodeId node : plan.subgraph) {
    if (node != plan.node) before.push_back(study.graph().node(node).op_type);
  }
  if (before.empty()) return freed;
  if (before.size() > most_listed_nodes && detail == Detail::normal) {
    return freed + " and " + counted(before.size(), "node", "nodes") + " before it";
  }
  return freed + " after " + join(before, ", ");
}

/// The strategy's name after a comma; empty for recompute, which is the usual strategy.
std::string type_words(PlanType type) {
  if (type == PlanType::recompute) return "";
  return ", " + std::string(strategy_of(type).name);
}

/// The usual word for operators of a kind, or the operator itself if there is no such word.
std::string kind_of(const std::string& op_type) {
  const auto has = [&](const char* part) { return op_type.find(part) != std::string::npos; };
  if (has("attention")) return "attention";
  if (has("convolution")) return "convolutions";
  return has("mm") && !has("gamma") ? "matrix products" : op_type;
}

/// The operators whose outputs a region keeps: `matrix products and 2 of 3 gelu`.
std::string kept_words(const Graph& graph, const RegionCall& call) {
  std::vector<std::string> kinds;
  std::map<std::string, std::size_t> kept;
  std::map<std::string, std::size_t> all;
  for (const KeptNode& each : call.kept) {
    const std::string kind = kind_of(graph.node(each.node).op_type);
    if (kept[kind]++ == 0) kinds.push_back(kind);
    ++all[kind];
  }
  for (const NodeId node : call.again) ++all[kind_of(graph.node(node).op_type)];
  std::vector<std::string> words;
  for (const std::string& kind : kinds) {
    const bool is_whole = kept[kind] == all[kind];
    words.push_back(is_whole ? kind
                             : std::to_string(kept[kind]) + " of " + std::to_string(all[kind]) +
                                   " " + kind);
  }
  const std::string last = words.back();
  words.pop_back();
  return words.empty() ? last : join(words, ", ") + " and " + last;
}

std::string region_words(const Graph& graph, const PlanRow& row) {
  const NodePlan& first = *row.occurrences->front().parts.front();
  const Region& region = *first.region;
  std::string words = row.occurrences->size() == 1
                          ? region.module
                          : first.cluster.substr(0, first.cluster.find('[')) + ", " +
                                std::to_string(row.occurrences->size()) + " modules";
  if (!region.kept.empty()) words += ", keeping " + kept_words(graph, region.calls.front());
  if (region.frees_outputs) words += ", freeing its outputs";
  return words;
}

std::string row_words(const Study& study, const PlanRow& row, const std::string& lone_module,
                      Detail detail) {
  if (row.occurrences == nullptr || row.occurrences->empty()) return row.config;
  if (row.type == PlanType::region) return region_words(study.graph(), row);
  return node_words(study, *row.occurrences->front().parts.front(), detail) + type_words(row.type) +
         place_words(study.graph(), row, lone_module);
}

/// Replaces the name of every row that shares its name with another row.
template <class Rename>
void rename_equal(std::vector<std::string>& names, const Rename& rename) {
  std::map<std::string, int> uses;
  for (const std::string& name : names) ++uses[name];
  for (std::size_t row = 0; row < names.size(); ++row) {
    if (uses[names[row]] > 1) names[row] = rename(row);
  }
}

}  // namespace

std::vector<std::string> plan_names(const Study& study) {
  const std::vector<std::string> modules = lone_modules(study);
  const auto words = [&](std::size_t row, Detail detail) {
    return row_words(study, plan_row(study, row), modules[row], detail);
  };
  std::vector<std::string> names;
  for (std::size_t row = 0; row < plan_rows(study); ++row) {
    names.push_back(words(row, Detail::normal));
  }
  rename_equal(names, [&](std::size_t row) { return words(row, Detail::all_operators); });
  rename_equal(names, [&](std::size_t row) {
    return names[row] + " (" + plan_row(study, row).config + ")";
  });
  return names;
}

}  // namespace stashscope
