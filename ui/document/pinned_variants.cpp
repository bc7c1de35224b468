#include "ui/document/pinned_variants.h"

#include <algorithm>

#include "core/study/facts/named_sizes.h"
#include "ui/document/choice_words.h"
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

bool has_size(const Study& study, const NamedSize& size) {
  return std::ranges::any_of(study.sizes->dims.dimensions, [&](const Dimension& each) {
    return each.name == size.dimension && each.value == size.value;
  });
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
  if (choices.graph.gradient_type) {
    parts << PinnedVariants::tr("gradients in %1")
                 .arg(shown(precision_name(choices.graph.gradient_type)));
  }
  for (const auto& [name, value] : choices.graph.what_ifs) {
    parts << shown(find_what_if(name).words(value));
  }
  return parts.join(u", "_s);
}

PinnedVariants::PinnedVariants(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document_, &Document::opened, this, [this] {
    pinned_.clear();
    Q_EMIT changed();
  });
  connect(&document_, &Document::study_changed, this, &PinnedVariants::follow_sizes);
}

void PinnedVariants::follow_sizes() {
  if (sizes_ == document_.study()->sizes) return;
  sizes_ = document_.study()->sizes;
  if (!pinned_.empty()) Q_EMIT sizes_changed();
}

QString PinnedVariants::other_sizes(std::size_t index) const {
  QStringList sizes;
  for (const NamedSize& each : named_sizes(*pinned_[index].study)) {
    const QString text = u"%1 %2"_s.arg(word_text(each)).arg(each.value);
    if (!has_size(*document_.study(), each) && !sizes.contains(text)) sizes << text;
  }
  return sizes.join(u", "_s);
}

QString PinnedVariants::full_label(std::size_t index) const {
  const QString sizes = other_sizes(index);
  return sizes.isEmpty() ? pinned_[index].label : pinned_[index].label + u", "_s + sizes;
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
  pinned_.push_back({study, variant_label(*study), free_slot()});
  Q_EMIT changed();
}

void PinnedVariants::unpin(std::size_t index) {
  if (index >= pinned_.size()) return;
  pinned_.erase(pinned_.begin() + static_cast<std::ptrdiff_t>(index));
  Q_EMIT changed();
}

void PinnedVariants::go_back(std::size_t index) {
  if (index >= pinned_.size()) return;
  document_.choose(pinned_[index].study->choices, tr("Back to %1").arg(full_label(index)));
}

}  // namespace stashscope::ui
