// A worker that received its step over standard input leaves no files, however it ends.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/process/pipe.h"
#include "core/study/files/loaded_model.h"
#include "core/study/files/step_bundle.h"
#include "tests/app/command_line.h"
#include "tests/support/folder.h"
#include "tests/support/stream_text.h"

namespace stashscope {
namespace received_step_test {

/// The stream that sends the step of a model.
std::string sent_step(const fs::path& model) {
  const LoadedModel loaded = load_model_or_session(model, nullptr);
  Session session = loaded.session;
  session.choices.dims["N"] = 8;
  return test::stream_of(bundle_step(session, *loaded.model));
}

/// `stashscope-run - --stream` in its own process group and with its own folder of temporary files.
class Worker {
 public:
  explicit Worker(const fs::path& temporary) {
    id_ = ::fork();
    if (id_ == 0) start(temporary);
    input_.close_reading();
    output_.close_writing();
  }
  ~Worker() {
    if (id_ > 0) end_by(SIGKILL);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void send(std::string_view text) {
    ASSERT_EQ(::write(input_.writing(), text.data(), text.size()), std::ssize(text));
  }
  /// Waits until the worker has printed something.
  void wait_for_output() {
    char first = 0;
    ASSERT_EQ(::read(output_.reading(), &first, 1), 1);
  }
  void stop_reading() { output_.close_reading(); }

  int end_by(int signal) {
    ::kill(-id_, signal);
    return wait();
  }
  /// Returns the wait status.
  int wait() {
    int status = 0;
    EXPECT_EQ(::waitpid(id_, &status, 0), id_);
    id_ = -1;
    return status;
  }

 private:
  [[noreturn]] void start(const fs::path& temporary) const {
    ::setpgid(0, 0);
    ::setenv("TMPDIR", temporary.c_str(), 1);
    ::dup2(input_.reading(), STDIN_FILENO);
    ::dup2(output_.writing(), STDOUT_FILENO);
    ::execl(STASHSCOPE_WORKER, "stashscope-run", "-", "--stream", "--repeat", "1000", nullptr);
    ::_exit(127);
  }

  Pipe input_;
  Pipe output_;
  pid_t id_ = -1;
};

/// Whether the condition becomes true within a minute.
template <class Condition>
bool comes_true(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class ReceivedSteps : public CommandLine {
 public:
  void SetUp() override {
    CommandLine::SetUp();
    stream_ = sent_step(folder / "model.onnx");
  }

  /// Sends half of a step, so that the worker waits for the rest.
  void start_receiving(Worker& worker) const {
    worker.send(std::string_view(stream_).substr(0, stream_.size() / 2));
    ASSERT_TRUE(comes_true([this] { return has_file(); }));
  }
  void start_running(Worker& worker) const {
    worker.send(stream_);
    worker.wait_for_output();
    ASSERT_EQ(temporary_.entries(), 1U);
  }
  bool has_file() const {
    const fs::recursive_directory_iterator all(temporary_.path());
    return std::any_of(begin(all), end(all),
                       [](const auto& each) { return each.is_regular_file(); });
  }

  using Start = void (ReceivedSteps::*)(Worker&) const;

  void expect_cleared(int status, int signal) const {
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(comes_true([this] { return temporary_.entries() == 0; })) << strsignal(signal);
  }
  void expect_cleared_by_signals(Start start) const {
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGKILL}) {
      Worker worker(temporary_.path());
      (this->*start)(worker);
      expect_cleared(worker.end_by(signal), signal);
    }
  }
  void expect_cleared_by_reader(Start start) const {
    Worker worker(temporary_.path());
    (this->*start)(worker);
    worker.stop_reading();
    expect_cleared(worker.wait(), SIGPIPE);
  }

  std::string stream_;
  test::Folder temporary_;
};

TEST_F(ReceivedSteps, GoWhenASignalEndsTheWorkerThatReceivesThem) {
  expect_cleared_by_signals(&ReceivedSteps::start_receiving);
}

TEST_F(ReceivedSteps, GoWhenASignalEndsTheRun) {
  expect_cleared_by_signals(&ReceivedSteps::start_running);
}

TEST_F(ReceivedSteps, GoWithTheReaderOfARun) {
  expect_cleared_by_reader(&ReceivedSteps::start_running);
}

TEST_F(ReceivedSteps, GoWithTheReaderWhileNothingIsWritten) {
  expect_cleared_by_reader(&ReceivedSteps::start_receiving);
}

}  // namespace received_step_test
}  // namespace stashscope
