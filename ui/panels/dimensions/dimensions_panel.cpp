#include "ui/panels/dimensions/dimensions_panel.h"

#include <QEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalBlocker>
#include <cmath>

#include "core/study/choices/dimension_uses.h"
#include "core/study/edits/edits.h"
#include "ui/document/choice_words.h"
#include "ui/document/dimension_presets.h"
#include "ui/panels/dimensions/dimension_menu.h"
#include "ui/panels/dimensions/preset_menu.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/drop_menu.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/main_widget.h"
#include "ui/widgets/undo_keys.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int value_width = 116;
constexpr int least_height = 40;
/// A label above its field is cut only if it is longer than this many characters.
constexpr int characters_of_label = 26;

QString note_of(const Dimension& dimension) {
  if (!dimension.assumed) return {};
  return dimension.as_captured ? DimensionsPanel::tr("as captured")
                               : DimensionsPanel::tr("assumed");
}

QString suffix_of(DimensionUnit what, std::int64_t value) {
  switch (what) {
    case DimensionUnit::samples:
      return value == 1 ? DimensionsPanel::tr(" sample") : DimensionsPanel::tr(" samples");
    case DimensionUnit::tokens:
      return value == 1 ? DimensionsPanel::tr(" token") : DimensionsPanel::tr(" tokens");
    case DimensionUnit::pixels:
      return DimensionsPanel::tr(" px");
    case DimensionUnit::none:
      break;
  }
  return {};
}

QString text_of(const DimensionUse& use) {
  return DimensionsPanel::tr("axis %1 of %2").arg(use.axis).arg(shown(use.input));
}

}  // namespace

DimensionsPanel::DimensionsPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), scroll_(new QScrollArea), presets_(new QToolButton) {
  setObjectName(u"dimensions_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_head());
  scroll_->setAccessibleName(tr("Dimensions"));
  auto* const content = new QWidget;
  rows_layout_ = new QVBoxLayout(content);
  rows_layout_->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit);
  rows_layout_->setSpacing(spacing_unit / 2);
  scroll_->setWidget(content);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setMinimumHeight(least_height);
  layout->addWidget(scroll_);
  rebuild({});
  connect(&document_, &Document::study_changed, this, &DimensionsPanel::show_study);
  connect(&document_, &Document::choices_changed, this, [this] {
    // If a change is undone before its study is computed, `study_changed` is not emitted.
    if (document_.choices() == document_.study()->choices) show_study();
  });
}

void DimensionsPanel::focus_size(const QString& dimension) {
  for (const Row& row : rows_) {
    if (row.name != dimension) continue;
    scroll_->ensureWidgetVisible(row.value);
    row.value->setFocus(Qt::ShortcutFocusReason);
    row.value->selectAll();
  }
}

QWidget* DimensionsPanel::make_head() {
  presets_->setObjectName(u"presets_button"_s);
  presets_->setText(tr("Presets…"));
  presets_->setAccessibleName(tr("Sets of sizes"));
  presets_->setToolTip(tr("Named sets of sizes for models with these dimensions"));
  presets_->setFocusPolicy(Qt::StrongFocus);
  presets_->setEnabled(false);
  drop_menu(*presets_, *new PresetMenu(document_, this));
  auto* const head = new QWidget;
  auto* const layout = new QHBoxLayout(head);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, 0);
  layout->addStretch(1);
  layout->addWidget(presets_);
  return head;
}

void DimensionsPanel::show_study() {
  const auto& dimensions = document_.study()->sizes->dims.dimensions;
  const bool has_rows = model_.lock() == document_.study()->model &&
                        std::equal(rows_.begin(), rows_.end(), dimensions.begin(), dimensions.end(),
                                   [](const Row& row, const Dimension& each) {
                                     return row.name == shown(each.name);
                                   });
  if (!has_rows || dimensions.empty()) rebuild_with_focus(dimensions);
  const std::vector<NamedSize> sizes = named_sizes(*document_.study());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    update_row(rows_[i], dimensions[i]);
    rows_[i].label->setText(full_text(sizes[i]));
  }
  fit_rows();
}

/// The text that the user is typing into a box; empty if there is none.
QString DimensionsPanel::typed_text() const {
  for (const Row& row : rows_) {
    if (row.value->is_typed_in()) return row.value->cleanText();
  }
  return {};
}

