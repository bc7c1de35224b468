#include "core/study/edits/edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/study/edits/node_edits.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace edits_test {

using Dims = std::map<std::string, std::int64_t>;

std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                      const Choices& choices) {
  return compute_study(model, choices, nullptr, Progress());
}

const std::string full_entry = "Gelu+Cast+:1:-1";
const std::string half_entry = "Cast+:2:-1";

const PlanRow& row_of(const Study& study, const std::string& config) {
  const auto row = std::find_if(study.plan_table->plans.begin(), study.plan_table->plans.end(),
                                [&](const PlanRow& each) { return each.config == config; });
  if (row == study.plan_table->plans.end()) throw std::runtime_error("no row " + config);
  return *row;
}

class Edits : public testing::Test {
 protected:
  std::shared_ptr<const Study> study(const Choices& choices) const {
    return study_of(model_, choices);
  }
  std::shared_ptr<const Study> study(const std::string& plans, int level = 0) const {
    Choices choices;
    choices.plans.level = level;
    choices.plans.config = parse_config(plans);
    return study(choices);
  }
  static std::string plans(const Choices& choices) { return to_string(choices.plans.config); }

  const std::shared_ptr<const Graph> model_ = test::named(test::mixed_precision(4));
};

TEST_F(Edits, AreOfAModelWithOptionsThatExcludeEachOther) {
  const auto plain = study("");
  EXPECT_EQ(row_of(*plain, full_entry).frequency, 4);
  EXPECT_EQ(row_of(*plain, half_entry).frequency, 4);
}

TEST_F(Edits, ARowGoesOnAndOffAgain) {
  const auto plain = study("");
  const Choices on = with_plan(*plain, plain->choices, row_of(*plain, full_entry), true);
  EXPECT_EQ(plans(on), full_entry);
  const auto chosen = study(on);
  EXPECT_TRUE(row_of(*chosen, full_entry).on);
  const Choices off = with_plan(*chosen, on, row_of(*chosen, full_entry), false);
  EXPECT_EQ(off, plain->choices);
}

TEST_F(Edits, EveryRowGoesOnAndOffAndNothingElseIsLost) {
  for (const int level : {0, 1, 2}) {
    const auto before = study("", level);
    for (const PlanRow& row : before->plan_table->plans) {
      const auto on = study(with_plan(*before, before->choices, row, true));
      EXPECT_TRUE(row_of(*on, row.config).on) << level << " " << row.config;
      const auto off = study(with_plan(*on, on->choices, row_of(*on, row.config), false));
      EXPECT_FALSE(row_of(*off, row.config).on) << level << " " << row.config;
    }
  }
}

TEST_F(Edits, ChoosingAnOptionSwitchesItsRivalOff) {
  const auto full = study(full_entry);
  const Choices half = with_plan(*full, full->choices, row_of(*full, half_entry), true);
  EXPECT_EQ(plans(half), half_entry);
  const Choices back = with_plan(*study(half), half, row_of(*full, full_entry), true);
  EXPECT_EQ(plans(back), full_entry);
}

TEST_F(Edits, AWayBeyondTheReferencesIsARivalToo) {
  const auto row_of_extension = [](const Study& study,
                                   const std::string& config) -> const PlanRow& {
    return *std::find_if(study.plan_table->extensions.begin(), study.plan_table->extensions.end(),
                         [&](const PlanRow& each) { return each.config == config; });
  };
  const auto full = study(full_entry);
  const PlanRow& offload = row_of_extension(*full, "Cast:3:-1");
  const Choices away = with_plan(*full, full->choices, offload, true);
  EXPECT_EQ(plans(away), "Cast:3:-1");
  const auto evict = study(away);
  const PlanRow& on = row_of_extension(*evict, "Cast:3:-1");
  EXPECT_EQ(on.applied, on.frequency);
  EXPECT_EQ(plans(with_plan(*evict, away, row_of(*evict, full_entry), true)), full_entry);
  const auto level = study("", 1);
  const Choices instead = with_plan(*level, level->choices, offload, true);
  EXPECT_EQ(instead.plans.config.at("Gelu+Cast+"), (ClusterChoice{PlanType::recompute, 0}));
}

