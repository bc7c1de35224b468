#pragma once

#include <span>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Chooses what an edit made. Where it changed nothing because no name means one of the nodes that
/// it is `about`, tells that with `noticed` instead.
/// @param about nodes of the document's study
void choose_named(Document& document, const Choices& after, std::span<const NodeId> about,
                  const QString& text, const QString& merge_key = {});

}  // namespace stashscope::ui
