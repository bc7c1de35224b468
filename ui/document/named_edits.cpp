#include "ui/document/named_edits.h"

#include "core/study/choices/node_names.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

void choose_named(Document& document, const Choices& after, std::span<const NodeId> about,
                  const QString& text, const QString& merge_key) {
  if (after != document.choices()) return document.choose(after, text, merge_key);
  const Study& study = *document.study();
  const std::string why = why_not_named(study.graph(), study.current->dataflow, about);
  if (!why.empty())
    document.notices().notify(Document::tr("The edit changed nothing: %1").arg(shown(why)));
}

}  // namespace stashscope::ui
