#include "core/run/worker.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/pipe.h"

extern char** environ;

namespace stashscope {

namespace {

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
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments, int input,
        const Pipe& output, const Pipe& errors) {
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    Pipe failure;
    const Launch launch{program.c_str(),
                        argv.data(),
                        {input, output.writing(), errors.writing()},
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
    failure.close_writing();
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

/// The parent's end of a stream that a child reads.
class InputStream {
 public:
  explicit InputStream(std::vector<std::string_view> pieces) : pieces_(std::move(pieces)) {
    // Unlike a pipe, a socket whose reader has gone can be written to without a signal.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) {
      fail_run("", std::string("cannot open a socket: ") + std::strerror(errno));
    }
  }
  ~InputStream() {
    close_end(0);
    close_end(1);
  }
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  int writing() const { return ends_[0]; }
  int get() const { return ends_[1]; }
  void close_reading() { close_end(1); }

  /// Whether there is more to write.
  bool write_some() {
    while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
    if (next_ == pieces_.size()) return finish();
    std::string_view& piece = pieces_[next_];
    const ssize_t count = ::send(ends_[0], piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR || finish();
    piece.remove_prefix(static_cast<std::size_t>(count));
    return true;
  }

 private:
  bool finish() {
    close_end(0);
    return false;
  }
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

/// Listens to a child until it closes its streams, and writes to it meanwhile.
class Conversation {
 public:
  Conversation(const std::function<void(const std::string&)>& on_line, const Patience& patience,
               std::size_t most_output)
      : on_line_(on_line),
        patience_(patience),
        readers_({LineReader(most_output), LineReader(most_output)}) {}

  /// @param input may be null
  void hold(const Pipe& output, const Pipe& errors, InputStream* input) {
    std::array<pollfd, 3> watched = {{{output.reading(), POLLIN, 0},
                                      {errors.reading(), POLLIN, 0},
                                      {input == nullptr ? -1 : input->writing(), POLLOUT, 0}}};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
      patience_.check();
      if (::poll(watched.data(), watched.size(), 50) <= 0) continue;
      for (std::size_t i = 0; i < watched.size(); ++i) {
        if (watched[i].fd < 0 || watched[i].revents == 0) continue;
        const bool goes_on = i == 2 ? input->write_some() : read(i, watched[i].fd);
        if (!goes_on) watched[i].fd = -1;
      }
    }
  }

  const std::string& last_words() const { return last_words_; }

 private:
  bool read(std::size_t stream, int fd) {
    if (stream == 0) return readers_[0].read_from(fd, on_line_);
    return readers_[1].read_from(fd, [this](const std::string& line) { last_words_ = line; });
  }

  const std::function<void(const std::string&)>& on_line_;
  const Patience& patience_;
  std::array<LineReader, 2> readers_;
  std::string last_words_;
};

/// @param stream what the parent writes; null when `input` is all there
ChildEnd converse(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                  int input, InputStream* stream, Conversation& conversation,
                  const Patience& patience) {
  Pipe output;
  Pipe errors;
  Child child(program, arguments, input, output, errors);
  output.close_writing();
  errors.close_writing();
  if (stream != nullptr) stream->close_reading();
  conversation.hold(output, errors, stream);
  return {child.wait(patience), conversation.last_words()};
}

}  // namespace

std::string describe_end(int status) {
  if (status < 128) return "the worker ended with status " + std::to_string(status);
  if (status == 128 + SIGKILL) return "the worker was killed; the system may be out of memory";
  return std::string("the worker crashed: ") + ::strsignal(status - 128);
}

ErrorKind kind_of_end(int status) {
  return status == 1 ? ErrorKind::input : status == 2 ? ErrorKind::usage : ErrorKind::run;
}

ChildEnd run_child_to_end(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::function<void(const std::string&)>& on_line,
                          const Progress& progress, const std::vector<std::string_view>& input) {
  const ChildLimits limits;
  const Patience patience(progress, limits);
  InputStream stream(input);
  Conversation conversation(on_line, patience, limits.output);
  return converse(program, arguments, stream.get(), &stream, conversation, patience);
}

void run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::function<void(const std::string&)>& on_line, const Progress& progress,
               const std::string& input, const ChildLimits& limits) {
  const Patience patience(progress, limits);
  const InputFile input_file(input);
  Conversation conversation(on_line, patience, limits.output);
  const ChildEnd end =
      converse(program, arguments, input_file.get(), nullptr, conversation, patience);
  if (end.status == 0) return;
  throw Error(
      kind_of_end(end.status), "",
      end.last_words.empty() ? describe_end(end.status) : printable(end.last_words, most_words));
}

std::filesystem::path running_program() {
  std::error_code status;
  return std::filesystem::read_symlink("/proc/self/exe", status);
}

std::filesystem::path worker_program() {
  return running_program().parent_path() / "stashscope-run";
}

}  // namespace stashscope
