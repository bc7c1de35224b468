#include "core/study/step/study.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/study/files/session.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace study_test {

using test::ModelBuilder;

std::shared_ptr<const Graph> shared(const ModelBuilder& model) {
  return std::make_shared<const Graph>(model.build());
}

std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                      const Choices& choices, const Study* previous = nullptr) {
  return compute_study(model, choices, previous, Progress());
}

std::string refusal(const std::shared_ptr<const Graph>& model, const Choices& choices) {
  return test::refusal(ErrorKind::usage, [&] { study_of(model, choices); });
}

TEST(Study, APlanLowersThePeakAndAddsComputation) {
  const auto model = shared(test::deep_perceptron(8));
  Choices choices;
  choices.dims["N"] = 256;
  const auto before = study_of(model, choices);
  ASSERT_FALSE(before->plan_table->plans.empty());
  choices.plans.config = config_of_all(*before->opportunities, false);
  const auto after = study_of(model, choices, before.get());
  EXPECT_LT(after->current->timeline.peak_bytes, before->current->timeline.peak_bytes);
  EXPECT_GT(after->current->flops, before->current->flops);
  EXPECT_EQ(after->baseline->timeline.peak_bytes, before->current->timeline.peak_bytes);
  EXPECT_TRUE(after->plan_table->plans.front().on);
}

TEST(Study, SharesWhatAChoiceDoesNotTouch) {
  const auto model = shared(test::perceptron());
  Choices choices;
  choices.dims["N"] = 8;
  const auto first = study_of(model, choices);
  choices.order.strategy = "depth-first";
  const auto second = study_of(model, choices, first.get());
  EXPECT_EQ(second->prepared, first->prepared);
  EXPECT_EQ(second->sizes, first->sizes);
  EXPECT_EQ(second->baseline, first->baseline);
  choices.dims["N"] = 16;
  const auto third = study_of(model, choices, second.get());
  EXPECT_EQ(third->prepared, first->prepared);
  EXPECT_NE(third->sizes, first->sizes);
}

TEST(Study, ReuseGivesWhatAFreshComputationGives) {
  const auto model = shared(test::perceptron(32));
  std::shared_ptr<const Study> previous;
  std::vector<Choices> way(9);
  way[1].dims["N"] = 5;
  way[2] = way[1];
  way[2].plans.level = 1;
  way[3] = way[2];
  way[3].order.strategy = "breadth-first";
  way[4] = way[3];
  way[4].plans.level = 0;
  way[4].plans.search = {0, false};
  way[5] = way[4];
  way[5].update.optimizer = "adam";
  way[6] = way[5];
  way[6].update.release_gradients = true;
  way[7] = way[6];
  way[7].order.strategy = "depth-first";
  way[8] = way[0];
  for (const Choices& choices : way) {
    previous = study_of(model, choices, previous.get());
    const auto fresh = study_of(model, choices);
    EXPECT_EQ(previous->current->timeline.live_bytes, fresh->current->timeline.live_bytes);
    EXPECT_EQ(previous->baseline->timeline.live_bytes, fresh->baseline->timeline.live_bytes);
    EXPECT_EQ(previous->current->bands, fresh->current->bands);
    EXPECT_EQ(previous->plan_table->plans.size(), fresh->plan_table->plans.size());
    EXPECT_EQ(previous->warnings, fresh->warnings);
  }
}

TEST(Study, SymbolicPeakAgreesWithTheNumber) {
  const auto model = shared(test::perceptron());
  Choices choices;
  choices.dims["N"] = 7;
  const auto study = study_of(model, choices);
  SymbolTable symbols = study->graph().symbols();
  const auto expr = parse_expr(peak_symbolic(*study, *study->baseline), symbols);
  ASSERT_TRUE(expr);
  EXPECT_EQ(expr->evaluate(study->sizes->dims.bindings), study->baseline->timeline.peak_bytes);
}

TEST(Study, ForwardAndBackwardNodesAddUp) {
  const auto study = study_of(shared(test::perceptron()), {});
  const NodeCounts nodes = node_counts(*study);
  EXPECT_EQ(nodes.forward + nodes.backward,
            static_cast<std::int64_t>(study->graph().nodes().size()));
  EXPECT_EQ(study->prepared->step.parameters.size(), 3U);
  EXPECT_EQ(study->sizes->parameter_bytes, (4 * 8 + 8 + 8 * 3) * 4);
}

