#include "core/run/step/padded_inputs.h"

#include "core/graph/packed_tokens.h"
#include "core/run/step/micro_tensors.h"

namespace stashscope {

namespace {

/// Labels that are the ignored label exactly where `is_label(token)` is false.
template <class Chosen>
Tensor padded_labels(const Tensor& labels, std::int64_t ignored, Chosen is_label) {
  Integers items = *labels.integers();
  const std::int64_t other = ignored == 0 ? 1 : 0;
  for (std::size_t token = 0; token < items.size(); ++token) {
    if (items[token] == ignored) items[token] = other;
    if (!is_label(token)) items[token] = ignored;
  }
  return Tensor::of_integers(labels.element(), labels.dims(), items);
}

/// Which tokens of [batch, positions] are kept.
class KeptRows {
 public:
  KeptRows(const std::vector<std::int64_t>& dims, std::int64_t parts, std::int64_t kept)
      : positions_(dims[1]), sequences_(dims[0] / parts), kept_(kept) {}

  /// Whether a token is kept.
  /// @param ahead 1: tells instead whether the token before `token` is kept; true for the first
  /// token of a sequence, which has none before it
  bool operator()(std::size_t token, std::int64_t ahead = 0) const {
    const auto at = static_cast<std::int64_t>(token);
    const std::int64_t sequence = at / positions_ % sequences_;
    const std::int64_t length = kept_ * (sequence + 1) / sequences_ - kept_ * sequence / sequences_;
    return at % positions_ < length + ahead;
  }

 private:
  std::int64_t positions_;
  std::int64_t sequences_;
  std::int64_t kept_;
};

}  // namespace

bool makes_padding(const Graph& graph, const std::map<std::string, Tensor>& given) {
  const PackedTokens* const packed = graph.data().packed_tokens.get();
  if (packed == nullptr || (!packed->mask.valid() && !packed->labels.valid())) return false;
  const auto is_given = [&](ValueId input) {
    return input.valid() && given.contains(graph.value(input).name);
  };
  return !is_given(packed->mask) && !is_given(packed->labels);
}

Tensor with_padding(const Graph& graph, const Bindings& bindings, ValueId input, Tensor data) {
  const PackedTokens& packed = *graph.data().packed_tokens;
  const auto kept = kept_token_count(graph)->evaluate(bindings);
  if ((input != packed.mask && input != packed.labels) || !kept || data.elements() == 0) {
    return data;
  }
  const std::int64_t parts = is_split_input(graph, input) ? runs_in_step(graph) : 1;
  const KeptRows is_kept(data.dims(), parts, *kept);
  // Without a mask, a row is kept only because of its label. If a row's label is the label of the
  // next token, the labels must reach one token further than the kept rows.
  const std::int64_t ahead = !packed.mask.valid() && packed.next_is_label ? 1 : 0;
  if (input == packed.labels) {
    return padded_labels(data, packed.ignored_label,
                         [&](std::size_t token) { return is_kept(token, ahead); });
  }
  Integers shown(static_cast<std::size_t>(data.elements()));
  for (std::size_t token = 0; token < shown.size(); ++token) shown[token] = is_kept(token) ? 1 : 0;
  return Tensor::of_integers(data.element(), data.dims(), shown);
}

}  // namespace stashscope
