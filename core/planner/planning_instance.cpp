#include "core/planner/planning_instance.h"

#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"

namespace stashscope {

namespace {

constexpr std::string_view format_hint =
    "the format is 'n m persistent', then n lines 'cost memory', then m lines 'producer "
    "consumer'";

/// Reads integers separated by white space and keeps track of the line.
class NumberReader {
 public:
  NumberReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  std::int64_t next(std::int64_t least, std::int64_t most, const char* meaning) {
    skip_space();
    std::int64_t number = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (at_ == text_.size()) fail(std::string("ends before the ") + meaning);
    if (error != std::errc() || number < least || number > most) {
      fail(std::string("the ") + meaning + " must be an integer from " + std::to_string(least) +
           " to " + std::to_string(most) + ", not '" + printable(word(), 40) + "'");
    }
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && !is_space(text_[at_]))
      fail("has '" + printable(word(), 40) + "' directly after a number");
    return number;
  }

  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail("has text after the last edge");
  }

  [[noreturn]] void fail(const std::string& what) const {
    fail_input(file_ + ", line " + std::to_string(line_), what, std::string(format_hint));
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip_space() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }

  std::string word() const {
    std::size_t end = at_;
    while (end < text_.size() && !is_space(text_[end])) ++end;
    return std::string(text_.substr(at_, end - at_));
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Limits on the cost and bytes of a task and on the number of tasks, so that sums over all tasks
/// fit into 64 bits.
constexpr std::int64_t most_of_a_task = std::int64_t{1} << 42;
constexpr std::int64_t most_tasks = 1 << 20;

}  // namespace

PlanningInstance read_instance(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  NumberReader numbers(text, printable(path.string()));
  const auto tasks = static_cast<std::size_t>(numbers.next(1, most_tasks, "number of tasks"));
  const std::int64_t edge_count = numbers.next(0, 64 * most_tasks, "number of edges");
  const std::int64_t fixed = numbers.next(0, std::int64_t{1} << 60, "persistent memory");
  std::vector<std::int64_t> cost;
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < tasks; ++i) {
    cost.push_back(numbers.next(0, most_of_a_task, "cost"));
    bytes.push_back(numbers.next(0, most_of_a_task, "memory"));
  }
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::int64_t i = 0; i < edge_count; ++i) {
    const auto last = static_cast<std::int64_t>(tasks) - 1;
    const std::int64_t from = numbers.next(0, last, "producer");
    const std::int64_t to = numbers.next(0, last, "consumer");
    if (from >= to) numbers.fail("has an edge whose consumer does not come after its producer");
    edges.emplace_back(TaskId(static_cast<std::size_t>(from)),
                       TaskId(static_cast<std::size_t>(to)));
  }
  numbers.expect_end();
  PlanningInstance instance{TaskGraph::of_single_outputs(cost, bytes, edges), {}};
  instance.graph.persistent_bytes = fixed;
  for (const TaskId task : IdRange<TaskId>(tasks)) instance.given_order.push_back(task);
  return instance;
}

void write_sequence(const std::filesystem::path& path, const std::vector<TaskId>& sequence) {
  std::string text;
  for (const TaskId task : sequence) text += std::to_string(task.index()) + "\n";
  write_file_atomically(path, text);
}

}  // namespace stashscope
