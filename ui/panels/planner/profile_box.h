#pragma once

#include <QComboBox>

#include "ui/document/document.h"

namespace stashscope::ui {

/// A list of device profiles. The user chooses the device that times are predicted for: a bundled
/// profile, or a profile from a file.
class ProfileBox : public QWidget {
  Q_OBJECT

 public:
  explicit ProfileBox(Document& document, QWidget* parent = nullptr);

 private:
  void choose_file();
  void choose(const std::string& name_or_file, const QString& merge_key);
  void show_choice();

  Document& document_;
  QComboBox* names_;
};

}  // namespace stashscope::ui
