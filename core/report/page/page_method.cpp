#include "core/report/page/page_method.h"

#include "core/base/text.h"
#include "core/graph/captured_step.h"
#include "core/report/cost_report.h"
#include "core/report/versions.h"
#include "core/study/facts/plan_summary.h"

namespace stashscope {

namespace {

std::string paragraph(const std::string& text) { return "<p>" + text + "</p>\n"; }

std::string fact(const std::string& title, const std::string& html) {
  return html.empty() ? "" : "<dt>" + title + "</dt><dd>" + html + "</dd>\n";
}

std::string captured_memory_model() {
  return paragraph(
      "The step was captured from PyTorch, which reported when each storage was allocated and "
      "freed. A storage takes the allocated bytes from the start of the node that allocates it to "
      "the end of the last node before the storage is freed; tensors that share a storage count "
      "once. The peak is the largest sum of all storages alive while one node runs and of the "
      "memory that this node allocates and frees inside, if the capture states it. This sum does "
      "not include the rounding of an allocator and other scratch memory of libraries. If the time "
      "of a node was not measured, the time follows from the node's operations, its bytes and the "
      "device's data sheet.");
}

std::string memory_model(const Study& study) {
  if (study.graph().data().captured) return captured_memory_model();
  const bool releases = study.choices.update.release_gradients;
  return paragraph(
      "A tensor takes memory from the start of the node that makes it to the end of the last node "
      "that reads it. Parameters, constants, inputs and optimizer states take memory from the "
      "start "
      "of the step to its end; " +
      std::string(releases ? "the gradient of a parameter is freed when the parameter is updated. "
                           : "the gradients of parameters stay until the end of the step. ") +
      "A view shares the memory of the tensor that it shows, and an elementwise node writes into "
      "an input that no later node reads. The peak is the largest sum of all tensors alive while "
      "one node runs. This sum does not include the rounding of an allocator and the scratch "
      "memory of libraries. Bytes follow from the shapes in the model and the dimension sizes "
      "below. If the time of a node was not measured, the time follows from the node's "
      "operations, its bytes and the device's data sheet." +
      (study.current->copies.empty()
           ? ""
           : " The copies of offloaded tensors run beside the nodes; a tensor takes memory until "
             "its copy to the host ends, and again from the start of its copy back."));
}

std::string sizes_html(const Study& study) {
  std::vector<std::string> dims;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    dims.push_back("<code>" + xml_escaped(each.name) + "</code> = " + std::to_string(each.value) +
                   (each.assumed ? " (" + std::string(origin_of(each)) + ")" : ""));
  }
  return join(dims, ", ");
}

std::string model_html(const ReportInput& input) {
  const NodeCounts nodes = node_counts(input.study);
  return "<code>" + xml_escaped(input.model_path) + "</code>, " + with_thousands(nodes.forward) +
         " forward and " + with_thousands(nodes.backward) + " backward nodes, " +
         format_bytes(input.study.sizes->parameter_bytes) + " of parameters";
}

std::string optimizer_html(const Study& study) {
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured != nullptr && captured->has_optimizer()) return "as captured";
  const UpdateChoice& update = study.choices.update;
  return xml_escaped(update.optimizer) +
         (keeps_master_weights(update) ? ", float32 master weights" : "") +
         (update.release_gradients ? ", gradients released during backward" : "");
}

std::string passes_html(const GraphChoices& choices) {
  std::vector<std::string> names(choices.passes.begin(), choices.passes.end());
  if (choices.precision) names.push_back("precision " + precision_name(choices.precision));
  if (choices.gradient_type)
    names.push_back("gradients in " + precision_name(choices.gradient_type));
  std::ranges::move(texts_of(choices.what_ifs), std::back_inserter(names));
  return xml_escaped(join(names, ", "));
}

std::string order_html(const Study& study) {
  std::string text = choice_text(study.order, planned_order);
  if (!study.choices.order.moves.empty()) {
    text += ", " + counted(study.choices.order.moves.size(), "move", "moves") + " by hand";
  }
  const std::string fusion = choice_text(study.choices.fusion.strategy, no_fusion);
  return xml_escaped(text) + ", fused groups: " + xml_escaped(fusion);
}

/// The plans that are on, from the study, because the choices may name a level instead of plans.
std::string plans_html(const Study& study) {
  if (study.choices.plans.sequence) return xml_escaped(plan_text(study.choices));
  const std::string config = to_string(study.config);
  if (config.empty()) return "no plan is on";
  const int level = study.choices.plans.level;
  return "<code>" + xml_escaped(config) + "</code>" +
         (level > 0 ? " (level " + std::to_string(level) + ")" : "");
}

std::string versions_html() {
  std::string text = "Stashscope " STASHSCOPE_VERSION;
  for (const PartVersion& each : part_versions()) text += ", " + each.name + " " + each.version;
  return xml_escaped(text);
}

std::string warnings_html(const Study& study) {
  if (study.warnings.empty()) return "";
  std::string list = "<ul>\n";
  for (const std::string& each : study.warnings) list += "<li>" + xml_escaped(each) + "</li>\n";
  return list + "</ul>";
}

}  // namespace

std::string method_html(const ReportInput& input) {
  const Study& study = input.study;
  return memory_model(study) + "<dl>\n" + fact("Model", model_html(input)) +
         fact("Sizes", sizes_html(study)) + fact("Optimizer", optimizer_html(study)) +
         fact("Graph passes and what-ifs", passes_html(study.choices.graph)) +
         fact("Plans", plans_html(study)) + fact("Order", order_html(study)) +
         fact("Times", xml_escaped(times_source(study))) + fact("Notes", warnings_html(study)) +
         fact("Made by", versions_html()) +
         fact("Command",
              input.command.empty() ? "" : "<code>" + xml_escaped(input.command) + "</code>") +
         "</dl>\n";
}

}  // namespace stashscope
