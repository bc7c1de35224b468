#include "ui/panels/dimensions/dimension_menu.h"

#include <algorithm>

#include "core/study/edits/dimension_edits.h"
#include "core/study/edits/edits.h"
#include "ui/document/choice_words.h"
#include "ui/document/dimension_presets.h"
#include "ui/text/texts.h"
#include "ui/widgets/drop_menu.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

DimensionMenu::DimensionMenu(Document& document, const QString& name, QWidget* parent)
    : QMenu(parent), document_(document), name_(name) {
  setObjectName(u"dimension_menu:"_s + name);
  connect(this, &QMenu::aboutToShow, this, &DimensionMenu::fill);
}

void DimensionMenu::fill() {
  empty_menu(*this);
  for (const Dimension& each : document_.study()->sizes->dims.dimensions) {
    if (shown(each.name) != name_) continue;
    add_same(each);
    add_separate(each);
    add_sizes(each);
  }
  addSeparator();
  add_entry(*this, u"sweep"_s, tr("Show the &peak against its size"),
            [this] { Q_EMIT sweep_wanted(name_); });
}

void DimensionMenu::add_same(const Dimension& dimension) {
  QMenu* const others = addMenu(tr("&Same as"));
  others->setObjectName(u"same_as_menu"_s);
  const auto study = document_.study();
  if (can_be_same(*study, dimension)) {
    for (const Dimension& other : study->sizes->dims.dimensions) {
      if (other.symbol == dimension.symbol || !can_be_same(*study, other)) continue;
      add_entry(*others, u"same_as:"_s + shown(other.name), menu_text(full_text(*study, other)),
                [this, study, dimension, other] {
                  document_.choose(
                      with_same_dimension(*study, document_.choices(), dimension, other),
                      tr("%1 is the same as %2").arg(name_, shown(other.name)));
                });
    }
  }
  others->setEnabled(!others->isEmpty());
}

void DimensionMenu::add_separate(const Dimension& dimension) {
  const auto study = document_.study();
  for (const std::string& name : names_made_same(*study, dimension)) {
    add_entry(*this, u"separate:"_s + shown(name),
              tr("Separate %1 again").arg(menu_text(shown(name))), [this, study, dimension, name] {
                document_.choose(with_separate_name(*study, document_.choices(), dimension, name),
                                 tr("%1 is separate again").arg(shown(name)));
              });
  }
}

void DimensionMenu::add_sizes(const Dimension& dimension) {
  addSeparator();
  const std::int64_t size = dimension.value;
  add_entry(*this, u"double"_s, tr("&Double"),
            [this, dimension, size] { set_size(dimension, doubled(size)); });
  add_entry(*this, u"halve"_s, tr("&Halve"),
            [this, dimension, size] { set_size(dimension, halved(size)); });
  add_entry(*this, u"assume"_s, tr("Assume a size that &fits the model"), [this, dimension] {
    Choices choices = document_.choices();
    choices.dims = without_size_of(*document_.study(), choices.dims, dimension);
    document_.choose(choices, tr("Assume %1").arg(name_));
  });
}

void DimensionMenu::set_size(const Dimension& dimension, std::int64_t size) {
  document_.choose(with_dimension(*document_.study(), document_.choices(), dimension, size),
                   tr("Set %1 to %2").arg(full_text(*document_.study(), dimension)).arg(size));
}

}  // namespace stashscope::ui
