// Fourier transforms, windows, and the scale of mel frequencies.

#include <cmath>
#include <complex>
#include <numbers>

#include "core/run/cpu/signals/signals.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

using Complex = std::complex<double>;

std::size_t smallest_factor(std::size_t number) {
  for (std::size_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

/// The discrete Fourier transform, or its inverse without the division by the length. Splits the
/// signal into p interleaved parts, with p the smallest prime factor of the length, and combines
/// the transforms of the parts. (Cooley and Tukey 1965)
std::vector<Complex> transformed(const std::vector<Complex>& signal, bool inverse) {
  const std::size_t length = signal.size();
  if (length < 2) return signal;
  const std::size_t parts = smallest_factor(length);
  const std::size_t size = length / parts;
  std::vector<Complex> result(length);
  std::vector<Complex> roots;
  for (std::size_t i = 0; i < length; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
    roots.push_back(std::polar(1.0, inverse ? turn : -turn));
  }
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<Complex> chosen;
    for (std::size_t i = part; i < length; i += parts) chosen.push_back(signal[i]);
    if (size > 1) chosen = transformed(chosen, inverse);
    for (std::size_t i = 0; i < length; ++i) {
      result[i] += roots[part * i % length] * chosen[i % size];
    }
  }
  return result;
}

/// Elements of a tensor as complex numbers. The last axis holds the real part alone, or both parts.
/// If `has_parts` is false, there is no such axis and all elements are real numbers.
class ComplexItems {
 public:
  explicit ComplexItems(const TensorView& tensor, bool has_parts = true)
      : items_(numbers_of<double>(tensor)), parts_(has_parts ? tensor.dim(-1) : 1) {
    if (parts_ != 1 && parts_ != 2) fail_run("", "its signal is neither real nor complex");
  }
  Complex operator[](std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i * parts_);
    return {items_[at], parts_ == 2 ? items_[at + 1] : 0};
  }

 private:
  std::vector<double> items_;
  std::int64_t parts_;
};

/// Fills in the second half of a real signal's spectrum from the first half.
void complete_spectrum(std::vector<Complex>& spectrum) {
  const std::size_t length = spectrum.size();
  if (length == 0) return;
  spectrum[0] = spectrum[0].real();
  if (length % 2 == 0) spectrum[length / 2] = spectrum[length / 2].real();
  for (std::size_t i = length / 2 + 1; i < length; ++i) {
    spectrum[i] = std::conj(spectrum[length - i]);
  }
}

std::int64_t transformed_axis(const KernelContext& context) {
  if (context.version < 20) return context.attributes().integer("axis", 1);
  return context.has_input(2) ? as_integer(context.in(2)) : -2;
}

/// Stores alpha - beta * cos(2 pi i / n) + gamma * cos(4 pi i / n) for every position i. n is the
/// size if the window is periodic, else the size - 1.
void cosine_window(const KernelContext& context, double alpha, double beta, double gamma) {
  const std::int64_t size = context.out().elements();
  const bool periodic = context.attributes().integer("periodic", 1) != 0;
  const auto period = static_cast<double>(periodic ? size : size - 1);
  std::vector<double> window;
  for (std::int64_t i = 0; i < size; ++i) {
    const double turn = period == 0 ? 0 : 2 * std::numbers::pi * static_cast<double>(i) / period;
    window.push_back(alpha - beta * std::cos(turn) + gamma * std::cos(2 * turn));
  }
  store_numbers(window, context.out());
}

}  // namespace

/// (signal, [length], [axis]): the signal is cut or filled with zeros to the length.
void fourier_transform(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const TensorView& out = context.out();
  const std::int64_t rank = in.rank();
  const std::size_t axis = axis_in(transformed_axis(context), rank);
  const AxisSplit from =
      split_at(std::span(in.dims).first(in.dims.size() - 1), static_cast<std::int64_t>(axis));
  const bool inverse = context.attributes().integer("inverse", 0) != 0;
  const bool half = context.attributes().integer("onesided", 0) != 0;
  const std::int64_t results = out.dims[axis];
  std::int64_t length = half && !inverse ? from.size : results;
  if (context.has_input(1)) length = as_integer(context.in(1));
  const double scale = inverse ? 1 / static_cast<double>(length) : 1;
  const ComplexItems items(in);
  const std::int64_t parts = out.dim(-1);
  std::vector<double> stored(static_cast<std::size_t>(out.elements()));
  std::vector<Complex> signal(static_cast<std::size_t>(length));
  for (std::int64_t row = 0; row < from.outer * from.inner; ++row) {
    const std::int64_t outer = row / from.inner;
    const std::int64_t inner = row % from.inner;
    for (std::int64_t i = 0; i < length; ++i) {
      signal[static_cast<std::size_t>(i)] =
          i < from.size ? items[(outer * from.size + i) * from.inner + inner] : 0;
    }
    if (half && inverse) complete_spectrum(signal);
    const std::vector<Complex> spectrum = transformed(signal, inverse);
    for (std::int64_t i = 0; i < results; ++i) {
      const Complex result = spectrum[static_cast<std::size_t>(i)] * scale;
      const auto to =
          static_cast<std::size_t>(((outer * results + i) * from.inner + inner) * parts);
      stored[to] = result.real();
      if (parts == 2) stored[to + 1] = result.imag();
    }
  }
  store_numbers(stored, out);
}

