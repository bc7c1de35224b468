#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "core/run/runner.h"
#include "ui/document/document.h"
#include "ui/panels/run_options.h"

namespace stashscope::ui {

/// Runs the step on a device, here or on another machine, and sets what it measured against the
/// prediction. Measurements come from and go to files.
class RunPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunPanel(Document& document, QWidget* parent = nullptr);

 private:
  QLayout* make_top();
  QWidget* make_content();
  QLayout* make_files();
  QPushButton* make_button(const QString& name, const QString& text, const QString& tip);
  void connect_document();
  void list_devices();
  void choose_device(int index);
  void show_state();
  void show_turn();
  void show_button(bool running);
  void show_device();
  void show_result();
  QString result_text(const Measured& measured) const;

  Document& document_;
  std::vector<DeviceInfo> devices_;  ///< by row
  QComboBox* device_;
  QPushButton* run_;
  QPushButton* cancel_;
  QProgressBar* progress_;
  RunOptions* options_;
  QPushButton* export_;
  QLabel* result_;
};

}  // namespace stashscope::ui
