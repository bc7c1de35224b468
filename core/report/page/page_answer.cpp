#include "core/report/page/page_answer.h"

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/budget_report.h"
#include "core/report/cost_report.h"
#include "core/report/pool_report.h"
#include "core/report/reserved_report.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

namespace {

constexpr std::size_t listed_bands = 3;

std::string strong(const std::string& text) { return "<strong>" + text + "</strong>"; }

std::string quoted(const std::string& name) { return "<code>" + xml_escaped(name) + "</code>"; }

std::string strong_bytes(std::int64_t bytes) {
  return "<strong title=\"" + with_thousands(bytes) + " B\">" + format_bytes(bytes) + "</strong>";
}

std::string percent_of(double part, double whole) {
  return format_fixed(whole == 0 ? 0 : 100 * part / whole, 1) + " %";
}

std::string percent_of(std::int64_t part, std::int64_t whole) {
  return percent_of(static_cast<double>(part), static_cast<double>(whole));
}

bool is_file_order(const Study& study) {
  return study.order == Choices().order.strategy && study.choices.order.moves.empty() &&
         !study.choices.fusion.strategy;
}

/// The peak of later steps; empty unless the captured step makes the states of its optimizer.
std::string later_sentence(const Study& study) {
  const LaterSteps later = later_steps(study, *study.current);
  if (later.state_bytes == 0) return "";
  return " Later steps need " + strong_bytes(later.peak_bytes) + ": the " +
         format_bytes(later.state_bytes) +
         " of optimizer states that this step makes are live there from the first node on.";
}

std::string device_clause(const DeviceMemory& device) {
  return " With memory outside tensors, the step takes " +
         range_text(device.low_bytes, device.high_bytes) + " of the device.";
}

/// What a pool of CUDA reserves for the step; empty if the input has no pool.
Sentence pool_sentence(const ReportInput& input) {
  if (!input.pool) return "";
  const Study& study = input.study;
  const PoolReserve reserve = pool_reserve(study, *study.current, *input.pool, input.others);
  const std::string text = to_string(reserve.settings);
  return "A stream-ordered pool of CUDA " + (text.empty() ? "" : "with " + quoted(text) + " ") +
         "reserves " + strong(range_text(reserve.memory.low_bytes, reserve.memory.high_bytes)) +
         " for the step. This is an estimate, because not all rules of the pool are published." +
         device_clause(reserve.device);
}

/// What the chosen allocator reserves for the step; empty if none is chosen.
Sentence reserved_sentence(const ReportInput& input) {
  const auto reserve = chosen_reserve(input.study, *input.study.current, input.others);
  if (!reserve) return "";
  const std::string text = to_string(reserve->settings);
  return "PyTorch's allocator " + (text.empty() ? "" : "with " + quoted(text) + " ") + "reserves " +
         strong_bytes(reserve->memory.reserved_bytes) + " for the step, " +
         format_bytes(reserve->memory.fragmentation_bytes) + " more than the tensors at the peak." +
         device_clause(reserve->device);
}

Sentence peak_sentence(const Study& study) {
  const std::int64_t before = study.baseline->timeline.peak_bytes;
  const std::int64_t after = study.current->timeline.peak_bytes;
  std::string text = "The step needs " + strong_bytes(after) + " at its peak";
  if (before == after) {
    const bool has_plans = !study.applied.empty() || study.choices.plans.sequence;
    text += has_plans ? ", as much as without the plans" : "";
  } else {
    text += std::string(after < before ? ", " : "; ") + format_bytes(std::abs(before - after)) +
            " (" + percent_of(std::abs(before - after), before) + ") " +
            (after < before ? "less" : "more") + " than the " + format_bytes(before) +
            " without plans" + (is_file_order(study) ? "" : " and in the order of the file");
  }
  return text + unknown_sizes_clause(study) + "." + later_sentence(study);
}

Sentence fit_sentence(const Study& study) {
  const DeviceProfile device = profile_in_force(study.choices.times);
  if (device.memory_bytes <= 0) return "";
  const double reserve = study.choices.times.reserve_percent;
  const std::string kept = reserve == 0 ? "" : ", " + format_number(reserve) + " % kept free";
  const std::string name =
      xml_escaped(device.name) + " (" + format_bytes(device.memory_bytes) + kept + ")";
  const std::int64_t left = device.memory_bytes - later_steps(study, *study.current).peak_bytes;
  if (left >= 0)
    return "The step " + strong("fits") + " " + name + "; " + format_bytes(left) + " stay free.";
  return "The step does " + strong("not fit") + " " + name + ": " + format_bytes(-left) +
         " too much.";
}

Sentence time_sentence(const Study& study) {
  std::string text = "A step takes " + format_seconds(step_seconds(study, *study.current));
  const double extra = extra_seconds(study);
  if (extra != 0) {
    text += ", " + strong(format_seconds(std::abs(extra))) + " (" +
            format_fixed(std::abs(extra_seconds_percent(study)), 1) + " %) " +
            (extra > 0 ? "more" : "less") + " than without plans";
  }
  return text + ", " + xml_escaped(times_source(study)) + ".";
}

std::string part_of_step(const Variant& variant, std::size_t slot) {
  if (slot >= variant.update_slot) return "update of the parameters";
  return slot < variant.forward_slots ? "forward pass" : "backward pass";
}

Sentence moment_sentence(const Study& study) {
  const Variant& variant = *study.current;
  if (variant.timeline.order.empty()) return "";
  const std::size_t slot = variant.timeline.peak_slot;
  return "The peak is reached while " + quoted(peak_node(study, variant)) + " runs, slot " +
         with_thousands(static_cast<std::int64_t>(slot + 1)) + " of " +
         with_thousands(static_cast<std::int64_t>(variant.timeline.order.size())) + ", in the " +
         part_of_step(variant, slot) + ".";
}

Sentence bands_sentence(const Study& study) {
  const BandBytes bands = peak_bands(*study.current);
  std::vector<std::size_t> largest(band_count);
  std::iota(largest.begin(), largest.end(), std::size_t{0});
  std::ranges::stable_sort(largest, std::greater(), [&](std::size_t band) { return bands[band]; });
  std::vector<std::string> parts;
  for (const std::size_t band : largest) {
    if (bands[band] <= 0 || parts.size() == listed_bands) break;
    parts.push_back(std::string(title_of(static_cast<Band>(band))) + " with " +
                    format_bytes(bands[band]) + " (" +
                    percent_of(bands[band], study.current->timeline.peak_bytes) + ")");
  }
  return parts.empty() ? "" : "The largest uses are " + join(parts, ", ") + ".";
}

std::string module_bytes(const Study& study, const ModuleMemory& module) {
  return strong_bytes(module.peak_bytes) + " (" +
         percent_of(module.peak_bytes, study.current->timeline.peak_bytes) + ")";
}

/// Names the row of the table of modules that holds the most memory. A row may stand for the rest
/// of a module: the tensors that inner modules with rows of their own do not hold. In this case,
/// the sentence also names the whole module that holds the most memory.
Sentence module_sentence(const Study& study, const std::vector<ModuleMemory>& modules) {
  if (modules.empty() || modules.front().peak_bytes == 0) return "";
  const ModuleMemory& most = modules.front();
  std::string text =
      "Of all modules, " + quoted(most.module) +
      (most.is_rest ? ", without its inner modules that have rows of their own," : "") +
      " holds the most memory: " + module_bytes(study, most);
  const auto whole = std::ranges::find(modules, false, &ModuleMemory::is_rest);
  if (most.is_rest && whole != modules.end() && whole->peak_bytes > 0) {
    text += ". Of the whole modules, " + quoted(whole->module) +
            " holds the most memory: " + module_bytes(study, *whole);
  }
  return text + ".";
}

/// @param names see `plan_names`
Sentence move_sentence(const Study& study, const std::vector<std::string>& names,
                       const NextMove& move) {
  const double seconds = move.seconds_change;
  const bool is_row = option_of(move).empty();
  const std::string what = is_row ? "Recompute " + xml_escaped(names[move.row]) : title_of(move);
  const std::string option = is_row ? plan_row(study, move.row).config : option_of(move);
  return what + ": " + strong(format_bytes(-move.peak_change)) + " less at the peak for " +
         format_seconds(std::abs(seconds)) + (seconds < 0 ? " less" : " more") + " time (" +
         percent_of(std::abs(seconds), step_seconds(study, *study.current)) + "), " +
         quoted(option) + ".";
}

}  // namespace

