#include "ui/panels/inspector/tensor_page.h"

#include <QCoreApplication>

#include "core/study/facts/given_tensors.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/step_tensors.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/panels/inspector/page_links.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

struct TensorPage {
  Q_DECLARE_TR_FUNCTIONS(TensorPage)
};

QString bytes_row(const QString& name, std::int64_t bytes) {
  return u"<tr><td>%1</td><td align=\"right\">%2</td></tr>"_s.arg(name, bytes_text(bytes));
}

QString small_row(const QString& text) {
  return u"<tr><td colspan=\"2\"><small>%1</small></td></tr>"_s.arg(text);
}

QString bytes_table(const QString& title, const QString& rows) {
  if (rows.isEmpty()) return {};
  return page_heading(title) +
         u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">%1</table>"_s.arg(rows);
}

QString title_of_role(const GivenTensor& given) {
  QString role = shown(std::string(name_of(given.role)));
  if (!role.isEmpty()) role[0] = role[0].toUpper();
  return role;
}

/// How long the tensor is in memory; empty if it has no buffer.
QString time_in_memory(const Study& study, ValueId tensor) {
  const BufferId buffer = study.current->timeline.buffer_of[tensor];
  if (!buffer.valid()) return {};
  const Buffer& held = study.current->timeline.buffers[buffer];
  if (held.persistent) return TensorPage::tr("in memory during the whole step");
  return TensorPage::tr("slots %1–%2").arg(held.first_slot + 1).arg(held.last_slot + 1);
}

QString facts(const Study& study, ValueId tensor, const GivenTensor& given) {
  QStringList facts;
  facts << u"%1 (%2)"_s.arg(bytes_text(given.bytes), exact_bytes_text(given.bytes));
  facts << type_lines(study, stored_value(study, tensor).type);
  const QString held = time_in_memory(study, tensor);
  if (!held.isEmpty()) facts << held;
  const QString module = breakable(page_html(module_of_tensor(study, tensor)));
  if (!module.isEmpty()) facts << TensorPage::tr("module %1").arg(module);
  return u"<p>%1</p>"_s.arg(facts.join(u"<br>"_s));
}

QString element_text(const TensorOfParameter& tensor) {
  return shown(std::string(name_of(tensor.element)));
}

QString made_by(const Study& study, const TensorOfParameter& tensor) {
  if (!tensor.maker.valid()) return element_text(tensor);
  return TensorPage::tr("%1, made by %2").arg(element_text(tensor), node_link(study, tensor.maker));
}

/// The gradient and the optimizer states of a parameter, with their bytes. Empty for other tensors.
QString training(const Study& study, const GivenTensor& given) {
  if (given.role != ValueRole::parameter) return {};
  QString rows;
  if (given.gradient) {
    rows += bytes_row(page_html(given.gradient->name), given.gradient->bytes) +
            small_row(made_by(study, *given.gradient));
  }
  QString states;
  for (const TensorOfParameter& state : given.states) {
    states += bytes_row(page_html(state.name), state.bytes) + small_row(made_by(study, state));
  }
  const QString nothing = given.gradient
                              ? QString()
                              : u"<p>%1</p>"_s.arg(TensorPage::tr("No node makes its gradient."));
  const QString parts = given.states.empty() ? TensorPage::tr("with its gradient")
                                             : TensorPage::tr("with gradient and optimizer states");
  const QString sum = bytes_table(TensorPage::tr("In all"), bytes_row(parts, given.bytes_in_all()));
  return bytes_table(TensorPage::tr("Gradient"), rows) + nothing +
         bytes_table(TensorPage::tr("Optimizer states"), states) +
         (given.gradient ? sum : QString());
}

QString readers(const Study& study, ValueId tensor) {
  QString rows;
  for (const Read& read : reads_of(study, tensor)) {
    rows += u"<tr><td>%1</td></tr>"_s.arg(read_link(study, read));
  }
  if (rows.isEmpty()) return u"<p>%1</p>"_s.arg(TensorPage::tr("No node reads it."));
  return bytes_table(TensorPage::tr("Read by"), rows);
}

}  // namespace

QString tensor_page(const Study& study, ValueId tensor) {
  const GivenTensor given = given_tensor(study, tensor);
  const QString name = breakable(page_html(study.graph().value(tensor).name));
  return u"<h3>%1</h3><p>%2</p>"_s.arg(title_of_role(given), name) + facts(study, tensor, given) +
         training(study, given) + readers(study, tensor);
}

}  // namespace stashscope::ui
