#include "ui/document/choice_words.h"

#include <QCoreApplication>

#include "core/graph/captured_step.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

struct ChoiceWords {
  Q_DECLARE_TR_FUNCTIONS(ChoiceWords)
};

NamedSize named_size(const Study& study, const Dimension& dimension) {
  return {dimension.name, unit_of(study.graph(), dimension), dimension.value};
}

}  // namespace

bool is_captured(const Study* study) {
  return study != nullptr && study->graph().data().captured != nullptr;
}

bool has_own_optimizer(const Study& study) {
  return is_captured(&study) && study.graph().data().captured->has_optimizer();
}

QString optimizer_text(const Study& study) {
  if (has_own_optimizer(study)) {
    return ChoiceWords::tr("with its own optimizer");
  }
  const UpdateChoice& choice = study.choices.update;
  return find_optimizer(choice.optimizer).updates
             ? ChoiceWords::tr("with %1").arg(shown(choice.optimizer))
             : ChoiceWords::tr("no optimizer");
}

QStringList graph_changes(const Study& study) {
  const GraphChoices& graph = study.choices.graph;
  QStringList changes;
  for (const std::string& title : pass_titles(study.choices)) changes << shown(title);
  for (const std::string& title : titles_of_what_ifs(study)) changes << shown(title);
  if (graph.precision) {
    changes << ChoiceWords::tr("mixed precision %1").arg(shown(precision_name(graph.precision)));
  }
  return changes;
}

QString reserved_text(const ReservedMemory& memory) {
  return ChoiceWords::tr("%1, %2 of it fragmentation")
      .arg(bytes_text(memory.reserved_bytes), bytes_text(memory.fragmentation_bytes));
}

QString device_memory_text(const DeviceMemory& memory) {
  return ChoiceWords::tr("%1 to %2 of the device")
      .arg(bytes_text(memory.low_bytes), bytes_text(memory.high_bytes));
}

QString runtime_hint() {
  return ChoiceWords::tr(
      "Plans and passes are for ONNX Runtime or the saved model. For a PyTorch script, "
      "<a href=\"capture\">capture its step</a>.");
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

QString full_text(const Study& study, const Dimension& dimension) {
  return full_text(named_size(study, dimension));
}

QString word_text(const Study& study, const Dimension& dimension) {
  return word_text(named_size(study, dimension));
}

}  // namespace stashscope::ui
