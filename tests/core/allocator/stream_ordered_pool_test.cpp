#include "core/allocator/stream_ordered_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/refusal.h"

namespace stashscope {
namespace stream_ordered_pool_test {

constexpr std::int64_t mebibyte = 1 << 20;

/// A random program: it allocates, frees and now and then waits for the device.
class RandomProgram {
 public:
  RandomProgram(const PoolSettings& settings, PoolFit fit, std::int64_t most_bytes,
                std::uint32_t seed)
      : settings_(settings), pool_(settings, fit), most_bytes_(most_bytes), random_(seed) {}

  /// One action. Fails if the pool is not consistent after it.
  void act() {
    const auto choice = random_() % 100;
    if (choice < 55 || live_.empty()) {
      allocate(1 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most_bytes_)));
    } else if (choice < 98) {
      free(random_() % live_.size());
    } else {
      synchronize();
    }
    expect_consistent();
  }
  void free_all() {
    while (!live_.empty()) free(live_.size() - 1);
  }
  void synchronize() {
    const std::int64_t before = pool_.reserved_bytes();
    pool_.synchronize();
    if (!settings_.release_threshold_bytes) {
      EXPECT_EQ(pool_.reserved_bytes(), before);
      return;
    }
    EXPECT_LE(pool_.reserved_bytes(), before);
    EXPECT_GE(pool_.reserved_bytes(), std::min(before, *settings_.release_threshold_bytes));
  }
  const StreamOrderedPool& pool() const { return pool_; }

 private:
  struct Live {
    PoolBlockId block;
    std::int64_t requested = 0;
  };

  void allocate(std::int64_t bytes) {
    live_.push_back({pool_.allocate(bytes), bytes});
    requested_ += bytes;
  }
  void free(std::size_t index) {
    pool_.free(live_[index].block);
    requested_ -= live_[index].requested;
    live_[index] = live_.back();
    live_.pop_back();
  }

  void expect_consistent() const {
    std::vector<PoolPiece> pieces;
    std::int64_t used = 0;
    for (const Live& each : live_) {
      pieces.push_back(pool_.piece(each.block));
      used += pieces.back().bytes;
      EXPECT_GE(pieces.back().bytes, each.requested);
      EXPECT_EQ(pieces.back().address % pool_alignment, 0);
    }
    std::ranges::sort(pieces, {}, &PoolPiece::address);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      ASSERT_LE(pieces[i - 1].address + pieces[i - 1].bytes, pieces[i].address) << "overlap";
    }
    EXPECT_EQ(pool_.used_bytes(), used);
    EXPECT_GE(used, requested_);
    EXPECT_GE(pool_.reserved_bytes(), used);
    const std::int64_t granularity = settings_.granularity_bytes.value_or(usual_pool_granularity);
    EXPECT_EQ(pool_.reserved_bytes() % granularity, 0);
    EXPECT_LE(least_reserved_bytes(used, settings_), pool_.reserved_bytes());
    EXPECT_GE(least_reserved_bytes(used, settings_), used);
    EXPECT_GE(pool_.most_reserved_bytes(), pool_.reserved_bytes());
    EXPECT_GE(pool_.most_used_bytes(), used);
  }

  PoolSettings settings_;
  StreamOrderedPool pool_;
  std::int64_t most_bytes_;
  std::mt19937 random_;
  std::vector<Live> live_;
  std::int64_t requested_ = 0;
};

