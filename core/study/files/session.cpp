#include "core/study/files/session.h"

#include <nlohmann/json.hpp>

#include "core/allocator/allocator_settings.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/measurement/device_name.h"
#include "core/study/files/json_fields.h"
#include "core/study/files/json_texts.h"
#include "core/study/files/measurement_json.h"
#include "core/study/step/strategy_names.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;
using json_fields::fail_field;
using json_fields::read;
using nlohmann::json;

constexpr json_fields::Format format = {"stashscope_session", 1, "session file",
                                        "open an ONNX model or a saved session"};

json to_json(const RecomputeConfig& config) {
  json list = json::array();
  for (const auto& [cluster, choice] : config) list.push_back(to_string(cluster, choice));
  return list;
}

template <class Number>
json number_or_null(const std::optional<Number>& number) {
  return number ? json(*number) : json();
}

json to_json(const std::optional<PlannedSequence>& planned) {
  if (!planned) return {};
  return {{"graph", planned->graph}, {"runs", planned->runs}};
}

json to_json(const std::vector<OrderMove>& moves) {
  json list = json::array();
  for (const auto& [node, before] : moves) list.push_back({node, before.value_or("")});
  return list;
}

json to_json(const Choices& choices) {
  return {{"dims", choices.dims},
          {"same_dims", choices.graph.same_dims},
          {"plans", to_json(choices.plans.config)},
          {"kept", choices.plans.pinned},
          {"level", choices.plans.level},
          {"reference", rules_of(choices.plans.search.reference).name},
          {"probe", to_string(choices.plans.search)},
          {"planned", to_json(choices.plans.sequence)},
          {"overlap_transfers", choices.plans.overlaps_copies},
          {"order", choice_text(choices.order.strategy, planned_order)},
          {"moves", to_json(choices.order.moves)},
          {"fusion", choice_text(choices.fusion.strategy, no_fusion)},
          {"split", choices.fusion.alone},
          {"no_merge", choices.fusion.apart},
          {"loss", choices.graph.goal.loss},
          {"trainable", choices.graph.goal.trainable},
          {"frozen", choices.graph.goal.frozen},
          {"newer_versions", choices.plans.search.newer_versions},
          {"recomputable", choices.plans.search.also_recomputable},
          {"compress_to", name_of(choices.plans.search.compressed)},
          {"profile", profile_to_json(choices.times.profile)},
          {"transfer_bandwidth", number_or_null(choices.times.transfer_bandwidth)},
          {"device_memory", number_or_null(choices.times.device_memory)},
          {"host_memory", number_or_null(choices.times.host_memory)},
          {"reserve_percent", choices.times.reserve_percent},
          {"optimizer", choices.update.optimizer},
          {"master_weights", choices.update.master_weights},
          {"release_gradients", choices.update.release_gradients},
          {"passes", choices.graph.passes},
          {"precision", precision_name(choices.graph.precision)},
          {"what_ifs", choices.graph.what_ifs},
          {"gradient_type", precision_name(choices.graph.gradient_type)},
          {"device", choice_text(choices.device, no_device)},
          {"allocator", choices.allocator ? json(*choices.allocator) : json()}};
}

void read_probe_extensions(const json& object, RecomputeSearchOptions& probe) {
  read(object, "newer_versions", probe.newer_versions);
  std::vector<std::string> recomputable;
  read(object, "recomputable", recomputable);
  probe.also_recomputable.insert(recomputable.begin(), recomputable.end());
  std::string compressed(name_of(probe.compressed));
  read(object, "compress_to", compressed);
  probe.compressed = parse_compressed(compressed);
}

void read_update(const json& object, UpdateChoice& update) {
  read(object, "optimizer", update.optimizer);
  find_optimizer(update.optimizer);
  read(object, "master_weights", update.master_weights);
  read(object, "release_gradients", update.release_gradients);
}

void read_order(const json& object, Choices& choices) {
  OrderChoices& order = choices.order;
  std::string name = *order.strategy;
  read(object, "order", name);
  order.strategy = name;
  if (choices.plans.sequence) order.strategy = choice_of(name, planned_order);
  std::vector<std::pair<std::string, std::string>> moves;
  read(object, "moves", moves);
  for (const auto& [node, before] : moves) order.moves.push_back({node, choice_of(before, "")});
}

