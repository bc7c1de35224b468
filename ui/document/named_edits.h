#pragma once

#include <span>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Applies an edit to the document. If the edit changed nothing because no name identifies one of
/// the nodes, a notice says so.
/// @param about the edited nodes of the document's study
void choose_named(Document& document, const Choices& after, std::span<const NodeId> about,
                  const QString& text, const QString& merge_key = {});

}  // namespace stashscope::ui
