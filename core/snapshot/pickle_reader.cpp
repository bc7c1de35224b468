#include "core/snapshot/pickle_reader.h"

#include <bit>
#include <charconv>

#include "core/base/text.h"
#include "core/snapshot/pickle_input.h"
#include "core/snapshot/pickle_opcodes.h"
#include "core/snapshot/pickle_texts.h"

namespace stashscope {

namespace {

constexpr std::size_t most_marks = 256;
/// Limit on the opcodes that drop values. Python writes them only for tuples that contain
/// themselves.
constexpr std::int64_t most_taken_back = std::int64_t{1} << 20;
constexpr const char* give_snapshot = "give a snapshot of torch.cuda.memory._dump_snapshot";

/// A pickle is a program for a stack machine. This machine has only the instructions that make
/// data.
class PickleMachine {
 public:
  PickleMachine(std::istream& stream, std::int64_t bytes, MemoryBudget& budget)
      : input_(stream, bytes), budget_(budget), document_(budget) {}

  PickleDocument run() {
    while (true) {
      opcode_at_ = input_.position();
      const std::uint8_t opcode = input_.byte();
      if (static_cast<PickleOpcode>(opcode) == PickleOpcode::stop) break;
      if (!carry_out(opcode)) refuse(opcode);
    }
    document_.root = pop();
    return std::move(document_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const char* hint = give_snapshot) const {
    fail_input("byte " + std::to_string(opcode_at_), what, hint);
  }

  [[noreturn]] void fail_damaged() const { fail("the file is damaged or is no pickle"); }

  /// Names the class if the opcode carries its name.
  std::string named_class(std::uint8_t opcode) {
    std::string name;
    if (opcode == 'c' || opcode == 'i') {
      name = std::string(input_.line());
      name += "." + std::string(input_.line());
    } else if (opcode == 0x93 && stack_.size() >= 2 && is_text(1) && is_text(2)) {
      name = document_.text(stack_[stack_.size() - 2]) + "." + document_.text(stack_.back());
    }
    return name.empty() ? name : " '" + printable(name, 80) + "'";
  }

  bool is_text(std::size_t from_top) const {
    return document_.kind(stack_[stack_.size() - from_top]) == PickleKind::text;
  }

  [[noreturn]] void refuse(std::uint8_t opcode) {
    const std::string_view name = name_of_code(opcode);
    if (name.empty()) fail_damaged();
    fail("the pickle " + std::string(effect_of_code(opcode)) + named_class(opcode) + " (" +
             std::string(name) + "); only data is read, because the rest could run code",
         "save dicts, lists, texts and numbers only, as torch.cuda.memory._dump_snapshot does");
  }

  void push(PickleId value) {
    if (stack_.size() == stack_.capacity()) {
      budget_.take(std::max<std::size_t>(64, stack_.size()) * 2 * sizeof(PickleId));
    }
    stack_.push_back(value);
  }

  PickleId pop() {
    if (stack_.size() <= bottom()) fail_damaged();
    const PickleId value = stack_.back();
    stack_.pop_back();
    return value;
  }

  PickleId top() const {
    if (stack_.size() <= bottom()) fail_damaged();
    return stack_.back();
  }

  std::size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }

  void mark() {
    if (marks_.size() == most_marks) fail("values are nested too deeply");
    marks_.push_back(stack_.size());
  }

  std::size_t pop_mark() {
    if (marks_.empty()) fail_damaged();
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return mark;
  }

  std::int64_t long_integer(std::uint64_t bytes) {
    const std::optional<std::int64_t> number = integer_of_bytes(input_.take(bytes));
    if (!number) fail("has an integer of more than 64 bits");
    return *number;
  }

  std::int64_t integer_in_line() {
    const std::optional<std::int64_t> number = integer_of_text(input_.line());
    if (!number) fail("has an integer that cannot be read");
    return *number;
  }

  PickleId integer_or_boolean() {
    const std::string_view line = input_.line();
    if (line == "00" || line == "01") return document_.boolean(line == "01");
    const std::optional<std::int64_t> number = integer_of_text(line);
    if (!number) fail("has an integer that cannot be read");
    return document_.add_integer(*number);
  }

  double real_in_line() {
    const std::optional<double> number = real_of_text(input_.line());
    if (!number) fail("has a float that cannot be read");
    return *number;
  }

