// The effect of options on the report, and on saved models, sessions and environment blocks.

#include "core/memory/optimizer.h"
#include "core/planner/device_profile.h"
#include "core/schedule/fusion/fusions.h"
#include "tests/app/command_line.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace reported_choices_test {

TEST_F(CommandLine, TheLargestBatchThatFitsIsLookedFor) {
  const std::string model = in_folder("model.onnx");
  const auto fit = report("--fit batch=N --memory 1MiB " + model)["fit"];
  EXPECT_EQ(fit["memory_bytes"], 1 << 20);
  const std::int64_t largest = fit["current"]["largest"]["value"];
  EXPECT_EQ(fit["current"]["next"]["value"], largest + 1);
  const auto peak = [&](std::int64_t value) -> std::int64_t {
    const auto tried = report("--dim N=" + std::to_string(value) + " " + model);
    return tried["memory"]["current"]["peak_bytes"];
  };
  EXPECT_LE(peak(largest), 1 << 20);
  EXPECT_GT(peak(largest + 1), 1 << 20);
  const auto on_t4 = report("--fit N --profile T4-16GB " + model)["fit"];
  EXPECT_EQ(on_t4["memory_bytes"], load_profile("T4-16GB").memory_bytes);
  const Outcome text = stashscope("--batch --fit batch=N --memory 1MiB " + model);
  EXPECT_NE(text.output.find("Largest batch (N) in 1.00 MiB"), std::string::npos) << text.output;
}

TEST_F(CommandLine, ChoicesWithoutEffectAreSaid) {
  const auto notes = [&](const std::string& arguments) {
    return stashscope("--batch --dim N=4 " + in_folder("model.onnx") + " " + arguments).errors;
  };
  EXPECT_NE(notes("--probe 0 --level 1").find("has no effect"), std::string::npos);
  EXPECT_NE(notes("--recomputable Nix").find("'Nix' matches no node"), std::string::npos);
  EXPECT_EQ(notes("--probe 1:0 --level 1"), "");
  EXPECT_EQ(notes("--recomputable Gelu"), "");
}

TEST_F(CommandLine, TheSummaryShowsWhatIsInForce) {
  const std::string summary = "--batch --format summary " + in_folder("model.onnx") + " --dim N=4";
  const std::string off = stashscope(summary).output;
  EXPECT_NE(off.find("Disabled (enable with Gelu:1)"), std::string::npos) << off;
  const std::string on = stashscope(summary + " --level 1 --device cpu").output;
  EXPECT_NE(on.find("User config:\n    Gelu+:1:-1,MatMul+:1:-1\n"), std::string::npos) << on;
  EXPECT_NE(on.find("Recompute (on)"), std::string::npos) << on;
  EXPECT_NE(on.find("Measured on cpu: "), std::string::npos) << on;
}

TEST_F(CommandLine, PassesAreListedAppliedReportedAndPassedOn) {
  const Outcome listed = stashscope("--list-passes");
  EXPECT_EQ(listed.status, 0);
  EXPECT_NE(listed.output.find("fuse_gelu: "), std::string::npos) << listed.output;
  test::ModelBuilder model;
  model.input("x", {"N", 8}).weight("w", {8, 8}).node("MatMul", {"x", "w"}, {"h"});
  model.node("Sigmoid", {"h"}, {"s"}).node("Mul", {"h", "s"}, {"y"}).output("y");
  save_model(model.build(), folder / "swish.onnx");
  const auto report_of = report(
      "--pass clean_shapes,fuse_gelu --precision bfloat16 --device cpu "
      "--dim N=4 " +
      in_folder("swish.onnx"));
  ASSERT_EQ(report_of["passes"].size(), 3U);
  EXPECT_EQ(report_of["passes"][1]["name"], "fuse_gelu");
  EXPECT_EQ(report_of["passes"][1]["changed"], 1);
  EXPECT_EQ(report_of["passes"][1]["nodes_before"], 3);
  EXPECT_EQ(report_of["passes"][1]["nodes_after"], 2);
  EXPECT_GT(report_of["passes"][1]["stashed_bytes_saved"], 0);
  EXPECT_EQ(report_of["measured"]["max_abs_error_bytes"], 0);
  EXPECT_FALSE(report("--dim N=4 " + in_folder("swish.onnx")).contains("passes"));
  EXPECT_EQ(worker("--pass all --precision float16 --dim N=4 " + in_folder("swish.onnx")).status,
            0);
}

