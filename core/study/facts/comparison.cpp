#include "core/study/facts/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/study/facts/choices_comparison.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"
#include "core/study/facts/tensor_homes.h"

namespace stashscope {

namespace {

constexpr std::size_t tensors_at_peak = 20;  // number of tensors listed for each side

struct GroupNames {
  std::string_view name;
  std::string_view title;
};
constexpr std::array<GroupNames, 6> group_names = {{{"memory", "Memory"},
                                                    {"time", "Time"},
                                                    {"model", "Model"},
                                                    {"choices", "Choices"},
                                                    {"plans", "Plans"},
                                                    {"tensors", "Alive at the peak"}}};

void add_memory(ComparisonRows& rows, const Study& left, const Study& right,
                const ReservedSides& reserved) {
  rows.start(ComparisonGroup::memory);
  rows.add_bytes("peak", left.current->timeline.peak_bytes, right.current->timeline.peak_bytes);
  if (reserved.left || reserved.right) {
    rows.add_either("reserved by the allocator", Quantity::bytes, reserved.left, reserved.right);
  }
  rows.add_bytes("peak without plans", left.baseline->timeline.peak_bytes,
                 right.baseline->timeline.peak_bytes);
  rows.add_text("node at the peak", peak_node(left, *left.current),
                peak_node(right, *right.current));
  const BandBytes left_bands = peak_bands(*left.current);
  const BandBytes right_bands = peak_bands(*right.current);
  for (std::size_t i = 0; i < band_count; ++i) {
    if (left_bands[i] == 0 && right_bands[i] == 0) continue;
    rows.add_bytes(std::string(title_of(static_cast<Band>(i))) + " at the peak", left_bands[i],
                   right_bands[i]);
  }
}

std::string source_of_times(const Study& study) {
  if (study.times->measured > 0) return "measured on " + study.times->measured_on;
  return "predicted for " + study.choices.times.profile.name;
}

void add_time(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::time);
  rows.add("step", Quantity::seconds, step_seconds(left, *left.current),
           step_seconds(right, *right.current));
  rows.add("step without plans", Quantity::seconds, step_seconds(left, *left.baseline),
           step_seconds(right, *right.baseline));
  rows.add("extra computation", Quantity::percent, extra_percent(left), extra_percent(right));
  rows.add("extra time", Quantity::percent, extra_seconds_percent(left),
           extra_seconds_percent(right));
  rows.add_text("times", source_of_times(left), source_of_times(right));
}

std::size_t trained_parameters(const Study& study) {
  const auto& parameters = study.prepared->step.parameters;
  return static_cast<std::size_t>(
      std::count_if(parameters.begin(), parameters.end(),
                    [](const Parameter& each) { return each.gradient.valid(); }));
}

void add_model(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::model);
  rows.add_count("nodes in the file", left.model->data().nodes_in_file,
                 right.model->data().nodes_in_file);
  const NodeCounts in_left = node_counts(left);
  const NodeCounts in_right = node_counts(right);
  rows.add_count("forward nodes", static_cast<std::size_t>(in_left.forward),
                 static_cast<std::size_t>(in_right.forward));
  rows.add_count("backward nodes", static_cast<std::size_t>(in_left.backward),
                 static_cast<std::size_t>(in_right.backward));
  rows.add_count("slots of the step with plans", left.current->timeline.order.size(),
                 right.current->timeline.order.size());
  rows.add_bytes("parameters", left.sizes->parameter_bytes, right.sizes->parameter_bytes);
  rows.add_count("trained parameters", trained_parameters(left), trained_parameters(right));
}

/// For each plan that is on, the number of occurrences that are carried out, by config.
std::map<std::string, std::string> plans_of(const Study& study) {
  std::map<std::string, std::string> plans;
  for (const auto* const list : {&study.plan_table->plans, &study.plan_table->extensions}) {
    for (const PlanRow& row : *list) {
      if (!row.on) continue;
      plans[row.config] = std::to_string(row.applied) + " of " + std::to_string(row.frequency);
    }
  }
  return plans;
}

/// The plans in words, by config. A plan that is on both sides has the words of the left side.
std::map<std::string, std::string> words_of_plans(const Study& left, const Study& right) {
  std::map<std::string, std::string> words;
  for (const Study* const study : {&left, &right}) {
    const std::vector<std::string> names = plan_names(*study);
    for (std::size_t row = 0; row < names.size(); ++row) {
      words.emplace(plan_row(*study, row).config, names[row]);
    }
  }
  return words;
}

void add_plans(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::plans);
  const std::size_t first = rows.size();
  rows.add_texts(plans_of(left), plans_of(right));
  rows.name_in_words(first, words_of_plans(left, right));
}

bool is_captured(const Study& study) { return study.graph().data().captured != nullptr; }

/// Names the tensors of a study so that equal tensors of two studies have equal names.
class TensorNames {
 public:
  /// @param by_place whether `key` identifies a tensor by the node that makes the tensor. A node is
  /// identified by its module, its operator, and its number among the nodes with the same module
  /// and operator.
  TensorNames(const Study& study, bool by_place) : study_(study) {
    if (by_place) find_places();
  }

