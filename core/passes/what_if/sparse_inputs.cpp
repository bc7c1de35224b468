#include "core/passes/what_if/sparse_inputs.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/passes/what_if/sparse/left_out_tokens.h"
#include "core/passes/what_if/whole_number.h"

namespace stashscope {

namespace {

constexpr std::string_view by_data = "data";
constexpr std::size_t most_digits = 9;

/// The number that a decimal text such as `0.25` writes. Nothing for other texts, and for more than
/// 9 digits after the point.
std::optional<Rational> decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view digits = text.substr(std::min(point + 1, text.size()));
  const auto front = whole_number(text.substr(0, point));
  if (!front || text.front() == '-' || *front > 1 || digits.size() > most_digits)
    return std::nullopt;
  std::int64_t numerator = *front;
  std::int64_t denominator = 1;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
  }
  return Rational::ratio(numerator, denominator);
}

/// Nothing if the text is no density. 1 for `data`, because any share of the tokens may be kept
/// then.
std::optional<Rational> density_of(std::string_view text) {
  if (text == by_data) return Rational(1);
  const auto share = decimal(text);
  return share && share->sign() > 0 && *share <= Rational(1) ? share : std::nullopt;
}

}  // namespace

void choose_sparse_inputs(Rewriter& graph, const std::vector<ValueId>& losses,
                          WhatIfResult& result) {
  try {
    result.changed = leave_tokens_out(graph, losses, density_of(result.value).value());
    result.found = result.changed;
  } catch (const SparseStop& stop) {
    result.stopped_by.push_back({describe(graph.node(stop.node), stop.node), stop.reason});
  }
}

/// Writes a share of tokens in only one way: with one digit before the point, and without zeros at
/// the end.
std::string sparse_density(const std::string& text) {
  if (text.empty() || text == by_data) return std::string(by_data);
  const auto density = density_of(text);
  if (!density) {
    fail_usage("sparse=" + printable(text), "is no share of tokens",
               "give a number above 0 and at most 1, such as 0.6, with at most 9 digits after the "
               "point, or nothing");
  }
  if (*density == Rational(1)) return "1";
  return "0" + text.substr(text.find('.'), text.find_last_not_of('0') + 1 - text.find('.'));
}

std::string sparse_words(const std::string& density) {
  return density == by_data ? "Sparse inputs" : "Sparse inputs of density " + density;
}

}  // namespace stashscope
