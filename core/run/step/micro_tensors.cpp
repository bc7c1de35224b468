#include "core/run/step/micro_tensors.h"

#include <algorithm>
#include <functional>

#include "core/base/error.h"

namespace stashscope {

namespace {

std::string bytes_of(const Tensor& tensor) {
  const TensorBytes data = tensor.load();
  return {reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()};
}

/// Joins two tensors along an axis.
Tensor together(const Tensor& a, const Tensor& b, std::size_t axis) {
  std::vector<std::int64_t> dims = a.dims();
  std::size_t blocks = 1;
  for (std::size_t i = 0; i < axis; ++i) blocks *= static_cast<std::size_t>(dims[i]);
  dims[axis] += b.dims()[axis];
  const std::string left = bytes_of(a);
  const std::string right = bytes_of(b);
  std::string bytes;
  for (std::size_t i = 0; i < blocks; ++i) {
    for (const std::string* const each : {&left, &right}) {
      const std::size_t block = each->size() / blocks;
      bytes.append(*each, i * block, block);
    }
  }
  return {a.element(), std::move(dims), std::move(bytes)};
}

/// @param a, b floating-point tensors of one type and of the same dims
Tensor sum_of(const Tensor& a, const Tensor& b) {
  const std::vector<double> left = a.reals().value();
  const std::vector<double> right = b.reals().value();
  std::string bytes;
  for (std::size_t i = 0; i < left.size(); ++i) {
    bytes += bytes_of(Tensor::float_scalar(a.element(), left[i] + right[i]));
  }
  return {a.element(), a.dims(), std::move(bytes)};
}

template <typename Number, typename Combine>
void combine_each(std::vector<Number>& all, const std::vector<Number>& more, Combine combine) {
  all.resize(std::max(all.size(), more.size()), Number{});
  for (std::size_t i = 0; i < more.size(); ++i) all[i] = combine(all[i], more[i]);
}

std::int64_t larger(std::int64_t a, std::int64_t b) { return std::max(a, b); }

}  // namespace

const GradientSum* gradient_sum_in(const Graph& graph, ValueId value) {
  const MicroBatches* const split = graph.data().micro_batches.get();
  if (split == nullptr) return nullptr;
  const auto found = std::ranges::find(split->sums, value, &GradientSum::buffer);
  return found == split->sums.end() ? nullptr : &*found;
}

bool is_split_input(const Graph& graph, ValueId value) {
  const MicroBatches* const split = graph.data().micro_batches.get();
  return split != nullptr && std::ranges::find(split->inputs, value) != split->inputs.end();
}

Tensor zeros(ElementType element, const std::vector<std::int64_t>& dims) {
  const auto bytes = static_cast<std::size_t>(packed_bytes(element, element_count(dims)));
  return {element, dims, std::string(bytes, '\0')};
}

Tensor micro_batch_of(const Graph& graph, const Value& value, const Tensor& whole,
                      std::int64_t index) {
  const std::int64_t count = runs_in_step(graph);
  std::vector<std::int64_t> dims = whole.dims();
  if (dims.empty() || dims[0] % count != 0) {
    fail_input(describe(value),
               "has " + std::to_string(dims.empty() ? 1 : dims[0]) + " samples, which " +
                   std::to_string(count) + " micro-batches do not divide",
               "give a multiple of " + std::to_string(count) + " samples");
  }
  dims[0] /= count;
  const TensorBytes data = whole.load();
  const std::size_t bytes = data.bytes.size() / static_cast<std::size_t>(count);
  const auto* const first =
      reinterpret_cast<const char*>(data.bytes.data()) + static_cast<std::size_t>(index) * bytes;
  return {whole.element(), std::move(dims), std::string(first, bytes)};
}

Measurement in_one_step(Measurement first, const Measurement& second) {
  combine_each(first.live_bytes, second.live_bytes, larger);
  combine_each(first.idle_bytes, second.idle_bytes, larger);
  combine_each(first.workspace_bytes, second.workspace_bytes, larger);
  combine_each(first.node_seconds, second.node_seconds, std::plus());
  first.step_seconds += second.step_seconds;
  for (const auto bytes : {&Measurement::peak_bytes, &Measurement::peak_resident_bytes,
                           &Measurement::peak_together_bytes, &Measurement::peak_reserved_bytes}) {
    first.*bytes = std::max(first.*bytes, second.*bytes);
  }
  first.data_dependent = second.data_dependent;
  for (const std::string& each : second.remarks) {
    if (std::ranges::find(first.remarks, each) == first.remarks.end()) {
      first.remarks.push_back(each);
    }
  }
  return first;
}

bool MicroOutputs::is_loss(ValueId output) const {
  const std::vector<ValueId>& losses = graph_.data().micro_batches->losses;
  return std::ranges::find(losses, output) != losses.end();
}

std::optional<std::size_t> MicroOutputs::axis_of_samples(ValueId output) const {
  const auto& shape = graph_.value(output).type.shape;
  for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
    const std::vector<SymbolId> used = (*shape)[axis].symbols();
    if (std::ranges::find(used, graph_.data().micro_batches->batch) != used.end()) return axis;
  }
  return std::nullopt;
}

void MicroOutputs::add(NamedTensors outputs) {
  const bool is_last = --left_ == 0;
  for (const ValueId id : graph_.data().outputs) {
    const auto made = outputs.find(graph_.value(id).name);
    if (made == outputs.end()) continue;
    const std::optional<std::size_t> axis = axis_of_samples(id);
    if (!axis && !is_loss(id)) {
      if (is_last) all_.insert_or_assign(made->first, std::move(made->second));
      continue;
    }
    const auto [before, is_first] = all_.try_emplace(made->first, made->second);
    if (is_first) continue;
    before->second =
        axis ? together(before->second, made->second, *axis) : sum_of(before->second, made->second);
  }
}

}  // namespace stashscope
