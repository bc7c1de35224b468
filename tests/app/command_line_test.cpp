// The contract that scripts rely on: options, exit codes, and which output goes to which stream.

#include "tests/app/command_line.h"
#include "tests/support/sanitizer.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace command_line_test {

TEST_F(CommandLine, HelpNamesEveryOption) {
  const Outcome outcome = stashscope("--help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* option : {"--batch",
                             "--dim",
                             "--probe",
                             "--plan",
                             "--level",
                             "--order",
                             "--device",
                             "--format",
                             "--out",
                             "--save-model",
                             "--save-session",
                             "--export-env",
                             "--svg",
                             "--optimizer",
                             "--master-weights",
                             "--release-gradients",
                             "--list-optimizers",
                             "--pass",
                             "--list-passes",
                             "--precision",
                             "--gradient-type",
                             "--newer-opsets",
                             "--recomputable",
                             "--compress-to",
                             "--transfer-bandwidth",
                             "--overlap-transfers",
                             "--no-overlap-transfers",
                             "--host-memory",
                             "--keep-free",
                             "--profile",
                             "--list-profiles",
                             "--budget",
                             "--grain",
                             "--allow-lossy",
                             "--pareto",
                             "--time-limit",
                             "--move-limit",
                             "--seed",
                             "--fit",
                             "--fit-replan",
                             "--memory",
                             "Exit codes"}) {
    EXPECT_NE(outcome.output.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(worker("--help").status, 0);
}

TEST_F(CommandLine, WrongUsageIsStatus2) {
  for (const std::string arguments : {"--batch --no-such-option",
                                      "--batch",
                                      "--batch --format xml model.onnx",
                                      "--batch --level 7 model.onnx",
                                      "--batch --order fastest model.onnx",
                                      "--batch --optimizer unknown model.onnx",
                                      "--batch --dim N model.onnx",
                                      "--batch --dim N=-1 model.onnx",
                                      "--batch --dim typo=3 model.onnx",
                                      "--batch --plan Gelu+:1 model.onnx",
                                      "--batch --probe 9 model.onnx",
                                      "--batch --pass fastest model.onnx",
                                      "--batch --precision float8 model.onnx",
                                      "--batch --gradient-type float8 model.onnx",
                                      "--batch --compress-to int3 model.onnx",
                                      "--batch --transfer-bandwidth 0 model.onnx",
                                      "--batch --host-memory 0 model.onnx",
                                      "--batch --host-memory much model.onnx",
                                      "--batch --transfer-bandwidth nan model.onnx",
                                      "--batch --transfer-bandwidth 1e300 model.onnx",
                                      "--batch --transfer-bandwidth 1e-320 model.onnx",
                                      "--batch --keep-free -1 model.onnx",
                                      "--batch --keep-free 100 model.onnx",
                                      "--batch --keep-free nan model.onnx",
                                      "--batch --loss nothing model.onnx",
                                      "--batch --dim N=99999999999999999 model.onnx",
                                      "--batch --fit typo model.onnx",
                                      "--batch --fit batch= model.onnx",
                                      "--batch --fit N --memory lots model.onnx",
                                      "--batch --fit N --memory 0 model.onnx",
                                      "--batch --fit N --memory -1GiB model.onnx",
                                      "--batch --memory 1GiB model.onnx",
                                      "--fit N model.onnx",
                                      "--out report model.onnx",
                                      "--screenshot a.png --out report model.onnx",
                                      "--screenshot a.png --save-model y.onnx model.onnx",
                                      "--screenshot a.png --export-env e.sh model.onnx",
                                      "--screenshot a.png --format json model.onnx",
                                      "--size 800x600 model.onnx",
                                      "--batch --screenshot picture.png model.onnx",
                                      "--batch --size 800x600 model.onnx",
                                      "--batch --theme dark model.onnx",
                                      "--batch --dim N=99999999999999999999 model.onnx"}) {
    std::string with_path = arguments;
    if (const auto at = with_path.find("model.onnx"); at != std::string::npos) {
      with_path.replace(at, 10, in_folder("model.onnx"));
    }
    const Outcome outcome = stashscope(with_path);
    EXPECT_EQ(outcome.status, 2) << arguments << outcome.errors;
    expect_one_line(outcome, "stashscope");
  }
}

TEST_F(CommandLine, WrongNumbersAndDevicesAreRefusedBeforeTheStudy) {
  for (const std::string arguments :
       {"--device gpu", "--device cuda:x", "--device cuda:", "--device cudas", "--tolerance nan",
        "--tolerance -1", "--tolerance inf", "--seed -1", "--seed nan"}) {
    const Outcome outcome = worker(arguments + " " + in_folder("model.onnx"));
    EXPECT_EQ(outcome.status, 2) << arguments << outcome.errors;
    expect_one_line(outcome, "stashscope-run");
  }
  EXPECT_EQ(stashscope("--batch --device gpu " + in_folder("model.onnx")).status, 2);
  EXPECT_EQ(worker("--tolerance 0 --seed 18446744073709551615 --dim N=4 " + in_folder("model.onnx"))
                .status,
            0);
}

TEST_F(CommandLine, AStreamTakesNothingThatItWouldIgnore) {
  for (const std::string arguments : {"--trace t", "--compare d", "--tolerance 1", "--inputs d"}) {
    const Outcome outcome = worker("--stream " + arguments + " " + in_folder("model.onnx"));
    EXPECT_EQ(outcome.status, 2) << arguments << outcome.errors;
    expect_one_line(outcome, "stashscope-run");
  }
}

TEST_F(CommandLine, FaultsOfAPlanFileAreThoseOfAnInput) {
  for (const char* text : {"Gelu+:1\n", "Gelu+:1:x\n", "{\"Gelu+\": 1}", "[1]"}) {
    write_file_atomically(folder / "plans", text);
    const Outcome outcome =
        stashscope("--batch " + in_folder("model.onnx") + " --plan @" + in_folder("plans"));
    EXPECT_EQ(outcome.status, 1) << text << outcome.errors;
    expect_one_line(outcome, "stashscope");
  }
}

TEST_F(CommandLine, NamesThatAreNoUtf8AreRunAndSaved) {
  const std::string odd = "m\xff.onnx";
  fs::copy_file(folder / "model.onnx", folder / odd);
  const auto first = report("'" + in_folder(odd) + "' --dim N=4 --device cpu --save-session " +
                            in_folder("odd.stashscope"));
  EXPECT_EQ(first["measured"]["max_abs_error_bytes"], 0);
  auto again = report(in_folder("odd.stashscope"));
  EXPECT_EQ(again["dims"]["N"], 4);
}

TEST_F(CommandLine, AnUnknownDeviceOfASessionIsAFaultOfTheFile) {
  report(in_folder("model.onnx") + " --dim N=4 --save-session " + in_folder("s.stashscope"));
  auto session = nlohmann::json::parse(read_file(folder / "s.stashscope"));
  session["choices"]["device"] = "gpu";
  write_file_atomically(folder / "s.stashscope", session.dump());
  const Outcome outcome = worker(in_folder("s.stashscope"));
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find("s.stashscope"), std::string::npos) << outcome.errors;
}

