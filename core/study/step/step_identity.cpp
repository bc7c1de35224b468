#include "core/study/step/step_identity.h"

#include "core/base/fnv_hash.h"

namespace stashscope {

namespace {

/// Hashes whole words, so that the result equals the fingerprint in existing measurement files.
std::uint64_t fingerprint(const Variant& variant) {
  FnvHash hash;
  for (const NodeId node : variant.timeline.order) hash.add_word(node.index());
  for (const std::int64_t bytes : variant.timeline.live_bytes) {
    hash.add_word(static_cast<std::uint64_t>(bytes));
  }
  return hash.value();
}

}  // namespace

StepIdentity identity_of(const Study& study) {
  return {study.prepared->fingerprint, fingerprint(*study.baseline), fingerprint(*study.current)};
}

std::string to_string(const StepIdentity& step) {
  return std::to_string(step.graph) + " " + std::to_string(step.baseline) + " " +
         std::to_string(step.current);
}

}  // namespace stashscope
