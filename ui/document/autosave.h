#pragma once

#include <QLockFile>
#include <QTimer>
#include <vector>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Keeps the unsaved choices of a document in a session file, so that they survive when the program
/// crashes or quits.
class Autosave : public QObject {
  Q_OBJECT

 public:
  /// A session file that the program left behind, for example when it crashed.
  struct Abandoned {
    QString file;
    QString model;
    QString session;  ///< the user's session that the choices belong to; empty: none
  };

  Autosave(Document& document, const QString& folder, QObject* parent = nullptr);
  /// Saves unsaved choices, unless `give_up` was called. Without unsaved choices, or after
  /// `give_up`, removes the file.
  ~Autosave() override;

  /// Session files in the folder that no running program uses and that were not restored, newest
  /// first. Files that cannot be read are skipped and stay in the folder.
  std::vector<Abandoned> abandoned() const;
  void discard(const Abandoned& session) const;
  /// Opens the session. Removes `session.file` once the autosave file of this document holds the
  /// choices of the session. If the session cannot be opened, `session.file` stays.
  void restore(const Abandoned& session);
  /// Discards the unsaved choices. The destructor then removes the file.
  void give_up() { given_up_ = true; }
  /// Writes the unsaved choices now, in the background.
  void save();

  /// The folder `autosave` in the program's cache folder.
  static QString default_folder();

 private:
  Session kept_session() const;
  void take_over();
  void forget_saved();

  Document& document_;
  QString folder_;
  QString file_;
  std::unique_ptr<QLockFile> lock_;
  QTimer delay_;
  QString restoring_;  // the abandoned file that is being opened; empty: none
  QString restored_;   // the abandoned file that was opened last; its removal may be pending
  bool given_up_ = false;
};

}  // namespace stashscope::ui
