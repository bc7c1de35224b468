#include "core/passes/what_if/what_if.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/passes/what_if/attention_forms.h"
#include "core/passes/what_if/loss_forms.h"
#include "core/passes/what_if/micro_batches.h"
#include "core/passes/what_if/sparse/kept_tokens.h"
#include "core/passes/what_if/sparse_inputs.h"

namespace stashscope {

namespace {

const std::vector<WhatIf>& table() {
  static const std::vector<WhatIf> list = {
      {sparse_inputs_name,
       "Sparse inputs",
       "[DENSITY]",
       "operators that work on each token alone, without the tokens of padding",
       {"data"},
       sparse_density,
       choose_sparse_inputs,
       sparse_words,
       kept_tokens_dim},
      {"attention",
       "Attention",
       "decomposed|recomputed|efficient|flash",
       "the form in which attention is computed",
       {"flash", "efficient", "recomputed"},
       attention_form,
       choose_attention,
       attention_words},
      {"loss",
       "Loss",
       "whole|pieces[:ROWS]",
       "the product with the vocabulary and its loss, for some rows of scores at a time",
       {"pieces"},
       loss_form,
       choose_loss,
       loss_words},
      {micro_batches_name,
       "Micro-batches",
       "NUMBER",
       "the step as several steps of a smaller batch, whose gradients are added up",
       {"2", "4", "8"},
       micro_batch_count,
       nullptr,
       micro_batch_words},
  };
  return list;
}

}  // namespace

std::span<const WhatIf> what_ifs() { return table(); }

const WhatIf& find_what_if(const std::string& name) {
  std::vector<std::string> names;
  for (const WhatIf& each : table()) {
    if (each.name == name) return each;
    names.emplace_back(each.name);
  }
  fail_usage("what-if '" + printable(name) + "'", "does not exist",
             "choose among " + join(names, ", "));
}

void add_what_if(const std::string& name, const std::string& value, WhatIfChoices& choices) {
  choices.insert_or_assign(name, find_what_if(name).canonical(value));
}

void add_what_if(const std::string& text, WhatIfChoices& choices) {
  const std::size_t equals = text.find('=');
  add_what_if(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1),
              choices);
}

std::vector<std::string> texts_of(const WhatIfChoices& choices) {
  std::vector<std::string> texts;
  texts.reserve(choices.size());
  for (const auto& [name, value] : choices) {
    std::string text = name;
    texts.push_back(text.append("=").append(value));
  }
  return texts;
}

Graph apply_what_if(const Graph& graph, const WhatIf& what_if, const std::string& value,
                    const std::vector<ValueId>& trained, const std::vector<ValueId>& losses,
                    std::vector<WhatIfResult>& results) {
  Rewriter rewriter(graph, trained);
  WhatIfResult result{std::string(what_if.name), what_if.canonical(value)};
  what_if.apply(rewriter, losses, result);
  results.push_back(std::move(result));
  return rewriter.finish();
}

}  // namespace stashscope
