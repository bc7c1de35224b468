#include "ui/panels/inspector/attribute_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/graph/graph.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype most_letters = 40;
constexpr qsizetype most_letters_of_tip = 4000;
constexpr qsizetype letters_in_line = 100;
/// A tool tip with more elements than this is not readable.
constexpr qsizetype most_elements = 2000;

/// Context of these texts in a translation.
struct AttributeWords {
  Q_DECLARE_TR_FUNCTIONS(AttributeWords)
};

/// The shortest text that reads back as the same 32-bit number.
QString number_text(float number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return QString::fromLatin1(text.data(), end - text.data());
}
QString number_text(double number) { return QString::fromStdString(format_number(number)); }
QString number_text(std::int64_t number) { return QString::number(number); }

AttributeText short_text(const QString& text) {
  if (text.size() <= most_letters) return {text, text};
  const QString shortened = text.left(most_letters - 1) + u'…';
  if (text.size() <= most_letters_of_tip) return {shortened, text};
  return {shortened, text.left(most_letters_of_tip - 1) + u'…'};
}

/// The first items of a list, as texts.
struct Items {
  QStringList texts;     ///< at most `most_elements` texts
  std::size_t size = 0;  ///< number of items in the whole list
};

/// The items that fit on a line, or the beginning of the first item. If items are left out, the
/// number of all items follows.
QString first_items(const Items& list) {
  const QStringList& items = list.texts;
  QString text = items.front();
  qsizetype taken = 1;
  while (taken < items.size() && text.size() + items[taken].size() + 2 <= most_letters) {
    text += u", "_s + items[taken++];
  }
  text = short_text(text).shortened;
  if (static_cast<std::size_t>(taken) == list.size) return u"[%1]"_s.arg(text);
  return AttributeWords::tr("[%1, … %2 in all]").arg(text, QString::number(list.size));
}

QString all_items(const Items& list) {
  const QStringList& items = list.texts;
  QString text;
  qsizetype line = 0;
  for (qsizetype i = 0; i < items.size(); ++i) {
    if (i > 0) text += text.size() - line > letters_in_line ? u",\n"_s : u", "_s;
    if (text.endsWith(u'\n')) line = text.size();
    text += items[i];
  }
  if (list.size > static_cast<std::size_t>(items.size())) {
    text += AttributeWords::tr(", … %1 in all").arg(list.size);
  }
  return u"[%1]"_s.arg(text);
}

AttributeText list_text(const Items& items) {
  if (items.texts.isEmpty()) return {u"[]"_s, u"[]"_s};
  const QString shortened = first_items(items);
  return {shortened, shortened.contains(u'…') ? all_items(items) : shortened};
}

template <class Numbers>
Items numbers_text(const Numbers& numbers) {
  Items items{{}, std::size(numbers)};
  for (std::size_t i = 0; i < std::min<std::size_t>(items.size, most_elements); ++i) {
    items.texts << number_text(numbers[i]);
  }
  return items;
}

Items strings_text(const Strings& strings) {
  Items items{{}, strings.size()};
  for (std::size_t i = 0; i < std::min<std::size_t>(items.size, most_elements); ++i) {
    items.texts << shown(strings[i]).left(most_letters_of_tip);
  }
  return items;
}

/// The elements of a tensor; empty if there are too many. Also empty if they are in a file beside
/// the model file, because such files are not read for a text.
Items elements_text(const Tensor& tensor) {
  if (!tensor.has_data() || tensor.external_data() != nullptr) return {};
  if (tensor.elements() > most_elements) return {};
  if (const Strings* const strings = tensor.string_items()) return strings_text(*strings);
  if (const auto integers = tensor.integers()) return numbers_text(*integers);
  if (const auto reals = tensor.reals()) return numbers_text(*reals);
  return {};
}

struct AttributeReader {
  AttributeText operator()(std::int64_t number) const { return short_text(number_text(number)); }
  AttributeText operator()(float number) const { return short_text(number_text(number)); }
  AttributeText operator()(const std::string& text) const { return short_text(shown(text)); }
  AttributeText operator()(const Integers& numbers) const {
    return list_text(numbers_text(numbers));
  }
  AttributeText operator()(const Floats& numbers) const { return list_text(numbers_text(numbers)); }
  AttributeText operator()(const Strings& strings) const {
    return list_text(strings_text(strings));
  }
  AttributeText operator()(const Tensor& tensor) const {
    const QString type = shown(std::string(name_of(tensor.element())));
    const QString dims = u"[%1]"_s.arg(numbers_text(tensor.dims()).texts.join(u", "_s));
    const QString lead = tensor.dims().empty() ? type : type + u' ' + dims;
    const Items elements = elements_text(tensor);
    if (elements.texts.isEmpty()) return {lead, lead};
    const AttributeText text =
        tensor.dims().empty() ? short_text(elements.texts.front()) : list_text(elements);
    return {lead + u": "_s + text.shortened, lead + u": "_s + text.full};
  }
  AttributeText operator()(const Subgraph& graph) const {
    if (graph == nullptr) return {};
    return short_text(graph->nodes().size() == 1
                          ? AttributeWords::tr("graph of 1 node")
                          : AttributeWords::tr("graph of %1 nodes").arg(graph->nodes().size()));
  }
  AttributeText operator()(const OpaqueAttribute&) const {
    return short_text(AttributeWords::tr("not shown"));
  }
};

}  // namespace

AttributeText text_of(const AttributeValue& value) { return std::visit(AttributeReader(), value); }

}  // namespace stashscope::ui
