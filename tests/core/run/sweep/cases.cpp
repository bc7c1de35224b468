#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "core/ops/families/standard_ops.h"
#include "tests/core/run/sweep/forms.h"

namespace stashscope::operand_sweep {

namespace {

ElementType first_type(const Operand& operand) {
  for (const ElementType type : {ElementType::float32, ElementType::int64, ElementType::boolean}) {
    if (operand.types == 0 || ((operand.types >> static_cast<unsigned>(type)) & 1U) != 0) {
      return type;
    }
  }
  std::uint32_t number = 1;
  while (((operand.types >> number) & 1U) == 0) ++number;
  return static_cast<ElementType>(number);
}

Given base_operand(const Operand& operand, std::size_t rank, const std::vector<Given>& earlier) {
  Given given;
  given.element = operand.like && *operand.like < earlier.size() ? earlier[*operand.like].element
                                                                 : first_type(operand);
  const bool is_list = operand.most_rank <= 1 && given.element == ElementType::int64;
  const std::size_t length = is_list && operand.name == "shape" ? rank : 2;
  given.dims.assign(std::clamp(rank, operand.least_rank, operand.most_rank),
                    static_cast<std::int64_t>(operand.most_rank == 1 ? length : 2));
  given.items =
      operand.name == "shape" ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{0, 1};
  return given;
}

std::int64_t latest_version(const Op& op, const Signature& signature) {
  std::int64_t last = signature.since;
  for (const std::int64_t version : op.versions) {
    if (op.operands.at(version) == &signature) last = std::max(last, version);
  }
  return last;
}

Case base_case(const Op& op, const Signature& signature, std::size_t rank, bool has_constants) {
  Case made{&op, latest_version(op, signature), has_constants, {}, {}, ""};
  for (const Operand& each : signature.inputs) {
    const bool has_two = each.count == Operand::Count::some;
    made.inputs.push_back(base_operand(each, rank, made.inputs));
    if (has_two) made.inputs.push_back(made.inputs.back());
  }
  for (const Operand& each : signature.outputs) {
    made.outputs.push_back(true);
    if (each.count == Operand::Count::some) made.outputs.push_back(true);
  }
  return made;
}

/// The valid node of an operator whose operands must fit each other; nothing for other operators.
std::optional<Case> formed_case(const Op& op, const Signature& signature, bool has_constants) {
  Case made = base_case(op, signature, 2, has_constants);
  std::vector<ElementType> elements;
  for (const Given& each : made.inputs) elements.push_back(each.element);
  made.inputs = operands_in_form(op.type, elements);
  if (made.inputs.empty()) return std::nullopt;
  const std::size_t outputs = outputs_in_form(op.type);
  if (outputs > 0) made.outputs.assign(outputs, true);
  return made;
}

using Change = std::function<void(Given&)>;

std::vector<std::pair<std::string, Change>> changes_of(const Given& base) {
  std::vector<std::pair<std::string, Change>> changes;
  changes.emplace_back("empty", [](Given& g) { g.named = false; });
  const auto with_dims = [&](const std::string& name, const std::vector<std::int64_t>& dims) {
    if (dims == base.dims) return;
    changes.emplace_back(name, [dims](Given& g) { g.dims = dims; });
  };
  for (std::size_t rank = 0; rank <= 6; ++rank) {
    for (const std::int64_t size : {2, 1, 3, 0}) {
      with_dims("dims of " + std::to_string(size) + ", rank " + std::to_string(rank),
                std::vector<std::int64_t>(rank, size));
    }
  }
  for (std::size_t axis = 0; axis < base.dims.size(); ++axis) {
    for (const std::int64_t size : {0, 1, 3, 5}) {
      std::vector<std::int64_t> dims = base.dims;
      dims[axis] = size;
      with_dims("axis " + std::to_string(axis) + " of " + std::to_string(size), dims);
    }
  }
  for (int number = 1; is_known_element_type(number); ++number) {
    const auto type = static_cast<ElementType>(number);
    if (type == base.element || type == ElementType::string) continue;
    changes.emplace_back("elements of " + std::string(name_of(type)),
                         [type](Given& g) { g.element = type; });
  }
  for (const std::int64_t item : {-1, 2, -9, 99}) {
    changes.emplace_back("elements " + std::to_string(item),
                         [item](Given& g) { g.items = {item}; });
  }
  return changes;
}

void add_changes(const Case& base, std::vector<Case>& cases) {
  cases.push_back(base);
  cases.back().change = "nothing";
  const auto add = [&](const std::string& change) -> Case& {
    cases.push_back(base);
    cases.back().change = change;
    return cases.back();
  };
  for (std::size_t i = 0; i < base.inputs.size(); ++i) {
    const std::string input = "input " + std::to_string(i) + ": ";
    Case& dropped = add(input + "deleted");
    dropped.inputs.erase(dropped.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    add(input + "last").inputs.resize(i + 1);
    for (const auto& [name, change] : changes_of(base.inputs[i])) {
      change(add(input + name).inputs[i]);
    }
  }
  add("no inputs").inputs.clear();
  add("one more input").inputs.push_back({true, ElementType::float32, {}, {0}});
  add("no outputs").outputs.clear();
  add("one more output").outputs.push_back(true);
  add("only the first output").outputs.resize(1, true);
  for (std::size_t i = 0; i < base.outputs.size(); ++i) {
    add("output " + std::to_string(i) + ": empty").outputs[i] = false;
  }
}

/// `item` as an element of the type; types below 8 bits get zeros.
std::string bytes_of(ElementType element, std::int64_t item) {
  if (element == ElementType::float32 || element == ElementType::float64 ||
      element == ElementType::float16 || element == ElementType::bfloat16) {
    const Tensor tensor = Tensor::float_scalar(element, static_cast<double>(item));
    const TensorBytes data = tensor.load();
    return {reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()};
  }
  const auto size = static_cast<std::size_t>(bits_per_element(element)) / 8;
  std::string bytes(size, '\0');
  if (element == ElementType::boolean) item = item != 0 ? 1 : 0;
  std::memcpy(bytes.data(), &item, std::min(size, sizeof(item)));
  return bytes;
}

Tensor tensor_of(const Given& given) {
  const std::int64_t count = element_count(given.dims);
  std::string raw;
  if (bits_per_element(given.element) >= 8) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i) % given.items.size();
      raw += bytes_of(given.element, given.items[at]);
    }
  } else {
    raw.resize(static_cast<std::size_t>(packed_bytes(given.element, count)));
  }
  return {given.element, given.dims, std::move(raw)};
}

}  // namespace

