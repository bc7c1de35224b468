// The product of hidden states with a vocabulary and the cross-entropy of its scores, one piece
// (some rows) at a time, in the order of the CPU's kernels. The numbers of a piece are in scratch
// memory. For 16-bit types, scratch memory also holds the weight and the sum of its gradient, both
// in float32.

#include "core/ops/rules/linear_loss_places.h"
#include "core/ops/rules/loss_rows.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/row_layout.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/losses/kernels.h"
#include "core/run/cuda/losses/targets.h"

namespace stashscope::cuda {

namespace {

constexpr std::int64_t list_entry_bytes = 4;

/// A part of the list of rows that need scores. The scores of a piece are computed together.
struct Piece {
  std::int64_t first = 0;
  std::int64_t rows = 0;
};

/// Writes the calls that the loss and its gradient have in common.
class PieceWriter {
 public:
  PieceWriter(const LoweringContext& context, const linear_loss_places::Inputs& at)
      : context_(context),
        at_(at),
        is_transposed_(context.attributes().integer("transposed", 0) != 0),
        width_(context.in(at.hidden).dim(-1)),
        classes_(context.in(at.weight).dim(is_transposed_ ? 0 : 1)),
        count_(context.in(at.labels).elements()),
        rows_(loss_rows(context.attributes().integer("rows", 0), count_, width_, classes_)),
        element_(compute_element(context.in(at.hidden).element)) {
    for (const std::int64_t size : {count_, width_, classes_}) require_int(size);
    if (classes_ == 0) fail_run("", "a loss without classes is not supported on CUDA devices");
  }

  const LoweringContext& context() const { return context_; }
  std::int64_t width() const { return width_; }
  std::int64_t classes() const { return classes_; }
  std::int64_t count() const { return count_; }
  std::int64_t piece_rows() const { return rows_; }
  bool is_transposed() const { return is_transposed_; }
  /// The element type of the numbers of a piece, and its text.
  ElementType element() const { return element_; }
  std::string type() const { return device_type(element_); }
  TargetOperands targets() const {
    return {context_, classes_, at_.labels, at_.class_weights, no_operand};
  }
  std::int64_t bytes(std::int64_t numbers) const { return numbers * element_bytes(element_); }
  Operand numbers(std::int64_t count) { return lowered_.add_scratch(bytes(count)); }
  Operand weight() const { return weight_; }
  Operand scores() const { return scores_; }
  Operand hidden() const { return hidden_; }
  Lowered& lowered() { return lowered_; }

  /// Makes the scratch memory of the pieces, and the weight in the type of the scores.
  void start_pieces() {
    hidden_ = numbers(rows_ * width_);
    scores_ = numbers(rows_ * classes_);
    weight_ = input(at_.weight);
    if (context_.in(at_.weight).element == element_) return;
    weight_ = numbers(width_ * classes_);
    CallText text;
    const std::string from = text.reads(context_, at_.weight);
    add_conversion(from, text.pointer(type(), weight_), width_ * classes_, text);
  }

  void add_conversion(const std::string& from, const std::string& to, std::int64_t count,
                      const CallText& text) {
    if (count == 0) return;
    lowered_.add(text.call(invocation("convert_numbers", arguments_of(count), {from, to}),
                           launch_of(count)));
  }

  /// Lists the rows that `is_needed` selects.
  /// @param is_needed the text of an object; its parameters are in `text`
  void list_rows(const std::string& is_needed, CallText& text) {
    list_ = lowered_.add_scratch(count_ * list_entry_bytes);
    const std::string list = text.pointer("Int32", list_);
    lowered_.add(text.call(invocation("list_needed_rows", arguments_of(count_), {is_needed, list}),
                           {1, 1024}));
  }

  template <class Body>
  void for_each_piece(Body body) {
    for (std::int64_t first = 0; first < count_; first += rows_) {
      body(Piece{first, std::min(rows_, count_ - first)});
    }
  }

  std::string list_of(const Piece& piece, CallText& text) const {
    return text.pointer("const Int32", behind(list_, piece.first * list_entry_bytes));
  }

  /// Adds the calls that compute the scores of a piece, without the bias.
  void add_scores(const Piece& piece) {
    if (width_ == 0) {
      lowered_.add(ZeroCall{scores_, bytes(piece.rows * classes_)});
      return;
    }
    CallText text;
    const std::string from = text.reads(context_, at_.hidden);
    const std::string list = list_of(piece, text);
    const std::string to = text.pointer(type(), hidden_);
    lowered_.add(text.call(
        invocation("take_listed_rows", arguments_of(type(), piece.rows, width_), {from, list, to}),
        launch_of(piece.rows * width_)));
    MatmulShape shape = product(piece.rows, classes_, width_);
    shape.transpose_b = is_transposed_;
    lowered_.add(MatmulCall{.shape = shape, .a = hidden_, .b = weight_, .d = scores_, .bias = {}});
  }

