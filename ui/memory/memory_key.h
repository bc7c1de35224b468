#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <vector>

#include "ui/memory/data_layer.h"

namespace stashscope::ui {

/// The meaning of one curve, band or colour of the memory view.
struct KeyEntry {
  enum class Mark { line, swatch, gradient };

  Mark mark = Mark::swatch;
  QString text;
  QColor colour;  ///< unused for a gradient
  double width = 1;
  Qt::PenStyle style = Qt::SolidLine;
};

/// Entries for everything that the view draws except pinned curves. If room is `scarce`, bands and
/// tensors are left out.
std::vector<KeyEntry> key_of(const MemoryCurves& curves, const MemoryLook& look, const Theme& theme,
                             bool scarce);

/// The key above a plot, in as many rows as it needs, followed by space for one line of text, such
/// as a readout.
class KeyLayout {
  Q_DECLARE_TR_FUNCTIONS(KeyLayout)

 public:
  KeyLayout() = default;
  KeyLayout(std::vector<KeyEntry> entries, const QFontMetricsF& metrics, double left, double right);

  /// Height of the space above the plot, including room for marks on the upper edge of the plot.
  double height() const;
  /// Place of the line of text.
  QRectF text_line() const { return text_line_; }
  void paint(QPainter& painter, const Theme& theme) const;

 private:
  std::vector<KeyEntry> entries_;
  std::vector<QRectF> places_;  ///< places of the entries
  QRectF text_line_;
};

}  // namespace stashscope::ui
