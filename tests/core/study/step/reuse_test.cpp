// A study that takes parts of a previous one is equal to one computed from nothing, whichever
// choice changed in between.

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

#include "core/study/search/budget.h"
#include "core/study/step/study.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace {

/// Gives another value to one of the fields that it visits.
class FieldChange {
 public:
  explicit FieldChange(std::size_t wanted) : wanted_(wanted) {}

  template <class Field>
  void operator()(const char* name, Field& field, std::type_identity_t<Field> other) {
    if (visited_++ != wanted_) return;
    name_ = name;
    field = std::move(other);
  }

  std::size_t visited() const { return visited_; }
  const std::string& name() const { return name_; }

 private:
  std::size_t wanted_;
  std::size_t visited_ = 0;
  std::string name_;
};

// The bindings name every field of every group, so that adding or removing a field breaks the
// build.

void visit(GraphChoices& graph, FieldChange& change) {
  auto& [same_dims, goal, passes, precision, what_ifs, gradient_type] = graph;
  auto& [loss, trainable, frozen] = goal;
  change("same_dims", same_dims, {{"N", "M"}});
  change("loss", loss, "loss");
  change("trainable", trainable, {"l1.w"});
  change("frozen", frozen, {"l0.w"});
  change("passes", passes, {"fuse_gelu", "keep_loss_only"});
  change("precision", precision, ElementType::bfloat16);
  change("what_ifs", what_ifs, {{"attention", "flash"}});
  change("gradient_type", gradient_type, ElementType::bfloat16);
}

void visit(TimeChoices& times, FieldChange& change) {
  auto& [profile, transfer_bandwidth, device_memory, reserve_percent, host_memory] = times;
  change("profile", profile, device_profiles().back());
  change("transfer_bandwidth", transfer_bandwidth, 1e6);
  change("device_memory", device_memory, std::int64_t{1} << 30);
  change("reserve_percent", reserve_percent, 5.0);
  change("host_memory", host_memory, std::int64_t{1});
}

void visit(UpdateChoice& update, FieldChange& change) {
  auto& [optimizer, master_weights, release_gradients] = update;
  change("optimizer", optimizer, "adam");
  change("master_weights", master_weights, true);
  change("release_gradients", release_gradients, true);
}

void visit(RecomputeSearchOptions& search, FieldChange& change) {
  auto& [reference, level, layer_boundary, newer_versions, also_recomputable, compressed] = search;
  change("reference", reference, Reference::november_2023);
  change("search level", level, 0);
  change("layer_boundary", layer_boundary, true);
  change("newer_versions", newer_versions, true);
  change("also_recomputable", also_recomputable, {"MatMul"});
  change("compressed", compressed, ElementType::bfloat16);
}

void visit(PlanChoices& plans, FieldChange& change) {
  auto& [config, pinned, level, search, sequence, overlaps_copies] = plans;
  change("config", config, parse_config("Gelu+:1:2,MatMul:3:1"));
  change("pinned", pinned, {"l1.y", "nobody"});
  change("level", level, 2);
  visit(search, change);
  change("sequence", sequence, PlannedSequence{{0, 1}, 7});
  change("overlaps_copies", overlaps_copies, !overlaps_copies);
}

void visit(OrderChoices& order, FieldChange& change) {
  auto& [strategy, moves] = order;
  change("strategy", strategy, "breadth-first");
  change("moves", moves, {{"l1.h", std::nullopt}, {"l0.h", "l0.narrow"}});
}

void visit(FusionChoice& fusion, FieldChange& change) {
  auto& [strategy, alone, apart] = fusion;
  change("fusion", strategy, "memory-aware");
  change("alone", alone, {"l1.g"});
  change("apart", apart, {{"l1.g", "l1.wide"}});
}

void visit(Choices& choices, FieldChange& change) {
  auto& [graph, dims, times, update, plans, order, fusion, device, allocator] = choices;
  visit(graph, change);
  change("dims", dims, {{"N", 5}});
  visit(times, change);
  visit(update, change);
  visit(plans, change);
  visit(order, change);
  visit(fusion, change);
  change("device", device, "cpu");
  change("allocator", allocator, "expandable_segments:True");
}

using Facts = std::vector<std::string>;

class FactList {
 public:
  template <class... Words>
  void add(const Words&... words) {
    std::ostringstream text;
    ((text << words << ' '), ...);
    facts_.push_back(text.str());
  }
  Facts take() { return std::move(facts_); }

 private:
  Facts facts_;
};

void add_variant(const Variant& variant, FactList& facts) {
  facts.add(variant.flops, variant.transfer_bytes, variant.forward_slots,
            variant.groups.members.size(), variant.host_bytes);
  for (const auto& [node, until] : variant.copies.copies) facts.add(node.index(), until.index());
  for (std::size_t slot = 0; slot < variant.timeline.order.size(); ++slot) {
    facts.add(variant.timeline.order[slot].index(), variant.timeline.live_bytes[slot]);
    for (const std::int64_t bytes : variant.bands[slot]) facts.add(bytes);
  }
}

void add_rows(const std::vector<PlanRow>& rows, FactList& facts) {
  for (const PlanRow& row : rows) {
    facts.add(row.config, row.frequency, row.saving_bytes, row.on, row.applied, row.saved_bytes,
              row.bytes_at_peak, row.cost.flops, row.cost.seconds, row.cost.transfer_bytes);
  }
}

