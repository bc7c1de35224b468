#pragma once

#include <QWidget>

#include "ui/graph/legend_layout.h"

namespace stashscope::ui {

/// The meaning of the graph's colours and curves, in up to three rows.
class Legend : public QWidget {
  Q_OBJECT

 public:
  explicit Legend(QWidget* parent = nullptr);

  void set_content(const LegendContent& content);
  const LegendContent& content() const { return content_; }
  /// The pieces at the current width.
  LegendLayout pieces() const { return pieces(width()); }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, 0}; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  LegendLayout pieces(int width) const;

  LegendContent content_;
};

}  // namespace stashscope::ui
