#include "core/run/cuda/plugin/convolution.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/base/shared_library.h"
#include "core/run/cuda/plugin/check.h"
#include "core/run/cuda/plugin/owned.h"

#if __has_include(<cudnn.h>)
#define STASHSCOPE_CUDNN
#include <cudnn.h>
#endif

namespace stashscope::cuda {

#ifdef STASHSCOPE_CUDNN

namespace {

using Pass = ConvolutionShape::Pass;

constexpr std::size_t most_convolution_workspace = std::size_t{1} << 30;
constexpr int most_algorithms = 16;

cudnnDataType_t cudnn_type(ElementType element) {
  switch (element) {
    case ElementType::float32:
      return CUDNN_DATA_FLOAT;
    case ElementType::float16:
      return CUDNN_DATA_HALF;
    case ElementType::bfloat16:
      return CUDNN_DATA_BFLOAT16;
    case ElementType::float64:
      return CUDNN_DATA_DOUBLE;
    default:
      fail_run(device_place, "cannot convolve tensors of type " + std::string(name_of(element)));
  }
}

cudnnDataType_t compute_type(ElementType element) {
  return element == ElementType::float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

/// Whether math modes that round the operands are forbidden. These modes are forbidden for float64,
/// and for float32 without TF32.
bool is_exact(const ConvolutionShape& shape) {
  return shape.element == ElementType::float64 ||
         (shape.element == ElementType::float32 && !shape.rounds_to_tf32);
}

cudnnMathType_t math_type(const ConvolutionShape& shape) {
  if (is_exact(shape)) return CUDNN_FMA_MATH;
  return shape.element == ElementType::float32 ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH;
}

int to_int(std::int64_t number) {
  if (number < 0 || number > std::numeric_limits<int>::max()) {
    fail_run(device_place, "cannot convolve tensors with a dim of " + std::to_string(number) +
                               "; the largest possible dim is 2^31 - 1");
  }
  return static_cast<int>(number);
}

/// The file name of cuDNN. The name contains the major version of the headers, because the plugin
/// uses enums and structs from the headers.
std::string cudnn_name() { return "libcudnn.so." + std::to_string(CUDNN_MAJOR); }

/// A cuDNN algorithm for one pass, with its math type.
struct Choice {
  int algorithm = 0;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

int algorithm_count(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
    case Pass::input_gradient:
      return CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
    case Pass::filter_gradient:
      return CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
  }
  return 0;
}

/// Lists deterministic algorithms, then other algorithms; both groups are in the order of `sorted`.
/// Omits algorithms that failed or need too much workspace.
template <class Performance>
std::vector<Choice> best_of(std::span<const Performance> sorted) {
  std::vector<Choice> choices;
  for (const bool repeats : {true, false}) {
    for (const Performance& each : sorted) {
      const bool fits =
          each.status == CUDNN_STATUS_SUCCESS && each.memory <= most_convolution_workspace;
      if (!fits || (each.determinism == CUDNN_DETERMINISTIC) != repeats) continue;
      choices.push_back({static_cast<int>(each.algo), each.mathType});
    }
  }
  return choices;
}

/// Loads a function of cuDNN with the type of its declaration.
#define STASHSCOPE_CUDNN_FUNCTION(name) functions_.get<decltype(name)>(#name)

}  // namespace

/// The functions of cuDNN and a cuDNN handle.
class Convolutions::Library {
 public:
  Library() : functions_({cudnn_name()}) {
    if (!functions_.is_open()) {
      fail_input(device_place, "cuDNN (" + cudnn_name() +
                                   ") is not installed; models with convolutions need it (" +
                                   printable(functions_.failure()) + ")");
    }
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnCreate)(&handle_), "starting cuDNN");
  }
  ~Library() { STASHSCOPE_CUDNN_FUNCTION(cudnnDestroy)(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void check(cudnnStatus_t status, const char* what) const {
    if (status == CUDNN_STATUS_SUCCESS) return;
    const char* const text = STASHSCOPE_CUDNN_FUNCTION(cudnnGetErrorString)(status);
    fail_run(device_place, std::string(what) + " failed: cuDNN reports " + text);
  }

  std::string version() const {
    const std::size_t number = STASHSCOPE_CUDNN_FUNCTION(cudnnGetVersion)();
    const std::size_t thousand = number >= 90000 ? 10000 : 1000;
    return std::to_string(number / thousand) + "." + std::to_string(number % thousand / 100) + "." +
           std::to_string(number % 100);
  }

  const SharedLibrary& functions() const { return functions_; }
  cudnnHandle_t handle() const { return handle_; }

 private:
  SharedLibrary functions_;
  cudnnHandle_t handle_ = nullptr;
};

/// A shape with its descriptors and algorithm.
class Convolutions::PreparedConvolution {
 public:
  PreparedConvolution(const Library& library, const ConvolutionShape& shape)
      : library_(library), functions_(library.functions()), shape_(shape) {
    input_ = make_tensor(shape.input);
    output_ = make_tensor(shape.output);
    make_filter();
    make_convolution();
    choices_ = find();
    add_others();
    if (!choose(most_convolution_workspace))
      fail_run(device_place, "cuDNN has no algorithm for a convolution");
    reserved_ = workspace_;
  }

  std::int64_t workspace_bytes() const { return static_cast<std::int64_t>(reserved_); }

  /// Runs the convolution. Some algorithms report only at their start that they do not support the
  /// shape; then this function tries the next algorithm.
  void run(std::span<const DevicePointer, 3> operands, DevicePointer workspace,
           cudaStream_t stream) {
    library_.check(STASHSCOPE_CUDNN_FUNCTION(cudnnSetStream)(library_.handle(), stream),
                   "convolving");
    const cudnnStatus_t first = start(operands, workspace);
    cudnnStatus_t status = first;
    while (status != CUDNN_STATUS_SUCCESS && choose(reserved_)) status = start(operands, workspace);
    if (status != CUDNN_STATUS_SUCCESS) library_.check(first, "convolving");
  }

 private:
  void check(cudnnStatus_t status) const { library_.check(status, "preparing a convolution"); }

  Owned<cudnnTensorDescriptor_t, cudnnStatus_t> make_tensor(
      const std::vector<std::int64_t>& dims) const {
    cudnnTensorDescriptor_t made = nullptr;
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnCreateTensorDescriptor)(&made));
    Owned<cudnnTensorDescriptor_t, cudnnStatus_t> tensor(
        made, {STASHSCOPE_CUDNN_FUNCTION(cudnnDestroyTensorDescriptor)});
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnSetTensor4dDescriptor)(
        made, CUDNN_TENSOR_NCHW, cudnn_type(shape_.element), to_int(dims[0]), to_int(dims[1]),
        to_int(dims[2]), to_int(dims[3])));
    return tensor;
  }

  void make_filter() {
    cudnnFilterDescriptor_t made = nullptr;
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnCreateFilterDescriptor)(&made));
    filter_ = {made, {STASHSCOPE_CUDNN_FUNCTION(cudnnDestroyFilterDescriptor)}};
    const std::vector<std::int64_t>& dims = shape_.filter;
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnSetFilter4dDescriptor)(
        made, cudnn_type(shape_.element), CUDNN_TENSOR_NCHW, to_int(dims[0]), to_int(dims[1]),
        to_int(dims[2]), to_int(dims[3])));
  }

  void make_convolution() {
    cudnnConvolutionDescriptor_t made = nullptr;
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnCreateConvolutionDescriptor)(&made));
    convolution_ = {made, {STASHSCOPE_CUDNN_FUNCTION(cudnnDestroyConvolutionDescriptor)}};
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnSetConvolution2dDescriptor)(
        made, to_int(shape_.pads[0]), to_int(shape_.pads[1]), to_int(shape_.strides[0]),
        to_int(shape_.strides[1]), to_int(shape_.dilations[0]), to_int(shape_.dilations[1]),
        CUDNN_CROSS_CORRELATION, compute_type(shape_.element)));
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnSetConvolutionGroupCount)(made, to_int(shape_.groups)));
    set_math(math_type(shape_));
  }

  void set_math(cudnnMathType_t math) const {
    check(STASHSCOPE_CUDNN_FUNCTION(cudnnSetConvolutionMathType)(convolution_.get(), math));
  }

  /// Adds the algorithms that the heuristics do not list, because the heuristics sometimes list
  /// none although some algorithms work.
  void add_others() {
    for (int algorithm = 0; algorithm < algorithm_count(shape_.pass); ++algorithm) {
      const bool is_there = std::ranges::any_of(
          choices_, [&](const Choice& each) { return each.algorithm == algorithm; });
      if (!is_there) choices_.push_back({algorithm, math_type(shape_)});
    }
  }

  /// Chooses the next algorithm that supports the shape and needs at most `memory` bytes of
  /// workspace; false if none is left. Some listed algorithms do not support the shape, for example
  /// if float32 must not be rounded.
  bool choose(std::size_t memory) {
    while (next_ < choices_.size()) {
      const Choice& choice = choices_[next_++];
      algorithm_ = choice.algorithm;
      if (!is_exact(shape_)) set_math(choice.math);
      if (ask_workspace() == CUDNN_STATUS_SUCCESS && workspace_ <= memory) return true;
    }
    return false;
  }

  std::vector<Choice> find() const {
    switch (shape_.pass) {
      case Pass::forward:
        return find_among<cudnnConvolutionFwdAlgoPerf_t>([this](int* count, auto* found) {
          return STASHSCOPE_CUDNN_FUNCTION(cudnnGetConvolutionForwardAlgorithm_v7)(
              library_.handle(), input_.get(), filter_.get(), convolution_.get(), output_.get(),
              most_algorithms, count, found);
        });
      case Pass::input_gradient:
        return find_among<cudnnConvolutionBwdDataAlgoPerf_t>([this](int* count, auto* found) {
          return STASHSCOPE_CUDNN_FUNCTION(cudnnGetConvolutionBackwardDataAlgorithm_v7)(
              library_.handle(), filter_.get(), output_.get(), convolution_.get(), input_.get(),
              most_algorithms, count, found);
        });
      case Pass::filter_gradient:
        return find_among<cudnnConvolutionBwdFilterAlgoPerf_t>([this](int* count, auto* found) {
          return STASHSCOPE_CUDNN_FUNCTION(cudnnGetConvolutionBackwardFilterAlgorithm_v7)(
              library_.handle(), input_.get(), output_.get(), convolution_.get(), filter_.get(),
              most_algorithms, count, found);
        });
    }
    return {};
  }

  template <class Performance, class Ask>
  std::vector<Choice> find_among(const Ask& ask) const {
    std::array<Performance, most_algorithms> found{};
    int count = 0;
    check(ask(&count, found.data()));
    return best_of(std::span<const Performance>(found.data(), static_cast<std::size_t>(count)));
  }

  cudnnStatus_t ask_workspace() {
    const cudnnHandle_t handle = library_.handle();
    switch (shape_.pass) {
      case Pass::forward:
        return STASHSCOPE_CUDNN_FUNCTION(cudnnGetConvolutionForwardWorkspaceSize)(
            handle, input_.get(), filter_.get(), convolution_.get(), output_.get(),
            static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), &workspace_);
      case Pass::input_gradient:
        return STASHSCOPE_CUDNN_FUNCTION(cudnnGetConvolutionBackwardDataWorkspaceSize)(
            handle, filter_.get(), output_.get(), convolution_.get(), input_.get(),
            static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_), &workspace_);
      case Pass::filter_gradient:
        return STASHSCOPE_CUDNN_FUNCTION(cudnnGetConvolutionBackwardFilterWorkspaceSize)(
            handle, input_.get(), output_.get(), convolution_.get(), filter_.get(),
            static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_), &workspace_);
    }
    return CUDNN_STATUS_BAD_PARAM;
  }

  cudnnStatus_t start(std::span<const DevicePointer, 3> operands, DevicePointer workspace) const {
    constexpr std::array in_double = {1.0, 0.0};
    constexpr std::array in_float = {1.0F, 0.0F};
    return shape_.element == ElementType::float64
               ? run_pass(&in_double[0], &in_double[1], operands, workspace)
               : run_pass(&in_float[0], &in_float[1], operands, workspace);
  }

  cudnnStatus_t run_pass(const void* one, const void* zero,
                         std::span<const DevicePointer, 3> operands,
                         DevicePointer workspace) const {
    const cudnnHandle_t handle = library_.handle();
    switch (shape_.pass) {
      case Pass::forward:
        return STASHSCOPE_CUDNN_FUNCTION(cudnnConvolutionForward)(
            handle, one, input_.get(), operands[0], filter_.get(), operands[1], convolution_.get(),
            static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), workspace, workspace_, zero,
            output_.get(), operands[2]);
      case Pass::input_gradient:
        return STASHSCOPE_CUDNN_FUNCTION(cudnnConvolutionBackwardData)(
            handle, one, filter_.get(), operands[1], output_.get(), operands[0], convolution_.get(),
            static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_), workspace, workspace_, zero,
            input_.get(), operands[2]);
      case Pass::filter_gradient:
        return STASHSCOPE_CUDNN_FUNCTION(cudnnConvolutionBackwardFilter)(
            handle, one, input_.get(), operands[0], output_.get(), operands[1], convolution_.get(),
            static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_), workspace, workspace_, zero,
            filter_.get(), operands[2]);
    }
    return CUDNN_STATUS_BAD_PARAM;
  }

  const Library& library_;
  const SharedLibrary& functions_;
  ConvolutionShape shape_;
  Owned<cudnnTensorDescriptor_t, cudnnStatus_t> input_;
  Owned<cudnnTensorDescriptor_t, cudnnStatus_t> output_;
  Owned<cudnnFilterDescriptor_t, cudnnStatus_t> filter_;
  Owned<cudnnConvolutionDescriptor_t, cudnnStatus_t> convolution_;
  std::vector<Choice> choices_;  ///< best algorithm first
  std::size_t next_ = 0;         ///< index of the first untried choice
  int algorithm_ = 0;
  std::size_t workspace_ = 0;  ///< bytes that the chosen algorithm needs
  std::size_t reserved_ = 0;   ///< bytes that the caller allocates
};

