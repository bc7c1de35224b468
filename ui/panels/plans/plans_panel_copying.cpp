// The part of the plans panel that copies plans to the clipboard.

#include <QApplication>
#include <QClipboard>

#include "ui/document/exports.h"
#include "ui/panels/plans/plans_panel.h"
#include "ui/text/note_text.h"
#include "ui/widgets/copied_rows.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;
using Kind = PlanTreeModel::Kind;

}  // namespace

QString PlansPanel::copied_text(Reference reference) {
  const ReferenceRules& rules = rules_of(reference);
  const QString name = QString::fromUtf8(rules.name);
  return rules.reads_config_file
             ? tr("Copied a JSON list for ONNX Runtime %1: save it to a file and set "
                  "ORTMODULE_MEMORY_OPT_CONFIG to the file's path")
                   .arg(name)
             : tr("Copied the config string of ONNX Runtime %1").arg(name);
}

void PlansPanel::copy(const ExportedConfig& exported) const {
  const Study& study = *document_.study();
  if (exported.config.empty() && !exported.left_out.empty()) {
    return document_.notices().report(nothing_to_export(exported.left_out));
  }
  std::string text;
  const auto failure = failure_of([&] { text = config_text(study, exported.config); });
  if (failure) return document_.notices().report(*failure);
  QApplication::clipboard()->setText(QString::fromStdString(text));
  QStringList told = {copied_text(study.choices.plans.search.reference)};
  for (const std::string& each : exported.left_out) told << note_text(each);
  document_.notices().notify(told.join(u"; "_s));
}

void PlansPanel::copy_config() const {
  if (document_.study() != nullptr) copy(exported_config(*document_.study()));
}

void PlansPanel::copy_config_of_selected() const {
  RecomputeConfig config;
  for (const QModelIndex& item : selected()) {
    const Kind kind = model_.kind(item);
    if (kind != Kind::plan && kind != Kind::occurrence) continue;
    const RecomputeConfig& entries = model_.plan_row(item).entries;
    config.insert(entries.begin(), entries.end());
  }
  if (document_.study() == nullptr) return;
  const Study& study = *document_.study();
  const ExportedConfig exported = exported_config(study, config);
  if (!config.empty()) copy(exported);
}

void PlansPanel::copy_rows() const {
  const QString text = rows_text(tree_->selected_rows(), *tree_->header());
  if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

}  // namespace stashscope::ui
