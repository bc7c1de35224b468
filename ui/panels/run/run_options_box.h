#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include "ui/document/document.h"

namespace stashscope::ui {

/// The machine that the step runs on and the numbers of runs. Remembered across runs of the
/// program.
class RunOptionsBox : public QWidget {
  Q_OBJECT

 public:
  explicit RunOptionsBox(Document& document, QWidget* parent = nullptr);

 private:
  QSpinBox* make_count(const QString& name, int least);
  void make_host();
  void list_hosts();
  /// Uses the machine that the user typed or chose; an invalid name is reported and reverted.
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
