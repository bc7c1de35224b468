#pragma once

#include <QWidget>

#include "ui/document/pinned_variants.h"

class QHBoxLayout;
class QToolButton;

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
  /// The buttons of a pinned curve.
  struct Entry {
    QToolButton* back;
    QToolButton* unpin;
  };

  void show_pinned();
  QWidget* make_entry(std::size_t index);
  /// Updates the texts only, so that a button keeps the focus.
  void show_labels();
  void show_label(std::size_t index);

  PinnedVariants& pinned_;
  QHBoxLayout* layout_;
  std::vector<Entry> entries_;
};

}  // namespace stashscope::ui
