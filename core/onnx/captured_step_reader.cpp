#include "core/onnx/captured_step_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/graph/captured_step.h"
#include "core/graph/node_path.h"
#include "core/onnx/captured_calls_reader.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr const char* version_key = "stashscope.captured_step";
constexpr const char* storages_key = "stashscope.storages";
constexpr const char* inputs_key = "stashscope.input_storages";
constexpr const char* dimensions_key = "stashscope.dimensions";
constexpr const char* warnings_key = "stashscope.warnings";
constexpr const char* recapture = "capture the step again";
constexpr std::string_view gradient_suffix = ".grad";
constexpr int known_version = 1;

template <class T>
struct Named {
  std::string_view name;
  T value;
};

constexpr std::array phases = {
    Named<CapturedPhase>{"forward", CapturedPhase::forward},
    Named<CapturedPhase>{"recompute", CapturedPhase::recompute},
    Named<CapturedPhase>{"backward", CapturedPhase::backward},
    Named<CapturedPhase>{"optimizer", CapturedPhase::optimizer},
};

constexpr std::array roles = {
    Named<CapturedRole>{"parameter", CapturedRole::parameter},
    Named<CapturedRole>{"buffer", CapturedRole::buffer},
    Named<CapturedRole>{"input", CapturedRole::input},
    Named<CapturedRole>{"gradient", CapturedRole::gradient},
    Named<CapturedRole>{"optimizer", CapturedRole::optimizer_state},
    Named<CapturedRole>{"other", CapturedRole::other},
};

std::string entry(const std::string& key) { return "metadata '" + key + "'"; }

/// The value that `name` stands for. Throws an input Error that names `where` if the name is
/// unknown.
template <class T, std::size_t count>
T value_of(const std::array<Named<T>, count>& all, const std::string& name,
           const std::string& where) {
  const auto found = std::ranges::find(all, name, &Named<T>::name);
  if (found == all.end())
    fail_input(where, "has the unknown value '" + printable(name) + "'", recapture);
  return found->value;
}

void check_version(const GraphData& data) {
  const std::string& text = data.metadata.at(version_key);
  int version = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), version);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || version < 1) {
    fail_input(entry(version_key), "is '" + printable(text) + "', not a version number", recapture);
  }
  if (version > known_version) {
    fail_input(entry(version_key),
               "is version " + text + " of captured steps; this program reads " +
                   std::to_string(known_version),
               "update Stashscope");
  }
}

json parsed(const GraphData& data, const char* key) {
  const auto found = data.metadata.find(key);
  if (found == data.metadata.end()) fail_input(entry(key), "is missing", recapture);
  json value = json::parse(found->second, nullptr, false);
  if (value.is_discarded()) fail_input(entry(key), "is cut off or damaged", recapture);
  return value;
}

/// The array `name` of an object with arrays. Throws an input Error if there is none.
const json& column(const json& table, const std::string& name) {
  const std::string where = entry(storages_key);
  if (!table.is_object() || !table.contains(name) || !table[name].is_array()) {
    fail_input(where, "has no list '" + name + "'", recapture);
  }
  return table[name];
}

/// The optimizer is not a module of the network, but the views show it like a module.
std::shared_ptr<const NodeOrigin> in_optimizer(const Node& node) {
  NodeOrigin origin = node.origin == nullptr ? NodeOrigin() : *node.origin;
  origin.modules = {"optimizer"};
  return std::make_shared<const NodeOrigin>(std::move(origin));
}

/// The module of the parameter whose gradient the node computes. Null if the node computes no
/// gradient of a parameter, or if the parameter belongs to no module.
std::shared_ptr<const NodeOrigin> at_parameter(const GraphData& data, const Node& node) {
  for (const ValueId output : node.outputs) {
    const std::string_view name = output.valid() ? data.values[output].name : std::string_view();
    if (!name.ends_with(gradient_suffix)) continue;
    const std::string_view parameter = name.substr(0, name.size() - gradient_suffix.size());
    NodeOrigin origin;
    origin.modules = dotted_parts(parameter);
    if (origin.modules.size() < 2) return nullptr;
    origin.modules.pop_back();
    return std::make_shared<const NodeOrigin>(std::move(origin));
  }
  return nullptr;
}

