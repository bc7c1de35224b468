// The kernels of full-size training steps compile for devices. Nothing is allocated or run.

#include <gtest/gtest.h>

#include "core/passes/graph_pass.h"
#include "core/run/cpu/execute/evaluate.h"
#include "core/run/cuda/execute/program.h"
#include "tests/core/run/cuda/emulation/kernel_store.h"
#include "tests/core/run/models/forward_model.h"

namespace stashscope {
namespace full_models_test {

using testing_run::models;
namespace fs = std::filesystem;

/// Only compiles: has no memory and runs nothing.
class CompilingDevice : public cuda::Device {
 public:
  static constexpr int architecture = 90;

  std::size_t kernels() const { return kernels_; }
  std::size_t products() const { return products_; }

  cuda::DeviceFacts facts() const override { return {}; }
  cuda::DevicePointer allocate(cuda::Pool, std::int64_t) override { return nullptr; }
  void release(cuda::Pool, cuda::DevicePointer) override {}
  std::int64_t used_bytes(cuda::Pool) const override { return 0; }
  std::int64_t reserved_bytes(cuda::Pool) const override { return 0; }
  std::int64_t take_peak_used_bytes(cuda::Pool) override { return 0; }
  void trim(cuda::Pool) override {}
  std::byte* allocate_host(std::int64_t) override { return nullptr; }
  void release_host(std::byte*) override {}
  void copy(std::byte*, const std::byte*, std::int64_t) override {}
  void copy_rows(cuda::DevicePointer, const std::byte*, const cuda::RowCopy&) override {}
  void fill(cuda::DevicePointer, std::uint8_t, std::int64_t) override {}

  std::vector<cuda::KernelId> compile(const std::string& text,
                                      const std::vector<std::string>& entries) override {
    testing_run::require_device_code(text, entries, architecture);
    std::vector<cuda::KernelId> ids;
    for (std::size_t i = 0; i < entries.size(); ++i) ids.emplace_back(i);
    kernels_ += entries.size();
    return ids;
  }
  void launch(cuda::KernelId, const cuda::LaunchShape&,
              std::span<const cuda::DevicePointer>) override {}

  cuda::MatmulId prepare(const cuda::MatmulShape&) override { return cuda::MatmulId(products_++); }
  std::int64_t workspace_bytes(cuda::MatmulId) const override { return 0; }
  void multiply(cuda::MatmulId, cuda::DevicePointer, cuda::DevicePointer, cuda::DevicePointer,
                cuda::DevicePointer, cuda::DevicePointer) override {}
  cuda::ConvolutionId prepare(const cuda::ConvolutionShape&) override {
    return cuda::ConvolutionId(products_++);
  }
  std::int64_t workspace_bytes(cuda::ConvolutionId) const override { return 0; }
  void convolve(cuda::ConvolutionId, std::span<const cuda::DevicePointer, 3>,
                cuda::DevicePointer) override {}
  std::string start_trace() override { return "nothing runs here"; }
  void begin_step(std::uint32_t) override {}
  cuda::TraceRecords stop_trace() override { return {}; }
  void synchronize() override {}