TEST(StreamOrderedPool, HoldsWhatIsAllocatedAfterAnySequence) {
  std::uint32_t seed = 1;
  for (const PoolFit fit : {PoolFit::smallest, PoolFit::first}) {
    for (const PoolSettings& settings :
         {PoolSettings{}, PoolSettings{0, {}}, PoolSettings{100 * mebibyte, {}},
          PoolSettings{0, 2 * mebibyte}, PoolSettings{{}, 512}}) {
      for (const std::int64_t most_bytes : {std::int64_t{4000}, 10 * mebibyte, 100 * mebibyte}) {
        RandomProgram program(settings, fit, most_bytes, seed++);
        for (int i = 0; i < 400; ++i) program.act();
        program.free_all();
        EXPECT_EQ(program.pool().used_bytes(), 0);
        program.synchronize();
        if (settings.release_threshold_bytes == 0) {
          EXPECT_EQ(program.pool().reserved_bytes(), 0);
        } else if (!settings.release_threshold_bytes) {
          EXPECT_EQ(program.pool().reserved_bytes(), program.pool().most_reserved_bytes());
        }
      }
    }
  }
}

/// Where the allocation must lie, found from the live pieces alone. All chunks have the size of
/// the granularity, and their addresses are multiples of twice this size. Nothing: in a new chunk.
std::optional<std::int64_t> expected_address(const std::set<std::int64_t>& chunks,
                                             const std::map<std::int64_t, std::int64_t>& live,
                                             std::int64_t granularity, std::int64_t bytes,
                                             PoolFit fit) {
  std::optional<PoolPiece> best;
  const auto consider = [&](std::int64_t begin, std::int64_t end) {
    const bool is_better = !best || (fit == PoolFit::smallest && end - begin < best->bytes);
    if (end - begin >= bytes && is_better) best = PoolPiece{begin, end - begin};
  };
  for (const std::int64_t chunk : chunks) {
    std::int64_t at = chunk;
    for (auto piece = live.lower_bound(chunk);
         piece != live.end() && piece->first < chunk + granularity; ++piece) {
      consider(at, piece->first);
      at = piece->first + piece->second;
    }
    consider(at, chunk + granularity);
  }
  return best ? std::optional(best->address) : std::nullopt;
}

TEST(StreamOrderedPool, TakesTheSmallestOrTheFirstFreePiece) {
  constexpr std::int64_t granularity = 16 * 512;
  for (const PoolFit fit : {PoolFit::smallest, PoolFit::first}) {
    StreamOrderedPool pool({{}, granularity}, fit);
    std::mt19937 random(3);
    std::set<std::int64_t> chunks;
    std::map<std::int64_t, std::int64_t> live;
    std::vector<PoolBlockId> blocks;
    for (int i = 0; i < 3000; ++i) {
      if (!blocks.empty() && random() % 100 < 48) {
        const std::size_t freed = random() % blocks.size();
        live.erase(pool.piece(blocks[freed]).address);
        pool.free(blocks[freed]);
        blocks[freed] = blocks.back();
        blocks.pop_back();
        continue;
      }
      const std::int64_t bytes = 512 * (1 + static_cast<std::int64_t>(random() % 9));
      const auto expected = expected_address(chunks, live, granularity, bytes, fit);
      blocks.push_back(pool.allocate(bytes));
      const PoolPiece& piece = pool.piece(blocks.back());
      if (expected) {
        ASSERT_EQ(piece.address, *expected);
      } else {
        EXPECT_EQ(piece.address % (2 * granularity), 0);
        EXPECT_TRUE(chunks.insert(piece.address).second);
      }
      live[piece.address] = piece.bytes;
      ASSERT_EQ(pool.reserved_bytes(), static_cast<std::int64_t>(chunks.size()) * granularity);
    }
    EXPECT_GT(chunks.size(), 5U);
  }
}

TEST(StreamOrderedPool, ReleasesOnlyWholeChunksDownToItsThreshold) {
  StreamOrderedPool pool({64 * mebibyte, {}});
  std::vector<PoolBlockId> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pool.allocate(32 * mebibyte));
  const PoolBlockId large = pool.allocate(100 * mebibyte);
  EXPECT_EQ(pool.reserved_bytes(), 256 * mebibyte);
  pool.free(large);
  EXPECT_EQ(pool.reserved_bytes(), 256 * mebibyte) << "a free releases nothing";
  pool.synchronize();
  EXPECT_EQ(pool.reserved_bytes(), 128 * mebibyte);
  const PoolBlockId small = pool.allocate(1);
  EXPECT_EQ(pool.reserved_bytes(), 160 * mebibyte);
  for (const PoolBlockId each : blocks) pool.free(each);
  pool.synchronize();
  EXPECT_EQ(pool.reserved_bytes(), 64 * mebibyte) << "the chunk with a live block stays";
  pool.free(small);
  pool.synchronize();
  EXPECT_EQ(pool.reserved_bytes(), 64 * mebibyte) << "the threshold stays";
  EXPECT_EQ(pool.most_reserved_bytes(), 256 * mebibyte);
}

