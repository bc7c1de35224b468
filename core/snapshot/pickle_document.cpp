#include "core/snapshot/pickle_document.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace stashscope {

namespace {

constexpr std::size_t deepest = 64;

/// Visits the values below the root without recursion.
class NestingCheck {
 public:
  explicit NestingCheck(const PickleDocument& document)
      : document_(document), heights_(document.size(), unknown) {}

  void run(PickleId root) {
    enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::vector<PickleId>& items = document_.items(step.value);
      if (step.next == items.size()) {
        leave();
      } else {
        enter(items[step.next++]);
      }
    }
  }

 private:
  struct Step {
    PickleId value;
    std::size_t next = 0;
    std::uint8_t height = 0;
  };
  static constexpr std::uint8_t unknown = 255;
  static constexpr std::uint8_t open = 254;

  void enter(PickleId value) {
    if (!document_.is_container(value)) return;
    const std::uint8_t height = heights_[value.index()];
    if (height == open) fail_nesting("has a list or dict that contains itself");
    if (height == unknown) {
      path_.push_back({value});
      heights_[value.index()] = open;
    } else {
      add_height(height);
    }
    check_depth();
  }

  void leave() {
    const std::uint8_t height = path_.back().height;
    heights_[path_.back().value.index()] = height;
    path_.pop_back();
    add_height(height);
    check_depth();
  }

  void add_height(std::uint8_t below) {
    if (path_.empty()) return;
    path_.back().height = std::max(path_.back().height, static_cast<std::uint8_t>(below + 1));
  }

  void check_depth() const {
    const std::size_t below = path_.empty() ? 0 : path_.back().height;
    if (path_.size() + below > deepest) fail_nesting("has lists or dicts nested too deeply");
  }

  [[noreturn]] static void fail_nesting(const char* why) {
    fail_input("", why, "give a snapshot of torch.cuda.memory._dump_snapshot");
  }

  const PickleDocument& document_;
  std::vector<std::uint8_t> heights_;  ///< levels of nesting inside each value; or unknown, open
  std::vector<Step> path_;
};

}  // namespace

PickleDocument::PickleDocument(MemoryBudget& budget) : budget_(&budget) {
  add({});
  add({PickleKind::boolean, 0});
  add({PickleKind::boolean, 1});
}

PickleId PickleDocument::add(Value value) {
  budget_->take(sizeof(Value) + 1);  // a byte for the check of the nesting
  values_.push_back(value);
  return PickleId(values_.size() - 1);
}

PickleId PickleDocument::add_integer(std::int64_t value) {
  return add({PickleKind::integer, value});
}

PickleId PickleDocument::add_real(double value) {
  return add({PickleKind::real, std::bit_cast<std::int64_t>(value)});
}

PickleId PickleDocument::add_string(PickleKind kind, std::string_view text) {
  if (kind == PickleKind::text) {
    if (const PickleId known = find_text(text); known.valid()) return known;
  }
  // For each different text, the budget is charged these bytes in addition to the text's own. A
  // snapshot has few different texts. The high charge also limits the time for a file with many.
  constexpr std::size_t overhead = 800;
  budget_->take(text.size() + overhead);
  texts_.emplace_back(text);
  const PickleId id = add({kind, static_cast<std::int64_t>(texts_.size() - 1)});
  if (kind == PickleKind::text) known_texts_.emplace(texts_.back(), id);
  return id;
}

PickleId PickleDocument::add_container(PickleKind kind) {
  budget_->take(sizeof(decltype(containers_)::value_type) + 2 * sizeof(void*));
  containers_.emplace_back();
  return add({kind, static_cast<std::int64_t>(containers_.size() - 1)});
}

void PickleDocument::append(PickleId container, PickleId item) {
  std::vector<PickleId>& items =
      containers_[static_cast<std::size_t>(values_[container.index()].integer)];
  if (items.size() == items.capacity()) {
    const std::size_t room = std::max<std::size_t>(2, 2 * items.capacity());
    budget_->take((room - items.capacity()) * sizeof(PickleId));
    items.reserve(room);
  }
  items.push_back(item);
}

double PickleDocument::real(PickleId id) const {
  return std::bit_cast<double>(values_[id.index()].integer);
}

const std::string& PickleDocument::text(PickleId id) const {
  return texts_[static_cast<std::size_t>(values_[id.index()].integer)];
}

const std::vector<PickleId>& PickleDocument::items(PickleId id) const {
  return containers_[static_cast<std::size_t>(values_[id.index()].integer)];
}

PickleId PickleDocument::find_text(std::string_view text) const {
  const auto found = known_texts_.find(text);
  return found == known_texts_.end() ? PickleId() : found->second;
}

void check_nesting(const PickleDocument& document) { NestingCheck(document).run(document.root); }

}  // namespace stashscope
