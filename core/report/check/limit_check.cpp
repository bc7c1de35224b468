#include "core/report/check/limit_check.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

using nlohmann::json;

/// The largest limit or growth that is accepted. The sum of two of them fits 64 bits.
constexpr std::int64_t most_limit = std::int64_t{1} << 60;
constexpr double most_growth_percent = 1e6;

constexpr CheckedFigure figures[] = {CheckedFigure::peak, CheckedFigure::reserved,
                                     CheckedFigure::stashed};

[[noreturn]] void fail_limit(const std::string& key, const std::string& why,
                             const std::string& hint) {
  fail_input("'" + printable(key) + "'", why, hint);
}

/// A number of bytes, or a text such as `14GiB`.
std::int64_t bytes_in(const json& value, const std::string& key) {
  const char* const hint = "write a number of bytes, or a text such as \"14GiB\"";
  std::int64_t bytes = -1;
  if (value.is_number_integer()) {
    bytes = value.get<std::int64_t>();
  } else if (value.is_string()) {
    try {
      bytes = parse_bytes(value.get<std::string>());
    } catch (const Error&) {
      fail_limit(key, "is not a size", hint);
    }
  } else {
    fail_limit(key, "is not a size", hint);
  }
  if (bytes < 0 || bytes > most_limit) fail_limit(key, "is out of range", hint);
  return bytes;
}

/// Reads a growth: a text such as `1%`, or a size.
void read_growth(const json& value, const std::string& key, MemoryLimit& limit) {
  const std::string text = value.is_string() ? trimmed(value.get<std::string>()) : "";
  if (!text.ends_with('%')) {
    limit.most_growth_bytes = bytes_in(value, key);
    return;
  }
  char* end = nullptr;
  const std::string number = text.substr(0, text.size() - 1);
  const double percent = std::strtod(number.c_str(), &end);
  const bool is_valid = percent >= 0 && percent <= most_growth_percent;
  if (number.empty() || *end != '\0' || !is_valid) {
    fail_limit(key, "is not a growth", "write a text such as \"1%\" or \"100MiB\"");
  }
  limit.most_growth_share = percent / 100;
}

std::optional<CheckedFigure> figure_named(const std::string& name) {
  for (const CheckedFigure figure : figures) {
    if (name_of(figure) == name) return figure;
  }
  return std::nullopt;
}

/// Reads the figures of an object and calls `read` for each. Skips the keys in `others`. Throws an
/// input Error for any other key.
template <class Read>
void read_figures(const json& object, const std::string& where,
                  const std::vector<std::string>& others, const Read& read) {
  if (!object.is_object()) fail_limit(where, "is no object", "write { \"peak_bytes\": ... }");
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(others, key) != others.end()) continue;
    const auto figure = figure_named(key);
    if (!figure) {
      std::string name = where;
      if (!where.empty()) name += '.';
      name += key;
      fail_limit(name, "is not known",
                 "choose among peak_bytes, reserved_bytes, stashed_bytes" +
                     std::string(others.empty() ? "" : ", ") + join(others, ", "));
    }
    read(*figure, key, value);
  }
}

std::optional<std::int64_t> figure_in(const CheckedBytes& bytes, CheckedFigure figure) {
  switch (figure) {
    case CheckedFigure::peak:
      return bytes.peak_bytes;
    case CheckedFigure::stashed:
      return bytes.stashed_bytes;
    case CheckedFigure::reserved:
      return bytes.reserved_bytes;
  }
  return std::nullopt;
}

/// The figure of the step, or the sum over the modules that match the limit's pattern and the
/// modules inside them; nothing if no module matches or the record lacks the figure.
std::optional<std::int64_t> value_of(const MemoryRecord& record, const MemoryLimit& limit) {
  if (limit.module.empty()) return figure_in(record.step, limit.figure);
  std::optional<std::int64_t> sum;
  for (const auto& [name, bytes] : record.modules) {
    const bool is_inside =
        matches_wildcard(name, limit.module) || matches_wildcard(name, limit.module + ".*");
    const auto added = is_inside ? figure_in(bytes, limit.figure) : std::nullopt;
    if (added) sum = sum.value_or(0) + *added;
  }
  return sum;
}

std::int64_t allowed_bytes(const MemoryLimit& limit, const std::optional<std::int64_t>& before) {
  if (limit.most_bytes) return *limit.most_bytes;
  if (limit.most_growth_bytes) return before.value_or(0) + *limit.most_growth_bytes;
  const double share = 1 + limit.most_growth_share.value_or(0);
  const double allowed = std::floor(share * static_cast<double>(before.value_or(0)));
  return static_cast<std::int64_t>(std::min(allowed, static_cast<double>(most_limit)));
}

