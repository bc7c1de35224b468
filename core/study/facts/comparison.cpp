#include "core/study/facts/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/study/facts/choices_comparison.h"

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

void add_memory(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::memory);
  rows.add_bytes("peak", left.current->timeline.peak_bytes, right.current->timeline.peak_bytes);
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

/// How often the plans in force are carried out, by config.
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

std::map<std::string, std::int64_t> largest_alive(const Study& study, std::size_t limit) {
  std::map<std::string, std::int64_t> tensors;
  const Variant& variant = *study.current;
  if (variant.timeline.order.empty()) return tensors;
  for (const BufferId id : alive_at(variant.timeline, variant.timeline.peak_slot)) {
    if (tensors.size() == limit) break;
    const Buffer& buffer = variant.timeline.buffers[id];
    tensors[name_of(study.graph(), variant.dataflow, buffer)] += buffer.bytes;
  }
  return tensors;
}

/// Adds the largest tensors of each side. A tensor's bytes on the other side are shown even if the
/// tensor is not among the largest tensors of the other side.
void add_tensors(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::tensors);
  const std::size_t all = static_cast<std::size_t>(-1);
  const auto left_all = largest_alive(left, all);
  const auto right_all = largest_alive(right, all);
  std::map<std::string, std::int64_t> left_shown;
  std::map<std::string, std::int64_t> right_shown;
  for (const auto& largest :
       {largest_alive(left, tensors_at_peak), largest_alive(right, tensors_at_peak)}) {
    for (const auto& [name, bytes] : largest) {
      if (left_all.contains(name)) left_shown[name] = left_all.at(name);
      if (right_all.contains(name)) right_shown[name] = right_all.at(name);
    }
  }
  const std::size_t first = rows.size();
  rows.add_numbers(Quantity::bytes, left_shown, right_shown);
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

std::vector<ComparisonRow> compare(const Study& left, const Study& right) {
  ComparisonRows rows;
  add_memory(rows, left, right);
  add_time(rows, left, right);
  add_model(rows, left, right);
  add_choices(rows, left, right);
  rows.start(ComparisonGroup::plans);
  rows.add_texts(plans_of(left), plans_of(right));
  add_tensors(rows, left, right);
  return rows.take();
}

}  // namespace stashscope
