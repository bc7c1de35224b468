#include "core/report/reserved_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

std::string reserved_text(const Study& study, const Variant& variant,
                          const AllocatorSettings& settings) {
  const ReservedMemory memory = reserved_memory(study, variant, settings);
  const std::string set = to_string(settings);
  return "  reserved by PyTorch's allocator" + (set.empty() ? "" : " with " + set) + ": " +
         format_bytes(memory.reserved_bytes) + " (" + with_thousands(memory.reserved_bytes) +
         " B), " + format_bytes(memory.fragmentation_bytes) + " of it for no tensor of the peak\n";
}

void add_reserved(const Study& study, const Variant& variant, const AllocatorSettings& settings,
                  nlohmann::json& object) {
  const ReservedMemory memory = reserved_memory(study, variant, settings);
  object["reserved_bytes"] = memory.reserved_bytes;
  object["fragmentation_bytes"] = memory.fragmentation_bytes;
}

}  // namespace stashscope
