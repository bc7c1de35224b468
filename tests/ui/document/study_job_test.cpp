// If several computations are started, only the newest gives a result.

#include "ui/document/study_job.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/ui/support/samples.h"

namespace stashscope::ui::test {
namespace study_job_test {

using namespace Qt::StringLiterals;

class StudyJobs : public testing::Test {
 protected:
  StudyJobs() {
    QObject::connect(&job_, &StudyJob::finished, &job_, [this](const StudyOutcome& outcome) {
      EXPECT_FALSE(job_.is_busy()) << "receivers may start the next computation";
      finished_.push_back(outcome);
    });
  }

  void open(const QString& path) {
    job_.open(path, [file = path.toStdString()] { return load_model_or_session(file, nullptr); });
  }

  StudyJob job_;
  std::vector<StudyOutcome> finished_;
};

TEST_F(StudyJobs, ANewerComputationReplacesTheOlder) {
  const QSignalSpy busy(&job_, &StudyJob::busy_changed);
  open(sample(u"lenet"_s));
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(job_.is_opening());
  ASSERT_TRUE(comes_true([this] { return !job_.is_busy(); }));
  ASSERT_EQ(finished_.size(), 1U);
  EXPECT_TRUE(finished_.front().is_opening);
  EXPECT_EQ(finished_.front().path, sample(u"gpt2_tiny"_s));
  EXPECT_FALSE(finished_.front().failure);
  EXPECT_EQ(finished_.front().loaded->model, finished_.front().study->model);
  EXPECT_EQ(busy.count(), 2) << "it was busy without a break";
}

TEST_F(StudyJobs, ACancelledOneHasNoResult) {
  open(sample(u"lenet"_s));
  job_.cancel();
  EXPECT_FALSE(job_.is_busy());
  EXPECT_FALSE(job_.is_opening());
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([this] { return !job_.is_busy(); }));
  ASSERT_EQ(finished_.size(), 1U);
  EXPECT_EQ(finished_.front().path, sample(u"gpt2_tiny"_s));
}

TEST_F(StudyJobs, AFailureOfTheLoaderComesBack) {
  job_.open(u"x"_s, []() -> LoadedModel { throw Error(ErrorKind::input, "x", "no such model"); });
  ASSERT_TRUE(comes_true([this] { return !job_.is_busy(); }));
  ASSERT_EQ(finished_.size(), 1U);
  ASSERT_TRUE(finished_.front().failure);
  EXPECT_EQ(finished_.front().failure->kind, ErrorKind::input);
  EXPECT_EQ(finished_.front().study, nullptr);
}

}  // namespace study_job_test
}  // namespace stashscope::ui::test