  std::string name(const Buffer& buffer) const {
    return name_of(study_.graph(), study_.current->dataflow, buffer);
  }

  /// A name that two captures of a step share. A tensor that no node makes keeps its own name.
  std::string key(const Buffer& buffer) const {
    const Dataflow& dataflow = study_.current->dataflow;
    const ValueId value = dataflow.origin(buffer.root);
    const NodeId maker = study_.graph().topology().producer[value];
    if (places_.empty() || !maker.valid() || buffer.state) return name(buffer);
    const bool is_again = value != buffer.root;
    return places_[maker] + (is_again ? " again" : "") + output_text(maker, value);
  }

 private:
  void find_places() {
    const TensorHomes homes = tensor_homes(study_, *study_.current);
    std::map<std::string, int> seen;
    for (const NodeId id : IdRange<NodeId>(study_.graph().nodes().size())) {
      const std::string place =
          join(homes.modules.scope[id], ".") + " " + study_.graph().node(id).op_type;
      places_.push_back(place + " " + std::to_string(seen[place]++));
    }
  }

  std::string output_text(NodeId maker, ValueId value) const {
    const auto& outputs = study_.graph().node(maker).outputs;
    const auto found = std::find(outputs.begin(), outputs.end(), value);
    return " output " + std::to_string(found - outputs.begin());
  }

  const Study& study_;
  IdVector<NodeId, std::string> places_;
};

/// A tensor that is alive at the peak, or several such tensors with the same key.
struct NamedBytes {
  std::string name;
  std::int64_t bytes = 0;
};
using AliveByKey = std::map<std::string, NamedBytes>;

AliveByKey largest_alive(const Study& study, const TensorNames& names, std::size_t limit) {
  AliveByKey tensors;
  const Variant& variant = *study.current;
  if (variant.timeline.order.empty()) return tensors;
  for (const BufferId id : alive_at(variant.timeline, variant.timeline.peak_slot)) {
    if (tensors.size() == limit) break;
    const Buffer& buffer = variant.timeline.buffers[id];
    NamedBytes& tensor = tensors[names.key(buffer)];
    tensor.name = names.name(buffer);
    tensor.bytes += buffer.bytes;
  }
  return tensors;
}

std::optional<std::int64_t> bytes_in(const AliveByKey& tensors, const std::string& key) {
  const auto found = tensors.find(key);
  return found == tensors.end() ? std::nullopt : std::optional(found->second.bytes);
}

/// The name of a tensor, or both names if the tensor has different names on the two sides.
std::string name_in(const AliveByKey& left, const AliveByKey& right, const std::string& key) {
  const auto a = left.find(key);
  const auto b = right.find(key);
  if (a == left.end()) return b->second.name;
  const bool is_same = b == right.end() || a->second.name == b->second.name;
  return is_same ? a->second.name : a->second.name + " / " + b->second.name;
}

/// Adds the largest tensors of each side. A tensor's bytes on the other side are shown even if the
/// tensor is not among the largest tensors of the other side.
void add_tensors(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::tensors);
  const bool by_place = is_captured(left) && is_captured(right);
  const TensorNames left_names(left, by_place);
  const TensorNames right_names(right, by_place);
  const std::size_t all = static_cast<std::size_t>(-1);
  const AliveByKey left_all = largest_alive(left, left_names, all);
  const AliveByKey right_all = largest_alive(right, right_names, all);
  AliveByKey shown = largest_alive(left, left_names, tensors_at_peak);
  shown.merge(largest_alive(right, right_names, tensors_at_peak));
  const std::size_t first = rows.size();
  for (const auto& [key, tensor] : shown) {
    rows.add_either(name_in(left_all, right_all, key), Quantity::bytes, bytes_in(left_all, key),
                    bytes_in(right_all, key));
  }
  rows.sort_from(first);
}

}  // namespace

std::string_view name_of(ComparisonGroup group) {
  return group_names[static_cast<std::size_t>(group)].name;
}

std::string_view title_of(ComparisonGroup group) {
  return group_names[static_cast<std::size_t>(group)].title;
}

std::string ComparisonRow::difference() const {
  if (!left.number || !right.number || left.number == right.number) return "";
  const double change = *right.number - *left.number;
  std::string text = with_sign(quantity, change);
  if (quantity == Quantity::percent || *left.number == 0) return text;
  const double percent = 100 * change / *left.number;
  return text + " (" + with_sign(Quantity::percent, percent) + ")";
}

std::vector<ComparisonRow> compare(const Study& left, const Study& right,
                                   const ReservedSides& reserved) {
  ComparisonRows rows;
  add_memory(rows, left, right, reserved);
  add_time(rows, left, right);
  add_model(rows, left, right);
  add_choices(rows, left, right);
  add_plans(rows, left, right);
  add_tensors(rows, left, right);
  return rows.take();
}

SizeChoices sizes_that_differ(const Study& left, const Study& right) {
  SizeChoices sizes;
  for (const Dimension& here : left.sizes->dims.dimensions) {
    for (const Dimension& there : right.sizes->dims.dimensions) {
      if (here.name == there.name && here.value != there.value) sizes[here.name] = here.value;
    }
  }
  return sizes;
}

}  // namespace stashscope
