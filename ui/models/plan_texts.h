#pragma once

#include <QString>

#include "core/study/step/plan_effects.h"

namespace stashscope::ui {

// What tables and menus say of plans.

/// The config string; types that the reference does not know are written out.
QString plan_text(const PlanRow& row);
QString plan_tip(const PlanRow& row);

/// The edit that switches a plan, for the undo list.
QString switch_text(PlanType type, const QString& what, bool on);

/// A node's name, or its operator where it has none.
QString node_text(const Graph& graph, NodeId node);
/// What runs again, or is put away.
QString occurrence_tip(const Graph& graph, const Occurrence& occurrence);
/// Why no plan was found, and where the search stopped.
QString obstacle_text(const Graph& graph, const UnplannedTensor& tensor);

/// Why a study without plans has none, for a user who wants to know.
QString no_plans_text(const Study& study);

}  // namespace stashscope::ui
