// Links make copies on threads of their own, one after the other.

#include "core/run/cpu/execute/step_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/core/run/models/model_run.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

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

/// A step that offloads its activations, with copies that overlap.
class StepOfCopies : public testing::Test {
 protected:
  StepOfCopies() {
    const OverlappedCopy* fetch = nullptr;
    for (const OverlappedCopy& each : plan_.copies.copies) {
      if (plan_.dataflow.kind(each.node) == AddedKind::fetch) fetch = &each;
    }
    const Topology& topology = plan_.dataflow.topology;
    fetch_ = *fetch;
    const NodeId offload = topology.producer[topology.inputs[fetch->node][0]];
    offload_ = *std::ranges::find(plan_.copies.copies, offload, &OverlappedCopy::node);
  }

  static RunPlan overlapping_plan() {
    test::ModelBuilder m;
    m.input("x", {4, 8}).weight("w", {8, 8}).weight("v", {8, 8});
    m.node("MatMul", {"x", "w"}, {"a"}).node("Sigmoid", {"a"}, {"b"});
    m.node("MatMul", {"b", "v"}, {"c"}).node("ReduceMean", {"c"}, {"loss"}).output("loss");
    const testing_run::ModelStep step(prepare_training_step(m.build(), {}, {}), {});
    return step.overlapped(step.with_all_of(PlanType::offload), order_strategies()[0], 0.5);
  }

  RunPlan plan_ = overlapping_plan();
  OverlappedCopy offload_;
  OverlappedCopy fetch_;
};

TEST_F(StepOfCopies, NamesTheNodeWhoseCopyFails) {
  StepCopies copies(plan_);
  ASSERT_TRUE(copies.overlaps(offload_.node));
  copies.start(offload_.node, "node 'a_offload'", [] { fail_run("", "no room"); });
  copies.start(fetch_.node, "node 'a_fetch'", [] {});
  for (const auto& wait : {std::function<void()>([&] { copies.end_offloads(offload_.until); }),
                           std::function<void()>([&] { copies.end_fetches(fetch_.until); })}) {
    const std::string said = test::refusal(ErrorKind::run, wait);
    EXPECT_NE(said.find("a_offload"), std::string::npos) << said;
    EXPECT_NE(said.find("no room"), std::string::npos) << said;
  }
}

TEST_F(StepOfCopies, FetchesAfterTheOffloadOfTheTensor) {
  std::promise<void> go;
  std::vector<std::string> made;
  StepCopies copies(plan_);
  copies.start(offload_.node, "offload", [&, may_go = go.get_future().share()] {
    may_go.wait();
    made.emplace_back("offload");
  });
  copies.start(fetch_.node, "fetch", [&] { made.emplace_back("fetch"); });
  go.set_value();
  EXPECT_EQ(copies.end_fetches(fetch_.until), std::vector{fetch_.node});
  EXPECT_EQ(made, (std::vector<std::string>{"offload", "fetch"}));
}

}  // namespace step_copies_test
}  // namespace stashscope::cpu
