#pragma once

#include <QTreeView>

#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// Common look and behaviour of trees of groups: several rows can be selected, and an invitation is
/// shown while there are no rows.
class GroupTree : public QTreeView, public PictureSource {
  Q_OBJECT

 public:
  explicit GroupTree(QWidget* parent = nullptr);

  void set_invitation(const QString& invitation);
  /// Gives a column all the width that the content of the other columns leaves. Call this after
  /// `setModel`.
  void give_room_to(int column);

  Picture picture(const QString& title) override;
  void gather_data(const DataTaker& take) override;
  bool has_picture() override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString invitation_;
};

}  // namespace stashscope::ui
