#pragma once

#include <QLayout>
#include <vector>

namespace stashscope::ui {

/// Rows of widgets from left to right, which break where the width ends. A label stays in the row
/// of the widget that follows the label. In each row, the widgets that can grow share the remaining
/// width.
class FlowLayout : public QLayout {
 public:
  /// The layout has no margins.
  explicit FlowLayout(QWidget* parent = nullptr);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
  QSize sizeHint() const override;
  /// The minimum size that holds the widest widget with its label.
  QSize minimumSize() const override;
  void setGeometry(const QRect& place) override;

 private:
  using Items = std::vector<QLayoutItem*>;

  /// The visible widgets in units: a label and the widget that follows it form one unit.
  std::vector<Items> units() const;
  /// Breaks the widgets into rows and returns the height of all rows.
  /// @param moves whether the widgets are moved to their places
  int arrange(const QRect& place, bool moves) const;
  int place_row(const Items& row, const QRect& place, bool moves) const;
  int width_of(const Items& items, bool least) const;

  std::vector<QLayoutItem*> items_;
};

}  // namespace stashscope::ui
