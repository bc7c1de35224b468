// A worker that got its step over standard input leaves nothing behind, however it ends.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "core/run/pipe.h"
#include "core/study/step_bundle.h"
#include "core/study/subject.h"
#include "tests/app/command_line.h"
#include "tests/support/folder.h"

namespace stashscope {
namespace {

/// The step of a model as it is sent.
std::string stream_of(const fs::path& model) {
  const Subject subject = load_subject(model, nullptr);
  Session session = subject.session;
  session.choices.dims["N"] = 8;
  const FileBundle bundle = bundle_step(session, *subject.model);
  std::string stream;
  for (const std::string_view piece : bundle.pieces()) stream += piece;
  return stream;
}

/// `stashscope-run - --stream` in a process group and with a folder of temporary files of its own.
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
  /// The wait status.
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

/// Whether that comes true within a minute.
template <class Condition>
bool comes_true(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

constexpr std::array signals = {SIGHUP, SIGINT, SIGTERM, SIGKILL};

class ReceivedSteps : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    stream_ = stream_of(folder / "model.onnx");
  }

  /// Lets a worker wait for the rest of its step.
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
  bool is_cleared() const {
    return comes_true([this] { return temporary_.entries() == 0; });
  }

  std::string stream_;
  test::Folder temporary_;
};

void expect_signal(int status, int signal) {
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), signal);
}

TEST_F(ReceivedSteps, GoWhenASignalEndsTheWorkerThatReceivesThem) {
  for (const int signal : signals) {
    Worker worker(temporary_.path());
    start_receiving(worker);
    expect_signal(worker.end_by(signal), signal);
    EXPECT_TRUE(is_cleared()) << strsignal(signal);
  }
}

TEST_F(ReceivedSteps, GoWhenASignalEndsTheRun) {
  for (const int signal : signals) {
    Worker worker(temporary_.path());
    start_running(worker);
    expect_signal(worker.end_by(signal), signal);
    EXPECT_TRUE(is_cleared()) << strsignal(signal);
  }
}

TEST_F(ReceivedSteps, GoWithTheReaderOfARun) {
  Worker worker(temporary_.path());
  start_running(worker);
  worker.stop_reading();
  expect_signal(worker.wait(), SIGPIPE);
  EXPECT_TRUE(is_cleared());
}

TEST_F(ReceivedSteps, GoWithTheReaderWhileNothingIsWritten) {
  Worker worker(temporary_.path());
  start_receiving(worker);
  worker.stop_reading();
  expect_signal(worker.wait(), SIGPIPE);
  EXPECT_TRUE(is_cleared());
}

}  // namespace
}  // namespace stashscope
