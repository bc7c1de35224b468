#include "core/onnx/tensor_proto.h"

#include <charconv>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

/// The items of a typed field, each converted to `Narrow`, as bytes.
template <class Narrow, class Field>
std::string packed(const Field& field) {
  std::string raw(static_cast<std::size_t>(field.size()) * sizeof(Narrow), '\0');
  char* at = raw.data();
  for (const auto item : field) {
    const auto narrow = static_cast<Narrow>(item);
    std::memcpy(at, &narrow, sizeof(Narrow));
    at += sizeof(Narrow);
  }
  return raw;
}

/// The contents of the typed field for `element`, packed to little-endian bytes. (onnx.proto, "data
/// fields": an item of int32_data holds one number of 8, 16 or 32 bits, two of 4 or four of 2.)
std::string typed_data(const onnx::TensorProto& proto, ElementType element) {
  switch (element) {
    case ElementType::float32:
    case ElementType::complex64:
      return packed<float>(proto.float_data());
    case ElementType::float64:
    case ElementType::complex128:
      return packed<double>(proto.double_data());
    case ElementType::int64:
      return packed<std::int64_t>(proto.int64_data());
    case ElementType::uint64:
      return packed<std::uint64_t>(proto.uint64_data());
    case ElementType::uint32:
      return packed<std::uint32_t>(proto.uint64_data());
    case ElementType::int32:
      return packed<std::int32_t>(proto.int32_data());
    case ElementType::uint16:
    case ElementType::int16:
    case ElementType::float16:
    case ElementType::bfloat16:
      return packed<std::uint16_t>(proto.int32_data());
    default:
      return packed<std::uint8_t>(proto.int32_data());
  }
}

bool has_typed_data(const onnx::TensorProto& proto) {
  return proto.float_data_size() + proto.int32_data_size() + proto.int64_data_size() +
             proto.double_data_size() + proto.uint64_data_size() + proto.string_data_size() >
         0;
}

std::int64_t parse_number(const std::string& text, const char* field) {
  std::int64_t number = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || number < 0) {
    fail_input("", std::string("external data: ") + field + " '" + printable(text) +
                       "' is not a whole number of at most 64 bits");
  }
  return number;
}

/// Only files inside the model's folder are opened, so that a model cannot read other files.
fs::path checked_location(const std::string& location, const fs::path& folder) {
  const fs::path relative(location);
  bool inside = !location.empty() && !relative.is_absolute();
  for (const fs::path& part : relative) inside = inside && part != "..";
  if (!inside) {
    fail_input(
        "",
        "external data: location '" + printable(location) + "' is not inside the model's folder",
        "put the data into the model's folder and name it by a relative path");
  }
  return folder / relative;
}

ExternalData read_external(const onnx::TensorProto& proto, std::int64_t bytes,
                           const fs::path& folder) {
  ExternalData data;
  data.length = bytes;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") data.location = entry.value();
    if (entry.key() == "offset") data.offset = parse_number(entry.value(), "offset");
    if (entry.key() == "length") data.length = parse_number(entry.value(), "length");
  }
  data.file = checked_location(data.location, folder);
  if (data.length != bytes) {
    fail_input("", "external data: length " + std::to_string(data.length) + ", but the dims need " +
                       std::to_string(bytes) + " bytes");
  }
  return data;
}

Tensor read_external_tensor(const onnx::TensorProto& proto, ElementType element,
                            std::vector<std::int64_t> dims, const fs::path& folder,
                            std::vector<std::string>& warnings) {
  const std::int64_t bytes = packed_bytes(element, element_count(dims));
  ExternalData data = read_external(proto, bytes, folder);
  std::error_code status;
  if (!fs::exists(data.file, status)) {
    warnings.push_back("tensor '" + printable(proto.name()) + "': its data file '" +
                       printable(data.location) +
                       "' is missing; the graph can be analysed but not run");
    return Tensor::without_file(element, std::move(dims), data.location);
  }
  const auto size = static_cast<std::int64_t>(MappedFile::open(data.file)->bytes().size());
  if (data.offset > size || data.length > size - data.offset) {
    fail_input("", "external data: " + std::to_string(data.length) + " bytes from offset " +
                       std::to_string(data.offset) + " on do not fit in '" +
                       printable(data.location) + "', which has " + std::to_string(size) +
                       " bytes");
  }
  return Tensor::external(element, std::move(dims), std::move(data));
}

Tensor read_strings(const onnx::TensorProto& proto, std::vector<std::int64_t> dims) {
  if (proto.string_data_size() != element_count(dims)) {
    fail_input("", "has " + std::to_string(proto.string_data_size()) +
                       " strings, but its dims need " + std::to_string(element_count(dims)));
  }
  return Tensor::strings(std::move(dims), {proto.string_data().begin(), proto.string_data().end()});
}

std::string read_inline(onnx::TensorProto& proto, ElementType element) {
  if (proto.has_raw_data() && !proto.raw_data().empty() && has_typed_data(proto)) {
    fail_input("", "has both raw data and typed data");
  }
  const bool is_raw = proto.has_raw_data() && !has_typed_data(proto);
  return is_raw ? std::move(*proto.mutable_raw_data()) : typed_data(proto, element);
}

}  // namespace

Tensor read_tensor(onnx::TensorProto& proto, const fs::path& folder,
                   std::vector<std::string>& warnings) {
  if (!is_known_element_type(proto.data_type())) {
    fail_input("", "has the unknown element type " + std::to_string(proto.data_type()));
  }
  const auto element = static_cast<ElementType>(proto.data_type());
  std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
  const std::int64_t bytes = packed_bytes(element, element_count(dims));
  if (element == ElementType::string) return read_strings(proto, std::move(dims));
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return read_external_tensor(proto, element, std::move(dims), folder, warnings);
  }
  if (!proto.has_raw_data() && !has_typed_data(proto) && bytes > 0) {
    // A tensor without data may be a weight that was left out when the model was saved. But no real
    // model has a tensor of more than 1 PiB, so such a file is damaged.
    if (bytes > (std::int64_t{1} << 50)) fail_input("", "declares more than 1 PiB of data");
    warnings.push_back("tensor '" + printable(proto.name()) +
                       "' has no data; runs use random numbers");
    return {element, std::move(dims)};
  }
  std::string raw = read_inline(proto, element);
  if (static_cast<std::int64_t>(raw.size()) != bytes) {
    fail_input("", "has " + std::to_string(raw.size()) + " bytes of data, but its dims need " +
                       std::to_string(bytes));
  }
  return {element, std::move(dims), std::move(raw)};
}

void write_tensor(const Tensor& tensor, onnx::TensorProto& proto) {
  proto.set_data_type(static_cast<int>(tensor.element()));
  for (const std::int64_t dim : tensor.dims()) proto.add_dims(dim);
  if (const auto* const strings = tensor.string_items()) {
    for (const std::string& item : *strings) proto.add_string_data(item);
    return;
  }
  if (!tensor.has_data()) return;
  const TensorBytes data = tensor.load();
  proto.set_raw_data(data.bytes.data(), data.bytes.size());
}

}  // namespace stashscope