TEST_F(CommandLine, ARunHoldsGradientsOf16Bits) {
  const auto gradients = [&](const std::string& options) {
    const auto found = report(in_folder("model.onnx") + " --dim N=8 --device cpu " + options);
    EXPECT_EQ(found["measured"]["max_abs_error_bytes"], 0) << options;
    const auto& phases = found["memory"]["baseline"]["phases"];
    return phases.back()["current_bytes"].get<std::int64_t>();
  };
  const std::int64_t parameters = std::int64_t{6} * 16 * 16;
  EXPECT_EQ(gradients("") - gradients("--gradient-type bfloat16"), parameters * 2);
}

TEST_F(CommandLine, CopiesOverlapOrNot) {
  const std::string step = in_folder("model.onnx") +
                           " --dim N=64 --plan MatMul:3:-1 --transfer-bandwidth 1 --device cpu ";
  const auto serial = report(step);
  const auto overlapping =
      report(step + "--overlap-transfers --save-session " + in_folder("o.stashscope"));
  EXPECT_FALSE(serial["cost"]["overlap_transfers"]);
  EXPECT_TRUE(overlapping["cost"]["overlap_transfers"]);
  EXPECT_EQ(serial["cost"]["waiting_seconds"], serial["cost"]["transfer_seconds"]);
  EXPECT_LT(overlapping["cost"]["waiting_seconds"], serial["cost"]["waiting_seconds"]);
  EXPECT_LT(overlapping["cost"]["extra_seconds"], serial["cost"]["extra_seconds"]);
  EXPECT_EQ(overlapping["memory"]["current"]["peak_bytes"],
            serial["memory"]["current"]["peak_bytes"]);
  for (const auto* const each : {&serial, &overlapping}) {
    EXPECT_GT((*each)["cost"]["host_bytes"], 0);
    EXPECT_EQ((*each)["measured"]["max_abs_error_bytes"], 0);
  }
  EXPECT_EQ(report(in_folder("o.stashscope"))["cost"]["overlap_transfers"], true);
  const auto back = report(in_folder("o.stashscope") + " --no-overlap-transfers");
  EXPECT_EQ(back["cost"]["overlap_transfers"], false);
  const std::string text = stashscope("--batch --overlap-transfers " + step).output;
  EXPECT_NE(text.find("of waiting with overlap; at most "), std::string::npos) << text;
  const auto says_so = [&](const std::string& options) {
    const std::string page = stashscope("--batch --format html " + options + step).output;
    return page.find("run beside the nodes") != std::string::npos;
  };
  EXPECT_TRUE(says_so("--overlap-transfers "));
  EXPECT_FALSE(says_so(""));
}

