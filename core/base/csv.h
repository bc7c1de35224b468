#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// One record of a CSV file (RFC 4180) with its line end. The fields become valid UTF-8 on one
/// line; fields with commas or quotes are quoted. Spreadsheets take a field that starts with =, +,
/// - or @ as a formula, so such a field gets a leading ' unless it is a number.
std::string csv_record(const std::vector<std::string>& fields);

}  // namespace stashscope
