#include "core/layout/scene/colouring.h"

#include <cmath>

namespace stashscope::layout {

namespace {

constexpr double decades = 3;

std::vector<ColourShare> on_scale(const Scale& scale, double number) {
  if (number <= 0) return {};
  return {{lifetime_colour(share_on(scale, number)), 1}};
}

std::vector<ColourShare> stash_strip(const DrawnBox& box) {
  double all = 0;
  for (std::size_t i = 1; i < stash_states; ++i) all += static_cast<double>(box.stash[i]);
  std::vector<ColourShare> strip;
  for (std::size_t i = 1; i < stash_states; ++i) {
    if (box.stash[i] == 0) continue;
    strip.push_back(
        {stash_colour(static_cast<StashState>(i)), static_cast<double>(box.stash[i]) / all});
  }
  return strip;
}

}  // namespace

Rgb stash_colour(StashState state) {
  switch (state) {
    case StashState::freed:
      return {0x00, 0x72, 0xB2};
    case StashState::plannable:
      return {0xE6, 0x9F, 0x00};
    case StashState::pinned:
      return {0x00, 0x9E, 0x73};
    case StashState::unplanned:
      return {0xCC, 0x79, 0xA7};
    case StashState::none:
      break;
  }
  return {0xB0, 0xB5, 0xBB};
}

std::vector<ColourShare> strip_of(const Drawing& drawing, const DrawnBox& box,
                                  Colouring colouring) {
  switch (colouring) {
    case Colouring::peak_bytes:
      return on_scale(scale_of(drawing, colouring), static_cast<double>(box.memory.peak_bytes));
    case Colouring::time:
      return on_scale(scale_of(drawing, colouring), box.seconds);
    case Colouring::stash:
      return stash_strip(box);
    case Colouring::lifetime:
      break;
  }
  if (box.heat < 0) return {};
  return {{lifetime_colour(box.heat), 1}};
}

std::optional<Rgb> main_colour(const Drawing& drawing, const DrawnBox& box, Colouring colouring) {
  const std::vector<ColourShare> strip = strip_of(drawing, box, colouring);
  const auto most = std::max_element(
      strip.begin(), strip.end(),
      [](const ColourShare& a, const ColourShare& b) { return a.share < b.share; });
  return most == strip.end() ? std::nullopt : std::optional(most->colour);
}

Scale scale_of(const Drawing& drawing, Colouring colouring) {
  if (colouring == Colouring::lifetime) return {1, static_cast<double>(drawing.steps)};
  const double most = colouring == Colouring::time ? drawing.most_seconds
                                                   : static_cast<double>(drawing.most_peak_bytes);
  return {most / std::pow(10, decades), most};
}

double share_on(const Scale& scale, double number) {
  return std::clamp(1 + std::log10(number / scale.most) / decades, 0.0, 1.0);
}

}  // namespace stashscope::layout
