// Batch, instance and group normalization, and the gradients of the first two; local response and
// mean-variance normalization; Lp normalization and its gradient. Normalizations of rows are in
// layer_normalization.cpp.

#include "core/run/cpu/kernels/normalization.h"

#include <numeric>

#include "core/run/cpu/kernels/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// Data as [batch, channels, plane].
struct Planes {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t plane = 1;

  explicit Planes(const std::vector<std::int64_t>& dims) {
    const AxisSplit split = split_at(dims, 1);
    batch = split.outer;
    channels = split.size;
    plane = split.inner;
  }

  std::int64_t offset(std::int64_t image, std::int64_t channel) const {
    return (image * channels + channel) * plane;
  }
  double per_channel() const { return static_cast<double>(batch * plane); }

  /// term(offset) summed over all elements of one channel.
  template <class Term>
  double channel_sum(std::int64_t channel, Term term) const {
    double sum = 0;
    for (std::int64_t image = 0; image < batch; ++image) {
      const std::int64_t begin = offset(image, channel);
      sum += sum_of(plane, [&](std::int64_t i) { return term(begin + i); });
    }
    return sum;
  }
};

/// One number per channel.
using PerChannel = std::vector<double>;

/// The mean and deviation with which each plane is normalized, in the order of the planes.
using PlaneNormals = std::vector<Normal>;

PerChannel inverse_deviations(const PerChannel& variances, double epsilon) {
  PerChannel result;
  for (const double variance : variances) result.push_back(1 / std::sqrt(variance + epsilon));
  return result;
}

/// The Normal of each plane if all images have the same mean and variance per channel.
PlaneNormals repeated(const PerChannel& means, const PerChannel& variances, double epsilon,
                      std::int64_t batch) {
  const PerChannel inverse = inverse_deviations(variances, epsilon);
  PlaneNormals normals;
  for (std::int64_t image = 0; image < batch; ++image) {
    for (std::size_t c = 0; c < means.size(); ++c) normals.push_back({means[c], inverse[c]});
  }
  return normals;
}

/// Y = normalized X * scale + bias. Computes in double, because rounding errors of a mean grow with
/// every later normalization. `find(x, planes)` returns the mean and deviation of each plane.
/// Inputs X, scale, bias, ...; scale and bias have one number per channel or per group.
template <class Find>
void normalize_planes(const KernelContext& context, Find find) {
  const Planes planes(context.in(0).dims);
  const PerChannel scale = numbers_of<double>(context.in(1));
  const PerChannel bias = numbers_of<double>(context.in(2));
  const auto normalize = [&](auto* y, const auto* x) {
    using C = std::decay_t<decltype(*y)>;
    const PlaneNormals normals = find(x, planes);
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const std::size_t channel = i % static_cast<std::size_t>(planes.channels);
      const std::size_t group = channel * scale.size() / static_cast<std::size_t>(planes.channels);
      const double mean = normals[i].mean;
      const double factor = scale[group] * normals[i].inverse;
      const double shift = bias[group];
      for (std::int64_t k = 0; k < planes.plane; ++k) {
        *y++ = static_cast<C>((static_cast<double>(*x++) - mean) * factor + shift);
      }
    }
  };
  compute_real(context.out(), normalize, context.in(0));
}

struct ChannelStatistics {
  PerChannel mean;
  PerChannel variance;
};

template <class C>
ChannelStatistics batch_statistics(const C* x, const Planes& planes) {
  ChannelStatistics statistics;
  for (std::int64_t channel = 0; channel < planes.channels; ++channel) {
    const double mean =
        planes.channel_sum(channel, [&](std::int64_t i) { return x[i]; }) / planes.per_channel();
    const double squares = planes.channel_sum(
        channel, [&](std::int64_t i) { return square(static_cast<double>(x[i]) - mean); });
    statistics.mean.push_back(mean);
    statistics.variance.push_back(squares / planes.per_channel());
  }
  return statistics;
}

/// Moves the running statistic at `input` towards `of_batch` and stores the result at `output`.
void store_running(const KernelContext& context, std::size_t input, std::size_t output,
                   const PerChannel& of_batch) {
  if (!context.has_output(output)) return;
  const double momentum = double{context.attributes().real("momentum", 0.9F)};
  PerChannel running = numbers_of<double>(context.in(input));
  for (std::size_t i = 0; i < running.size(); ++i) {
    running[i] = running[i] * momentum + of_batch[i] * (1 - momentum);
  }
  store_numbers(running, context.out(output));
}

