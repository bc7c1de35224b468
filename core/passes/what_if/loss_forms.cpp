#include "core/passes/what_if/loss_forms.h"

#include <optional>

#include "core/base/error.h"
#include "core/passes/what_if/loss_in_pieces.h"
#include "core/passes/what_if/whole_number.h"

namespace stashscope {

namespace {

constexpr std::string_view whole = "whole";
constexpr std::string_view pieces = "pieces";

/// The rows of a piece; 0 if the form leaves them open. Nothing if `text` is no form in pieces.
std::optional<std::int64_t> rows_of(std::string_view text) {
  if (text == pieces) return 0;
  const std::string head = std::string(pieces) + ":";
  if (!text.starts_with(head)) return std::nullopt;
  const auto rows = whole_number(text.substr(head.size()));
  return rows && *rows > 0 ? rows : std::nullopt;
}

}  // namespace

void choose_loss(Rewriter& graph, const std::vector<ValueId>& /*losses*/, WhatIfResult& result) {
  const auto rows = rows_of(result.value);
  if (!rows) return;
  result.changed = compute_loss_in_pieces(graph, *rows, result.stopped_by);
  result.found = result.changed;
}

std::string loss_form(const std::string& text) {
  if (text == whole) return text;
  const auto rows = rows_of(text);
  if (!rows) {
    fail_usage("loss=" + printable(text), "is no form of a loss",
               "choose whole, pieces, or pieces:ROWS with a number of rows above 0");
  }
  return *rows == 0 ? text : std::string(pieces) + ":" + std::to_string(*rows);
}

std::string loss_words(const std::string& form) {
  const auto rows = rows_of(form);
  if (!rows) return "Loss over whole scores";
  return *rows == 0 ? "Loss in pieces" : "Loss in pieces of " + std::to_string(*rows) + " rows";
}

}  // namespace stashscope
