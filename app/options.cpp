#include "app/options.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>

#include "app/module_option.h"
#include "app/transfer_options.h"
#include "core/base/bare_amount.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/passes/graph_pass.h"
#include "core/run/devices/devices.h"
#include "core/run/step/runner.h"
#include "core/schedule/fusion/fusions.h"
#include "core/study/measured/measurement_file.h"
#include "core/study/step/strategy_names.h"

namespace stashscope::app {

namespace {

/// `NAME=N` sets a size, `NAME=OTHER` unifies two dimensions; NAME may be a pattern.
void add_dim(const std::string& argument, Choices& choices) {
  const std::size_t equals = argument.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size()) {
    fail_usage("--dim " + printable(argument), "is not of the form NAME=N or NAME=OTHER",
               "for example --dim batch=8, --dim 'inputs_*_dim0=8' or --dim labels_dim0=batch");
  }
  read_option("--dim " + printable(argument), [&] {
    choose_dimension(argument.substr(0, equals), argument.substr(equals + 1), choices);
  });
}

/// The names of all entries of a table, separated by commas.
template <class Table>
std::string names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& each : table) names.emplace_back(each.name);
  return join(names, ", ");
}

void apply_strategy_options(const AnalysisOptions& options, Choices& choices) {
  if (options.newer_versions) choices.plans.search.newer_versions = true;
  for (const std::string& each : options.recomputable) {
    choices.plans.search.also_recomputable.insert(each);
  }
  if (!options.compress_to.empty()) {
    choices.plans.search.compressed = parse_compressed(options.compress_to);
  }
  if (!options.profile.empty()) {
    choices.times.profile = load_profile(options.profile);
    choices.times.device_memory.reset();
  }
  apply_transfer_options(options, choices);
  if (!options.device_memory.empty()) {
    choices.times.device_memory = memory_in("--device-memory", options.device_memory);
  }
  if (options.keep_free) {
    check_reserve(*options.keep_free);
    choices.times.reserve_percent = *options.keep_free;
  }
}

void add_plan_options(CLI::App& program, AnalysisOptions& options) {
  program
      .add_option(
          "--reference", options.reference,
          "version of ONNX Runtime whose plans are listed and exported: " + names_in(references()) +
              " (default " + std::string(rules_of(default_reference).name) + ")")
      ->type_name("VERSION");
  program
      .add_option("--probe", options.recompute_search,
                  "settings of the search for recompute plans: L is 0 to recompute only basic "
                  "operators, or 1 to recompute advanced operators, too (default 1); B is 1 to "
                  "leave the inputs of transformer layers stashed (default 0)")
      ->type_name("L[:B]");
  program
      .add_option(
          "--plan", options.plans,
          "plans to switch on: CLUSTER:TYPE:COUNT[,...], or @FILE with such lines or a JSON list "
          "of them; types: 1 recompute, 2 compromise, 3 offload to the host, 4 compress, 5 run "
          "again; types 3 and 4 need a cluster that is named by an op type, type 5 needs a module "
          "of a captured step")
      ->type_name("CONFIG|@FILE")
      ->allow_extra_args(false);
  program
      .add_option("--keep", options.pinned,
                  "node to pin: its outputs stay in memory, so its plans are ignored and planned "
                  "sequences do not run it again")
      ->type_name("NODE")
      ->allow_extra_args(false);
  program
      .add_option("--recompute-module", options.modules,
                  "module whose outputs are recomputed, such as layers.3.self_attn; * stands for "
                  "any text; may be repeated")
      ->type_name("MODULE")
      ->allow_extra_args(false);
  program
      .add_option("--level", options.level,
                  "0: only the given plans; 1: recompute every transformer layer; 2: level 1 "
                  "with compromises")
      ->check(CLI::Range(0, 2));
}

