#include "core/run/cpu/attention/score_steps.h"

#include <algorithm>
#include <cmath>

#include "core/run/cpu/attention/exponential.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// @param dims the dims of the scores at the step
StepOperand step_operand(const TensorView& tensor, const std::vector<std::int64_t>& dims) {
  StepOperand operand{tensor, dims, broadcast_strides(dims, tensor.dims)};
  operand.key_stride = operand.strides.back();
  operand.strides.pop_back();
  operand.row_stride = operand.strides.back();
  operand.strides.pop_back();
  operand.leading.resize(dims.size() - 2);
  return operand;
}

/// The rows of an operand in a block as items of one type: the operand's own memory if possible.
template <class Item>
class OperandRows {
 public:
  OperandRows(const StepOperand& operand, const ScoreBlock& block, std::vector<Item>& scratch)
      : operand_(operand),
        offset_(operand.offset(block)),
        keys_(block.keys.count),
        scratch_(scratch) {
    scratch_.resize(static_cast<std::size_t>(keys_));
  }

  /// Valid until the next call.
  const Item* row(std::int64_t row) {
    const std::int64_t place = offset_ + row * operand_.row_stride;
    if (place == loaded_) return result_;
    loaded_ = place;
    result_ = scratch_.data();
    with_any(operand_.tensor.element, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const from = operand_.tensor.as<T>().data() + place;
      if constexpr (std::is_same_v<T, Item> || std::is_same_v<T, bool>) {
        if (operand_.key_stride == 1 && sizeof(T) == sizeof(Item)) {
          result_ = reinterpret_cast<const Item*>(from);
          return;
        }
      }
      for (std::int64_t i = 0; i < keys_; ++i) {
        scratch_[static_cast<std::size_t>(i)] =
            static_cast<Item>(static_cast<Compute<T>>(from[i * operand_.key_stride]));
      }
    });
    return result_;
  }

 private:
  const StepOperand& operand_;
  std::int64_t offset_;
  std::int64_t keys_;
  std::vector<Item>& scratch_;
  std::int64_t loaded_ = -1;
  const Item* result_ = nullptr;
};

/// Adds the terms of a block to the gradient of an operand. Sums the terms over the axes along
/// which the operand is broadcast. Sums within a block are computed in double.
template <class C>
class TermSums {
 public:
  TermSums(const StepOperand& operand, const ScoreBlock& block, C* sums)
      : operand_(operand), sums_(sums + operand.offset(block)), keys_(block.keys.count) {
    const bool shares_keys = operand.key_stride == 0;
    if (operand.row_stride == 0)
      shared_.assign(static_cast<std::size_t>(shares_keys ? 1 : keys_), 0);
  }

  void add(std::int64_t row, const C* terms) {
    if (operand_.key_stride == 0) {
      double sum = 0;
      for (std::int64_t i = 0; i < keys_; ++i) sum += static_cast<double>(terms[i]);
      if (shared_.empty()) {
        sums_[row * operand_.row_stride] += static_cast<C>(sum);
      } else {
        shared_[0] += sum;
      }
    } else if (shared_.empty()) {
      C* const to = sums_ + row * operand_.row_stride;
      for (std::int64_t i = 0; i < keys_; ++i) to[i * operand_.key_stride] += terms[i];
    } else {
      for (std::int64_t i = 0; i < keys_; ++i) {
        shared_[static_cast<std::size_t>(i)] += static_cast<double>(terms[i]);
      }
    }
  }

  void finish() {
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      sums_[static_cast<std::int64_t>(i) * operand_.key_stride] += static_cast<C>(shared_[i]);
    }
  }

 private:
  const StepOperand& operand_;
  C* sums_;
  std::int64_t keys_;
  std::vector<double> shared_;  ///< by key, or one for all keys; empty if each row has its own sums
};

/// The scores of one row before a step, with the row of the step's operands.
template <class C>
struct StepRow {
  std::int64_t keys;
  const C* x;
  const unsigned char* flags;  ///< the condition C; null if the step has none
  const C* scores;             ///< null if nobody needs them
};

/// Whether a step `where` or `where_not` keeps the score instead of taking X.
/// @param flag the element of the condition C
bool stays(ScoreStepKind kind, unsigned char flag) {
  return (flag != 0) == (kind == ScoreStepKind::where);
}

/// The terms that a row adds to the gradient of X. @param g the gradient of the step's result
template <class C>
void fill_terms(ScoreStepKind kind, const StepRow<C>& row, const C* g, C* terms) {
  for (std::int64_t i = 0; i < row.keys; ++i) {
    if (row.flags != nullptr) {
      terms[i] = stays(kind, row.flags[i]) ? C(0) : g[i];
    } else if (kind == ScoreStepKind::multiply) {
      terms[i] = g[i] * row.scores[i];
    } else if (kind == ScoreStepKind::divide) {
      terms[i] = -g[i] * row.scores[i] / (row.x[i] * row.x[i]);
    } else {
      terms[i] = kind == ScoreStepKind::add ? g[i] : -g[i];
    }
  }
}

