#include "core/recompute/reference.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

std::span<const ReferenceRules> references() {
  static constexpr std::array<ReferenceRules, 2> all = {{
      {.reference = Reference::release_1_19_2,
       .name = "1.19.2",
       .has_late_rows = true,
       .stashes_unread_in_forward = true,
       .ends_at_stashing_nodes = true,
       .frees_recomputed_owners = true,
       .reuses_in_place = true,
       .names_depth_first = true,
       .ignores_counts = true,
       .prints_products = true,
       .label_columns = 13,
       .lists_reshaped_inputs = true,
       .reads_config_file = true},
      {.reference = Reference::november_2023,
       .name = "2023.11",
       .has_late_rows = false,
       .stashes_unread_in_forward = false,
       .ends_at_stashing_nodes = false,
       .frees_recomputed_owners = false,
       .reuses_in_place = false,
       .names_depth_first = false,
       .ignores_counts = false,
       .prints_products = false,
       .label_columns = 14,
       .lists_reshaped_inputs = false,
       .reads_config_file = false},
  }};
  return all;
}

const ReferenceRules& rules_of(Reference reference) {
  return *std::ranges::find(references(), reference, &ReferenceRules::reference);
}

Reference parse_reference(const std::string& name) {
  const auto found = std::ranges::find(references(), name, &ReferenceRules::name);
  if (found != references().end()) return found->reference;
  std::vector<std::string> names;
  for (const ReferenceRules& each : references()) names.emplace_back(each.name);
  fail_usage("", "no rules of ONNX Runtime " + printable(name) + " are known",
             "choose one of " + join(names, ", "));
}

}  // namespace stashscope
