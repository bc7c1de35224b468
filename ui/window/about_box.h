#pragma once

#include <QDialog>

#include "ui/jobs/device_list.h"

namespace stashscope::ui {

/// Versions of the program and its libraries, and the devices of this computer, one per line.
QString versions_text(const DeviceList& devices);

/// Shows the purpose and the version of the program, and the devices as soon as they are known.
/// Deletes itself when closed.
class AboutBox : public QDialog {
  Q_OBJECT

 public:
  /// @param devices outlives the box
  AboutBox(const DeviceList& devices, QWidget* parent);
};

}  // namespace stashscope::ui