TEST(Dimensions, AssumedValuesAreSaid) {
  const auto study = study_of(shared(test::perceptron()), {});
  ASSERT_EQ(study->sizes->dims.dimensions.size(), 1U);
  EXPECT_TRUE(study->sizes->dims.dimensions[0].assumed);
  EXPECT_EQ(study->sizes->dims.dimensions[0].value, 1);
  ASSERT_FALSE(study->warnings.empty());
  EXPECT_NE(study->warnings.back().find("--dim"), std::string::npos);
}

TEST(Dimensions, AssumedValuesHaveTheWordOfTheSize) {
  ModelBuilder m;
  m.input("x", {"x_dim0", 3, 8, 8}).node("Relu", {"x"}, {"y"});
  m.node("NonZero", {"y"}, {"places"}).output("places");
  const auto study = study_of(shared(m), {});
  const auto has_note = [&](const std::string& start) {
    return std::ranges::any_of(study->warnings,
                               [&](const auto& each) { return each.starts_with(start); });
  };
  EXPECT_TRUE(has_note("batch (x_dim0) is assumed to be 1")) << study->warnings.front();
  EXPECT_TRUE(has_note("dimension '")) << "a size without a word has its name only";
}

/// scores and mask have dimension names of their own that must be equal.
ModelBuilder masked() {
  ModelBuilder m;
  m.input("x", {"batch", "sequence"}).input("mask", {"mask_batch", "mask_sequence"});
  return m.node("Add", {"x", "mask"}, {"y"}).output("y");
}

TEST(Dimensions, NamesThatMustBeEqualBecomeOne) {
  Choices choices;
  choices.dims = {{"batch", 3}, {"sequence", 5}};
  const auto study = study_of(shared(masked()), choices);
  ASSERT_EQ(study->sizes->dims.dimensions.size(), 2U);
  EXPECT_EQ(study->sizes->dims.dimensions[0].also, (std::vector<std::string>{"mask_batch"}));
  choices.dims = {{"batch", 3}, {"mask_batch", 4}};
  EXPECT_NE(refusal(shared(masked()), choices).find("one value for all names of this dimension"),
            std::string::npos);
  choices.dims = {{"*batch", 3}, {"mask_sequence", 5}};
  EXPECT_EQ(study_of(shared(masked()), choices)->sizes->dims.dimensions[1].value, 5);
}

TEST(Dimensions, UnknownNamesAndBadValuesAreRefused) {
  Choices choices;
  choices.dims["typo"] = 3;
  EXPECT_NE(refusal(shared(masked()), choices).find("the model has batch, sequence"),
            std::string::npos);
  choices.dims["typo"] = 0;
  EXPECT_NE(refusal(shared(masked()), choices).find("the model has batch, sequence"),
            std::string::npos);
  choices.dims = {{"batch", -1}};
  EXPECT_NE(refusal(shared(masked()), choices).find("1 or more"), std::string::npos);
}

TEST(Dimensions, TablesOfTheModelLimitWhatIsAssumedAndAllowed) {
  ModelBuilder m;
  m.input("ids", {"batch", "sequence"}).weight("positions", {64, 1});
  m.int64s("zero", {0}).int64s("one", {1});
  m.node("Shape", {"ids"}, {"dims"});
  m.node("Slice", {"dims", "one", "length_end", "zero"}, {"length"});
  m.int64s("length_end", {2});
  m.node("Slice", {"positions", "zero", "length", "zero"}, {"used"});
  m.node("Transpose", {"used"}, {"row"});
  m.node("Add", {"ids", "row"}, {"y"}).output("y");
  const auto study = study_of(shared(m), {});
  EXPECT_EQ(study->sizes->dims.dimensions[1].value, 64);
  Choices choices;
  choices.dims["sequence"] = 65;
  EXPECT_NE(refusal(shared(m), choices).find("min(64, sequence) = 64"), std::string::npos);
}

