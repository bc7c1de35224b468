#pragma once

#include <span>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Applies an edit to the document. Edits refer to nodes by name; if the edit changes nothing
/// because a node has no unique name, a notice says so.
/// @param about the edited nodes of the document's study
void choose_named(Document& document, const Choices& after, std::span<const NodeId> about,
                  const QString& text, const QString& merge_key = {});

}  // namespace stashscope::ui