/// Normalizes by the statistics of the batch. Outputs 0 to 2 are Y, the running mean and the
/// running variance. If requested, outputs 3 and 4 are the batch's mean and variance. In
/// BatchNormInternal, output 4 is the inverse deviation instead of the variance.
void train_batch_norm(const KernelContext& context, bool saves_inverse) {
  const double epsilon = epsilon_of(context);
  normalize_planes(context, [&](const auto* x, const Planes& planes) {
    const ChannelStatistics of_batch = batch_statistics(x, planes);
    store_running(context, 3, 1, of_batch.mean);
    store_running(context, 4, 2, of_batch.variance);
    if (context.has_output(3)) store_numbers(of_batch.mean, context.out(3));
    if (context.has_output(4)) {
      store_numbers(
          saves_inverse ? inverse_deviations(of_batch.variance, epsilon) : of_batch.variance,
          context.out(4));
    }
    return repeated(of_batch.mean, of_batch.variance, epsilon, planes.batch);
  });
}

void batch_norm_internal(const KernelContext& context) { train_batch_norm(context, true); }

void batch_norm(const KernelContext& context) {
  const bool trains = context.version >= 14 ? context.attributes().integer("training_mode", 0) != 0
                                            : context.outputs.size() > 1;
  if (trains) return train_batch_norm(context, false);
  normalize_planes(context, [&](const auto*, const Planes& planes) {
    return repeated(numbers_of<double>(context.in(3)), numbers_of<double>(context.in(4)),
                    epsilon_of(context), planes.batch);
  });
}

/// Normalizes every channel of every image by its own mean and deviation.
void instance_norm(const KernelContext& context) {
  normalize_planes(context, [&](const auto* x, const Planes& planes) {
    PlaneNormals normals;
    for (std::int64_t i = 0; i < planes.batch * planes.channels; ++i) {
      normals.push_back(normal_of(x + i * planes.plane, planes.plane, epsilon_of(context)));
    }
    return normals;
  });
}

/// All channels of a group share a mean and a deviation. Before version 21, they also share scale
/// and bias.
void group_norm(const KernelContext& context) {
  const std::int64_t groups = context.attributes().require_integer("num_groups");
  normalize_planes(context, [&](const auto* x, const Planes& planes) {
    const std::int64_t channels = planes.channels / groups;
    const std::int64_t elements = channels * planes.plane;
    PlaneNormals normals;
    for (std::int64_t group = 0; group < planes.batch * groups; ++group) {
      const Normal normal = normal_of(x + group * elements, elements, epsilon_of(context));
      normals.insert(normals.end(), static_cast<std::size_t>(channels), normal);
    }
    return normals;
  });
}

/// The terms that one set of planes adds to the gradients of scale and bias. The planes of a set
/// are normalized together.
struct AffineGradient {
  double scale = 0;
  double bias = 0;
};

/// Computes the gradient of x for the planes at `offsets`, which are normalized together: dx =
/// factor * (dy - mean of dy - x^ * mean of (dy * x^)) with x^ the normalized x.
template <class C>
AffineGradient back_through(const C* dy, const C* x, C* dx,
                            const std::vector<std::int64_t>& offsets, std::int64_t plane,
                            const Normal& normal, double factor) {
  AffineGradient sums;
  for (const std::int64_t offset : offsets) {
    sums.bias += sum_of(dy + offset, plane);
    sums.scale += sum_of(plane, [&](std::int64_t i) {
      return static_cast<double>(dy[offset + i]) * normal(static_cast<double>(x[offset + i]));
    });
  }
  const double count = static_cast<double>(plane * std::ssize(offsets));
  for (const std::int64_t offset : offsets) {
    for (std::int64_t i = offset; i < offset + plane; ++i) {
      const double by_mean = static_cast<double>(dy[i]) - sums.bias / count;
      const double by_deviation = normal(static_cast<double>(x[i])) * (sums.scale / count);
      dx[i] = static_cast<C>(factor * (by_mean - by_deviation));
    }
  }
  return sums;
}