/// One storage, and when PyTorch frees it.
struct StorageRow {
  CapturedStorage storage;
  /// The position of the last node during which the storage lives. The number of nodes means that
  /// the storage outlives the step; -1 means that it is freed before the first node.
  std::int64_t last = 0;
  ValueId newest;  ///< the value that was made in the storage last
  std::int64_t newest_node = -1;
  bool is_given = false;
  bool has_siblings = false;  ///< one node made several values in the storage
};

class CapturedStepReader {
 public:
  explicit CapturedStepReader(GraphData& data) : data_(data) {}

  void read() {
    check_version(data_);
    check_kinds();
    read_warnings();
    if (data_.metadata.contains(dimensions_key)) read_dimensions(parsed(data_, dimensions_key));
    captured_.torch = data_.metadata["stashscope.torch"];
    captured_.device = data_.metadata["stashscope.device"];
    captured_.tensors = data_.metadata["stashscope.tensors"];
    read_storages(parsed(data_, storages_key));
    captured_.storage_of = IdVector<ValueId, StorageId>(data_.values.size());
    place_inputs(parsed(data_, inputs_key));
    for (const NodeId id : IdRange<NodeId>(data_.nodes.size())) {
      try {
        read_node(id);
      } catch (const Error& error) {
        throw error.within(describe(data_.nodes[id], id));
      }
    }
    for (const ValueId id : IdRange<ValueId>(data_.values.size())) {
      if (!captured_.storage_of[id].valid()) {
        fail_input(describe(data_.values[id]), "belongs to no storage", recapture);
      }
    }
    for (const StorageId id : IdRange<StorageId>(rows_.size())) set_end(id);
    for (StorageRow& row : rows_) captured_.storages.push_back(std::move(row.storage));
    read_captured_calls(data_, captured_);
    data_.captured = std::make_shared<const CapturedStep>(std::move(captured_));
  }

 private:
  /// A capture writes no constants and at least one node.
  void check_kinds() const {
    if (data_.nodes.empty()) fail_input("", "the captured step has no node", recapture);
    if (data_.initializers.empty()) return;
    fail_input(describe(data_.values[data_.initializers.front().value]),
               "is a constant, which a captured step never has", recapture);
  }

  void read_warnings() {
    if (!data_.metadata.contains(warnings_key)) return;
    const json texts = parsed(data_, warnings_key);
    for (const json& each : texts) {
      if (each.is_string()) data_.warnings.push_back(printable(each.get<std::string>()));
    }
  }

  /// An array of `{"name", "value", "step", "least"}`.
  void read_dimensions(const json& all) {
    if (!all.is_array()) fail_input(entry(dimensions_key), "is not a list", recapture);
    for (const json& each : all) {
      const auto number = [&](const char* key) -> std::int64_t {
        const bool is_there = each.is_object() && each.contains(key);
        return is_there && each[key].is_number_integer() ? each[key].get<std::int64_t>() : 0;
      };
      const bool has_name = each.is_object() && each.contains("name") && each["name"].is_string();
      const CapturedDimension read{
          has_name ? data_.symbols.intern(each["name"].get<std::string>()) : SymbolId(),
          number("value"), number("step")};
      if (!has_name || read.value < 1 || read.step < 1) {
        fail_input(entry(dimensions_key), "has an entry without a valid name, value or step",
                   recapture);
      }
      captured_.dimensions.push_back(read);
      if (read.step > 1) require_step(read);
      if (number("least") > 1) require_least(read.symbol, number("least"));
    }
  }

  void require_least(SymbolId dimension, std::int64_t least) {
    const Expr size = Expr::symbol(dimension);
    data_.constraints.push_back({size, maximum(size, Expr(least)), NodeId()});
  }

  /// The polynomials hold only for sizes that differ from `value` by a multiple of `step`.
  void require_step(const CapturedDimension& dimension) {
    const Expr above = Expr::symbol(dimension.symbol) - Expr(dimension.value % dimension.step);
    const Expr whole = floor_divide(above, Expr(dimension.step)) * Expr(dimension.step);
    data_.constraints.push_back({above, whole, NodeId()});
  }

  std::int64_t node_count() const { return std::ssize(data_.nodes.items()); }

