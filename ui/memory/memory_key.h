#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <limits>
#include <vector>

#include "ui/memory/data_layer.h"

namespace stashscope::ui {

/// The meaning of one curve, band or colour of the memory view.
struct KeyEntry {
  enum class Mark { line, swatch, hatch, gradient, none };

  Mark mark = Mark::swatch;
  QString text;
  QColor colour;  ///< unused for a gradient
  double width = 1;
  Qt::PenStyle style = Qt::SolidLine;
  /// Entries of a higher rank are left out first if there is no room for all.
  std::size_t rank = 0;
  QString short_text = {};  ///< used where the texts of all entries do not fit; empty: none
};

/// Entries for everything that the view draws except pinned curves. The bands are sorted by their
/// greatest height.
std::vector<KeyEntry> key_of(const MemoryCurves& curves, const MemoryLook& look,
                             const Theme& theme);

/// The room for a key, in pixels and rows.
struct KeyRoom {
  double left = 0;
  double right = 0;
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  ///< rows of entries, at least 1
  bool has_text_line = true;  ///< whether a line of text such as a readout stands below the rows
};

/// The key above a plot, in as many rows as it needs, and a line of text below the rows. If there
/// is no room for all rows, the entries get their short texts. If that does not suffice, the
/// entries of the highest ranks are left out, and a last entry gives the number of entries left
/// out.
class KeyLayout {
  Q_DECLARE_TR_FUNCTIONS(KeyLayout)

 public:
  KeyLayout() = default;
  KeyLayout(const std::vector<KeyEntry>& entries, const QFontMetricsF& metrics,
            const KeyRoom& room);

  /// Height of the space above the plot, including room for marks on the upper edge of the plot.
  double height() const;
  /// The rectangle of the line of text; null if there is no such line.
  QRectF text_line() const { return text_line_; }
  /// The rectangle of the rows of entries; null if there are no entries.
  QRectF area() const;
  /// The texts of the entries in their order.
  QStringList texts() const;
  void paint(QPainter& painter, const Theme& theme) const;

 private:
  bool take(std::vector<KeyEntry> entries, const QFontMetricsF& metrics, const KeyRoom& room);

  std::vector<KeyEntry> entries_;
  std::vector<QRectF> places_;  ///< places of the entries
  QRectF text_line_;
};

}  // namespace stashscope::ui
