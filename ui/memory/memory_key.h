#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <vector>

#include "ui/memory/data_layer.h"

namespace stashscope::ui {

/// What one curve, band or colour of the memory view means.
struct KeyEntry {
  enum class Mark { line, swatch, gradient };

  Mark mark = Mark::swatch;
  QString text;
  QColor colour;  ///< not of a gradient
  double width = 1;
  Qt::PenStyle style = Qt::SolidLine;
};

/// What the view draws, pinned curves aside; only the curves where room is `scarce`.
std::vector<KeyEntry> key_of(const MemoryCurves& curves, const MemoryLook& look, const Theme& theme,
                             bool scarce);

/// The key above a plot, in as many rows as it takes, and room for a line of text behind it.
class KeyLayout {
  Q_DECLARE_TR_FUNCTIONS(KeyLayout)

 public:
  /// One without entries and text.
  KeyLayout() = default;
  KeyLayout(std::vector<KeyEntry> entries, const QFontMetricsF& metrics, double left, double right);

  /// What it takes above the plot, with room for marks on its upper edge.
  double height() const;
  /// Where the line of text stands.
  QRectF text_line() const { return text_line_; }
  void paint(QPainter& painter, const Theme& theme) const;

 private:
  std::vector<KeyEntry> entries_;
  std::vector<QRectF> places_;  ///< of the entries
  QRectF text_line_;
};

}  // namespace stashscope::ui