std::string describe(const Case& given) {
  std::string text = given.op->domain + (given.op->domain.empty() ? "" : ".") + given.op->type +
                     " " + std::to_string(given.version) +
                     (given.has_constants ? " with constants" : "") + " (" + given.change + "):";
  for (const Given& each : given.inputs) {
    if (!each.named) {
      text += " ''";
      continue;
    }
    text += " " + std::string(name_of(each.element)) + "[";
    for (const std::int64_t dim : each.dims) text += std::to_string(dim) + " ";
    if (!each.dims.empty()) text.pop_back();
    text += "]";
  }
  text += " ->";
  for (const bool named : given.outputs) text += named ? " y" : " ''";
  return text;
}

Model model_of(const Case& given) {
  GraphData data;
  data.opsets[""] = given.op->domain.empty() ? given.version : 17;
  if (!given.op->domain.empty()) data.opsets[given.op->domain] = given.version;
  NamedTensors inputs;
  Node node;
  node.name = "node";
  node.op_type = given.op->type;
  node.domain = given.op->domain;
  node.attributes = attributes_of(given.op->type);
  for (const Given& each : given.inputs) {
    if (!each.named) {
      node.inputs.emplace_back();
      continue;
    }
    const std::string name = "x" + std::to_string(node.inputs.size());
    const ValueId id =
        data.add_value(name, {each.element, Shape(each.dims.begin(), each.dims.end()), {}});
    node.inputs.push_back(id);
    Tensor tensor = tensor_of(each);
    if (given.has_constants && !is_floating(each.element)) {
      data.initializers.push_back({id, std::move(tensor), false});
    } else {
      data.inputs.push_back(id);
      inputs.emplace(name, std::move(tensor));
    }
  }
  for (const bool named : given.outputs) {
    node.outputs.emplace_back();
    if (!named) continue;
    node.outputs.back() = data.add_value("y" + std::to_string(node.outputs.size()), {});
    data.outputs.push_back(node.outputs.back());
  }
  data.nodes.push_back(std::move(node));
  data.nodes_in_file = 1;
  return {Graph(std::move(data)), std::move(inputs)};
}

std::vector<Case> all_cases(const std::string& only_operator) {
  std::vector<const Op*> ops;
  for (const auto& [key, op] : standard_ops().all()) {
    if (only_operator.empty() || op.type == only_operator) ops.push_back(&op);
  }
  std::sort(ops.begin(), ops.end(), [](const Op* a, const Op* b) {
    return std::tie(a->domain, a->type) < std::tie(b->domain, b->type);
  });
  std::vector<Case> cases;
  for (const Op* const op : ops) {
    for (const Signature& signature : op->operands.signatures()) {
      for (const std::size_t rank : {2U, 4U, 3U}) {
        for (const bool has_constants : {false, true}) {
          add_changes(base_case(*op, signature, rank, has_constants), cases);
        }
      }
      for (const bool has_constants : {false, true}) {
        if (const auto formed = formed_case(*op, signature, has_constants)) {
          add_changes(*formed, cases);
        }
      }
    }
  }
  return cases;
}

}  // namespace stashscope::operand_sweep