TEST_F(CommandLine, TheReportShowsNoControlCharacters) {
  report(in_folder("model.onnx") + " --dim N=4 --save-session " + in_folder("s.stashscope"));
  auto session = nlohmann::json::parse(read_file(folder / "s.stashscope"));
  session["choices"]["plans"] = {"\x1b[31mred+:1:-1"};
  write_file_atomically(folder / "s.stashscope", session.dump());
  for (const char* format : {"text", "summary", "html"}) {
    const Outcome outcome =
        stashscope("--batch --format " + std::string(format) + " " + in_folder("s.stashscope"));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ((outcome.output + outcome.errors).find('\x1b'), std::string::npos) << format;
  }
}

TEST_F(CommandLine, AWrongProfileIsSaidWithFileAndKey) {
  const std::string model = "--batch " + in_folder("model.onnx") + " --profile ";
  EXPECT_EQ(stashscope(model + "Abacus").status, 2);
  write_file_atomically(in_folder("own.json"), "{\"name\": \"own\", \"speed\": 1}");
  const Outcome outcome = stashscope(model + in_folder("own.json"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("own.json"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("'speed'"), std::string::npos) << outcome.errors;
}

TEST_F(CommandLine, UnusableInputIsStatus1) {
  write_file_atomically(folder / "text.onnx", "not a model");
  write_file_atomically(folder / "broken.json", "{ \"stashscope_session\": ");
  for (const char* file : {"absent.onnx", "text.onnx", "broken.json", "."}) {
    const Outcome outcome = stashscope("--batch " + in_folder(file));
    EXPECT_EQ(outcome.status, 1) << file;
    expect_one_line(outcome, "stashscope");
    const Outcome ran = worker(in_folder(file));
    EXPECT_EQ(ran.status, 1) << file;
    expect_one_line(ran, "stashscope-run");
  }
}

TEST_F(CommandLine, OutputThatCannotBeWrittenIsSaid) {
  const std::string model = in_folder("model.onnx") + " --dim N=4";
  for (const std::string& command :
       {STASHSCOPE_PROGRAM " --batch " + model, STASHSCOPE_WORKER " " + model,
        std::string(STASHSCOPE_PROGRAM " --help"), std::string(STASHSCOPE_PROGRAM " --version"),
        std::string(STASHSCOPE_WORKER " --version")}) {
    const Outcome outcome =
        run("(" + command + " >/dev/full 2>" + in_folder("words.txt") + ")", "");
    EXPECT_EQ(outcome.status, 3) << command;
    EXPECT_NE(read_file(in_folder("words.txt")).find("standard output: cannot write: No space"),
              std::string::npos)
        << command;
  }
}

TEST_F(CommandLine, AReaderThatStopsEarlyIsNoFault) {
  const std::string command = STASHSCOPE_PROGRAM " --batch --dim N=4 " + in_folder("model.onnx");
  for (const std::string trap : {"", "trap '' PIPE; "}) {
    const Outcome outcome =
        run("(" + trap + command + " 2>" + in_folder("words.txt") + " | true)", "");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(read_file(in_folder("words.txt")), "");
  }
}

TEST_F(CommandLine, AReaderThatLeavesAStreamIsNoFault) {
  const Outcome outcome =
      run("sh", "-c '(" STASHSCOPE_WORKER " " + in_folder("model.onnx") +
                    " --dim N=8 --stream --repeat 200 2>" + in_folder("words.txt") + "; echo $? >" +
                    in_folder("status.txt") + ") | head -1 >/dev/null'");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(read_file(in_folder("words.txt")), "");
  EXPECT_EQ(read_file(in_folder("status.txt")), "0\n");
}

TEST_F(CommandLine, AFileSizeLimitLeavesAMessageAndNoPart) {
  const std::string trace = in_folder("trace");
  const Outcome outcome =
      run("sh", "-c 'ulimit -f 1; " STASHSCOPE_WORKER " " + in_folder("model.onnx") +
                    " --dim N=8 --trace " + trace + "'");
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find("cannot write"), std::string::npos) << outcome.errors;
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename().string().find("trace"), std::string::npos) << entry.path();
  }
}

