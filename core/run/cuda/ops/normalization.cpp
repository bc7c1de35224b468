// Batch, instance and group normalization, and the gradients of the first two. Normalizations of
// rows are in layer_normalization.cpp.

#include "core/base/text.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/epsilon.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// Data as [batch, channels, plane], and the sets of planes that are normalized together.
struct Planes {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t plane = 1;
  /// Number of consecutive planes in a set; 0: a set consists of all planes of a channel.
  std::int64_t planes_of_set = 0;

  Planes(const Dims& dims, std::int64_t of_set) : planes_of_set(of_set) {
    const kernels::AxisSplit split = kernels::split_at(dims, 1);
    batch = split.outer;
    channels = split.size;
    plane = split.inner;
  }

  std::int64_t sets() const {
    return planes_of_set == 0 ? channels : batch * channels / planes_of_set;
  }
  std::int64_t set_size() const { return batch * channels * plane / sets(); }
  /// The distance between the first elements of neighbouring sets.
  std::int64_t set_start() const { return planes_of_set == 0 ? plane : set_size(); }

  /// The dims of the reduction that gives the statistics of the sets.
  Dims dims() const {
    return planes_of_set == 0 ? Dims{batch, channels, plane} : Dims{1, sets(), set_size()};
  }
  Dims kept() const { return {1, sets(), 1}; }
};

/// The type in which statistics are computed, and the bytes of a pair of statistics.
struct PairType {
  std::string type;
  std::int64_t pair_bytes;

  explicit PairType(const LoweringContext& context)
      : type(compute_type(context.out().element)), pair_bytes(type == "double" ? 16 : 8) {}

  std::string pair() const { return with_arguments("Pair", {type}); }
};

std::string in_type(const LoweringContext& context, std::size_t index) {
  return type_or_float(context.has_input(index) ? context.in(index) : OperandType());
}
std::string out_type(const LoweringContext& context, std::size_t index) {
  return type_or_float(context.has_output(index) ? context.out(index) : OperandType());
}

/// Makes the text of an object whose function `of` returns the mean and inverse deviation of a set.
using NormalsText = std::function<std::string(CallText&)>;
struct Normals {
  std::string type;
  NormalsText object;
};

Normals found_normals(const PairType& computing, Operand pairs) {
  const std::string type = with_arguments("FoundNormals", {computing.type});
  return {type, [=](CallText& text) {
            return type + "{" + text.pointer("const " + computing.pair(), pairs) + "}";
          }};
}

/// Reads the statistics from inputs 3 and 4.
/// @param variances whether input 4 holds variances instead of inverse deviations
Normals given_normals(const LoweringContext& context, const PairType& computing, bool variances) {
  const std::string type =
      with_arguments(variances ? "FixedNormals" : "GivenNormals",
                     {computing.type, in_type(context, 3), in_type(context, 4)});
  const std::string rest =
      variances ? ", " + format_number(kernels::epsilon_of(context.attributes())) : "";
  return {type, [&context, type, rest](CallText& text) {
            const std::string mean = text.reads(context, 3);
            return type + "{" + mean + ", " + text.reads(context, 4) + rest + "}";
          }};
}

/// The text of an object in a kernel: its type and its constructor's operands.
struct ObjectText {
  std::string type;
  std::string operands;

  std::string text() const { return type + "{" + operands + "}"; }
};

/// If `kept`, the node stores running and batch statistics in outputs 1 to 4. Output 4 holds
/// inverse deviations if `spread_is_inverse`, else variances.
struct Statistics {
  bool kept = false;
  bool spread_is_inverse = false;
};

ObjectText running_text(const LoweringContext& context, const Statistics& statistics,
                        CallText& text) {
  const auto index = [&](std::size_t at) { return statistics.kept ? at : std::size_t{99}; };
  const double momentum = double{context.attributes().real("momentum", 0.9F)};
  std::string operands = text.reads(context, index(3));
  operands += ", " + text.reads(context, index(4));
  operands += ", " + text.writes(context, index(1));
  operands += ", " + text.writes(context, index(2));
  return {with_arguments("Running", {in_type(context, index(3)), in_type(context, index(4)),
                                     out_type(context, index(1)), out_type(context, index(2))}),
          operands + ", " + format_number(momentum)};
}

/// The text of the sink that turns sums into statistics.
std::string normals_sink(const LoweringContext& context, const Planes& planes, std::size_t data,
                         Operand normals, const Statistics& statistics, CallText& text) {
  const PairType computing(context);
  const auto index = [&](std::size_t at) { return statistics.kept ? at : std::size_t{99}; };
  const std::string from = text.reads(context, data);
  const ObjectText running = running_text(context, statistics, text);
  const std::string type = with_arguments(
      "SetNormals",
      {computing.type, std::to_string(planes.set_start()), std::to_string(planes.set_size()),
       statistics.spread_is_inverse ? "true" : "false", device_type(context.in(data).element),
       running.type, out_type(context, index(3)), out_type(context, index(4))});
  std::string operands = from + ", " + running.text();
  operands += ", " + text.writes(context, index(3));
  operands += ", " + text.writes(context, index(4));
  operands += ", " + text.pointer(computing.pair(), normals);
  return type + "{" + operands + ", " + format_number(kernels::epsilon_of(context.attributes())) +
         "}";
}

