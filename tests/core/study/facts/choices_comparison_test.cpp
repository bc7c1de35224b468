// A comparison covers every choice of the user: a change of any single choice gives a row that
// differs.

#include "core/study/facts/choices_comparison.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/study/files/session.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace choices_comparison_test {

Choices base_choices() {
  Choices choices;
  choices.dims["N"] = 4;
  return choices;
}

std::shared_ptr<const Study> study_of(const Choices& choices) {
  static const auto model = test::named(test::mixed_precision(3));
  return compute_study(model, choices, nullptr, Progress());
}

struct Change {
  const char* name;
  std::function<void(Choices&)> make;
};

/// The keys of a session's choices.
nlohmann::json saved(const Choices& choices) {
  const Session session{"model.onnx", "", choices, {}, {}};
  return nlohmann::json::parse(session_text(session, "."))["choices"];
}

/// Changes that a study can carry out. Moves and sequences need more preparation and follow below.
const std::vector<Change>& changes() {
  static const std::vector<Change> list = {
      {"dims", [](Choices& c) { c.dims["N"] = 8; }},
      {"same_dims", [](Choices& c) { c.graph.same_dims["N"] = "M"; }},
      {"plans", [](Choices& c) { c.plans.config = parse_config("Gelu+:1:-1"); }},
      {"kept", [](Choices& c) { c.plans.pinned = {"l1.g"}; }},
      {"level", [](Choices& c) { c.plans.level = 1; }},
      {"reference", [](Choices& c) { c.plans.search.reference = Reference::november_2023; }},
      {"probe level", [](Choices& c) { c.plans.search.level = 0; }},
      {"probe boundary", [](Choices& c) { c.plans.search.layer_boundary = true; }},
      {"newer_versions", [](Choices& c) { c.plans.search.newer_versions = true; }},
      {"recomputable", [](Choices& c) { c.plans.search.also_recomputable = {"Tanh"}; }},
      {"compress_to", [](Choices& c) { c.plans.search.compressed = ElementType::bfloat16; }},
      {"order", [](Choices& c) { c.order.strategy = "minimal"; }},
      {"moves",
       [](Choices& c) {
         c.order.moves = {{"l1.g", std::nullopt}};
       }},
      {"fusion", [](Choices& c) { c.fusion.strategy = "dataflow"; }},
      {"split", [](Choices& c) { c.fusion.alone = {"l1.g"}; }},
      {"no_merge",
       [](Choices& c) {
         c.fusion.apart = {{"l1.g", "l1.narrow"}};
       }},
      {"loss", [](Choices& c) { c.graph.goal.loss = "loss"; }},
      {"trainable", [](Choices& c) { c.graph.goal.trainable = {"l0.w"}; }},
      {"frozen", [](Choices& c) { c.graph.goal.frozen = {"l0.w"}; }},
      {"profile", [](Choices& c) { c.times.profile = device_profiles().back(); }},
      {"figures of the profile", [](Choices& c) { c.times.profile.bandwidth *= 2; }},
      {"a rate more", [](Choices& c) { c.times.profile.matrix.float64 += 1; }},
      {"transfer_bandwidth", [](Choices& c) { c.times.transfer_bandwidth = 1e9; }},
      {"device_memory", [](Choices& c) { c.times.device_memory = 1 << 30; }},
      {"host_memory", [](Choices& c) { c.times.host_memory = 1 << 30; }},
      {"overlap_transfers", [](Choices& c) { c.plans.overlaps_copies = true; }},
      {"reserve_percent", [](Choices& c) { c.times.reserve_percent = 7.5; }},
      {"allocator", [](Choices& c) { c.allocator = "max_split_size_mb:128"; }},
      {"optimizer", [](Choices& c) { c.update.optimizer = "adam"; }},
      {"master_weights", [](Choices& c) { c.update.master_weights = true; }},
      {"release_gradients", [](Choices& c) { c.update.release_gradients = true; }},
      {"passes", [](Choices& c) { add_passes("all", c); }},
      {"precision", [](Choices& c) { c.graph.precision = ElementType::float16; }},
      {"what_ifs",
       [](Choices& c) {
         c.graph.what_ifs = {{"attention", "flash"}};
       }},
      {"type of gradients", [](Choices& c) { c.graph.gradient_type = ElementType::bfloat16; }},
      {"device", [](Choices& c) { c.device = "cpu"; }},
      {"planned",
       [](Choices& c) {
         c.plans.sequence = PlannedSequence{{0, 1}, 7};
       }},
  };
  return list;
}

/// The study of the changed choices. If this model does not support them, the base study with its
/// choices replaced.
std::shared_ptr<const Study> changed(const Study& base, const Choices& choices) {
  try {
    return study_of(choices);
  } catch (const Error&) {
    StudyParts parts = base;
    parts.choices = choices;
    return std::make_shared<const Study>(std::move(parts));
  }
}

bool differ_in_a_choice(const Study& left, const Study& right) {
  const auto rows = compare(left, right);
  return std::any_of(rows.begin(), rows.end(), [](const ComparisonRow& row) {
    const bool is_choice =
        row.group == ComparisonGroup::choices || row.group == ComparisonGroup::plans;
    return is_choice && row.differs();
  });
}

TEST(ChoicesComparison, EveryChoiceMakesARowThatDiffers) {
  const auto base = study_of(base_choices());
  EXPECT_FALSE(differ_in_a_choice(*base, *base));
  for (const Change& change : changes()) {
    Choices choices = base_choices();
    change.make(choices);
    ASSERT_NE(choices, base->choices) << change.name;
    const auto study = changed(*base, choices);
    EXPECT_TRUE(differ_in_a_choice(*base, *study)) << change.name;
    EXPECT_TRUE(differ_in_a_choice(*study, *base)) << change.name;
  }
}

TEST(ChoicesComparison, NoKeyOfASessionIsLeftOutAbove) {
  const nlohmann::json base = saved(base_choices());
  nlohmann::json untouched = base;
  for (const Change& change : changes()) {
    Choices choices = base_choices();
    change.make(choices);
    const auto other = saved(choices);
    for (const auto& [key, value] : base.items()) {
      if (other[key] != value) untouched.erase(key);
    }
  }
  EXPECT_TRUE(untouched.empty()) << untouched;
}

TEST(ChoicesComparison, SequencesOfTheSameLengthAreToldApart) {
  Choices left = base_choices();
  Choices right = left;
  left.plans.sequence = {{0, 1, 2}, 7};
  right.plans.sequence = {{0, 2, 1}, 7};
  EXPECT_TRUE(differ_in_a_choice(*study_of(left), *study_of(right)));
}

TEST(ChoicesComparison, FiguresOfProfilesOfOneNameAreListed) {
  const auto left = study_of(base_choices());
  Choices choices = base_choices();
  choices.times.profile.launch_seconds = 0.5;
  const auto rows = compare(*left, *study_of(choices));
  const auto row = std::find_if(rows.begin(), rows.end(), [](const ComparisonRow& each) {
    return each.name == "profile's launch_seconds";
  });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->right.text, "0.5");
  EXPECT_EQ(
      std::count_if(rows.begin(), rows.end(),
                    [](const ComparisonRow& each) { return each.name.starts_with("profile's "); }),
      1);
}

}  // namespace choices_comparison_test
}  // namespace stashscope