void read_fusion(const json& object, FusionChoice& fusion) {
  std::string name = choice_text(fusion.strategy, no_fusion);
  read(object, "fusion", name);
  fusion.strategy = choice_of(name, no_fusion);
  std::vector<std::string> alone;
  read(object, "split", alone);
  fusion.alone.insert(alone.begin(), alone.end());
  std::vector<std::pair<std::string, std::string>> apart;
  read(object, "no_merge", apart);
  fusion.apart.insert(apart.begin(), apart.end());
}

template <class Value>
void read_or_null(const json& object, const char* key, std::optional<Value>& into) {
  if (object.value(key, json()).is_null()) return;
  read(object, key, into.emplace());
}

void read_times(const json& object, TimeChoices& times) {
  const auto profile = object.find("profile");
  try {
    if (profile != object.end()) times.profile = profile_from_json(*profile);
  } catch (const Error& error) {
    throw error.within("the field 'profile'");
  }
  read_or_null(object, "transfer_bandwidth", times.transfer_bandwidth);
  if (times.transfer_bandwidth) check_transfer_bandwidth(*times.transfer_bandwidth);
  read_or_null(object, "device_memory", times.device_memory);
  if (times.device_memory.value_or(1) < 1) fail_field("device_memory", "is not a positive number");
  read_or_null(object, "host_memory", times.host_memory);
  if (times.host_memory.value_or(1) < 1) fail_field("host_memory", "is not a positive number");
  read(object, "reserve_percent", times.reserve_percent);
  check_reserve(times.reserve_percent);
}

std::optional<PlannedSequence> planned_from(const json& object) {
  const auto found = object.find("planned");
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_object()) fail_field("planned", "has a wrong type");
  PlannedSequence planned;
  read(*found, "graph", planned.graph);
  read(*found, "runs", planned.runs);
  return planned.runs.empty() ? std::nullopt : std::optional(std::move(planned));
}

void read_passes(const json& object, Choices& choices) {
  std::vector<std::string> passes;
  read(object, "passes", passes);
  for (const std::string& each : passes) add_passes(each, choices);
  std::string precision;
  read(object, "precision", precision);
  choices.graph.precision = parse_precision(precision);
  WhatIfChoices what_ifs;
  read(object, "what_ifs", what_ifs);
  for (const auto& [name, value] : what_ifs) add_what_if(name, value, choices.graph.what_ifs);
  std::string gradient_type;
  read(object, "gradient_type", gradient_type);
  choices.graph.gradient_type = parse_gradient_type(gradient_type);
}

void read_graph(const json& object, Choices& choices) {
  GraphChoices& graph = choices.graph;
  read(object, "same_dims", graph.same_dims);
  read(object, "loss", graph.goal.loss);
  read(object, "trainable", graph.goal.trainable);
  read(object, "frozen", graph.goal.frozen);
  read_passes(object, choices);
}

void read_plans(const json& object, PlanChoices& choices) {
  std::vector<std::string> plans;
  read(object, "plans", plans);
  for (const std::string& entry : plans) {
    for (const auto& [cluster, choice] : parse_config(entry)) choices.config[cluster] = choice;
  }
  std::vector<std::string> kept;
  read(object, "kept", kept);
  choices.pinned.insert(kept.begin(), kept.end());
  read(object, "level", choices.level);
  if (choices.level < 0 || choices.level > 2) fail_field("level", "is not 0, 1 or 2");
  std::string probe = to_string(choices.search);
  read(object, "probe", probe);
  choices.search = parse_search_options(probe);
  // Older sessions lack this key. They use the rules of ONNX Runtime of November 2023.
  std::string reference(rules_of(Reference::november_2023).name);
  read(object, "reference", reference);
  choices.search.reference = parse_reference(reference);
  read_probe_extensions(object, choices.search);
  choices.sequence = planned_from(object);
  read(object, "overlap_transfers", choices.overlaps_copies);
}

void read_device(const json& object, std::optional<std::string>& device) {
  std::string name = choice_text(device, no_device);
  read(object, "device", name);
  check_device_name(name);
  device = choice_of(name, no_device);
}