  /// A product in the type of the scores, times the attribute `scale`.
  MatmulShape product(std::int64_t rows, std::int64_t columns, std::int64_t inner) const {
    return {.element = element_,
            .rows = rows,
            .columns = columns,
            .inner = inner,
            .alpha = context_.attributes().real("scale", 1),
            .rounds_to_tf32 = context_.rounds_to_tf32 && element_ == ElementType::float32};
  }

  /// The text of the scores of a piece, with the bias.
  std::string scores_text(CallText& text) const {
    const std::string of_bias =
        context_.has_input(at_.bias) ? device_type(context_.in(at_.bias).element) : "float";
    const std::string scores = text.pointer("const " + type(), scores_);
    return with_arguments("PieceScores", arguments_of(of_bias, classes_, type())) + "{" + scores +
           ", " + text.reads(context_, at_.bias) + "}";
  }

  RowPlan row_plan(const Piece& piece, int kept_numbers) const {
    return plan_rows({piece.rows, classes_, 1},
                     {.elements = {element_}, .kept_numbers = kept_numbers});
  }

 private:
  const LoweringContext& context_;
  linear_loss_places::Inputs at_;
  bool is_transposed_;
  std::int64_t width_;
  std::int64_t classes_;
  std::int64_t count_;  ///< of all rows
  std::int64_t rows_;   ///< of a piece
  ElementType element_;
  Lowered lowered_;
  Operand list_;
  Operand weight_;
  Operand hidden_;
  Operand scores_;
};

/// Adds the losses of a piece.
/// @param losses scratch memory; none: the losses are output 0
void add_piece_losses(PieceWriter& writer, const Piece& piece, std::optional<Operand> losses) {
  const std::string type = writer.type();
  const RowPlan plan = writer.row_plan(piece, 1);
  CallText text;
  std::vector<std::string> operands = {writer.scores_text(text), writer.list_of(piece, text),
                                       writer.targets().object(text),
                                       text.writes(writer.context(), 1)};
  operands.push_back(losses ? text.pointer(type, *losses) : text.writes(writer.context()));
  writer.lowered().add(
      text.call(invocation("piece_losses", {type, plan.layout}, operands), plan.shape));
}

/// (hidden, weight, labels, optional bias, optional class weights) -> loss, log_sum_exp. A row with
/// an ignored label has the loss 0 and is 0 in log_sum_exp.
Lowered lower_linear_loss(const LoweringContext& context) {
  PieceWriter writer(context, linear_loss_places::forward);
  Lowered& lowered = writer.lowered();
  const bool by_target = reduction_of(context) == Reduction::none;
  std::optional<Operand> losses;
  if (!by_target) losses = writer.numbers(writer.count());
  if (writer.count() > 0) {
    if (losses) lowered.add(ZeroCall{*losses, writer.bytes(writer.count())});
    if (by_target) lowered.add(ZeroCall{output(), context.out().bytes()});
    if (context.has_output(1)) lowered.add(ZeroCall{output(1), context.out(1).bytes()});
    writer.start_pieces();
    CallText text;
    const TargetOperands targets = writer.targets();
    writer.list_rows(
        with_arguments("CountingRows", {targets.type()}) + "{" + targets.object(text) + "}", text);
    writer.for_each_piece([&](const Piece& piece) {
      writer.add_scores(piece);
      add_piece_losses(writer, piece, losses);
    });
  }
  if (losses) {
    add_total(writer.targets(), writer.count(), writer.element(), *losses, lowered);
  }
  return std::move(lowered);
}

/// Writes the calls of LinearCrossEntropyLossGrad.
class GradientWriter {
 public:
  explicit GradientWriter(const LoweringContext& context)
      : writer_(context, linear_loss_places::backward), context_(context) {}

  Lowered write() {
    if (context_.has_output(0)) zero(output(0), context_.out(0).bytes());
    start_sums();
    if (writer_.count() > 0) {
      add_factors();
      writer_.start_pieces();
      if (context_.has_output(0))
        product_ = writer_.numbers(writer_.piece_rows() * writer_.width());
      list_rows();
      writer_.for_each_piece([&](const Piece& piece) { add_piece(piece); });
    }
    store_sums();
    return std::move(writer_.lowered());
  }

 private:
  void zero(Operand to, std::int64_t bytes) {
    if (bytes > 0) writer_.lowered().add(ZeroCall{to, bytes});
  }

  /// Makes the sums of the gradients of weight and bias. The gradient of the weight is summed in
  /// its output, unless the type of the output differs from the type of the scores.
  void start_sums() {
    const std::int64_t weights = writer_.width() * writer_.classes();
    if (context_.has_output(1)) {
      const bool is_converted = context_.out(1).element != writer_.element();
      weight_sums_ = is_converted ? writer_.numbers(weights) : output(1);
      zero(*weight_sums_, writer_.bytes(weights));
    }
    if (context_.has_output(2)) {
      bias_sums_ = writer_.lowered().add_scratch(writer_.classes() * 8);
      zero(*bias_sums_, writer_.classes() * 8);
    }
  }

