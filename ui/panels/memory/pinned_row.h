#pragma once

#include <QWidget>

#include "ui/document/pinned_variants.h"

class QHBoxLayout;

namespace stashscope::ui {

/// The key of the pinned curves: for each, a button that goes back to its choices and a button that
/// unpins it. Hidden while nothing is pinned.
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
