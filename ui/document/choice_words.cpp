#include "ui/document/choice_words.h"

#include <QCoreApplication>

#include "core/graph/captured_step.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

struct ChoiceWords {
  Q_DECLARE_TR_FUNCTIONS(ChoiceWords)
};

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

QString word_text(const NamedSize& size) {
  switch (size.unit) {
    case DimensionUnit::samples:
      return ChoiceWords::tr("batch");
    case DimensionUnit::tokens:
      return ChoiceWords::tr("sequence");
    case DimensionUnit::pixels:
      return ChoiceWords::tr("image");
    case DimensionUnit::none:
      break;
  }
  return shown(size.dimension);
}

QString full_text(const NamedSize& size) {
  const QString name = shown(size.dimension);
  return size.unit == DimensionUnit::none ? name
                                          : ChoiceWords::tr("%1 (%2)").arg(word_text(size), name);
}

}  // namespace stashscope::ui
