#include "ui/text/note_text.h"

#include <QCoreApplication>

#include "core/base/advice.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;
using enum Advice::Action;

/// The window's words for an action that the engine advises, with the punctuation that joins the
/// words to the preceding text. %1 is the subject of the advice.
const char* words_of(Advice::Action action) {
  switch (action) {
    case set_dimension:
    case set_dimensions:
      return QT_TRANSLATE_NOOP("Advice", "; set %1 in the panel Dimensions");
    case choose_loss:
      return QT_TRANSLATE_NOOP(
          "Advice",
          "; to take another output for the loss, start the program with --loss and its name");
    case freeze_parameters:
      return QT_TRANSLATE_NOOP("Advice",
                               "; to train no parameters before this node, start the program with "
                               "--freeze and their names");
    case train_normalizations:
      return QT_TRANSLATE_NOOP("Advice",
                               "; Passes > Train batch normalizations restores training "
                               "mode, or %1");
    case choose_optimizer:
      return QT_TRANSLATE_NOOP("Advice", "; choose an optimizer in Run > Optimizer");
    case plan_again:
      return QT_TRANSLATE_NOOP("Advice", "; plan again in the Planner");
    case plan_by_cluster:
      return QT_TRANSLATE_NOOP("Advice",
                               ": use File > Save modified model instead, or plan with "
                               "Clusters in the Planner");
    case plan_single_nodes:
      return QT_TRANSLATE_NOOP("Advice", ", or plan with Nodes and a budget of %1 in the Planner");
    case use_plan:
      return QT_TRANSLATE_NOOP("Advice", "; the Planner finds it");
    case choose_profile:
      return QT_TRANSLATE_NOOP("Advice", "; the Planner lists the known profiles");
    case name_dimension:
      return QT_TRANSLATE_NOOP("Advice", "; for example batch=inputs_input_ids_dim0");
    case give_inputs:
      return QT_TRANSLATE_NOOP("Advice", "; correct the declared shape in the model");
    case write_measurement:
      return QT_TRANSLATE_NOOP("Advice", "; choose a file that Run > Export the measurement wrote");
  }
  return "";
}

QString subject_text(const Advice& advice) {
  const QString subject = shown(advice.subject);
  return advice.action == plan_single_nodes ? bytes_text(subject.toLongLong()) : subject;
}

QString advice_text(const Advice& advice) {
  const QString words = QCoreApplication::translate("Advice", words_of(advice.action));
  return words.contains(u"%1"_s) ? words.arg(subject_text(advice)) : words;
}

}  // namespace

QString note_text(const std::string& note) {
  const AdvisedText found = find_advice(note);
  return shown(found.text) + (found.advice ? advice_text(*found.advice) : QString());
}

QString with_stop(const QString& text) {
  const bool has_end = text.contains(u". "_s) && !text.endsWith(u'.');
  return has_end ? text + u'.' : text;
}

}  // namespace stashscope::ui
