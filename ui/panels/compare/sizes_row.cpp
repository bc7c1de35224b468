#include "ui/panels/compare/sizes_row.h"

#include <QHBoxLayout>

#include "core/study/facts/comparison.h"
#include "ui/document/choice_words.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Lists the dimensions of `study` that have another size in `sizes`.
/// @param text with %1 for the dimension, %2 for its size in `sizes` and %3 for its size in `study`
QString listed(const Study& study, const SizeChoices& sizes, const QString& text) {
  QStringList parts;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    const auto size = sizes.find(each.name);
    if (size == sizes.end() || size->second == each.value) continue;
    parts << text.arg(word_text(study, each)).arg(size->second).arg(each.value);
  }
  return parts.join(u"; "_s);
}

}  // namespace

SizesRow::SizesRow(QWidget* parent)
    : QWidget(parent),
      text_(new QLabel),
      same_(new QPushButton(tr("Compare at the same sizes"))),
      own_(new QPushButton(tr("Back to its own sizes"))) {
  text_->setObjectName(u"compare_sizes"_s);
  text_->setWordWrap(true);
  text_->setMinimumHeight(1);
  same_->setObjectName(u"compare_same_sizes"_s);
  same_->setToolTip(
      tr("Computes the other side with the sizes of this window. The file does not change."));
  own_->setObjectName(u"compare_own_sizes"_s);
  own_->setToolTip(tr("Computes the other side with the sizes that it was opened with"));
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(spacing_unit, 0, spacing_unit, spacing_unit / 2);
  layout->setSpacing(spacing_unit);
  layout->addWidget(text_, 1);
  layout->addWidget(same_);
  layout->addWidget(own_);
  connect(same_, &QPushButton::clicked, this, &SizesRow::same_sizes_wanted);
  connect(own_, &QPushButton::clicked, this, &SizesRow::own_sizes_wanted);
}

void SizesRow::show_sizes(const Study& here, const Study& other, const SizeChoices& own,
                          const QString& side) {
  const QString differing =
      listed(other, sizes_that_differ(here, other), tr("%1 is %2 here and %3 there"));
  const QString changed = listed(other, own, tr("%1 %3 instead of %2"));
  QStringList texts;
  if (!changed.isEmpty()) {
    texts << tr("%1 is computed with the sizes of this window: %2.").arg(side, changed);
  }
  if (!differing.isEmpty()) texts << tr("The sides have different sizes: %1.").arg(differing);
  text_->setText(texts.join(u' '));
  same_->setVisible(!differing.isEmpty());
  own_->setVisible(!changed.isEmpty());
  setVisible(!texts.isEmpty());
}

SizeChoices sizes_of(const Study& study) {
  SizeChoices sizes;
  for (const Dimension& each : study.sizes->dims.dimensions) sizes[each.name] = each.value;
  return sizes;
}

}  // namespace stashscope::ui
