#pragma once

// LinearCrossEntropyLoss of eight rows in all its forms.

#include "tests/core/run/cpu/kernels/gradient_case.h"

namespace stashscope::testing_run::loss_cases {

using Dims = std::vector<std::int64_t>;

constexpr std::int64_t width = 3;
constexpr std::int64_t classes = 5;
constexpr std::int64_t ignored = -100;
inline const std::vector<std::int64_t> some_labels = {4, 0, ignored, 2, 2, ignored, 1, 3};

/// One loss of eight rows.
struct LossCase {
  std::string name;
  std::int64_t rows = 0;  ///< of a piece
  std::string reduction = "mean";
  bool ignores = false;
  bool has_bias = false;
  bool has_weights = false;
  bool transposed = false;
  float scale = 1;
  Dims lead = {8};
};

inline void PrintTo(const LossCase& each, std::ostream* out) { *out << each.name; }

inline Attributes with(Attributes attributes, const char* name, AttributeValue value) {
  attributes.set(name, std::move(value));
  return attributes;
}

inline Tensor labels_of(const LossCase& each) {
  std::vector<std::int64_t> labels = some_labels;
  for (std::int64_t& label : labels) {
    if (label == ignored && !each.ignores) label = 1;
  }
  return integers(each.lead, labels);
}

inline Attributes loss_attributes(const LossCase& each) {
  Attributes attributes = {{"reduction", each.reduction}};
  if (each.ignores) attributes.set("ignore_index", ignored);
  return attributes;
}

inline const GradientOperand class_weights = constant(doubles({classes}, {0.5, 2, 1, 0, 1.5}));

inline GradientCase in_pieces(const LossCase& each) {
  Dims hidden = each.lead;
  hidden.push_back(width);
  GradientCase made = {.name = each.name, .type = "LinearCrossEntropyLoss"};
  made.domain = "com.microsoft";
  made.operands = {parameter(hidden, -2, 2),
                   parameter(each.transposed ? Dims{classes, width} : Dims{width, classes}, -2, 2),
                   constant(labels_of(each)), each.has_bias ? parameter({classes}) : left_out(),
                   each.has_weights ? class_weights : left_out()};
  made.attributes = with(loss_attributes(each), "rows", each.rows);
  if (each.transposed) made.attributes.set("transposed", std::int64_t{1});
  if (each.scale != 1) made.attributes.set("scale", each.scale);
  return made;
}

inline std::vector<LossCase> all_losses() {
  std::vector<LossCase> cases;
  for (const std::int64_t rows : {0, 1, 3, 7, 8, 20}) {
    for (const char* reduction : {"none", "mean", "sum"}) {
      const std::string name = "Rows" + std::to_string(rows) + reduction;
      cases.push_back({.name = name, .rows = rows, .reduction = reduction});
      cases.push_back({.name = name + "Ignoring",
                       .rows = rows,
                       .reduction = reduction,
                       .ignores = true,
                       .has_bias = true,
                       .has_weights = true,
                       .transposed = true,
                       .lead = {2, 4}});
    }
  }
  cases.push_back({.name = "Bias", .rows = 3, .has_bias = true});
  cases.push_back({.name = "Weights", .rows = 3, .has_weights = true});
  cases.push_back({.name = "Transposed", .rows = 3, .transposed = true});
  cases.push_back({.name = "Scale", .rows = 3, .has_bias = true, .scale = 0.5F});
  cases.push_back({.name = "ThreeAxes", .rows = 3, .ignores = true, .lead = {2, 2, 2}});
  return cases;
}

/// A loss of rows of two numbers over three classes, in float32, with its statistics.
inline OneNode small_loss(const Tensor& hidden, const std::vector<std::int64_t>& labels,
                          Attributes attributes) {
  return {"LinearCrossEntropyLoss",
          {hidden, singles({2, 3}, {1, 0, -1, 0.5F, 2, 0}),
           integers({static_cast<std::int64_t>(labels.size())}, labels)},
          std::move(attributes),
          18,
          "com.microsoft",
          2};
}

}  // namespace stashscope::testing_run::loss_cases