TEST_F(CommandLine, LittleAddressSpaceEndsWithAMessage) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer reserves terabytes of address space";
  for (int megabytes = 50; megabytes <= 200; megabytes += 10) {
    const Outcome outcome =
        run("sh", "-c 'ulimit -v " + std::to_string(1000 * megabytes) + "; " STASHSCOPE_WORKER " " +
                      in_folder("model.onnx") + " --dim N=8'");
    // The libraries could not be loaded, or one of them ended the program while it was loaded.
    const bool is_loaded =
        outcome.status != 127 && outcome.errors.find("libgomp: Out of memory") == std::string::npos;
    if (!is_loaded) continue;
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 3) << megabytes << ": " << outcome.errors;
  }
}

TEST_F(CommandLine, ADimensionThatTheModelLacksNamesItsSession) {
  report(in_folder("model.onnx") + " --dim N=4 --save-session " + in_folder("s.stashscope"));
  auto session = nlohmann::json::parse(read_file(folder / "s.stashscope"));
  session["choices"]["dims"] = {{"nowhere", 3}};
  write_file_atomically(folder / "s.stashscope", session.dump());
  const Outcome outcome = stashscope("--batch " + in_folder("s.stashscope"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("s.stashscope"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("nowhere"), std::string::npos) << outcome.errors;
}

TEST_F(CommandLine, ATraceThatCannotBeWrittenIsSaid) {
  for (const std::string place : {"/no/such/folder/trace", "/dev/full"}) {
    const Outcome outcome = worker(in_folder("model.onnx") + " --dim N=4 --trace " + place);
    EXPECT_EQ(outcome.status, 1) << place;
    EXPECT_NE(outcome.errors.find(place + ": cannot write"), std::string::npos) << outcome.errors;
  }
  const Outcome outcome =
      worker(in_folder("model.onnx") + " --dim N=4 --trace " + in_folder("trace"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_GT(fs::file_size(folder / "trace"), 0U);
}

TEST_F(CommandLine, EveryFormatCanBeWrittenToAFile) {
  for (const char* format : {"text", "json", "html"}) {
    const Outcome outcome =
        stashscope("--batch " + in_folder("model.onnx") + " --dim N=4 --format " + format +
                   " --out " + in_folder("report"));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_GT(read_file(folder / "report").size(), 200U) << format;
  }
  EXPECT_EQ(
      stashscope("--batch " + in_folder("model.onnx") + " --out /no/such/folder/report").status, 1);
}

TEST_F(CommandLine, APageSaysHowItWasMade) {
  const Outcome outcome =
      stashscope("--batch " + in_folder("model.onnx") + " --dim N=4 --format html --order 'file'");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("<code>stashscope --batch "), std::string::npos);
  EXPECT_NE(outcome.output.find(" --dim N=4 --format html --order file</code>"), std::string::npos);
  EXPECT_NE(outcome.output.find("What to switch on next"), std::string::npos);
}

TEST_F(CommandLine, APatternThatMatchesNoWeightIsSaid) {
  const Outcome outcome = stashscope("--batch --dim N=4 --train foo " + in_folder("model.onnx"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("'foo'"), std::string::npos) << outcome.errors;
}

TEST_F(CommandLine, NotesGoToStandardErrorOnly) {
  const Outcome outcome = stashscope("--batch --format json " + in_folder("model.onnx"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.errors.find("assumed"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(outcome.output, nullptr, false).is_discarded());
}

TEST_F(CommandLine, FilesOfTheBadCollectionEndWithAnAnswer) {
  const fs::path bad = STASHSCOPE_SHARED "/models/bad";
  if (!fs::exists(bad)) GTEST_SKIP() << "no shared/models/bad";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(bad)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : test::thinned(files)) {
    const Outcome outcome =
        stashscope("--batch --format json --out " + in_folder("report") + " " + file.string());
    EXPECT_LE(outcome.status, 2) << file;
    if (outcome.status != 0) expect_one_line(outcome, "stashscope");
  }
}

}  // namespace command_line_test
}  // namespace stashscope
