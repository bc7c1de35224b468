#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Runs the step on a device and sets what it measured against the prediction.
class RunPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunPanel(Document& document, QWidget* parent = nullptr);

 private:
  void list_devices();
  void choose_device(int index);
  void show_state();
  void show_device();
  void show_result();

  Document& document_;
  QComboBox* device_;
  QPushButton* run_;
  QPushButton* cancel_;
  QProgressBar* progress_;
  QLabel* result_;
};

}  // namespace stashscope::ui