TEST_F(CommandLine, PlansKeepTheMemoryOfTheHost) {
  const std::string step = in_folder("model.onnx") +
                           " --dim N=64 --transfer-bandwidth 1e6 --what-if micro=1 --budget 80% "
                           "--grain joint --time-limit 0 --move-limit 2000 ";
  const auto free = report(step)["budget"];
  ASSERT_GT(free["host_bytes"], 0);
  EXPECT_FALSE(free.contains("left_out_for_host"));
  const auto limited = report(step + "--host-memory 1")["budget"];
  EXPECT_EQ(limited["host_bytes"], 0);
  EXPECT_TRUE(limited["feasible"]);
  EXPECT_GT(limited["left_out_for_host"]["host_bytes"], 1);
  const std::string text = stashscope("--batch --host-memory 1 " + step).output;
  EXPECT_NE(text.find("The host's memory limits the plans"), std::string::npos) << text;
  const std::int64_t needed = limited["left_out_for_host"]["host_bytes"];
  EXPECT_NE(text.find("--host-memory " + std::to_string(needed) + " allows it"), std::string::npos);
  const auto allowed = report(step + "--host-memory " + std::to_string(needed))["budget"];
  EXPECT_LE(allowed["step_seconds"], limited["step_seconds"]);
  const std::string page = stashscope("--batch --format html --host-memory 1 " + step).output;
  EXPECT_NE(page.find("memory limits the plans"), std::string::npos);
  const std::string by_node = stashscope("--batch --host-memory 1 " + in_folder("model.onnx") +
                                         " --dim N=64 --budget 80% --grain node --time-limit 0 "
                                         "--move-limit 2000")
                                  .output;
  EXPECT_NE(by_node.find("--host-memory has no effect, because --grain node"), std::string::npos)
      << by_node;
  const std::string session = in_folder("h.stashscope");
  report(step + "--host-memory 1 --save-session " + session);
  const std::string again = session +
                            " --budget 80% --grain joint --time-limit 0 "
                            "--move-limit 2000 ";
  EXPECT_EQ(report(again)["budget"]["host_bytes"], 0);
  EXPECT_GT(report(again + "--host-memory none")["budget"]["host_bytes"], 0);
}

TEST_F(CommandLine, ARunHoldsTheStatesOfAllOptimizers) {
  for (const Optimizer& each : optimizers()) {
    const auto found = report(in_folder("model.onnx") + " --dim N=8 --device cpu --optimizer " +
                              std::string(each.name));
    EXPECT_EQ(found["measured"]["max_abs_error_bytes"], 0) << each.name;
  }
}

TEST_F(CommandLine, HelpNamesEveryOrder) {
  std::string help = stashscope("--help").output;
  std::erase_if(help, [](char c) { return c == '\n' || c == ' '; });
  for (const OrderStrategy& each : order_strategies()) {
    EXPECT_NE(help.find(each.name), std::string::npos) << each.name;
  }
}

TEST_F(CommandLine, ListsTheOrders) {
  const Outcome outcome = stashscope("--list-orders");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const OrderStrategy& each : order_strategies()) {
    const std::string line = std::string(each.name) + ": " + std::string(each.description);
    EXPECT_NE(outcome.output.find(line), std::string::npos) << each.name;
  }
}

TEST_F(CommandLine, ListsTheFusions) {
  const Outcome outcome = stashscope("--list-fusions");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const FusionStrategy& each : fusion_strategies()) {
    const std::string line = std::string(each.name) + ": " + std::string(each.description);
    EXPECT_NE(outcome.output.find(line), std::string::npos) << each.name;
  }
}

TEST_F(CommandLine, FusesAsAskedAndRunsTheGroups) {
  test::ModelBuilder model;
  model.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64).weight("w", {4, 4});
  model.node("MatMul", {"x", "w"}, {"h"}).node("Neg", {"h"}, {"n"}).node("Tanh", {"n"}, {"t"});
  model.node("SoftmaxCrossEntropyLoss", {"t", "labels"}, {"loss"}).output("loss");
  save_model(model.build(), folder / "tanh.onnx");
  const std::string file = in_folder("tanh.onnx") + " --dim N=4 ";
  const auto plain = report(file);
  EXPECT_TRUE(plain["fusion"]["groups"].empty());
  EXPECT_EQ(plain["fusion"]["strategies"].size(), fusion_strategies().size());
  const auto fused = report(file + "--fuse dataflow --device cpu");
  ASSERT_FALSE(fused["fusion"]["groups"].empty());
  EXPECT_EQ(fused["fusion"]["chosen"], "dataflow");
  EXPECT_EQ(fused["measured"]["max_abs_error_bytes"], 0);
  const std::string node = fused["fusion"]["groups"][0][0];
  const auto split = report(file + "--fuse dataflow --split '" + node + "'");
  for (const auto& group : split["fusion"]["groups"]) {
    EXPECT_EQ(std::count(group.begin(), group.end(), node), 0);
  }
  EXPECT_EQ(worker(file + "--fuse memory-aware --order best").status, 0);
  EXPECT_EQ(stashscope("--batch " + file + "--no-merge one").status, 2);
  EXPECT_EQ(stashscope("--batch " + file + "--fuse everything").status, 2);
}

