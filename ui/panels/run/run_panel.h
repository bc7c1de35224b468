#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "core/run/devices/devices.h"
#include "ui/document/document.h"
#include "ui/panels/run/run_options_box.h"

namespace stashscope::ui {

/// Runs the step on a device of this or another machine, and shows the measurement beside the
/// prediction. Imports and exports measurements.
class RunPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunPanel(Document& document, QWidget* parent = nullptr);

 private:
  QLayout* make_top();
  QWidget* make_content();
  QWidget* make_files();
  QPushButton* make_button(const QString& name, const QString& text, const QString& tip);
  void connect_document();
  void list_devices();
  void allow_typing(bool is_allowed);
  void choose_device(const QString& name);
  /// Uses the device that the user typed. An invalid name is reported, and the field returns to the
  /// previous device.
  void take_typed_device();
  void show_state();
  void show_turn();
  void show_button(bool running);
  void show_device();
  void show_result();
  QString result_text(const Measured& measured) const;

  Document& document_;
  QComboBox* device_;
  QPushButton* run_;
  QPushButton* cancel_;
  QProgressBar* progress_;
  RunOptionsBox* options_;
  QPushButton* export_;
  QLabel* result_;
};

}  // namespace stashscope::ui
