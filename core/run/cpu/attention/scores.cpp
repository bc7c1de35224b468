#include "core/run/cpu/attention/scores.h"

namespace stashscope::cpu {

Heads with_past(const TensorView& tensor, const TensorView& past, std::int64_t head_count) {
  const Heads now(tensor, head_count);
  const Heads before = past.present() ? Heads(past, head_count) : Heads();
  Heads all;
  all.heads = now.heads;
  all.size = now.size;
  all.length = before.length + now.length;
  for (std::int64_t batch = 0; batch < tensor.dim(0); ++batch) {
    for (std::int64_t head = 0; head < all.heads; ++head) {
      for (std::int64_t i = 0; i < all.length; ++i) {
        const double* const row = i < before.length ? before.row(batch, head, i)
                                                    : now.row(batch, head, i - before.length);
        all.items.insert(all.items.end(), row, row + all.size);
      }
    }
  }
  return all;
}

void softmax(double* row, std::int64_t count) {
  const double greatest = *std::max_element(row, row + count);
  if (greatest == minus_infinity) {
    std::fill_n(row, count, 0.0);
    return;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += row[i] = std::exp(row[i] - greatest);
  for (std::int64_t i = 0; i < count; ++i) row[i] /= sum;
}

void multiply_keys(const double* query, const Heads& keys, std::int64_t batch, std::int64_t head,
                   std::vector<double>& products) {
  for (std::int64_t at = 0; at < keys.length; ++at) {
    const double* const key = keys.row(batch, head, at);
    products[static_cast<std::size_t>(at)] = std::inner_product(key, key + keys.size, query, 0.0);
  }
}

}  // namespace stashscope::cpu
