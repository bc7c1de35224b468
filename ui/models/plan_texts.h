#pragma once

#include <QString>

#include "core/study/step/plan_effects.h"

namespace stashscope::ui {

// Texts about plans, for tables and menus.

/// The config string of a plan. If ONNX Runtime does not know the plan's type, the name of the type
/// precedes the config string.
QString plan_text(const PlanRow& row);
QString plan_tip(const PlanRow& row);

/// The undo text of an edit that switches a plan on or off.
QString switch_text(PlanType type, const QString& what, bool on);

/// A node's name; for a node without a name, its operator.
QString node_text(const Graph& graph, NodeId node);
/// A tool tip that names the nodes that run again, or the node whose output is evicted.
QString occurrence_tip(const Graph& graph, const Occurrence& occurrence);
/// Why no plan was found for a tensor, and where the search stopped.
QString obstacle_text(const Graph& graph, const UnplannedTensor& tensor);

/// A text such as `4 of 8 plans on`. If plans are on that the table does not list, their number
/// follows.
/// @param listed the rows of the table
QString plans_on_text(const Study& study, const std::vector<const PlanRow*>& listed);

/// Why a study has no plans.
QString no_plans_text(const Study& study);

}  // namespace stashscope::ui
