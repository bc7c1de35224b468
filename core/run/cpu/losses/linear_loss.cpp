// The scores of hidden states (from their products with the weight of a vocabulary) and the
// cross-entropy of the scores, for one piece (some rows) at a time. In addition to the outputs, a
// call needs memory for the hidden states and scores of one piece and for a few numbers per row and
// per class. The gradient operator also needs memory for a product of about the size of a piece.
// For 16-bit types, each operator also needs a copy of the weight in float32, and the gradient
// operator needs the sum of the weight's gradient in float32.

#include <cmath>
#include <limits>

#include "core/ops/rules/linear_loss_places.h"
#include "core/ops/rules/loss_rows.h"
#include "core/run/cpu/losses/kernels.h"
#include "core/run/cpu/losses/targets.h"
#include "core/run/cpu/primitives/matrix.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

TensorView optional_operand(const KernelContext& context, std::size_t index) {
  return context.has_input(index) ? context.in(index) : TensorView();
}

/// The operands of the loss or of its gradient, with the weight and the bias as type C.
template <class C>
struct LinearLoss {
  TensorView hidden;
  Converted<C> weight;
  std::vector<C> bias;
  bool transposed;
  C scale;
  std::int64_t width;
  std::int64_t classes;
  std::int64_t rows;  ///< the most rows of a piece
  Targets targets;

  LinearLoss(const KernelContext& context, const linear_loss_places::Inputs& at)
      : hidden(context.in(at.hidden)),
        weight(context.in(at.weight)),
        bias(numbers_of<C>(optional_operand(context, at.bias))),
        transposed(context.attributes().integer("transposed", 0) != 0),
        scale(static_cast<C>(context.attributes().real("scale", 1))),
        width(hidden.dim(-1)),
        classes(context.in(at.weight).dim(transposed ? 0 : 1)),
        rows(loss_rows(context.attributes().integer("rows", 0), context.in(at.labels).elements(),
                       width, classes)),
        targets({context.in(at.labels).elements(), classes}, context.in(at.labels),
                optional_operand(context, at.class_weights), ignored_label(context.attributes())) {}

  /// The weight as [width, classes].
  Matrix<C> vocabulary() const {
    return transposed ? dense_matrix(weight.data(), classes, width).transposed()
                      : dense_matrix(weight.data(), width, classes);
  }

  /// Calls `body(rows of the piece)` for each piece of the rows that `is_needed(row)` selects.
  template <class IsNeeded, class Body>
  void for_each_piece(IsNeeded is_needed, Body body) const {
    std::vector<std::size_t> piece;
    for (std::size_t row = 0; row < targets.size(); ++row) {
      if (is_needed(row)) piece.push_back(row);
      const bool is_full = std::ssize(piece) == rows || row + 1 == targets.size();
      if (!is_full || piece.empty()) continue;
      body(piece);
      piece.clear();
    }
  }
};

/// The hidden states and the scores of one piece, row by row.
template <class C>
struct Piece {
  std::vector<C> hidden;
  std::vector<C> scores;

  explicit Piece(const LinearLoss<C>& loss) {
    const auto most = std::min<std::int64_t>(loss.rows, std::ssize(loss.targets));
    hidden.resize(static_cast<std::size_t>(most * loss.width));
    scores.resize(static_cast<std::size_t>(most * loss.classes));
  }

  /// Computes the scores of the rows.
  void fill(const LinearLoss<C>& loss, const std::vector<std::size_t>& rows) {
    take_hidden(loss, rows);
    const auto count = std::ssize(rows);
    multiply(dense_matrix(hidden.data(), count, loss.width), loss.vocabulary(), scores.data());
    if (loss.scale == 1 && loss.bias.empty()) return;
    for (std::int64_t i = 0; i < count; ++i) {
      C* const row = scores.data() + i * loss.classes;
      for (std::int64_t k = 0; k < loss.classes; ++k) {
        row[k] =
            row[k] * loss.scale + (loss.bias.empty() ? 0 : loss.bias[static_cast<std::size_t>(k)]);
      }
    }
  }