void add_strategy_options(CLI::App& program, AnalysisOptions& options) {
  program.add_flag("--newer-opsets", options.newer_versions,
                   "also recompute operators of opsets newer than those in ONNX Runtime's table");
  program
      .add_option("--recomputable", options.recomputable,
                  "op type that may be recomputed although ONNX Runtime's table lacks it")
      ->type_name("OP")
      ->allow_extra_args(false);
  program
      .add_option("--compress-to", options.compress_to,
                  "type in which plans of type 4 store float32 activations: float16, bfloat16, "
                  "float8e4m3fn or float8e5m2 (default float16)")
      ->type_name("TYPE");
  add_transfer_options(program, options);
  program
      .add_option("--device-memory", options.device_memory,
                  "memory into which the step must fit, such as 24GiB (default: the memory of the "
                  "profile)")
      ->type_name("SIZE");
  program
      .add_option(
          "--keep-free", options.keep_free,
          "memory that the step must leave free, in percent of the device's memory, such as 5 "
          "(default 0); the predicted peak does not count all memory that a step needs")
      ->type_name("PERCENT");
  program
      .add_option("--profile", options.profile,
                  "device profile for predicted times: a name (see --list-profiles) or a JSON "
                  "file (default " +
                      default_profile().name + ")")
      ->type_name("NAME|FILE");
}

void check_loss(const std::string& name, const Graph& model) {
  std::vector<std::string> names;
  for (const ValueId output : model.data().outputs) {
    if (model.value(output).name == name) return;
    names.push_back("'" + printable(model.value(output).name) + "'");
  }
  fail_usage("--loss " + printable(name), "is not an output of the model",
             "choose one of " + join(names, ", "));
}

void add_update_options(CLI::App& program, AnalysisOptions& options) {
  program
      .add_option("--optimizer", options.optimizer,
                  "optimizer whose states take memory: " + names_in(optimizers()))
      ->type_name("NAME");
  program.add_flag("--master-weights", options.master_weights,
                   "the optimizer keeps a float32 copy of each 16-bit parameter");
  program.add_flag("--release-gradients", options.release_gradients,
                   "apply and free each parameter's gradient as soon as it is computed");
}

void add_no_merge(const std::string& argument, FusionChoice& fusion) {
  const std::size_t comma = argument.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == argument.size()) {
    fail_usage("--no-merge " + printable(argument), "is not of the form NODE,NODE");
  }
  fusion.apart.emplace(argument.substr(0, comma), argument.substr(comma + 1));
}

void apply_fusion_options(const AnalysisOptions& options, FusionChoice& fusion) {
  if (!options.fusion.empty()) {
    fusion.strategy = choice_of(find_fusion(options.fusion).name, no_fusion);
  }
  fusion.alone.insert(options.splits.begin(), options.splits.end());
  for (const std::string& each : options.no_merges) add_no_merge(each, fusion);
}

void add_fusion_options(CLI::App& program, AnalysisOptions& options) {
  program
      .add_option("--fuse", options.fusion,
                  "how pointwise nodes are fused into groups: " + names_in(fusion_strategies()))
      ->type_name("NAME");
  program.add_option("--split", options.splits, "node that leaves its fused group and runs alone")
      ->type_name("NODE")
      ->allow_extra_args(false);
  program
      .add_option("--no-merge", options.no_merges, "two nodes that are never fused into one group")
      ->type_name("NODE,NODE")
      ->allow_extra_args(false);
}

void apply_pass_options(const AnalysisOptions& options, Choices& choices) {
  for (const std::string& each : options.passes) add_passes(each, choices);
  if (!options.precision.empty()) choices.graph.precision = parse_precision(options.precision);
  for (const std::string& each : options.what_ifs) add_what_if(each, choices.graph.what_ifs);
  if (!options.gradient_type.empty()) {
    choices.graph.gradient_type = parse_gradient_type(options.gradient_type);
  }
}

void add_pass_options(CLI::App& program, AnalysisOptions& options) {
  program
      .add_option("--pass", options.passes,
                  "graph passes for a forward model, applied before its backward pass is built: "
                  "NAME[,...] or all; see --list-passes")
      ->type_name("NAME")
      ->allow_extra_args(false);
  program
      .add_option("--precision", options.precision,
                  "float16 or bfloat16: mixed precision, with the casts that automatic mixed "
                  "precision inserts")
      ->type_name("TYPE");
  program
      .add_option(
          "--what-if", options.what_ifs,
          "another way to compute the step: NAME=VALUE; see --list-what-ifs; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  program
      .add_option("--gradient-type", options.gradient_type,
                  "float16 or bfloat16: store float32 gradients of parameters in 16 bits until the "
                  "update")
      ->type_name("TYPE");
}

}  // namespace

