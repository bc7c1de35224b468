#include "ui/document/pinned_variants.h"

#include <algorithm>

#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString plans_label(const Study& study) {
  const Choices& choices = study.choices;
  if (choices.plans.sequence) return PinnedVariants::tr("planned");
  if (choices.plans.level > 0) return PinnedVariants::tr("level %1").arg(choices.plans.level);
  const auto is_on = [](const PlanRow& row) { return row.on; };
  const auto on =
      std::count_if(study.plan_table->plans.begin(), study.plan_table->plans.end(), is_on) +
      std::count_if(study.plan_table->extensions.begin(), study.plan_table->extensions.end(),
                    is_on);
  return on == 0 ? PinnedVariants::tr("no plans")
                 : PinnedVariants::tr("%n plan(s)", nullptr, static_cast<int>(on));
}

/// A text such as `batch = 8, ...`: the dimensions of `study` that `than` does not have, and those
/// that have another size in `than`.
QString other_dims(const Study& study, const Study& than) {
  QStringList dims;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    const auto& known = than.sizes->dims.dimensions;
    const bool is_same = std::any_of(known.begin(), known.end(), [&](const Dimension& other) {
      return other.name == each.name && other.value == each.value;
    });
    if (!is_same) dims << u"%1 = %2"_s.arg(shown(each.name)).arg(each.value);
  }
  return dims.join(u", "_s);
}

/// The label of a study. If a pinned variant has the same label, the dimension sizes that differ
/// between the two variants are appended.
QString own_label(const Study& study, const std::vector<PinnedVariant>& pinned) {
  const QString label = variant_label(study);
  for (const PinnedVariant& each : pinned) {
    if (variant_label(*each.study) != label) continue;
    const QString dims = other_dims(study, *each.study);
    if (!dims.isEmpty()) return label + u", "_s + dims;
  }
  return label;
}

}  // namespace

QString variant_label(const Study& study) {
  const Choices& choices = study.choices;
  const Choices usual;
  QStringList parts = {plans_label(study)};
  if (study.order && study.order != usual.order.strategy) {
    parts << PinnedVariants::tr("order %1").arg(shown(*study.order));
  }
  if (choices.fusion.strategy != usual.fusion.strategy) {
    parts << PinnedVariants::tr("fusion %1")
                 .arg(shown(choice_text(choices.fusion.strategy, no_fusion)));
  }
  if (choices.update.optimizer != usual.update.optimizer) parts << shown(choices.update.optimizer);
  if (choices.graph.precision) parts << shown(precision_name(choices.graph.precision));
  return parts.join(u", "_s);
}

PinnedVariants::PinnedVariants(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document_, &Document::opened, this, [this] {
    pinned_.clear();
    Q_EMIT changed();
  });
}

bool PinnedVariants::can_pin() const {
  const auto& study = document_.study();
  if (study == nullptr) return false;
  const auto same = std::find_if(pinned_.begin(), pinned_.end(), [&](const PinnedVariant& each) {
    return same_step(each.study->choices, study->choices);
  });
  if (same != pinned_.end()) {
    document_.notices().notify(tr("This variant is pinned already: %1.").arg(same->label));
    return false;
  }
  if (pinned_.size() >= most) {
    document_.notices().notify(
        tr("%1 variants are pinned. To pin another, unpin one in the row above the memory curve.")
            .arg(most));
    return false;
  }
  return true;
}

std::size_t PinnedVariants::free_slot() const {
  std::size_t slot = 0;
  const auto is_taken = [&](const PinnedVariant& each) { return each.slot == slot; };
  while (std::any_of(pinned_.begin(), pinned_.end(), is_taken)) ++slot;
  return slot;
}

void PinnedVariants::pin() {
  if (!can_pin()) return;
  const auto& study = document_.study();
  pinned_.push_back({study, own_label(*study, pinned_), free_slot()});
  Q_EMIT changed();
}

void PinnedVariants::unpin(std::size_t index) {
  if (index >= pinned_.size()) return;
  pinned_.erase(pinned_.begin() + static_cast<std::ptrdiff_t>(index));
  Q_EMIT changed();
}

void PinnedVariants::go_back(std::size_t index) {
  if (index >= pinned_.size()) return;
  const PinnedVariant& pinned = pinned_[index];
  document_.choose(pinned.study->choices, tr("Back to %1").arg(pinned.label));
}

}  // namespace stashscope::ui
