#pragma once

#include <QString>

#include "core/study/step/plan_effects.h"

namespace stashscope::ui {

// Texts about plans, for tables and menus.

/// The config string of a plan. If ONNX Runtime does not know the plan's type, the name of the type
/// precedes the config string.
QString plan_text(const PlanRow& row);
QString plan_tip(const PlanRow& row);

/// A note that the chosen version of ONNX Runtime recomputes all occurrences of a row's plan,
/// whatever the count. Empty unless `ignores_counts` is true.
QString count_note(const Study& study, const PlanRow& row);

/// The name of a group of plans that exclude each other, such as `One of 2: a or b`. Of more than
/// three plans only the first is named: `One of 23, such as a`.
QString one_of_text(const QStringList& plans);
/// Whether the chosen version of ONNX Runtime knows the plan of a row, but ignores its count. False
/// for a plan with one occurrence.
bool ignores_counts(const Study& study, const PlanRow& row);

/// The undo text of an edit that switches a plan on or off.
QString switch_text(PlanType type, const QString& what, bool on);

/// A node's name; for a node without a name, its operator.
QString node_text(const Graph& graph, NodeId node);
/// A tool tip that names the nodes that run again, or the node whose output is evicted.
QString occurrence_tip(const Graph& graph, const Occurrence& occurrence);
/// Why no plan was found for a tensor, and where the search stopped.
QString obstacle_text(const Graph& graph, const UnplannedTensor& tensor);

/// A text such as `4 of 8 plans on`. If plans that the table does not list are on, their number is
/// appended; so is the number of rows whose count ONNX Runtime ignores.
/// @param listed the rows of the table
QString plans_on_text(const Study& study, const std::vector<const PlanRow*>& listed);

/// Why a study has no plans.
QString no_plans_text(const Study& study);

}  // namespace stashscope::ui
