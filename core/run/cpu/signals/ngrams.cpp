// Texts as counts of their n-grams.

#include <algorithm>

#include "core/run/cpu/signals/signals.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

/// One of the n-grams that are counted.
struct Ngram {
  std::vector<std::int64_t> words;
  std::size_t column;
};

/// The n-grams of the attributes, of min_gram_length to max_gram_length words. The pool holds all
/// n-grams of length 1, then all n-grams of length 2, and so on; `ngram_counts` has the position in
/// the pool at which each length begins.
std::vector<Ngram> wanted_ngrams(const Attributes& attributes) {
  const Integers pool = attributes.integers("pool_int64s");
  const Integers begins = attributes.require_integers("ngram_counts");
  const Integers columns = attributes.require_integers("ngram_indexes");
  const std::int64_t shortest = attributes.require_integer("min_gram_length");
  const std::int64_t longest = attributes.require_integer("max_gram_length");
  std::vector<Ngram> wanted;
  std::size_t id = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto length = static_cast<std::int64_t>(i) + 1;
    const std::int64_t end = i + 1 < begins.size() ? begins[i + 1] : std::ssize(pool);
    if (begins[i] < 0 || begins[i] > end || end > std::ssize(pool)) {
      fail_run("", "its ngram_counts are not ascending positions in its pool_int64s");
    }
    for (std::int64_t at = begins[i]; end - at >= length; at += length, ++id) {
      if (id >= columns.size()) fail_run("", "has more n-grams than entries in ngram_indexes");
      if (length < shortest || length > longest) continue;
      wanted.push_back(
          {{pool.begin() + at, pool.begin() + at + length}, static_cast<std::size_t>(columns[id])});
    }
  }
  return wanted;
}

/// How often an n-gram occurs. Between two consecutive words of the n-gram, the text may have up to
/// `skips` other words; within one occurrence, the number of other words is the same in every gap.
double occurrences(const Ngram& ngram, const std::int64_t* text, std::int64_t length,
                   std::int64_t skips) {
  const std::int64_t size = std::ssize(ngram.words);
  const std::int64_t furthest = size == 1 ? 1 : std::min(skips, length) + 1;
  double count = 0;
  for (std::int64_t distance = 1; distance <= furthest; ++distance) {
    for (std::int64_t first = 0; first + (size - 1) * distance < length; ++first) {
      std::int64_t same = 0;
      while (same < size &&
             text[first + same * distance] == ngram.words[static_cast<std::size_t>(same)]) {
        ++same;
      }
      if (same == size) ++count;
    }
  }
  return count;
}

}  // namespace

/// The input is [words] or [texts, words]. (ONNX, TfIdfVectorizer)
void ngram_counts(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const std::vector<std::int64_t> words = as_integers(in);
  const std::vector<Ngram> ngrams = wanted_ngrams(context.attributes());
  const std::string mode = context.attributes().text("mode", "TF");
  const std::int64_t skips = context.attributes().require_integer("max_skip_count");
  const auto* const given = context.attributes().find("weights");
  const auto* const weights = given != nullptr ? std::get_if<Floats>(given) : nullptr;
  const auto columns = static_cast<std::size_t>(context.out().dim(-1));
  const std::int64_t length = in.dim(-1);
  const std::int64_t texts = in.rank() == 2 ? in.dim(0) : 1;
  std::vector<double> counts(static_cast<std::size_t>(texts) * columns, 0);
  for (std::int64_t text = 0; text < texts; ++text) {
    for (const Ngram& ngram : ngrams) {
      counts[static_cast<std::size_t>(text) * columns + ngram.column] +=
          occurrences(ngram, words.data() + text * length, length, skips);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t column = i % columns;
    const bool weighted = weights != nullptr && column < weights->size();
    if (mode == "IDF") counts[i] = counts[i] > 0 ? 1 : 0;
    if (mode != "TF" && weighted) counts[i] *= double{(*weights)[column]};
  }
  store_numbers(counts, context.out());
}

}  // namespace stashscope::cpu
