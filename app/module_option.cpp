#include "app/module_option.h"

#include "app/options.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/choices/node_names.h"
#include "core/study/edits/node_edits.h"

namespace stashscope::app {

namespace {

/// The nodes of a module that have a recompute or compromise plan, except nodes to which a plan is
/// already applied. Throws a usage Error if no node of the module has a recompute or compromise
/// plan.
std::vector<NodeId> planned_nodes_in(const Study& study, const std::string& module) {
  const std::string option = "--recompute-module '" + printable(module) + "'";
  const std::vector<NodeId> nodes =
      module.empty() ? std::vector<NodeId>() : nodes_in_module(study.graph(), module);
  if (nodes.empty()) {
    fail_usage(option, "is not a module of the model", "the report lists the modules with plans");
  }
  auto [on, off, pinned] = planned_nodes(study, nodes);
  if (on.empty() && off.empty()) {
    fail_usage(option, "has no output that can be recomputed",
               "the report lists the modules with plans");
  }
  return off;
}

void check_named(const Study& study, const std::vector<NodeId>& nodes) {
  const std::string why = why_not_named(study.graph(), study.current->dataflow, nodes);
  if (!why.empty()) fail_usage("--recompute-module", why, "choose whole clusters with --plan");
}

void warn_of_left(std::size_t nodes, const std::string& because, LoadedModel& loaded) {
  if (nodes == 0) return;
  loaded.warnings.push_back("--recompute-module: " + counted(nodes, "node is", "nodes are") +
                            " not recomputed, because of " + because);
}

}  // namespace

void recompute_modules(const std::vector<std::string>& modules, LoadedModel& loaded) {
  const std::shared_ptr<const Study> study = study_of(loaded);
  std::vector<NodeId> nodes;
  for (const std::string& module : modules) {
    const std::vector<NodeId> more = planned_nodes_in(*study, module);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  if (nodes.empty()) return;
  Choices& choices = loaded.session.choices;
  Choices switched = with_nodes_recomputed(*study, choices, nodes, true);
  if (switched == choices) check_named(*study, nodes);
  choices = std::move(switched);
  loaded.session.forget_measurements();
  const PlannedNodes left = planned_nodes(*study_of(loaded), nodes);
  warn_of_left(left.pinned.size(), "pinning", loaded);
  warn_of_left(left.off.size() - left.pinned.size(), "other plans that are switched on", loaded);
}

}  // namespace stashscope::app
