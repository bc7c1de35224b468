#pragma once

#include <QImage>
#include <QStringList>
#include <cstdint>
#include <optional>

namespace stashscope::ui {

/// The files opened last, newest first, kept across runs of the program. Some of the files may no
/// longer exist.
QStringList recent_files();
/// The recent files that still exist.
QStringList recent_files_there();
void add_recent_file(const QString& path);
/// Removes a file and its peaks from the list of recent files.
void forget_recent_file(const QString& path);

/// The name of a file with its folder, such as `folder/model.onnx`, because many models have the
/// same file name.
QString name_of_file(const QString& path);

/// The peaks of a file's step when the file was shown last, in bytes.
struct RecentPeaks {
  std::int64_t without_plans = 0;
  std::int64_t with_choices = 0;
};
/// The stored peaks of a recent file; empty if none are stored.
std::optional<RecentPeaks> recent_peaks(const QString& path);
/// Stores the peaks of a recent file. Does nothing for a file that is not a recent file.
void remember_peaks(const QString& path, const RecentPeaks& peaks);

/// Small pictures of recent files, in a folder of their own that may be deleted at any time. If the
/// path of the folder is empty, no picture is stored.
class Thumbnails {
 public:
  explicit Thumbnails(QString folder) : folder_(std::move(folder)) {}

  /// The folder `thumbnails` in the program's cache folder; empty if there is no cache folder.
  static QString default_folder();

  /// The picture of a file; a null image if there is none or if it cannot be read.
  QImage of(const QString& path) const;
  /// Stores the picture of a file, and removes the pictures of all other files that are not in
  /// `listed`. Ignores write errors: the picture is then missing. Can be called on any thread.
  void keep(const QString& path, const QImage& image, const QStringList& listed) const;

 private:
  QString file_of(const QString& path) const;

  QString folder_;
};

}  // namespace stashscope::ui
