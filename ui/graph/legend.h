#pragma once

#include <QWidget>

namespace stashscope::ui {

/// What the colours and curves of the graph mean, on one line.
class Legend : public QWidget {
  Q_OBJECT

 public:
  explicit Legend(QWidget* parent = nullptr);

  /// @param steps of the whole step, which the brightest colour stands for
  void set_steps(std::size_t steps);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString first_text() const;
  QString last_text() const;
  QString stash_text() const;

  std::size_t steps_ = 0;
};

}  // namespace stashscope::ui
