#include "core/base/seconds.h"

#include <cmath>

#include "core/base/text.h"

namespace stashscope {

std::string format_seconds(double seconds) {
  const char* unit = " s";
  double number = std::abs(seconds);
  for (const char* const smaller : {" ms", " µs", " ns"}) {
    if (number >= 0.9995 || number == 0) break;
    number *= 1000;
    unit = smaller;
  }
  const int digits = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return (seconds < 0 ? "−" : "") + format_fixed(number, number == 0 ? 0 : digits) + unit;
}

}  // namespace stashscope