/// Inputs (dY, X, scale, ...), outputs (dX, dScale, dBias). Each entry of `sets` lists images that
/// are normalized together. `find(x of the first image, plane size, channel)` returns the mean and
/// deviation of such a set of images.
template <class Find>
void normalization_gradient(const KernelContext& context,
                            const std::vector<std::vector<std::int64_t>>& sets, Find find) {
  const Planes planes(context.in(1).dims);
  const PerChannel scale = numbers_of<double>(context.in(2));
  PerChannel scale_gradient(scale.size(), 0);
  PerChannel bias_gradient(scale.size(), 0);
  const auto gradient = [&](auto* dx, const auto* dy, const auto* x) {
    for (const std::vector<std::int64_t>& images : sets) {
      if (images.empty()) continue;
      for (std::size_t c = 0; c < scale.size(); ++c) {
        std::vector<std::int64_t> offsets;
        for (const std::int64_t image : images) {
          offsets.push_back(planes.offset(image, static_cast<std::int64_t>(c)));
        }
        const Normal normal = find(x + offsets.at(0), planes.plane, c);
        const AffineGradient sums =
            back_through(dy, x, dx, offsets, planes.plane, normal, scale[c] * normal.inverse);
        scale_gradient[c] += sums.scale;
        bias_gradient[c] += sums.bias;
      }
    }
  };
  compute_real(context.out(0), gradient, context.in(0), context.in(1));
  if (context.has_output(1)) store_numbers(scale_gradient, context.out(1));
  if (context.has_output(2)) store_numbers(bias_gradient, context.out(2));
}

/// (dY, X, scale, mean, inverse deviation): all images are normalized together.
void batch_norm_grad(const KernelContext& context) {
  const PerChannel mean = numbers_of<double>(context.in(3));
  const PerChannel inverse = numbers_of<double>(context.in(4));
  std::vector<std::int64_t> images(static_cast<std::size_t>(context.in(1).dim(0)));
  std::iota(images.begin(), images.end(), 0);
  normalization_gradient(context, {images}, [&](const auto*, std::int64_t, std::size_t channel) {
    return Normal{mean[channel], inverse[channel]};
  });
}

/// (dY, X, scale): each image is normalized separately.
void instance_norm_grad(const KernelContext& context) {
  std::vector<std::vector<std::int64_t>> sets;
  for (std::int64_t image = 0; image < context.in(1).dim(0); ++image) sets.push_back({image});
  normalization_gradient(context, sets, [&](const auto* x, std::int64_t plane, std::size_t) {
    return normal_of(x, plane, epsilon_of(context));
  });
}

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta. (Krizhevsky,
/// Sutskever and Hinton, 2012, section 3.3)
void local_response_norm(const KernelContext& context) {
  const Planes planes(context.in(0).dims);
  const std::int64_t size = context.attributes().require_integer("size");
  const double alpha = double{context.attributes().real("alpha", 1e-4F)};
  const double beta = double{context.attributes().real("beta", 0.75F)};
  const double bias = double{context.attributes().real("bias", 1)};
  const std::vector<double> x = numbers_of<double>(context.in(0));
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t channel = at / planes.plane % planes.channels;
    const std::int64_t first = std::max<std::int64_t>(0, channel - (size - 1) / 2);
    const std::int64_t last = std::min(planes.channels - 1, channel + size / 2);
    double squares = 0;
    for (std::int64_t c = first; c <= last; ++c) {
      squares += square(x[static_cast<std::size_t>(at + (c - channel) * planes.plane)]);
    }
    y[i] = x[i] / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
  }
  store_numbers(y, context.out());
}

