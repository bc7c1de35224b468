#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/onnx/captured_step_reader.h"
#include "core/study/facts/pytorch_plan.h"
#include "core/study/search/budget.h"
#include "core/study/search/next_moves.h"
#include "core/study/search/resized_step.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/later_steps.h"
#include "core/study/step/step_export.h"
#include "core/study/step/study.h"
#include "tests/support/captured_chain.h"
#include "tests/support/captured_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace captured_study_test {

std::shared_ptr<const Study> study_of(const Choices& choices = {},
                                      GraphData data = test::captured_data()) {
  read_captured_step(data);
  return compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr,
                       Progress());
}

TEST(CapturedStudy, HasTheMemoryThatPyTorchHad) {
  const auto study = study_of();
  const Timeline& timeline = study->current->timeline;
  EXPECT_EQ(timeline.live_bytes, (std::vector<std::int64_t>{96, 96, 100, 104, 128, 52}));
  EXPECT_EQ(timeline.idle_bytes, (std::vector<std::int64_t>{32, 96, 96, 100, 104, 52, 52}));
  EXPECT_EQ(timeline.peak_bytes, 128);
  EXPECT_EQ(peak_node(*study, *study->current), "make_w.grad");
}

TEST(CapturedStudy, LaterStepsHoldTheStatesFromTheirStart) {
  const auto first = study_of({}, test::captured_data(true));
  EXPECT_EQ(first->current->timeline.peak_bytes, 308);
  EXPECT_EQ(later_steps(*first, *first->current), (LaterSteps{256, 128 + 256}));
  const auto no_states = study_of();
  EXPECT_EQ(later_steps(*no_states, *no_states->current), (LaterSteps{0, 128}));
}

TEST(CapturedStudy, AStateThatTakesThePlaceOfAnotherIsNoFurtherMemory) {
  GraphData data = test::captured_data(true);
  std::string& storages = data.metadata["stashscope.storages"];
  storages.replace(storages.rfind('}'), 1, R"(, "replaces": [0, 0, 0, 0, 0, 0, 1]})");
  const auto study = study_of({}, data);
  EXPECT_EQ(later_steps(*study, *study->current), (LaterSteps{0, 308}));
  EXPECT_EQ(of(peak_bands(*study->current), Band::optimizer_states), 256);
}

TEST(CapturedStudy, KnowsTheOptionsOfItsCapture) {
  GraphData data = test::captured_data();
  EXPECT_EQ(capture_options(*study_of({}, data)), std::nullopt);
  data.metadata["stashscope.capture_options"] = "{}";
  EXPECT_EQ(capture_options(*study_of({}, data)), "");
  data.metadata["stashscope.capture_options"] =
      R"({"dims":{"batch":8},"fake":false,"kernels":"cuda","warm_up":1})";
  EXPECT_EQ(capture_options(*study_of({}, data)),
            R"(, dims={"batch":8}, fake=False, kernels="cuda", warm_up=1)");
  for (const char* const odd : {R"({"kernels":"cuda\"+f"})", R"({"a=b, c":1})",
                                R"({"dims":{"b+f":[8]}})", R"({"dims":[["a b"]]})", "[1]"}) {
    data.metadata["stashscope.capture_options"] = odd;
    EXPECT_EQ(capture_options(*study_of({}, data)), std::nullopt) << odd;
  }
}

TEST(CapturedStudy, ItsOptionsHaveTheChosenSizes) {
  const auto options_at = [](std::int64_t batch, const char* recorded) {
    GraphData data = test::chain_with_batch();
    data.metadata["stashscope.capture_options"] = recorded;
    read_captured_step(data);
    Choices choices;
    choices.dims["batch"] = batch;
    const auto study =
        compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr, Progress());
    EXPECT_EQ(captured_sizes(*study).size(), 1U);
    EXPECT_EQ(captured_sizes(*study).front().captured, 64);
    EXPECT_EQ(captured_sizes(*study).front().chosen, batch);
    return capture_options(*study).value_or("none");
  };
  const char* const one = R"({"dims":{"batch":64},"warm_up":1})";
  EXPECT_EQ(options_at(64, one), R"(, dims={"batch":64}, warm_up=1)");
  EXPECT_EQ(options_at(36, one), R"(, dims={"batch":36}, warm_up=1)");
  EXPECT_EQ(options_at(36, "{}"), R"(, dims={"batch":36})");
  const char* const list = R"({"dims":{"batch":[64,36,80]}})";
  EXPECT_EQ(options_at(36, list), R"(, dims={"batch":[36,64,80]})");
  EXPECT_TRUE(captured_sizes(*study_of()).empty());
}

