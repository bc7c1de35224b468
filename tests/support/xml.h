#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stashscope::test {

/// Checks that a document is well-formed XML. Covers the part of the standard that the project
/// writes: no comments, no CDATA, no document type.
class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : rest_(text) {}

  /// What is wrong with the document; empty if it is well-formed.
  std::string fault() {
    check_characters();
    while (fault_.empty() && !rest_.empty()) {
      if (rest_.front() == '<') {
        read_tag();
      } else {
        read_text(rest_.substr(0, rest_.find('<')));
      }
    }
    if (fault_.empty() && !open_.empty()) fail("'" + open_.back() + "' is never closed");
    if (fault_.empty() && roots_ != 1) fail("there is not exactly one root");
    return fault_;
  }

 private:
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what + " before: " + std::string(rest_.substr(0, 60));
  }

  /// XML excludes U+FFFE, U+FFFF and control characters.
  void check_characters() {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const auto c = static_cast<unsigned char>(rest_[i]);
      if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') fail("control character");
    }
    for (const std::string_view bad :
         {"\xEF\xBF\xBE", "\xEF\xBF\xBF", "\xED\xA0", "\xC0", "\xFF"}) {
      if (rest_.find(bad) != std::string_view::npos) fail("character that XML does not have");
    }
  }

  void read_text(std::string_view text) {
    if (open_.empty() && text.find_first_not_of(" \n") != std::string_view::npos) {
      fail("text outside of the root");
    }
    check_entities(text);
    rest_.remove_prefix(text.size());
  }

  void check_entities(std::string_view text) {
    for (std::size_t at = 0; (at = text.find('&', at)) != std::string_view::npos; ++at) {
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
        known |= text.substr(at).starts_with(entity);
      }
      if (!known) fail("bare ampersand");
    }
  }

  void read_tag() {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) return fail("tag without end");
    std::string_view tag = rest_.substr(1, end - 1);
    if (tag.starts_with('/')) {
      if (open_.empty() || open_.back() != tag.substr(1)) return fail("wrong closing tag");
      open_.pop_back();
    } else {
      const bool is_empty = tag.ends_with('/');
      if (is_empty) tag.remove_suffix(1);
      const std::string name(tag.substr(0, tag.find(' ')));
      if (open_.empty()) ++roots_;
      if (!is_empty) open_.push_back(name);
      read_attributes(tag.substr(name.size()));
    }
    rest_.remove_prefix(end + 1);
  }

  void read_attributes(std::string_view text) {
    std::vector<std::string> names;
    while (text.find_first_not_of(' ') != std::string_view::npos) {
      if (text.front() != ' ') return fail("attributes without a space between");
      text.remove_prefix(text.find_first_not_of(' '));
      const std::size_t equals = text.find("=\"");
      if (equals == std::string_view::npos) return fail("attribute without a value");
      const std::string name(text.substr(0, equals));
      if (name.find_first_of("<>\"' &") != std::string::npos) return fail("attribute's name");
      for (const std::string& other : names) {
        if (other == name) return fail("attribute '" + name + "' twice");
      }
      names.push_back(name);
      text.remove_prefix(equals + 2);
      const std::size_t end = text.find('"');
      if (end == std::string_view::npos) return fail("attribute's value without an end");
      if (text.substr(0, end).find('<') != std::string_view::npos) return fail("< in an attribute");
      check_entities(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  int roots_ = 0;
  std::string fault_;
};

inline std::string xml_fault(std::string_view text) { return XmlCheck(text).fault(); }

}  // namespace stashscope::test
