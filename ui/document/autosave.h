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

  /// Sessions in the folder whose programs have ended, newest first.
  std::vector<Abandoned> abandoned() const;
  void discard(const Abandoned& session) const;
  /// Writes the document's session now, in the background.
  void save();

  /// Beside the program's cache.
  static QString default_folder();

 private:
  Document& document_;
  QString folder_;
  QString file_;
  std::unique_ptr<QLockFile> lock_;
  QTimer delay_;
};

}  // namespace stashscope::ui
