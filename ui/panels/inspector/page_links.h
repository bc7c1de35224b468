#pragma once

#include <QString>

#include "core/study/facts/node_facts.h"

namespace stashscope::ui {

/// Text of the engine (names, messages), escaped for rich text.
QString page_html(const std::string& text);

/// `shortened`, with `full` as its tool tip if the two differ.
QString with_full_text(const QString& shortened, const QString& full);

/// A name that may break into lines after a module or a word.
QString breakable(const QString& name);

/// The last part of the name of a tensor, with the whole name as its tool tip if the two differ.
QString last_part(const QString& name);

/// A link to a node of the current step, labelled with the last part of its name.
QString node_link(const Study& study, NodeId node);

/// A link to a tensor that no node makes, labelled with the last part of its name. For a tensor
/// that a plan added, only the label.
QString tensor_link(const Study& study, ValueId tensor);
/// A link to a tensor that no node makes, with a label of its own, as rich text.
QString tensor_link(ValueId tensor, const QString& label);

/// A link to the node that reads a tensor, with its slot and the part of the step.
QString read_link(const Study& study, const Read& read);

/// The type with the current sizes. If there are words for sizes, a second line has the shape with
/// these words.
QString type_lines(const Study& study, const TensorType& type);

/// A title of a part of the page.
QString page_heading(const QString& text);

/// A link to a node with a label of its own.
QString node_link(const Study& study, NodeId node, const QString& label);

}  // namespace stashscope::ui