Facts facts_of(const Study& study) {
  FactList facts;
  facts.add(study.prepared->fingerprint, study.prepared->step.parameters.size());
  for (const std::int64_t bytes : study.sizes->bytes) facts.add(bytes);
  for (const double seconds : study.times->seconds) facts.add(seconds);
  facts.add(to_string(study.config), study.order.value_or("planned"), study.applied.size());
  for (const bool is_pinned : study.pinned) facts.add(is_pinned);
  add_variant(*study.baseline, facts);
  add_variant(*study.current, facts);
  for (const OrderRow& row : order_rows(study)) {
    facts.add(row.name, row.peak_bytes.value_or(-1), row.taken, static_cast<int>(row.origin));
  }
  for (const ClusterRow& row : cluster_rows(study)) {
    for (const ClusterOption& option : row.options) facts.add(row.key, option.applied);
  }
  add_rows(study.plan_table->plans, facts);
  add_rows(study.plan_table->extensions, facts);
  for (const std::string& each : study.moves_left_out) facts.add(each);
  for (const std::string& each : study.warnings) facts.add(each);
  facts.add(step_seconds(study, *study.current), extra_seconds(study));
  return facts.take();
}

std::shared_ptr<const Graph> model() {
  static const auto graph = test::named(test::mixed_precision(3));
  return graph;
}

std::shared_ptr<const Study> study_under(const Choices& choices, const Study* previous = nullptr) {
  return compute_study(model(), choices, previous, Progress());
}

/// Changes a field and changes it back, each time with reuse of the previous study. Returns the
/// name of the field.
std::string expect_reuse(const Study& base, std::size_t field, std::size_t& fields) {
  Choices choices = base.choices;
  FieldChange change(field);
  visit(choices, change);
  fields = change.visited();
  EXPECT_NE(choices, base.choices) << change.name();
  const auto reused = study_under(choices, &base);
  EXPECT_EQ(reused->choices, choices) << change.name();
  EXPECT_EQ(facts_of(*reused), facts_of(*study_under(choices))) << change.name();
  EXPECT_EQ(facts_of(*study_under(base.choices, reused.get())), facts_of(base)) << change.name();
  return change.name();
}

void expect_reuse_of_every_field(const Choices& choices) {
  const auto base = study_under(choices);
  std::size_t fields = 1;
  for (std::size_t field = 0; field < fields; ++field) {
    SCOPED_TRACE(field);
    EXPECT_FALSE(expect_reuse(*base, field, fields).empty());
  }
  EXPECT_GT(fields, 20U);
}

Choices sized() {
  Choices choices;
  choices.dims["N"] = 4;
  return choices;
}

TEST(Reuse, GivesWhatAFreshComputationGivesForEveryChoice) { expect_reuse_of_every_field(sized()); }

TEST(Reuse, GivesTheSameWithPlansOrdersAndGroupsInForce) {
  Choices choices = sized();
  choices.plans.level = 1;
  choices.plans.pinned = {"l0.y"};
  choices.order = {"bytes-freed", {{"l2.h", std::nullopt}}};
  choices.fusion.strategy = "dataflow";
  choices.update.optimizer = "sgd";
  expect_reuse_of_every_field(choices);
}

TEST(Reuse, GivesTheSameWithOverlappingCopies) {
  Choices choices = sized();
  choices.plans.config = parse_config("Cast:3:-1,Gelu:3:-1");
  choices.plans.overlaps_copies = true;
  choices.times.transfer_bandwidth = 1e8;
  ASSERT_FALSE(study_under(choices)->current->copies.empty());
  expect_reuse_of_every_field(choices);
}

TEST(Reuse, GivesTheSameUnderAPlannedSequence) {
  const auto study = study_under(sized());
  ParetoFront archive;
  const std::int64_t budget = study->baseline->timeline.peak_bytes * 85 / 100;
  const Choices planned =
      plan_for_budget(*study, {budget, PlanGranularity::node, {0, 10'000, 1}}, archive, Progress())
          .best.choices;
  ASSERT_TRUE(planned.plans.sequence);
  expect_reuse_of_every_field(planned);
}

TEST(Reuse, SharesWhatFollowsFromTheSameGroups) {
  const auto base = study_under(sized());
  Choices choices = base->choices;
  choices.times.transfer_bandwidth = 1e6;
  const auto slower = study_under(choices, base.get());
  EXPECT_EQ(slower->opportunities, base->opportunities);
  EXPECT_EQ(slower->current, base->current);
  EXPECT_EQ(slower->ordered, base->ordered);
  EXPECT_NE(slower->times, base->times);
  choices.plans.level = 1;
  choices.plans.search = {0, false};
  const auto leveled = study_under(choices, slower.get());
  EXPECT_EQ(leveled->prepared, base->prepared);
  EXPECT_EQ(leveled->baseline, base->baseline);
  EXPECT_EQ(leveled->times, slower->times);
}

TEST(Reuse, AnotherDeviceChangesNothingElse) {
  const auto base = study_under(sized());
  const auto moved = on_device(*base, "cpu");
  EXPECT_EQ(moved->choices.device, "cpu");
  EXPECT_EQ(moved->times, base->times);
  EXPECT_EQ(facts_of(*moved), facts_of(*base));
}

}  // namespace
}  // namespace stashscope
