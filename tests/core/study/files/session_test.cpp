#include "core/study/files/session.h"

#include <gtest/gtest.h>

#include "core/base/files.h"
#include "core/onnx/model_file.h"
#include "core/study/files/loaded_model.h"
#include "tests/support/folder.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace session_test {

/// A model and a session with a measurement of it.
class SessionFile : public testing::Test {
 protected:
  SessionFile() {
    save_model(test::perceptron().build(), folder / "model.onnx");
    session.model = folder / "model.onnx";
    session.model_hash = hash_file(session.model);
    Measurement& measured = session.baseline_measured.emplace();
    measured.device = "cpu";
    measured.live_bytes = {1, 2};
    measured.node_seconds = {0.5, 1};
    measured.step_seconds = 1.5;
    measured.peak_bytes = 2;
    measured.peak_resident_bytes = 4096;
    measured.idle_bytes = {0, 1, 0};
    measured.data_dependent = {{"rows", 3}};
    session.current_measured = measured;
    save_session(session, path());
  }
  std::filesystem::path path() const { return folder / "work.stashscope"; }

  std::string refused_with(const std::string& choices) const {
    write_file_atomically(path(),
                          "{\"stashscope_session\": 1, \"model\": {\"path\": \"model.onnx\"}, "
                          "\"choices\": " +
                              choices + "}");
    std::string warning;
    return test::refusal(ErrorKind::input, [&] { load_session(path(), warning); });
  }

  test::Folder folder;
  Session session;
};

TEST_F(SessionFile, RefusesOtherVersions) {
  for (const char* version : {"0", "-1", "2"}) {
    const std::string said = test::refusal(ErrorKind::input, [&] {
      parse_session(std::string("{\"stashscope_session\": ") + version + "}", folder.path());
    });
    EXPECT_NE(said.find(std::string("another version (format ") + version), std::string::npos);
  }
}

TEST_F(SessionFile, ReadsPastWhatIsNestedDeeply) {
  const std::size_t depth = 200'000;
  const std::string nested = std::string(depth, '[') + std::string(depth, ']');
  std::string text = read_file(path());
  text.insert(text.find('{') + 1, "\"unknown\": " + nested + ",");
  EXPECT_EQ(parse_session(text, folder.path()), session);
  EXPECT_NE(refused_with("{\"dims\": {\"N\": " + nested + "}}"), "accepted");
}

TEST_F(SessionFile, RefusesValuesThatMakeNoSense) {
  for (const char* choices : {"[1]",
                              "{\"level\": 7}",
                              "{\"level\": -3}",
                              "{\"level\": 1.7}",
                              "{\"level\": 99999999999}",
                              "{\"dims\": {\"N\": 2.9}}",
                              "{\"order\": \"fastest\"}",
                              "{\"fusion\": \"all\"}",
                              "{\"no_merge\": [[\"a\"]]}",
                              "{\"optimizer\": \"unknown\"}",
                              "{\"optimizer\": 3}",
                              "{\"master_weights\": 1}",
                              "{\"release_gradients\": \"yes\"}",
                              "{\"passes\": [\"fastest\"]}",
                              "{\"precision\": \"float8\"}",
                              "{\"gradient_type\": \"float8\"}",
                              "{\"what_ifs\": 3}",
                              "{\"what_ifs\": {\"attention\": \"slow\"}}",
                              "{\"what_ifs\": {\"nothing\": \"1\"}}",
                              "{\"compress_to\": \"int3\"}",
                              "{\"transfer_bandwidth\": 0}",
                              "{\"transfer_bandwidth\": 1e300}",
                              "{\"device_memory\": 0}",
                              "{\"device_memory\": 1.5}",
                              "{\"allocator\": \"max_split_size_mb:1\"}",
                              "{\"allocator\": 3}",
                              "{\"host_memory\": 0}",
                              "{\"host_memory\": \"1GiB\"}",
                              "{\"overlap_transfers\": 1}",
                              "{\"reserve_percent\": -1}",
                              "{\"reserve_percent\": 100}",
                              "{\"reserve_percent\": \"5 %\"}",
                              "{\"device\": \"gpu\"}",
                              "{\"profile\": \"Abacus\"}",
                              "{\"profile\": 3}",
                              "{\"profile\": {\"name\": \"x\"}}",
                              "{\"probe\": \"9\"}",
                              "{\"plans\": [\"Gelu+\"]}"}) {
    EXPECT_NE(refused_with(choices).find("work.stashscope"), std::string::npos) << choices;
  }
}

