#include "ui/panels/memory/allocator_row.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/document/choice_words.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/labelled_row.h"
#include "ui/widgets/undo_keys.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

AllocatorRow::AllocatorRow(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      field_(new QLineEdit),
      answer_(new ElidedLabel),
      fault_(new QLabel) {
  setObjectName(u"allocator_row"_s);
  field_->setObjectName(u"allocator_settings"_s);
  field_->setPlaceholderText(tr("default settings"));
  field_->setAccessibleName(tr("Settings of PyTorch's allocator"));
  field_->setToolTip(
      tr("As in PYTORCH_CUDA_ALLOC_CONF, for example "
         "expandable_segments:True,max_split_size_mb:128. Empty: the default settings."));
  pass_undo_keys(*field_);
  answer_->setObjectName(u"allocator_answer"_s);
  fault_->setObjectName(u"allocator_fault"_s);
  fault_->setTextFormat(Qt::PlainText);
  fault_->setWordWrap(true);
  fault_->setForegroundRole(QPalette::BrightText);
  auto* const line = new QHBoxLayout;
  line->setSpacing(spacing_unit);
  line->addWidget(make_label_of(*field_, tr("PyTorch allo&cator")));
  line->addWidget(field_, 1);
  line->addWidget(answer_, 2);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(spacing_unit, 0, spacing_unit, spacing_unit / 2);
  layout->setSpacing(spacing_unit / 2);
  layout->addLayout(line);
  layout->addWidget(fault_);
  connect(field_, &QLineEdit::editingFinished, this, &AllocatorRow::take_text);
  connect(field_, &QLineEdit::textEdited, this, [this] {
    // The reason disappears as soon as the text is right. It appears only when the user ends
    // editing.
    if (!fault_->isHidden()) check_text();
  });
  connect(&document_, &Document::opened, this,
          [this] { put(document_.choices().allocator.value_or(std::string())); });
  connect(&document_, &Document::choices_changed, this, &AllocatorRow::show_choice);
  connect(&document_, &Document::study_changed, this, &AllocatorRow::show_choice);
  show_choice();
}

bool AllocatorRow::check_text() {
  const auto failure = failure_of([&] { parse_allocator_settings(field_->text().toStdString()); });
  fault_->setText(failure ? failure->message : QString());
  fault_->setVisible(failure.has_value());
  return !failure;
}

void AllocatorRow::take_text() {
  // Hiding the row ends editing, too, because the field loses the focus.
  if (!document_.choices().allocator || !check_text()) return;
  choose(field_->text().trimmed().toStdString());
  // After Return, undo in the field does not go back beyond the applied settings.
  field_->setText(field_->text().trimmed());
}

void AllocatorRow::switch_on(bool on) {
  if (!on) return choose(std::nullopt);
  if (!check_text()) put(last_);
  choose(field_->text().trimmed().toStdString());
}

void AllocatorRow::allow(bool is_allowed) {
  is_allowed_ = is_allowed;
  show_choice();
}

void AllocatorRow::put(const std::string& settings) {
  last_ = settings;
  field_->setText(shown(settings));
  fault_->hide();
}

void AllocatorRow::choose(std::optional<std::string> settings) {
  Choices choices = document_.choices();
  const QString told = !settings           ? tr("No allocator")
                       : settings->empty() ? tr("Allocator with default settings")
                                           : tr("Allocator with %1").arg(shown(*settings));
  shown_ = settings;
  if (settings) last_ = *settings;
  choices.allocator = std::move(settings);
  document_.choose(choices, told);
}

void AllocatorRow::show_choice() {
  const auto& chosen = document_.choices().allocator;
  if (chosen && chosen != shown_) put(*chosen);
  shown_ = chosen;
  setVisible(is_allowed_ && document_.study() != nullptr && chosen.has_value());
  show_reserved();
}

void AllocatorRow::show_reserved() {
  const auto& reserved = document_.reserved();
  if (reserved == nullptr || !document_.is_up_to_date()) return answer_->set_forms({QString()});
  const QString reserves = tr("reserves %1").arg(reserved_text(reserved->memory));
  const QString reserves_only = tr("reserves %1").arg(bytes_text(reserved->memory.reserved_bytes));
  const QString device = device_memory_text(reserved->device);
  answer_->set_forms({tr("%1; takes %2").arg(reserves, device),
                      tr("%1; takes %2").arg(reserves_only, device), reserves_only});
  answer_->setToolTip(
      tr("Reserved at most: %1. Peak of tensors: %2. The rest is fragmentation: %3. With a CUDA "
         "context and workspaces of libraries, the step takes %4.")
          .arg(exact_bytes_text(reserved->memory.reserved_bytes),
               exact_bytes_text(document_.study()->current->timeline.peak_bytes),
               exact_bytes_text(reserved->memory.fragmentation_bytes), device));
}

}  // namespace stashscope::ui
