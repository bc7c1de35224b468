#include "core/study/files/step_bundle.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/onnx/model_file.h"
#include "core/study/files/loaded_model.h"
#include "tests/support/folder.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"
#include "tests/support/stream_text.h"

namespace stashscope {
namespace step_bundle_test {

TEST(StepBundle, ArrivesWithModelChoicesAndGoesAgain) {
  const test::Folder folder;
  const auto model = test::named(test::blocks(2));
  save_model(*model, folder / "my model.onnx");
  Session session;
  session.model = folder / "my model.onnx";
  session.choices.dims = {{"N", 5}};
  session.choices.plans.level = 1;
  std::istringstream stream(test::stream_of(bundle_step(session, *model)));
  std::filesystem::path place;
  {
    const ReceivedStep received(stream);
    place = received.session();
    const LoadedModel loaded = load_model_or_session(place, nullptr);
    EXPECT_EQ(loaded.session.choices, session.choices);
    EXPECT_EQ(loaded.session.model.filename(), "my model.onnx");
    EXPECT_EQ(loaded.model->nodes().size(), model->nodes().size());
    EXPECT_TRUE(loaded.warnings.empty());
  }
  EXPECT_FALSE(std::filesystem::exists(place.parent_path()));
}

TEST(StepBundle, ABrokenStreamLeavesNothingBehind) {
  const test::Folder temporary;
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  std::istringstream stream("stashscope-files 1\n10 1\nashort");
  const std::string said =
      test::refusal(ErrorKind::input, [&] { const ReceivedStep received(stream); });
  ::unsetenv("TMPDIR");
  EXPECT_NE(said, "accepted");
  EXPECT_EQ(temporary.entries(), 0U);
}

}  // namespace step_bundle_test
}  // namespace stashscope
