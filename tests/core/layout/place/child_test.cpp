// Layout in a child process. The test program itself is the child: see main.

#include "core/layout/place/child.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <thread>

#include "core/layout/place/layered.h"
#include "core/layout/place/layout_protocol.h"
#include "core/process/run_child.h"
#include "tests/core/layout/place/placement_checks.h"
#include "tests/support/folder.h"
#include "tests/support/processes.h"

namespace stashscope::layout {
namespace child_test {

using std::chrono::milliseconds;

/// Runs scripts as the layout child; expects no process and no open file to be left.
class LayoutChild : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(test::children(), 0U);
    EXPECT_EQ(test::open_files(), files_before_);
  }

  /// The message of the error when the script is the layout child.
  std::string failure(const std::string& lines, milliseconds limit = std::chrono::minutes(1)) {
    try {
      place_in_child(test::script(folder_ / "child", lines), request_, Progress(), limit);
      return "accepted";
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::cancelled);
      return error.what();
    }
  }

  const std::size_t files_before_ = test::open_files();
  const test::Folder folder_;
  const LayoutRequest request_ = random_request(3);
};

TEST_F(LayoutChild, PlacesTidily) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const LayoutRequest request = random_request(seed);
    expect_tidy(request, place_in_child(running_program(), request, Progress()));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST_F(LayoutChild, PlacesLongChainsAndNothing) {
  LayoutLevel level;
  for (std::uint32_t i = 0; i < 400; ++i) {
    level.forward.boxes.push_back({{80, 26}, no_level});
    if (i > 0) level.forward.edges.push_back({i - 1, i});
    if (i > 10) level.forward.edges.push_back({i - 10, i});
  }
  const LayoutRequest request = {{level}};
  expect_tidy(request, place_in_child(running_program(), request, Progress()));
  EXPECT_TRUE(place_in_child(running_program(), {}, Progress()).levels.empty());
}

/// Graphviz by itself crashes at about the 128th graph of a process.
TEST_F(LayoutChild, PlacesManyDifferentColumns) {
  LayoutRequest request;
  std::mt19937 random(7);
  for (int i = 0; i < 600; ++i)
    request.levels.push_back({random_column(random, 12, false), {}, {}});
  expect_tidy(request, place_in_child(running_program(), request, Progress()));
}

/// A chain, and edges from its first box to all others.
LayoutRequest hub_request(std::uint32_t boxes) {
  LayoutLevel level;
  for (std::uint32_t i = 0; i < boxes; ++i) {
    level.forward.boxes.push_back({{80, 26}, no_level});
    if (i > 0) level.forward.edges.push_back({i - 1, i});
    if (i > 1) level.forward.edges.push_back({0, i});
  }
  level.backward = level.forward;
  return {{level}};
}

TEST_F(LayoutChild, PlacesTheBoxesOfAHubInALine) {
  const LayoutRequest request = hub_request(80);
  const LayoutResult result = place_in_child(running_program(), request, Progress());
  expect_tidy(request, result);
  EXPECT_LT(result.levels[0].forward.width, 2 * 80);
  EXPECT_LT(result.levels[0].backward.width, 2 * 80);
}

TEST_F(LayoutChild, ItsAnswerIsParsed) {
  const std::string answer = to_text(place(request_, place_layered));
  const auto program =
      test::script(folder_ / "child", "cat >/dev/null; cat <<'EOF'\n" + answer + "EOF");
  EXPECT_EQ(to_text(place_in_child(program, request_, Progress())), answer);
}

TEST_F(LayoutChild, GetsTheWholeRequest) {
  const auto program = test::script(folder_ / "child", "cat >\"$0.in\"; echo \"$@\" >\"$0.words\"");
  EXPECT_THROW(place_in_child(program, request_, Progress()), Error);
  std::ostringstream request;
  request << std::ifstream(folder_ / "child.in").rdbuf();
  EXPECT_EQ(request.str(), to_text(request_));
  std::string words;
  std::getline(std::ifstream(folder_ / "child.words"), words);
  EXPECT_EQ(words, child_option);
}

