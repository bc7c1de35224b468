#pragma once

#include <QDialog>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// A dialog with the lines of Python that put an exported plan to use, ready to copy. It says where
/// the lines go and how to check the result, and stays open until the user closes it.
class PlanCodeDialog : public QDialog {
  Q_OBJECT

 public:
  PlanCodeDialog(const Study& study, const QString& path, QWidget* parent);

 private:
  QWidget* make_code(const QString& name, const QString& code);
};

/// The lines of Python that load the plan from its file and apply it.
QString code_to_apply(const QString& path);
/// The lines of Python that load the plan from its file and print it as code that needs only
/// PyTorch.
QString code_to_print(const QString& path);
/// The lines that check the step with the plan.
QString code_to_check(const Study& study);

}  // namespace stashscope::ui
