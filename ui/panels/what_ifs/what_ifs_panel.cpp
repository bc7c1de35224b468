#include "ui/panels/what_ifs/what_ifs_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <utility>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int quiet_milliseconds = 400;
constexpr int choice_width = 180;
constexpr int least_choice_width = 120;
constexpr int least_places_width = 60;
constexpr int details_margin = 4;

}  // namespace

WhatIfsPanel::WhatIfsPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      table_(new TableView),
      sequence_note_(new QLabel(tr("A planned sequence belongs to the step as it is. Peak and time "
                                   "are therefore compared without plans. Once a what-if is "
                                   "switched on or off, the sequence is left out: plan again."))),
      details_(new QLabel) {
  setObjectName(u"what_ifs_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  layout->addWidget(sequence_note_);
  layout->addWidget(details_);
  sequence_note_->setObjectName(u"what_if_sequence_note"_s);
  sequence_note_->setWordWrap(true);
  sequence_note_->setMargin(details_margin);
  sequence_note_->setForegroundRole(QPalette::PlaceholderText);
  sequence_note_->hide();
  details_->setObjectName(u"what_if_details"_s);
  details_->setWordWrap(true);
  details_->setTextFormat(Qt::PlainText);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  details_->setMargin(details_margin);
  details_->hide();
  table_->setObjectName(u"what_ifs_table"_s);
  table_->setAccessibleName(tr("What-ifs"));
  table_->setModel(&model_);
  table_->set_invitation(
      tr("Open a model to see what other forms of attention, losses and micro-batches would "
         "save."));
  table_->horizontalHeader()->resizeSection(WhatIfModel::choice, choice_width);
  table_->set_flexible_column(WhatIfModel::choice, least_choice_width, least_places_width);
  table_->let_sort();
  connect(table_, &QTableView::activated, this, &WhatIfsPanel::toggle);
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &WhatIfsPanel::show_details);
  connect(&model_, &QAbstractItemModel::modelReset, this, &WhatIfsPanel::show_details);
  quiet_.setSingleShot(true);
  quiet_.setInterval(quiet_milliseconds);
  connect(&quiet_, &QTimer::timeout, this, &WhatIfsPanel::ask);
  connect(&document_, &Document::choices_changed, this, &WhatIfsPanel::start_again);
  connect(&document_, &Document::study_changed, this, &WhatIfsPanel::start_again);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &WhatIfsPanel::start_again);
  connect(&document_, &Document::opened, this, [this] {
    shown_.reset();
    model_.clear();
  });
}

void WhatIfsPanel::set_seen(bool seen) {
  is_seen_ = seen;
  if (seen) return start_again();
  quiet_.stop();
}

void WhatIfsPanel::start_again() {
  answers_.cancel();
  model_.set_old(shown_ != document_.study() || !document_.is_up_to_date());
  if (is_seen_) quiet_.start();
}

/// Does nothing during a run or a search, because trying what-ifs would slow them down.
void WhatIfsPanel::ask() {
  const auto& study = document_.study();
  if (study == nullptr || study == shown_ || !document_.is_up_to_date()) return;
  if (!document_.why_wait().isEmpty()) return;
  if (shown_ == nullptr) table_->set_invitation(tr("Looking for what-ifs \u2026"));
  answers_.ask(
      [study](const Progress& progress) {
        return Rows{what_if_savings(*study, progress), what_if_offers(*study, progress)};
      },
      [this, study](std::optional<Rows> rows) { show_rows(study, std::move(rows)); },
      [this](const Failure& failure) {
        model_.clear();
        table_->set_invitation(failure.message);
      });
}

void WhatIfsPanel::show_rows(const std::shared_ptr<const Study>& study, std::optional<Rows> rows) {
  if (!rows || study != document_.study()) return;
  shown_ = study;
  table_->set_invitation(can_change_graph(*study)
                             ? tr("No what-if would change this step.")
                             : tr("A step with a backward pass of its own, or with measured times, "
                                  "has no what-ifs."));
  const QModelIndex current = table_->currentIndex();
  const QString selected = current.isValid() ? model_.name_at(current.row()) : QString();
  sequence_note_->setVisible(can_change_graph(*study) && study->choices.plans.sequence);
  model_.show(study.get(), std::move(rows->on), std::move(rows->offers));
  for (int row = 0; row < model_.rowCount(); ++row) {
    if (model_.name_at(row) == selected) table_->setCurrentIndex(model_.index(row, 0));
  }
}

void WhatIfsPanel::show_details() {
  const QModelIndex current = table_->currentIndex();
  details_->setVisible(current.isValid());
  if (!current.isValid()) return;
  details_->setText(model_.details(current.row()) + u'\n' +
                    (model_.has_effect(current.row())
                         ? tr("A double click or Return switches the what-if on or off.")
                         : tr("This what-if would change nothing in this step.")));
}

void WhatIfsPanel::toggle(const QModelIndex& index) {
  if (!index.isValid() || !model_.has_effect(index.row())) return;
  const WhatIfResult& result = model_.at(index.row()).result;
  const QString name = model_.name_at(index.row());
  Choices choices = document_.choices();
  const auto chosen = choices.graph.what_ifs.find(result.name);
  if (chosen != choices.graph.what_ifs.end() && chosen->second == result.value) {
    choices.graph.what_ifs.erase(result.name);
    document_.choose(choices, tr("Without %1").arg(name));
  } else {
    document_.choose(with_what_if(std::move(choices), result.name, result.value), name);
  }
}

}  // namespace stashscope::ui
