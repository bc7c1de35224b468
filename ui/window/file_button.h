#pragma once

#include <QImage>
#include <QPushButton>

namespace stashscope::ui {

/// One file of the start page.
struct FileEntry {
  QString path;
  QString name;
  QString detail;  ///< a second line
  QImage picture;  ///< see `curve_thumbnail`; null: none
  bool gone = false;
};

/// Opens a file: its name above a line about it, with a small picture beside both. Return works as
/// a click does.
class FileButton : public QPushButton {
  Q_OBJECT

 public:
  /// @param indented leaves room for a picture also without one
  FileButton(const FileEntry& entry, bool indented, QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRect picture_place() const;

  FileEntry entry_;
  bool indented_;
};

}  // namespace stashscope::ui