/// Turns the gradient of the step's result into that of the scores before it.
template <class C>
void change_gradient(ScoreStepKind kind, const StepRow<C>& row, C* g) {
  if (row.flags != nullptr) {
    for (std::int64_t i = 0; i < row.keys; ++i) g[i] = stays(kind, row.flags[i]) ? g[i] : C(0);
  } else if (kind == ScoreStepKind::multiply) {
    for (std::int64_t i = 0; i < row.keys; ++i) g[i] *= row.x[i];
  } else if (kind == ScoreStepKind::divide) {
    for (std::int64_t i = 0; i < row.keys; ++i) g[i] /= row.x[i];
  }
}

/// Applies the step to scores.
template <class C>
void change_scores(ScoreStepKind kind, const StepRow<C>& row, C* s) {
  const C* const x = row.x;
  if (row.flags != nullptr) {
    for (std::int64_t i = 0; i < row.keys; ++i) s[i] = stays(kind, row.flags[i]) ? s[i] : x[i];
  } else if (kind == ScoreStepKind::multiply) {
    for (std::int64_t i = 0; i < row.keys; ++i) s[i] *= x[i];
  } else if (kind == ScoreStepKind::divide) {
    for (std::int64_t i = 0; i < row.keys; ++i) s[i] /= x[i];
  } else if (kind == ScoreStepKind::add) {
    for (std::int64_t i = 0; i < row.keys; ++i) s[i] += x[i];
  } else {
    for (std::int64_t i = 0; i < row.keys; ++i) s[i] -= x[i];
  }
}

std::vector<std::int64_t> reshaped_dims(const std::vector<std::int64_t>& dims,
                                        const TensorView& target) {
  std::vector<Expr> wanted;
  for (const std::int64_t dim : as_integers(target)) wanted.emplace_back(dim);
  const auto shape = reshaped_scores(Shape(dims.begin(), dims.end()), wanted);
  if (!shape || shape->size() < 2) fail_run("", "a step Reshape has no valid shape");
  std::vector<std::int64_t> result;
  for (const Expr& dim : *shape) result.push_back(dim.integer().value());
  if (element_count(result) != element_count(dims) ||
      !std::equal(result.end() - 2, result.end(), dims.end() - 2)) {
    fail_run("", "a step Reshape changes the rows, the keys or the number of scores");
  }
  return result;
}

}  // namespace

std::int64_t StepOperand::offset(const ScoreBlock& block) const {
  std::int64_t sum = block.rows.first * row_stride + block.keys.first * key_stride;
  auto rest = static_cast<std::int64_t>(block.scores);
  for (std::size_t i = leading.size(); i-- > 0;) {
    sum += rest % leading[i] * strides[i];
    rest /= leading[i];
  }
  return sum;
}

template <class C>
StepGradient<C>::StepGradient(const TensorView& output) : target(output) {
  if (!target.present()) return;
  if (target.element != element_of<C>) {
    converted.assign(static_cast<std::size_t>(target.elements()), C(0));
    sums = converted.data();
  } else {
    fill_zero(target);
    sums = target.as<C>().data();
  }
}

template <class C>
void StepGradient<C>::finish() const {
  if (target.present() && target.element != element_of<C>) store_numbers(converted, target);
}

template <class C>
ScoreSteps<C>::ScoreSteps(const KernelContext& context, std::size_t first,
                          const FusedOperands& operands) {
  std::vector<std::int64_t> dims = operands.score_dims();
  for (const ScoreStep& step : read_score_steps(context.attributes())) {
    const std::size_t input = first + step.first_operand;
    steps_.push_back({step.kind, {}, {}});
    if (step.kind == ScoreStepKind::reshape) {
      dims = reshaped_dims(dims, context.in(input));
    } else if (step.operands > 0) {
      steps_.back().number = step_operand(context.in(first + step.number()), dims);
    }
    if (step.is_choice()) steps_.back().condition = step_operand(context.in(input), dims);
  }
  kept_.resize(steps_.size());
}

template <class C>
void ScoreSteps<C>::want_gradients(const KernelContext& context, std::size_t first) {
  goes_back_ = true;
  for (const ScoreStep& step : read_score_steps(context.attributes())) {
    const bool has_number = step.operands > 0 && step.kind != ScoreStepKind::reshape;
    const std::size_t output = first + (has_number ? step.number() : 0);
    const bool wanted = has_number && context.has_output(output);
    gradients_.emplace_back(wanted ? context.out(output) : TensorView());
    wants_gradients_ = wants_gradients_ || wanted;
  }
}

template <class C>
bool ScoreSteps<C>::keeps_input(std::size_t index) const {
  const ScoreStepKind kind = steps_[index].kind;
  return goes_back_ && gradients_[index].sums != nullptr &&
         (kind == ScoreStepKind::multiply || kind == ScoreStepKind::divide);
}

