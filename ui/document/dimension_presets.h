#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/study/edits/dimension_edits.h"

namespace stashscope::ui {

/// A named set of dimension sizes, kept across runs of the program.
struct DimensionPreset {
  QString name;
  DimensionSizes sizes;

  friend bool operator==(const DimensionPreset&, const DimensionPreset&) = default;
};

/// The presets of all models that have the same dimension names.
class DimensionPresets {
 public:
  /// Presets are stored for the set of all dimension names, names of merged dimensions included.
  /// They therefore stay available when the user merges dimensions.
  explicit DimensionPresets(const std::vector<Dimension>& dimensions);

  /// All presets, sorted by name.
  std::vector<DimensionPreset> all() const;
  /// Saves a preset. It replaces an older preset with the same name.
  void save(const DimensionPreset& preset) const;
  void remove(const QString& name) const;

 private:
  QString key_;
};

/// The current sizes of all dimensions, except dimensions whose size depends on the data.
DimensionSizes sizes_now(const std::vector<Dimension>& dimensions);

/// A size doubled, but at most `largest_dimension`; a larger size stays as it is.
std::int64_t doubled(std::int64_t size);
/// A size halved and rounded down, but at least 1.
std::int64_t halved(std::int64_t size);

/// Every size doubled or halved, as single sizes are.
DimensionSizes doubled(const DimensionSizes& sizes);
DimensionSizes halved(const DimensionSizes& sizes);

/// The largest size that the spin box of a dimension accepts.
constexpr std::int64_t largest_dimension = 1'000'000'000;

}  // namespace stashscope::ui
