// Links make copies on threads of their own, one after the other.

#include "core/run/cpu/execute/step_copies.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace stashscope::cpu {
namespace step_copies_test {

TEST(CopyLink, MakesCopiesOneAfterTheOtherOnAThreadOfItsOwn) {
  std::vector<int> done;
  std::set<std::thread::id> threads;
  std::promise<void> go;
  CopyLink link;
  // The first copy cannot end before this thread lets it, so that `start` must return before.
  const auto first = link.start([&, may_go = go.get_future().share()] {
    may_go.wait();
    done.push_back(1);
    threads.insert(std::this_thread::get_id());
  });
  const auto second = link.start([&] {
    done.push_back(2);
    threads.insert(std::this_thread::get_id());
  });
  go.set_value();
  second.wait();
  first.wait();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(CopyLink, PassesFailuresOn) {
  CopyLink link;
  const auto failed = link.start([] { throw std::runtime_error("no"); });
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_NO_THROW(link.start([] {}).get());
}

}  // namespace step_copies_test
}  // namespace stashscope::cpu
