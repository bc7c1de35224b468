#include "core/run/cuda/plugin/matmul.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "core/run/cuda/plugin/check.h"
#include "core/run/cuda/plugin/cublas_lt.h"
#include "core/run/cuda/plugin/owned.h"

namespace stashscope::cuda {

namespace {

/// NVIDIA's recommended workspace size for newer devices, in bytes.
constexpr std::size_t most_matmul_workspace = std::size_t{32} << 20;
/// The alignment of allocations, in bytes. Product::choose assumes this alignment.
constexpr std::uint32_t full_alignment = 256;
/// The alignment that cuBLASLt's kernels require of a bias, in bytes. cuBLASLt does not check the
/// alignment itself, so a bias with a smaller alignment is added separately.
constexpr std::uintptr_t bias_alignment = 16;

using Description = Owned<cublasLtMatmulDesc_t, cublasStatus_t>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasStatus_t>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasStatus_t>;

const CublasLt& library() { return CublasLt::get(); }

cudaDataType_t cublas_type(ElementType element) {
  switch (element) {
    case ElementType::float32:
      return CUDA_R_32F;
    case ElementType::float16:
      return CUDA_R_16F;
    case ElementType::bfloat16:
      return CUDA_R_16BF;
    case ElementType::float64:
      return CUDA_R_64F;
    default:
      fail_run(device_place, "cannot multiply matrices of type " + std::string(name_of(element)));
  }
}

cublasComputeType_t compute_type(const MatmulShape& shape) {
  if (shape.element == ElementType::float64) return CUBLAS_COMPUTE_64F;
  const bool rounds = shape.element == ElementType::float32 && shape.rounds_to_tf32;
  return rounds ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

std::int64_t element_bytes(const MatmulShape& shape) { return bits_per_element(shape.element) / 8; }

template <class T>
void set(const Description& description, cublasLtMatmulDescAttributes_t attribute, T value) {
  library().check(library().set_description(description.get(), attribute, &value, sizeof(value)),
                  "describing a matrix product");
}

template <class T>
void set(const Layout& layout, cublasLtMatrixLayoutAttribute_t attribute, T value) {
  library().check(library().set_layout(layout.get(), attribute, &value, sizeof(value)),
                  "describing a matrix");
}

template <class T>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, T value) {
  library().check(library().set_preference(preference.get(), attribute, &value, sizeof(value)),
                  "describing a matrix product");
}

/// The layout of a dense row-major matrix. The library sees this matrix as its transpose.
Layout make_layout(const MatmulShape& shape, std::int64_t rows, std::int64_t columns,
                   std::int64_t stride) {
  cublasLtMatrixLayout_t made = nullptr;
  library().check(library().create_layout(&made, cublas_type(shape.element),
                                          static_cast<std::uint64_t>(columns),
                                          static_cast<std::uint64_t>(rows), columns),
                  "describing a matrix");
  Layout layout(made, {library().destroy_layout});
  set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(shape.batch));
  set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return layout;
}

Description make_description(const MatmulShape& shape) {
  cublasLtMatmulDesc_t made = nullptr;
  const cudaDataType_t scale = shape.element == ElementType::float64 ? CUDA_R_64F : CUDA_R_32F;
  library().check(library().create_description(&made, compute_type(shape), scale),
                  "describing a matrix product");
  Description description(made, {library().destroy_description});
  const auto operation = [](bool transposes) { return transposes ? CUBLAS_OP_T : CUBLAS_OP_N; };
  set(description, CUBLASLT_MATMUL_DESC_TRANSA, operation(shape.transpose_b));
  set(description, CUBLASLT_MATMUL_DESC_TRANSB, operation(shape.transpose_a));
  return description;
}

std::uintptr_t address_of(DevicePointer pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// The largest power of two that divides the matrices' addresses, up to full_alignment.
std::uint32_t alignment_of(const MatmulOperands& operands) {
  const std::uintptr_t bits =
      address_of(operands.a) | address_of(operands.b) | address_of(operands.d) | full_alignment;
  return std::uint32_t{1} << std::countr_zero(bits);
}

/// The properties of a call, besides the shape, on which the choice of the algorithm depends.
struct Circumstance {
  std::uint32_t alignment = full_alignment;
  bool adds_bias = false;  ///< the epilogue adds the bias

  auto operator<=>(const Circumstance&) const = default;
};

}  // namespace

/// A shape with its descriptors and algorithms.
class Matmuls::Product {
 public:
  Product(cublasLtHandle_t handle, const MatmulShape& shape) : handle_(handle), shape_(shape) {
    if (shape.batch > std::numeric_limits<std::int32_t>::max()) {
      fail_run(device_place, "cannot multiply more than 2^31 - 1 matrices at once");
    }
    if (writes_nothing() || shape.inner == 0) return;
    describe();
    choose();
  }

