#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Fields for the machine that runs the step, the worker program on that machine, and the numbers
/// of warm-up runs and measured runs. The values are saved across runs of the program.
class RunOptionsBox : public QWidget {
  Q_OBJECT

 public:
  explicit RunOptionsBox(Document& document, QWidget* parent = nullptr);

 private:
  QSpinBox* make_count(const QString& name, int least);
  void make_host();
  void list_hosts();
  /// Uses the machine and the worker program that the user entered. An invalid name is reported,
  /// and the fields return to the previous values.
  void take_host();
  void take(const RunRequest& request);
  void show_request();

  Document& document_;
  QComboBox* host_;
  QLabel* worker_label_;
  QLineEdit* worker_;
  QSpinBox* warm_up_;
  QSpinBox* repeats_;
};

}  // namespace stashscope::ui
