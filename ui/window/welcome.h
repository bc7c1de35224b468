#pragma once

#include <QBoxLayout>
#include <QPushButton>
#include <QScrollArea>

#include "ui/document/recent_files.h"
#include "ui/window/file_button.h"
#include "ui/window/samples.h"

namespace stashscope::ui {

/// The lines of Python that export a model for Stashscope; docs/passes.md has the same lines.
QString export_lines();
/// The lines of Python that capture a training step; docs/pytorch.md has the same lines.
QString capture_lines();

/// The start page, shown while no model is open. It offers to open a file, a recent file or a
/// sample, and shows how to capture a step of PyTorch and how to export a model. In a narrow
/// window, the two columns of the page stand one below the other.
class Welcome : public QScrollArea {
  Q_OBJECT

 public:
  explicit Welcome(const Thumbnails& thumbnails, QWidget* parent = nullptr);

 Q_SIGNALS:
  void open_wanted();
  void export_help_wanted();   ///< requests the document about exports
  void capture_help_wanted();  ///< requests the document about captured steps
  void file_wanted(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_left();
  QWidget* make_capture_help();
  QWidget* make_export_help();
  void fill_recent();
  void fill_samples();
  void add_entries(QVBoxLayout& list, const std::vector<FileEntry>& entries, bool recent);
  void add_entry(QVBoxLayout& list, const FileEntry& entry, bool indented, bool recent);
  QPushButton* make_remove_button(const FileEntry& entry);
  void forget(const QString& path);
  void arrange();
  /// The width in pixels at which no text of a column is elided, clamped to the minimum and maximum
  /// widths of the column.
  static int wanted_width(const QWidget& column);

  Thumbnails thumbnails_;
  QPushButton* open_;
  QBoxLayout* columns_ = nullptr;
  QWidget* left_ = nullptr;
  QWidget* right_ = nullptr;
  QVBoxLayout* recent_;
  QVBoxLayout* samples_;
};

}  // namespace stashscope::ui
