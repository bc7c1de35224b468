#include "ui/graph/memory_words.h"

#include "core/study/facts/node_facts.h"
#include "ui/graph/graph_view.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

QString allocated_text(const NodeMemory& memory) {
  return GraphView::tr("allocates %1").arg(bytes_text(memory.bytes));
}

QString stashed_text(const NodeMemory& memory) {
  return GraphView::tr("stashes %1").arg(bytes_text(memory.stashed_bytes));
}

QString memory_text(const NodeMemory& memory) {
  if (memory.bytes == 0) return {};
  if (memory.stashed_bytes == 0) return allocated_text(memory);
  if (memory.stashed_bytes == memory.bytes) return stashed_text(memory);
  return allocated_text(memory) + QStringLiteral(", ") + stashed_text(memory);
}

QString borrowed_text(const Study& study, NodeId node, bool full_name) {
  const NodeId maker = maker_of_memory(study, node);
  if (!maker.valid() || maker == node) return {};
  const QString name = shown(name_of(study.graph(), study.current->dataflow, maker));
  return GraphView::tr("output in the memory of %1")
      .arg(full_name ? name : name.mid(name.lastIndexOf(QLatin1Char('/')) + 1));
}

}  // namespace stashscope::ui