/// Adds a reduction that stores the statistics of the sets of input `data` in scratch memory.
Normals add_statistics(const LoweringContext& context, const Planes& planes, std::size_t data,
                       const Statistics& statistics, Lowered& lowered) {
  const PairType computing(context);
  const Operand normals = lowered.add_scratch(planes.sets() * computing.pair_bytes);
  const ElementType element = context.in(data).element;
  ReductionTexts texts{with_arguments("AddingPairs", {computing.type}), computing.pair_bytes,
                       widest_access({element})};
  texts.source = [&](CallText& text) {
    return with_arguments("ShiftedMoments", {computing.type, std::to_string(planes.set_start()),
                                             device_type(element)}) +
           "{" + text.reads(context, data) + "}";
  };
  texts.sink = [&](CallText& text) {
    return normals_sink(context, planes, data, normals, statistics, text);
  };
  add_reduction(lowered, planes.dims(), planes.kept(), texts);
  return found_normals(computing, normals);
}

struct PlanePlan {
  std::string layout;
  LaunchShape shape;
};

PlanePlan plan_planes(const Planes& planes, std::int64_t groups,
                      const std::vector<ElementType>& elements) {
  constexpr std::int64_t threads = 256;
  const std::int64_t count = planes.batch * planes.channels * planes.plane;
  const std::int64_t width = widest_access(elements);
  for (const std::int64_t each : {planes.channels * groups, planes.planes_of_set})
    require_int(each);
  return {with_arguments("PlaneLayout",
                         {std::to_string(count), std::to_string(planes.plane),
                          std::to_string(planes.channels), std::to_string(planes.planes_of_set),
                          std::to_string(groups), std::to_string(width)}),
          {(count + threads * width - 1) / (threads * width), static_cast<int>(threads)}};
}

/// Adds the call that computes Y from X, scale and bias.
void add_normalize(const LoweringContext& context, const Planes& planes, const Normals& normals,
                   Lowered& lowered) {
  const PlanePlan plan =
      plan_planes(planes, context.in(1).elements(), {context.in(0).element, context.out().element});
  CallText text;
  std::string operands = text.reads(context, 0);
  operands += ", " + normals.object(text);
  operands += ", " + text.reads(context, 1);
  operands += ", " + text.reads(context, 2);
  operands += ", " + text.writes(context);
  const std::string function =
      with_arguments("normalize_planes", {compute_type(context.out().element), plan.layout});
  lowered.add(text.call(function + "(" + operands + ")", plan.shape));
}

Lowered lower_by_statistics(const LoweringContext& context, std::int64_t planes_of_set,
                            const Statistics& statistics) {
  if (context.out().elements() == 0) return {};
  const Planes planes(context.in().dims, planes_of_set);
  Lowered lowered;
  const Normals normals = add_statistics(context, planes, 0, statistics, lowered);
  add_normalize(context, planes, normals, lowered);
  return lowered;
}

Lowered lower_batch_norm_internal(const LoweringContext& context) {
  return lower_by_statistics(context, 0, {.kept = true, .spread_is_inverse = true});
}

Lowered lower_batch_norm(const LoweringContext& context) {
  const bool trains = context.version >= 14 ? context.attributes().integer("training_mode", 0) != 0
                                            : context.outputs.size() > 1;
  if (trains) return lower_by_statistics(context, 0, {.kept = true});
  if (context.out().elements() == 0) return {};
  Lowered lowered;
  add_normalize(context, Planes(context.in().dims, 0),
                given_normals(context, PairType(context), true), lowered);
  return lowered;
}

/// Normalizes every channel of every image by its own mean and deviation.
Lowered lower_instance_norm(const LoweringContext& context) {
  return lower_by_statistics(context, 1, {});
}

/// All channels of a group share a mean and a deviation. Before version 21, they also share scale
/// and bias.
Lowered lower_group_norm(const LoweringContext& context) {
  const std::int64_t groups = context.attributes().require_integer("num_groups");
  return lower_by_statistics(context, context.in().dim(1) / groups, {});
}