TEST_F(Edits, WhatARivalLeavesNothingOfIsSaid) {
  const auto said = [](const Study& study) {
    return std::any_of(study.warnings.begin(), study.warnings.end(), [](const auto& each) {
      return each.find("is on but changes nothing") != std::string::npos;
    });
  };
  EXPECT_FALSE(said(*study(full_entry)));
  const auto both = study(full_entry + "," + half_entry);
  EXPECT_TRUE(row_of(*both, half_entry).on);
  EXPECT_EQ(row_of(*both, half_entry).applied, 0);
  EXPECT_TRUE(said(*both));
}

TEST_F(Edits, LevelTwoTakesCompromisesOnlyWhereNothingElseIs) {
  const auto level = study("", 2);
  EXPECT_TRUE(row_of(*level, full_entry).on);
  EXPECT_FALSE(row_of(*level, half_entry).on);
  for (const PlanRow& row : level->plan_table->plans)
    EXPECT_EQ(row.on, row.applied > 0) << row.config;
}

TEST_F(Edits, ARivalIsFoundInTheChoicesThatAreEdited) {
  // Two edits in a row, without a study in between.
  const auto plain = study("");
  Choices choices = with_plan(*plain, plain->choices, row_of(*plain, full_entry), true);
  choices = with_plan(*plain, choices, row_of(*plain, half_entry), true);
  EXPECT_EQ(plans(choices), half_entry);
}

TEST_F(Edits, SwitchingOffLeavesTheRivalAlone) {
  const auto full = study(full_entry);
  EXPECT_EQ(plans(with_plan(*full, full->choices, row_of(*full, half_entry), false)), full_entry);
}

TEST_F(Edits, WhatALevelSwitchesOnGoesOffByAnExplicitZero) {
  const auto level = study("", 1);
  const PlanRow& row = row_of(*level, full_entry);
  ASSERT_TRUE(row.on);
  EXPECT_EQ(row.applied, 4);
  const Choices off = with_plan(*level, level->choices, row, false);
  EXPECT_EQ(plans(off), "Gelu+Cast+:1:0");
  const auto without = study(off);
  EXPECT_FALSE(row_of(*without, full_entry).on);
  EXPECT_EQ(row_of(*without, full_entry).applied, 0);
  EXPECT_EQ(with_plan(*without, off, row, true), level->choices) << "nothing is left behind";
}

TEST_F(Edits, ARivalThatALevelSwitchesOnGoesOffToo) {
  const auto level = study("", 1);
  const Choices half = with_plan(*level, level->choices, row_of(*level, half_entry), true);
  EXPECT_EQ(half.plans.config.at("Gelu+Cast+"), (ClusterChoice{PlanType::recompute, 0}));
  EXPECT_EQ(half.plans.config.at("Cast+").count, -1);
}

TEST_F(Edits, CountsOfOccurrences) {
  const auto plain = study("");
  const PlanRow& row = row_of(*plain, full_entry);
  const auto counted = [&](int count) {
    return with_plan_count(*plain, plain->choices, row, count);
  };
  EXPECT_TRUE(counted(0).plans.config.empty());
  EXPECT_TRUE(counted(-3).plans.config.empty());
  EXPECT_EQ(plans(counted(1)), "Gelu+Cast+:1:1");
  EXPECT_EQ(plans(counted(3)), "Gelu+Cast+:1:3");
  EXPECT_EQ(plans(counted(4)), full_entry) << "all of them, also in a deeper model";
  EXPECT_EQ(plans(counted(99)), full_entry);
  for (int count = 0; count <= 4; ++count) {
    const auto chosen = study(counted(count));
    EXPECT_EQ(row_of(*chosen, full_entry).applied, count);
  }
}

TEST_F(Edits, ACountOfALevelsPlan) {
  const auto level = study("", 1);
  const PlanRow& row = row_of(*level, full_entry);
  const Choices two = with_plan_count(*level, level->choices, row, 2);
  EXPECT_EQ(plans(two), "Gelu+Cast+:1:2");
  EXPECT_EQ(with_plan_count(*study(two), two, row, 4), level->choices);
}

