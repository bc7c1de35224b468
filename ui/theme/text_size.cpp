#include "ui/theme/text_size.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QFontInfo>
#include <QSettings>
#include <QWidget>
#include <algorithm>
#include <array>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr std::array sizes = {75, 90, 100, 110, 125, 150, 175, 200};
constexpr int normal_size = 100;

/// The platform's font, before any scaling.
const QFont& system_font() {
  static const QFont font = QApplication::font();
  return font;
}

double points_of(const QFont& font) { return QFontInfo(font).pointSizeF(); }

}  // namespace

std::span<const int> text_sizes() { return sizes; }

int next_text_size(int percent, int direction) {
  if (direction > 0) {
    const auto next = std::upper_bound(sizes.begin(), sizes.end(), percent);
    return next == sizes.end() ? sizes.back() : *next;
  }
  const auto same = std::lower_bound(sizes.begin(), sizes.end(), percent);
  return same == sizes.begin() ? sizes.front() : *std::prev(same);
}

int remembered_text_size() {
  const int percent = QSettings().value(u"window/text_size"_s, normal_size).toInt();
  return std::clamp(percent, sizes.front(), sizes.back());
}

void remember_text_size(int percent) { QSettings().setValue(u"window/text_size"_s, percent); }

void apply_text_size(QApplication& application, int percent) {
  QFont font = system_font();
  font.setPointSizeF(points_of(system_font()) * percent / normal_size);
  application.setFont(font);
  // Under a style sheet, a widget takes a font only after its parent has the font. All widgets
  // therefore get the event twice.
  for (int round = 0; round < 2; ++round) {
    for (QWidget* const widget : QApplication::allWidgets()) {
      QEvent change(QEvent::ApplicationFontChange);
      QApplication::sendEvent(widget, &change);
    }
  }
}

QFont fixed_font() {
  QFont font;
  font.setFamilies(QFontDatabase::systemFont(QFontDatabase::FixedFont).families());
  font.setStyleHint(QFont::Monospace);
  return font;
}

double text_scale() { return points_of(QApplication::font()) / points_of(system_font()); }

}  // namespace stashscope::ui