 private:
  void take_hidden(const LinearLoss<C>& loss, const std::vector<std::size_t>& rows) {
    with_floating(loss.hidden.element, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const from = loss.hidden.template as<T>().data();
      C* to = hidden.data();
      for (const std::size_t row : rows) {
        const T* const items = from + static_cast<std::int64_t>(row) * loss.width;
        for (std::int64_t i = 0; i < loss.width; ++i) {
          *to++ = static_cast<C>(static_cast<Compute<T>>(items[i]));
        }
      }
    });
  }
};

/// log(exp(row[0]) + ... + exp(row[count - 1]))
template <class C>
double log_sum_exp(const C* row, std::int64_t count) {
  C greatest = row[0];
  for (std::int64_t k = 1; k < count; ++k) greatest = std::max(greatest, row[k]);
  double sum = 0;
  for (std::int64_t k = 0; k < count; ++k) sum += static_cast<double>(std::exp(row[k] - greatest));
  return static_cast<double>(greatest) + std::log(sum);
}

/// (hidden, weight, labels, optional bias, optional class weights) -> loss, log_sum_exp. Rows with
/// an ignored label are 0 in both outputs.
void linear_loss(const KernelContext& context) {
  with_real(context.in(linear_loss_places::forward.hidden).element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const LinearLoss<C> loss(context, linear_loss_places::forward);
    std::vector<double> losses(loss.targets.size(), 0);
    std::vector<double> sums(loss.targets.size(), 0);
    Piece<C> piece(loss);
    const auto counts = [&](std::size_t row) { return loss.targets.counts(row); };
    loss.for_each_piece(counts, [&](const std::vector<std::size_t>& rows) {
      piece.fill(loss, rows);
      const C* scores = piece.scores.data();
      for (const std::size_t row : rows) {
        sums[row] = log_sum_exp(scores, loss.classes);
        const auto chosen = static_cast<double>(scores[loss.targets.label(row)]);
        losses[row] = (sums[row] - chosen) * loss.targets.weight(row);
        scores += loss.classes;
      }
    });
    if (context.has_output(1)) store_numbers(sums, context.out(1));
    store_numbers(reduced(std::move(losses), loss.targets, reduction_of(context.attributes())),
                  context.out());
  });
}

/// Adds the gradients of a piece's scores to the gradient of the bias. Replaces the scores by the
/// gradients of the unscaled products of hidden states and weight.
/// @param factors the gradient of each row's negative log probability
template <class C>
void differentiate_scores(const LinearLoss<C>& loss, const std::vector<std::size_t>& rows,
                          const std::vector<double>& sums, const std::vector<double>& factors,
                          C* scores, std::vector<double>& bias_gradient) {
  for (const std::size_t row : rows) {
    const auto shift = static_cast<C>(sums[row]);
    const auto factor = static_cast<C>(factors[row]);
    for (std::int64_t k = 0; k < loss.classes; ++k)
      scores[k] = factor * std::exp(scores[k] - shift);
    scores[loss.targets.label(row)] -= factor;
    for (std::size_t k = 0; k < bias_gradient.size(); ++k) {
      bias_gradient[k] += static_cast<double>(scores[k]);
    }
    if (loss.scale != 1) {
      for (std::int64_t k = 0; k < loss.classes; ++k) scores[k] *= loss.scale;
    }
    scores += loss.classes;
  }
}

/// Stores the gradients of the hidden states of a piece in `target`.
template <class C>
void store_hidden_gradients(const LinearLoss<C>& loss, const std::vector<std::size_t>& rows,
                            const C* score_gradients, const TensorView& target) {
  const auto count = std::ssize(rows);
  std::vector<C> product(static_cast<std::size_t>(count * loss.width));
  multiply(dense_matrix(score_gradients, count, loss.classes), loss.vocabulary().transposed(),
           product.data());
  with_floating(target.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const C* from = product.data();
    for (const std::size_t row : rows) {
      T* const to = target.as<T>().data() + static_cast<std::int64_t>(row) * loss.width;
      for (std::int64_t i = 0; i < loss.width; ++i) {
        to[i] = static_cast<T>(static_cast<Compute<T>>(*from++));
      }
    }
  });
}

