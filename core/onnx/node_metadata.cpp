#include "core/onnx/node_metadata.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <charconv>
#include <map>
#include <vector>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// Field number of NodeProto.metadata_props. (onnx.proto, IR version 10) Older versions of the
/// library do not know the field, so it is read and written by its number.
constexpr int metadata_field = 9;
constexpr const char* scopes_key = "pkg.torch.onnx.name_scopes";
constexpr const char* stack_key = "pkg.torch.onnx.stack_trace";

using Entries = std::vector<onnx::StringStringEntryProto>;

Entries known_entries(const onnx::NodeProto& proto,
                      const google::protobuf::FieldDescriptor* field) {
  Entries entries;
  const auto* const reflection = proto.GetReflection();
  for (int i = 0; i < reflection->FieldSize(proto, field); ++i) {
    onnx::StringStringEntryProto& entry = entries.emplace_back();
    entry.ParseFromString(reflection->GetRepeatedMessage(proto, field, i).SerializeAsString());
  }
  return entries;
}

Entries unknown_entries(const onnx::NodeProto& proto) {
  Entries entries;
  const auto& fields = proto.GetReflection()->GetUnknownFields(proto);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() != metadata_field) continue;
    if (field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) continue;
    onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(field.length_delimited())) entries.push_back(std::move(entry));
  }
  return entries;
}

std::map<std::string, std::string> metadata_of(const onnx::NodeProto& proto) {
  const auto* const field = onnx::NodeProto::descriptor()->FindFieldByNumber(metadata_field);
  std::map<std::string, std::string> metadata;
  for (const auto& entry : field ? known_entries(proto, field) : unknown_entries(proto)) {
    metadata[entry.key()] = entry.value();
  }
  return metadata;
}

/// The texts of a list such as `['', "m", 'm.layers.0']`.
std::vector<std::string> texts_of_list(const std::string& list) {
  std::vector<std::string> texts;
  char quote = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (quote == 0) {
      if (c == '\'' || c == '"') {
        quote = c;
        texts.emplace_back();
      }
    } else if (c == quote) {
      quote = 0;
    } else {
      if (c == '\\' && i + 1 < list.size()) ++i;
      texts.back() += list[i];
    }
  }
  return texts;
}

/// The modules from the outside in, each with its name relative to the enclosing module. The last
/// text of `list` is the operator itself and is left out.
std::vector<std::string> modules_of(const std::string& list) {
  std::vector<std::string> scopes = texts_of_list(list);
  std::vector<std::string> modules;
  if (scopes.empty()) return modules;
  scopes.pop_back();
  std::string around;
  for (const std::string& scope : scopes) {
    // The empty scope is the model itself. The prefix `_empty_nn_module_stack` marks nodes that the
    // exporter inserted, which belong to no module.
    if (scope.empty() || scope.starts_with("_empty_nn_module_stack")) continue;
    const bool is_inner = !around.empty() && scope.starts_with(around + ".");
    modules.push_back(is_inner ? scope.substr(around.size() + 1) : scope);
    around = scope;
  }
  return modules;
}

/// Reads the last `File "name", line N` of a stack trace, which is the innermost call.
void read_source_line(const std::string& trace, NodeOrigin& origin) {
  constexpr std::string_view file_mark = "File \"";
  constexpr std::string_view line_mark = "\", line ";
  const std::size_t file = trace.rfind(file_mark);
  if (file == std::string::npos) return;
  const std::size_t name = file + file_mark.size();
  const std::size_t end = trace.find(line_mark, name);
  if (end == std::string::npos) return;
  const char* const number = trace.data() + end + line_mark.size();
  const auto read = std::from_chars(number, trace.data() + trace.size(), origin.line);
  if (read.ec == std::errc() && origin.line > 0) origin.file = trace.substr(name, end - name);
}

void add_entry(const std::string& key, const std::string& value, onnx::NodeProto& proto) {
  onnx::StringStringEntryProto entry;
  entry.set_key(key);
  entry.set_value(value);
  google::protobuf::UnknownFieldSet fields;
  fields.AddLengthDelimited(metadata_field, entry.SerializeAsString());
  std::string bytes;
  fields.SerializeToString(&bytes);
  proto.MergeFromString(bytes);
}

std::string python_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + "'";
}

}  // namespace

std::shared_ptr<const NodeOrigin> read_origin(const onnx::NodeProto& proto) {
  const auto metadata = metadata_of(proto);
  NodeOrigin origin;
  if (const auto scopes = metadata.find(scopes_key); scopes != metadata.end()) {
    origin.modules = modules_of(scopes->second);
  }
  if (const auto trace = metadata.find(stack_key); trace != metadata.end()) {
    read_source_line(trace->second, origin);
  }
  if (origin.modules.empty() && origin.file.empty()) return nullptr;
  return std::make_shared<const NodeOrigin>(std::move(origin));
}

void write_origin(const NodeOrigin& origin, onnx::NodeProto& proto) {
  std::vector<std::string> scopes = {python_text("")};
  std::string around;
  for (const std::string& module : origin.modules) {
    around += (around.empty() ? "" : ".") + module;
    scopes.push_back(python_text(around));
  }
  scopes.push_back(python_text(proto.name()));
  add_entry(scopes_key, "[" + join(scopes, ", ") + "]", proto);
  if (origin.file.empty()) return;
  add_entry(stack_key, "File \"" + origin.file + "\", line " + std::to_string(origin.line), proto);
}

void inherit_origin(const onnx::NodeProto& call, onnx::NodeProto& node) {
  if (read_origin(node) != nullptr) return;
  if (const auto origin = read_origin(call)) write_origin(*origin, node);
}

}  // namespace stashscope
