#include "ui/panels/inspector/model_page.h"

#include <QCoreApplication>

#include "core/study/facts/tensor_facts.h"
#include "ui/panels/inspector/page_links.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

struct ModelPage {
  Q_DECLARE_TR_FUNCTIONS(ModelPage)
};

/// Longer values are shortened; the tool tip has the whole value.
constexpr qsizetype longest_value = 120;

QString row(const QString& name, const QString& value) {
  return u"<tr><td>%1&nbsp;</td><td>%2</td></tr>"_s.arg(name, value);
}

QString table(const QString& title, const QString& rows) {
  if (rows.isEmpty()) return {};
  return page_heading(title) + u"<table cellspacing=\"0\" cellpadding=\"2\">%1</table>"_s.arg(rows);
}

QString value_text(const std::string& value) {
  const QString full = shown(value);
  return with_full_text(full.size() > longest_value ? full.left(longest_value) + u"…"_s : full,
                        full);
}

QString properties(const GraphData& model) {
  QString rows;
  if (!model.producer.empty()) {
    rows += row(ModelPage::tr("producer:"), value_text(model.producer));
  }
  for (const auto& [domain, version] : model.opsets) {
    rows += row(ModelPage::tr("opset:"),
                page_html((domain.empty() ? "ai.onnx" : domain) + " " + std::to_string(version)));
  }
  for (const auto& [name, value] : model.metadata) {
    // The tables of a captured step are data, not properties.
    if (!name.starts_with("stashscope.")) rows += row(page_html(name + ":"), value_text(value));
  }
  return table(ModelPage::tr("Model"), rows);
}

QString tensors(const Study& study, const QString& title, const std::vector<ValueId>& values) {
  QString rows;
  for (const ValueId id : values) {
    const Value& value = study.graph().value(id);
    const QString named = page_html(named_shape_text(study, value.type));
    const bool is_given = !value.producer.valid();
    const QString name = breakable(page_html(value.name));
    rows += row(is_given ? tensor_link(id, name) : name,
                page_html(sized_type_text(study, value.type)) +
                    (named.isEmpty() ? QString() : u" = "_s + named));
  }
  return table(title, rows);
}

}  // namespace

QString model_page(const Study& study) {
  const GraphData& model = study.model->data();
  return u"<p>%1</p>"_s.arg(
             ModelPage::tr("Select a node, a layer or a plan to see its details here.")) +
         properties(model) + tensors(study, ModelPage::tr("Inputs"), study.graph().data().inputs) +
         tensors(study, ModelPage::tr("Outputs"), study.graph().data().outputs);
}

}  // namespace stashscope::ui