void apply_options(const AnalysisOptions& options, Choices& choices) {
  for (const std::string& each : options.dims) add_dim(each, choices);
  if (!options.reference.empty()) {
    choices.plans.search.reference =
        read_option("--reference " + printable(options.reference),
                    [&] { return parse_reference(options.reference); });
  }
  if (!options.recompute_search.empty()) {
    const RecomputeSearchOptions given =
        read_option("--probe " + printable(options.recompute_search),
                    [&] { return parse_search_options(options.recompute_search); });
    choices.plans.search.level = given.level;
    choices.plans.search.layer_boundary = given.layer_boundary;
  }
  if (!options.plans.empty() || !options.modules.empty() || options.level >= 0) {
    forget_planned(choices);
  }
  for (const std::string& each : options.plans) add_config_argument(each, choices.plans.config);
  choices.plans.pinned.insert(options.pinned.begin(), options.pinned.end());
  if (options.level >= 0) choices.plans.level = options.level;
  if (!options.order.empty()) choose_order_named(options.order, choices);
  apply_fusion_options(options, choices.fusion);
  if (!options.device.empty()) {
    check_device_name(options.device);
    choices.device = choice_of(options.device, no_device);
  }
  if (!options.loss.empty()) choices.graph.goal.loss = options.loss;
  for (const std::string& each : options.trainable) choices.graph.goal.trainable.push_back(each);
  for (const std::string& each : options.frozen) choices.graph.goal.frozen.push_back(each);
  apply_strategy_options(options, choices);
  if (!options.optimizer.empty()) choices.update.optimizer = find_optimizer(options.optimizer).name;
  if (options.master_weights) choices.update.master_weights = true;
  if (options.release_gradients) choices.update.release_gradients = true;
  apply_pass_options(options, choices);
}

void add_analysis_options(CLI::App& program, AnalysisOptions& options) {
  program.add_option("file", options.file, "ONNX model or saved session");
  program
      .add_option(
          "--dim", options.dims,
          "NAME=N sets the size of a dimension, NAME=OTHER unifies two dimensions; NAME may "
          "be a pattern such as inputs_*_dim0; may be repeated")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  add_plan_options(program, options);
  add_strategy_options(program, options);
  program.add_option("--order", options.order, "execution order: " + names_in(order_strategies()))
      ->type_name("NAME");
  add_fusion_options(program, options);
  program
      .add_option("--device", options.device, "device that runs the step: none, cpu or cuda[:N]")
      ->type_name("DEVICE");
  program.add_option("--loss", options.loss, "graph output that is the loss")->type_name("NAME");
  program
      .add_option("--train", options.trainable,
                  "name pattern of weights to train in addition to the guessed weights")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  program.add_option("--freeze", options.frozen, "name pattern of weights that are not trained")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  add_update_options(program, options);
  add_pass_options(program, options);
}

namespace {

/// Loads a measurement into the session. Computes the study first, because the measurement is
/// checked against the study's step.
void take_measurement(const std::string& file, LoadedModel& loaded) {
  const StudyMeasurements measured = load_measurements(file, *study_of(loaded));
  loaded.session.baseline_measured = measured.baseline;
  loaded.session.current_measured = measured.current;
}

}  // namespace

LoadedModel load_model_or_session(const AnalysisOptions& options) {
  if (options.file.empty()) fail_usage("", "no model is given", "name an ONNX model or a session");
  LoadedModel loaded = stashscope::load_model_or_session(
      options.file, [&](Choices& choices) { apply_options(options, choices); });
  for (const auto& [option, size] : {std::pair("--device-memory", options.device_memory),
                                     std::pair("--host-memory", options.host_memory)}) {
    std::ranges::copy(warnings_of_size(option, size), std::back_inserter(loaded.warnings));
  }
  if (!options.loss.empty()) check_loss(options.loss, *loaded.model);
  if (!options.modules.empty()) recompute_modules(options.modules, loaded);
  if (!options.measurement.empty()) take_measurement(options.measurement, loaded);
  return loaded;
}

