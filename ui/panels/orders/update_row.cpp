#include "ui/panels/orders/update_row.h"

#include <QLabel>

#include "ui/document/choice_words.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/flow_layout.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

UpdateRow::UpdateRow(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      optimizer_(new QComboBox),
      master_weights_(new QCheckBox(tr("Master weights"))),
      release_gradients_(new QCheckBox(tr("Release gradients"))) {
  setObjectName(u"update_row"_s);
  optimizer_->setObjectName(u"optimizer"_s);
  optimizer_->setAccessibleName(tr("Optimizer"));
  optimizer_->setToolTip(
      tr("The states of the optimizer are kept for each parameter throughout the step"));
  master_weights_->setObjectName(u"master_weights"_s);
  master_weights_->setToolTip(tr("The optimizer keeps a float32 copy of each 16-bit parameter"));
  release_gradients_->setObjectName(u"release_gradients"_s);
  release_gradients_->setToolTip(
      tr("Updates each parameter as soon as its gradient is computed, then frees the gradient"));
  setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  auto* const layout = new FlowLayout(this);
  layout->setSpacing(spacing_unit);
  layout->addWidget(new QLabel(tr("Optimizer")));
  layout->addWidget(optimizer_);
  layout->addWidget(master_weights_);
  layout->addWidget(release_gradients_);
  list_optimizers();
  connect(optimizer_, &QComboBox::activated, this, [this](int index) {
    UpdateChoice update = document_.choices().update;
    update.optimizer = optimizer_->itemText(index).toStdString();
    choose(update, tr("Optimizer %1").arg(optimizer_->itemText(index)), u"optimizer"_s);
  });
  connect(master_weights_, &QCheckBox::clicked, this, [this](bool on) {
    UpdateChoice update = document_.choices().update;
    update.master_weights = on;
    choose(update, on ? tr("Keep master weights") : tr("No master weights"));
  });
  connect(release_gradients_, &QCheckBox::clicked, this, [this](bool on) {
    UpdateChoice update = document_.choices().update;
    update.release_gradients = on;
    choose(update, on ? tr("Release gradients") : tr("Keep gradients"));
  });
  connect(&document_, &Document::study_changed, this, &UpdateRow::show_choices);
  connect(&document_, &Document::choices_changed, this, &UpdateRow::show_choices);
  show_choices();
}

void UpdateRow::list_optimizers() {
  for (const Optimizer& each : optimizers()) {
    optimizer_->addItem(shown(std::string(each.name)));
    optimizer_->setItemData(optimizer_->count() - 1, shown(std::string(each.description)),
                            Qt::ToolTipRole);
  }
}

void UpdateRow::choose(const UpdateChoice& update, const QString& text, const QString& merge_key) {
  Choices choices = document_.choices();
  choices.update = update;
  document_.choose(choices, text, merge_key);
}

void UpdateRow::show_choices() {
  const auto& study = document_.study();
  const bool has_own = study != nullptr && has_own_optimizer(*study);
  setEnabled(study != nullptr && !has_own);
  const UpdateChoice& update = document_.choices().update;
  optimizer_->setPlaceholderText(has_own ? tr("the step's own") : QString());
  optimizer_->setCurrentIndex(has_own ? -1 : optimizer_->findText(shown(update.optimizer)));
  master_weights_->setChecked(update.master_weights);
  release_gradients_->setChecked(update.release_gradients);
}

}  // namespace stashscope::ui
