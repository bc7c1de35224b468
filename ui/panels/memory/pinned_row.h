#pragma once

#include <QWidget>

#include "ui/document/pinned_variants.h"

class QHBoxLayout;

namespace stashscope::ui {

/// The legend of the pinned curves. Each curve has a button that goes back to the choices of the
/// curve, and a button that unpins the curve. The row is hidden while no curve is pinned.
class PinnedRow : public QWidget {
  Q_OBJECT

 public:
  explicit PinnedRow(PinnedVariants& pinned, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_pinned();
  QWidget* make_entry(std::size_t index);

  PinnedVariants& pinned_;
  QHBoxLayout* layout_;
};

}  // namespace stashscope::ui
