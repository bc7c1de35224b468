#pragma once

#include <QLockFile>
#include <QTimer>
#include <vector>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Keeps the choices of a document in a file of its own while they are not saved, so that neither a
/// crash nor a hasty quit loses them.
class Autosave : public QObject {
  Q_OBJECT

 public:
  /// A session that another run of the program left behind.
  struct Abandoned {
    QString file;
    QString model;
  };

  Autosave(Document& document, const QString& folder, QObject* parent = nullptr);
  /// Keeps the file when there are unsaved choices, removes it otherwise.
  ~Autosave() override;

  /// Sessions in the folder whose programs have ended, newest first. Files that cannot be read are
  /// neither offered nor touched.
  std::vector<Abandoned> abandoned() const;
  void discard(const Abandoned& session) const;
  /// Opens the session; its file goes once the document keeps one of its own.
  void restore(const Abandoned& session);
  /// The user does not want the unsaved choices any more: nothing is kept at the end.
  void give_up() { given_up_ = true; }
  /// Writes the document's session now, in the background.
  void save();

  /// Beside the program's cache.
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
