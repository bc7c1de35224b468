#include "ui/widgets/labelled_row.h"

#include <QVBoxLayout>

#include "ui/theme/spacing.h"

namespace stashscope::ui {

QLabel* make_label_of(QWidget& control, const QString& title) {
  auto* const label = new QLabel(title);
  label->setBuddy(&control);
  return label;
}

FlowLayout* make_row_above(QWidget& owner, QLabel& text, const QString& title, QWidget& control) {
  auto* const layout = new QVBoxLayout(&owner);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing_unit / 2);
  auto* const row = new FlowLayout;
  row->addWidget(make_label_of(control, title));
  layout->addLayout(row);
  layout->addWidget(&text);
  return row;
}

}  // namespace stashscope::ui
