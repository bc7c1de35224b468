#pragma once

#include <QString>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// Text of the engine in rich text.
QString html(const std::string& text);

/// `shortened`, with `full` as its tool tip if the two differ.
QString with_full_text(const QString& shortened, const QString& full);

/// A link to a node of the current step, labelled with the last part of its name.
QString node_link(const Study& study, NodeId node);

}  // namespace stashscope::ui
