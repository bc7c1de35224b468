#pragma once

#include <QVBoxLayout>
#include <QWidget>

namespace stashscope::ui {

/// Shown while no model is open: invites to open or drop one, or to start with a sample.
class Welcome : public QWidget {
  Q_OBJECT

 public:
  explicit Welcome(QWidget* parent = nullptr);

  void refresh();

 Q_SIGNALS:
  void open_wanted();
  void file_wanted(const QString& path);

 private:
  void add_list(const QString& title, const QStringList& files,
                QString (*name)(const QString& file));

  QVBoxLayout* lists_;
};

/// The sample models that come with the program.
QStringList sample_models();

}  // namespace stashscope::ui
