#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stashscope::test {

/// The data block of an HTML report.
inline nlohmann::json data_of_page(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// The names of the tensors of a page, as its script reads them.
inline std::vector<std::string> names_of_page(const nlohmann::json& data) {
  std::vector<std::string> names;
  std::string name;
  for (std::size_t i = 0; i < data["tensors"]["name"].size(); ++i) {
    name = name.substr(0, data["tensors"]["shared"][i]) +
           data["tensors"]["name"][i].get<std::string>();
    names.push_back(name);
  }
  return names;
}

/// The path of a group of a page.
inline std::string path_on_page(const nlohmann::json& data, const std::string& grouping,
                                std::size_t group) {
  const nlohmann::json& groups = data["trees"][grouping];
  std::string path;
  for (; group != 0; group = groups["parent"][group]) {
    path = groups["name"][group].get<std::string>() + (path.empty() ? "" : "." + path);
  }
  return path;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace stashscope::test
