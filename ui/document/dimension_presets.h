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
  /// The same presets whichever of the names are made one.
  explicit DimensionPresets(const std::vector<Dimension>& dimensions);

  /// By name.
  std::vector<DimensionPreset> all() const;
  /// Takes the place of one with the same name.
  void save(const DimensionPreset& preset) const;
  void remove(const QString& name) const;

 private:
  QString key_;
};

/// What the dimensions are set to, without sizes that follow from the data.
DimensionSizes sizes_now(const std::vector<Dimension>& dimensions);

/// All of these sizes times two, or half of them; never below 1.
DimensionSizes doubled(const DimensionSizes& sizes);
DimensionSizes halved(const DimensionSizes& sizes);

/// Spin boxes hold no more.
constexpr std::int64_t largest_dimension = 1'000'000'000;

}  // namespace stashscope::ui
