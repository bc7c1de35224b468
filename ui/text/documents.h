#pragma once

#include <QString>

namespace stashscope::ui {

/// The text of docs/passes.md in Markdown. The document shows how an exported graph becomes the
/// training graph.
QString document_about_exports();
/// The text of docs/pytorch.md in Markdown. The document shows how to capture a step, and how to
/// apply and measure plans in PyTorch.
QString document_about_pytorch();

/// A section of a document in Markdown, with its heading; empty if no line is this heading.
QString section_of(const QString& document, const QString& heading);

}  // namespace stashscope::ui