  void add_factors() {
    const std::string type = writer_.type();
    const TargetOperands targets = writer_.targets();
    factors_ = writer_.numbers(writer_.count());
    const auto total =
        add_total_weight(targets, writer_.count(), writer_.element(), writer_.lowered());
    const bool by_target = reduction_of(context_) == Reduction::none;
    CallText text;
    std::vector<std::string> operands = {text.reads(context_, 0), targets.object(text)};
    const std::vector<std::string> divisor =
        divisor_operands(targets, total, writer_.count(), writer_.element(), text);
    operands.insert(operands.end(), divisor.begin(), divisor.end());
    operands.push_back(text.pointer(type, factors_));
    writer_.lowered().add(text.call(
        invocation("target_factors", arguments_of(type, writer_.count(), by_target), operands),
        launch_of(writer_.count())));
  }

  void list_rows() {
    const std::string type = writer_.type();
    CallText text;
    const std::string factors = text.pointer("const " + type, factors_);
    writer_.list_rows(with_arguments("RowsWithFactor", {type}) + "{" + factors + "}", text);
  }

  void add_piece(const Piece& piece) {
    writer_.add_scores(piece);
    add_score_gradients(piece);
    if (bias_sums_) add_bias_gradient(piece);
    if (writer_.width() == 0) return;
    if (context_.has_output(0)) add_hidden_gradient(piece);
    if (weight_sums_) add_weight_gradient(piece);
  }

  void add_score_gradients(const Piece& piece) {
    const std::string type = writer_.type();
    const RowPlan plan = writer_.row_plan(piece, 0);
    CallText text;
    const std::vector<std::string> operands = {
        writer_.scores_text(text),
        writer_.list_of(piece, text),
        writer_.targets().object(text),
        text.reads(context_, linear_loss_places::log_sum_exp),
        text.pointer("const " + type, factors_),
        text.pointer(type, writer_.scores())};
    writer_.lowered().add(
        text.call(invocation("piece_gradients", {type, plan.layout}, operands), plan.shape));
  }

  void add_bias_gradient(const Piece& piece) {
    const std::string type = writer_.type();
    CallText text;
    const std::string scores = text.pointer("const " + type, writer_.scores());
    const std::string sums = text.pointer("double", *bias_sums_);
    writer_.lowered().add(
        text.call(invocation("add_columns", arguments_of(type, piece.rows, writer_.classes()),
                             {scores, sums}),
                  launch_of(writer_.classes())));
  }

  void add_hidden_gradient(const Piece& piece) {
    MatmulShape shape = writer_.product(piece.rows, writer_.width(), writer_.classes());
    shape.transpose_b = !writer_.is_transposed();
    writer_.lowered().add(MatmulCall{
        .shape = shape, .a = writer_.scores(), .b = writer_.weight(), .d = product_, .bias = {}});
    const std::string type = writer_.type();
    CallText text;
    const std::string from = text.pointer("const " + type, product_);
    const std::string list = writer_.list_of(piece, text);
    const std::string to = text.writes(context_, 0);
    writer_.lowered().add(
        text.call(invocation("put_listed_rows", arguments_of(type, piece.rows, writer_.width()),
                             {from, list, to}),
                  launch_of(piece.rows * writer_.width())));
  }

  void add_weight_gradient(const Piece& piece) {
    const bool is_transposed = writer_.is_transposed();
    MatmulShape shape = is_transposed
                            ? writer_.product(writer_.classes(), writer_.width(), piece.rows)
                            : writer_.product(writer_.width(), writer_.classes(), piece.rows);
    shape.transpose_a = true;
    shape.addend = MatmulShape::Addend::own;
    writer_.lowered().add(MatmulCall{.shape = shape,
                                     .a = is_transposed ? writer_.scores() : writer_.hidden(),
                                     .b = is_transposed ? writer_.hidden() : writer_.scores(),
                                     .d = *weight_sums_,
                                     .bias = {}});
  }

  /// Converts the sums that are in scratch memory, and stores them in their outputs.
  void store_sums() {
    const auto store = [&](const std::string& type, Operand sums, std::size_t index) {
      CallText text;
      const std::string from = text.pointer("const " + type, sums);
      writer_.add_conversion(from, text.writes(context_, index), context_.out(index).elements(),
                             text);
    };
    if (weight_sums_ && *weight_sums_ != output(1)) {
      store(writer_.type(), *weight_sums_, 1);
    }
    if (bias_sums_) store("double", *bias_sums_, 2);
  }

  PieceWriter writer_;
  const LoweringContext& context_;
  Operand factors_;
  Operand product_;
  std::optional<Operand> weight_sums_;
  std::optional<Operand> bias_sums_;
};

/// (d loss, hidden, weight, labels, log_sum_exp, optional bias, optional class weights) ->
/// gradients of hidden, weight and bias. Rows with an ignored label have the gradient 0.
Lowered lower_linear_loss_gradient(const LoweringContext& context) {
  return GradientWriter(context).write();
}

}  // namespace

void add_linear_loss_kernels(CudaKernelRegistry& registry) {
  registry.add("com.microsoft", "LinearCrossEntropyLoss", {lower_linear_loss});
  registry.add("com.microsoft", "LinearCrossEntropyLossGrad", {lower_linear_loss_gradient});
}

}  // namespace stashscope::cuda