TEST_F(Edits, AChosenCountIsAtMostTheFrequency) {
  const auto chosen = study("Gelu+Cast+:1:77");
  EXPECT_EQ(row_of(*chosen, full_entry).applied, 4);
}

TEST_F(Edits, ARowOfSeveralEntriesIsOnWithAllOfThem) {
  const auto plain = study("");
  PlanRow both;
  both.config = full_entry + "," + half_entry;
  both.entries = parse_config(both.config);
  both.frequency = 4;
  // One row may switch on two entries that would exclude each other as rows of their own.
  const auto one = study(full_entry);
  EXPECT_EQ(with_plan(*one, one->choices, both, true).plans.config, both.entries);
  EXPECT_TRUE(with_plan(*one, one->choices, both, false).plans.config.empty());
  EXPECT_EQ(nodes_of_plan(*plain, both).size(), 8U);
}

/// The entry nodes of a row that run again.
std::set<std::string> carried_out(const Study& study, const PlanRow& row) {
  std::set<std::string> nodes;
  for (const NodePlan* const plan : study.applied) {
    const auto entry = row.entries.find(plan->cluster);
    const bool is_of_row = entry != row.entries.end() && entry->second.type == plan->type;
    if (is_of_row) nodes.insert(study.graph().node(plan->node).name);
  }
  return nodes;
}

TEST_F(Edits, SingleOccurrencesGoOnAndOffInAnyOrder) {
  for (const int level : {0, 1, 2}) {
    auto at = study("", level);
    const Choices start = at->choices;
    std::set<std::string> expected = carried_out(*at, row_of(*at, full_entry));
    const auto occurrences = row_of(*at, full_entry).occurrences;
    std::mt19937 random(7);
    for (int i = 0; i < 40; ++i) {
      const NodeId node = (*occurrences)[random() % occurrences->size()].parts.front()->node;
      const std::string& name = at->graph().node(node).name;
      const bool on = !expected.contains(name);
      if (on) {
        expected.insert(name);
      } else {
        expected.erase(name);
      }
      at = compute_study(model_,
                         with_occurrence(*at, at->choices, row_of(*at, full_entry), node, on),
                         at.get(), Progress());
      EXPECT_EQ(carried_out(*at, row_of(*at, full_entry)), expected) << level << " " << i;
      EXPECT_EQ(row_of(*at, full_entry).applied, static_cast<int>(expected.size()));
    }
    const Choices back = with_plan(*at, at->choices, row_of(*at, full_entry), level > 0);
    EXPECT_EQ(back, start) << "nothing is left behind";
  }
}

TEST_F(Edits, OccurrencesFromTheFirstOnAreACount) {
  const auto plain = study("");
  const PlanRow& row = row_of(*plain, full_entry);
  Choices choices = plain->choices;
  const char* const expected[] = {"Gelu+Cast+:1:1", "Gelu+Cast+:1:2", "Gelu+Cast+:1:3",
                                  "Gelu+Cast+:1:-1"};
  for (std::size_t i = 0; i < 4; ++i) {
    const NodeId node = (*row.occurrences)[i].parts.front()->node;
    choices = with_occurrence(*plain, choices, row, node, true);
    EXPECT_EQ(plans(choices), expected[i]);
    EXPECT_TRUE(choices.plans.pinned.empty());
  }
}

TEST_F(Edits, OccurrencesLeftOutAreKept) {
  const auto full = study(full_entry);
  const PlanRow& row = row_of(*full, full_entry);
  const auto switched = [&](const Choices& choices, std::size_t i, bool on) {
    return with_occurrence(*full, choices, row, (*row.occurrences)[i].parts.front()->node, on);
  };
  const Choices without = switched(full->choices, 1, false);
  EXPECT_EQ(plans(without), full_entry);
  EXPECT_EQ(without.plans.pinned, (std::set<std::string>{"l1.wide"}));
  EXPECT_EQ(switched(without, 1, true), full->choices);
  EXPECT_EQ(plans(switched(without, 3, false)), "Gelu+Cast+:1:3");
  EXPECT_EQ(switched(full->choices, 2, true), full->choices) << "it is on";
  EXPECT_EQ(with_plan(*study(without), without, row, true), full->choices);
  EXPECT_EQ(with_plan(*study(without), without, row, false), Choices());
  Choices counted = full->choices;
  counted.plans.config = parse_config("Gelu+Cast+:1:2");
  EXPECT_EQ(with_plan_count(*study(without), without, row, 2), counted);
}