TEST(Dimensions, AreAssumedWithinTheTablesThatAreSliced) {
  test::ModelBuilder m;
  m.input("x", {"N", "S"}).weight("positions", {64, 8}).int64s("zero", {0}).int64s("one", {1});
  m.node("Shape", {"x"}, {"dims"}).node("Gather", {"dims", "one"}, {"length"});
  m.node("Slice", {"positions", "zero", "length", "zero"}, {"used"}).output("used");
  const auto study = study_of(shared(m), {});
  ASSERT_EQ(study->sizes->dims.dimensions.size(), 2U);
  EXPECT_EQ(study->sizes->dims.dimensions[1].value, 64) << "128 rows are not there";
  Choices longer;
  longer.dims["S"] = 100;
  EXPECT_EQ(study_of(shared(m), longer)->sizes->dims.dimensions[1].value, 100) << "is allowed";
}

TEST(Dimensions, OfDataMayBeNothing) {
  test::ModelBuilder m;
  m.input("x", {"N", 2}).node("NonZero", {"x"}, {"places"}).output("places");
  Choices choices;
  choices.dims["places_dim1"] = 0;
  EXPECT_EQ(study_of(shared(m), choices)->sizes->dims.dimensions[1].value, 0);
  choices.dims["places_dim1"] = -1;
  EXPECT_THROW(study_of(shared(m), choices), Error);
}

TEST(Dimensions, CanBeMadeOneByTheUser) {
  ModelBuilder m;
  m.input("a", {"a_dim", 2}).input("b", {"b_dim", 2});
  m.node("Concat", {"a", "b"}, {"y"}, {{"axis", std::int64_t{0}}}).output("y");
  Choices choices;
  choices.graph.same_dims["*_dim"] = "rows";
  choices.dims["rows"] = 6;
  const auto study = study_of(shared(m), choices);
  ASSERT_EQ(study->sizes->dims.dimensions.size(), 1U);
  EXPECT_EQ(study->baseline->timeline.peak_bytes, (6 * 2 + 6 * 2 + 12 * 2) * 4);
}

bool is_noted(const Study& study, const std::string& text) {
  return std::ranges::any_of(study.warnings, [&](const std::string& each) {
    return each.find(text) != std::string::npos;
  });
}

TEST(Training, OfTwoScalarsTheNamedLossIsTakenAndSaid) {
  ModelBuilder m = test::perceptron();
  m.node("ReduceMean", {"scores"}, {"other"}, {{"keepdims", std::int64_t{0}}}).output("other");
  EXPECT_TRUE(is_noted(*study_of(shared(m), {}), "'loss' is taken for the loss"));
  Choices choices;
  choices.graph.goal.loss = "other";
  const auto chosen = study_of(shared(m), choices);
  EXPECT_FALSE(is_noted(*chosen, "is taken for the loss"));
  EXPECT_EQ(chosen->prepared->step.parameters.size(), 3U);
}

TEST(Training, FrozenWeightsReceiveNoGradient) {
  Choices choices;
  choices.graph.goal.frozen = {"w1", "b*"};
  const auto study = study_of(shared(test::perceptron()), choices);
  ASSERT_EQ(study->prepared->step.parameters.size(), 1U);
  EXPECT_EQ(study->graph().value(study->prepared->step.parameters[0].value).name, "w2");
}

TEST(Training, AnUnusedWeightIsListedWithoutAGradient) {
  ModelBuilder m = test::perceptron();
  m.weight("spare", {4, 4});
  const auto study = study_of(shared(m), {});
  EXPECT_EQ(study->prepared->step.parameters.size(), 4U);
  EXPECT_TRUE(std::any_of(study->warnings.begin(), study->warnings.end(),
                          [](const auto& w) { return w.find("'spare'") != std::string::npos; }));
}

TEST(Training, AnOperatorWithoutAGradientLeavesTheForwardPass) {
  ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Mystery", {"h"}, {"y"}, {}, "example").output("y");
  m.declare("y", {4, 4});
  const auto study = study_of(shared(m), {});
  EXPECT_FALSE(study->prepared->step.boundary.known());
  EXPECT_TRUE(std::any_of(study->warnings.begin(), study->warnings.end(),
                          [](const auto& w) { return w.find("Mystery") != std::string::npos; }));
}