  void read_storages(const json& table) {
    const json& bytes = column(table, "bytes");
    const json& role = column(table, "role");
    const json& last = column(table, "last");
    const json none = json::array();
    const json& replaces = table.contains("replaces") ? column(table, "replaces") : none;
    const bool has_replaces = replaces.empty() || replaces.size() == bytes.size();
    if (bytes.size() != role.size() || bytes.size() != last.size() || !has_replaces) {
      fail_input(entry(storages_key), "has lists of different lengths", recapture);
    }
    rows_.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::string where = entry(storages_key) + ", storage " + std::to_string(i);
      StorageRow row;
      row.storage.bytes = size_of(bytes[i], where);
      row.storage.role =
          value_of(roles, role[i].is_string() ? role[i].get<std::string>() : "", where + ", role");
      row.storage.replaces_state = !replaces.empty() && replaces[i] == 1;
      row.last = last[i].is_number_integer() ? last[i].get<std::int64_t>() : -2;
      if (row.last < -1 || row.last > node_count()) {
        fail_input(where, "ends at a node that does not exist", recapture);
      }
      row.storage.bytes_as_captured = as_captured(row.storage.bytes, where);
      rows_.push_back(std::move(row));
    }
  }

  /// The value of a polynomial at the sizes of the capture.
  std::int64_t as_captured(const Expr& amount, const std::string& where) const {
    Bindings sizes(data_.symbols.size());
    for (const CapturedDimension& each : captured_.dimensions) sizes[each.symbol] = each.value;
    const auto value = amount.evaluate(sizes);
    // A capture without dimensions says nothing about the names in a polynomial.
    const bool may_be_unknown = captured_.dimensions.empty();
    if (value.value_or(may_be_unknown ? 0 : -1) < 0) {
      fail_input(where, "is negative or has no value at the sizes of the capture", recapture);
    }
    return value.value_or(0);
  }

  /// A number, or a polynomial in named dimensions.
  Expr size_of(const json& bytes, const std::string& where) {
    if (bytes.is_number_integer() && bytes.get<std::int64_t>() >= 0) {
      return Expr(bytes.get<std::int64_t>());
    }
    if (bytes.is_string()) {
      if (auto expr = parse_expr(bytes.get<std::string>(), data_.symbols)) return *expr;
    }
    fail_input(where, "has no valid size", recapture);
  }

  void place_inputs(const json& storages) {
    if (!storages.is_array() || storages.size() != data_.inputs.size()) {
      fail_input(entry(inputs_key), "does not list one storage for each graph input", recapture);
    }
    for (std::size_t i = 0; i < storages.size(); ++i) {
      const std::int64_t index =
          storages[i].is_number_integer() ? storages[i].get<std::int64_t>() : -1;
      const StorageId id = storage_at(index);
      place(data_.inputs[i], id, -1);
      rows_[id].is_given = true;
    }
  }

  StorageId storage_at(std::int64_t index) const {
    if (index < 0 || index >= std::ssize(rows_.items())) {
      fail_input("storage " + std::to_string(index), "does not exist", recapture);
    }
    return StorageId(static_cast<std::size_t>(index));
  }

  void place(ValueId value, StorageId id, std::int64_t node) {
    StorageRow& row = rows_[id];
    captured_.storage_of[value] = id;
    if (!row.storage.root.valid()) row.storage.root = value;
    row.newest = value;
    row.newest_node = node;
  }

  void read_node(NodeId id) {
    Node& node = data_.nodes[id];
    const auto place_in_step = static_cast<std::int64_t>(id.index());
    check_node(node);
    read_amounts(node);
    captured_.phases.push_back(
        value_of(phases, node.attributes.text("phase", ""), "attribute 'phase'"));
    if (captured_.phases[id] == CapturedPhase::optimizer) node.origin = in_optimizer(node);
    if (node.origin == nullptr) node.origin = at_parameter(data_, node);
    for (const ValueId input : node.inputs) read_value(input, place_in_step);
    const Integers storages = node.attributes.integers("storages");
    if (storages.size() != node.outputs.size()) {
      fail_input("attribute 'storages'", "does not list one storage for each output", recapture);
    }
    for (std::size_t i = 0; i < storages.size(); ++i) {
      make_value(node, node.outputs[i], storage_at(storages[i]), place_in_step);
    }
  }

  static void check_node(const Node& node) {
    if (!node.domain.starts_with("pytorch.")) {
      fail_input("", "is not an operator of PyTorch", recapture);
    }
    const auto is_omitted = [](ValueId value) { return !value.valid(); };
    const bool is_complete = std::ranges::none_of(node.inputs, is_omitted) &&
                             std::ranges::none_of(node.outputs, is_omitted);
    const bool has_subgraph = std::ranges::any_of(node.attributes.items(), [](const auto& each) {
      return std::holds_alternative<Subgraph>(each.second);
    });
    if (!is_complete) fail_input("", "omits an input or an output", recapture);
    if (has_subgraph) fail_input("", "has a subgraph, which a captured step never has", recapture);
    node.attributes.texts("tags");
  }

  void read_amounts(const Node& node) {
    const bool is_counted = node.attributes.has("flops");
    captured_.flops.push_back(is_counted ? std::optional(amount_of(node, "flops")) : std::nullopt);
    captured_.workspace.push_back(amount_of(node, "workspace"));
  }

  /// A number, or a polynomial in named dimensions; 0 if the node has no such attribute.
  Expr amount_of(const Node& node, const char* name) {
    const std::string where = std::string("attribute '") + name + "'";
    const AttributeValue* const given = node.attributes.find(name);
    if (given == nullptr || !std::holds_alternative<std::string>(*given)) {
      const std::int64_t number = node.attributes.integer(name, 0);
      if (number < 0) fail_input(where, "is negative", recapture);
      return number;
    }
    const auto amount = parse_expr(std::get<std::string>(*given), data_.symbols);
    if (!amount) fail_input(where, "is not a valid polynomial", recapture);
    as_captured(*amount, where);
    return *amount;
  }

  void read_value(ValueId value, std::int64_t node) {
    const StorageId id = captured_.storage_of[value];
    if (!id.valid()) {
      fail_input(describe(data_.values[value]), "is read before a node makes it", recapture);
    }
    if (node > rows_[id].last) {
      fail_input(describe(data_.values[value]), "is read after its storage is freed", recapture);
    }
  }

  void make_value(const Node& node, ValueId value, StorageId id, std::int64_t place_in_step) {
    const bool is_new = !rows_[id].storage.root.valid();
    const bool is_shared = std::ranges::any_of(
        node.inputs, [&](ValueId input) { return captured_.storage_of[input] == id; });
    const bool is_of_this_node =
        !is_new && rows_[id].newest_node == place_in_step && !rows_[id].is_given;
    if (!is_new && !is_shared && !is_of_this_node) {
      fail_input(describe(data_.values[value]), "belongs to a storage that the node does not read",
                 recapture);
    }
    if (place_in_step > rows_[id].last) {
      fail_input(describe(data_.values[value]), "is made after its storage is freed", recapture);
    }
    place(value, id, place_in_step);
    // `return_value_of` keeps a storage beyond the step: it makes the newest value in the storage
    // an output of the step. If one node makes several values in the storage, the newest value does
    // not keep the first one alive, so the first value becomes an output instead.
    if (is_of_this_node && !is_shared) rows_[id].has_siblings = true;
  }

  void set_end(StorageId id) {
    StorageRow& row = rows_[id];
    if (!row.newest.valid()) return;
    if (row.last == node_count()) {
      if (!row.is_given) return_value_of(id);
    } else if (row.last < 0) {
      row.storage.bytes = Expr(0);  // freed before the first node
      row.storage.last = NodeId(0);
    } else {
      row.storage.last = NodeId(static_cast<std::size_t>(row.last));
    }
  }

  void return_value_of(StorageId id) {
    if (is_returned_.empty()) {
      is_returned_ = IdVector<StorageId, bool>(rows_.size(), false);
      for (const ValueId output : data_.outputs) {
        const StorageId storage = captured_.storage_of[output];
        if (storage.valid()) is_returned_[storage] = true;
      }
    }
    const bool needs_root = rows_[id].has_siblings && !is_output(rows_[id].storage.root);
    if (needs_root) data_.outputs.push_back(rows_[id].storage.root);
    if (!is_returned_[id] && !needs_root) data_.outputs.push_back(rows_[id].newest);
  }

  bool is_output(ValueId value) const { return std::ranges::count(data_.outputs, value) > 0; }

  GraphData& data_;
  CapturedStep captured_;
  IdVector<StorageId, StorageRow> rows_;
  IdVector<StorageId, bool> is_returned_;  ///< by storage: whether an output of the step lies in it
};

}  // namespace

bool is_captured_step(const GraphData& data) { return data.metadata.contains(version_key); }

void read_captured_step(GraphData& data) { CapturedStepReader(data).read(); }

}  // namespace stashscope
