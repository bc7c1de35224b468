#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace stashscope::ui {

/// A thread that runs jobs one after another. Jobs must not throw.
class JobThread {
 public:
  /// The treatment of jobs that have not started when the destructor runs.
  enum class AtEnd { drop, finish };

  /// A background thread takes less of a busy processor than the threads that the user waits for.
  enum class Urgency { normal, background };

  explicit JobThread(AtEnd at_end, Urgency urgency = Urgency::normal);
  /// Waits for the running job and, with `AtEnd::finish`, for all further jobs. To keep this wait
  /// short, the caller cancels the jobs first.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  void post(std::function<void()> job);

 private:
  void run();

  const AtEnd at_end_;
  const Urgency urgency_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace stashscope::ui