TEST_F(Edits, AnOccurrenceSwitchesTheRivalOff) {
  const auto full = study(full_entry);
  const PlanRow& half = row_of(*full, half_entry);
  const Choices choices =
      with_occurrence(*full, full->choices, half, (*half.occurrences)[2].parts.front()->node, true);
  const auto chosen = study(choices);
  EXPECT_EQ(carried_out(*chosen, row_of(*chosen, half_entry)), (std::set<std::string>{"l2.wide"}));
  EXPECT_EQ(row_of(*chosen, full_entry).applied, 0);
}

TEST_F(Edits, SeveralAtOnceAreTheSameAsInTurn) {
  for (const std::set<std::string>& pinned :
       {std::set<std::string>(), std::set<std::string>{"l1.wide"}}) {
    Choices choices = study(full_entry)->choices;
    choices.plans.pinned = pinned;
    const auto before = study(choices);
    const auto node_at = [&](const PlanRow& row, std::size_t i) {
      return (*row.occurrences)[i].parts.front()->node;
    };
    for (const bool on : {true, false}) {
      std::vector<PlanSwitch> switches;
      Choices in_turn = choices;
      for (const PlanRow& row : before->plan_table->plans) {
        const std::size_t last = row.occurrences->size() - 1;
        switches.push_back({&row, std::set{node_at(row, 0), node_at(row, last)}});
        for (const std::size_t i : {std::size_t{0}, last}) {
          in_turn = with_occurrence(*before, in_turn, row, node_at(row, i), on);
        }
      }
      switches.push_back({&before->plan_table->extensions.front(), std::nullopt});
      in_turn = with_plan(*before, in_turn, before->plan_table->extensions.front(), on);
      EXPECT_EQ(with_plans(*before, choices, switches, on), in_turn) << on;
    }
    EXPECT_EQ(with_plans(*before, choices, {}, true), choices);
  }
}

TEST_F(Edits, WhatIsPinnedForAnotherPlanStaysPinned) {
  // l1.wide is pinned. Its offload plan and its recompute plan, which takes precedence, are on.
  const auto both = study("Gelu+Cast+:1:-1,Cast:3:-1");
  const std::vector<NodeId> node = {
      (*row_of(*both, full_entry).occurrences)[1].parts.front()->node};
  const auto pinned = study(with_pinned(*both, both->choices, node, true));
  const Choices off = with_plan(*pinned, pinned->choices, row_of(*pinned, full_entry), false);
  EXPECT_EQ(off.plans.pinned, (std::set<std::string>{"l1.wide"}));
  EXPECT_TRUE(with_pinned(*pinned, off, node, false).plans.pinned.empty());
}

TEST_F(Edits, ANodeIsRecomputedByItsBestRow) {
  const auto plain = study("");
  const NodeId node = (*row_of(*plain, full_entry).occurrences)[2].parts.front()->node;
  const auto chosen = study(with_nodes_recomputed(*plain, plain->choices, {{node}}, true));
  EXPECT_EQ(carried_out(*chosen, row_of(*chosen, full_entry)), (std::set<std::string>{"l2.wide"}));
  // Recomputing a pinned node unpins it.
  const Choices pinned = with_pinned(*plain, plain->choices, std::vector{node}, true);
  EXPECT_EQ(with_nodes_recomputed(*study(pinned), pinned, {{node}}, true), chosen->choices);
  const auto& nodes = plain->graph().nodes();
  const auto found = std::ranges::find(nodes, "MatMul", &Node::op_type);
  const NodeId product(static_cast<std::size_t>(found - nodes.begin()));
  EXPECT_EQ(with_nodes_recomputed(*plain, plain->choices, {{product}}, true), plain->choices);
}