/// Inputs (signal [batch, length, 1 or 2], step, [window], [frame length])
void short_time_fourier_transform(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const TensorView& out = context.out();
  const std::int64_t step = as_integer(context.in(1));
  const std::vector<double> window =
      context.has_input(2) ? numbers_of<double>(context.in(2)) : std::vector<double>();
  std::int64_t length = window.empty() ? in.dim(1) : std::ssize(window);
  if (context.has_input(3)) length = as_integer(context.in(3));
  if (!window.empty() && std::ssize(window) != length) {
    fail_run("", "its window is not as long as its frames");
  }
  const ComplexItems items(in, in.rank() > 2);
  std::vector<double> stored;
  std::vector<Complex> frame(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < out.dim(0) * out.dim(1); ++i) {
    const std::int64_t begin = i / out.dim(1) * in.dim(1) + i % out.dim(1) * step;
    for (std::int64_t k = 0; k < length; ++k) {
      const auto at = static_cast<std::size_t>(k);
      frame[at] = items[begin + k] * (window.empty() ? 1.0 : window[at]);
    }
    const std::vector<Complex> spectrum = transformed(frame, false);
    for (std::int64_t k = 0; k < out.dim(2); ++k) {
      stored.push_back(spectrum[static_cast<std::size_t>(k)].real());
      stored.push_back(spectrum[static_cast<std::size_t>(k)].imag());
    }
  }
  store_numbers(stored, out);
}

void hann_window(const KernelContext& context) { cosine_window(context, 0.5, 0.5, 0); }
void hamming_window(const KernelContext& context) {
  cosine_window(context, 25.0 / 46, 21.0 / 46, 0);
}
void blackman_window(const KernelContext& context) { cosine_window(context, 0.42, 0.5, 0.08); }

/// Stores triangular filters over the frequencies. The corners of the filters are evenly spaced on
/// the mel scale. (ONNX, MelWeightMatrix)
void mel_weight_matrix(const KernelContext& context) {
  const std::int64_t bins = context.out().dim(1);
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double lowest = mel(number_of<double>(context.in(3)));
  const double step =
      (mel(number_of<double>(context.in(4))) - lowest) / static_cast<double>(bins + 2);
  const auto length = static_cast<double>(as_integer(context.in(1)));
  const auto rate = static_cast<double>(as_integer(context.in(2)));
  const auto corner = [&](std::int64_t i) {
    const double hertz = 700 * (std::pow(10, (lowest + step * static_cast<double>(i)) / 2595) - 1);
    const auto at = static_cast<std::int64_t>(std::floor((length + 1) * hertz / rate));
    return std::clamp<std::int64_t>(at, 0, context.out().dim(0));
  };
  std::vector<double> weights(static_cast<std::size_t>(context.out().elements()), 0);
  const auto set = [&](std::int64_t row, std::int64_t bin, double weight) {
    if (row < context.out().dim(0)) weights[static_cast<std::size_t>(row * bins + bin)] = weight;
  };
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const std::int64_t left = corner(bin);
    const std::int64_t centre = corner(bin + 1);
    const std::int64_t right = corner(bin + 2);
    for (std::int64_t row = left; row < centre; ++row) {
      set(row, bin, static_cast<double>(row - left) / static_cast<double>(centre - left));
    }
    set(centre, bin, 1);
    for (std::int64_t row = centre; row < right; ++row) {
      set(row, bin, static_cast<double>(right - row) / static_cast<double>(right - centre));
    }
  }
  store_numbers(weights, context.out());
}

}  // namespace stashscope::cpu
