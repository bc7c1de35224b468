// Sums of products, given by an equation of axes.

#include "core/ops/families/einsum.h"

#include "core/run/cpu/kernels/families.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

/// The result or an operand of an einsum, with a letter for each axis.
struct EinsumTerm {
  std::string letters;
  std::vector<std::int64_t> dims;

  /// The stride along the axis `letter`: 0 if the term lacks the letter; if the letter repeats, the
  /// stride of the diagonal.
  std::int64_t stride(char letter) const {
    const std::vector<std::int64_t> strides = dense_strides(dims);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == letter && dims[i] != 1) sum += strides[i];
    }
    return sum;
  }
};

struct Einsum {
  std::vector<EinsumTerm> terms;  ///< the result, then the operands
  std::string letters;            ///< letters of the result, then the summed letters
};

Einsum read_terms(const KernelContext& context) {
  std::vector<std::size_t> ranks;
  for (const TensorView& input : context.inputs) ranks.push_back(input.dims.size());
  const EinsumEquation equation = read_einsum(context.attributes(), ranks);
  Einsum einsum{{{equation.result, context.out().dims}}, equation.result};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    einsum.terms.push_back({equation.operands[i], context.in(i).dims});
    for (const char letter : equation.operands[i]) {
      if (einsum.letters.find(letter) == std::string::npos) einsum.letters += letter;
    }
  }
  return einsum;
}

std::int64_t size_of(const Einsum& einsum, char letter) {
  std::int64_t size = 1;
  for (const EinsumTerm& term : einsum.terms) {
    for (std::size_t i = 0; i < term.letters.size(); ++i) {
      if (term.letters[i] != letter) continue;
      if (term.dims[i] == 0) return 0;
      size = std::max(size, term.dims[i]);
    }
  }
  return size;
}

/// For every combination of positions along all letters, multiplies the operands' elements at these
/// positions and adds the product to the result's element at these positions.
void einsum(const KernelContext& context) {
  const Einsum einsum = read_terms(context);
  if (context.inputs.size() > 2) fail_run("", "has more than two operands, which is not supported");
  std::vector<std::int64_t> sizes;
  std::array<std::vector<std::int64_t>, 3> strides;
  for (const char letter : einsum.letters) {
    sizes.push_back(size_of(einsum, letter));
    for (std::size_t k = 0; k < 3; ++k) {
      strides[k].push_back(k < einsum.terms.size() ? einsum.terms[k].stride(letter) : 0);
    }
  }
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using S = Sum<T>;
    const std::vector<S> a = numbers_of<S>(context.in(0));
    const std::vector<S> b =
        context.has_input(1) ? numbers_of<S>(context.in(1)) : std::vector<S>{S(1)};
    std::vector<S> sums(static_cast<std::size_t>(context.out().elements()), S(0));
    StridedWalk<3>(sizes, strides).for_each_run([&](const auto& at, auto count, const auto& step) {
      for (std::int64_t i = 0; i < count; ++i) {
        S& sum = sums[static_cast<std::size_t>(at[0] + i * step[0])];
        sum = wrapping_sum(sum, wrapping_product(a[static_cast<std::size_t>(at[1] + i * step[1])],
                                                 b[static_cast<std::size_t>(at[2] + i * step[2])]));
      }
    });
    store_numbers(sums, context.out());
  });
}

}  // namespace

void add_einsum_kernels(KernelRegistry& registry) { registry.add("", "Einsum", {einsum}); }

}  // namespace stashscope::cpu
