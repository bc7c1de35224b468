#include "core/study/exports/csv_tables.h"

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/step_tensors.h"
#include "core/study/facts/tensor_homes.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

std::string slot_csv(const Study& study, const std::optional<AllocatorSettings>& allocator) {
  const Variant& variant = *study.current;
  std::vector<std::int64_t> reserved;
  if (allocator) reserved = reserved_memory(study, variant, *allocator).by_slot;
  std::vector<std::string> fields = {"slot", "node", "live"};
  if (allocator) fields.emplace_back("reserved");
  std::string table = csv_record(fields);
  for (std::size_t slot = 0; slot < variant.timeline.order.size(); ++slot) {
    fields = {std::to_string(slot + 1),
              shown_name(study.graph(), variant.dataflow, variant.timeline.order[slot]),
              std::to_string(variant.timeline.live_bytes[slot])};
    if (allocator) fields.push_back(std::to_string(reserved[slot]));
    table += csv_record(fields);
  }
  return table;
}

std::string tensor_csv(const Study& study) {
  const Variant& variant = *study.current;
  const TensorHomes homes = tensor_homes(study, variant);
  std::string table = csv_record({"name", "bytes", "first_slot", "last_slot", "role", "module"});
  for (const BufferId id : step_tensors(study).largest_first) {
    const Buffer& buffer = variant.timeline.buffers[id];
    const NodeId home = homes.node[id];
    table += csv_record(
        {name_of(study.graph(), variant.dataflow, buffer), std::to_string(buffer.bytes),
         std::to_string(buffer.first_slot + std::size_t{1}),
         std::to_string(buffer.last_slot + std::size_t{1}), std::string(name_of(homes.band[id])),
         home.valid() ? join(homes.modules.scope[home], ".") : ""});
  }
  return table;
}

}  // namespace stashscope