TEST_F(SessionFile, KeepsWhatThePlannerFits) {
  EXPECT_EQ(session_text(session, folder.path()).find("fits"), std::string::npos)
      << "as in earlier versions";
  session.fits_reserved = true;
  const std::string text = session_text(session, folder.path());
  EXPECT_EQ(parse_session(text, folder.path()), session);
  const auto with = [&](const std::string& value) {
    std::string other = text;
    other.replace(other.find("\"reserved\""), 10, value);
    return other;
  };
  EXPECT_FALSE(parse_session(with("\"tensors\""), folder.path()).fits_reserved);
  for (const char* wrong : {"\"all\"", "1", "null"}) {
    const std::string said =
        test::refusal(ErrorKind::input, [&] { parse_session(with(wrong), folder.path()); });
    EXPECT_NE(said.find("fits"), std::string::npos) << said;
  }
}

TEST_F(SessionFile, KeepsTheProfileByNameOrByValue) {
  EXPECT_EQ(session_text(session, folder.path()).find("tf32"), std::string::npos);
  session.choices.times.profile = load_profile("T4-16GB");
  EXPECT_EQ(parse_session(session_text(session, folder.path()), folder.path()), session);
  session.choices.times.profile.name = "my own";
  session.choices.times.profile.vector.bfloat16 = 1e12;
  session.choices.times.transfer_bandwidth = 1e9;
  session.choices.times.device_memory = 24LL << 30;
  session.choices.times.host_memory = 64LL << 30;
  session.choices.plans.overlaps_copies = true;
  session.choices.times.reserve_percent = 7.5;
  session.choices.allocator = "expandable_segments:True";
  EXPECT_EQ(parse_session(session_text(session, folder.path()), folder.path()), session);
  EXPECT_NE(refused_with("{\"profile\": {\"name\": \"x\", \"speed\": 1}}").find("key 'speed'"),
            std::string::npos);
}

TEST_F(SessionFile, ForgetsTheTimesOfAnotherProfile) {
  const auto fast = [](Choices& choices) {
    choices.times.profile = load_profile("H200-SXM5-141GB");
  };
  const Session same = load_model_or_session(path(), nullptr).session;
  EXPECT_EQ(same.baseline_measured->node_seconds.size(), 2U);
  const Session other = load_model_or_session(path(), fast).session;
  EXPECT_TRUE(other.baseline_measured->node_seconds.empty());
  EXPECT_EQ(other.baseline_measured->live_bytes, same.baseline_measured->live_bytes);
}

TEST_F(SessionFile, StudyErrorsNameTheFileAtFault) {
  const auto said = [&](ErrorKind kind, const Progress& progress) {
    save_session(session, path());
    const LoadedModel loaded = load_model_or_session(path());
    return test::refusal(kind, [&] { study_of(loaded, progress); });
  };
  const Progress cancelled;
  cancelled.cancel();
  EXPECT_NE(said(ErrorKind::cancelled, cancelled), "accepted");
  session.choices.dims["absent"] = 3;
  EXPECT_NE(said(ErrorKind::usage, Progress()).find("work.stashscope"), std::string::npos);
  session.choices.dims.clear();
  session.choices.graph.goal.loss = "absent";
  EXPECT_NE(said(ErrorKind::input, Progress()).find("model.onnx"), std::string::npos);
}

TEST_F(SessionFile, TakesSetsInAnyOrder) {
  write_file_atomically(path(),
                        "{\"stashscope_session\": 1, \"model\": {\"path\": \"model.onnx\"}, "
                        "\"choices\": {\"passes\": [\"fuse_gelu\", \"clean_shapes\"], "
                        "\"recomputable\": [\"Relu\", \"Abs\", \"Relu\"]}}");
  std::string warning;
  const Choices choices = load_session(path(), warning).choices;
  EXPECT_EQ(choices.graph.passes, (std::set<std::string>{"clean_shapes", "fuse_gelu"}));
  EXPECT_EQ(choices.plans.search.also_recomputable, (std::set<std::string>{"Abs", "Relu"}));
}