/// Rebuilds the rows. The keyboard focus stays at its dimension. If the model is the same, a text
/// that the user is typing stays, too.
void DimensionsPanel::rebuild_with_focus(const std::vector<Dimension>& dimensions) {
  const QWidget* const focus = window()->focusWidget();
  const QString name = focus != nullptr && isAncestorOf(focus) ? focus->objectName() : QString();
  const bool is_same_model = model_.lock() == document_.study()->model;
  const QString typed = is_same_model ? typed_text() : QString();
  model_ = document_.study()->model;
  rebuild(dimensions);
  auto* const anew = name.isEmpty() ? nullptr : findChild<QWidget*>(name);
  if (anew == nullptr) return;
  anew->setFocus();
  if (!typed.isEmpty()) anew->findChild<QLineEdit*>()->setText(typed);
}

void DimensionsPanel::clear_rows() {
  // A box that loses the focus would apply what was typed into it.
  for (const Row& row : rows_) row.value->blockSignals(true);
  while (QLayoutItem* const item = rows_layout_->takeAt(0)) {
    if (QWidget* const row = item->widget()) {
      // Without a parent, findChild no longer finds the old row by its name.
      row->hide();
      row->setParent(nullptr);
      row->deleteLater();
    }
    delete item;
  }
  rows_.clear();
}

void DimensionsPanel::rebuild(const std::vector<Dimension>& dimensions) {
  clear_rows();
  presets_->setEnabled(!dimensions.empty());
  for (const Dimension& dimension : dimensions) rows_.push_back(make_row(dimension));
  order_tabs();
  set_main_widget(*this, rows_.empty() ? nullptr : rows_.front().value);
  if (dimensions.empty()) {
    auto* const none =
        new QLabel(document_.study() == nullptr ? tr("Open a model to see its dimensions.")
                                                : tr("All sizes of this model are fixed."));
    none->setWordWrap(true);
    none->setEnabled(false);
    rows_layout_->addWidget(none);
  }
  rows_layout_->addStretch(1);
}

void DimensionsPanel::order_tabs() {
  QWidget* last = scroll_;
  const auto add = [&](QWidget* next) {
    setTabOrder(last, next);
    last = next;
  };
  for (const Row& row : rows_) add(row.value);
  for (const Row& row : rows_) add(row.more);
}

DimensionsPanel::Row DimensionsPanel::make_row(const Dimension& dimension) {
  const QString name = shown(dimension.name);
  auto* const holder = new QWidget;
  Row row;
  row.name = name;
  row.layout = new QBoxLayout(QBoxLayout::LeftToRight, holder);
  row.label = new ElidedLabel(name);
  row.field = new QWidget;
  row.value = make_value(name);
  row.note = new ElidedLabel;
  row.more = make_more(name, *holder);
  row.note->setObjectName(u"dimension_note:"_s + name);
  row.note->setEnabled(false);
  row.label->setBuddy(row.value);
  auto* const field = new QHBoxLayout(row.field);
  field->addWidget(row.note, 1);
  field->addWidget(row.value);
  field->addWidget(row.more);
  for (QBoxLayout* const each : {row.layout, static_cast<QBoxLayout*>(field)}) {
    each->setContentsMargins(0, 0, 0, 0);
    each->setSpacing(spacing_unit);
  }
  row.layout->addWidget(row.label, 1);
  row.layout->addWidget(row.field);
  rows_layout_->addWidget(holder);
  return row;
}