 private:
  std::size_t kernels_ = 0;
  std::size_t products_ = 0;
};

struct FullModel {
  const char* name;
  std::int64_t batch;
  std::int64_t sequence = 0;
  ElementType precision = ElementType::undefined;
  bool passes = false;  ///< all passes
  const char* fusion = "none";
  bool what_ifs = false;  ///< attention in one node, and the loss in pieces
};

std::int64_t size_of(const Graph& model, const Expr& dim, const FullModel& wanted) {
  if (const auto number = dim.integer()) return *number;
  const std::string& name = model.symbols().name(dim.symbols().at(0));
  return name.ends_with("dim0") ? wanted.batch : wanted.sequence;
}

/// Types of the graph inputs, without data.
NamedTensors typed_inputs(const Graph& model, const FullModel& wanted) {
  NamedTensors inputs;
  for (const ValueId id : model.data().inputs) {
    const Value& value = model.value(id);
    std::vector<std::int64_t> dims;
    for (const Expr& dim : *value.type.shape) dims.push_back(size_of(model, dim, wanted));
    inputs.emplace(value.name, Tensor(value.type.element, std::move(dims)));
  }
  return inputs;
}

PassSelection passes_of(const FullModel& wanted) {
  PassSelection selection{{}, wanted.precision, cpu_evaluator()};
  for (const GraphPass& pass : graph_passes()) {
    if (wanted.passes && pass.among_all) selection.names.emplace(pass.name);
  }
  if (!wanted.what_ifs) return selection;
  selection.names.emplace("keep_loss_only");
  for (const char* what_if : {"attention=flash", "loss=pieces"}) {
    add_what_if(what_if, selection.what_ifs);
  }
  return selection;
}

/// The number of changes by the passes; mixed precision is counted separately.
std::size_t changes(const std::vector<PassResult>& results, bool of_precision) {
  std::size_t count = 0;
  for (const PassResult& each : results) {
    if ((each.name == mixed_precision_name) == of_precision) count += each.changed;
  }
  return count;
}

/// The number of items over all slots; excludes the host's work at run time.
template <class Items>
int count(const cuda::Program& program, Items cuda::ProgramStep::*items) {
  std::size_t sum = 0;
  for (const cuda::ProgramStep& step : program.steps) sum += (step.*items).size();
  return static_cast<int>(sum);
}

class FullModels : public testing::TestWithParam<FullModel> {};

TEST_P(FullModels, KernelsCompileForDevices) {
  const FullModel& wanted = GetParam();
  const fs::path file = models / "full" / (std::string(wanted.name) + "_train_fwd.onnx");
  SKIP_WITHOUT(file);
  const Graph model = load_model(file);
  const NamedTensors inputs = typed_inputs(model, wanted);
  const TrainingStep trained = prepare_training_step(model, {}, passes_of(wanted));
  EXPECT_EQ(changes(trained.passes, false) > 0, wanted.passes);
  EXPECT_EQ(changes(trained.passes, true) > 0, wanted.precision != ElementType::undefined);
  ASSERT_EQ(trained.what_ifs.size(), wanted.what_ifs ? 2U : 0U);
  for (const WhatIfResult& each : trained.what_ifs) EXPECT_GT(each.changed, 0U) << each.name;
  const testing_run::ModelStep step(trained, inputs);
  const RunPlan plan =
      step.plan(step.without_plans(), order_strategies()[0], UpdateChoice(), wanted.fusion);
  CompilingDevice device;
  const cuda::Program program = cuda::make_program(plan, inputs, {}, device, Progress());
  EXPECT_EQ(program.steps.size(), plan.timeline.order.size());
  RecordProperty("nodes", static_cast<int>(program.steps.size()));
  RecordProperty("calls", count(program, &cuda::ProgramStep::calls));
  RecordProperty("allocations", count(program, &cuda::ProgramStep::allocates));
  RecordProperty("kernels", static_cast<int>(device.kernels()));
  EXPECT_GT(device.kernels(), 10U);
  EXPECT_GT(device.products(), 50U);
}

INSTANTIATE_TEST_SUITE_P(
    Files, FullModels,
    testing::Values(
        FullModel{"gpt2_124m", 8, 1024},
        FullModel{"gpt2_124m", 8, 1024, ElementType::undefined, true, "dataflow"},
        FullModel{"gpt2_124m", 8, 1024, ElementType::float16, true, "dataflow"},
        FullModel{"bert_base", 8, 512, ElementType::undefined, true, "dataflow"},
        FullModel{"bloom_3layer_h2560", 2, 512},
        FullModel{"llama_7b_4of32layers", 1, 4096, ElementType::bfloat16, true, "dataflow"},
        FullModel{"gpt2_124m", 8, 1024, ElementType::float16, true, "dataflow", true},
        FullModel{"bert_base", 8, 512, ElementType::undefined, true, "dataflow", true},
        FullModel{"llama_7b_4of32layers", 1, 4096, ElementType::bfloat16, true, "dataflow", true},
        FullModel{"vit_b16", 16}, FullModel{"resnet50", 64},
        FullModel{"resnet50", 64, 0, ElementType::undefined, false, "dataflow"},
        FullModel{"mobilenet_v2", 32}, FullModel{"densenet121", 16},
        FullModel{"unet_base64", 4, 256}),
    [](const auto& info) {
      const FullModel& model = info.param;
      return std::string(model.name) + (model.passes ? "_passes" : "") +
             (model.fusion == std::string("none") ? "" : "_" + std::string(model.fusion)) +
             (model.precision == ElementType::undefined
                  ? ""
                  : "_" + std::string(name_of(model.precision))) +
             (model.what_ifs ? "_what_ifs" : "");
    });

}  // namespace full_models_test
}  // namespace stashscope