void read_allocator(const json& object, std::optional<std::string>& allocator) {
  read_or_null(object, "allocator", allocator);
  if (allocator) parse_allocator_settings(*allocator);
}

bool read_fits_reserved(const json& object) {
  std::string fits = "tensors";
  read(object, "fits", fits);
  if (fits != "tensors" && fits != "reserved") {
    fail_field("fits", "is neither \"tensors\" nor \"reserved\"; write one of them");
  }
  return fits == "reserved";
}

Choices choices_from(const json& object) {
  if (!object.is_object()) fail_field("choices", "has a wrong type");
  Choices choices;
  read_graph(object, choices);
  read(object, "dims", choices.dims);
  read_times(object, choices.times);
  read_update(object, choices.update);
  read_plans(object, choices.plans);
  read_order(object, choices);
  read_fusion(object, choices.fusion);
  check_strategy_names(choices);
  read_device(object, choices.device);
  read_allocator(object, choices.allocator);
  return choices;
}

bool lies_below(const fs::path& relative) {
  return !relative.empty() && *relative.begin() != ".." && !relative.is_absolute();
}

}  // namespace

void Session::forget_measured_times() {
  for (auto* const measured : {&baseline_measured, &current_measured}) {
    if (*measured) (*measured)->node_seconds.clear();
  }
}

std::string session_text(const Session& session, const fs::path& folder) {
  const fs::path relative = session.model.lexically_relative(fs::absolute(folder));
  json object = {{format.field, format.version},
                 {"model",
                  {{"path", (lies_below(relative) ? relative : session.model).string()},
                   {"hash", session.model_hash}}},
                 {"choices", to_json(session.choices)}};
  if (!session.budget.empty()) object["budget"] = session.budget;
  if (session.fits_reserved) object["fits"] = "reserved";
  if (!session.unsaved_of.empty()) object["unsaved_of"] = session.unsaved_of.string();
  if (session.baseline_measured)
    object["baseline_measured"] = measurement_to_json(*session.baseline_measured);
  if (session.current_measured)
    object["current_measured"] = measurement_to_json(*session.current_measured);
  return with_encoded_texts(object).dump(1) + "\n";
}

Session parse_session(const std::string& text, const fs::path& folder) {
  const json object = json_fields::parse_file(text, format);
  Session session;
  const json model = object.value("model", json::object());
  std::string path;
  read(model, "path", path);
  read(model, "hash", session.model_hash);
  if (path.empty()) fail_input("", "does not name a model");
  session.model = fs::absolute(folder / path).lexically_normal();
  session.choices = choices_from(object.value("choices", json::object()));
  read(object, "budget", session.budget);
  session.fits_reserved = read_fits_reserved(object);
  std::string unsaved_of;
  read(object, "unsaved_of", unsaved_of);
  session.unsaved_of = unsaved_of;
  session.baseline_measured = measurement_from(object, "baseline_measured");
  session.current_measured = measurement_from(object, "current_measured");
  return session;
}

void save_session(const Session& session, const fs::path& path) {
  write_file_atomically(path, session_text(session, fs::absolute(path).parent_path()));
}

Session load_session(const fs::path& path, std::string& warning) {
  try {
    Session session = parse_session(read_file(path), fs::absolute(path).parent_path());
    if (!fs::exists(session.model)) {
      fail_input("", "its model '" + printable(session.model.string()) + "' does not exist",
                 "move the model back, or open the model and set the choices again");
    }
    if (!session.model_hash.empty() && hash_file(session.model) != session.model_hash) {
      warning = "the model '" + printable(session.model.string()) +
                "' has changed since the session was saved; the session's measurements are dropped";
      session.forget_measurements();
    }
    return session;
  } catch (const Error& error) {
    // A wrong choice is a usage Error on a command line, but an input Error in a file.
    const Error placed = error.within(printable(path.string()));
    if (error.kind() != ErrorKind::usage) throw placed;
    throw Error(ErrorKind::input, placed.where(), placed.reason(), placed.hint());
  }
}

bool is_session_file(const fs::path& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                               std::min<std::size_t>(bytes.size(), 64));
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && start[first] == '{';
}

}  // namespace stashscope
