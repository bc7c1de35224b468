#include "ui/text/note_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

#include "core/base/advice.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;
using enum Advice::Action;

/// The window's words for an advice, with the punctuation that joins them to the text before. %1 is
/// the subject of the advice.
struct ControlWords {
  Advice::Action action;
  const char* words;
};

constexpr std::array all_words = {
    ControlWords{set_dimension, QT_TRANSLATE_NOOP("Advice", "; set %1 in the panel Dimensions")},
    ControlWords{set_dimensions, QT_TRANSLATE_NOOP("Advice", "; set %1 in the panel Dimensions")},
    ControlWords{
        choose_loss,
        QT_TRANSLATE_NOOP(
            "Advice",
            "; to take another output for the loss, start the program with --loss and its name")},
    ControlWords{
        freeze_parameters,
        QT_TRANSLATE_NOOP("Advice",
                          "; to train no parameters before this node, start the program with "
                          "--freeze and their names")},
    ControlWords{train_normalizations,
                 QT_TRANSLATE_NOOP("Advice",
                                   "; Passes > Train batch normalizations puts training mode "
                                   "back, or %1")},
    ControlWords{choose_optimizer,
                 QT_TRANSLATE_NOOP("Advice", "; choose an optimizer in Run > Optimizer")},
    ControlWords{plan_again, QT_TRANSLATE_NOOP("Advice", "; plan again in the Planner")},
    ControlWords{plan_by_cluster,
                 QT_TRANSLATE_NOOP("Advice",
                                   ": use File > Save modified model instead, or plan with "
                                   "Clusters in the Planner")},
    ControlWords{
        plan_single_nodes,
        QT_TRANSLATE_NOOP("Advice", ", or plan with Nodes and a budget of %1 in the Planner")},
    ControlWords{use_plan, QT_TRANSLATE_NOOP("Advice", "; the Planner finds it")},
    ControlWords{choose_profile,
                 QT_TRANSLATE_NOOP("Advice", "; the Planner lists the known profiles")},
    ControlWords{name_dimension,
                 QT_TRANSLATE_NOOP("Advice", "; for example batch=inputs_input_ids_dim0")},
    ControlWords{give_inputs,
                 QT_TRANSLATE_NOOP("Advice", "; correct the declared shape in the model")},
    ControlWords{
        write_measurement,
        QT_TRANSLATE_NOOP("Advice", "; choose a file that Run > Export the measurement wrote")},
};

QString subject_text(const Advice& advice) {
  const QString subject = shown(advice.subject);
  return advice.action == plan_single_nodes ? bytes_text(subject.toLongLong()) : subject;
}

QString advice_text(const Advice& advice) {
  const auto found = std::ranges::find(all_words, advice.action, &ControlWords::action);
  const QString words = QCoreApplication::translate("Advice", found->words);
  return words.contains(u"%1"_s) ? words.arg(subject_text(advice)) : words;
}

}  // namespace

QString note_text(const std::string& note) {
  const AdvisedText found = find_advice(note);
  return shown(found.text) + (found.advice ? advice_text(*found.advice) : QString());
}

}  // namespace stashscope::ui