TEST_F(CommandLine, KeepsOutputsOfNodesInMemory) {
  const std::string model = in_folder("model.onnx") + " --dim N=64 --level 1";
  const std::string kept = " --keep make_layer.1.g --keep make_layer.4.g";
  const auto all = report(model);
  const auto found = report(model + kept + " --device cpu --save-session " + in_folder("s.json") +
                            " --export-env " + in_folder("env.sh"));
  EXPECT_EQ(found["kept"], (std::vector{"make_layer.1.g", "make_layer.4.g"}));
  const auto applied = [](const nlohmann::json& report) {
    int count = 0;
    for (const auto& plan : report["plans"]) {
      if (plan["config"] == "Gelu+:1:-1") count += plan["applied"].get<int>();
    }
    return count;
  };
  EXPECT_EQ(applied(all), 5);
  EXPECT_EQ(applied(found), 3);
  EXPECT_EQ(found["measured"]["max_abs_error_bytes"], 0);
  EXPECT_TRUE(found["notes"].empty());
  EXPECT_EQ(report(in_folder("s.json"))["memory"]["current"], found["memory"]["current"]);
  const std::string block = read_file(in_folder("env.sh"));
  EXPECT_NE(block.find("5 occurrences of Gelu+ instead of 3"), std::string::npos) << block;
  report(in_folder("s.json") + " --reference 2023.11 --export-env " + in_folder("env.sh"));
  const std::string older = read_file(in_folder("env.sh"));
  EXPECT_NE(older.find("Gelu+:1:4"), std::string::npos) << older;
  EXPECT_NE(older.find("make_layer.1.g"), std::string::npos) << older;
  const auto typing_error = report(model + " --keep layer.1");
  ASSERT_EQ(typing_error["notes"].size(), 1U);
  EXPECT_NE(typing_error["notes"][0].get<std::string>().find("'layer.1'"), std::string::npos);
}

TEST_F(CommandLine, RecomputesModules) {
  save_model(*test::named(test::blocks(3)), folder / "blocks.onnx");
  const std::string model = in_folder("blocks.onnx") + " --dim N=64";
  const auto on = [](const nlohmann::json& report) {
    std::map<std::string, int> counts;
    for (const auto& each : report["modules"]) counts[each["module"]] = each["on"];
    return counts;
  };
  const auto found = report(model + " --recompute-module h.1.mlp --device cpu --save-session " +
                            in_folder("s.json"));
  for (const auto& [module, count] : on(found)) {
    EXPECT_EQ(count > 0, module == "model.h.1.mlp") << module;
  }
  EXPECT_EQ(found["measured"]["max_abs_error_bytes"], 0);
  EXPECT_EQ(on(report(in_folder("s.json"))), on(found));
  const auto all = on(report(model + " --recompute-module 'h.*.mlp'"));
  EXPECT_EQ(std::ranges::count_if(all, [](const auto& each) { return each.second > 0; }), 3);
  const Outcome unknown = stashscope("--batch " + model + " --recompute-module h.9");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.errors.find("'h.9'"), std::string::npos) << unknown.errors;
}