TEST(CapturedStudy, FreesWhatTheStepFrees) {
  GraphData data = test::captured_data();
  std::string& storages = data.metadata["stashscope.storages"];
  storages.replace(storages.rfind('['), std::string::npos, "[6, 4, 4, 6, 4, 6]}");
  const auto ends_at_4 = study_of({}, data);
  EXPECT_EQ(ends_at_4->current->timeline.live_bytes,
            (std::vector<std::int64_t>{96, 96, 100, 104, 128, 36}));
  EXPECT_EQ(ends_at_4->current->timeline.idle_bytes.front(), 32);
  EXPECT_EQ(of(peak_bands(*ends_at_4->current), Band::constants), 16);
}

TEST(CapturedStudy, KnowsForwardParametersAndBands) {
  const auto study = study_of();
  EXPECT_EQ(study->current->forward_slots, 3U);
  ASSERT_EQ(study->prepared->step.parameters.size(), 1U);
  EXPECT_EQ(study->graph().value(study->prepared->step.parameters[0].gradient).name, "w.grad");
  const BandBytes bands = peak_bands(*study->current);
  EXPECT_EQ(of(bands, Band::parameters), 16);
  EXPECT_EQ(of(bands, Band::constants), 16);
  EXPECT_EQ(of(bands, Band::gradients), 16);
  EXPECT_EQ(of(bands, Band::stashed), 64);
  EXPECT_EQ(of(bands, Band::activations), 8);
  EXPECT_EQ(of(bands, Band::workspace), 8);
}

TEST(CapturedStudy, TellsGatheredParametersFromStashedActivations) {
  GraphData data = test::captured_data();
  data.nodes[NodeId(0)].domain = "pytorch.fsdp";
  data.nodes[NodeId(0)].op_type = "split_with_sizes_copy";
  const auto study = study_of({}, data);
  const BandBytes bands = peak_bands(*study->current);
  EXPECT_EQ(of(bands, Band::gathered_parameters), 64);
  EXPECT_EQ(of(bands, Band::stashed), 0);
  EXPECT_EQ(of(bands, Band::parameters), 16);
}

TEST(CapturedStudy, KeepsItsOwnOptimizer) {
  Choices choices;
  choices.update.optimizer = "adam";
  const auto study = study_of(choices);
  EXPECT_EQ(study->current->timeline.peak_bytes, 128);
  EXPECT_EQ(study->current->update_slot, 5U);
  ASSERT_EQ(study->warnings.size(), 1U);
  EXPECT_TRUE(study->warnings[0].starts_with("the chosen optimizer is left out"));
  EXPECT_EQ(peak_symbolic(*study, *study->current), "120");
  EXPECT_TRUE(fusion_table(*study, SearchedOrders::leave_out).empty());
  EXPECT_TRUE(next_moves(*study, 5, Progress()).empty());
  const StepResizer resizer(*study, Progress());
  EXPECT_EQ(resizer.resize(resizer.current(), study->sizes).timeline.peak_bytes, 128);
}

TEST(CapturedStudy, KeepsTheOrderOfPyTorch) {
  Choices choices;
  choices.order.strategy = "depth-first";
  choices.fusion.strategy = "dataflow";
  const auto study = study_of(choices);
  EXPECT_EQ(study->order, "file");
  EXPECT_EQ(order_rows(*study).size(), 1U);
  EXPECT_EQ(
      study->warnings,
      (std::vector<std::string>{
          "the chosen order is left out, because the model is a captured step, which stays as "
          "PyTorch ran it",
          "the fusion is left out, because the model is a captured step, which stays as "
          "PyTorch ran it"}));
}

