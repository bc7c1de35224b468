#include "core/snapshot/snapshot_fields.h"

#include "core/base/error.h"

namespace stashscope {

namespace {

/// Limit on the fields of a dict, which is searched field by field. PyTorch's dicts have at most
/// 13.
constexpr std::size_t most_fields = 100;
constexpr std::int64_t largest_size = std::int64_t{1} << 61;  // two of them can be added

const char* name_of(PickleKind kind) { return kind == PickleKind::dict ? "a dict" : "a text"; }

}  // namespace

void fail_field(const char* name, const char* why) {
  fail_input("", std::string("the field '") + name + "' " + why,
             "give a snapshot of torch.cuda.memory._dump_snapshot");
}

PickleId SnapshotFields::find(PickleId dict, PickleId key) const {
  if (!key.valid()) return {};
  const std::vector<PickleId>& items = document_.items(dict);
  if (items.size() > 2 * most_fields) {
    fail_input("",
               "has a dict with " + std::to_string(items.size() / 2) + " fields, more than " +
                   std::to_string(most_fields),
               "give a snapshot of torch.cuda.memory._dump_snapshot");
  }
  for (std::size_t at = items.size(); at >= 2; at -= 2) {
    if (items[at - 2] == key) return items[at - 1];
  }
  return {};
}

std::int64_t SnapshotFields::number(PickleId dict, PickleId key, const char* name,
                                    std::int64_t otherwise) const {
  const PickleId value = find(dict, key);
  if (!value.valid() || document_.kind(value) == PickleKind::none) return otherwise;
  if (document_.kind(value) != PickleKind::integer) fail_field(name, "is not a whole number");
  return document_.integer(value);
}

std::int64_t SnapshotFields::size(PickleId dict, PickleId key, const char* name,
                                  std::int64_t otherwise) const {
  const std::int64_t size = number(dict, key, name, otherwise);
  if (size != otherwise && (size < 0 || size > largest_size)) fail_field(name, "is out of range");
  return size;
}

std::int64_t SnapshotFields::size(PickleId dict, PickleId key, const char* name) const {
  const std::int64_t size = this->size(dict, key, name, -1);
  if (size < 0) fail_field(name, "is missing");
  return size;
}

void SnapshotFields::require(PickleId value, PickleKind kind, const char* what) const {
  if (value.valid() && document_.kind(value) == kind) return;
  fail_input("", std::string(what) + " is not " + name_of(kind),
             "give a snapshot of torch.cuda.memory._dump_snapshot");
}

const std::vector<PickleId>& SnapshotFields::list(PickleId value, const char* what) const {
  const bool is_list = value.valid() && (document_.kind(value) == PickleKind::list ||
                                         document_.kind(value) == PickleKind::tuple);
  if (!is_list) {
    fail_input("", std::string(what) + " is not a list",
               "give a snapshot of torch.cuda.memory._dump_snapshot");
  }
  return document_.items(value);
}

}  // namespace stashscope
