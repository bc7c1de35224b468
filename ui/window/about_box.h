#pragma once

#include <QDialog>

#include "ui/jobs/device_list.h"

namespace stashscope::ui {

/// The versions of the program and of its libraries and the devices of this computer, one a line.
QString versions_text(const DeviceList& devices);

/// Says what the program is and in which version, and lists the devices as soon as they are known.
/// Deletes itself when closed.
class AboutBox : public QDialog {
  Q_OBJECT

 public:
  /// @param devices outlives the box
  AboutBox(const DeviceList& devices, QWidget* parent);
};

}  // namespace stashscope::ui
