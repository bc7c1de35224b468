#include "core/run/step/normal_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace stashscope {

namespace {

constexpr std::size_t piece_points = 1 << 15;
constexpr std::size_t most_threads = 16;
/// The average count of normal numbers from the points of one piece. Each point inside the circle
/// gives two numbers, and about 11 / 14 (pi / 4) of all points lie inside the circle.
constexpr std::size_t piece_numbers = 2 * piece_points * 11 / 14;

/// A point of the square around the unit circle.
struct Point {
  float x;
  float y;
  float square;  ///< squared distance from the centre

  bool is_inside() const { return square <= 1 && square != 0; }
};

/// Maps a word to a number from 0 to just below 1. Halves the word first, because the conversion of
/// a full unsigned word to float branches on the word's highest bit. This bit is random, so half of
/// the branches would be mispredicted.
float unit_number(std::uint64_t word) {
  constexpr float below_one = 0x1.fffffep-1F;
  const std::uint64_t halved = (word >> 1) | (word & 1U);
  const float doubled = static_cast<float>(static_cast<std::int64_t>(halved)) * 0x1p-63F;
  return std::min(doubled, below_one);
}

Point next_point(MersenneWords& words) {
  const float x = 2 * unit_number(words()) - 1;
  const float y = 2 * unit_number(words()) - 1;
  return {x, y, x * x + y * y};
}

/// The two normal numbers from a point inside the circle, in the order in which libstdc++ returns
/// them.
std::array<float, 2> numbers_of(const Point& point, float deviation) {
  const float factor = std::sqrt(-2 * std::log(point.square) / point.square);
  // The mean is added although it is 0, because libstdc++ adds it too, which turns -0 into 0.
  constexpr float mean = 0;
  return {point.y * factor * deviation + mean, point.x * factor * deviation + mean};
}

Point next_point_inside(MersenneWords& words) {
  Point point = next_point(words);
  while (!point.is_inside()) point = next_point(words);
  return point;
}

/// Draws normal numbers with several threads. Threads take pieces of the words one after another
/// and make numbers from them in parallel. Then, in the order of the pieces, each thread gets the
/// index at which the numbers of its piece start.
class NormalDraw {
 public:
  NormalDraw(MersenneWords& words, std::size_t count, float deviation, const StoreNumbers& store)
      : words_(words), next_piece_(words), count_(count), deviation_(deviation), store_(store) {}

  void run() {
    const std::size_t threads = std::clamp<std::size_t>(
        std::min<std::size_t>(count_ / piece_numbers, std::thread::hardware_concurrency()), 1,
        most_threads);
    std::vector<Room> rooms(threads);
    std::vector<std::jthread> helpers;
    helpers.reserve(threads - 1);
    try {
      while (helpers.size() + 1 < threads) {
        helpers.emplace_back([this, &room = rooms[helpers.size() + 1]] { work(room); });
      }
    } catch (const std::system_error&) {
      // If the system has no more threads, the existing threads do all the work.
    }
    work(rooms[0]);
  }

 private:
  struct Piece {
    std::size_t index;
    MersenneWords words;
  };

  /// Working memory of one thread.
  struct Room {
    std::vector<Point> points = std::vector<Point>(piece_points + 1);
    std::vector<float> numbers = std::vector<float>(2 * piece_points);
  };

  void work(Room& room) {
    while (const std::optional<Piece> piece = take()) {
      const std::span<const float> made = make(piece->words, room);
      const std::size_t first = place(*piece, made.size());
      store_(first, made.first(std::min(made.size(), count_ - first)));
    }
  }

  std::optional<Piece> take() {
    const std::lock_guard lock(mutex_);
    if (placed_ == count_) return std::nullopt;
    const Piece piece{pieces_++, next_piece_};
    next_piece_.skip(2 * piece_points);
    return piece;
  }

  std::span<const float> make(MersenneWords words, Room& room) const {
    std::size_t inside = 0;
    for (std::size_t i = 0; i < piece_points; ++i) {
      // Writes every point and overwrites points outside the circle, because a branch would be
      // mispredicted for every fifth point.
      room.points[inside] = next_point(words);
      inside += room.points[inside].is_inside() ? 1 : 0;
    }
    for (std::size_t i = 0; i < inside; ++i) {
      const auto [first, second] = numbers_of(room.points[i], deviation_);
      room.numbers[2 * i] = first;
      room.numbers[2 * i + 1] = second;
    }
    return std::span(room.numbers).first(2 * inside);
  }

  /// Waits until all earlier pieces are placed. Returns the index of the first number of `piece`,
  /// or `count_` when the piece is not needed.
  std::size_t place(const Piece& piece, std::size_t made) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_to_place_ == piece.index; });
    const std::size_t first = placed_;
    placed_ = std::min(count_, placed_ + made);
    if (first < count_ && placed_ == count_) words_ = after(piece.words, count_ - first);
    ++next_to_place_;
    turn_.notify_all();
    return first;
  }

  static MersenneWords after(MersenneWords words, std::size_t numbers) {
    for (std::size_t i = 0; i < numbers; i += 2) next_point_inside(words);
    return words;
  }

  MersenneWords& words_;
  MersenneWords next_piece_;
  std::size_t count_;
  float deviation_;
  const StoreNumbers& store_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t pieces_ = 0;         ///< pieces taken so far
  std::size_t next_to_place_ = 0;  ///< index of the piece that is placed next
  std::size_t placed_ = 0;         ///< numbers placed so far
};

void draw_few(MersenneWords& words, std::size_t count, float deviation, const StoreNumbers& store) {
  std::vector<float> numbers;
  numbers.reserve(count + 1);
  while (numbers.size() < count) {
    for (const float each : numbers_of(next_point_inside(words), deviation)) {
      numbers.push_back(each);
    }
  }
  store(0, std::span(numbers).first(count));
}

}  // namespace

void draw_normal_numbers(MersenneWords& words, std::size_t count, float deviation,
                         const StoreNumbers& store) {
  if (count <= piece_numbers) return draw_few(words, count, deviation, store);
  NormalDraw(words, count, deviation, store).run();
}

}  // namespace stashscope
