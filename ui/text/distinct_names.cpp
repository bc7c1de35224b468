#include "ui/text/distinct_names.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Whether the character at position `i` ends a module or a word. The dot before the number of a
/// layer does not: `h.0` and `h.*` are one module each.
bool ends_module(const QString& name, qsizetype i) {
  if (name[i] == u'/' || name[i] == u' ') return true;
  return name[i] == u'.' && i + 1 < name.size() && !name[i + 1].isDigit() && name[i + 1] != u'*';
}

/// For each module or word in a name, the position after the character that ends it. The outermost
/// module comes first.
std::vector<qsizetype> module_ends(const QString& name) {
  std::vector<qsizetype> ends;
  for (qsizetype i = 1; i + 1 < name.size(); ++i) {
    if (ends_module(name, i)) ends.push_back(i + 1);
  }
  return ends;
}

/// The module that begins at `from`; empty if only the last part of the name follows. A slash at
/// the start of a name ends no module.
QString module_at(const QString& name, qsizetype from) {
  qsizetype end = from;
  while (end < name.size() && (end == 0 || !ends_module(name, end))) ++end;
  if (end == name.size()) return {};
  return name.mid(from, end - from);
}

QString without_slash(const QString& name) { return name.startsWith(u'/') ? name.mid(1) : name; }

bool has_module(const QString& name) { return !module_at(name, 0).isEmpty(); }

/// The length of the outer modules that all names share. Names without modules do not count.
/// @param first one of the names with modules
qsizetype shared_length(const QString& first, const QStringList& names) {
  qsizetype length = 0;
  for (;;) {
    const QString module = module_at(first, length);
    const bool is_shared =
        !module.isEmpty() && std::ranges::all_of(names, [&](const QString& name) {
          return !has_module(name) || (name.size() > length && module_at(name, length) == module);
        });
    if (!is_shared) return length;
    length += module.size() + 1;
  }
}

void sort_once(QStringList& names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

/// The name with an ellipsis in place of the characters between its first `begin` characters and
/// position `end`. If the last of these characters ends a module, this character stays.
QString cut(const QString& name, qsizetype begin, qsizetype end) {
  const bool at_border = ends_module(name, end - 1);
  return name.left(begin) + u'…' + (at_border ? name.mid(end - 1) : name.mid(end));
}

/// A shortened name has the first `begin` characters of the name, an ellipsis, and an end of the
/// name. Returns the position at which the longest end that fits begins. Nothing if no end of at
/// least 6 characters fits, or if the name is too short to be cut.
std::optional<qsizetype> longest_end(const QString& name, qsizetype begin,
                                     const DistinctNames::Fits& fits) {
  constexpr qsizetype least_end = 6;
  qsizetype least = begin + 1;
  qsizetype most = name.size() - least_end;
  if (least >= most || !fits(cut(name, begin, most))) return std::nullopt;
  while (least < most) {
    const qsizetype middle = (least + most) / 2;
    if (fits(cut(name, begin, middle))) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most;
}

/// The first position at or after `end` at which a module begins; `end` if there is none.
qsizetype module_from(const QString& name, qsizetype end) {
  for (const qsizetype border : module_ends(name)) {
    if (border >= end) return border;
  }
  return end;
}

}  // namespace

DistinctNames::DistinctNames(const QStringList& names) {
  for (const QString& each : names) names_ << without_slash(each);
  sort_once(names_);
  const auto first = std::ranges::find_if(names_, has_module);
  if (first == names_.end()) return;
  shared_ = first->left(shared_length(*first, names_));
  QStringList shorter;
  for (const QString& each : names_) shorter << without_shared(each);
  sort_once(shorter);
  if (shorter.size() == names_.size()) {
    names_ = shorter;
  } else {
    shared_.clear();
  }
}

QString DistinctNames::without_shared(const QString& name) const {
  QString plain = without_slash(name);
  if (!has_module(plain)) return plain;
  return plain.mid(shared_.size());
}

/// Whether a name other than `name` has the same shortened form: `begin`, an ellipsis, and `end`.
bool DistinctNames::is_shared(const QString& name, const QString& begin, const QString& end) const {
  const auto first = std::lower_bound(names_.begin(), names_.end(), begin);
  for (auto each = first; each != names_.end() && each->startsWith(begin); ++each) {
    if (*each != name && each->size() > begin.size() + end.size() && each->endsWith(end)) {
      return true;
    }
  }
  return false;
}

QString DistinctNames::beginning(const QString& whole, const Fits& fits) const {
  const QString name = without_shared(whole);
  const qsizetype left_out = whole.size() - name.size();
  const std::vector<qsizetype> ends = module_ends(whole);
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    const QString text = whole.left(*end - 1) + u'…';
    if (!fits(text)) continue;
    const bool is_distinct =
        *end > left_out && !is_shared(name, name.left(*end - left_out), QString());
    return is_distinct ? text : QString();
  }
  return {};
}

QString DistinctNames::shortened(const QString& whole, const Fits& fits) const {
  QString name = without_shared(whole);
  if (fits(name)) return name;
  std::vector<qsizetype> begins = module_ends(name);
  begins.insert(begins.begin(), 0);
  for (const qsizetype begin : begins) {
    const auto longest = longest_end(name, begin, fits);
    if (!longest) continue;
    for (const qsizetype end : {module_from(name, *longest), *longest}) {
      if (!is_shared(name, name.left(begin), name.mid(end))) return cut(name, begin, end);
    }
  }
  return name;
}

}  // namespace stashscope::ui