#undef STASHSCOPE_CUDNN_FUNCTION

#else  // without cuDNN's headers

class Convolutions::Library {
 public:
  Library() {
    fail_input(device_place,
               "the CUDA plugin was built without cuDNN; models with convolutions need it");
  }
  std::string version() const { return {}; }
};

class Convolutions::PreparedConvolution {
 public:
  PreparedConvolution(const Library&, const ConvolutionShape&) {}
  std::int64_t workspace_bytes() const { return 0; }
  void run(std::span<const DevicePointer, 3>, DevicePointer, cudaStream_t) const {}
};

#endif

Convolutions::Convolutions() = default;
Convolutions::~Convolutions() = default;

ConvolutionId Convolutions::prepare(const ConvolutionShape& shape) {
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second;
  if (!library_) library_ = std::make_unique<Library>();
  const ConvolutionId id =
      prepared_.push_back(std::make_unique<PreparedConvolution>(*library_, shape));
  known_.emplace(shape, id);
  return id;
}

std::int64_t Convolutions::workspace_bytes(ConvolutionId convolution) const {
  return prepared_[convolution]->workspace_bytes();
}

void Convolutions::convolve(ConvolutionId convolution, std::span<const DevicePointer, 3> operands,
                            DevicePointer workspace, cudaStream_t stream) {
  prepared_[convolution]->run(operands, workspace, stream);
}

std::string Convolutions::library_version() const { return library_ ? library_->version() : ""; }

}  // namespace stashscope::cuda
