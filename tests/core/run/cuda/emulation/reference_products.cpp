#include "reference_products.h"

#include "core/run/shared/numbers.h"

namespace stashscope::testing_run {

namespace {

using cuda::ConvolutionShape;
using cuda::MatmulShape;

std::int64_t bytes_of(const MatmulShape& shape, std::int64_t elements, std::int64_t stride) {
  return packed_bytes(shape.element, elements + (shape.batch - 1) * stride);
}

std::vector<double> read(ElementType element, std::int64_t bytes, std::byte* data) {
  return kernels::numbers_of<double>({element, {bytes * 8 / bits_per_element(element)}, data});
}

double product(const MatmulShape& shape, const double* a, const double* b, std::int64_t row,
               std::int64_t column) {
  double sum = 0;
  for (std::int64_t i = 0; i < shape.inner; ++i) {
    const double left = a[shape.transpose_a ? i * shape.rows + row : row * shape.inner + i];
    const double right =
        b[shape.transpose_b ? column * shape.inner + i : i * shape.columns + column];
    sum += left * right;
  }
  return sum;
}

std::size_t index_in(const std::vector<std::int64_t>& dims, std::int64_t i, std::int64_t j,
                     std::int64_t k, std::int64_t l) {
  return static_cast<std::size_t>(((i * dims[1] + j) * dims[2] + k) * dims[3] + l);
}

/// Calls `body(x, w, y)` with the indices of the elements of each product.
template <class Body>
void for_each_product(const ConvolutionShape& shape, const std::vector<std::int64_t>& outer,
                      Body body) {
  const std::int64_t channels = shape.filter[1];
  const std::int64_t group = outer[1] / (shape.output[1] / shape.groups);
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < shape.filter[2]; ++i) {
      for (std::int64_t j = 0; j < shape.filter[3]; ++j) {
        const std::int64_t row =
            outer[2] * shape.strides[0] - shape.pads[0] + i * shape.dilations[0];
        const std::int64_t column =
            outer[3] * shape.strides[1] - shape.pads[1] + j * shape.dilations[1];
        if (row < 0 || row >= shape.input[2] || column < 0 || column >= shape.input[3]) continue;
        body(index_in(shape.input, outer[0], group * channels + c, row, column),
             index_in(shape.filter, outer[1], c, i, j),
             index_in(shape.output, outer[0], outer[1], outer[2], outer[3]));
      }
    }
  }
}

template <class Body>
void for_each_output(const ConvolutionShape& shape, Body body) {
  std::vector<std::int64_t> at(4, 0);
  for (std::int64_t i = 0; i < element_count(shape.output); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = 4; axis-- > 0; rest /= shape.output[axis]) {
      at[axis] = rest % shape.output[axis];
    }
    body(at);
  }
}

}  // namespace

std::int64_t bytes_of_a(const MatmulShape& shape) {
  return bytes_of(shape, shape.rows * shape.inner, shape.stride_a);
}
std::int64_t bytes_of_b(const MatmulShape& shape) {
  return bytes_of(shape, shape.inner * shape.columns, shape.stride_b);
}
std::int64_t bytes_of_d(const MatmulShape& shape) {
  return bytes_of(shape, shape.rows * shape.columns, shape.stride_d);
}

void reference_multiply(const MatmulShape& shape, std::byte* a, std::byte* b, std::byte* bias,
                        std::byte* d) {
  const auto left = read(shape.element, bytes_of_a(shape), a);
  const auto right = read(shape.element, bytes_of_b(shape), b);
  auto result = read(shape.element, bytes_of_d(shape), d);
  const bool biased = shape.addend == MatmulShape::Addend::bias;
  const auto added =
      read(shape.element, biased ? packed_bytes(shape.element, shape.columns) : 0, bias);
  for (std::int64_t item = 0; item < shape.batch; ++item) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      for (std::int64_t column = 0; column < shape.columns; ++column) {
        double& to =
            result[static_cast<std::size_t>(item * shape.stride_d + row * shape.columns + column)];
        const double own = shape.addend == MatmulShape::Addend::own ? to : 0;
        to = own + (biased ? added[static_cast<std::size_t>(column)] : 0) +
             double{shape.alpha} * product(shape, left.data() + item * shape.stride_a,
                                           right.data() + item * shape.stride_b, row, column);
      }
    }
  }
  kernels::store_numbers(result, {shape.element, {static_cast<std::int64_t>(result.size())}, d});
}

std::array<std::vector<std::int64_t>, 3> dims_of_operands(const ConvolutionShape& shape) {
  switch (shape.pass) {
    case ConvolutionShape::Pass::forward:
      return {shape.input, shape.filter, shape.output};
    case ConvolutionShape::Pass::input_gradient:
      return {shape.output, shape.filter, shape.input};
    case ConvolutionShape::Pass::filter_gradient:
      return {shape.input, shape.output, shape.filter};
  }
  return {};
}

void reference_convolve(const ConvolutionShape& shape,
                        std::span<const cuda::DevicePointer, 3> operands) {
  const auto dims = dims_of_operands(shape);
  const auto first = kernels::numbers_of<double>({shape.element, dims[0], operands[0]});
  const auto second = kernels::numbers_of<double>({shape.element, dims[1], operands[1]});
  std::vector<double> sums(static_cast<std::size_t>(element_count(dims[2])), 0);
  for_each_output(shape, [&](const std::vector<std::int64_t>& at) {
    for_each_product(shape, at, [&](std::size_t x, std::size_t w, std::size_t y) {
      switch (shape.pass) {
        case ConvolutionShape::Pass::forward:
          sums[y] += first[x] * second[w];
          break;
        case ConvolutionShape::Pass::input_gradient:
          sums[x] += first[y] * second[w];
          break;
        case ConvolutionShape::Pass::filter_gradient:
          sums[w] += first[x] * second[y];
          break;
      }
    });
  });
  kernels::store_numbers(sums, {shape.element, dims[2], operands[2]});
}

}  // namespace stashscope::testing_run