TEST_F(LayoutChild, ThatIsKilledIsAFailure) {
  EXPECT_NE(failure("kill -9 $$").find("killed"), std::string::npos);
  EXPECT_NE(failure("kill -11 $$").find("Segmentation fault"), std::string::npos);
  EXPECT_NE(failure("exit 7").find("status 7"), std::string::npos);
}

TEST_F(LayoutChild, ThatFailsIsQuotedOnOneLine) {
  EXPECT_NE(failure("echo first >&2; echo 'no more memory' >&2; exit 3").find("no more memory"),
            std::string::npos);
  const std::string escaped = failure("printf 'a\\033[31m\\377b\\n' >&2; exit 3");
  EXPECT_EQ(escaped.find('\033'), std::string::npos);
  EXPECT_EQ(escaped.find('\377'), std::string::npos);
}

TEST_F(LayoutChild, ThatPrintsSomethingElseIsAFailure) {
  for (const char* lines :
       {"exit 0", "echo hello", "head -c 100000 /dev/urandom", "head -c 100000 /dev/zero",
        "echo '{\"format\":\"stashscope-layout-result-2\",\"levels\":[]}'", "cat"}) {
    EXPECT_NE(failure(lines).find("unreadable"), std::string::npos) << lines;
  }
  const std::string half = to_text(place(request_, place_layered)).substr(0, 200);
  EXPECT_NE(failure("echo '" + half + "'").find("unreadable"), std::string::npos);
}

TEST_F(LayoutChild, ThatPrintsWithoutEndIsStopped) {
  EXPECT_NE(failure("cat /dev/zero").find("16.0 MiB"), std::string::npos);
  EXPECT_NE(failure("cat /dev/zero >&2").find("16.0 MiB"), std::string::npos);
}

TEST_F(LayoutChild, ThatNeverEndsIsStopped) {
  const milliseconds limit(100);
  EXPECT_NE(failure("exec sleep 1000", limit).find("longer than 0.1 s"), std::string::npos);
  EXPECT_NE(failure("while :; do :; done", limit).find("longer"), std::string::npos);
  EXPECT_NE(failure("trap '' TERM INT; while :; do :; done", limit).find("longer"),
            std::string::npos);
}

TEST_F(LayoutChild, ThatClosesItsStreamsAndGoesOnIsStopped) {
  EXPECT_NE(failure("exec >&- 2>&-; exec sleep 1000", milliseconds(100)).find("longer"),
            std::string::npos);
}

TEST_F(LayoutChild, IsStoppedWhenNobodyWantsItsAnswerAnyMore) {
  for (const char* lines : {"exec sleep 1000", "exec >&- 2>&-; exec sleep 1000", "yes"}) {
    const auto program = test::script(folder_ / "child", lines);
    const Progress progress;
    const std::jthread canceller([&] {
      std::this_thread::sleep_for(milliseconds(50));
      progress.cancel();
    });
    try {
      place_in_child(program, request_, progress);
      ADD_FAILURE() << lines;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled) << lines;
    }
  }
}

TEST_F(LayoutChild, ThatCannotBeStartedIsAFailure) {
  for (const std::filesystem::path& program : {folder_ / "missing", folder_.path(), {}}) {
    EXPECT_THROW(place_in_child(program, request_, Progress()), Error) << program;
  }
}

TEST(ServeLayout, RefusesWhatIsNoRequest) {
  for (const char* text : {"", "hello", R"({"format":"stashscope-layout-result-2","levels":[]})"}) {
    std::istringstream in(text);
    std::ostringstream out;
    EXPECT_THROW(serve_layout(in, out), Error);
    EXPECT_EQ(out.str(), "") << "half an answer would be worse than none";
  }
}

}  // namespace child_test
}  // namespace stashscope::layout

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string_view(stashscope::layout::child_option)) {
    stashscope::layout::serve_layout(std::cin, std::cout);
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
