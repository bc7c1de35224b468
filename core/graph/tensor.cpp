#include "core/graph/tensor.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/graph/half.h"

namespace stashscope {

namespace {

template <class T>
T read_element(std::span<const std::byte> bytes, std::size_t index) {
  T item;
  std::memcpy(&item, bytes.data() + index * sizeof(T), sizeof(T));
  return item;
}

template <class T>
std::string raw_from(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

template <class T, class Wide>
std::vector<Wide> widened(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<Wide> items(count);
  // Numbers of 8 bits keep their sign. NOLINTNEXTLINE(bugprone-signed-char-misuse)
  for (std::size_t i = 0; i < count; ++i) items[i] = static_cast<Wide>(read_element<T>(bytes, i));
  return items;
}

/// Nothing if an item does not fit into a signed number.
std::optional<std::vector<std::int64_t>> from_uint64(std::span<const std::byte> bytes,
                                                     std::size_t count) {
  auto items = widened<std::uint64_t, std::int64_t>(bytes, count);
  // Items of 2^63 and more became negative.
  if (std::ranges::any_of(items, [](std::int64_t item) { return item < 0; })) return std::nullopt;
  return items;
}

std::vector<double> from_16_bits(std::span<const std::byte> bytes, std::size_t count,
                                 float (*convert)(std::uint16_t)) {
  std::vector<double> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    items[i] = double{convert(read_element<std::uint16_t>(bytes, i))};
  }
  return items;
}

std::string raw_float(ElementType element, double item) {
  const auto single = static_cast<float>(item);
  switch (element) {
    case ElementType::float16:
      return raw_from(std::vector{half_from_float(single)});
    case ElementType::bfloat16:
      return raw_from(std::vector{bfloat_from_float(single)});
    case ElementType::float32:
      return raw_from(std::vector{single});
    case ElementType::float64:
      return raw_from(std::vector{item});
    default:
      fail_input("", "a floating-point constant cannot have type " + std::string(name_of(element)));
  }
}

template <class T>
std::string raw_as(const std::vector<std::int64_t>& items) {
  std::string raw(items.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < items.size(); ++i) {
    const T item = static_cast<T>(items[i]);
    std::memcpy(raw.data() + i * sizeof(T), &item, sizeof(T));
  }
  return raw;
}

std::string raw_integers(ElementType element, const std::vector<std::int64_t>& items) {
  if (is_floating(element)) {
    std::string raw;
    for (const std::int64_t item : items) raw += raw_float(element, static_cast<double>(item));
    return raw;
  }
  const bool is_whole = is_integer(element) || element == ElementType::boolean;
  for (const std::int64_t item : items) {
    if (is_whole && !can_hold(element, item)) {
      fail_input(
          "", std::to_string(item) + " is not a number of type " + std::string(name_of(element)));
    }
  }
  switch (is_whole ? bits_per_element(element) : 0) {
    case 64:
      return raw_as<std::int64_t>(items);
    case 32:
      return raw_as<std::int32_t>(items);
    case 16:
      return raw_as<std::int16_t>(items);
    case 8:
      return raw_as<std::int8_t>(items);
    default:
      fail_input("", "whole numbers cannot be stored as " + std::string(name_of(element)));
  }
}

}  // namespace

std::int64_t element_count(std::span<const std::int64_t> dims) {
  std::int64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (const std::int64_t dim : dims) {
    if (dim < 0) fail_input("", "a dimension is negative: " + std::to_string(dim));
    if (dim == 0) empty = true;
    if (dim > 0) overflow = __builtin_mul_overflow(count, dim, &count) || overflow;
  }
  if (overflow) fail_input("", "the number of elements does not fit into 64 bits");
  return empty ? 0 : count;
}

Tensor::Tensor(ElementType element, std::vector<std::int64_t> dims)
    : element_(element), dims_(std::move(dims)) {}

Tensor::Tensor(ElementType element, std::vector<std::int64_t> dims, std::string raw)
    : Tensor(element, std::move(dims)) {
  raw_ = std::make_shared<const std::string>(std::move(raw));
}

Tensor Tensor::without_file(ElementType element, std::vector<std::int64_t> dims,
                            std::string location) {
  Tensor tensor(element, std::move(dims));
  tensor.missing_file_ = std::make_shared<const std::string>(std::move(location));
  return tensor;
}

Tensor Tensor::external(ElementType element, std::vector<std::int64_t> dims, ExternalData data) {
  Tensor tensor(element, std::move(dims));
  tensor.external_ = std::make_shared<const ExternalData>(std::move(data));
  return tensor;
}

Tensor Tensor::strings(std::vector<std::int64_t> dims, std::vector<std::string> items) {
  Tensor tensor(ElementType::string, std::move(dims));
  tensor.strings_ = std::make_shared<const std::vector<std::string>>(std::move(items));
  return tensor;
}

Tensor Tensor::int64s(const std::vector<std::int64_t>& items) {
  return {ElementType::int64, {static_cast<std::int64_t>(items.size())}, raw_from(items)};
}

Tensor Tensor::int64_scalar(std::int64_t item) {
  return {ElementType::int64, {}, raw_from(std::vector{item})};
}

Tensor Tensor::of_integers(ElementType element, std::vector<std::int64_t> dims,
                           const std::vector<std::int64_t>& items) {
  return {element, std::move(dims), raw_integers(element, items)};
}

Tensor Tensor::float_scalar(ElementType element, double item) {
  return {element, {}, raw_float(element, item)};
}

std::int64_t Tensor::elements() const { return element_count(dims_); }

TensorBytes Tensor::load() const {
  if (raw_) return {std::as_bytes(std::span(*raw_)), raw_};
  if (!external_)
    fail_input("", "the tensor has no data", "use a model file that contains the weights");
  auto file = MappedFile::open(external_->file);
  const auto all = file->bytes();
  const auto offset = static_cast<std::size_t>(external_->offset);
  const auto length = static_cast<std::size_t>(external_->length);
  if (offset > all.size() || length > all.size() - offset) {
    fail_input(printable(external_->file.string()), "is too short for the data of a tensor");
  }
  return {all.subspan(offset, length), std::move(file)};
}

std::optional<std::vector<std::int64_t>> Tensor::integers() const {
  if (!has_data() || strings_) return std::nullopt;
  const auto count = static_cast<std::size_t>(elements());
  const TensorBytes data = load();
  switch (element_) {
    case ElementType::int64:
      return widened<std::int64_t, std::int64_t>(data.bytes, count);
    case ElementType::int32:
      return widened<std::int32_t, std::int64_t>(data.bytes, count);
    case ElementType::int16:
      return widened<std::int16_t, std::int64_t>(data.bytes, count);
    case ElementType::int8:
      return widened<std::int8_t, std::int64_t>(data.bytes, count);
    case ElementType::uint64:
      return from_uint64(data.bytes, count);
    case ElementType::uint32:
      return widened<std::uint32_t, std::int64_t>(data.bytes, count);
    case ElementType::uint16:
      return widened<std::uint16_t, std::int64_t>(data.bytes, count);
    case ElementType::boolean:
    case ElementType::uint8:
      return widened<std::uint8_t, std::int64_t>(data.bytes, count);
    default:
      return std::nullopt;
  }
}

std::optional<std::vector<double>> Tensor::reals() const {
  if (!has_data() || strings_) return std::nullopt;
  const auto count = static_cast<std::size_t>(elements());
  const TensorBytes data = load();
  switch (element_) {
    case ElementType::float64:
      return widened<double, double>(data.bytes, count);
    case ElementType::float32:
      return widened<float, double>(data.bytes, count);
    case ElementType::float16:
      return from_16_bits(data.bytes, count, float_from_half);
    case ElementType::bfloat16:
      return from_16_bits(data.bytes, count, float_from_bfloat);
    default:
      return std::nullopt;
  }
}

}  // namespace stashscope
