#include "core/base/search_limit.h"

#include <algorithm>
#include <cmath>

namespace stashscope {

SearchLimit share_of(const SearchLimit& limit, double share) {
  SearchLimit part = limit;
  part.seconds *= share;
  // Rounded up, because 0 would mean no limit.
  if (limit.moves > 0) {
    const double moves = std::ceil(static_cast<double>(limit.moves) * share);
    part.moves = static_cast<std::int64_t>(moves);
  }
  return part;
}

double SearchClock::used(std::int64_t moves) const {
  if (progress_.cancelled()) return 1;
  if (limit_.is_ended != nullptr && limit_.is_ended->load()) return 1;
  double used = 0;
  if (limit_.seconds > 0) used = seconds() / limit_.seconds;
  if (limit_.moves > 0) {
    used = std::max(used, static_cast<double>(moves) / static_cast<double>(limit_.moves));
  }
  return std::min(used, 1.0);
}

SearchLimit rest_of(const SearchLimit& whole, const SearchLimit& moves, const SearchClock& clock) {
  SearchLimit rest = moves;
  // Never 0, because 0 would mean no limit.
  if (whole.seconds > 0) rest.seconds = std::max(1e-6, whole.seconds - clock.seconds());
  return rest;
}

SearchLimit share_of_rest(const SearchLimit& limit, std::int64_t moves, const SearchClock& clock,
                          double share) {
  SearchLimit rest = limit;
  // Never 0, because 0 would mean no limit.
  if (limit.seconds > 0) rest.seconds = std::max(1e-6, share * (limit.seconds - clock.seconds()));
  if (limit.moves > 0) {
    const double left = share * static_cast<double>(limit.moves - moves);
    rest.moves = std::max<std::int64_t>(1, static_cast<std::int64_t>(left));
  }
  return rest;
}

double Cooling::at(double used) const { return first * std::pow(last / first, used); }

double accepted_rise(double temperature, SearchRandom& random) {
  return -temperature * std::log(1 - random.unit());
}

}  // namespace stashscope
