#include "core/run/cpu/primitives/onednn.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <dnnl.hpp>

#include "core/base/error.h"

namespace stashscope::cpu::onednn {

namespace {

using Descriptor = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

/// Sets the number of OpenMP threads that the calling thread starts. Does nothing if oneDNN was
/// built without OpenMP.
void set_threads(int count) {
  using SetThreads = void (*)(int);
  const auto set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(count);
}

int thread_count() {
  using GetThreads = int (*)();
  const auto get = reinterpret_cast<GetThreads>(::dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  return get == nullptr ? 1 : get();
}

/// Limits oneDNN to one thread where the address space is limited. With more threads, oneDNN's
/// OpenMP library would end the process when a thread cannot start for lack of address space for
/// its stack.
void limit_threads() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  set_threads(1);
}

const dnnl::engine& engine() {
  static const dnnl::engine cpu = [] {
    limit_threads();
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return cpu;
}

dnnl::stream& stream() {
  static dnnl::stream only(engine());
  return only;
}

void require(dnnl::status status) {
  if (status != dnnl::status::success) fail_run("", "oneDNN failed to compute a matrix product");
}

/// oneDNN takes a mutable pointer even for a source, which it only reads.
dnnl::memory wrap(const Descriptor& descriptor, const float* data) {
  return {descriptor, engine(), const_cast<float*>(data)};
}

Descriptor dense(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return {dims, dnnl::memory::data_type::f32, strides};
}

Descriptor any_layout(const Descriptor& like) { return {like.dims(), like.data_type(), Tag::any}; }

/// `source` in the layout that a primitive requires.
dnnl::memory in_layout(dnnl::memory source, const Descriptor& wanted) {
  if (source.get_desc() == wanted) return source;
  dnnl::memory moved(wanted, engine());
  dnnl::reorder(source, moved).execute(stream(), source, moved);
  return moved;
}

/// The padding that follows the data on each axis, up to the last position that a window reads;
/// negative where the windows do not reach the end of the data.
Dims pads_behind(const SlidingWindow& window) {
  Dims pads;
  for (std::size_t i = 0; i < window.axes(); ++i) {
    const std::int64_t last = (window.out[i] - 1) * window.strides[i] +
                              (window.kernel[i] - 1) * window.dilations[i] - window.pads[i];
    pads.push_back(last + 1 - window.in[i]);
  }
  return pads;
}

/// The descriptors of a convolution's three tensors, and its window.
struct Convolution {
  explicit Convolution(const ConvolutionSizes& sizes)
      : data(dense(tensor_dims(sizes.batch, sizes.in_channels, sizes.window.in))),
        weight(dense(weight_dims(sizes))),
        result(dense(tensor_dims(sizes.batch, sizes.out_channels, sizes.window.out))),
        strides(sizes.window.strides),
        dilations(sizes.window.dilations),
        pads_before(sizes.window.pads),
        pads_after(pads_behind(sizes.window)) {
    // A dilation is the number of skipped elements in oneDNN, but the distance between elements in
    // ONNX.
    for (auto& dilation : dilations) --dilation;
  }

  static Dims tensor_dims(std::int64_t batch, std::int64_t channels, const Dims& spatial) {
    Dims dims = {batch, channels};
    dims.insert(dims.end(), spatial.begin(), spatial.end());
    return dims;
  }

  static Dims weight_dims(const ConvolutionSizes& sizes) {
    Dims dims = {sizes.out_channels / sizes.groups, sizes.in_channels / sizes.groups};
    if (sizes.groups > 1) dims.insert(dims.begin(), sizes.groups);
    dims.insert(dims.end(), sizes.window.kernel.begin(), sizes.window.kernel.end());
    return dims;
  }

  dnnl::convolution_forward::primitive_desc forward() const {
    const dnnl::convolution_forward::desc description(
        dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any_layout(data),
        any_layout(weight), any_layout(result), strides, dilations, pads_before, pads_after);
    return {description, engine()};
  }

  dnnl::convolution_backward_data::primitive_desc backward_data() const {
    const dnnl::convolution_backward_data::desc description(
        dnnl::algorithm::convolution_direct, any_layout(data), any_layout(weight),
        any_layout(result), strides, dilations, pads_before, pads_after);
    return {description, engine(), forward()};
  }

  dnnl::convolution_backward_weights::primitive_desc backward_weight() const {
    const dnnl::convolution_backward_weights::desc description(
        dnnl::algorithm::convolution_direct, any_layout(data), any_layout(weight),
        any_layout(result), strides, dilations, pads_before, pads_after);
    return {description, engine(), forward()};
  }

  Descriptor data;
  Descriptor weight;
  Descriptor result;
  Dims strides;
  Dims dilations;
  Dims pads_before;
  Dims pads_after;
};

/// A primitive's argument: its index, its data and the required layout.
struct Operand {
  int slot;
  dnnl::memory memory;
  Descriptor wanted;
};

/// Runs a primitive with two sources. Converts the sources to the primitive's layouts first, and
/// converts the result back at the end.
template <class Primitive>
void run(const typename Primitive::primitive_desc& description, const Operand& first,
         const Operand& second, Operand result) {
  const bool in_its_place = result.memory.get_desc() == result.wanted;
  dnnl::memory made = in_its_place ? result.memory : dnnl::memory(result.wanted, engine());
  Primitive(description)
      .execute(stream(), {{first.slot, in_layout(first.memory, first.wanted)},
                          {second.slot, in_layout(second.memory, second.wanted)},
                          {result.slot, made}});
  if (!in_its_place) {
    dnnl::reorder(made, result.memory).execute(stream(), made, result.memory);
  }
  stream().wait();
}

}  // namespace

void multiply(const ProductSizes& sizes, const float* a, MatrixLayout a_layout, const float* b,
              MatrixLayout b_layout, bool adds, float* product) {
  engine();  // limits the number of threads
  require(dnnl::sgemm(a_layout.transposed ? 'T' : 'N', b_layout.transposed ? 'T' : 'N', sizes.rows,
                      sizes.columns, sizes.inner, 1.0F, a, a_layout.stride, b, b_layout.stride,
                      adds ? 1.0F : 0.0F, product, sizes.columns));
}

OneThread::OneThread() {
  engine();  // limits the number of threads
  before_ = thread_count();
  set_threads(1);
}

OneThread::~OneThread() { set_threads(before_); }

bool can_convolve(const ConvolutionSizes& sizes) {
  const SlidingWindow& window = sizes.window;
  const Dims behind = pads_behind(window);
  if (window.axes() > 3) return false;
  for (std::size_t i = 0; i < window.axes(); ++i) {
    if (window.in[i] == 0 || window.out[i] == 0) return false;
    if (window.pads[i] < 0 || behind[i] <= -window.strides[i]) return false;
  }
  return sizes.batch > 0 && sizes.in_channels > 0 && sizes.out_channels > 0;
}

void convolve(const ConvolutionSizes& sizes, const float* data, const float* weight,
              float* result) {
  const Convolution convolution(sizes);
  const auto description = convolution.forward();
  run<dnnl::convolution_forward>(
      description, {DNNL_ARG_SRC, wrap(convolution.data, data), description.src_desc()},
      {DNNL_ARG_WEIGHTS, wrap(convolution.weight, weight), description.weights_desc()},
      {DNNL_ARG_DST, wrap(convolution.result, result), description.dst_desc()});
}

void convolve_backward_data(const ConvolutionSizes& sizes, const float* gradient,
                            const float* weight, float* data_gradient) {
  const Convolution convolution(sizes);
  const auto description = convolution.backward_data();
  run<dnnl::convolution_backward_data>(
      description,
      {DNNL_ARG_DIFF_DST, wrap(convolution.result, gradient), description.diff_dst_desc()},
      {DNNL_ARG_WEIGHTS, wrap(convolution.weight, weight), description.weights_desc()},
      {DNNL_ARG_DIFF_SRC, wrap(convolution.data, data_gradient), description.diff_src_desc()});
}

void convolve_backward_weight(const ConvolutionSizes& sizes, const float* gradient,
                              const float* data, float* weight_gradient) {
  const Convolution convolution(sizes);
  const auto description = convolution.backward_weight();
  run<dnnl::convolution_backward_weights>(
      description,
      {DNNL_ARG_DIFF_DST, wrap(convolution.result, gradient), description.diff_dst_desc()},
      {DNNL_ARG_SRC, wrap(convolution.data, data), description.src_desc()},
      {DNNL_ARG_DIFF_WEIGHTS, wrap(convolution.weight, weight_gradient),
       description.diff_weights_desc()});
}

}  // namespace stashscope::cpu::onednn