  /// A float of 8 bytes, the highest first.
  double real() {
    std::uint64_t bits = 0;
    for (int byte = 0; byte < 8; ++byte) bits = bits << 8 | input_.byte();
    return std::bit_cast<double>(bits);
  }

  PickleId unescaped(std::optional<std::string> text) {
    if (!text) fail("has a text that cannot be read");
    return document_.add_text(*text);
  }

  PickleId text(std::uint64_t bytes) { return document_.add_text(input_.take(bytes)); }
  PickleId bytes(std::uint64_t bytes) { return document_.add_bytes(input_.take(bytes)); }

  PickleId integer4() { return document_.add_integer(static_cast<std::int32_t>(input_.number(4))); }

  /// Returns false if the opcode makes no number, boolean or None.
  bool make_number(PickleOpcode opcode) {
    switch (opcode) {
      case PickleOpcode::none:
        return push(document_.none()), true;
      case PickleOpcode::true_value:
        return push(document_.boolean(true)), true;
      case PickleOpcode::false_value:
        return push(document_.boolean(false)), true;
      case PickleOpcode::real_line:
        return push(document_.add_real(real_in_line())), true;
      case PickleOpcode::real8:
        return push(document_.add_real(real())), true;
      case PickleOpcode::integer_line:
        return push(integer_or_boolean()), true;
      case PickleOpcode::long_line:
        return push(document_.add_integer(integer_in_line())), true;
      case PickleOpcode::integer1:
        return push(document_.add_integer(input_.byte())), true;
      case PickleOpcode::integer2:
        return push(document_.add_integer(static_cast<std::int64_t>(input_.number(2)))), true;
      case PickleOpcode::integer4:
        return push(integer4()), true;
      case PickleOpcode::long1:
        return push(document_.add_integer(long_integer(input_.byte()))), true;
      case PickleOpcode::long4:
        return push(document_.add_integer(long_integer(input_.number(4)))), true;
      default:
        return false;
    }
  }

  /// Returns false if the opcode makes no value.
  bool make_value(std::uint8_t code) {
    const auto opcode = static_cast<PickleOpcode>(code);
    switch (opcode) {
      case PickleOpcode::string_line:
        return push(unescaped(text_of_literal(input_.line()))), true;
      case PickleOpcode::unicode_line:
        return push(unescaped(text_of_escapes(input_.line()))), true;
      case PickleOpcode::string1:
      case PickleOpcode::unicode1:
        return push(text(input_.byte())), true;
      case PickleOpcode::string4:
      case PickleOpcode::unicode4:
        return push(text(input_.number(4))), true;
      case PickleOpcode::unicode8:
        return push(text(input_.number(8))), true;
      case PickleOpcode::bytes1:
        return push(bytes(input_.byte())), true;
      case PickleOpcode::bytes4:
        return push(bytes(input_.number(4))), true;
      case PickleOpcode::bytes8:
        return push(bytes(input_.number(8))), true;
      default:
        return make_number(opcode);
    }
  }

  void check_kind(PickleId container, PickleKind kind) const {
    if (document_.kind(container) != kind) fail_damaged();
  }

  /// Moves the values of the stack, beginning at place `from`, into the container.
  void move_values(std::size_t from, PickleId container) {
    for (std::size_t at = from; at < stack_.size(); ++at) document_.append(container, stack_[at]);
    stack_.resize(from);
  }

  void collect(PickleKind kind, std::size_t from) {
    if (from < bottom() || from > stack_.size()) fail_damaged();
    if (kind == PickleKind::dict && (stack_.size() - from) % 2 != 0) fail_damaged();
    const PickleId container = document_.add_container(kind);
    move_values(from, container);
    push(container);
  }

  void collect_last(std::size_t values) {
    if (stack_.size() < values) fail_damaged();
    collect(PickleKind::tuple, stack_.size() - values);
  }

  /// Moves the values of the stack, beginning at place `from`, into the container below them.
  void add_to(PickleKind kind, std::size_t from) {
    if (from <= bottom() || from > stack_.size()) fail_damaged();
    if (kind == PickleKind::dict && (stack_.size() - from) % 2 != 0) fail_damaged();
    const PickleId container = stack_[from - 1];
    check_kind(container, kind);
    move_values(from, container);
  }

  void add_last(PickleKind kind, std::size_t values) {
    if (stack_.size() < values) fail_damaged();
    add_to(kind, stack_.size() - values);
  }