std::vector<Sentence> answer_sentences(const ReportInput& input,
                                       const std::vector<ModuleMemory>& modules) {
  const Study& study = input.study;
  std::vector<Sentence> sentences = {peak_sentence(study),  reserved_sentence(input),
                                     pool_sentence(input),  fit_sentence(study),
                                     time_sentence(study),  moment_sentence(study),
                                     bands_sentence(study), module_sentence(study, modules)};
  if (input.planned.budget) {
    sentences.push_back(xml_escaped(host_sentence(study, *input.planned.budget)));
  }
  if (input.planned.budget && input.planned.budget->joint != nullptr) {
    for (const ExplainedChoice& each : input.planned.budget->joint->explanation) {
      sentences.push_back(xml_escaped(each.sentence));
    }
  }
  std::erase(sentences, "");
  return sentences;
}

std::vector<Sentence> move_sentences(const ReportInput& input) {
  const std::vector<std::string> names = plan_names(input.study);
  std::vector<Sentence> sentences;
  for (const NextMove& move : *input.moves) {
    sentences.push_back(move_sentence(input.study, names, move));
  }
  const bool has_passes = input.tried_moves.passes > 0;
  if (sentences.empty()) {
    sentences.push_back(
        has_passes
            ? "None of the tried recompute plans, graph passes and what-ifs lowers the peak by "
              "itself."
            : "None of the tried recompute plans lowers the peak by itself.");
  }
  const auto off = static_cast<std::size_t>(
      std::ranges::count(input.study.plan_table->plans, false, &PlanRow::on));
  if (off > input.tried_moves.rows) {
    sentences.push_back("The search tried " + std::to_string(input.tried_moves.rows) + " of the " +
                        std::to_string(off) +
                        " recompute plans that are off, starting with the plans that free the most "
                        "memory.");
  }
  if (!has_passes) {
    sentences.push_back(
        "No graph pass and no what-if was tried, because that takes long for a large model.");
  }
  return sentences;
}

}  // namespace stashscope
