#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/element_type.h"

namespace stashscope {

/// Bytes together with the owner that keeps them alive (a string, a mapped file).
struct TensorBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Where the data of a tensor lies outside the model file.
struct ExternalData {
  std::filesystem::path file;  ///< the model's folder followed by `location`
  std::string location;        ///< path as the model file states it, relative to the model's folder
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

/// A constant tensor: type, dims and data (row-major, little-endian, packed). Cheap to copy.
class Tensor {
 public:
  Tensor() = default;
  /// A tensor without data. A model with such tensors can be analysed; runs use random data.
  Tensor(ElementType element, std::vector<std::int64_t> dims);
  /// @param raw exactly packed_bytes(element, elements) bytes
  Tensor(ElementType element, std::vector<std::int64_t> dims, std::string raw);
  /// A tensor without data, because its data file does not exist. `missing_file` returns
  /// `location`. A run refuses a model with such a tensor, unless the run is given the tensor.
  static Tensor without_file(ElementType element, std::vector<std::int64_t> dims,
                             std::string location);
  static Tensor external(ElementType element, std::vector<std::int64_t> dims, ExternalData data);
  static Tensor strings(std::vector<std::int64_t> dims, std::vector<std::string> items);

  static Tensor int64s(const std::vector<std::int64_t>& items);  ///< a tensor of rank 1
  static Tensor int64_scalar(std::int64_t item);
  /// A tensor of whole numbers. Throws an input Error unless the type is boolean, an integer of at
  /// least 8 bits or a float of at least 16 bits, and for a number outside the range of bool or of
  /// an integer type. Floating-point types round, and may overflow to infinity.
  static Tensor of_integers(ElementType element, std::vector<std::int64_t> dims,
                            const std::vector<std::int64_t>& items);
  static Tensor float_scalar(ElementType element, double item);

  ElementType element() const { return element_; }
  const std::vector<std::int64_t>& dims() const { return dims_; }
  std::int64_t elements() const;
  /// Bytes of the data; 0 for strings. Throws an input Error on 64-bit overflow.
  std::int64_t size_in_bytes() const { return packed_bytes(element_, elements()); }

  bool has_data() const { return raw_ != nullptr || external_ != nullptr || strings_ != nullptr; }
  /// The location of the external data file if that file does not exist; else null.
  const std::string* missing_file() const { return missing_file_.get(); }
  const ExternalData* external_data() const { return external_.get(); }
  const std::vector<std::string>* string_items() const { return strings_.get(); }
  /// The data; external data is mapped from its file. Throws an input Error if the tensor has no
  /// data or is a string tensor, or if its file cannot be read or is too short.
  TensorBytes load() const;

  /// The elements of an integer or boolean tensor as 64-bit numbers; nothing for other types,
  /// types below 8 bits, tensors without data, and a uint64 element of 2^63 or more.
  std::optional<std::vector<std::int64_t>> integers() const;
  /// The elements of a floating-point tensor of 16, 32 or 64 bits; nothing for other types and for
  /// tensors without data.
  std::optional<std::vector<double>> reals() const;

 private:
  ElementType element_ = ElementType::undefined;
  std::vector<std::int64_t> dims_;
  std::shared_ptr<const std::string> raw_;
  std::shared_ptr<const ExternalData> external_;
  std::shared_ptr<const std::string> missing_file_;
  std::shared_ptr<const std::vector<std::string>> strings_;
};

/// Product of dims; throws an input Error on a negative dim or 64-bit overflow.
std::int64_t element_count(std::span<const std::int64_t> dims);

}  // namespace stashscope