/// Sums NormalizationTerms over each set and stores the sums in scratch memory. If each channel is
/// a set, the sums are also the gradients of scale and bias.
Operand add_gradient_sums(const LoweringContext& context, const Planes& planes,
                          const Normals& normals, Lowered& lowered) {
  const PairType computing(context);
  const Operand sums = lowered.add_scratch(planes.sets() * computing.pair_bytes);
  ReductionTexts texts{with_arguments("AddingPairs", {computing.type}), computing.pair_bytes,
                       widest_access({context.in(0).element, context.in(1).element})};
  texts.source = [&](CallText& text) {
    const std::string dy = text.reads(context, 0);
    const std::string x = text.reads(context, 1);
    return with_arguments("NormalizationTerms", {computing.type, in_type(context, 0),
                                                 in_type(context, 1), normals.type}) +
           "{" + dy + ", " + x + ", " + normals.object(text) + "}";
  };
  const auto output_of = [&](std::size_t index) {
    return planes.planes_of_set == 0 ? index : std::size_t{99};
  };
  texts.sink = [&](CallText& text) {
    const std::string scale = text.writes(context, output_of(1));
    const std::string bias = text.writes(context, output_of(2));
    return with_arguments("PairResults", {out_type(context, output_of(1)),
                                          out_type(context, output_of(2)), computing.type}) +
           "{" + scale + ", " + bias + ", " + text.pointer(computing.pair(), sums) + "}";
  };
  add_reduction(lowered, planes.dims(), planes.kept(), texts);
  return sums;
}

void add_data_gradient(const LoweringContext& context, const Planes& planes, const Normals& normals,
                       Operand sums, Lowered& lowered) {
  const PairType computing(context);
  const PlanePlan plan =
      plan_planes(planes, context.in(2).elements(),
                  {context.in(0).element, context.in(1).element, context.out().element});
  CallText text;
  std::string operands = text.reads(context, 0);
  operands += ", " + text.reads(context, 1);
  operands += ", " + normals.object(text);
  operands += ", " + text.pointer("const " + computing.pair(), sums);
  operands += ", " + text.reads(context, 2);
  operands += ", " + text.writes(context);
  const std::string function = with_arguments(
      "normalize_planes_back", {computing.type, plan.layout, std::to_string(planes.set_size())});
  lowered.add(text.call(function + "(" + operands + ")", plan.shape));
}

/// (dY, X, scale, mean, inverse deviation): all images are normalized together.
Lowered lower_batch_norm_gradient(const LoweringContext& context) {
  if (context.in(1).elements() == 0) return {};
  const Planes planes(context.in(1).dims, 0);
  Lowered lowered;
  const Normals normals = given_normals(context, PairType(context), false);
  const Operand sums = add_gradient_sums(context, planes, normals, lowered);
  add_data_gradient(context, planes, normals, sums, lowered);
  return lowered;
}

/// Adds the reduction that computes the gradients of scale and bias. These gradients are sums over
/// the images.
void add_image_sums(const LoweringContext& context, const Planes& planes, Operand sums,
                    Lowered& lowered) {
  const PairType computing(context);
  ReductionTexts texts{with_arguments("AddingPairs", {computing.type}), computing.pair_bytes,
                       16 / computing.pair_bytes};
  texts.source = [&](CallText& text) {
    return with_arguments("Items", {computing.pair(), computing.pair()}) + "{" +
           text.pointer("const " + computing.pair(), sums) + "}";
  };
  texts.sink = [&](CallText& text) {
    const std::string scale = text.writes(context, 1);
    return with_arguments("PairResults",
                          {out_type(context, 1), out_type(context, 2), computing.type}) +
           "{" + scale + ", " + text.writes(context, 2) + "}";
  };
  add_reduction(lowered, {planes.batch, planes.channels}, {1, planes.channels}, texts);
}

/// (dY, X, scale): each image is normalized separately.
Lowered lower_instance_norm_gradient(const LoweringContext& context) {
  if (context.in(1).elements() == 0) return {};
  const Planes planes(context.in(1).dims, 1);
  Lowered lowered;
  const Normals normals = add_statistics(context, planes, 1, {}, lowered);
  const Operand sums = add_gradient_sums(context, planes, normals, lowered);
  add_data_gradient(context, planes, normals, sums, lowered);
  if (context.has_output(1) || context.has_output(2)) {
    add_image_sums(context, planes, sums, lowered);
  }
  return lowered;
}

}  // namespace

void add_normalization_kernels(CudaKernelRegistry& registry) {
  registry.add("", "BatchNormalization", {lower_batch_norm});
  registry.add("com.microsoft", "BatchNormInternal", {lower_batch_norm_internal});
  registry.add("", "InstanceNormalization", {lower_instance_norm});
  registry.add("", "GroupNormalization", {lower_group_norm});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "BatchNormalizationGrad", {lower_batch_norm_gradient});
    registry.add(domain, "InstanceNormalizationGrad", {lower_instance_norm_gradient});
  }
}

}  // namespace stashscope::cuda
