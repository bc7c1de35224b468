#include <gtest/gtest.h>

#include "core/run/cuda/codegen/pointwise.h"
#include "core/run/cuda/ops/standard_kernels.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace pointwise_group_test {

constexpr ElementType f32 = ElementType::float32;
constexpr ElementType f16 = ElementType::float16;
constexpr ElementType bf16 = ElementType::bfloat16;

/// A member of a group. Inputs made by other members are left out and listed in `made_by`.
struct Member {
  OneNode node;
  std::vector<std::optional<std::size_t>> made_by = {};
  bool stores = true;
  std::optional<std::size_t> in_place = {};  ///< input whose memory the output takes
};

/// Runs the members one by one on the CPU and as one kernel.
class Group {
 public:
  explicit Group(std::vector<Member> members) : members_(std::move(members)) {
    for (Member& member : members_) {
      for (std::size_t i = 0; i < member.made_by.size(); ++i) {
        if (member.made_by[i]) member.node.inputs[i] = expected_[*member.made_by[i]];
      }
      expected_.push_back(run_node(member.node)[0]);
    }
  }

  void expect_same_bits() {
    const cuda::Lowered lowered = lower();
    ASSERT_EQ(lowered.calls.size(), 1U);
    KernelProgram program;
    program.add(lowered);
    program.compile(device_);
    std::vector<MemberOperands> operands;
    for (std::size_t i = 0; i < members_.size(); ++i) operands.push_back(operands_of(i));
    program.run(0, operands, device_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      SCOPED_TRACE(members_[i].node.type);
      if (members_[i].stores) expect_near(results_[i]->read(), expected_[i], 0);
    }
  }

 private:
  cuda::Lowered lower() {
    std::vector<cuda::GroupMember> group;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      Node node;
      node.domain = member.node.domain;
      node.op_type = member.node.type;
      const cuda::CudaKernel& kernel = *cuda::standard_kernels().find(node);
      contexts_.push_back(context_of(member.node, {expected_[i]}, kernel));
      group.push_back(
          {*contexts_.back().context, kernel.expression, member.made_by, member.stores});
    }
    return lower_group(group);
  }

  MemberOperands operands_of(std::size_t i) {
    const Member& member = members_[i];
    MemberOperands operands;
    DeviceTensor* shared = nullptr;
    for (std::size_t k = 0; k < member.node.inputs.size(); ++k) {
      const bool is_made = k < member.made_by.size() && member.made_by[k];
      if (!is_made)
        tensors_.push_back(std::make_unique<DeviceTensor>(device_, member.node.inputs[k]));
      operands.inputs.push_back(is_made ? nullptr : tensors_.back()->data());
      if (member.in_place == k) shared = tensors_.back().get();
    }
    if (member.stores && shared == nullptr) {
      tensors_.push_back(std::make_unique<DeviceTensor>(device_, expected_[i]));
      shared = tensors_.back().get();
      device_.fill(shared->data(), EmulatedDevice::poison, expected_[i].size_in_bytes());
    }
    results_.push_back(shared);
    operands.outputs.push_back(shared == nullptr ? nullptr : shared->data());
    return operands;
  }

  std::vector<Member> members_;
  std::vector<Tensor> expected_;
  std::shared_ptr<cuda::Device> opened_ = test_device();
  cuda::Device& device_ = *opened_;
  std::vector<CaseContext> contexts_;
  std::vector<std::unique_ptr<DeviceTensor>> tensors_;
  std::vector<DeviceTensor*> results_;  ///< by member
};

Attributes cast_to(ElementType element) {
  Attributes attributes;
  attributes.set("to", static_cast<std::int64_t>(element));
  return attributes;
}

TEST(PointwiseGroup, ChainStaysInRegisters) {
  for (const ElementType element : {f32, f16, bf16}) {
    for (const Dims& dims : {Dims{4, 16}, Dims{3, 11}}) {
      const Tensor x = spread(element, dims);
      const Tensor scalar = spread(element, {}, 1, 2);
      Group({{{"Mul", {x, scalar}}, {}, false},
             {{"Add", {{}, spread(element, dims, -1, 1)}}, {0, {}}, false},
             {{.type = "Gelu", .inputs = {{}}, .domain = "com.microsoft"}, {1}, false},
             {{"Sub", {x, {}}}, {{}, 2}, true, 0}})
          .expect_same_bits();
    }
  }
}

TEST(PointwiseGroup, StoresWhatOthersRead) {
  const Tensor x = spread(f16, {5, 8});
  Group({{{"Sigmoid", {x}}, {}, true},
         {{"Mul", {x, {}}}, {{}, 0}, true, 0},
         {{"Sum", {{}, {}, spread(f16, {5, 8})}}, {0, 1, {}}, true}})
      .expect_same_bits();
}

TEST(PointwiseGroup, TypesChangeInside) {
  for (const Dims& dims : {Dims{6, 8}, Dims{7}}) {
    const Tensor x = spread(f16, dims);
    const Tensor zero = tensor_of_numbers(f32, {}, {0});
    Group({{{"Cast", {x}, cast_to(f32)}, {}, false},
           {{"Mul", {{}, spread(f32, dims, -1e4, 1e4)}}, {0, {}}, true},
           {{"Less", {{}, zero}}, {1, {}}, true},
           {{"Cast", {{}}, cast_to(bf16)}, {1}, true},
           {{"Where", {{}, {}, spread(bf16, {})}}, {2, 3, {}}, true}})
        .expect_same_bits();
  }
}

TEST(PointwiseGroup, SeparatePathsOfOneLevel) {
  Group({{{"Tanh", {spread(f32, {4, 6})}}},
         {{"Add", {spread(f32, {2, 12}), spread(f32, {12})}}},
         {{"Not", {spread(ElementType::boolean, {24})}}, {}, true, 0},
         {{"Neg", {spread(ElementType::int64, {3, 8})}}}})
      .expect_same_bits();
}

}  // namespace pointwise_group_test
}  // namespace stashscope::testing_run
