#include "core/study/step/moved_order.h"

#include <gtest/gtest.h>

#include <random>

#include "core/run/step/random_inputs.h"
#include "core/study/choices/node_names.h"
#include "core/study/edits/order_edits.h"
#include "core/study/files/session.h"
#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"
#include "core/study/search/sweep.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/step_export.h"
#include "tests/core/run/models/model_run.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace moved_order_test {

std::shared_ptr<const Study> study_of(const Graph& model, const Choices& choices = {}) {
  return compute_study(std::make_shared<const Graph>(model), choices, nullptr, Progress());
}

std::shared_ptr<const Study> changed(const Study& study, const Choices& choices) {
  return compute_study(study.model, choices, &study, Progress());
}

NodeId node_named(const Study& study, const std::string& name) {
  return NodeNames(study.graph(), study.current->dataflow).find(name);
}

/// Two branches from x that meet in the sum: a large one and a small one, which can wait.
Graph branches() {
  test::ModelBuilder m;
  m.input("x", {64}).input("y", {4});
  m.node("Relu", {"y"}, {"small"}).node("Relu", {"x"}, {"a"}).node("Exp", {"a"}, {"b"});
  m.node("ReduceSum", {"b"}, {"sum"}, {{"keepdims", std::int64_t{0}}});
  return m.node("Add", {"sum", "small"}, {"out"}).output("out").build();
}

/// Choices that train no weights, so that the step has only the nodes of its graph.
Choices not_trained() {
  Choices choices;
  choices.graph.goal.frozen = {"*"};
  return choices;
}

Choices moved(const char* node, const char* before) {
  Choices choices = not_trained();
  choices.order.moves = {{node, choice_of(before, "")}};
  return choices;
}

TEST(MovedOrder, IsMadeInTheOrderOfTheStrategyAndHasItsPeak) {
  const auto before = study_of(branches(), not_trained());
  const auto after = changed(*before, moved("make_small", "make_out"));
  std::vector<std::string> names;
  for (const NodeId node : after->current->timeline.order) {
    names.push_back(after->graph().node(node).name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"make_a", "make_b", "make_sum", "make_small", "make_out"}));
  ASSERT_EQ(order_rows(*after).size(), order_rows(*before).size() + 1);
  EXPECT_EQ(order_rows(*after)[0].name, moved_order);
  EXPECT_EQ(order_rows(*after)[0].description, "with the user's moves");
  EXPECT_EQ(order_rows(*after)[0].peak_bytes, after->current->timeline.peak_bytes);
  EXPECT_EQ(before->current->timeline.peak_bytes - after->current->timeline.peak_bytes, 4 * 4)
      << "the small tensor is not there at the peak any more";
  EXPECT_EQ(order_in_force(*after), moved_order);
  EXPECT_EQ(order_in_force(*before), "file");
  EXPECT_EQ(study_of(branches(), after->choices)->current->timeline.live_bytes,
            after->current->timeline.live_bytes)
      << "the same from scratch";
}

TEST(MovedOrder, LeavesOutWhatIsIllegalOrGoneAndSaysWhy) {
  Choices choices = not_trained();
  choices.order.moves = {{"make_b", "make_a"},
                         {"make_a", "make_sum"},
                         {"nobody", "make_a"},
                         {"make_a", "nobody"},
                         {"make_small", std::nullopt}};
  const auto study = study_of(branches(), choices);
  EXPECT_FALSE(is_moved(*study));
  EXPECT_EQ(study->current->timeline.order, study->ordered->nodes);
  EXPECT_EQ(order_rows(*study)[0].name, "file");
  EXPECT_EQ(study->moves_left_out,
            (std::vector<std::string>{
                "the node reads an output of 'make_a', which would run after the node",
                "an output of the node is read by 'make_b', which would run before the node",
                "'nobody' is not in the step", "'nobody' is not in the step",
                "an output of the node is read by 'make_out', which would run before the node"}));
  std::size_t told = 0;
  for (const std::string& each : study->warnings) told += each.starts_with("the move of '");
  EXPECT_EQ(told, 5U);
}