void DimensionsPanel::fit_rows() {
  int value = static_cast<int>(std::lround(value_width * text_scale()));
  for (const Row& row : rows_) value = std::max(value, row.value->whole_width());
  int label = 0;
  int field = 0;
  int least_field = 0;
  for (const Row& row : rows_) row.value->setFixedWidth(value);
  for (const Row& row : rows_) {
    label = std::max(label, row.label->sizeHint().width());
    field = std::max(field, row.field->sizeHint().width());
    least_field = std::max(least_field, row.field->minimumSizeHint().width());
  }
  const int around =
      2 * (spacing_unit + scroll_->frameWidth()) + scroll_->verticalScrollBar()->sizeHint().width();
  const int most_label = characters_of_label * fontMetrics().averageCharWidth();
  scroll_->setMinimumWidth(std::max(std::min(label, most_label), least_field) + around);
  const bool is_narrow = label + spacing_unit + field + around > width();
  for (const Row& row : rows_) {
    row.layout->setDirection(is_narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    row.layout->setSpacing(is_narrow ? 0 : spacing_unit);
  }
}

SizeBox* DimensionsPanel::make_value(const QString& name) {
  auto* const value = new SizeBox(static_cast<int>(largest_dimension));
  value->setObjectName(u"dimension:"_s + name);
  value->setAccessibleName(name);
  value->setAlignment(Qt::AlignRight);
  value->setKeyboardTracking(false);
  pass_undo_keys(*value);
  connect(value, &SizeBox::refused, this, [this, value](const QString& typed, bool is_too_large) {
    refuse(*value, typed, is_too_large);
  });
  connect(value, &QSpinBox::valueChanged, this,
          [this, name](int number) { set_dimension(name, number); });
  return value;
}

void DimensionsPanel::refuse(const SizeBox& box, const QString& typed, bool is_too_large) {
  const QString limit = is_too_large ? tr("a size is at most %L1").arg(largest_dimension)
                                     : tr("a size is at least 1");
  document_.notices().report(
      {ErrorKind::usage, tr("Dimension %1 cannot be %2: %3. It stays %4.")
                             .arg(box.accessibleName(), typed, limit, box.size_text())});
}

QToolButton* DimensionsPanel::make_more(const QString& name, QWidget& row) {
  auto* const more = new QToolButton;
  more->setObjectName(u"dimension_more:"_s + name);
  more->setText(u"⋯"_s);
  more->setAutoRaise(true);
  more->setAccessibleName(tr("More for %1").arg(name));
  more->setToolTip(
      tr("Unify the dimension with another one, change its size, show the peak against its size"));
  more->setFocusPolicy(Qt::StrongFocus);
  auto* const menu = new DimensionMenu(document_, name, more);
  drop_menu(*more, *menu);
  connect(menu, &DimensionMenu::sweep_wanted, this, &DimensionsPanel::sweep_wanted);
  row.setContextMenuPolicy(Qt::CustomContextMenu);
  connect(&row, &QWidget::customContextMenuRequested, menu,
          [menu, &row](const QPoint& at) { menu->popup(row.mapToGlobal(at)); });
  return more;
}

void DimensionsPanel::update_row(const Row& row, const Dimension& dimension) const {
  if (!row.value->is_typed_in()) {
    const QSignalBlocker quiet(row.value);
    row.value->setSuffix(
        suffix_of(unit_of(document_.study()->graph(), dimension), dimension.value));
    row.value->show_size(dimension.value);
  }
  row.note->setText(note_of(dimension));
  const QString tip = tip_of(dimension);
  row.note->setToolTip(tip);
  row.value->setToolTip(tip);
  row.label->parentWidget()->setToolTip(tip);
}

void DimensionsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  fit_rows();
}

void DimensionsPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_rows();
}

QString DimensionsPanel::tip_of(const Dimension& dimension) const {
  QStringList lines = {shown(dimension.name)};
  for (const std::string& other : dimension.also) lines << u"= "_s + shown(other);
  constexpr std::size_t most_uses = 6;
  const std::vector<DimensionUse> uses = uses_of(document_.study()->graph(), dimension);
  for (std::size_t i = 0; i < std::min(uses.size(), most_uses); ++i) lines << text_of(uses[i]);
  if (uses.size() > most_uses) lines << tr("and %1 more").arg(uses.size() - most_uses);
  if (!dimension.at_most.empty()) lines << tr("at most %1").arg(shown(dimension.at_most));
  if (dimension.assumed) {
    lines << QString()
          << (dimension.as_captured
                  ? tr("The step was captured with this size. You may set another.")
                  : tr("The model does not fix this size and you have not set it. The value is an "
                       "assumption that fits the model."));
  }
  return lines.join(u'\n');
}

void DimensionsPanel::set_dimension(const QString& name, int value) {
  // A box that loses the focus applies its value. The document may then already have another model,
  // which the panel does not show yet.
  if (model_.lock() != document_.study()->model) return;
  for (const Dimension& dimension : document_.study()->sizes->dims.dimensions) {
    if (shown(dimension.name) != name) continue;
    document_.choose(with_dimension(*document_.study(), document_.choices(), dimension, value),
                     tr("Set %1 to %2").arg(full_text(*document_.study(), dimension)).arg(value),
                     u"dimension:"_s + name);
    return;
  }
}

}  // namespace stashscope::ui