/// Adds the products of a piece's hidden states and the gradients of its scores to the gradient of
/// the weight. Multiplies for some classes at a time, so that a product is no larger than a piece.
template <class C>
void add_weight_gradient(const LinearLoss<C>& loss, const Piece<C>& piece, std::int64_t count,
                         C* sums) {
  const std::int64_t fitting = std::ssize(piece.scores) / std::max<std::int64_t>(1, loss.width);
  const std::int64_t block = std::clamp<std::int64_t>(fitting, 1, loss.classes);
  const Matrix<C> hidden = dense_matrix(piece.hidden.data(), count, loss.width);
  std::vector<C> product(static_cast<std::size_t>(block * loss.width));
  for (std::int64_t first = 0; first < loss.classes; first += block) {
    const std::int64_t columns = std::min(block, loss.classes - first);
    const Matrix<C> gradients = {piece.scores.data() + first, count, columns, loss.classes, 1};
    if (loss.transposed) {
      multiply(gradients.transposed(), hidden, product.data());
      C* const to = sums + first * loss.width;
      for (std::int64_t i = 0; i < columns * loss.width; ++i) {
        to[i] += product[static_cast<std::size_t>(i)];
      }
      continue;
    }
    multiply(hidden.transposed(), gradients, product.data());
    for (std::int64_t row = 0; row < loss.width; ++row) {
      C* const to = sums + row * loss.classes + first;
      const C* const from = product.data() + row * columns;
      for (std::int64_t i = 0; i < columns; ++i) to[i] += from[i];
    }
  }
}

/// The outputs of the gradient operator; null or empty where they are left out.
template <class C>
struct LinearLossGradients {
  TensorView hidden;
  C* weight;
  std::vector<double> bias;
};

template <class C>
void go_back_through_pieces(const KernelContext& context, const LinearLoss<C>& loss,
                            LinearLossGradients<C>& gradients) {
  const std::vector<double> factors =
      target_gradients(context.in(0), loss.targets, reduction_of(context.attributes()));
  const auto sums = numbers_of<double>(context.in(linear_loss_places::log_sum_exp));
  Piece<C> piece(loss);
  const auto has_gradient = [&](std::size_t row) { return factors[row] != 0; };
  loss.for_each_piece(has_gradient, [&](const std::vector<std::size_t>& rows) {
    piece.fill(loss, rows);
    differentiate_scores(loss, rows, sums, factors, piece.scores.data(), gradients.bias);
    if (gradients.hidden.present()) {
      store_hidden_gradients(loss, rows, piece.scores.data(), gradients.hidden);
    }
    if (gradients.weight != nullptr) {
      add_weight_gradient(loss, piece, std::ssize(rows), gradients.weight);
    }
  });
}

/// (d loss, hidden, weight, labels, log_sum_exp, optional bias, optional class weights) ->
/// gradients of hidden, weight and bias. Rows with an ignored label have the gradient 0.
void linear_loss_grad(const KernelContext& context) {
  with_real(context.in(linear_loss_places::backward.hidden).element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const LinearLoss<C> loss(context, linear_loss_places::backward);
    LinearLossGradients<C> gradients = {};
    if (context.has_output(0)) {
      gradients.hidden = context.out(0);
      const auto bytes = packed_bytes(gradients.hidden.element, gradients.hidden.elements());
      std::fill_n(gradients.hidden.data, bytes, std::byte{0});
    }
    if (context.has_output(2)) gradients.bias.assign(static_cast<std::size_t>(loss.classes), 0);
    if (context.has_output(1)) {
      make_converted<C>(context.out(1), [&](C* sums) {
        std::fill_n(sums, context.out(1).elements(), C(0));
        gradients.weight = sums;
        go_back_through_pieces(context, loss, gradients);
      });
    } else {
      go_back_through_pieces(context, loss, gradients);
    }
    if (context.has_output(2)) store_numbers(gradients.bias, context.out(2));
  });
}

}  // namespace

void add_linear_loss_kernels(KernelRegistry& registry) {
  registry.add("com.microsoft", "LinearCrossEntropyLoss", {linear_loss});
  registry.add("com.microsoft", "LinearCrossEntropyLossGrad", {linear_loss_grad});
}

}  // namespace stashscope::cpu
