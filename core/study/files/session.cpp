#include "core/study/files/session.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/devices/devices.h"
#include "core/schedule/fusion/fusions.h"
#include "core/study/files/json_fields.h"
#include "core/study/files/json_texts.h"
#include "core/study/files/measurement_json.h"

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

json number_or_null(const std::optional<double>& number) { return number ? json(*number) : json(); }

json to_json(const PlannedSequence& planned) {
  if (planned.empty()) return {};
  return {{"graph", planned.graph}, {"runs", planned.runs}};
}

json to_json(const std::vector<OrderMove>& moves) {
  json list = json::array();
  for (const auto& [node, before] : moves) list.push_back({node, before});
  return list;
}

json to_json(const Choices& choices) {
  return {{"dims", choices.dims},
          {"same_dims", choices.same_dims},
          {"plans", to_json(choices.plans)},
          {"kept", choices.pinned},
          {"level", choices.level},
          {"probe", to_string(choices.recompute_search)},
          {"planned", to_json(choices.planned)},
          {"order", choices.order},
          {"moves", to_json(choices.moves)},
          {"fusion", choices.fusion.strategy},
          {"split", choices.fusion.alone},
          {"no_merge", choices.fusion.apart},
          {"loss", choices.goal.loss},
          {"trainable", choices.goal.trainable},
          {"frozen", choices.goal.frozen},
          {"newer_versions", choices.recompute_search.newer_versions},
          {"recomputable", choices.recompute_search.also_recomputable},
          {"compress_to", name_of(choices.recompute_search.compressed)},
          {"profile", profile_to_json(choices.profile)},
          {"transfer_bandwidth", number_or_null(choices.transfer_bandwidth)},
          {"optimizer", choices.update.optimizer},
          {"master_weights", choices.update.master_weights},
          {"release_gradients", choices.update.release_gradients},
          {"passes", choices.passes},
          {"precision", choices.precision},
          {"device", choices.device}};
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
  read(object, "order", choices.order);
  const bool is_planned = choices.order == planned_order && !choices.planned.empty();
  if (!is_planned) find_order(choices.order);
  std::vector<std::pair<std::string, std::string>> moves;
  read(object, "moves", moves);
  for (const auto& [node, before] : moves) choices.moves.push_back({node, before});
}

void read_fusion(const json& object, FusionChoice& fusion) {
  read(object, "fusion", fusion.strategy);
  find_fusion(fusion.strategy);
  std::vector<std::string> alone;
  read(object, "split", alone);
  fusion.alone.insert(alone.begin(), alone.end());
  std::vector<std::pair<std::string, std::string>> apart;
  read(object, "no_merge", apart);
  fusion.apart.insert(apart.begin(), apart.end());
}

void read_profile(const json& object, Choices& choices) {
  const auto profile = object.find("profile");
  try {
    if (profile != object.end()) choices.profile = profile_from_json(*profile);
  } catch (const Error& error) {
    throw error.within("the field 'profile'");
  }
  if (object.value("transfer_bandwidth", json()).is_null()) return;
  double bandwidth = 0;
  read(object, "transfer_bandwidth", bandwidth);
  check_transfer_bandwidth(bandwidth);
  choices.transfer_bandwidth = bandwidth;
}

void read_planned(const json& object, PlannedSequence& planned) {
  const auto found = object.find("planned");
  if (found == object.end() || found->is_null()) return;
  if (!found->is_object()) fail_field("planned", "has a wrong type");
  read(*found, "graph", planned.graph);
  read(*found, "runs", planned.runs);
}

void read_passes(const json& object, Choices& choices) {
  std::vector<std::string> passes;
  read(object, "passes", passes);
  for (const std::string& each : passes) add_passes(each, choices);
  read(object, "precision", choices.precision);
  check_precision(choices.precision);
}

Choices choices_from(const json& object) {
  if (!object.is_object()) fail_field("choices", "has a wrong type");
  Choices choices;
  read(object, "dims", choices.dims);
  read(object, "same_dims", choices.same_dims);
  std::vector<std::string> plans;
  read(object, "plans", plans);
  for (const std::string& entry : plans) {
    for (const auto& [cluster, choice] : parse_config(entry)) choices.plans[cluster] = choice;
  }
  std::vector<std::string> kept;
  read(object, "kept", kept);
  choices.pinned.insert(kept.begin(), kept.end());
  read(object, "level", choices.level);
  if (choices.level < 0 || choices.level > 2) fail_field("level", "is not 0, 1 or 2");
  std::string probe = to_string(choices.recompute_search);
  read(object, "probe", probe);
  choices.recompute_search = parse_search_options(probe);
  read_probe_extensions(object, choices.recompute_search);
  read_profile(object, choices);
  read_planned(object, choices.planned);
  read_order(object, choices);
  read_fusion(object, choices.fusion);
  read(object, "loss", choices.goal.loss);
  read(object, "trainable", choices.goal.trainable);
  read(object, "frozen", choices.goal.frozen);
  read_update(object, choices.update);
  read_passes(object, choices);
  read(object, "device", choices.device);
  check_device_name(choices.device);
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
      fail_input("", "its model '" + printable(session.model.string()) + "' is not there",
                 "move the model back, or open it and choose again");
    }
    if (!session.model_hash.empty() && hash_file(session.model) != session.model_hash) {
      warning = "the model '" + printable(session.model.string()) +
                "' has changed since the session was saved; the session's measurements are dropped";
      session.forget_measurements();
    }
    return session;
  } catch (const Error& error) {
    // A choice that would be wrong usage on a command line is a fault of the file here.
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
