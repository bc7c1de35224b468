#pragma once

#include <QTreeView>

namespace stashscope::ui {

/// How trees of groups look and behave: several rows can be selected, a sentence where there are
/// none.
class GroupTree : public QTreeView {
  Q_OBJECT

 public:
  explicit GroupTree(QWidget* parent = nullptr);

  void set_invitation(const QString& invitation);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString invitation_;
};

}  // namespace stashscope::ui