TEST_F(SessionFile, HasTheNamesOfKeptNodes) {
  session.choices.plans.pinned = {"a", "b/c", std::string("odd \xff name")};
  const std::string text = session_text(session, folder.path());
  EXPECT_EQ(parse_session(text, folder.path()), session);
  EXPECT_FALSE(same_step(session.choices, Choices()));
  // Older files lack the field.
  session.choices.plans.pinned.clear();
  const std::string without = session_text(session, folder.path());
  const std::string field = "\"kept\": [],";
  std::string older = without;
  ASSERT_NE(older.find(field), std::string::npos);
  older.erase(older.find(field), field.size());
  EXPECT_EQ(parse_session(older, folder.path()), session);
  EXPECT_NE(refused_with("{\"kept\": \"a\"}").find("field 'kept'"), std::string::npos);
}

TEST_F(SessionFile, KeepsWhatIsSaidOfFusions) {
  session.choices.fusion = {"memory-aware", {"a", "b, c"}, {{"x", "y"}, {"x", "z"}}};
  save_session(session, path());
  std::string warning;
  EXPECT_EQ(load_session(path(), warning).choices.fusion, session.choices.fusion);
}

TEST_F(SessionFile, KeepsTheTypeOfGradients) {
  session.choices.graph.gradient_type = ElementType::bfloat16;
  EXPECT_EQ(parse_session(session_text(session, folder.path()), folder.path()), session);
  EXPECT_FALSE(same_step(session.choices, Choices()));
}

TEST_F(SessionFile, KeepsNamesThatAreNoUtf8) {
  const std::string zero(1, '\0');
  for (const std::string& odd : {std::string("m\xff\x80z.onnx"), "a\xc3\xa9" + zero + "\xfe",
                                 zero + "begins with a zero", std::string("\xc3\xa9")}) {
    session.model = folder / ("m" + odd);
    session.choices.dims = {{odd, 3}};
    session.choices.graph.goal.loss = odd;
    session.choices.graph.goal.trainable = {odd, "plain"};
    EXPECT_EQ(parse_session(session_text(session, folder.path()), folder.path()), session);
  }
}

TEST_F(SessionFile, WithoutAnOptimizerStillLoads) {
  write_file_atomically(path(),
                        "{\"stashscope_session\": 1, \"model\": {\"path\": \"model.onnx\"}, "
                        "\"choices\": {\"level\": 1}, \"current_measured\": {\"device\": \"cpu\", "
                        "\"live_bytes\": [3], \"peak_bytes\": 3}}");
  std::string warning;
  const Session loaded = load_session(path(), warning);
  EXPECT_EQ(loaded.choices.update, UpdateChoice());
  EXPECT_TRUE(loaded.current_measured->idle_bytes.empty());
}

TEST_F(SessionFile, SaysThatItsModelIsGone) {
  std::filesystem::remove(folder / "model.onnx");
  std::string warning;
  const std::string said = test::refusal(ErrorKind::input, [&] { load_session(path(), warning); });
  EXPECT_NE(said.find("model.onnx' does not exist"), std::string::npos) << said;
}

TEST_F(SessionFile, KeepsWhatWasMeasuredForTheSameStep) {
  EXPECT_TRUE(load_model_or_session(path(), nullptr).session.current_measured);
  const auto elsewhere = [](Choices& choices) { choices.device = "cpu"; };
  EXPECT_TRUE(load_model_or_session(path(), elsewhere).session.current_measured);
}

TEST_F(SessionFile, ForgetsWhatWasMeasuredForAnotherStep) {
  const auto larger = [](Choices& choices) { choices.dims["N"] = 64; };
  EXPECT_FALSE(load_model_or_session(path(), larger).session.current_measured);
  save_model(test::deep_perceptron(3).build(), folder / "model.onnx");
  const LoadedModel changed = load_model_or_session(path(), nullptr);
  EXPECT_FALSE(changed.session.current_measured);
  EXPECT_EQ(changed.warnings.size(), 1U);
}

}  // namespace session_test
}  // namespace stashscope
