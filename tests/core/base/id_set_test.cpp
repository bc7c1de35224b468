#include "core/base/id_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace stashscope {
namespace id_set_test {

using Key = Id<struct KeyTag>;

TEST(IdSet, GivesTheLowestOfManySizes) {
  std::mt19937 random(7);
  for (const std::size_t size : {1U, 63U, 64U, 65U, 4096U, 4097U, 300000U}) {
    SCOPED_TRACE(size);
    IdSet<Key> ids(size);
    std::set<Key> expected;
    EXPECT_TRUE(ids.empty());
    for (int i = 0; i < 3000; ++i) {
      if (expected.empty() || random() % 2 == 0) {
        const Key key(i == 0 ? size - 1 : random() % size);
        ids.insert(key);
        expected.insert(key);
      } else {
        ASSERT_EQ(ids.take_lowest(), *expected.begin());
        expected.erase(expected.begin());
      }
      ASSERT_EQ(ids.empty(), expected.empty());
    }
  }
}

TEST(IdSet, MayHaveNoRoom) { EXPECT_TRUE(IdSet<Key>(0).empty()); }

}  // namespace id_set_test
}  // namespace stashscope
