#include "ui/panels/memory/pinned_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "ui/charts/curve_colours.h"
#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr QSize mark_size(16, 12);
constexpr int most_label_pixels = 200;

QIcon line_icon(const QColor& colour) {
  QPixmap picture(mark_size);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.fillRect(0, mark_size.height() / 2 - 1, mark_size.width(), 3, colour);
  return picture;
}

}  // namespace

PinnedRow::PinnedRow(PinnedVariants& pinned, QWidget* parent)
    : QWidget(parent), pinned_(pinned), layout_(new QHBoxLayout(this)) {
  setObjectName(u"pinned_row"_s);
  layout_->setContentsMargins(spacing_unit, 0, spacing_unit, 0);
  layout_->setSpacing(spacing_unit);
  connect(&pinned_, &PinnedVariants::changed, this, &PinnedRow::show_pinned);
  connect(&pinned_, &PinnedVariants::sizes_changed, this, &PinnedRow::show_labels);
  show_pinned();
}

void PinnedRow::show_pinned() {
  while (QLayoutItem* const item = layout_->takeAt(0)) {
    // The widget is deleted later, because a click on it may have led to this call.
    if (item->widget() != nullptr) {
      item->widget()->hide();
      item->widget()->setObjectName({});
      for (QObject* const child : item->widget()->children()) child->setObjectName({});
      item->widget()->deleteLater();
    }
    delete item;
  }
  entries_.clear();
  for (std::size_t i = 0; i < pinned_.all().size(); ++i) layout_->addWidget(make_entry(i));
  layout_->addStretch(1);
  show_labels();
  setVisible(!pinned_.all().empty());
}

QWidget* PinnedRow::make_entry(std::size_t index) {
  auto* const entry = new QWidget;
  auto* const layout = new QHBoxLayout(entry);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const back = new QToolButton;
  back->setObjectName(u"pinned_%1"_s.arg(index));
  back->setAutoRaise(true);
  back->setFocusPolicy(Qt::StrongFocus);
  back->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  back->setIcon(line_icon(pinned_colour(pinned_.all()[index].slot, theme_of(palette()).dark)));
  back->setIconSize(mark_size);
  auto* const unpin = new QToolButton;
  unpin->setObjectName(u"unpin_%1"_s.arg(index));
  unpin->setAutoRaise(true);
  unpin->setFocusPolicy(Qt::StrongFocus);
  unpin->setIcon(icon(Icon::close));
  unpin->setIconSize(QSize(12, 12));
  unpin->setToolTip(tr("Unpin this variant"));
  layout->addWidget(back);
  layout->addWidget(unpin);
  connect(back, &QToolButton::clicked, this, [this, index] { pinned_.go_back(index); });
  connect(unpin, &QToolButton::clicked, this, [this, index] { pinned_.unpin(index); });
  entries_.push_back({back, unpin});
  return entry;
}

void PinnedRow::show_labels() {
  for (std::size_t i = 0; i < entries_.size(); ++i) show_label(i);
}

void PinnedRow::show_label(std::size_t index) {
  const PinnedVariant& variant = pinned_.all()[index];
  const auto& [back, unpin] = entries_[index];
  const QString peak = bytes_text(variant.study->current->timeline.peak_bytes);
  const QString label = fontMetrics().elidedText(variant.label, Qt::ElideRight, most_label_pixels);
  const QString sizes = pinned_.other_sizes(index);
  const QString full = pinned_.full_label(index);
  back->setText(sizes.isEmpty() ? u"%1  %2"_s.arg(label, peak)
                                : u"%1, %2  %3"_s.arg(label, sizes, peak));
  back->setAccessibleName(tr("Go back to %1, peak %2").arg(full, peak));
  back->setToolTip(tr("%1, peak %2. Click to go back to these choices.").arg(full, peak));
  unpin->setAccessibleName(tr("Unpin %1").arg(full));
}

void PinnedRow::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_pinned();
}

}  // namespace stashscope::ui
