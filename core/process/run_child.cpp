#include "core/process/run_child.h"

#include <poll.h>

#include <array>
#include <csignal>
#include <cstring>

#include "core/base/error.h"
#include "core/process/child_process.h"
#include "core/process/child_streams.h"
#include "core/process/pipe.h"

namespace stashscope {

namespace {

/// Reads from a child until the child closes its streams, and meanwhile writes the child's input.
class Conversation {
 public:
  Conversation(const LineReader::OnLine& on_line, std::size_t most_output)
      : output_(most_output, on_line),
        errors_(most_output, [this](const std::string& line) { last_words_ = line; }) {}
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// @param input may be null
  void hold(const Pipe& output, const Pipe& errors, InputStream* input, const Deadline& deadline) {
    std::array<pollfd, 3> watched = {{{output.reading(), POLLIN, 0},
                                      {errors.reading(), POLLIN, 0},
                                      {input == nullptr ? -1 : input->writing(), POLLOUT, 0}}};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
      deadline.check();
      if (::poll(watched.data(), watched.size(), 50) <= 0) continue;
      for (std::size_t i = 0; i < watched.size(); ++i) {
        if (watched[i].fd < 0 || watched[i].revents == 0) continue;
        const bool goes_on = i == 2 ? input->write_some() : read(i, watched[i].fd);
        if (!goes_on) watched[i].fd = -1;
      }
    }
  }

  /// Call this function after the child has ended.
  /// @param ended_well whether the child ended with status 0
  void finish(bool ended_well) {
    errors_.finish();
    if (ended_well) output_.finish();
  }

  const std::string& last_words() const { return last_words_; }

 private:
  bool read(std::size_t stream, int fd) { return (stream == 0 ? output_ : errors_).read_from(fd); }

  LineReader output_;
  LineReader errors_;
  std::string last_words_;
};

/// @param stream the input that the parent writes; null when `input` is already complete
ChildEnd converse(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                  int input, InputStream* stream, const LineReader::OnLine& on_line,
                  const Progress& progress, const ChildLimits& limits) {
  const Deadline deadline(progress, limits.time);
  Pipe output;
  Pipe errors;
  ChildProcess child(program, arguments, {input, output.writing(), errors.writing()});
  output.close_writing();
  errors.close_writing();
  if (stream != nullptr) stream->close_reading();
  Conversation conversation(on_line, limits.output);
  conversation.hold(output, errors, stream, deadline);
  const int status = child.wait(deadline);
  conversation.finish(status == 0);
  return {status, conversation.last_words()};
}

}  // namespace

std::string describe_end(const ChildEnd& end) {
  const std::string said = printable(end.last_words, most_last_words);
  if (end.status >= 128) {
    return describe_end(end.status) + (said.empty() ? "" : " (its last message: " + said + ")");
  }
  return said.empty() ? describe_end(end.status) : said;
}

std::string describe_end(int status) {
  if (status < 128) return "the child process ended with status " + std::to_string(status);
  if (status == 128 + SIGKILL)
    return "the child process was killed; the system may be out of memory";
  return std::string("the child process crashed: ") + ::strsignal(status - 128);
}

ErrorKind kind_of_end(int status) {
  return status == 1 ? ErrorKind::input : status == 2 ? ErrorKind::usage : ErrorKind::run;
}

ChildEnd run_child_to_end(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::function<void(const std::string&)>& on_line,
                          const Progress& progress, const std::vector<std::string_view>& input) {
  InputStream stream(input);
  return converse(program, arguments, stream.reading(), &stream, on_line, progress, {});
}

void run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::function<void(const std::string&)>& on_line, const Progress& progress,
               const std::string& input, const ChildLimits& limits) {
  const InputFile file(input);
  const ChildEnd end = converse(program, arguments, file.get(), nullptr, on_line, progress, limits);
  if (end.status == 0) return;
  throw Error(kind_of_end(end.status), "", describe_end(end));
}

std::filesystem::path running_program() {
  std::error_code status;
  return std::filesystem::read_symlink("/proc/self/exe", status);
}

std::filesystem::path worker_program() {
  return running_program().parent_path() / "stashscope-run";
}

}  // namespace stashscope
