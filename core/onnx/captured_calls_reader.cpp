#include "core/onnx/captured_calls_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/error.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr const char* new_capture = "capture the step again";

/// A table in the metadata: a JSON object whose members are lists of equal length.
class Table {
 public:
  Table(const GraphData& data, const std::string& key) : where_("metadata '" + key + "'") {
    const auto found = data.metadata.find(key);
    if (found != data.metadata.end()) table_ = json::parse(found->second, nullptr, false);
    if (table_.is_discarded()) fail_input(where_, "is cut off or damaged", new_capture);
  }

  bool has(const std::string& column) const {
    return table_.is_object() && table_.contains(column);
  }

  std::size_t rows(const std::string& column) const { return list(column).size(); }

  /// An integer from `least` to `most`.
  std::int64_t number(const std::string& column, std::size_t row, std::int64_t least,
                      std::int64_t most) const {
    return checked(cell(column, row), column, least, most);
  }

  std::string text(const std::string& column, std::size_t row) const {
    const json& value = cell(column, row);
    if (!value.is_string())
      fail_input(where(column), "has an entry that is not a text", new_capture);
    return value.get<std::string>();
  }

  std::vector<std::int64_t> numbers(const std::string& column, std::size_t row, std::int64_t least,
                                    std::int64_t most) const {
    const json& value = cell(column, row);
    if (!value.is_array())
      fail_input(where(column), "has an entry that is not a list", new_capture);
    std::vector<std::int64_t> all;
    for (const json& each : value) all.push_back(checked(each, column, least, most));
    return all;
  }

 private:
  std::string where(const std::string& column) const { return where_ + ", list '" + column + "'"; }

  const json& list(const std::string& column) const {
    if (!has(column) || !table_[column].is_array()) {
      fail_input(where_, "has no list '" + column + "'", new_capture);
    }
    return table_[column];
  }

  const json& cell(const std::string& column, std::size_t row) const {
    const json& all = list(column);
    if (row >= all.size()) fail_input(where_, "has lists of different lengths", new_capture);
    return all[row];
  }

  std::int64_t checked(const json& value, const std::string& column, std::int64_t least,
                       std::int64_t most) const {
    const std::int64_t number = value.is_number_integer() ? value.get<std::int64_t>() : least - 1;
    if (number < least || number > most) {
      fail_input(where(column),
                 "has an entry that is not a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 new_capture);
    }
    return number;
  }

  std::string where_;
  json table_;
};

class CallsReader {
 public:
  CallsReader(const GraphData& data, CapturedStep& step)
      : data_(data), step_(step), nodes_(std::ssize(data.nodes.items())) {}

  void read() {
    read_python_lives();
    read_saved();
    read_calls();
  }

 private:
  /// The node at a position; invalid if the position is outside the list of nodes.
  NodeId node_or_none(std::int64_t position) const {
    return position < 0 || position >= nodes_ ? NodeId()
                                              : NodeId(static_cast<std::size_t>(position));
  }

  void read_python_lives() {
    const Table table(data_, "stashscope.storages");
    for (const StorageId id : IdRange<StorageId>(step_.storages.size())) {
      if (!table.has("python_last")) {
        step_.storages[id].python_last = step_.storages[id].last;
        continue;
      }
      const std::int64_t last = table.number("python_last", id.index(), -2, nodes_);
      step_.storages[id].python_last = node_or_none(std::max<std::int64_t>(0, last));
    }
  }

  void read_saved() {
    const Table table(data_, "stashscope.saved");
    if (!table.has("number")) return;
    std::unordered_map<std::string_view, NodeId> makers;
    for (const NodeId id : IdRange<NodeId>(data_.nodes.size())) {
      for (const ValueId output : data_.nodes[id].outputs) {
        makers.emplace(data_.values[output].name, id);
      }
    }
    const auto storages = std::ssize(step_.storages.items());
    for (std::size_t row = 0; row < table.rows("node"); ++row) {
      SavedTensor saved;
      saved.node = node_or_none(table.number("node", row, -1, nodes_ - 1));
      const std::int64_t storage = table.number("storage", row, 0, storages - 1);
      saved.storage = StorageId(static_cast<std::size_t>(storage));
      saved.unpacked = node_or_none(table.number("unpacked", row, -1, nodes_));
      saved.used = node_or_none(table.number("used", row, -1, nodes_));
      saved.released = node_or_none(table.number("released", row, 0, nodes_));
      saved.is_number = table.number("number", row, 0, 1) == 1;
      const auto maker = makers.find(table.text("value", row));
      saved.is_result = maker != makers.end() && maker->second == saved.node;
      step_.saved.push_back(saved);
    }
    std::ranges::stable_sort(step_.saved, {}, &SavedTensor::node);
  }

  void read_calls() {
    const Table table(data_, "stashscope.calls");
    if (!table.has("module")) return;
    const auto storages = std::ssize(step_.storages.items());
    for (std::size_t row = 0; row < table.rows("module"); ++row) {
      const std::int64_t first = table.number("first", row, 0, nodes_);
      const std::int64_t end = table.number("end", row, first, nodes_);
      ModuleCall call{table.text("module", row),
                      NodeId(static_cast<std::size_t>(first)),
                      static_cast<std::size_t>(end - first),
                      {}};
      for (const std::int64_t each : table.numbers("arguments", row, 0, storages - 1)) {
        call.arguments.emplace_back(static_cast<std::size_t>(each));
      }
      if (call.nodes > 0) step_.calls.push_back(std::move(call));
    }
  }

  const GraphData& data_;
  CapturedStep& step_;
  std::int64_t nodes_;
};

}  // namespace

void read_captured_calls(const GraphData& data, CapturedStep& step) {
  CallsReader(data, step).read();
}

}  // namespace stashscope