/// (x - mean) / (deviation + 1e-9), with mean and deviation over the axes of the attribute `axes`.
/// (ONNX, MeanVarianceNormalization)
void mean_variance_norm(const KernelContext& context) {
  std::vector<std::int64_t> kept = context.in(0).dims;
  Integers axes = context.attributes().integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  for (const std::int64_t axis : axes) {
    kept[axis_in(axis, context.in(0).rank())] = 1;
  }
  std::vector<double> items = numbers_of<double>(context.in(0));
  const StridedWalk<2> walk(context.in(0).dims, {dense_strides(context.in(0).dims),
                                                 broadcast_strides(context.in(0).dims, kept)});
  const auto groups = static_cast<std::size_t>(element_count(kept));
  const double per_group = static_cast<double>(items.size()) / static_cast<double>(groups);
  const auto for_each = [&](auto body) {
    walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
      for (std::int64_t i = 0; i < count; ++i) {
        body(items[static_cast<std::size_t>(at[0] + i * step[0])],
             static_cast<std::size_t>(at[1] + i * step[1]));
      }
    });
  };
  std::vector<double> means(groups, 0);
  std::vector<double> variances(groups, 0);
  for_each([&](double item, std::size_t group) { means[group] += item / per_group; });
  for_each([&](double& item, std::size_t group) { item -= means[group]; });
  for_each([&](double item, std::size_t group) { variances[group] += square(item) / per_group; });
  for_each([&](double& item, std::size_t group) { item /= std::sqrt(variances[group]) + 1e-9; });
  store_numbers(items, context.out());
}

/// Calls `body(place, size, norm)` for every column along the normalized axis of data x; place(i)
/// is the offset of the column's element i.
template <class C, class Body>
void for_each_lp_column(const KernelContext& context, const C* x, Body body) {
  const AxisSplit split = split_at(context.out().dims, context.attributes().integer("axis", -1));
  const bool squares = context.attributes().integer("p", 2) == 2;
  for (std::int64_t column = 0; column < split.outer * split.inner; ++column) {
    const std::int64_t begin =
        column / split.inner * split.size * split.inner + column % split.inner;
    const auto place = [&](std::int64_t i) { return begin + i * split.inner; };
    const double sum = sum_of(split.size, [&](std::int64_t i) {
      const auto item = static_cast<double>(x[place(i)]);
      return squares ? item * item : std::abs(item);
    });
    body(place, split.size, squares ? std::sqrt(sum) : sum);
  }
}

/// x / |x|; zeros stay zeros.
void lp_norm(const KernelContext& context) {
  const auto normalize = [&](auto* y, const auto* x) {
    for_each_lp_column(context, x, [&](auto place, std::int64_t size, double norm) {
      for (std::int64_t i = 0; i < size; ++i) {
        const auto item = static_cast<double>(x[place(i)]);
        y[place(i)] =
            static_cast<std::remove_reference_t<decltype(*y)>>(norm == 0 ? 0 : item / norm);
      }
    });
  };
  compute_real(context.out(), normalize, context.in(0));
}

/// (dy, x): (dy - d|x|/dx * sum(dy * y)) / |x| with y = x / |x|; 0 where all elements are 0.
void lp_norm_grad(const KernelContext& context) {
  const bool squares = context.attributes().integer("p", 2) == 2;
  const auto gradient = [&](auto* dx, const auto* dy, const auto* x) {
    for_each_lp_column(context, x, [&](auto place, std::int64_t size, double norm) {
      const double along = sum_of(size, [&](std::int64_t i) {
        return static_cast<double>(dy[place(i)]) * static_cast<double>(x[place(i)]);
      });
      for (std::int64_t i = 0; i < size; ++i) {
        const auto item = static_cast<double>(x[place(i)]);
        const double slope = squares ? item / norm : static_cast<double>((item > 0) - (item < 0));
        const double change = (static_cast<double>(dy[place(i)]) - slope * along / norm) / norm;
        dx[place(i)] = static_cast<std::remove_reference_t<decltype(*dx)>>(norm == 0 ? 0 : change);
      }
    });
  };
  compute_real(context.out(), gradient, context.in(0), context.in(1));
}

}  // namespace

void add_normalization_kernels(KernelRegistry& registry) {
  registry.add("", "BatchNormalization", {batch_norm});
  registry.add("com.microsoft", "BatchNormInternal", {batch_norm_internal});
  registry.add("", "InstanceNormalization", {instance_norm});
  registry.add("", "GroupNormalization", {group_norm});
  registry.add("", "LRN", {local_response_norm});
  registry.add("", "MeanVarianceNormalization", {mean_variance_norm});
  registry.add("", "LpNormalization", {lp_norm});
  registry.add("com.microsoft", "LpNormalizationGrad", {lp_norm_grad});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "BatchNormalizationGrad", {batch_norm_grad});
    registry.add(domain, "InstanceNormalizationGrad", {instance_norm_grad});
  }
}

}  // namespace stashscope::cpu
