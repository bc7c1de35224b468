// The picture inside the plot of the arena.

#include "ui/memory/arena_layer.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/arena/arena_search.h"
#include "tests/ui/support/long_step.h"

namespace stashscope::ui::test {
namespace arena_layer_test {

StepArena placed(std::vector<ArenaPiece> pieces) {
  StepArena arena;
  arena.pieces = std::move(pieces);
  const auto buffers = arena_buffers(arena);
  const auto result = find_placement(buffers, {}, {.seconds = 0, .moves = 20'000}, Progress());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    arena.pieces[i].offset = result.placement.offsets[i];
  }
  arena.capacity_bytes = result.placement.capacity;
  arena.load_bound_bytes = result.load_bound;
  return arena;
}

ArenaPicture picture_of(StepArena arena, std::uint32_t slots) {
  std::vector<std::int64_t> live(slots, 0);
  auto looks = std::make_shared<std::vector<BlockLook>>();
  for (const ArenaPiece& each : arena.pieces) {
    for (std::uint32_t slot = each.first_slot; slot <= each.last_slot; ++slot) {
      live[slot] += each.bytes;
    }
    looks->push_back({Band::stashed, 0.5, false});
  }
  ArenaPicture picture;
  picture.arena = std::make_shared<const StepArena>(std::move(arena));
  picture.looks = looks;
  picture.curves.current = curve_through(std::move(live));
  return picture;
}

/// Pieces with random lives and sizes.
ArenaPicture random_picture(unsigned seed, std::uint32_t slots, std::int64_t least_bytes) {
  std::mt19937 random(seed);
  std::vector<ArenaPiece> pieces;
  for (std::uint32_t i = 0; i < 80; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % slots);
    const auto last =
        std::min<std::uint32_t>(slots - 1, first + static_cast<std::uint32_t>(random() % 9));
    pieces.push_back(
        {BufferId(i), first, last, least_bytes + static_cast<std::int64_t>(random() % 900)});
  }
  return picture_of(placed(std::move(pieces)), slots);
}

StepAxis axis_of(const ArenaPicture& picture) {
  StepAxis axis;
  axis.steps = static_cast<double>(picture.curves.current->bytes.size());
  return whole(axis);
}

bool is_filled(const ArenaPicture& picture, std::size_t slot, double byte) {
  return std::ranges::any_of(picture.arena->pieces, [&](const ArenaPiece& each) {
    return each.first_slot <= slot && slot <= each.last_slot &&
           static_cast<double>(each.offset) <= byte &&
           byte < static_cast<double>(each.offset + each.bytes);
  });
}

/// Compares every pixel with the pieces that are there.
void expect_each_pixel(const ArenaPicture& picture, const StepAxis& axis, const QSize& size) {
  const Theme theme = theme_of(QPalette(Qt::white));
  const std::int64_t top = picture.arena->capacity_bytes;
  const QImage image =
      ArenaLayer{picture, MemoryLook::Colouring::band, axis, top, theme}.draw(size, 1);
  ASSERT_EQ(image.size(), size);
  const std::set<QRgb> of_free = {theme.canvas.rgb(), hatch_colour(theme).rgb()};
  const double width = (axis.last - axis.first) / size.width();
  for (int x = 0; x < size.width(); ++x) {
    const double left = axis.first + x * width;
    const std::size_t slot = shown_slot(picture.curves.current->bytes, left, left + width);
    for (int row = 0; row < size.height(); ++row) {
      const double byte = (row + 0.5) * static_cast<double>(top) / size.height();
      const QRgb pixel = image.pixel(x, size.height() - 1 - row);
      ASSERT_EQ(!of_free.contains(pixel), is_filled(picture, slot, byte)) << x << ", " << row;
    }
  }
}

TEST(ArenaLayer, EachPixelShowsWhatIsThere) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const ArenaPicture picture = random_picture(seed, 50, 100);
    expect_each_pixel(picture, axis_of(picture), {401, 700});
    expect_each_pixel(picture, with_range(axis_of(picture), 11.3, 17.9), {333, 700});
  }
}

TEST(ArenaLayer, AColumnOfManySlotsShowsThatWithTheMostBytes) {
  const ArenaPicture picture = random_picture(5, 500, 100);
  expect_each_pixel(picture, axis_of(picture), {40, 700});
  const CurveExtremes& live = picture.curves.current->bytes;
  const std::size_t slot = shown_slot(live, 100, 120);
  for (std::size_t each = 100; each < 120; ++each) EXPECT_GE(live[slot], live[each]);
}

TEST(ArenaLayer, AFreePieceIsSeenBetweenTensors) {
  StepArena arena;
  arena.pieces = {{BufferId(0), 0, 9, 300, 0}, {BufferId(1), 0, 9, 300, 700}};
  arena.capacity_bytes = 1000;
  expect_each_pixel(picture_of(arena, 10), axis_of(picture_of(arena, 10)), {100, 100});
}

TEST(ArenaLayer, ATensorLowerThanAPixelIsSeenAlone) {
  StepArena arena;
  arena.pieces = {{BufferId(0), 0, 9, 1, 500}, {BufferId(1), 3, 4, 1000, 99'000}};
  arena.capacity_bytes = 100'000;
  const ArenaPicture picture = picture_of(arena, 10);
  const Theme theme = theme_of(QPalette(Qt::white));
  const QImage image =
      ArenaLayer{picture, MemoryLook::Colouring::band, axis_of(picture), 100'000, theme}.draw(
          {100, 50}, 1);
  const QRgb colour = TensorColours(theme).of_band(Band::stashed);
  EXPECT_EQ(image.pixel(5, 49), colour);
  EXPECT_EQ(image.pixel(95, 49), colour);
}

}  // namespace arena_layer_test
}  // namespace stashscope::ui::test