TEST_F(Edits, NodesOfAPlanAreItsEntriesWithTheirSubgraphs) {
  const auto plain = study("");
  const auto names = [&](const std::string& config) {
    std::vector<std::string> found;
    for (const NodeId node : nodes_of_plan(*plain, row_of(*plain, config))) {
      found.push_back(plain->graph().node(node).name);
    }
    return found;
  };
  EXPECT_EQ(names(full_entry), (std::vector<std::string>{"l0.g", "l0.wide", "l1.g", "l1.wide",
                                                         "l2.g", "l2.wide", "l3.g", "l3.wide"}));
  EXPECT_EQ(names(half_entry),
            (std::vector<std::string>{"l0.wide", "l1.wide", "l2.wide", "l3.wide"}));
  PlanRow nothing;
  nothing.config = "Nothing+:1:-1";
  nothing.entries = parse_config(nothing.config);
  EXPECT_TRUE(nodes_of_plan(*plain, nothing).empty());
}

/// Three dimensions; the model unifies the mask's two names with those of x.
std::shared_ptr<const Graph> masked() {
  test::ModelBuilder m;
  m.input("x", {"x_rows", "x_columns"}).input("mask", {"mask_rows", "mask_columns"});
  m.input("z", {"z_rows"});
  m.node("Add", {"x", "mask"}, {"y"}).node("Neg", {"z"}, {"n"}).output("y").output("n");
  return test::named(m);
}

const Dimension& dimension_of(const Study& study, const std::string& name) {
  const auto& all = study.sizes->dims.dimensions;
  return *std::find_if(all.begin(), all.end(), [&](const Dimension& d) { return d.name == name; });
}

Dims dims_after(const Dims& before, const std::string& name, std::int64_t value) {
  Choices choices;
  choices.dims = before;
  const auto study = study_of(masked(), choices);
  const Choices edited = with_dimension(*study, choices, dimension_of(*study, name), value);
  const auto result = study_of(masked(), edited);
  for (const Dimension& each : result->sizes->dims.dimensions) {
    const std::int64_t other = dimension_of(*study, each.name).value;
    const bool was_given = !dimension_of(*study, each.name).assumed;
    EXPECT_TRUE(each.name != name || each.value == value);
    if (each.name != name && was_given) {
      EXPECT_EQ(each.value, other) << each.name << " changed with " << name;
    }
  }
  return edited.dims;
}

TEST(WithDimension, SetsANewOrKnownName) {
  EXPECT_EQ(dims_after({}, "x_rows", 5), (Dims{{"x_rows", 5}}));
  EXPECT_EQ(dims_after({{"x_rows", 3}, {"z_rows", 4}}, "x_rows", 5),
            (Dims{{"x_rows", 5}, {"z_rows", 4}}));
}

TEST(WithDimension, WritesPatternsOut) {
  EXPECT_EQ(dims_after({{"*_rows", 3}}, "x_rows", 5), (Dims{{"x_rows", 5}, {"z_rows", 3}}));
  EXPECT_EQ(dims_after({{"*", 3}}, "x_columns", 5),
            (Dims{{"x_columns", 5}, {"x_rows", 3}, {"z_rows", 3}}));
  EXPECT_EQ(dims_after({{"z*", 3}, {"x_*", 2}}, "z_rows", 5), (Dims{{"x_*", 2}, {"z_rows", 5}}));
}

TEST(WithDimension, TakesOtherNamesOfItAway) {
  EXPECT_EQ(dims_after({{"mask_rows", 3}}, "x_rows", 5), (Dims{{"x_rows", 5}}));
  EXPECT_EQ(dims_after({{"mask_*", 3}}, "x_rows", 5), (Dims{{"x_columns", 3}, {"x_rows", 5}}));
  EXPECT_EQ(dims_after({{"mask_*", 3}, {"x_rows", 3}}, "x_columns", 5),
            (Dims{{"x_columns", 5}, {"x_rows", 3}}));
}

}  // namespace edits_test
}  // namespace stashscope
