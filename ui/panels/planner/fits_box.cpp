#include "ui/panels/planner/fits_box.h"

#include "core/study/reserved/reserved_memory.h"
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
  connect(this, &QComboBox::activated, this, &FitsBox::take_entry);
  connect(&document_, &Document::study_changed, this, &FitsBox::show_choice);
  show_choice();
}

bool FitsBox::has_allocator() const {
  return document_.study() != nullptr && document_.study()->choices.allocator.has_value();
}

std::optional<AllocatorSettings> FitsBox::allocator() const {
  if (!has_allocator() || !document_.fits_reserved()) return std::nullopt;
  return allocator_settings(document_.study()->choices);
}

void FitsBox::follow_answer_bar() {
  if (has_allocator()) take_entry(entry_reserved);
}

void FitsBox::take_entry(int entry) {
  const bool is_reserved = entry == entry_reserved;
  if (is_reserved == document_.fits_reserved()) return;
  document_.set_fits_reserved(is_reserved);
  show_choice();
  Q_EMIT changed();
}

void FitsBox::show_choice() {
  enable_unless(
      *this, has_allocator() ? QString() : tr("Choose an allocator first: Reserved in Memory"),
      tr("What must fit the budget and the memory below: the peak of the tensors, or the memory "
         "that PyTorch's allocator reserves for them with the chosen settings"));
  setAccessibleDescription(toolTip());
  setCurrentIndex(has_allocator() && document_.fits_reserved() ? entry_reserved : entry_tensors);
}

}  // namespace stashscope::ui