std::string finite_and_not_negative(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool fits =
      parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(number) && number >= 0;
  return fits ? "" : "'" + text + "' is not a finite number of 0 or more";
}

std::string whole_and_not_negative(const std::string& text) {
  const std::string fault = finite_and_not_negative(text);
  const bool is_whole = text.find_first_not_of("0123456789") == std::string::npos;
  return fault.empty() && is_whole ? "" : "'" + text + "' is not a whole number of 0 or more";
}

std::vector<CLI::Option*> add_limit_options(CLI::App& program, SearchLimit& limit) {
  return {program.add_option("--time-limit", limit.seconds, "seconds to search; 0: no limit")
              ->check(CLI::Range(0.0, 1e6)),
          program
              .add_option("--move-limit", limit.moves,
                          "largest number of search moves; together with --time-limit 0, the same "
                          "number always gives the same answer")
              ->check(whole_and_not_negative, "NUMBER"),
          program.add_option("--seed", limit.seed, "seed of the random moves")
              ->check(whole_and_not_negative, "NUMBER")};
}

void check_limit(const SearchLimit& limit) {
  if (limit.seconds > 0 || limit.moves > 0) return;
  fail_usage("--time-limit", "is 0, so the search would never end", "give --move-limit N");
}

std::int64_t memory_in(const std::string& option, const std::string& text) {
  return read_option(option, [&] {
    const std::int64_t bytes = parse_bytes(text);
    if (bytes == 0) fail_usage("", "is 0 bytes", "give more than 0");
    return bytes;
  });
}

std::vector<std::string> warnings_of_size(const std::string& option, const std::string& text) {
  constexpr std::int64_t least = 1 << 20;
  if (!is_bare_amount(text)) return {};
  const std::string size = trimmed(text);
  const std::int64_t bytes = parse_bytes(size.starts_with('-') ? size.substr(1) : size);
  if (bytes >= least) return {};
  return {option + " " + size + ": " + counted(static_cast<std::size_t>(bytes), "byte", "bytes") +
          "; write " + size + "GiB if you mean GiB"};
}

std::optional<int> parse_command_line(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return guarded(program.get_name().c_str(), [&] {
      std::cout << program.help();
      flush_output();
      return 0;
    });
  } catch (const CLI::CallForVersion&) {
    return guarded(program.get_name().c_str(), [&] {
      std::cout << program.version() << "\n";
      flush_output();
      return 0;
    });
  } catch (const CLI::ParseError& error) {
    std::cerr << program.get_name() << ": " << to_valid_utf8(error.what()) << "; see "
              << program.get_name() << " --help\n";
    return 2;
  }
}

void flush_output() {
  // If an earlier write failed, errno still has the reason.
  if (std::cout) errno = 0;
  std::cout << std::flush;
  if (std::cout || errno == EPIPE) return;
  fail_run(
      "standard output",
      std::string("cannot write") + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""),
      "free some space or write to another disk");
}

int guarded(const char* program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& error) {
    std::cerr << program << ": " << error.what() << "\n";
    return exit_code(error.kind());
  } catch (const OutputClosed&) {
    return 0;
  } catch (const std::bad_alloc&) {
    std::cerr << program << ": out of memory; choose smaller dimensions\n";
    return 3;
  } catch (const std::exception& error) {
    std::cerr << program << ": internal fault: " << error.what() << "\n";
    return 3;
  }
}

void print_warnings(const char* program, const std::vector<std::string>& warnings) {
  for (const std::string& each : warnings) {
    std::cerr << program << ": note: " << to_valid_utf8(each) << "\n";
  }
}

void print_first_warnings(const char* program, const std::vector<std::string>& warnings,
                          const std::string& all) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(warnings.size(), most);
  print_warnings(program,
                 {warnings.begin(), warnings.begin() + static_cast<std::ptrdiff_t>(shown)});
  if (warnings.size() == shown) return;
  print_warnings(program, {counted(warnings.size() - shown, "more note", "more notes") + "; " +
                           all + " lists all"});
}

}  // namespace stashscope::app