TEST_F(CommandLine, ListsTheOptimizers) {
  const Outcome outcome = stashscope("--list-optimizers");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const Optimizer& each : optimizers()) {
    EXPECT_NE(outcome.output.find(each.name), std::string::npos) << each.name;
    EXPECT_NE(outcome.output.find(each.description), std::string::npos) << each.name;
    EXPECT_NE(outcome.output.find(each.source), std::string::npos) << each.name;
  }
}

TEST_F(CommandLine, ListsTheProfiles) {
  const Outcome outcome = stashscope("--list-profiles");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const DeviceProfile& each : device_profiles()) {
    EXPECT_NE(outcome.output.find(each.name), std::string::npos) << each.name;
  }
}

TEST_F(CommandLine, TimesAreForTheProfileThatIsNamed) {
  const std::string model = in_folder("model.onnx") + " --dim N=512";
  const auto seconds = [&](const std::string& profile) {
    return report(model + profile)["cost"]["baseline_seconds"].get<double>();
  };
  EXPECT_LT(seconds(" --profile H200-SXM5-141GB"), seconds(" --profile P100-PCIE-16GB"));
  EXPECT_EQ(report(model + " --profile t4-16gb")["cost"]["profile"], "T4-16GB");
  const std::string own = in_folder("own.json");
  write_file_atomically(own,
                        "{\"name\": \"own\", \"memory_bytes\": 1, \"bandwidth\": 1e6, "
                        "\"link_bandwidth\": 1e6, \"vector_flops\": {\"float32\": 1e6}}");
  EXPECT_EQ(report(model + " --profile " + own)["cost"]["profile"], "own");
}

TEST_F(CommandLine, ARunTellsTheTimesOfItsNodes) {
  const auto cost = report(in_folder("model.onnx") + " --dim N=8 --device cpu")["cost"];
  EXPECT_EQ(cost["measured_on"], "cpu");
  EXPECT_EQ(cost["measured_nodes"], cost["nodes"]);
  EXPECT_GT(cost["baseline_seconds"], 0);
}

TEST_F(CommandLine, ARunHoldsTheStatesAndReleasesTheGradients) {
  const auto measured = report(in_folder("model.onnx") + " --dim N=8 --level 1 --device cpu " +
                               "--optimizer adam --release-gradients");
  EXPECT_EQ(measured["measured"]["max_abs_error_bytes"], 0);
  for (const char* variant : {"baseline", "current"}) {
    const auto& predicted = measured["memory"][variant];
    EXPECT_EQ(predicted["peak_bands"]["optimizer_states"], 2 * 6 * 16 * 16 * 4);
    EXPECT_EQ(measured["measured"]["phases"][variant], predicted["phases"]);
    EXPECT_EQ(predicted["phases"].back()["maximum_bytes"], predicted["peak_bytes"]);
  }
}

TEST_F(CommandLine, JsonReportFollowsTheOptions) {
  const std::string model = in_folder("model.onnx") + " --dim N=64";
  const auto plain = report(model);
  EXPECT_EQ(plain["dims"]["N"], 64);
  const auto planned = report(model + " --level 1");
  EXPECT_LT(planned["memory"]["current"]["peak_bytes"], plain["memory"]["current"]["peak_bytes"]);
  EXPECT_EQ(planned["memory"]["baseline"], plain["memory"]["baseline"]);
  EXPECT_GT(planned["cost"]["extra_flops"], 0);
  const std::string config = plain["plans"][0]["config"];
  const auto single = report(model + " --plan '" + config + "'");
  EXPECT_EQ(single["plans"][0]["on"], true);
  EXPECT_EQ(single["plans"][0]["applied"], single["plans"][0]["freq"]);
  write_file_atomically(folder / "config.json", "[\"" + config + "\"]");
  EXPECT_EQ(report(model + " --plan @" + in_folder("config.json")), single);
  for (const auto& order : plain["orders"]) {
    const auto ordered = report(model + " --order " + order["name"].get<std::string>());
    const auto& peak = ordered["memory"]["current"]["peak_bytes"];
    if (order["peak_bytes"].is_null()) {
      EXPECT_LE(peak, plain["memory"]["current"]["peak_bytes"]) << order["name"];
    } else {
      EXPECT_EQ(peak, order["peak_bytes"]) << order["name"];
    }
  }
}

