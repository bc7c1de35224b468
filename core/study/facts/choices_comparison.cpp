#include "core/study/facts/choices_comparison.h"

#include <array>

#include "core/base/text.h"

namespace stashscope {

namespace {

std::map<std::string, ComparedValue> dimensions_of(const Study& study) {
  std::map<std::string, ComparedValue> dimensions;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    dimensions[each.name] = {
        with_thousands(each.value) + (each.assumed ? " " + std::string(origin_of(each)) : ""),
        static_cast<double>(each.value)};
  }
  return dimensions;
}

std::string yes_or_no(bool on) { return on ? "yes" : "no"; }

std::string or_none(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : join(texts, ", ");
}

std::string same_dims_text(const Choices& choices) {
  std::vector<std::string> texts;
  for (const auto& [name, other] : choices.graph.same_dims)
    texts.push_back(join({name, other}, " = "));
  return or_none(texts);
}

std::string apart_text(const Choices& choices) {
  std::vector<std::string> texts;
  for (const auto& [one, other] : choices.fusion.apart)
    texts.push_back(join({one, other}, " and "));
  return or_none(texts);
}

std::string moves_text(const Choices& choices) {
  std::vector<std::string> texts;
  for (const OrderMove& move : choices.order.moves) {
    texts.push_back(move.node + (move.before ? " before " + *move.before : " to the end"));
  }
  return or_none(texts);
}

std::string or_none(const std::set<std::string>& names) {
  return or_none(std::vector<std::string>(names.begin(), names.end()));
}

std::string or_else(const std::string& text, const char* other) {
  return text.empty() ? other : text;
}

std::string link_text(const Choices& choices) {
  return choices.times.transfer_bandwidth
             ? format_number(*choices.times.transfer_bandwidth / 1e9) + " GB/s"
             : "of the profile";
}

std::string memory_text(const Choices& choices) {
  return choices.times.device_memory ? format_bytes(*choices.times.device_memory)
                                     : "of the profile";
}

std::string host_text(const Choices& choices) {
  return choices.times.host_memory ? format_bytes(*choices.times.host_memory) : "without limit";
}

std::string reserve_text(const Choices& choices) {
  const double percent = choices.times.reserve_percent;
  return percent == 0 ? "none" : format_number(percent) + " %";
}

std::string allocator_text(const Choices& choices) {
  return choices.allocator ? or_else(*choices.allocator, "default settings") : "off";
}

std::string what_ifs_text(const Choices& choices) {
  const std::vector<std::string> texts = texts_of(choices.graph.what_ifs);
  return texts.empty() ? "none" : join(texts, ", ");
}

/// A choice that is compared as one text.
struct ChoiceText {
  const char* name;
  std::string (*text)(const Choices&);
};

constexpr std::array<ChoiceText, 30> choice_texts = {{
    {"level", [](const Choices& c) { return std::to_string(c.plans.level); }},
    {"plans of ONNX Runtime",
     [](const Choices& c) { return std::string(rules_of(c.plans.search.reference).name); }},
    {"probe", [](const Choices& c) { return to_string(effective_search_options(c.plans)); }},
    {"kept in memory", [](const Choices& c) { return or_none(c.plans.pinned); }},
    {"fusion", [](const Choices& c) { return choice_text(c.fusion.strategy, no_fusion); }},
    {"optimizer", [](const Choices& c) { return c.update.optimizer; }},
    {"master weights", [](const Choices& c) { return yes_or_no(c.update.master_weights); }},
    {"gradients released early",
     [](const Choices& c) { return yes_or_no(c.update.release_gradients); }},
    {"passes", [](const Choices& c) { return or_none(c.graph.passes); }},
    {"precision",
     [](const Choices& c) {
       return or_else(precision_name(c.graph.precision), "as in the model");
     }},
    {"what-ifs", [](const Choices& c) { return what_ifs_text(c); }},
    {"type of gradients",
     [](const Choices& c) {
       return or_else(precision_name(c.graph.gradient_type), "that of the parameter");
     }},
    {"device profile", [](const Choices& c) { return c.times.profile.name; }},
    {"run on", [](const Choices& c) { return choice_text(c.device, no_device); }},
    {"same dimensions", same_dims_text},
    {"loss", [](const Choices& c) { return or_else(c.graph.goal.loss, "found automatically"); }},
    {"trainable", [](const Choices& c) { return or_none(c.graph.goal.trainable); }},
    {"frozen", [](const Choices& c) { return or_none(c.graph.goal.frozen); }},
    {"moved nodes", moves_text},
    {"in no group", [](const Choices& c) { return or_none(c.fusion.alone); }},
    {"never in one group", apart_text},
    {"operators of newer versions",
     [](const Choices& c) { return yes_or_no(c.plans.search.newer_versions); }},
    {"also recomputable",
     [](const Choices& c) { return or_none(c.plans.search.also_recomputable); }},
    {"compressed to",
     [](const Choices& c) { return std::string(name_of(c.plans.search.compressed)); }},
    {"link to the host", link_text},
    {"copies overlap", [](const Choices& c) { return yes_or_no(c.plans.overlaps_copies); }},
    {"host memory", host_text},
    {"device memory", memory_text},
    {"device memory kept free", reserve_text},
    {"allocator", allocator_text},
}};

std::string planned_text(const std::optional<PlannedSequence>& planned) {
  return planned ? with_thousands(std::ssize(planned->runs)) + " runs" : "none";
}

void add_planned(ComparisonRows& rows, const std::optional<PlannedSequence>& a,
                 const std::optional<PlannedSequence>& b) {
  const std::string left = planned_text(a);
  const std::string right = planned_text(b);
  const bool others_of_the_same_count = left == right && a != b;
  rows.add_text("planned sequence", left,
                right + (others_of_the_same_count ? ", in another sequence" : ""));
}

using Figures = std::map<std::string, double>;

/// The figures that `others` lacks, or that have another value in `others`, as texts.
std::map<std::string, std::string> figures_beside(const Figures& figures, const Figures& others) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, figure] : figures) {
    const auto other = others.find(key);
    if (other != others.end() && other->second == figure) continue;
    texts["profile's " + key] = format_number(figure);
  }
  return texts;
}

/// Profiles with the same name may differ, because their files can be edited.
void add_figures(ComparisonRows& rows, const DeviceProfile& a, const DeviceProfile& b) {
  if (a.name != b.name || a == b) return;
  const auto left = profile_figures(a);
  const auto right = profile_figures(b);
  rows.add_texts(figures_beside(left, right), figures_beside(right, left));
}

}  // namespace

void add_choices(ComparisonRows& rows, const Study& left, const Study& right) {
  rows.start(ComparisonGroup::choices);
  rows.add_values(Quantity::count, dimensions_of(left), dimensions_of(right));
  rows.add_text("order", choice_text(left.order, planned_order),
                choice_text(right.order, planned_order));
  add_planned(rows, left.choices.plans.sequence, right.choices.plans.sequence);
  for (const auto& [name, text] : choice_texts) {
    rows.add_text(name, text(left.choices), text(right.choices));
  }
  add_figures(rows, left.choices.times.profile, right.choices.times.profile);
}

}  // namespace stashscope