  /// Returns false if the opcode makes or changes no container.
  bool change_container(std::uint8_t opcode) {
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::mark:
        return mark(), true;
      case PickleOpcode::empty_list:
        return collect(PickleKind::list, stack_.size()), true;
      case PickleOpcode::empty_dict:
        return collect(PickleKind::dict, stack_.size()), true;
      case PickleOpcode::empty_tuple:
        return collect(PickleKind::tuple, stack_.size()), true;
      case PickleOpcode::list:
        return collect(PickleKind::list, pop_mark()), true;
      case PickleOpcode::dict:
        return collect(PickleKind::dict, pop_mark()), true;
      case PickleOpcode::tuple:
        return collect(PickleKind::tuple, pop_mark()), true;
      case PickleOpcode::tuple1:
        return collect_last(1), true;
      case PickleOpcode::tuple2:
        return collect_last(2), true;
      case PickleOpcode::tuple3:
        return collect_last(3), true;
      case PickleOpcode::append:
        return add_last(PickleKind::list, 1), true;
      case PickleOpcode::appends:
        return add_to(PickleKind::list, pop_mark()), true;
      case PickleOpcode::set_item:
        return add_last(PickleKind::dict, 2), true;
      case PickleOpcode::set_items:
        return add_to(PickleKind::dict, pop_mark()), true;
      default:
        return false;
    }
  }

  /// Returns false for an opcode that this machine does not have.
  bool carry_out(std::uint8_t opcode) {
    return change_container(opcode) || make_value(opcode) || use_memo(opcode);
  }

  void put(std::uint64_t place) {
    // Python numbers the places from 0, so a place is never larger than the number of bytes read.
    if (place > static_cast<std::uint64_t>(input_.position())) fail_damaged();
    if (place >= memo_.size()) {
      budget_.take((place + 1 - memo_.size()) * 3 * sizeof(PickleId));
      memo_.resize(place + 1);
    }
    memo_[place] = top();
  }

  void get(std::uint64_t place) {
    if (place >= memo_.size() || !memo_[place].valid()) fail_damaged();
    push(memo_[place]);
  }

  std::uint64_t place_in_line() {
    const std::int64_t place = integer_in_line();
    if (place < 0) fail_damaged();
    return static_cast<std::uint64_t>(place);
  }

  void check_protocol() {
    const int protocol = input_.byte();
    if (protocol > 5) fail("has the protocol " + std::to_string(protocol) + "; 0 to 5 are read");
  }

  void count_taken_back() {
    if (++taken_back_ > most_taken_back) fail("drops too many of the values that it makes");
  }

  void pop_one() {
    count_taken_back();
    if (stack_.size() == bottom() && !marks_.empty()) {
      pop_mark();
    } else {
      pop();
    }
  }

  /// Returns false for an unknown opcode.
  bool use_memo(std::uint8_t opcode) {
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::pop:
        return pop_one(), true;
      case PickleOpcode::pop_mark:
        return count_taken_back(), stack_.resize(pop_mark()), true;
      case PickleOpcode::dup:
        return push(top()), true;
      case PickleOpcode::put_line:
        return put(place_in_line()), true;
      case PickleOpcode::put1:
        return put(input_.byte()), true;
      case PickleOpcode::put4:
        return put(input_.number(4)), true;
      case PickleOpcode::memoize:
        return put(memo_.size()), true;
      case PickleOpcode::get_line:
        return get(place_in_line()), true;
      case PickleOpcode::get1:
        return get(input_.byte()), true;
      case PickleOpcode::get4:
        return get(input_.number(4)), true;
      case PickleOpcode::protocol:
        return check_protocol(), true;
      case PickleOpcode::frame:
        return input_.require(input_.number(8)), true;
      default:
        return false;
    }
  }

  PickleInput input_;
  MemoryBudget& budget_;
  PickleDocument document_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;  ///< places in the stack
  std::vector<PickleId> memo_;      ///< invalid: the place is empty
  std::int64_t opcode_at_ = 0;
  std::int64_t taken_back_ = 0;  ///< number of opcodes that drop values
};

}  // namespace

PickleDocument read_pickle(std::istream& stream, std::int64_t bytes, MemoryBudget& budget) {
  PickleDocument document = PickleMachine(stream, bytes, budget).run();
  check_nesting(document);
  return document;
}

}  // namespace stashscope
