#include "ui/document/dimension_presets.h"

#include <QCryptographicHash>
#include <QSettings>
#include <algorithm>
#include <set>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The settings key for a set of dimensions. The key is a hash of their names, because names may
/// contain characters that a settings key must not contain.
QString key_of(const std::vector<Dimension>& dimensions) {
  std::set<std::string> names;
  for (const Dimension& each : dimensions) {
    names.insert(each.name);
    names.insert(each.also.begin(), each.also.end());
  }
  QCryptographicHash hash(QCryptographicHash::Sha1);
  for (const std::string& name : names) {
    hash.addData(QByteArray::fromStdString(name));
    hash.addData(QByteArray(1, '\0'));
  }
  return u"dimension_presets/"_s + QString::fromLatin1(hash.result().toHex());
}

QVariantMap to_settings(const DimensionSizes& sizes) {
  QVariantMap map;
  for (const auto& [name, size] : sizes) {
    map[QString::fromLatin1(QByteArray::fromStdString(name).toPercentEncoding())] =
        static_cast<qlonglong>(size);
  }
  return map;
}

DimensionSizes from_settings(const QVariantMap& map) {
  DimensionSizes sizes;
  for (auto each = map.begin(); each != map.end(); ++each) {
    const qlonglong size = each.value().toLongLong();
    if (size < 1 || size > largest_dimension) continue;
    sizes[QByteArray::fromPercentEncoding(each.key().toLatin1()).toStdString()] = size;
  }
  return sizes;
}

DimensionSizes changed(DimensionSizes sizes, std::int64_t (*change)(std::int64_t)) {
  for (auto& [name, size] : sizes) size = change(size);
  return sizes;
}

}  // namespace

DimensionPresets::DimensionPresets(const std::vector<Dimension>& dimensions)
    : key_(key_of(dimensions)) {}

std::vector<DimensionPreset> DimensionPresets::all() const {
  std::vector<DimensionPreset> presets;
  const QVariantMap kept = QSettings().value(key_).toMap();
  for (auto each = kept.begin(); each != kept.end(); ++each) {
    presets.push_back({each.key(), from_settings(each.value().toMap())});
  }
  return presets;
}

void DimensionPresets::save(const DimensionPreset& preset) const {
  QSettings settings;
  QVariantMap kept = settings.value(key_).toMap();
  kept[preset.name] = to_settings(preset.sizes);
  settings.setValue(key_, kept);
}

void DimensionPresets::remove(const QString& name) const {
  QSettings settings;
  QVariantMap kept = settings.value(key_).toMap();
  kept.remove(name);
  settings.setValue(key_, kept);
}

DimensionSizes sizes_now(const std::vector<Dimension>& dimensions) {
  DimensionSizes sizes;
  for (const Dimension& each : dimensions) {
    if (each.at_most.empty()) sizes[each.name] = each.value;
  }
  return sizes;
}

std::int64_t doubled(std::int64_t size) {
  return size > largest_dimension / 2 ? std::max(size, largest_dimension) : 2 * size;
}

std::int64_t halved(std::int64_t size) { return std::max<std::int64_t>(1, size / 2); }

DimensionSizes doubled(const DimensionSizes& sizes) { return changed(sizes, doubled); }

DimensionSizes halved(const DimensionSizes& sizes) { return changed(sizes, halved); }

}  // namespace stashscope::ui
