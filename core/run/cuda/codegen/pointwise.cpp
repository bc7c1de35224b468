#include "core/run/cuda/codegen/pointwise.h"

#include <algorithm>

#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/pointwise_source.h"

namespace stashscope::cuda {

namespace {

constexpr int threads_per_block = 256;
constexpr std::int64_t bytes_at_once = 16;

/// An output of a node, computed by the kernel.
struct Result {
  const LoweringContext& context;
  ExpressionFunction expression;
  std::vector<std::optional<std::size_t>> made_by;
  Operand target;
  bool stores;

  const OperandType& type() const { return context.outputs[target.index]; }
};

class KernelWriter {
 public:
  explicit KernelWriter(const std::vector<Result>& results) : results_(results) {
    for (std::size_t i = 0; i < results.size(); ++i) add_expression(i);
    shape_ = {results[0].type().elements(), width()};
  }

  KernelCall write() const {
    KernelCall call;
    call.text = "(" + parameters() + ") {\n" + position() + reads() + body() + stores() + "}\n";
    call.shape = {(shape_.packs() + threads_per_block - 1) / threads_per_block, threads_per_block};
    for (const PointwiseSource& source : sources_) call.operands.push_back(source.operand());
    for (const Result& result : results_) {
      if (result.stores) call.operands.push_back(result.target);
    }
    return call;
  }

 private:
  static std::string number(std::size_t value) { return std::to_string(value); }
  static std::string value_of(std::size_t result) { return "r" + number(result) + "v"; }

  /// Makes the expression of a result from the names of its operands, and adds sources for the
  /// operands that the kernel reads from memory.
  void add_expression(std::size_t index) {
    const Result& result = results_[index];
    const LoweringContext& context = result.context;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
      const bool is_made = i < result.made_by.size() && result.made_by[i];
      names.push_back(!context.has_input(i) ? ""
                      : is_made             ? value_of(*result.made_by[i])
                                            : "x" + number(index) + "_" + number(i) + "v");
    }
    expressions_.push_back(result.expression(context, names));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool reads =
          names[i].starts_with("x") && expressions_.back().find(names[i]) != std::string::npos;
      if (!reads) continue;
      sources_.emplace_back(input(i, result.target.member), context.in(i), result.type().dims,
                            "a" + number(index) + "_" + number(i), names[i]);
    }
  }

  /// The number of elements per access: as many as fit into 16 bytes, for the widest type of a
  /// stored result or of an operand that is not broadcast.
  std::int64_t width() const {
    std::int64_t bytes = 1;
    for (const PointwiseSource& source : sources_) {
      if (source.is_full()) bytes = std::max(bytes, source.element_bytes());
    }
    for (const Result& result : results_) {
      if (result.stores) bytes = std::max(bytes, element_bytes(result.type().element));
    }
    return bytes_at_once / bytes;
  }

  std::string parameters() const {
    std::string text;
    for (const PointwiseSource& source : sources_) text += source.parameter() + ", ";
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i].stores) continue;
      text += device_type(results_[i].type().element) + "* y" + number(i) + ", ";
    }
    return text.substr(0, text.size() - 2);
  }

  std::string position() const {
    const std::string type = shape_.index_type();
    const std::string width = std::to_string(shape_.width);
    const std::string elements =
        std::to_string(shape_.elements) + (shape_.is_narrow() ? "U" : "ULL");
    std::string text = "  const " + type + " first = " + type + "(thread_index()) * " + width +
                       "U;\n  if (first >= " + elements + ") return;\n";
    if (shape_.is_even()) return text + "  constexpr int count = " + width + ";\n";
    return text + "  const int count = " + elements + " - first < " + width + "U ? int(" +
           elements + " - first) : " + width + ";\n";
  }

  std::string reads() const {
    std::string text;
    for (const PointwiseSource& source : sources_) text += source.read(shape_);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i].stores) continue;
      text += "  Pack<" + device_type(results_[i].type().element) + ", " +
              std::to_string(shape_.width) + "> y" + number(i) + "_items;\n";
    }
    return text;
  }

  std::string body() const {
    std::string text =
        "#pragma unroll\n  for (int k = 0; k < " + std::to_string(shape_.width) + "; ++k) {\n";
    if (uses_position()) text += "    const UInt64 position = UInt64(first) + k;\n";
    for (const PointwiseSource& source : sources_) text += source.element();
    for (std::size_t i = 0; i < results_.size(); ++i) text += element_of_result(i);
    return text + "  }\n";
  }

  bool uses_position() const {
    return std::ranges::any_of(expressions_, [](const std::string& expression) {
      return expression.find("position") != std::string::npos;
    });
  }

  std::string element_of_result(std::size_t i) const {
    const std::string type = device_type(results_[i].type().element);
    const std::string stored = "s" + number(i);
    std::string text = "    const " + type + " " + stored + " = Stored<" + type + ">::from(" +
                       expressions_[i] + ");\n";
    if (is_read(i)) text += "    const auto " + value_of(i) + " = to_compute(" + stored + ");\n";
    if (results_[i].stores) text += "    y" + number(i) + "_items.items[k] = " + stored + ";\n";
    return text;
  }

  bool is_read(std::size_t result) const {
    return std::ranges::any_of(expressions_, [&](const std::string& expression) {
      return expression.find(value_of(result)) != std::string::npos;
    });
  }

  std::string stores() const {
    std::string text;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const std::string name = "y" + number(i);
      if (results_[i].stores)
        text += "  store_pack(" + name + ", first, " + name + "_items, count);\n";
    }
    return text;
  }

  const std::vector<Result>& results_;
  std::vector<std::string> expressions_;  ///< one per result
  std::vector<PointwiseSource> sources_;
  PointwiseShape shape_;
};

Lowered lower_results(const std::vector<Result>& results) {
  Lowered lowered;
  if (!results.empty() && results[0].type().elements() > 0)
    lowered.add(KernelWriter(results).write());
  return lowered;
}

}  // namespace

Lowered lower_group(const std::vector<GroupMember>& members) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const GroupMember& member = members[i];
    results.push_back(
        {member.context, member.expression, member.made_by, output(0, i), member.stores});
  }
  return lower_results(results);
}

Lowered lower_pointwise(const LoweringContext& context, ExpressionFunction expression) {
  return lower_outputs(context, {expression});
}

Lowered lower_outputs(const LoweringContext& context,
                      const std::vector<ExpressionFunction>& expressions) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (expressions[i] == nullptr || !context.has_output(i)) continue;
    results.push_back({context, expressions[i], {}, output(i), true});
  }
  return lower_results(results);
}

}  // namespace stashscope::cuda
