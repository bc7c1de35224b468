#pragma once

#include <string>

#include "core/report/check/limit_check.h"

namespace stashscope {

/// The result as Markdown: a verdict, a table of the limits, and the tensors that changed most.
std::string check_markdown(const CheckResult& result, const std::string& model);

/// The result as JUnit XML: one test case for each limit.
std::string check_junit(const CheckResult& result, const std::string& model);

/// The result as JSON.
std::string check_json(const CheckResult& result);

}  // namespace stashscope
