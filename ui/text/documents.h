#pragma once

#include <QString>

namespace stashscope::ui {

/// docs/passes.md, in Markdown: from an exported graph to the training graph.
QString document_about_exports();

}  // namespace stashscope::ui
