// Reserved memory from the command line: the report, limits, replays, and wrong usage.

#include "tests/app/command_line.h"

namespace stashscope {
namespace reserved_memory_test {

class Reserved : public CommandLine {
 protected:
  std::string model() const { return in_folder("model.onnx") + " --dim N=200000"; }
  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(folder / name, text);
  }
};

TEST_F(Reserved, IsBesideThePeakOfTheReport) {
  const auto plain = report(model());
  EXPECT_FALSE(plain["memory"]["baseline"].contains("reserved_bytes"));
  const auto with = report(model() + " --allocator pytorch --level 1");
  for (const char* const variant : {"baseline", "current"}) {
    const auto& memory = with["memory"][variant];
    EXPECT_GE(memory["reserved_bytes"], memory["peak_bytes"]);
    EXPECT_EQ(
        memory["fragmentation_bytes"].get<std::int64_t>(),
        memory["reserved_bytes"].get<std::int64_t>() - memory["peak_bytes"].get<std::int64_t>());
  }
  const Outcome text =
      stashscope("--batch " + model() + " --allocator pytorch:roundup_power2_divisions=4");
  EXPECT_NE(text.output.find("with roundup_power2_divisions:4: "), std::string::npos);
  for (const char* const wrong : {"jax", "pytorchx", "pytorch:nothing=1", "pytorch:x"}) {
    const Outcome refused = stashscope("--batch " + model() + " --allocator " + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.errors.find("--allocator"), std::string::npos) << refused.errors;
  }
}

TEST_F(Reserved, IsToldWithWhatIsNoTensor) {
  const std::string command = model() + " --allocator pytorch --other-memory cublas=0" +
                              " --other-memory cublaslt=0 --other-memory context=3MiB:5MiB";
  const auto memory = report(command)["memory"];
  const auto& current = memory["current"];
  const auto reserved = current["reserved_bytes"].get<std::int64_t>();
  EXPECT_EQ(current["device_bytes"]["low"].get<std::int64_t>(), reserved + (3 << 20));
  EXPECT_EQ(current["device_bytes"]["high"].get<std::int64_t>(), reserved + (5 << 20));
  EXPECT_EQ(memory["other_memory"][0]["name"], "context");
  EXPECT_EQ(memory["other_memory"][0]["high_bytes"], 5 << 20);
  EXPECT_NE(stashscope("--batch " + command).output.find("with CUDA context 3.00 MiB to 5.00 MiB"),
            std::string::npos);
  for (const char* const wrong :
       {" --other-memory context=1MiB", " --allocator pytorch --other-memory contexts=1MiB"}) {
    const Outcome refused = stashscope("--batch " + model() + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.errors.find("--other-memory"), std::string::npos) << refused.errors;
  }
}

TEST_F(Reserved, OfAPoolHasTwoFigures) {
  const auto memory = report(model() + " --allocator cuda_pool --level 1")["memory"];
  const auto fine =
      report(model() + " --allocator cuda_pool:release_threshold=0,granularity=512")["memory"];
  for (const char* const variant : {"baseline", "current"}) {
    for (const auto& each : {memory[variant], fine[variant]}) {
      EXPECT_LE(each["peak_bytes"], each["reserved_low_bytes"]);
      EXPECT_LE(each["reserved_low_bytes"], each["reserved_bytes"]);
    }
    EXPECT_EQ(memory[variant]["reserved_bytes"].get<std::int64_t>() % (32 << 20), 0);
  }
  EXPECT_LT(fine["baseline"]["reserved_low_bytes"], memory["baseline"]["reserved_low_bytes"]);
  EXPECT_EQ(fine["allocator"]["name"], "cuda_pool");
  EXPECT_EQ(fine["allocator"]["settings"], "release_threshold=0,granularity=512");
  EXPECT_EQ(report(model() + " --allocator pytorch")["memory"]["allocator"]["name"], "pytorch");
  EXPECT_EQ(
      report(model() +
             " --allocator cuda_pool --other-memory context=3MiB:5MiB")["memory"]["other_memory"][0]
                                                                       ["high_bytes"],
      5 << 20);
  const Outcome text = stashscope("--batch " + model() + " --allocator cuda_pool");
  EXPECT_NE(text.output.find("stream-ordered pool of CUDA: "), std::string::npos) << text.output;
}

TEST_F(Reserved, IsNotToldForSizesWhoseSumsDoNotFit) {
  const std::string large = in_folder("model.onnx") + " --dim N=1000000000000000";
  ASSERT_EQ(stashscope("--batch " + large).status, 0);
  for (const char* const allocator : {"pytorch", "cuda_pool"}) {
    const Outcome refused = stashscope("--batch " + large + " --allocator " + allocator);
    EXPECT_EQ(refused.status, 1) << allocator;
    EXPECT_NE(refused.errors.find("choose smaller dimensions"), std::string::npos)
        << refused.errors;
  }
}

TEST_F(Reserved, APoolStandsBesideAMeasurement) {
  const std::string file = in_folder("run.json");
  ASSERT_EQ(worker(model() + " --write-measurement " + file).status, 0);
  auto run = nlohmann::json::parse(read_file(file));
  run["current"]["peak_reserved_bytes"] = std::int64_t{1} << 40;
  write("run.json", run.dump());
  const auto measured =
      report(model() + " --allocator cuda_pool --measurement " + file)["measured"]["current"];
  EXPECT_EQ(measured["predicted_pools"]["position"], "above");
}

TEST_F(Reserved, APoolIsRefusedWhereOnlyPyTorchsAllocatorIsKnown) {
  const std::string session = in_folder("kept.stashscope");
  for (const std::string& other :
       {std::string("--fits reserved"), std::string("--fits device"),
        std::string("--advise-allocator"), "--check " + in_folder("limits.json"),
        "--save-baseline " + in_folder("b.json"), "--save-session " + session,
        "--export-snapshot " + in_folder("s.pickle"), "--export-perfetto " + in_folder("p"),
        "--export-csv " + in_folder("c.csv"), "--compare " + in_folder("model.onnx")}) {
    const bool fits = other.starts_with("--fits");
    const Outcome refused = stashscope("--batch " + model() + " --allocator cuda_pool " + other +
                                       (fits ? " --budget 90%" : ""));
    EXPECT_EQ(refused.status, 2) << other;
    EXPECT_NE(refused.errors.find("--allocator cuda_pool: cannot be used with " +
                                  other.substr(0, other.find(' '))),
              std::string::npos)
        << refused.errors;
  }
  for (const char* const wrong : {"cuda_pools", "cuda_pool:granularity=3", "cuda_pool:fit=best"}) {
    const Outcome refused = stashscope("--batch " + model() + " --allocator " + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.errors.find("--allocator"), std::string::npos) << refused.errors;
  }
  ASSERT_EQ(
      stashscope("--batch " + model() + " --allocator pytorch --save-session " + session).status,
      0);
  EXPECT_TRUE(report(session + " --allocator cuda_pool")["memory"]["current"].contains(
      "reserved_low_bytes"))
      << "the pool replaces the allocator of the session";
}

TEST_F(Reserved, CanBeWhatMustFit) {
  const auto before = report(model() + " --allocator pytorch");
  const std::int64_t budget =
      before["memory"]["baseline"]["reserved_bytes"].get<std::int64_t>() * 9 / 10;
  const auto found = report(model() + " --fits reserved --time-limit 0 --move-limit 300 --budget " +
                            std::to_string(budget));
  EXPECT_TRUE(found["budget"]["feasible"].get<bool>());
  EXPECT_LE(found["budget"]["reserved_bytes"].get<std::int64_t>(), budget);
  EXPECT_EQ(found["budget"]["reserved_bytes"], found["memory"]["current"]["reserved_bytes"]);
}

TEST_F(Reserved, CanFitBesideMemoryOutsideTensors) {
  const auto before = report(model() + " --allocator pytorch");
  const std::int64_t budget = before["memory"]["baseline"]["reserved_bytes"].get<std::int64_t>();
  const std::string asked =
      " --fits device --time-limit 0 --move-limit 300 --budget " + std::to_string(budget);
  const std::string few =
      " --other-memory context=1MiB:2MiB --other-memory cublas=1MiB --other-memory cublaslt=1MiB";
  const auto found = report(model() + asked + few)["budget"];
  EXPECT_TRUE(found["feasible"].get<bool>());
  EXPECT_LE(found["device_bytes"]["high"].get<std::int64_t>(), budget);
  EXPECT_GT(found["device_bytes"]["low"], found["reserved_bytes"]);
  EXPECT_EQ(stashscope("--batch " + model() + asked).status, 4) << "a context takes more";
  const std::string fit = " --fit N --memory 40MiB --fits device";
  const auto largest = report(model() + fit + few)["fit"]["current"]["largest"];
  EXPECT_LE(largest["device_bytes"]["high"].get<std::int64_t>(), std::int64_t{40} << 20);
  EXPECT_TRUE(report(model() + fit)["fit"]["current"]["largest"].is_null());
  // What is kept free of a device is meant for memory outside tensors.
  const std::string device =
      " --fit N --fits device --allocator pytorch:expandable_segments=True" + few;
  const auto largest_in = [&](const std::string& memory) {
    return report(model() + device + memory)["fit"]["current"]["largest"];
  };
  const auto beside = largest_in(" --device-memory 50MiB --keep-free 10");
  EXPECT_LE(beside["reserved_bytes"].get<std::int64_t>(), std::int64_t{45} << 20);
  EXPECT_LE(beside["device_bytes"]["high"].get<std::int64_t>(), std::int64_t{50} << 20);
  EXPECT_GT(beside["value"], largest_in(" --memory 45MiB")["value"]);
  const std::string kept_free = model() + device + " --device-memory 50MiB --keep-free 10";
  EXPECT_EQ(report(kept_free)["fit"]["device_limit_bytes"], std::int64_t{50} << 20);
  EXPECT_NE(stashscope("--batch " + kept_free)
                .output.find("in 45.0 MiB, and 50.0 MiB with memory outside tensors"),
            std::string::npos);
}

TEST_F(Reserved, IsToldAgainForASessionThatKeepsTheAllocator) {
  const std::string session = in_folder("kept.stashscope");
  const auto before = report(model() + " --allocator pytorch:roundup_power2_divisions=4" +
                             " --save-session " + session);
  const auto after = report(session);
  EXPECT_EQ(after["memory"], before["memory"]);
  EXPECT_TRUE(after["memory"]["current"].contains("reserved_bytes"));
  EXPECT_NE(report(session + " --allocator pytorch")["memory"], before["memory"])
      << "the option replaces the settings of the session";
  const auto none = report(session + " --allocator none");
  EXPECT_FALSE(none["memory"]["current"].contains("reserved_bytes"));
  EXPECT_EQ(stashscope("--batch " + session + " --allocator none --fits reserved --fit N").status,
            2);
  const Outcome compared =
      stashscope("--batch " + session + " --allocator pytorch --compare " + session);
  EXPECT_EQ(compared.status, 0) << compared.errors;
  EXPECT_NE(compared.output.find("roundup_power2_divisions:4"), std::string::npos)
      << "the option changes a choice of the first file: " << compared.output;
}

TEST_F(Reserved, IsToldByAPage) {
  const std::string page = in_folder("page.html");
  EXPECT_EQ(
      stashscope("--batch " + model() + " --allocator pytorch --format html --out " + page).status,
      0);
  EXPECT_NE(read_file(page).find("PyTorch's allocator reserves"), std::string::npos);
  EXPECT_EQ(stashscope("--batch " + model() + " --advise-allocator --format html").status, 2);
}

TEST_F(Reserved, WhatCannotFitReservedIsRefused) {
  for (const char* const options : {"", "--pareto 3", "--budget 90% --pareto 3",
                                    "--budget 90% --minimise operations", "--compare other.onnx"}) {
    const Outcome refused = stashscope("--batch " + model() + " --fits reserved " + options);
    EXPECT_EQ(refused.status, 2) << options;
    EXPECT_NE(refused.errors.find("--fits"), std::string::npos) << refused.errors;
  }
  for (const char* const options :
       {"--check limits.json", "--save-baseline memory.json", "--advise-allocator"}) {
    EXPECT_EQ(stashscope("--batch " + model() + " --compare other.onnx " + options).status, 2)
        << options;
  }
}

TEST_F(Reserved, ALargestFitWithAPlanHoldsWhatIsReserved) {
  const auto fit = report(model() +
                          " --fit N --memory 40MiB --fit-replan --fits reserved "
                          "--time-limit 0 --move-limit 100")["fit"];
  const auto& largest = fit["replanned"]["largest"];
  EXPECT_GE(largest["value"], fit["current"]["largest"]["value"]);
  EXPECT_LE(largest["reserved_bytes"].get<std::int64_t>(), std::int64_t{40} << 20);
}

TEST_F(Reserved, AdviceIsTheLeastOfAllTrials) {
  const auto advice = report(model() + " --advise-allocator")["allocator_advice"];
  ASSERT_GT(advice["trials"].size(), 5U);
  for (const auto& trial : advice["trials"]) {
    EXPECT_LE(advice["reserved_bytes"], trial["reserved_bytes"]);
  }
  EXPECT_NE(advice["reason"], "");
}

TEST_F(Reserved, LimitsThatAreBrokenHaveACodeOfTheirOwn) {
  const std::string saved = in_folder("memory.json");
  const Outcome first = stashscope("--batch " + model() + " --save-baseline " + saved);
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_NE(first.output.find("Peak before"), std::string::npos) << "the report stays";
  write("limits.json",
        R"({"peak_bytes": "1TiB", "baseline": "memory.json", "growth": {"peak_bytes": "1%"}})");
  const std::string check = " --check " + in_folder("limits.json");
  const Outcome met = stashscope("--batch " + model() + check);
  EXPECT_EQ(met.status, 0) << met.errors;
  EXPECT_NE(met.output.find("all limits are met"), std::string::npos) << met.output;
  const Outcome broken = stashscope("--batch " + in_folder("model.onnx") + " --dim N=300000" +
                                    check + " --check-markdown " + in_folder("memory.md") +
                                    " --check-junit " + in_folder("memory.xml"));
  EXPECT_EQ(broken.status, 5) << broken.errors;
  EXPECT_NE(broken.output.find("1 limit is broken"), std::string::npos) << broken.output;
  EXPECT_EQ(read_file(folder / "memory.md"), broken.output);
  EXPECT_NE(read_file(folder / "memory.xml").find("failures=\"1\""), std::string::npos);
  const auto json = nlohmann::json::parse(
      stashscope("--batch " + in_folder("model.onnx") + " --dim N=300000 --format json" + check)
          .output);
  EXPECT_TRUE(json["broken"].get<bool>());
  EXPECT_FALSE(json["changes"].empty());
  EXPECT_EQ(
      stashscope("--batch " + model() + check + " --save-baseline " + in_folder("limits.json"))
          .status,
      2)
      << "the limits are an input";
  EXPECT_EQ(stashscope("--batch " + model() + check + " --check-junit " + saved).status, 2)
      << "the baseline is an input";
  EXPECT_EQ(stashscope("--batch " + model() + check + " --format html").status, 2);
  EXPECT_EQ(
      stashscope("--batch " + model() + check + " --format html --out " + in_folder("report.html"))
          .status,
      0);
  write("limits.json", R"({"peak": 1})");
  const Outcome wrong = stashscope("--batch " + model() + check);
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.errors.find("limits.json: 'peak'"), std::string::npos) << wrong.errors;
}

