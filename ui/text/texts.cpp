#include "ui/text/texts.h"

#include <QCoreApplication>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

QString shown(const std::string& text) { return QString::fromStdString(to_valid_utf8(text)); }

QString bytes_text(std::int64_t bytes) { return QString::fromStdString(format_bytes(bytes)); }

QString bytes_text_beside(std::int64_t bytes, std::int64_t other) {
  return QString::fromStdString(format_bytes_beside(bytes, other));
}

QString time_text(double seconds) { return QString::fromStdString(format_seconds(seconds)); }

QString bytes_text(std::int64_t bytes, const ColumnUnit& unit) {
  return QString::fromStdString(format_in(unit, static_cast<double>(bytes)));
}

QString time_text(double seconds, const ColumnUnit& unit) {
  return QString::fromStdString(format_in(unit, seconds));
}

QString cell_bytes_text(std::int64_t bytes, const ColumnUnit& unit) {
  const QString text = bytes_text(bytes, unit);
  return text.contains(u'<') ? bytes_text(bytes) : text;
}

QString later_steps_text(std::int64_t peak_bytes, std::int64_t later_bytes, const QString& later) {
  if (later_bytes == peak_bytes) return {};
  return QCoreApplication::translate("Texts", ", %1 in later steps").arg(later);
}

QString exact_bytes_text(std::int64_t bytes) {
  return QString::fromStdString(with_thousands(bytes)) + u" B"_s;
}

QString change_text(std::int64_t before, std::int64_t after) {
  if (before == 0) return u"±0 %"_s;
  const double percent = 100 * static_cast<double>(after - before) / static_cast<double>(before);
  if (std::abs(percent) < 0.05) return u"±0 %"_s;
  const int digits = std::abs(percent) < 10 ? 1 : 0;
  const QString sign = percent < 0 ? u"−"_s : u"+"_s;
  return sign + QString::fromStdString(format_fixed(std::abs(percent), digits)) + u" %"_s;
}

}  // namespace stashscope::ui