template <class C>
bool ScoreSteps<C>::reads_scores() const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (keeps_input(i)) return true;
  }
  return false;
}

template <class C>
bool ScoreSteps<C>::may_hide() const {
  return std::ranges::any_of(steps_, [](const GivenStep& step) {
    return step.is_choice() || step.kind == ScoreStepKind::add ||
           step.kind == ScoreStepKind::subtract;
  });
}

template <class C>
std::optional<std::size_t> ScoreSteps<C>::replacing_step(const ScoreBlock& block) {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    if (!steps_[i].is_choice()) continue;
    const StepOperand& condition = steps_[i].condition;
    const bool* const flags = condition.tensor.as<bool>().data() + condition.offset(block);
    const bool replaces = steps_[i].kind == ScoreStepKind::where_not;
    const auto replaces_row = [&](std::int64_t row) {
      const bool* const own = flags + row * condition.row_stride;
      for (std::int64_t key = 0; key < block.keys.count; ++key) {
        if (own[key * condition.key_stride] != replaces) return false;
      }
      return true;
    };
    bool all = true;
    for (std::int64_t row = 0; all && row < block.rows.count; ++row) all = replaces_row(row);
    if (all) return i;
  }
  return std::nullopt;
}

template <class C>
void ScoreSteps<C>::apply(const ScoreBlock& block, std::size_t begin, C* scores) {
  const auto keep = [&](std::size_t index) {
    kept_[index].assign(scores, scores + block.elements());
  };
  for (std::size_t i = begin; i < steps_.size(); ++i) {
    if (keeps_input(i)) keep(i);
    apply_step(steps_[i], block, scores);
    if (goes_back_ && steps_[i].kind == ScoreStepKind::tanh) keep(i);
  }
}

template <class C>
void ScoreSteps<C>::apply_step(const GivenStep& step, const ScoreBlock& block, C* scores) {
  const std::int64_t keys = block.keys.count;
  if (step.kind == ScoreStepKind::reshape) return;
  if (step.kind == ScoreStepKind::tanh) {
    for (std::int64_t i = 0; i < block.elements(); ++i) scores[i] = std::tanh(scores[i]);
    return;
  }
  OperandRows<C> numbers(step.number, block, numbers_);
  std::optional<OperandRows<unsigned char>> conditions;
  if (step.is_choice()) conditions.emplace(step.condition, block, flags_);
  for (std::int64_t row = 0; row < block.rows.count; ++row) {
    const unsigned char* const flags = conditions ? conditions->row(row) : nullptr;
    change_scores<C>(step.kind, {keys, numbers.row(row), flags, nullptr}, scores + row * keys);
  }
}

template <class C>
void ScoreSteps<C>::go_back(const ScoreBlock& block, std::size_t begin, C* gradient) {
  for (std::size_t i = steps_.size(); i-- > begin;) {
    if (steps_[i].kind == ScoreStepKind::tanh) {
      const std::vector<C>& y = kept_[i];
      for (std::size_t k = 0; k < y.size(); ++k) gradient[k] *= 1 - y[k] * y[k];
    } else if (steps_[i].kind != ScoreStepKind::reshape) {
      go_back_step(i, block, gradient);
    }
  }
}

template <class C>
void ScoreSteps<C>::go_back_step(std::size_t index, const ScoreBlock& block, C* gradient) {
  const GivenStep& step = steps_[index];
  C* const sums = gradients_[index].sums;
  const bool is_sum = step.kind == ScoreStepKind::add || step.kind == ScoreStepKind::subtract;
  if (is_sum && sums == nullptr) return;
  const std::int64_t keys = block.keys.count;
  terms_.resize(static_cast<std::size_t>(keys));
  OperandRows<C> numbers(step.number, block, numbers_);
  std::optional<OperandRows<unsigned char>> conditions;
  if (step.is_choice()) conditions.emplace(step.condition, block, flags_);
  std::optional<TermSums<C>> adds;
  if (sums != nullptr) adds.emplace(step.number, block, sums);
  for (std::int64_t row = 0; row < block.rows.count; ++row) {
    C* const g = gradient + row * keys;
    const StepRow<C> given = {keys, numbers.row(row), conditions ? conditions->row(row) : nullptr,
                              keeps_input(index) ? kept_[index].data() + row * keys : nullptr};
    if (adds) {
      fill_terms(step.kind, given, g, terms_.data());
      adds->add(row, terms_.data());
    }
    change_gradient(step.kind, given, g);
  }
  if (adds) adds->finish();
}

template <class C>
void ScoreSteps<C>::finish() const {
  for (const StepGradient<C>& each : gradients_) each.finish();
}

template class ScoreSteps<float>;
template class ScoreSteps<double>;

}  // namespace stashscope::cpu
