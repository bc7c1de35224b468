#pragma once

#include <QLabel>
#include <QPushButton>

#include "core/study/choices/choices.h"
#include "core/study/step/study.h"

namespace stashscope::ui {

/// Says that the sides of a comparison have different sizes, or that the other side was computed
/// with the sizes of this window instead of its own. A button gives the other side the sizes of
/// this window, another button gives back its own sizes. The row is hidden while both sides have
/// the same sizes and the other side has its own.
class SizesRow : public QWidget {
  Q_OBJECT

 public:
  explicit SizesRow(QWidget* parent = nullptr);

  /// @param own sizes of the other side as it was opened
  /// @param side name of the other side
  void show_sizes(const Study& here, const Study& other, const SizeChoices& own,
                  const QString& side);

 Q_SIGNALS:
  void same_sizes_wanted();
  void own_sizes_wanted();

 private:
  QLabel* text_;
  QPushButton* same_;
  QPushButton* own_;
};

/// The sizes of a study by the names of the dimensions.
SizeChoices sizes_of(const Study& study);

}  // namespace stashscope::ui