/// What others measured on a GPU and published; the sources are in docs/reserved_memory.md.
struct Published {
  std::int64_t used_bytes = 0;
  std::int64_t reserved_bytes = 0;
};

TEST(StreamOrderedPool, AgreesWithPublishedMeasurements) {
  const std::vector<Published> pools = {{270 * mebibyte, 288 * mebibyte},
                                        {396 * mebibyte, 416 * mebibyte},
                                        {523 * mebibyte, 544 * mebibyte},
                                        {16 * mebibyte, 64 * mebibyte},
                                        {53514136688, 84490059776}};
  const PoolSettings usual{{}, usual_pool_granularity};
  for (const Published& each : pools) {
    EXPECT_EQ(each.reserved_bytes % usual_pool_granularity, 0);
    EXPECT_LE(least_reserved_bytes(each.used_bytes, {}), each.reserved_bytes);
    EXPECT_LE(least_reserved_bytes(each.used_bytes, usual), each.reserved_bytes);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(least_reserved_bytes(pools[i].used_bytes, usual), pools[i].reserved_bytes);
  }
}

/// The published study filled a pool with pieces of 1 MiB, freed them all, and waited for the
/// device, for both thresholds.
TEST(StreamOrderedPool, FillsAndReleasesAsMeasured) {
  for (const std::int64_t capacity : {64, 128, 352, 704, 1024, 1376, 2752}) {
    for (const PoolSettings& settings : {PoolSettings{0, {}}, PoolSettings{}}) {
      StreamOrderedPool pool(settings);
      std::vector<PoolBlockId> blocks;
      for (std::int64_t i = 0; i < capacity; ++i) blocks.push_back(pool.allocate(mebibyte));
      EXPECT_EQ(pool.reserved_bytes(), capacity * mebibyte);
      for (const PoolBlockId each : blocks) pool.free(each);
      pool.synchronize();
      EXPECT_EQ(pool.reserved_bytes(), settings.release_threshold_bytes ? 0 : capacity * mebibyte);
    }
  }
}

TEST(PoolSettings, AreReadAndWritten) {
  EXPECT_EQ(parse_pool_settings(""), PoolSettings());
  EXPECT_EQ(to_string(PoolSettings()), "");
  const PoolSettings settings = parse_pool_settings("release_threshold=0, granularity=2MiB");
  EXPECT_EQ(settings, (PoolSettings{0, 2 * mebibyte}));
  EXPECT_EQ(to_string(settings), "release_threshold=0,granularity=2MiB");
  for (const PoolSettings& each : {settings, PoolSettings{1000, 512}, PoolSettings{{}, 512}}) {
    EXPECT_EQ(parse_pool_settings(to_string(each)), each);
  }
  EXPECT_EQ(parse_pool_settings("release_threshold=1GiB").release_threshold_bytes, 1024 * mebibyte);
  EXPECT_EQ(to_string(parse_pool_settings("granularity=1024TiB")), "granularity=1PiB");
  for (const char* const wrong :
       {"granularity=0", "granularity=1000", "granularity", "granularity=2PiB", "threshold=1",
        "release_threshold=", "release_threshold=many", "granularity=512,granularity=512", ",",
        "release_threshold=0,,"}) {
    test::refusal(ErrorKind::usage, [&] { parse_pool_settings(wrong); });
  }
}

}  // namespace stream_ordered_pool_test
}  // namespace stashscope
