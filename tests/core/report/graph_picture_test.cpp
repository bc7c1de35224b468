#include "core/report/graph_picture.h"

#include <gtest/gtest.h>

#include "core/base/text.h"
#include "tests/support/folder.h"
#include "tests/support/named_model.h"
#include "tests/support/processes.h"
#include "tests/support/xml.h"

namespace stashscope {
namespace graph_picture_test {

class GraphPicture : public testing::Test {
 protected:
  /// The picture when a shell script with these lines is the layout child.
  std::string svg_with(const std::string& lines) {
    const auto program = test::script(folder_ / "child", lines);
    return graph_svg(*study_, "blocks", program, warnings_, std::chrono::milliseconds(200));
  }

  void expect_plain_picture(const std::string& svg, const std::string& warning) {
    EXPECT_EQ(test::xml_fault(svg), "");
    for (const char* layer : {"h.0", "h.1", "h.2"}) EXPECT_NE(svg.find(layer), std::string::npos);
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("plain layout"), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[0].find(warning), std::string::npos) << warnings_[0];
    EXPECT_EQ(test::children(), 0U);
  }

  const test::Folder folder_;
  const std::shared_ptr<const Study> study_ = test::study_of(test::named(test::blocks(3)), 1);
  std::vector<std::string> warnings_;
};

TEST_F(GraphPicture, IsPlainWithoutTheChild) {
  const std::string svg = graph_svg(*study_, "blocks", folder_ / "missing", warnings_);
  expect_plain_picture(svg, "missing");
}

TEST_F(GraphPicture, IsPlainWhenTheChildIsKilled) {
  expect_plain_picture(svg_with("kill -9 $$"), "killed");
}

TEST_F(GraphPicture, IsPlainWhenTheChildPrintsGarbage) {
  expect_plain_picture(svg_with("head -c 5000 /dev/urandom"), "unreadable");
}

TEST_F(GraphPicture, IsPlainWhenTheChildNeverEnds) {
  expect_plain_picture(svg_with("exec sleep 1000"), "longer than 0.2 s");
}

TEST_F(GraphPicture, HasTheTitleOfTheModelAndWhatIsRecomputed) {
  const std::string svg = graph_svg(*study_, "<my> model", folder_ / "missing", warnings_);
  EXPECT_NE(svg.find("&lt;my&gt; model"), std::string::npos);
  EXPECT_NE(svg.find("recomputed"), std::string::npos);
  EXPECT_NE(svg.find("stashed:"), std::string::npos);
}

TEST_F(GraphPicture, ItsTitleHasModelSizesAndPeak) {
  EXPECT_EQ(picture_title(*study_, "/models/blocks.onnx"),
            "blocks, batch " + std::to_string(study_->sizes->dims.dimensions.front().value) +
                ": peak " + format_bytes(study_->current->timeline.peak_bytes));
}

TEST_F(GraphPicture, TheGroupingDependsOnThePreparedPartOnly) {
  const auto other = test::study_of(study_->model, 0);
  const layout::Grouping a = grouping_of(*study_);
  const layout::Grouping b = grouping_of(*other);
  EXPECT_EQ(a.group_of, b.group_of);
  EXPECT_EQ(a.side, b.side);
  EXPECT_EQ(a.partner, b.partner);
}

}  // namespace graph_picture_test
}  // namespace stashscope