TEST(MovedOrder, LaterMovesBuildOnEarlierOnes) {
  Choices choices = moved("make_b", "make_small");
  EXPECT_FALSE(is_moved(*study_of(branches(), choices)));
  choices.order.moves.insert(choices.order.moves.begin(), {"make_a", "make_small"});
  const auto study = study_of(branches(), choices);
  EXPECT_EQ(study->moves_left_out, (std::vector<std::string>{"", ""}));
}

TEST(MovedOrder, GoesWithAnotherOrder) {
  Choices choices = moved("make_small", "make_out");
  choose_order(choices, "breadth-first");
  EXPECT_EQ(choices.order.strategy, "breadth-first");
  EXPECT_TRUE(choices.order.moves.empty());
}

TEST(MovedOrder, IsAnotherStepForMeasurementsAndSurvivesASession) {
  Session session;
  session.model = "/model.onnx";
  session.choices = moved("make_small", "make_out");
  session.choices.order.moves.push_back({"odd \xff", std::nullopt});
  EXPECT_FALSE(same_step(Choices(), session.choices));
  EXPECT_EQ(parse_session(session_text(session, "/"), "/").choices, session.choices);
  EXPECT_EQ(parse_session("{\"stashscope_session\": 1, \"model\": {\"path\": \"m.onnx\"}}", "/")
                .choices.order.moves.size(),
            0U);
}

TEST(MovedOrder, MovesOfOneNodeInARowAreOne) {
  const auto study = study_of(branches());
  const NodeId small = node_named(*study, "make_small");
  Choices choices = with_move(*study, {}, small, node_named(*study, "make_b"));
  choices = with_move(*study, choices, small, node_named(*study, "make_out"));
  EXPECT_EQ(choices.order.moves, moved("make_small", "make_out").order.moves);
  EXPECT_EQ(with_move(*study, choices, small, small), choices);
  choices = with_move(*study, choices, node_named(*study, "make_a"), NodeId());
  EXPECT_EQ(choices.order.moves.size(), 2U);
  EXPECT_EQ(choices.order.moves.back(), (OrderMove{"make_a", std::nullopt}));
}

void expect_right_when_run(const Study& study) {
  const NamedTensors inputs = with_random_inputs(study.graph(), study.sizes->dims.bindings, {}, 1);
  const auto run = [&](const Variant& variant) {
    RunResult result = testing_run::run_on_cpu(run_plan(study, variant), inputs);
    EXPECT_EQ(result.measurement.live_bytes, variant.timeline.live_bytes);
    return std::move(result.outputs);
  };
  const NamedTensors moved = run(*study.current);
  for (const auto& [name, tensor] : run(*study.baseline)) {
    EXPECT_TRUE(testing_run::same_bits(moved.at(name), tensor)) << name;
  }
}

/// Moves random nodes to legal places. Each move starts from the order after the previous move.
void move_at_random(std::shared_ptr<const Study> study, int moves) {
  std::mt19937 random(1);
  for (int i = 0; i < moves; ++i) {
    const MovableOrder order = movable_order(*study);
    const NodeId node = order.nodes()[random() % order.nodes().size()];
    const LegalRange range = order.range(node);
    const std::size_t step = range.first + random() % (range.last - range.first + 1);
    const std::size_t before = order.in_front_of(node, step);
    if (order.obstacle(node, before)) continue;
    const NodeId other = before < order.nodes().size() ? order.nodes()[before] : NodeId();
    MovableOrder expected = order;
    expected.move(node, before);
    const Choices choices = with_move(*study, study->choices, node, other);
    study = changed(*study, choices);
    EXPECT_EQ(study->current->timeline.order, expected.nodes()) << i;
    EXPECT_EQ(study->moves_left_out, std::vector<std::string>(choices.order.moves.size()));
  }
  expect_right_when_run(*study);
}

