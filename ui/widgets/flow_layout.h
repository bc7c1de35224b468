#pragma once

#include <QLayout>
#include <vector>

namespace stashscope::ui {

/// Rows of widgets from left to right, which break where the width ends. A label stays in the row
/// of the widget after it. In each row, the widgets that can grow share what is left.
class FlowLayout : public QLayout {
 public:
  /// Without margins.
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
  /// The width of the widest widget with its label.
  QSize minimumSize() const override;
  void setGeometry(const QRect& place) override;

 private:
  using Items = std::vector<QLayoutItem*>;

  /// The visible widgets, each after its label.
  std::vector<Items> units() const;
  /// Returns the height. @param moves whether the widgets are moved to their places
  int arrange(const QRect& place, bool moves) const;
  int place_row(const Items& row, const QRect& place, bool moves) const;
  int width_of(const Items& items, bool least) const;

  std::vector<QLayoutItem*> items_;
};

}  // namespace stashscope::ui
