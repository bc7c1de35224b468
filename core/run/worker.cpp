#include "core/run/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"

extern char** environ;

namespace stashscope {

namespace {

/// Both ends of a pipe; the child gets the writing end.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      fail_run("", std::string("cannot open a pipe: ") + std::strerror(errno));
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// A nameless file that holds the child's input: unlike a pipe, it takes any amount at once.
class InputFile {
 public:
  explicit InputFile(const std::string& input) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    if (fd_ < 0) fail_run("", std::string("cannot hold the input: ") + std::strerror(errno));
    std::string_view rest = input;
    while (!rest.empty()) {
      const ssize_t written = ::write(fd_, rest.data(), rest.size());
      if (written < 0) fail_run("", std::string("cannot hold the input: ") + std::strerror(errno));
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(fd_, 0, SEEK_SET);
  }
  ~InputFile() { ::close(fd_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

/// A worker's lines are short, a layout's curves too; what is longer is no answer.
constexpr std::size_t longest_line = std::size_t{16} << 20;
/// Of a failed worker's last line.
constexpr std::size_t most_words = 2000;

/// Says when to stop waiting for a child.
class Patience {
 public:
  Patience(const Progress& progress, const ChildLimits& limits)
      : progress_(progress), limits_(limits), start_(std::chrono::steady_clock::now()) {}

  /// Throws when it is over.
  void check() const {
    if (progress_.cancelled()) throw Error(ErrorKind::cancelled, "", "cancelled");
    if (!limits_.time || std::chrono::steady_clock::now() - start_ <= *limits_.time) return;
    const auto limit = static_cast<double>(limits_.time->count()) / 1000;
    fail_run("", "the worker took longer than " + format_number(limit) + " s");
  }

 private:
  const Progress& progress_;
  const ChildLimits& limits_;
  const std::chrono::steady_clock::time_point start_;
};

/// What a child does before it becomes its program. Between fork and exec only calls that are safe
/// in a signal handler are allowed.
struct Launch {
  const char* program;
  char* const* arguments;
  std::array<int, 3> streams;
  int failure;  ///< pipe that takes errno when the program cannot be started
  pid_t parent;

  [[noreturn]] void run() const {
    // Whoever starts a child waits for it on the same thread, so that the thread's end is the
    // parent's.
    const bool watched = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent;
    bool ready = watched;
    for (int i = 0; ready && i < 3; ++i) {
      ready = ::dup2(streams[static_cast<std::size_t>(i)], i) >= 0;
    }
    if (ready) ::execve(program, arguments, environ);
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = ::write(failure, &reason, sizeof(reason));
    ::_exit(127);
  }
};

/// A child process that does not outlive its owner, however that ends.
class Child {
 public:
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
        const InputFile& input, const Pipe& output, const Pipe& errors) {
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    Pipe failure;
    const Launch launch{program.c_str(),
                        argv.data(),
                        {input.get(), output.writing(), errors.writing()},
                        failure.writing(),
                        ::getpid()};
    id_ = ::fork();
    if (id_ == 0) launch.run();
    const int reason = id_ < 0 ? errno : wait_for_start(failure);
    if (reason == 0) return;
    end();
    fail_run("", "cannot start '" + printable(program.string()) + "': " + std::strerror(reason),
             "install stashscope-run beside stashscope");
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Exit status as the shell counts it: 128 + signal for a crash.
  int wait(const Patience& patience) {
    int status = 0;
    // Whoever has closed its streams need not have ended.
    pid_t ended = 0;
    while ((ended = ::waitpid(id_, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
      patience.check();
      ::poll(nullptr, 0, 1);
    }
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  /// The program closes the pipe as it starts. Returns why it did not start, or 0.
  static int wait_for_start(Pipe& failure) {
    failure.close_end(1);
    int reason = 0;
    ssize_t count = 0;
    while ((count = ::read(failure.reading(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
    }
    return count == sizeof(reason) ? reason : 0;
  }

  void end() {
    if (id_ < 0) return;
    ::kill(id_, SIGKILL);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
  }

  pid_t id_ = -1;
};

/// Cuts a stream of bytes into lines.
class LineReader {
 public:
  /// @param most bytes before the stream counts as endless
  explicit LineReader(std::size_t most) : left_(most) {}

  /// Whether the stream goes on.
  template <class OnLine>
  bool read_from(int fd, OnLine on_line) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) {
      if (!rest_.empty()) on_line(rest_);
      rest_.clear();
      return false;
    }
    rest_.append(buffer.data(), static_cast<std::size_t>(count));
    if (static_cast<std::size_t>(count) > left_) fail_run("", "the worker printed too much");
    left_ -= static_cast<std::size_t>(count);
    std::size_t start = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', start)) != std::string::npos;
         start = end + 1) {
      on_line(rest_.substr(start, end - start));
    }
    rest_.erase(0, start);
    if (rest_.size() > longest_line) fail_run("", "the worker printed an endless line");
    return true;
  }

 private:
  std::size_t left_;
  std::string rest_;
};

std::string describe_end(int status) {
  if (status < 128) return "the worker ended with status " + std::to_string(status);
  if (status == 128 + SIGKILL) return "the worker was killed; the system may be out of memory";
  return std::string("the worker crashed: ") + ::strsignal(status - 128);
}

ErrorKind kind_of(int status) {
  return status == 1 ? ErrorKind::input : status == 2 ? ErrorKind::usage : ErrorKind::run;
}

}  // namespace

void run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::function<void(const std::string&)>& on_line, const Progress& progress,
               const std::string& input, const ChildLimits& limits) {
  const Patience patience(progress, limits);
  Pipe output;
  Pipe errors;
  const InputFile input_file(input);
  Child child(program, arguments, input_file, output, errors);
  output.close_end(1);
  errors.close_end(1);
  std::array<pollfd, 2> watched = {{{output.reading(), POLLIN, 0}, {errors.reading(), POLLIN, 0}}};
  std::array<LineReader, 2> readers = {LineReader(limits.output), LineReader(limits.output)};
  std::string last_words;
  const auto keep_words = [&](const std::string& line) { last_words = line; };
  int open_streams = 2;
  while (open_streams > 0) {
    patience.check();
    if (::poll(watched.data(), watched.size(), 50) <= 0) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (watched[i].fd < 0 || watched[i].revents == 0) continue;
      const bool goes_on = i == 0 ? readers[0].read_from(watched[0].fd, on_line)
                                  : readers[1].read_from(watched[1].fd, keep_words);
      if (goes_on) continue;
      watched[i].fd = -1;
      --open_streams;
    }
  }
  const int status = child.wait(patience);
  if (status == 0) return;
  throw Error(kind_of(status), "",
              last_words.empty() ? describe_end(status) : printable(last_words, most_words));
}

std::filesystem::path running_program() {
  std::error_code status;
  return std::filesystem::read_symlink("/proc/self/exe", status);
}

std::filesystem::path worker_program() {
  return running_program().parent_path() / "stashscope-run";
}

}  // namespace stashscope
