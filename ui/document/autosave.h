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
  /// A session that an ended run of the program left behind.
  struct Abandoned {
    QString file;
    QString model;
  };

  Autosave(Document& document, const QString& folder, QObject* parent = nullptr);
  /// Keeps the file if there are unsaved choices, and removes it otherwise.
  ~Autosave() override;

  /// Sessions in the folder whose programs have ended, newest first. Skips files that cannot be
  /// read, and leaves them in place.
  std::vector<Abandoned> abandoned() const;
  void discard(const Abandoned& session) const;
  /// Opens the session. Removes `session.file` once the autosave file of this document holds the
  /// choices.
  void restore(const Abandoned& session);
  /// The user discards the unsaved choices: the destructor removes the file.
  void give_up() { given_up_ = true; }
  /// Writes the document's session now, in the background.
  void save();

  /// In the program's cache folder.
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
