#pragma once

#include <QTreeView>

namespace stashscope::ui {

/// Common look and behaviour of trees of groups: several rows can be selected, and an invitation is
/// shown while there are no rows.
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