TEST_F(CommandLine, ExtensionsSayHowOftenTheyAreApplied) {
  const auto rows = report(in_folder("model.onnx") + " --dim N=8 --plan MatMul:3:2")["extensions"];
  for (const auto& row : rows) {
    EXPECT_EQ(row["applied"], row["config"] == "MatMul:3:-1" ? 2 : 0) << row;
  }
}

TEST_F(CommandLine, ASavedModelLoadsAgainWithTheSameReport) {
  const std::string options = " --dim N=64 --level 1";
  const auto first =
      report(in_folder("model.onnx") + options + " --save-model " + in_folder("saved.onnx"));
  const auto again = report(in_folder("saved.onnx") + " --dim N=64");
  EXPECT_EQ(again["memory"]["baseline"]["peak_bytes"], first["memory"]["current"]["peak_bytes"]);
  EXPECT_EQ(again["model"]["parameter_bytes"], first["model"]["parameter_bytes"]);
  report(in_folder("model.onnx") + " --dim N=64 --save-model " + in_folder("plain.onnx"));
  const auto plain = report(in_folder("model.onnx") + " --dim N=64");
  const auto reloaded = report(in_folder("plain.onnx") + " --dim N=64");
  for (const char* key : {"dims", "plans", "clusters", "memory", "orders", "cost"}) {
    EXPECT_EQ(reloaded[key], plain[key]) << key;
  }
}

TEST_F(CommandLine, ASavedSessionHoldsEveryChoice) {
  const std::string options =
      " --dim N=32 --level 1 --order depth-first --optimizer momentum "
      "--release-gradients --save-session ";
  const auto first = report(in_folder("model.onnx") + options + in_folder("session.json"));
  auto again = report(in_folder("session.json"));
  again["model"]["path"] = first["model"]["path"];
  EXPECT_EQ(again, first);
  const auto overridden = report(in_folder("session.json") + " --dim N=16");
  EXPECT_EQ(overridden["dims"]["N"], 16);
}

TEST_F(CommandLine, TheEnvironmentBlockNamesTheConfig) {
  const std::string options =
      in_folder("model.onnx") + " --dim N=4 --plan Gelu+:1:-1 --export-env " + in_folder("env.sh");
  EXPECT_EQ(report(options)["reference"], "1.19.2");
  const std::string config = folder / "env.sh.json";
  EXPECT_EQ(read_file(config), "[\"Gelu+:1:-1\"]\n");
  const std::string block = read_file(folder / "env.sh");
  EXPECT_NE(block.find("export ORTMODULE_MEMORY_OPT_CONFIG='" + config + "'"), std::string::npos)
      << block;
  EXPECT_EQ(report(options + " --reference 2023.11")["reference"], "2023.11");
  const std::string older = read_file(folder / "env.sh");
  EXPECT_NE(older.find("export ORTMODULE_MEMORY_OPT_CONFIG=\"Gelu+:1:-1\""), std::string::npos)
      << older;
  EXPECT_EQ(stashscope("--batch " + options + " --reference 1.18").status, 2);
}

TEST_F(CommandLine, ASessionWithoutAVersionKeepsTheRulesOf2023) {
  report(in_folder("model.onnx") + " --dim N=4 --save-session " + in_folder("s.json"));
  auto session = nlohmann::json::parse(read_file(in_folder("s.json")));
  EXPECT_EQ(report(in_folder("s.json"))["reference"], "1.19.2");
  ASSERT_EQ(session["choices"].erase("reference"), 1U);
  write_file_atomically(in_folder("s.json"), session.dump());
  EXPECT_EQ(report(in_folder("s.json"))["reference"], "2023.11");
}

}  // namespace reported_choices_test
}  // namespace stashscope