/// Fails if the baseline was recorded under other allocator settings, because a growth could then
/// come from the settings instead of the step.
void check_allocators(const MemoryRecord& record, const MemoryRecord& baseline) {
  if (!baseline.allocator || baseline.allocator == record.allocator) return;
  const auto name = [](const std::string& settings) {
    return settings.empty() ? std::string("the default settings") : printable(settings);
  };
  fail_limit("growth.reserved_bytes",
             "needs equal allocator settings: the baseline has " + name(*baseline.allocator) +
                 ", this step has " + name(record.allocator.value_or("")),
             "give the same --allocator, or write the baseline again with --save-baseline");
}

LimitResult result_of(const MemoryRecord& record, const MemoryLimit& limit,
                      const MemoryRecord* baseline) {
  const auto bytes = value_of(record, limit);
  if (!bytes) {
    fail_limit(limit.module, "matches no module",
               "the modules are listed in 'module_memory' of --format json");
  }
  LimitResult result{limit, *bytes, 0, {}, false};
  if (baseline != nullptr) result.baseline_bytes = value_of(*baseline, limit);
  if (!limit.most_bytes && !result.baseline_bytes) {
    const std::string figure(name_of(limit.figure));
    fail_limit("growth." + figure, "needs a baseline with this figure",
               "write one with --save-baseline, and name it as \"baseline\"");
  }
  if (limit.figure == CheckedFigure::reserved && !limit.most_bytes) {
    check_allocators(record, *baseline);
  }
  result.most_bytes = allowed_bytes(limit, result.baseline_bytes);
  result.is_broken = result.bytes > result.most_bytes;
  return result;
}

std::vector<TensorChange> changes_between(const MemoryRecord& before, const MemoryRecord& after) {
  std::map<std::string, TensorChange> changes;
  for (const auto& [name, bytes] : before.tensors) changes[name] = {name, bytes, 0};
  for (const auto& [name, bytes] : after.tensors) {
    changes.try_emplace(name, TensorChange{name, 0, 0}).first->second.after_bytes = bytes;
  }
  std::vector<TensorChange> list;
  for (auto& [name, change] : changes) {
    if (change.before_bytes != change.after_bytes) list.push_back(std::move(change));
  }
  std::ranges::stable_sort(list, std::greater(), [](const TensorChange& each) {
    return std::abs(each.after_bytes - each.before_bytes);
  });
  return list;
}

}  // namespace

std::string_view name_of(CheckedFigure figure) {
  switch (figure) {
    case CheckedFigure::peak:
      return "peak_bytes";
    case CheckedFigure::reserved:
      return "reserved_bytes";
    case CheckedFigure::stashed:
      return "stashed_bytes";
  }
  return {};
}

MemoryLimits parse_limits(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    fail_input("", "is not a JSON object", "write for example {\"peak_bytes\": \"14GiB\"}");
  }
  MemoryLimits limits;
  read_figures(object, "", {"modules", "baseline", "growth"},
               [&](CheckedFigure figure, const std::string& key, const json& value) {
                 limits.limits.push_back({figure, "", bytes_in(value, key)});
               });
  const json modules = object.value("modules", json::object());
  if (!modules.is_object()) fail_limit("modules", "is no object", "write { MODULE: { ... } }");
  for (const auto& [module, allowed] : modules.items()) {
    if (module.empty()) {
      fail_limit("modules", "has an entry without a name",
                 "write the limits of the whole step beside \"modules\"");
    }
    read_figures(
        allowed, module, {},
        [&, &name = module](CheckedFigure figure, const std::string& key, const json& value) {
          const std::string where = join({name, key}, ".");
          if (figure == CheckedFigure::reserved) {
            fail_limit(where, "cannot be limited by module: modules share the reserved memory",
                       "limit the peak or the stashed bytes of the module");
          }
          limits.limits.push_back({figure, name, bytes_in(value, where)});
        });
  }
  read_figures(object.value("growth", json::object()), "growth", {},
               [&](CheckedFigure figure, const std::string& key, const json& value) {
                 MemoryLimit limit{figure, "", {}};
                 read_growth(value, "growth." + key, limit);
                 limits.limits.push_back(std::move(limit));
               });
  const json baseline = object.value("baseline", json(""));
  if (!baseline.is_string()) fail_limit("baseline", "is no path", "write the path in quotes");
  limits.baseline = baseline.get<std::string>();
  if (limits.limits.empty()) {
    fail_input("", "has no limit", "write for example {\"peak_bytes\": \"14GiB\"}");
  }
  return limits;
}

bool CheckResult::is_broken() const { return std::ranges::any_of(limits, &LimitResult::is_broken); }

CheckResult check_limits(const MemoryRecord& record, const MemoryLimits& limits,
                         const MemoryRecord* baseline) {
  CheckResult result;
  for (const MemoryLimit& limit : limits.limits) {
    result.limits.push_back(result_of(record, limit, baseline));
  }
  if (baseline != nullptr) result.changes = changes_between(*baseline, record);
  return result;
}

}  // namespace stashscope
