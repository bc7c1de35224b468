#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/rewriting/rewriter.h"
#include "core/passes/rewriting/what_if_stop.h"

namespace stashscope {

/// The what-ifs that are on: the value of each by its name.
using WhatIfChoices = std::map<std::string, std::string>;

/// What a what-if found in the model.
struct WhatIfResult {
  std::string name;
  std::string value;
  std::size_t found = 0;                 ///< places that have the chosen form after the change
  std::size_t changed = 0;               ///< places that had another form before
  std::vector<WhatIfStop> stopped_by{};  ///< places that keep their form
};

/// Another way to compute a step. It changes memory and time, but not the results; only
/// micro-batches may change the results of operators that combine samples.
struct WhatIf {
  std::string_view name;         ///< the name in options and files
  std::string_view title;        ///< the name in words
  std::string_view values;       ///< the values that it takes, as options write them
  std::string_view description;  ///< one clause
  /// The values that lists and planners try.
  std::vector<std::string_view> tried;
  /// The value as it is written in files. Throws a usage Error for a value that the what-if does
  /// not take.
  std::string (*canonical)(const std::string& value);
  /// Rewrites the model. Null: `prepare_training_step` carries out the what-if.
  /// @param losses the outputs from which the backward pass starts
  void (*apply)(Rewriter&, const std::vector<ValueId>& losses, WhatIfResult&);
  std::string (*words)(
      const std::string& value);  ///< the choice in words, such as `Flash attention`
  /// Prefix of the names of the data-dependent dims that the what-if adds; empty: it adds no dims.
  std::string_view added_dims = {};
};

/// All what-ifs, in the order in which they are applied.
std::span<const WhatIf> what_ifs();

/// Throws a usage Error with the list of names if no what-if is called `name`.
const WhatIf& find_what_if(const std::string& name);

/// Switches on a what-if, given by name and value, or as one text: NAME=VALUE, or NAME for an empty
/// value. Throws a usage Error for a name or a value that does not exist.
void add_what_if(const std::string& name, const std::string& value, WhatIfChoices& choices);
void add_what_if(const std::string& text, WhatIfChoices& choices);

/// The what-ifs as options write them: NAME=VALUE.
std::vector<std::string> texts_of(const WhatIfChoices& choices);

/// Applies a what-if that has an `apply`. Appends what it found to `results`.
/// @param graph a forward model with inferred shapes; the returned graph needs inference again
/// @param trained the values that training changes
/// @param losses the outputs from which the backward pass starts
Graph apply_what_if(const Graph& graph, const WhatIf& what_if, const std::string& value,
                    const std::vector<ValueId>& trained, const std::vector<ValueId>& losses,
                    std::vector<WhatIfResult>& results);

}  // namespace stashscope
