#include "ui/panels/planner/fits_box.h"

#include "ui/text/enabling.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int entry_tensors = 0;
constexpr int entry_reserved = 1;

}  // namespace

FitsBox::FitsBox(Document& document, QWidget* parent) : QComboBox(parent), document_(document) {
  setObjectName(u"planner_fits"_s);
  setAccessibleName(tr("What must fit the budget and the memory"));
  addItem(tr("tensors"));
  addItem(tr("reserved memory"));
  connect(this, &QComboBox::activated, this,
          [this](int entry) { document_.set_fits_reserved(entry == entry_reserved); });
  connect(&document_, &Document::fits_changed, this, &FitsBox::show_choice);
  connect(&document_, &Document::study_changed, this, &FitsBox::show_choice);
  show_choice();
}

bool FitsBox::has_allocator() const {
  return document_.study() != nullptr && document_.study()->choices.allocator.has_value();
}

void FitsBox::follow_answer_bar() {
  if (has_allocator()) document_.set_fits_reserved(true);
}

void FitsBox::show_choice() {
  enable_unless(
      *this,
      has_allocator()
          ? QString()
          : tr("Choose an allocator first: press Reserved in the panel Memory over the step"),
      tr("What must fit the budget and the memory below: the peak of the tensors, or the memory "
         "that PyTorch's allocator reserves for them with the chosen settings"));
  setAccessibleDescription(toolTip());
  setCurrentIndex(has_allocator() && document_.fits_reserved() ? entry_reserved : entry_tensors);
}

}  // namespace stashscope::ui