  std::int64_t workspace_bytes() const { return static_cast<std::int64_t>(workspace_); }

  void multiply(const MatmulOperands& operands, cudaStream_t stream) {
    if (writes_nothing()) return;
    const bool in_epilogue =
        can_add_bias_ && shape_.inner > 0 && address_of(operands.bias) % bias_alignment == 0;
    if (has_bias() && !in_epilogue) copy_bias(operands, stream);
    if (shape_.inner > 0) {
      start(operands, {alignment_of(operands), in_epilogue}, stream);
    } else if (shape_.addend == MatmulShape::Addend::none) {
      clear(operands.d, stream);
    }
  }

 private:
  using Heuristic = cublasLtMatmulHeuristicResult_t;

  bool writes_nothing() const { return shape_.rows * shape_.columns * shape_.batch == 0; }
  bool has_bias() const { return shape_.addend == MatmulShape::Addend::bias; }

  void describe() {
    description_ = make_description(shape_);
    const auto dims = [](bool transposes, std::int64_t rows, std::int64_t columns) {
      return transposes ? std::pair(columns, rows) : std::pair(rows, columns);
    };
    const auto [a_rows, a_columns] = dims(shape_.transpose_a, shape_.rows, shape_.inner);
    const auto [b_rows, b_columns] = dims(shape_.transpose_b, shape_.inner, shape_.columns);
    a_ = make_layout(shape_, a_rows, a_columns, shape_.stride_a);
    b_ = make_layout(shape_, b_rows, b_columns, shape_.stride_b);
    d_ = make_layout(shape_, shape_.rows, shape_.columns, shape_.stride_d);
  }

  void choose() {
    std::optional<Heuristic> best;
    if (has_bias()) best = find_algorithm({full_alignment, true}, most_matmul_workspace);
    can_add_bias_ = best.has_value();
    if (!best) best = find_algorithm({full_alignment, false}, most_matmul_workspace);
    if (!best) fail_run(device_place, "cuBLASLt has no algorithm for a matrix product");
    workspace_ = best->workspaceSize;
    algorithms_.emplace(Circumstance{full_alignment, can_add_bias_}, best->algo);
  }

