#include "core/study/edits/node_edits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/study/edits/edits.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace node_edits_test {

class NodeEdits : public testing::Test {
 protected:
  std::shared_ptr<const Study> study_of(const Choices& choices) const {
    return compute_study(model_, choices, nullptr, Progress());
  }
  std::vector<NodeId> all_nodes(const Study& study) const {
    std::vector<NodeId> nodes;
    for (const NodeId node : IdRange<NodeId>(study.current->dataflow.topology.nodes())) {
      nodes.push_back(node);
    }
    return nodes;
  }

  const std::shared_ptr<const Graph> model_ = test::named(test::blocks(3));
  const Choices choices_ = [] {
    Choices choices;
    choices.dims["N"] = 64;
    return choices;
  }();
};

TEST_F(NodeEdits, OneNodeOfThreeLikeIt) {
  const auto before = study_of(choices_);
  const PlannedNodes planned = planned_nodes(*before, all_nodes(*before));
  EXPECT_TRUE(planned.on.empty());
  ASSERT_GE(planned.off.size(), 3U);
  for (const NodeId node : planned.off) {
    const auto after = study_of(with_nodes_recomputed(*before, choices_, {{node}}, true));
    EXPECT_EQ(planned_nodes(*after, all_nodes(*after)).on, std::vector<NodeId>{node});
    const auto again = study_of(with_nodes_recomputed(*after, after->choices, {{node}}, false));
    EXPECT_TRUE(planned_nodes(*again, all_nodes(*again)).on.empty());
  }
}

TEST_F(NodeEdits, AllOfAStepAndBack) {
  const auto before = study_of(choices_);
  const auto after = study_of(with_nodes_recomputed(*before, choices_, all_nodes(*before), true));
  const PlannedNodes planned = planned_nodes(*after, all_nodes(*after));
  EXPECT_TRUE(planned.off.empty());
  EXPECT_FALSE(planned.on.empty());
  EXPECT_EQ(after->applied.size(), planned.on.size());
  const auto back =
      study_of(with_nodes_recomputed(*after, after->choices, all_nodes(*after), false));
  EXPECT_TRUE(planned_nodes(*back, all_nodes(*back)).on.empty());
  EXPECT_EQ(back->current->timeline.peak_bytes, before->current->timeline.peak_bytes);
}

TEST_F(NodeEdits, AClonesNodeIsItsOriginal) {
  const auto before = study_of(choices_);
  const NodeId node = planned_nodes(*before, all_nodes(*before)).off.front();
  const auto after = study_of(with_nodes_recomputed(*before, choices_, {{node}}, true));
  const NodeId clone(after->current->dataflow.graph_nodes);
  ASSERT_TRUE(after->current->dataflow.is_clone(clone));
  const NodeId origin = after->current->dataflow.origin(clone);
  EXPECT_EQ(planned_nodes(*after, std::vector{clone}).on,
            planned_nodes(*after, std::vector{origin}).on);
}

TEST_F(NodeEdits, PinnedNodesAreOffUntilTheyAreRecomputed) {
  Choices choices = choices_;
  choices.plans.level = 1;
  const auto before = study_of(choices);
  const NodeId node = planned_nodes(*before, all_nodes(*before)).on.front();
  const auto pinned = study_of(with_pinned(*before, choices, {{node}}, true));
  EXPECT_EQ(planned_nodes(*pinned, {{node}}).pinned, std::vector<NodeId>{node});
  const auto after = study_of(with_nodes_recomputed(*pinned, pinned->choices, {{node}}, true));
  EXPECT_EQ(planned_nodes(*after, {{node}}).on, std::vector<NodeId>{node});
}

}  // namespace node_edits_test
}  // namespace stashscope
