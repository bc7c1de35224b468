#include "core/study/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// Of either side.
constexpr std::size_t tensors_at_peak = 20;

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

/// `12.3 ms`, `1.2 s`
std::string seconds_text(double seconds) {
  return std::abs(seconds) < 1 ? format_fixed(1000 * seconds, 2) + " ms"
                               : format_fixed(seconds, 2) + " s";
}

std::string number_text(Quantity quantity, double number) {
  switch (quantity) {
    case Quantity::bytes:
      return format_bytes(std::llround(number));
    case Quantity::count:
      return with_thousands(std::llround(number));
    case Quantity::seconds:
      return seconds_text(number);
    case Quantity::percent:
      return format_fixed(number, 1) + " %";
    case Quantity::text:
      break;
  }
  return "";
}

std::string with_sign(Quantity quantity, double change) {
  return (change < 0 ? "−" : "+") + number_text(quantity, std::abs(change));
}

ComparedValue value_of(Quantity quantity, double number) {
  return {number_text(quantity, number), number};
}

/// Rows about both sides in the order in which they are added.
class Rows {
 public:
  void start(ComparisonGroup group) { group_ = group; }

  void add(const std::string& name, Quantity quantity, double left, double right) {
    rows_.push_back({group_, name, quantity, value_of(quantity, left), value_of(quantity, right)});
  }
  void add_bytes(const std::string& name, std::int64_t left, std::int64_t right) {
    add(name, Quantity::bytes, static_cast<double>(left), static_cast<double>(right));
  }
  void add_count(const std::string& name, std::size_t left, std::size_t right) {
    add(name, Quantity::count, static_cast<double>(left), static_cast<double>(right));
  }
  void add_text(const std::string& name, const std::string& left, const std::string& right) {
    rows_.push_back({group_, name, Quantity::text, {left, {}}, {right, {}}});
  }
  /// One row for each key of either side.
  void add_numbers(Quantity quantity, const std::map<std::string, std::int64_t>& left,
                   const std::map<std::string, std::int64_t>& right);
  void add_texts(const std::map<std::string, std::string>& left,
                 const std::map<std::string, std::string>& right);
  void sort_from(std::size_t first);

  std::size_t size() const { return rows_.size(); }
  std::vector<ComparisonRow> take() { return std::move(rows_); }

 private:
  ComparisonGroup group_ = ComparisonGroup::memory;
  std::vector<ComparisonRow> rows_;
};

template <class T>
std::vector<std::string> all_keys(const std::map<std::string, T>& left,
                                  const std::map<std::string, T>& right) {
  std::map<std::string, bool> keys;
  for (const auto* side : {&left, &right}) {
    for (const auto& [key, value] : *side) keys[key] = true;
  }
  std::vector<std::string> list;
  for (const auto& [key, known] : keys) list.push_back(key);
  return list;
}

void Rows::add_numbers(Quantity quantity, const std::map<std::string, std::int64_t>& left,
                       const std::map<std::string, std::int64_t>& right) {
  const auto side = [&](const std::map<std::string, std::int64_t>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? ComparedValue()
                                 : value_of(quantity, static_cast<double>(found->second));
  };
  for (const std::string& key : all_keys(left, right)) {
    rows_.push_back({group_, key, quantity, side(left, key), side(right, key)});
  }
}

void Rows::add_texts(const std::map<std::string, std::string>& left,
                     const std::map<std::string, std::string>& right) {
  const auto side = [](const std::map<std::string, std::string>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  };
  for (const std::string& key : all_keys(left, right))
    add_text(key, side(left, key), side(right, key));
}

/// Largest first.
void Rows::sort_from(std::size_t first) {
  const auto size = [](const ComparisonRow& row) {
    return std::max(row.left.number.value_or(0), row.right.number.value_or(0));
  };
  std::stable_sort(
      rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
      [&](const ComparisonRow& a, const ComparisonRow& b) { return size(a) > size(b); });
}

void add_memory(Rows& rows, const Study& left, const Study& right) {
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
  return "predicted for " + study.choices.profile.name;
}

void add_time(Rows& rows, const Study& left, const Study& right) {
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

std::map<std::string, std::int64_t> dimensions_of(const Study& study) {
  std::map<std::string, std::int64_t> dimensions;
  for (const Dimension& each : study.sizes->dims.dimensions) dimensions[each.name] = each.value;
  return dimensions;
}

void add_model(Rows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::model);
  rows.add_count("nodes in the file", left.model->data().nodes_in_file,
                 right.model->data().nodes_in_file);
  rows.add_count("forward nodes", static_cast<std::size_t>(left.prepared->forward_nodes),
                 static_cast<std::size_t>(right.prepared->forward_nodes));
  rows.add_count("backward nodes", static_cast<std::size_t>(left.prepared->backward_nodes),
                 static_cast<std::size_t>(right.prepared->backward_nodes));
  rows.add_count("steps with plans", left.current->timeline.order.size(),
                 right.current->timeline.order.size());
  rows.add_bytes("parameters", left.sizes->parameter_bytes, right.sizes->parameter_bytes);
  rows.add_count("trained parameters", trained_parameters(left), trained_parameters(right));
}

