#pragma once

#include <QDialog>

#include "ui/jobs/device_list.h"

namespace stashscope::ui {

/// The versions of the program and of its libraries, then the devices of this computer. Each
/// version and each device has a line of its own.
QString versions_text(const DeviceList& devices);

/// Shows the purpose and the version of the program, and the devices as soon as they are known.
/// Deletes itself when closed.
class AboutBox : public QDialog {
  Q_OBJECT

 public:
  /// @param devices must outlive the box
  AboutBox(const DeviceList& devices, QWidget* parent);
};

}  // namespace stashscope::ui
