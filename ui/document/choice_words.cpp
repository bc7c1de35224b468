#include "ui/document/choice_words.h"

#include <QCoreApplication>

#include "core/graph/captured_step.h"
#include "core/study/choices/dimension_uses.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

struct ChoiceWords {
  Q_DECLARE_TR_FUNCTIONS(ChoiceWords)
};

QString word_of(DimensionUnit unit, const QString& name) {
  switch (unit) {
    case DimensionUnit::samples:
      return ChoiceWords::tr("batch");
    case DimensionUnit::tokens:
      return ChoiceWords::tr("sequence");
    case DimensionUnit::pixels:
      return ChoiceWords::tr("image");
    case DimensionUnit::none:
      break;
  }
  return name;
}

}  // namespace

QString optimizer_text(const Study& study) {
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured != nullptr && captured->has_optimizer()) {
    return ChoiceWords::tr("with its own optimizer");
  }
  const UpdateChoice& choice = study.choices.update;
  return find_optimizer(choice.optimizer).updates
             ? ChoiceWords::tr("with %1").arg(shown(choice.optimizer))
             : ChoiceWords::tr("no optimizer");
}

QString full_text(const NamedSize& size) {
  return size.word == size.dimension ? size.dimension
                                     : ChoiceWords::tr("%1 (%2)").arg(size.word, size.dimension);
}

std::vector<NamedSize> named_sizes(const Study& study) {
  std::vector<NamedSize> sizes;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    const QString name = shown(each.name);
    sizes.push_back({name, word_of(unit_of(study.graph(), each), name), each.value});
  }
  return sizes;
}

}  // namespace stashscope::ui
