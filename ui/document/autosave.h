#pragma once

#include <QLockFile>
#include <QTimer>
#include <vector>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Keeps unsaved choices of a document in a session file, so that neither a crash nor a hasty quit
/// loses them.
class Autosave : public QObject {
  Q_OBJECT

 public:
  /// A session file left behind by a run of the program that has ended.
  struct Abandoned {
    QString file;
    QString model;
  };

  Autosave(Document& document, const QString& folder, QObject* parent = nullptr);
  /// Keeps the file if there are unsaved choices, and removes it otherwise.
  ~Autosave() override;

  /// Session files left in the folder by runs of the program that have ended, newest first. Files
  /// that cannot be read are skipped and stay in the folder.
  std::vector<Abandoned> abandoned() const;
  void discard(const Abandoned& session) const;
  /// Opens the session. Removes `session.file` once the autosave file of this document holds the
  /// choices.
  void restore(const Abandoned& session);
  /// The user discards the unsaved choices: the destructor removes the file.
  void give_up() { given_up_ = true; }
  /// Writes the document's session now, in the background.
  void save();

  /// The folder `autosave` in the program's cache folder.
  static QString default_folder();

 private:
  void take_over();

  Document& document_;
  QString folder_;
  QString file_;
  std::unique_ptr<QLockFile> lock_;
  QTimer delay_;
  QString restoring_;  // the abandoned file that is being opened
  bool given_up_ = false;
};

}  // namespace stashscope::ui
