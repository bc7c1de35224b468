#include "ui/panels/inspector/page_links.h"

#include <QCoreApplication>

#include "core/study/choices/node_names.h"
#include "core/study/facts/opened_operator.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// The translation context of the texts in this file.
struct PageLinks {
  Q_DECLARE_TR_FUNCTIONS(PageLinks)
};

}  // namespace

QString page_html(const std::string& text) { return shown(text).toHtmlEscaped(); }

QString with_full_text(const QString& shortened, const QString& full) {
  if (shortened == full) return shortened.toHtmlEscaped();
  const QString tip = full.toHtmlEscaped().replace(u'\n', u"&#10;"_s);
  return u"<span title=\"%1\">%2</span>"_s.arg(tip, shortened.toHtmlEscaped());
}

QString breakable(const QString& name) {
  QString text;
  for (const QChar each : name) {
    text += each;
    if (each == u'.' || each == u'/' || each == u'_') text += u'\u200b';
  }
  return text;
}

QString last_part(const QString& name) {
  const QString last = name.mid(name.lastIndexOf(u'/') + 1);
  return last == name ? breakable(name.toHtmlEscaped()) : with_full_text(breakable(last), name);
}

QString node_link(const Study& study, NodeId node) {
  const Dataflow& dataflow = study.current->dataflow;
  const QString name = shown(shown_name(study.graph(), dataflow, node));
  const QString last = name.mid(name.lastIndexOf(u'/') + 1);
  const QString label =
      last.isEmpty() ? shown(opened_operator(study, dataflow.origin(node))) : last;
  return node_link(study, node, label);
}

QString node_link(const Study& study, NodeId node, const QString& label) {
  const QString name = shown(shown_name(study.graph(), study.current->dataflow, node));
  return u"<a href=\"node:%1\">%2</a>"_s.arg(node.index()).arg(with_full_text(label, name));
}

QString tensor_link(const Study& study, ValueId tensor) {
  const QString label = last_part(shown(name_of(study.graph(), study.current->dataflow, tensor)));
  if (tensor.index() >= study.current->dataflow.graph_values) return label;
  return tensor_link(tensor, label);
}

QString tensor_link(ValueId tensor, const QString& label) {
  return u"<a href=\"tensor:%1\">%2</a>"_s.arg(tensor.index()).arg(label);
}

QString read_link(const Study& study, const Read& read) {
  const std::size_t forward = study.current->forward_slots;
  const bool has_backward = forward > 0 && forward < study.current->timeline.order.size();
  const bool is_update = read.slot >= study.current->update_slot;
  const QString place = is_update             ? PageLinks::tr("%1 in the update (slot %2)")
                        : !has_backward       ? PageLinks::tr("%1 (slot %2)")
                        : read.slot < forward ? PageLinks::tr("%1 in forward (slot %2)")
                                              : PageLinks::tr("%1 in backward (slot %2)");
  return place.arg(node_link(study, read.reader), QString::number(read.slot + 1));
}

QString type_lines(const Study& study, const TensorType& type) {
  const QString sized = page_html(sized_type_text(study, type));
  const QString named = page_html(named_shape_text(study, type));
  return named.isEmpty() ? sized : u"%1<br>= %2"_s.arg(sized, named);
}

QString page_heading(const QString& text) { return u"<h4>%1</h4>"_s.arg(text); }

}  // namespace stashscope::ui
