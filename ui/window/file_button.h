#pragma once

#include <QImage>
#include <QPushButton>

namespace stashscope::ui {

/// One file of the start page.
struct FileEntry {
  QString path;
  QString name;
  QString detail;     ///< text of the second line
  QImage picture;     ///< see `curve_thumbnail`; null: none
  bool gone = false;  ///< the file does not exist any more
};

/// A button for a file. It shows the file's name above a line of details, and a small picture to
/// the left. Return has the effect of a click.
class FileButton : public QPushButton {
  Q_OBJECT

 public:
  /// @param indented leaves room for a picture even if the entry has none
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
