#pragma once

#include <QString>

#include "core/study/step/plan_effects.h"

namespace stashscope::ui {

// Texts about plans, for tables and menus.

/// The config string. If ONNX Runtime does not know the type, the type's name stands before it.
QString plan_text(const PlanRow& row);
QString plan_tip(const PlanRow& row);

/// The undo text of switching a plan.
QString switch_text(PlanType type, const QString& what, bool on);

/// A node's name; for a node without a name, its operator.
QString node_text(const Graph& graph, NodeId node);
/// Names the nodes that run again, or the node whose output is evicted.
QString occurrence_tip(const Graph& graph, const Occurrence& occurrence);
/// Why no plan was found, and where the search stopped.
QString obstacle_text(const Graph& graph, const UnplannedTensor& tensor);

/// `4 of 8 plans on`. Plans that are on count also where the table does not list their type.
/// @param listed the rows of the table
QString plans_on_text(const Study& study, const std::vector<const PlanRow*>& listed);

/// Why a study has no plans.
QString no_plans_text(const Study& study);

}  // namespace stashscope::ui
