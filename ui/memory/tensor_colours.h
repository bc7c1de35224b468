#pragma once

#include <array>

#include "ui/memory/data_layer.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// What the colour of a tensor depends on.
struct BlockLook {
  Band band = Band::activations;
  double life = 0;  ///< slots in which the tensor is alive, as a share of all slots
  bool persistent = false;
};

/// The look of a tensor that is alive in the slots [first_slot, last_slot] and not persistent.
/// @param slots of the whole step
inline BlockLook look_of(Band band, std::size_t first_slot, std::size_t last_slot,
                         std::size_t slots) {
  const auto lived = static_cast<double>(last_slot - first_slot + 1);
  return {band, lived / static_cast<double>(slots), false};
}

/// A table of all colours that tensors can have. A painter makes one for each picture, instead of
/// computing a colour for each of perhaps a million tensors.
class TensorColours {
 public:
  explicit TensorColours(const Theme& theme);

  QRgb of_band(Band band) const { return bands_[static_cast<std::size_t>(band)]; }
  QRgb of(const BlockLook& look, MemoryLook::Colouring colouring) const {
    const bool is_band = look.persistent || colouring == MemoryLook::Colouring::band;
    return is_band ? of_band(look.band) : of_life(look.life);
  }
  /// The colour of a lifetime. @param share slots in which the tensor is alive, as a share of all
  /// slots, from 0 to 1
  QRgb of_life(double share) const {
    return lives_[static_cast<std::size_t>(share * (shades - 1.0))];
  }

 private:
  static constexpr std::size_t shades = 1024;

  std::array<QRgb, band_count> bands_;
  std::array<QRgb, shades> lives_;  ///< by lifetime, from 0 slots to all slots
};

}  // namespace stashscope::ui