std::string yes_or_no(bool on) { return on ? "yes" : "no"; }

std::string or_none(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : join(texts, ", ");
}

std::string same_dims_text(const Choices& choices) {
  std::vector<std::string> texts;
  for (const auto& [name, other] : choices.same_dims) texts.push_back(name + " = " + other);
  return or_none(texts);
}

std::string apart_text(const FusionChoice& fusion) {
  std::vector<std::string> texts;
  for (const auto& [one, other] : fusion.apart) texts.push_back(one + " and " + other);
  return or_none(texts);
}

std::string moves_text(const Choices& choices) {
  std::vector<std::string> texts;
  for (const OrderMove& move : choices.moves) {
    texts.push_back(move.node + (move.before.empty() ? " to the end" : " before " + move.before));
  }
  return or_none(texts);
}

std::string link_text(const Choices& choices) {
  return choices.transfer_bandwidth ? format_number(*choices.transfer_bandwidth / 1e9) + " GB/s"
                                    : "of the profile";
}

/// What is chosen less often.
void add_details(Rows& rows, const Choices& a, const Choices& b) {
  rows.add_text("same dimensions", same_dims_text(a), same_dims_text(b));
  rows.add_text("loss", a.goal.loss.empty() ? "found" : a.goal.loss,
                b.goal.loss.empty() ? "found" : b.goal.loss);
  rows.add_text("trainable", or_none(a.goal.trainable), or_none(b.goal.trainable));
  rows.add_text("frozen", or_none(a.goal.frozen), or_none(b.goal.frozen));
  rows.add_text("moved nodes", moves_text(a), moves_text(b));
  rows.add_text("in no group", or_none({a.fusion.alone.begin(), a.fusion.alone.end()}),
                or_none({b.fusion.alone.begin(), b.fusion.alone.end()}));
  rows.add_text("never in one group", apart_text(a.fusion), apart_text(b.fusion));
  rows.add_text("compressed to", std::string(name_of(a.probe.compressed)),
                std::string(name_of(b.probe.compressed)));
  rows.add_text("link to the host", link_text(a), link_text(b));
}

void add_choices(Rows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::choices);
  rows.add_numbers(Quantity::count, dimensions_of(left), dimensions_of(right));
  const Choices& a = left.choices;
  const Choices& b = right.choices;
  const auto list = [](const std::set<std::string>& names) {
    return names.empty() ? std::string("none")
                         : join(std::vector<std::string>(names.begin(), names.end()), ", ");
  };
  const auto precision = [](const Choices& choices) {
    return choices.precision.empty() ? std::string("as in the model") : choices.precision;
  };
  rows.add_text("level", std::to_string(a.level), std::to_string(b.level));
  rows.add_text("probe", to_string(effective_probe(a)), to_string(effective_probe(b)));
  rows.add_text("kept in memory", list(a.kept), list(b.kept));
  rows.add_text("order", left.order, right.order);
  const auto planned = [](const Choices& choices) {
    return choices.planned.empty() ? std::string("none")
                                   : with_thousands(std::ssize(choices.planned.runs)) + " runs";
  };
  rows.add_text("planned sequence", planned(a), planned(b));
  rows.add_text("fusion", a.fusion.strategy, b.fusion.strategy);
  rows.add_text("optimizer", a.update.optimizer, b.update.optimizer);
  rows.add_text("master weights", yes_or_no(a.update.master_weights),
                yes_or_no(b.update.master_weights));
  rows.add_text("gradients released early", yes_or_no(a.update.release_gradients),
                yes_or_no(b.update.release_gradients));
  rows.add_text("passes", list(a.passes), list(b.passes));
  rows.add_text("precision", precision(a), precision(b));
  rows.add_text("device profile", a.profile.name, b.profile.name);
  rows.add_text("run on", a.device, b.device);
  add_details(rows, a, b);
}

/// How often the plans in force are carried out, by config.
std::map<std::string, std::string> plans_of(const Study& study) {
  std::map<std::string, std::string> plans;
  for (const auto* const list : {&study.plans, &study.extensions}) {
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
  for (const BufferId id : alive_at(variant.timeline, variant.timeline.peak_step)) {
    if (tensors.size() == limit) break;
    const Buffer& buffer = variant.timeline.buffers[id];
    tensors[name_of(study.graph(), variant.dataflow, buffer)] += buffer.bytes;
  }
  return tensors;
}

/// The largest of either side; what the other side has of them is looked for among all of its own.
void add_tensors(Rows& rows, const Study& left, const Study& right) {
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
  Rows rows;
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
