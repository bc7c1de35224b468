#include "core/arena/arena_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr const char* format_hint =
    "the format is a header 'id,lower,upper,size' and one line for each buffer, which lives from "
    "'lower' until before 'upper'";
constexpr std::size_t most_buffers = std::size_t{1} << 24;
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail_at(std::size_t line, const std::string& what) {
  fail_input("line " + std::to_string(line), what, format_hint);
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields = split(line, ',');
  for (std::string& each : fields) each = trimmed(each);
  return fields;
}

/// Where the columns are.
struct Columns {
  std::size_t id = 0;
  std::size_t lower = 0;
  std::size_t upper = 0;
  std::size_t bytes = 0;
  std::optional<std::size_t> offset;
  std::optional<std::size_t> alignment;
  bool upper_is_included = false;
};

/// The column with one of these names, if there is one.
std::optional<std::size_t> column(const std::vector<std::string>& header,
                                  const std::vector<std::string>& names, std::size_t line) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(names.begin(), names.end(), header[i]) == names.end()) continue;
    if (found) fail_at(line, "names the column '" + printable(names.front()) + "' twice");
    found = i;
  }
  return found;
}

std::size_t needed(const std::vector<std::string>& header, const std::vector<std::string>& names,
                   std::size_t line) {
  const auto found = column(header, names, line);
  if (!found) fail_at(line, "names no column '" + names.front() + "'");
  return *found;
}

Columns columns_of(const std::vector<std::string>& header, std::size_t line) {
  Columns columns;
  columns.id = needed(header, {"id", "buffer", "buffer_id"}, line);
  columns.lower = needed(header, {"lower", "begin", "start"}, line);
  columns.upper = needed(header, {"upper", "end"}, line);
  columns.bytes = needed(header, {"size"}, line);
  columns.offset = column(header, {"offset"}, line);
  columns.alignment = column(header, {"alignment"}, line);
  columns.upper_is_included = header[columns.upper] == "end";
  return columns;
}

/// Reads the buffers of the lines after the header.
class RowReader {
 public:
  RowReader(std::vector<std::string> header, std::size_t line)
      : columns_(columns_of(header, line)) {
    file_.header = std::move(header);
    file_.offset_column = columns_.offset;
  }

  void read(std::vector<std::string> fields, std::size_t line) {
    line_ = line;
    if (fields.size() != file_.header.size()) {
      fail_at(line_, "has " + counted(fields.size(), "field", "fields") + ", the header has " +
                         std::to_string(file_.header.size()));
    }
    if (file_.buffers.size() == most_buffers) {
      fail_at(line_, "brings the number of buffers above " + std::to_string(most_buffers));
    }
    check_id(fields[columns_.id]);
    file_.buffers.push_back(buffer_of(fields));
    file_.rows.push_back(std::move(fields));
  }

  ArenaFile result() && { return std::move(file_); }

 private:
  void check_id(const std::string& id) {
    if (id.empty()) fail_at(line_, "has no id");
    const auto [before, is_new] = lines_.emplace(id, line_);
    if (is_new) return;
    fail_at(line_, "has the id '" + printable(id, 40) + "', which line " +
                       std::to_string(before->second) + " has already");
  }

  ArenaBuffer buffer_of(const std::vector<std::string>& fields) {
    ArenaBuffer buffer;
    const std::int64_t included = columns_.upper_is_included ? 1 : 0;
    buffer.lower = number(fields, columns_.lower, -latest, latest);
    buffer.upper = number(fields, columns_.upper, -latest, latest - included) + included;
    buffer.bytes = number(fields, columns_.bytes, 0, most_arena_bytes);
    if (columns_.alignment) check_alignment(fields[*columns_.alignment]);
    if (buffer.lower >= buffer.upper) fail_empty_life(fields);
    if (buffer.bytes > most_arena_bytes - total_bytes_) {
      fail_at(line_, "brings the sum of all sizes above 2^62 bytes");
    }
    total_bytes_ += buffer.bytes;
    return buffer;
  }

  [[noreturn]] void fail_empty_life(const std::vector<std::string>& fields) const {
    const auto told = [&](std::size_t column) {
      return "'" + printable(file_.header[column]) + "' " + printable(fields[column], 40);
    };
    fail_at(line_, "has a buffer that never lives, with " + told(columns_.lower) + " and " +
                       told(columns_.upper));
  }

  std::int64_t number(const std::vector<std::string>& fields, std::size_t column,
                      std::int64_t least, std::int64_t most) const {
    const std::string& text = fields[column];
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && number >= least && number <= most) return number;
    fail_at(line_, "has a '" + printable(file_.header[column]) + "' that must be an integer from " +
                       std::to_string(least) + " to " + std::to_string(most) + ", not '" +
                       printable(text, 40) + "'");
  }

  /// The searches know no alignment, so any other than 1 would be ignored silently.
  void check_alignment(const std::string& text) const {
    if (text.empty() || text == "1") return;
    fail_at(line_, "has the alignment '" + printable(text, 40) + "'; only 1 is supported");
  }

  Columns columns_;
  ArenaFile file_;
  std::size_t line_ = 0;
  std::int64_t total_bytes_ = 0;
  std::unordered_map<std::string, std::size_t> lines_;  // of each id
};

/// Calls `visit(fields, number)` for each line that is not empty.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!trimmed(text.substr(0, end)).empty()) visit(fields_of(text.substr(0, end)), line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

ArenaFile parse_arena(std::string_view text) {
  std::optional<RowReader> reader;
  for_each_line(text, [&](std::vector<std::string> fields, std::size_t line) {
    if (reader) {
      reader->read(std::move(fields), line);
    } else {
      reader.emplace(std::move(fields), line);
    }
  });
  if (!reader) fail_at(1, "is empty");
  return std::move(*reader).result();
}

ArenaFile read_arena(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  try {
    return parse_arena(text);
  } catch (const Error& error) {
    throw error.within(printable(path.string()));
  }
}

std::optional<ArenaPlacement> placement_in(const ArenaFile& file) {
  if (!file.offset_column) return std::nullopt;
  ArenaPlacement placement;
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const std::string& text = file.rows[i][*file.offset_column];
    std::int64_t offset = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, offset);
    const bool is_right = error == std::errc() && stop == end && offset >= 0 &&
                          offset <= most_arena_bytes - file.buffers[i].bytes;
    if (!is_right) return std::nullopt;
    placement.offsets.push_back(offset);
  }
  placement.capacity = capacity_of(file.buffers, placement.offsets);
  if (find_fault(file.buffers, placement)) return std::nullopt;
  return placement;
}

std::string arena_text(const ArenaFile& file, const std::vector<std::int64_t>& offsets) {
  const std::size_t column = file.offset_column.value_or(file.header.size());
  const auto with_offset = [&](std::vector<std::string> fields, std::string text) {
    fields.resize(std::max(fields.size(), column + 1));
    fields[column] = std::move(text);
    return join(fields, ",") + "\n";
  };
  std::string text = with_offset(file.header, "offset");
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    text += with_offset(file.rows[i], std::to_string(offsets[i]));
  }
  return text;
}

}  // namespace stashscope
