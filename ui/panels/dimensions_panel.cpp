#include "ui/panels/dimensions_panel.h"

#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>

#include "core/study/edits.h"
#include "ui/models/texts.h"
#include "ui/panels/elided_label.h"
#include "ui/panels/undo_keys.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int unit = 8;
constexpr int value_width = 84;
constexpr int largest_dimension = 1'000'000'000;

QString note_of(const Dimension& dimension) {
  return dimension.assumed ? DimensionsPanel::tr("assumed") : QString();
}

QString tip_of(const Dimension& dimension) {
  QString tip = shown(dimension.name);
  for (const std::string& other : dimension.also) tip += u"\n= "_s + shown(other);
  if (dimension.assumed) {
    tip += u"\n\n"_s + DimensionsPanel::tr(
                           "The model leaves it open and nobody set it; the value "
                           "is a guess that fits the model.");
  }
  return tip;
}

}  // namespace

DimensionsPanel::DimensionsPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
  setObjectName(u"dimensions_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new QScrollArea;
  auto* const content = new QWidget;
  rows_layout_ = new QVBoxLayout(content);
  rows_layout_->setContentsMargins(unit, unit / 2, unit, unit);
  rows_layout_->setSpacing(unit / 2);
  scroll->setWidget(content);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  layout->addWidget(scroll);
  rebuild({});
  connect(&document_, &Document::study_changed, this, &DimensionsPanel::show_study);
  connect(&document_, &Document::choices_changed, this, [this] {
    // Undone or taken back before a study came of them: no other one follows.
    if (document_.choices() == document_.study()->choices) show_study();
  });
}

void DimensionsPanel::show_study() {
  const auto& dimensions = document_.study()->sizes->dims.dimensions;
  const bool same = std::equal(
      rows_.begin(), rows_.end(), dimensions.begin(), dimensions.end(),
      [](const Row& row, const Dimension& each) { return row.name == shown(each.name); });
  if (!same || dimensions.empty()) rebuild(dimensions);
  for (std::size_t i = 0; i < rows_.size(); ++i) update_row(rows_[i], dimensions[i]);
}

void DimensionsPanel::rebuild(const std::vector<Dimension>& dimensions) {
  while (QLayoutItem* const item = rows_layout_->takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
  rows_.clear();
  for (const Dimension& dimension : dimensions) rows_.push_back(make_row(dimension));
  if (dimensions.empty()) {
    auto* const none = new QLabel(tr("All sizes of this model are fixed."));
    none->setWordWrap(true);
    none->setEnabled(false);
    rows_layout_->addWidget(none);
  }
  rows_layout_->addStretch(1);
}

DimensionsPanel::Row DimensionsPanel::make_row(const Dimension& dimension) {
  const QString name = shown(dimension.name);
  auto* const holder = new QWidget;
  auto* const layout = new QHBoxLayout(holder);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(unit);
  auto* const label = new ElidedLabel(name);
  Row row{name, new QSpinBox, new QLabel};
  row.value->setObjectName(u"dimension:"_s + name);
  row.value->setAccessibleName(name);
  row.value->setRange(1, largest_dimension);
  row.value->setAlignment(Qt::AlignRight);
  row.value->setKeyboardTracking(false);
  row.value->setFixedWidth(value_width);
  pass_undo_keys(*row.value);
  row.note->setEnabled(false);
  label->setBuddy(row.value);
  layout->addWidget(label, 1);
  layout->addWidget(row.note);
  layout->addWidget(row.value);
  rows_layout_->addWidget(holder);
  connect(row.value, &QSpinBox::valueChanged, this,
          [this, name](int value) { set_dimension(name, value); });
  return row;
}

void DimensionsPanel::update_row(const Row& row, const Dimension& dimension) {
  const QSignalBlocker quiet(row.value);
  const auto value = std::min<std::int64_t>(dimension.value, largest_dimension);
  row.value->setValue(static_cast<int>(value));
  row.note->setText(note_of(dimension));
  row.note->setToolTip(tip_of(dimension));
  row.value->setToolTip(tip_of(dimension));
  row.value->parentWidget()->setToolTip(tip_of(dimension));
}

void DimensionsPanel::set_dimension(const QString& name, int value) {
  for (const Dimension& dimension : document_.study()->sizes->dims.dimensions) {
    if (shown(dimension.name) != name) continue;
    document_.choose(with_dimension(*document_.study(), document_.choices(), dimension, value),
                     tr("Set %1 to %2").arg(name).arg(value), u"dimension:"_s + name);
    return;
  }
}

}  // namespace stashscope::ui
