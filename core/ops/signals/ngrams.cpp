// Texts as counts of their n-grams.

#include <algorithm>

#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"
#include "core/ops/signals/ops.h"

namespace stashscope {

namespace {

/// (words [words] or [texts, words]) -> [columns] or [texts, columns]. The attribute ngram_indexes
/// holds the column of each n-gram.
void infer_ngram_counts(ShapeContext& context) {
  require_known_text(context, "mode", {"TF", "IDF", "TFIDF"});
  context.set_element(0, ElementType::float32);
  const Integers columns = context.attributes().require_integers("ngram_indexes");
  if (columns.empty() || *std::min_element(columns.begin(), columns.end()) < 0) {
    context.fail("its ngram_indexes are empty or negative");
  }
  const Expr count = Expr(*std::max_element(columns.begin(), columns.end())) + 1;
  Shape shape = {count};
  if (context.rank(0) == 2) shape.insert(shape.begin(), context.dim(0, 0));
  context.set_shape(0, std::move(shape));
}

}  // namespace

void add_ngram_ops(OpRegistry& registry) {
  registry.add({.type = "TfIdfVectorizer",
                .versions = {9},
                .operands = "X:index[1..2] -> Y",
                .infer = infer_ngram_counts,
                .stops_gradients = true});
}

}  // namespace stashscope