TEST(CapturedStudy, HasNoPlansWithoutCallsOfModules) {
  const auto study = study_of();
  EXPECT_TRUE(study->plan_table->plans.empty());
  EXPECT_TRUE(study->plan_table->extensions.empty());
  const auto refusal_at = [&](PlanGranularity grain) {
    return test::refusal(ErrorKind::usage, [&] {
      ParetoFront archive;
      plan_for_budget(*study, {100, grain, {}}, archive, Progress(), {}, {});
    });
  };
  EXPECT_EQ(refusal_at(PlanGranularity::cluster),
            "planning: the captured step has no module that PyTorch could run again; capture "
            "the step again with this version of the Python package; the step must run the forward "
            "and backward pass of a model with modules");
  EXPECT_EQ(
      refusal_at(PlanGranularity::sequence),
      "grain 'sequence': cannot be used with a captured step, because PyTorch runs only whole "
      "modules again; choose the grain cluster");
}

/// The captured step with a module `net.layer.0` that makes the product and a view of it.
GraphData with_module(const std::string& end = "2") {
  GraphData data = test::captured_data();
  std::string& storages = data.metadata["stashscope.storages"];
  storages.insert(storages.rfind('}'), R"(, "python_last": [6, 6, 2, 6, 4, 6])");
  data.metadata["stashscope.saved"] =
      R"({"node": [0], "storage": [2], "value": ["product"], "unpacked": [4], "used": [4],
          "released": [4], "number": [0]})";
  data.metadata["stashscope.calls"] =
      R"({"module": ["", "net.layer.0"], "first": [0, 0], "end": [3, )" + end +
      R"(], "arguments": [[1], [1]]})";
  return data;
}

Choices with_region() {
  Choices choices;
  choices.plans.config = parse_config("net.layer.*:5:-1");
  return choices;
}

TEST(CapturedStudy, RunsARegionAgainAsACheckpointDoes) {
  const auto study = study_of(with_region(), with_module());
  ASSERT_EQ(study->applied.size(), 1U);
  EXPECT_TRUE(study->warnings.empty());
  const Variant& current = *study->current;
  std::vector<std::string> names;
  for (const NodeId node : current.timeline.order) {
    names.push_back(name_of(study->graph(), current.dataflow, node));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"make_product_generator_state", "make_product", "make_flat",
                                      "make_loss", "make_loss.grad", "make_product_generator_state",
                                      "make_product_recompute", "make_w.grad", "make_w.1"}));
  EXPECT_EQ(current.timeline.live_bytes,
            (std::vector<std::int64_t>{5088, 5152, 5152, 5156, 5096, 10152, 10216, 5184, 52}));
  EXPECT_EQ(current.forward_slots, 4U);
  EXPECT_EQ(current.update_slot, 8U);
  EXPECT_EQ(study->baseline->timeline.peak_bytes, 128);
}

TEST(CapturedStudy, ListsARegionWithItsCost) {
  const auto study = study_of({}, with_module());
  ASSERT_EQ(study->plan_table->plans.size(), 1U);
  const PlanRow& row = study->plan_table->plans[0];
  EXPECT_EQ(row.config, "net.layer.*:5:-1");
  EXPECT_EQ(row.frequency, 1);
  EXPECT_EQ(row.bytes_at_peak, 64);
  EXPECT_EQ(row.saving_bytes, 0) << "while the only region runs again, its bytes are there";
  EXPECT_GT(row.cost.seconds, 0);
  EXPECT_FALSE(row.on);
}

TEST(CapturedStudy, WritesThePlanForPyTorch) {
  const auto study = study_of(with_region(), with_module());
  EXPECT_EQ(nlohmann::json::parse(pytorch_plan(*study)), nlohmann::json::parse(
                                                             R"({"stashscope.plan": 1, "torch": "",
                    "regions": [{"module": "net.layer.0", "save": []}]})"));
  EXPECT_EQ(test::refusal(ErrorKind::usage, [&] { modified_graph(*study); }),
            "the modified model: cannot be saved: PyTorch carries out the plans of a captured "
            "step; write the plan for PyTorch instead");
}

TEST(CapturedStudy, RefusesCallsThatEndBehindTheStep) {
  EXPECT_EQ(test::refusal(ErrorKind::input, [] { study_of({}, with_module("7")); }),
            "metadata 'stashscope.calls', list 'end': has an entry that is not a whole number from "
            "0 to 6; capture the step again");
}

}  // namespace captured_study_test
}  // namespace stashscope
