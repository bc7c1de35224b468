#include "ui/text/note_text.h"

#include <QCoreApplication>

#include "core/base/advice.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

QString said(const char* text) { return QCoreApplication::translate("Advice", text); }

/// What to do, with the punctuation that joins it to the text before it.
QString advice_text(const Advice& advice) {
  using enum Advice::Action;
  const QString subject = shown(advice.subject);
  switch (advice.action) {
    case set_dimension:
    case set_dimensions:
      return said(QT_TRANSLATE_NOOP("Advice", "; set %1 in the panel Dimensions")).arg(subject);
    case choose_loss:
      return said(QT_TRANSLATE_NOOP(
          "Advice", "; to take another one, start the program with --loss and its name"));
    case freeze_parameters:
      return said(QT_TRANSLATE_NOOP("Advice",
                                    "; to train no parameters before it, start the program with "
                                    "--freeze and their names"));
    case train_normalizations:
      return said(QT_TRANSLATE_NOOP("Advice",
                                    "; Passes > Train batch normalizations puts training mode "
                                    "back, or %1"))
          .arg(subject);
    case choose_optimizer:
      return said(QT_TRANSLATE_NOOP("Advice", "; choose one in Run > Optimizer"));
    case plan_again:
      return said(QT_TRANSLATE_NOOP("Advice", "; plan again in the Planner"));
    case plan_by_cluster:
      return said(QT_TRANSLATE_NOOP("Advice",
                                    ": use File > Save modified model instead, or plan with "
                                    "Clusters in the Planner"));
    case plan_single_nodes:
      return said(QT_TRANSLATE_NOOP("Advice",
                                    ", or plan with Nodes and a budget of %1 in the Planner"))
          .arg(bytes_text(QString::fromStdString(advice.subject).toLongLong()));
    case use_plan:
      return said(QT_TRANSLATE_NOOP("Advice", "; the Planner finds it"));
    case choose_profile:
      return said(QT_TRANSLATE_NOOP("Advice", "; the Planner lists the known profiles"));
    case name_dimension:
      return said(QT_TRANSLATE_NOOP("Advice", "; for example batch=inputs_input_ids_dim0"));
    case give_inputs:
      return said(QT_TRANSLATE_NOOP("Advice", "; correct the declared shape in the model"));
    case write_measurement:
      return said(
          QT_TRANSLATE_NOOP("Advice", "; choose a file that Run > Export the measurement wrote"));
  }
  return {};
}

}  // namespace

QString note_text(const std::string& note) {
  const AdvisedText found = find_advice(note);
  return shown(found.text) + (found.advice ? advice_text(*found.advice) : QString());
}

}  // namespace stashscope::ui
