#include "ui/panels/inspector/page_links.h"

#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

QString html(const std::string& text) { return shown(text).toHtmlEscaped(); }

QString with_full_text(const QString& shortened, const QString& full) {
  if (shortened == full) return shortened.toHtmlEscaped();
  const QString tip = full.toHtmlEscaped().replace(u'\n', u"&#10;"_s);
  return u"<span title=\"%1\">%2</span>"_s.arg(tip, shortened.toHtmlEscaped());
}

QString node_link(const Study& study, NodeId node) {
  const Dataflow& dataflow = study.current->dataflow;
  const QString name = shown(name_of(study.graph(), dataflow, node));
  const QString last = name.mid(name.lastIndexOf(u'/') + 1);
  const QString label =
      last.isEmpty() ? shown(study.graph().node(dataflow.origin(node)).op_type) : last;
  return u"<a href=\"node:%1\">%2</a>"_s.arg(node.index()).arg(with_full_text(label, name));
}

}  // namespace stashscope::ui
