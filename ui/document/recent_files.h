#pragma once

#include <QImage>
#include <QStringList>
#include <cstdint>
#include <optional>

namespace stashscope::ui {

/// The files opened last, newest first, kept across runs of the program. Some may be gone.
QStringList recent_files();
/// Those that still exist.
QStringList recent_files_there();
void add_recent_file(const QString& path);
/// Removes a file from the list, with its peaks.
void forget_recent_file(const QString& path);

/// `folder/model.onnx`: many models have the same file name.
QString name_of_file(const QString& path);

/// The peaks of a file's step when the file was shown last, in bytes.
struct RecentPeaks {
  std::int64_t without_plans = 0;
  std::int64_t with_choices = 0;
};
/// Nothing if the file was not shown since it is in the list.
std::optional<RecentPeaks> recent_peaks(const QString& path);
/// Does nothing for a file that is not in the list.
void remember_peaks(const QString& path, const RecentPeaks& peaks);

/// Small pictures of recent files, in a folder of their own that may be deleted at any time. With
/// an empty folder, nothing is kept.
class Thumbnails {
 public:
  explicit Thumbnails(QString folder) : folder_(std::move(folder)) {}

  /// In the user's cache folder.
  static QString default_folder();

  /// Null if there is none, or if its file is broken.
  QImage of(const QString& path) const;
  /// Writes a picture, and removes those of files that are not in `listed`. Never fails: without a
  /// picture, only the picture is missing. Can be called on any thread.
  void keep(const QString& path, const QImage& image, const QStringList& listed) const;

 private:
  QString file_of(const QString& path) const;

  QString folder_;
};

}  // namespace stashscope::ui