/// The places of x[N, 4] that are not zero.
std::shared_ptr<const Graph> with_non_zero() {
  ModelBuilder m;
  m.input("x", {"N", 4}).node("NonZero", {"x"}, {"places"});
  return shared(m.output("places"));
}

std::int64_t value_of(const Study& study, const std::string& name) {
  for (const Dimension& each : study.sizes->dims.dimensions) {
    if (each.name == name) return each.value;
  }
  return -1;
}

TEST(DataDependentSizes, AreAsLargeAsTheyCanBeAndSaySo) {
  Choices choices;
  choices.dims["N"] = 8;
  const auto study = study_of(with_non_zero(), choices);
  EXPECT_EQ(value_of(*study, "places_dim1"), 32);
  EXPECT_EQ(study->baseline->timeline.peak_bytes, 32 * 4 + 2 * 32 * 8);
  EXPECT_TRUE(std::any_of(study->warnings.begin(), study->warnings.end(), [](const auto& w) {
    return w.find("'places_dim1' depends on the data; it is at most 4*N") != std::string::npos;
  }));
}

TEST(DataDependentSizes, CanBeSetWithinTheirBound) {
  Choices choices;
  choices.dims = {{"N", 8}, {"places_dim1", 5}};
  EXPECT_EQ(value_of(*study_of(with_non_zero(), choices), "places_dim1"), 5);
  choices.dims["places_dim1"] = 33;
  EXPECT_NE(refusal(with_non_zero(), choices).find("at most 4*N = 32"), std::string::npos);
  choices.dims = {{"*", 3}};
  EXPECT_EQ(value_of(*study_of(with_non_zero(), choices), "places_dim1"), 12);
}

TEST(Session, SurvivesItsText) {
  Session session;
  session.model = "/models/deep/net.onnx";
  session.model_hash = "0123";
  session.choices.dims = {{"N", 8}};
  session.choices.graph.same_dims = {{"a_*", "N"}};
  session.choices.plans.config = parse_config("BiasGelu+:1:-1,Cast+:2:3");
  session.choices.plans.level = 1;
  session.choices.plans.search = {0, true};
  session.choices.order.strategy = "reference";
  session.choices.graph.goal = {"loss", {"w*"}, {"emb*"}};
  session.choices.update = {"adam", true, true};
  session.choices.graph.passes = {"clean_shapes", "fuse_gelu"};
  session.choices.graph.precision = ElementType::bfloat16;
  session.choices.plans.search.newer_versions = true;
  session.choices.plans.search.also_recomputable = {"Relu"};
  session.choices.plans.search.compressed = ElementType::bfloat16;
  session.choices.times.transfer_bandwidth = 1e9;
  session.choices.plans.config["Softmax"] = {PlanType::offload, 2};
  session.choices.plans.config["Gelu"] = {PlanType::recompute, -1, true};
  session.choices.device = "cpu";
  Measurement& measured = session.baseline_measured.emplace();
  measured.device = "cpu";
  measured.live_bytes = {1, 2, 3};
  measured.node_seconds = {0.5, 0.25, 1};
  measured.step_seconds = 2;
  measured.peak_bytes = 3;
  measured.peak_resident_bytes = 4096;
  measured.idle_bytes = {1, 1, 2, 1};
  for (const char* folder : {"/models", "/elsewhere", "/models/deep"}) {
    EXPECT_EQ(parse_session(session_text(session, folder), folder), session) << folder;
  }
}

TEST(Session, TextOfOtherKindsIsRefused) {
  for (const char* text :
       {"", "[]", "{}", "{\"stashscope_session\": 99, \"model\": {\"path\": \"m\"}}",
        "{\"stashscope_session\": 1}", "{\"stashscope_session\": 1, \"model\": {\"path\": 7}}",
        "{\"stashscope_session\": 1, \"model\": {\"path\": \"m\"}, \"choices\": "
        "{\"plans\": [\"no config\"]}}"}) {
    EXPECT_THROW(parse_session(text, "/"), Error) << text;
  }
}

}  // namespace study_test
}  // namespace stashscope