TEST(MovedOrder, TakesEveryLegalMoveOfATrainingStep) {
  Choices choices;
  choices.plans.level = 1;
  move_at_random(study_of(test::blocks(3).build(), choices), 60);
  choices.fusion.strategy = "dataflow";
  const auto fused = study_of(test::blocks(3).build(), choices);
  EXPECT_FALSE(fused->current->groups.empty());
  move_at_random(fused, 60);
}

TEST(MovedOrder, AppliesToPlannedOrdersAndGoesWithThem) {
  const auto study = study_of(test::deep_perceptron(6).build());
  const auto planned_at = [&](const Study& from) {
    ParetoFront archive;
    const std::int64_t budget = study->baseline->timeline.peak_bytes * 7 / 10;
    return plan_for_budget(from, {budget, PlanGranularity::node, {0, 20'000, 1}}, archive,
                           Progress());
  };
  Choices planned = planned_at(*study).best.choices;
  ASSERT_EQ(planned.order.strategy, std::nullopt);
  const auto in_plan = changed(*study, planned);
  const MovableOrder order = movable_order(*in_plan);
  for (const NodeId node : order.nodes()) {
    const LegalRange range = order.range(node);
    if (range.first == order.step_of(node)) continue;
    const Choices choices = with_move(*in_plan, planned, node, order.nodes()[range.first]);
    const auto with_move = changed(*in_plan, choices);
    EXPECT_TRUE(is_moved(*with_move));
    EXPECT_NE(with_move->current->timeline.order, in_plan->current->timeline.order);
    EXPECT_EQ(planned_at(*with_move).best.choices.order.moves.size(), 0U);
    planned = choices;
    break;
  }
  ASSERT_EQ(planned.order.moves.size(), 1U);
  forget_planned(planned);
  EXPECT_TRUE(planned.order.moves.empty());
}

TEST(MovedOrder, SearchesAreNotRepeatedForAMove) {
  Choices choices;
  choices.order.strategy = "minimal";
  const auto found = study_of(test::blocks(2).build(), choices);
  const MovableOrder order = movable_order(*found);
  for (const NodeId node : order.nodes()) {
    const LegalRange range = order.range(node);
    if (range.last == order.step_of(node)) continue;
    const std::size_t before = order.in_front_of(node, range.last);
    choices = with_move(*found, choices, node,
                        before < order.nodes().size() ? order.nodes()[before] : NodeId());
    break;
  }
  const auto moved = changed(*found, choices);
  ASSERT_TRUE(is_moved(*moved));
  EXPECT_EQ(moved->ordered, found->ordered) << "not even looked for again";
  EXPECT_EQ(order_rows(*moved).back().bound_bytes, order_rows(*found).back().bound_bytes);
  EXPECT_EQ(order_rows(*moved).size(), order_rows(*found).size() + 1);
}

/// The two branches for any number of rows.
Graph sized_branches() {
  test::ModelBuilder m;
  m.input("x", {"N", 64}).input("y", {"N", 4});
  m.node("Relu", {"y"}, {"small"}).node("Relu", {"x"}, {"a"}).node("Exp", {"a"}, {"b"});
  m.node("ReduceSum", {"b"}, {"sum"}, {{"keepdims", std::int64_t{0}}});
  return m.node("Add", {"sum", "small"}, {"out"}).output("out").build();
}

TEST(MovedOrder, IsKeptByASweep) {
  Choices choices = moved("make_small", "make_out");
  const auto study = study_of(sized_branches(), choices);
  const Dimension& rows = study->sizes->dims.dimensions.front();
  int points = 0;
  sweep(
      *study, rows, {3, 500},
      [&](const SweepPoint& point) {
        choices.dims = {{rows.name, point.value}};
        EXPECT_EQ(point.current_bytes, changed(*study, choices)->current->timeline.peak_bytes);
        EXPECT_LT(point.current_bytes, point.baseline_bytes);
        ++points;
      },
      Progress());
  EXPECT_EQ(points, 2);
}

TEST(MovedOrder, IsKeptByTheLargestValueThatFits) {
  const Graph model = sized_branches();
  const auto fit = [&](const Choices& choices) {
    FitQuestion question = parse_fit("N");
    question.memory_bytes = 1 << 20;
    return largest_fit(*study_of(model, choices), question, Progress()).current.largest->value;
  };
  EXPECT_GT(fit(moved("make_small", "make_out")), fit(not_trained()));
}

TEST(FusionEditsByHand, TakeOutKeepApartAndSplit) {
  test::ModelBuilder m;
  m.input("x", {16, 16});
  m.node("Exp", {"x"}, {"a"}).node("Neg", {"a"}, {"b"}).node("Tanh", {"a"}, {"c"});
  m.node("Add", {"b", "c"}, {"d"}).node("Exp", {"d"}, {"e"}).output("e");
  Choices choices = not_trained();
  choices.fusion.strategy = "dataflow";
  const auto study = study_of(m.build(), choices);
  using Names = std::vector<std::vector<std::string>>;
  ASSERT_EQ(group_names(*study), (Names{{"make_a", "make_b", "make_c", "make_d", "make_e"}}));
  const auto groups = [&](const Choices& after) { return group_names(*changed(*study, after)); };
  const auto node = [&](const char* name) { return node_named(*study, name); };
  EXPECT_EQ(groups(with_nodes_alone(*study, choices, {{node("make_e")}})),
            (Names{{"make_a", "make_b", "make_c", "make_d"}}));
  const Choices apart = with_nodes_apart(*study, choices, node("make_e"), node("make_d"));
  EXPECT_EQ(groups(apart), (Names{{"make_a", "make_b", "make_c", "make_d"}}));
  EXPECT_EQ(with_nodes_apart(*study, apart, node("make_d"), node("make_e")), apart);
  EXPECT_EQ(groups(with_group_split(*study, choices, node("make_d"))),
            (Names{{"make_a", "make_b", "make_c"}, {"make_d", "make_e"}}));
  EXPECT_EQ(with_group_split(*study, choices, node("make_a")), choices);
}

TEST(OrderEdits, ChangeNothingWhereNoNameMeansANode) {
  GraphData data = branches().data();
  data.nodes[NodeId(0)].name = "";
  data.nodes[NodeId(4)].name = "small";
  Choices choices = not_trained();
  choices.fusion.strategy = "dataflow";
  const auto study = study_of(Graph(std::move(data)), choices);
  const NodeId nameless(0);
  const NodeId other(1);
  EXPECT_EQ(with_move(*study, choices, other, nameless), choices) << "not to the end";
  EXPECT_EQ(with_move(*study, choices, nameless, other), choices);
  EXPECT_EQ(with_nodes_alone(*study, choices, {{other, nameless}}), choices);
  EXPECT_EQ(with_nodes_apart(*study, choices, other, nameless), choices);
  EXPECT_NE(with_move(*study, choices, other, NodeId()), choices);
}

TEST(OrderEdits, ASplitChangesNothingWhereNoNameMeansAMember) {
  test::ModelBuilder m;
  m.input("x", {16}).input("y", {16});
  m.node("Exp", {"x"}, {"a"}).node("Neg", {"a"}, {"b"}).node("Tanh", {"y"}, {"c"});
  GraphData data = m.output("b").output("c").build().data();
  data.nodes[NodeId(1)].name = "";
  data.nodes[NodeId(2)].name = "b";
  Choices choices = not_trained();
  choices.fusion.strategy = "dataflow";
  const auto study = study_of(Graph(std::move(data)), choices);
  ASSERT_TRUE(study->current->groups.of(NodeId(1)).valid());
  EXPECT_EQ(with_group_split(*study, choices, NodeId(1)), choices);
}

TEST(OrderEdits, AreListedWithWhatTheyDoAndTakenBackOneByOne) {
  Choices choices = moved("make_small", "make_out");
  choices.order.moves.push_back({"make_b", "make_a"});
  choices.fusion = {"dataflow", {"make_b", "nobody"}, {{"make_a", "make_b"}}};
  const auto study = study_of(branches(), choices);
  using Kind = OrderEdit::Kind;
  EXPECT_EQ(order_edits(*study),
            (std::vector<OrderEdit>{
                {Kind::move, "make_small", "make_out", ""},
                {Kind::move, "make_b", "make_a",
                 "the node reads an output of 'make_a', which would run after the node"},
                {Kind::alone, "make_b", "", ""},
                {Kind::alone, "nobody", "", "'nobody' is not in the step"},
                {Kind::apart, "make_a", "make_b", ""}}));
  auto left = study;
  for (std::size_t edits = 5; edits > 0; --edits) {
    ASSERT_EQ(order_edits(*left).size(), edits);
    left = changed(*left, without_edit(*left, left->choices, edits / 2));
  }
  Choices plain = not_trained();
  plain.fusion.strategy = "dataflow";
  EXPECT_EQ(left->choices, plain);
}

TEST(FusionTable, CountsMovesIn) {
  Choices choices = moved("make_small", "make_out");
  const auto study = study_of(branches(), choices);
  for (const FusionRow& row : fusion_table(*study, SearchedOrders::leave_out)) {
    Choices other = choices;
    other.fusion.strategy = choice_of(row.name, no_fusion);
    EXPECT_EQ(row.peak_bytes, changed(*study, other)->current->timeline.peak_bytes) << row.name;
  }
  const Progress cancelled;
  cancelled.cancel();
  EXPECT_THROW(fusion_table(*study, SearchedOrders::leave_out, cancelled), Error);
}

TEST(FusionTable, SearchesForTheOrderOfEachStrategy) {
  Choices choices = not_trained();
  choices.order.strategy = "minimal";
  const auto study = study_of(branches(), choices);
  ASSERT_NE(study->current->timeline.peak_bytes,
            study_of(branches(), not_trained())->current->timeline.peak_bytes);
  for (const FusionRow& row : fusion_table(*study, SearchedOrders::search)) {
    Choices other = choices;
    other.fusion.strategy = choice_of(row.name, no_fusion);
    EXPECT_EQ(row.peak_bytes, changed(*study, other)->current->timeline.peak_bytes) << row.name;
  }
  for (const FusionRow& row : fusion_table(*study, SearchedOrders::leave_out)) {
    EXPECT_EQ(row.peak_bytes.has_value(), row.name == no_fusion) << row.name;
  }
}

TEST(NodeNames, ANodeThatNoNameMeansHasNone) {
  GraphData data = branches().data();
  data.nodes[NodeId(0)].name = "";
  data.nodes[NodeId(1)].name = "small";
  const NodeNames names{Graph(data)};
  EXPECT_EQ(names.of(NodeId(0)), "");
  EXPECT_EQ(names.of(NodeId(1)), "small");
  EXPECT_EQ(names.find("small"), NodeId(1));
}

TEST(NodeNames, TellNodesWithoutOrWithTheSameNameByTheirTensors) {
  GraphData data = branches().data();
  data.nodes[NodeId(0)].name = "";
  data.nodes[NodeId(1)].name = "twice";
  data.nodes[NodeId(2)].name = "twice";
  const Graph graph(data);
  const Dataflow dataflow(graph);
  const NodeNames names(graph, dataflow);
  EXPECT_EQ(names.of(NodeId(0)), "small");
  EXPECT_EQ(names.of(NodeId(1)), "a");
  EXPECT_EQ(names.of(NodeId(2)), "b");
  for (const NodeId node : IdRange<NodeId>(graph.nodes().size())) {
    EXPECT_EQ(names.find(names.of(node)), node);
  }
  EXPECT_EQ(names.find("twice"), NodeId(1));
  EXPECT_EQ(names.all("twice").size(), 2U);
  EXPECT_FALSE(names.find("").valid());
  EXPECT_FALSE(names.find("nobody").valid());
}

}  // namespace moved_order_test
}  // namespace stashscope
