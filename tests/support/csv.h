#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace stashscope::test {

/// The records of a CSV file (RFC 4180).
inline std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    const bool doubled = quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"';
    if (doubled) {
      field += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      records.back().emplace_back();
    } else if (!quoted && text[i] == '\r') {
      EXPECT_EQ(text[++i], '\n');
      records.push_back({""});
    } else {
      field += text[i];
    }
  }
  EXPECT_EQ(records.back(), std::vector<std::string>{""}) << "the last record has no line end";
  records.pop_back();
  return records;
}

/// The position of a column with this title; fails the test if there is none.
inline std::size_t column_of(const std::vector<std::vector<std::string>>& records,
                             const std::string& title) {
  const auto found = std::find(records.front().begin(), records.front().end(), title);
  EXPECT_NE(found, records.front().end()) << title;
  return found == records.front().end() ? 0
                                        : static_cast<std::size_t>(found - records.front().begin());
}

}  // namespace stashscope::test