  /// @param bias null: the epilogue adds no bias
  void set_epilogue(const void* bias) {
    set(description_, CUBLASLT_MATMUL_DESC_EPILOGUE,
        bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT);
    set(description_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }

  std::optional<Heuristic> find_algorithm(const Circumstance& circumstance, std::size_t workspace) {
    // The search reads only the alignment of the bias pointer, so any aligned address will do.
    set_epilogue(circumstance.adds_bias ? reinterpret_cast<const void*>(bias_alignment) : nullptr);
    const Preference preference = make_preference(circumstance.alignment, workspace);
    Heuristic found{};
    int count = 0;
    const cublasStatus_t status =
        library().get_heuristic(handle_, description_.get(), b_.get(), a_.get(), d_.get(), d_.get(),
                                preference.get(), 1, &found, &count);
    // A status other than success means that the library does not support the product.
    if (status != CUBLAS_STATUS_SUCCESS || count == 0) return std::nullopt;
    return found;
  }

  static Preference make_preference(std::uint32_t alignment, std::size_t workspace) {
    cublasLtMatmulPreference_t made = nullptr;
    library().check(library().create_preference(&made), "describing a matrix product");
    Preference preference(made, {library().destroy_preference});
    set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace});
    // Partial sums must not be rounded to the operands' type or added in varying order.
    set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      set(preference, attribute, alignment);
    }
    return preference;
  }

  /// Finds the algorithm for a call. Operands that are parts of tensors may have a smaller
  /// alignment than whole tensors. The algorithm for such a call must not use more workspace than
  /// workspace_bytes() returns.
  const cublasLtMatmulAlgo_t& algorithm_for(const Circumstance& circumstance) {
    const auto known = algorithms_.find(circumstance);
    if (known != algorithms_.end()) return known->second;
    const std::optional<Heuristic> found = find_algorithm(circumstance, workspace_);
    if (!found) {
      fail_run(device_place,
               "cuBLASLt has no algorithm for a matrix product at addresses aligned to " +
                   std::to_string(circumstance.alignment) + " bytes");
    }
    return algorithms_.emplace(circumstance, found->algo).first->second;
  }

  void start(const MatmulOperands& operands, const Circumstance& circumstance,
             cudaStream_t stream) {
    const cublasLtMatmulAlgo_t& algorithm = algorithm_for(circumstance);
    set_epilogue(circumstance.adds_bias ? operands.bias : nullptr);
    const bool adds_own = shape_.addend != MatmulShape::Addend::none && !circumstance.adds_bias;
    const auto run = [&](auto alpha, auto beta) {
      library().check(
          library().matmul(handle_, description_.get(), &alpha, operands.b, b_.get(), operands.a,
                           a_.get(), &beta, operands.d, d_.get(), operands.d, d_.get(), &algorithm,
                           operands.workspace, workspace_, stream),
          "multiplying matrices");
    };
    if (shape_.element == ElementType::float64) {
      run(double{shape_.alpha}, adds_own ? 1.0 : 0.0);
    } else {
      run(shape_.alpha, adds_own ? 1.0F : 0.0F);
    }
  }

  DevicePointer item(DevicePointer d, std::int64_t index) const {
    return d + index * shape_.stride_d * element_bytes(shape_);
  }

  void clear(DevicePointer d, cudaStream_t stream) const {
    const auto bytes =
        static_cast<std::size_t>(shape_.rows * shape_.columns * element_bytes(shape_));
    for (std::int64_t i = 0; i < shape_.batch; ++i) {
      check(cudaMemsetAsync(item(d, i), 0, bytes, stream), "filling memory");
    }
  }

  /// Fills D with copies of the bias; each copy operation doubles the filled part.
  void copy_bias(const MatmulOperands& operands, cudaStream_t stream) const {
    const std::int64_t row = shape_.columns * element_bytes(shape_);
    for (std::int64_t i = 0; i < shape_.batch; ++i) {
      const DevicePointer first = item(operands.d, i);
      copy(first, operands.bias, row, stream);
      for (std::int64_t rows = 1; rows < shape_.rows; rows *= 2) {
        copy(first + rows * row, first, std::min(rows, shape_.rows - rows) * row, stream);
      }
    }
  }

  static void copy(DevicePointer to, const std::byte* from, std::int64_t bytes,
                   cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice,
                          stream),
          "copying");
  }

  cublasLtHandle_t handle_;
  MatmulShape shape_;
  Description description_;
  Layout a_;
  Layout b_;
  Layout d_;
  bool can_add_bias_ = false;  ///< in the epilogue; the library supports this for some types only
  std::size_t workspace_ = 0;
  std::map<Circumstance, cublasLtMatmulAlgo_t> algorithms_;
};

Matmuls::Matmuls() { library().check(library().create(&handle_), "starting cuBLASLt"); }

Matmuls::~Matmuls() { library().destroy(handle_); }

MatmulId Matmuls::prepare(const MatmulShape& shape) {
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second;
  const MatmulId id = products_.push_back(std::make_unique<Product>(handle_, shape));
  known_.emplace(shape, id);
  return id;
}

std::int64_t Matmuls::workspace_bytes(MatmulId matmul) const {
  return products_[matmul]->workspace_bytes();
}

void Matmuls::multiply(MatmulId matmul, const MatmulOperands& operands, cudaStream_t stream) {
  products_[matmul]->multiply(operands, stream);
}

std::string Matmuls::library_version() {
  const std::size_t version = library().version();
  if (version < 120000) return std::to_string(version);  // older versions are numbered differently
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace stashscope::cuda