TEST_F(Reserved, AdviceOnASnapshotNamesTheLinesThatMadeTensors) {
  const std::string snapshot = in_folder("step.pickle");
  ASSERT_EQ(stashscope("--batch " + model() + " --allocator pytorch --export-snapshot " + snapshot)
                .status,
            0);
  const Outcome advised = stashscope("--replay " + snapshot + " --advise-allocator");
  ASSERT_EQ(advised.status, 0) << advised.errors;
  EXPECT_NE(advised.output.find("default settings: "), std::string::npos) << advised.output;
  EXPECT_NE(advised.output.find("reserved for the last time for the tensor that "),
            std::string::npos)
      << advised.output;
}

TEST_F(Reserved, RecordedTracesAreReplayed) {
  write("events.csv",
        "action,addr,size,stream,time_us\nsegment_alloc,1073741824,20971520,0,1\n"
        "alloc,1073741824,4000000,0,2\nalloc,1077742080,3000000,0,3\n"
        "free_requested,1073741824,4000000,0,4\nfree_completed,1073741824,4000000,0,4\n"
        "alloc,1073741824,1500000,0,5\n");
  write("segments.json",
        R"({"segments": [{"address": 1073741824, "total_size": 20971520, "stream": 0,
           "segment_type": "large", "blocks": [[1073741824, 1500160, 1500000, "active_allocated"],
           [1075241984, 2500096, 0, "inactive"], [1077742080, 3000320, 3000000,
           "active_allocated"], [1080742400, 13970944, 0, "inactive"]]}]})");
  const std::string files =
      "--replay " + in_folder("events.csv") + " --segments " + in_folder("segments.json");
  const Outcome outcome = stashscope(files + " --format json");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result["allocations"], 3);
  EXPECT_EQ(result["at_recorded_address"], 3);
  EXPECT_EQ(result["new_segments"], 1);
  EXPECT_EQ(result["new_segments_right"], 1);
  EXPECT_EQ(result["reserved_end_bytes"], 20971520);
  EXPECT_EQ(result["recorded_reserved_end_bytes"], 20971520);
  EXPECT_TRUE(result["first_difference"].is_null());
  EXPECT_EQ(nlohmann::json::parse(
                stashscope(files + " --own-addresses --format json").output)["reserved_end_bytes"],
            20971520);
  const Outcome advised = stashscope(files + " --advise-allocator --format json");
  ASSERT_EQ(advised.status, 0) << advised.errors;
  const auto advice = nlohmann::json::parse(advised.output)["allocator_advice"];
  EXPECT_EQ(advice["trials"][0]["reserved_bytes"], 20971520);
  EXPECT_EQ(advice["trials"][0]["fragmentation_bytes"], 20971520 - 7000000);
  EXPECT_NE(advice["reason"].get<std::string>().find("the tensor in event 1"), std::string::npos)
      << advice;
  EXPECT_FALSE(result.contains("allocator_advice")) << "only if it is asked for";
  EXPECT_EQ(stashscope("--advise-allocator " + model()).status, 2);
  EXPECT_EQ(stashscope(files + " --format html").status, 2);
  EXPECT_EQ(stashscope("--replay " + in_folder("events.csv")).status, 2);
  EXPECT_EQ(stashscope("--format json " + model()).status, 2) << "nothing prints";
  write("events.csv", "action,addr,size\nalloc,x,1\n");
  const Outcome bad = stashscope(files);
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.errors.find("events.csv: line 2"), std::string::npos) << bad.errors;
}

}  // namespace reserved_memory_test
}  // namespace stashscope
