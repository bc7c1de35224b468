#include "ui/jobs/job_thread.h"

#include <sys/resource.h>

#include <utility>

namespace stashscope::ui {

namespace {

constexpr int background_niceness = 10;

}  // namespace

JobThread::JobThread(AtEnd at_end, Urgency urgency)
    : at_end_(at_end), urgency_(urgency), thread_([this] { run(); }) {}

JobThread::~JobThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (at_end_ == AtEnd::drop) jobs_.clear();
  }
  changed_.notify_one();
  thread_.join();
}

void JobThread::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void JobThread::run() {
  // On Linux, this call changes the calling thread only.
  if (urgency_ == Urgency::background) setpriority(PRIO_PROCESS, 0, background_niceness);
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

}  // namespace stashscope::ui
