#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/base/progress.h"
#include "ui/jobs/failure.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// Computes answers on a thread of its own and hands each answer to the owner's thread. A new
/// question cancels the previous question, so that only the newest question is answered. Must be a
/// member of `owner`: Qt drops the call that delivers an answer only if `owner` is destroyed.
template <typename Answer>
class LatestAnswer {
 public:
  using Compute = std::function<Answer(const Progress&)>;
  /// Receives the answer, or nothing if the computation failed.
  using Take = std::function<void(std::optional<Answer>)>;
  /// Receives the reason if the computation failed. Called before `Take`.
  using Fail = std::function<void(const Failure&)>;

  LatestAnswer(QObject& owner, JobThread::Urgency urgency)
      : owner_(owner), thread_(JobThread::AtEnd::drop, urgency) {}
  ~LatestAnswer() { progress_.cancel(); }
  LatestAnswer(const LatestAnswer&) = delete;
  LatestAnswer& operator=(const LatestAnswer&) = delete;

  void ask(Compute compute, Take take, Fail fail = {}) {
    cancel();
    progress_ = Progress();
    is_busy_ = true;
    thread_.post([this, compute = std::move(compute), take = std::move(take),
                  fail = std::move(fail), progress = progress_, question = question_] {
      if (progress.cancelled()) return;
      const auto answer = std::make_shared<std::optional<Answer>>();
      const auto failure = failure_of([&] { *answer = compute(progress); });
      QMetaObject::invokeMethod(
          &owner_,
          [this, take, fail, answer, failure, question] {
            if (failure && fail && question == question_) fail(*failure);
            deliver(take, *answer, question);
          },
          Qt::QueuedConnection);
    });
  }

  void cancel() {
    progress_.cancel();
    ++question_;
    is_busy_ = false;
  }

  bool is_busy() const { return is_busy_; }

 private:
  void deliver(const Take& take, std::optional<Answer>& answer, std::uint64_t question) {
    if (question != question_) return;
    is_busy_ = false;
    take(std::move(answer));
  }

  QObject& owner_;
  Progress progress_;
  std::uint64_t question_ = 0;
  bool is_busy_ = false;
  JobThread thread_;
};

}  // namespace stashscope::ui
