#pragma once

#include <QString>

namespace stashscope::ui {

/// The text of a page of the folder docs in Markdown, by the name of its file, such as `passes.md`;
/// empty if there is no such page.
QString document_named(const QString& name);

/// The first heading of a document in Markdown; empty if it has none.
QString title_of(const QString& document);

/// A section of a document in Markdown, with its heading; empty if no line is this heading.
QString section_of(const QString& document, const QString& heading);

}  // namespace stashscope::ui
