#pragma once

#include <nlohmann/json_fwd.hpp>

namespace stashscope {

/// JSON holds UTF-8 only, names of files and tensors hold any bytes: the value with all its texts
/// and keys as JSON can hold them, and back.
nlohmann::json with_encoded_texts(const nlohmann::json& value);
nlohmann::json with_decoded_texts(const nlohmann::json& value);

}  // namespace stashscope
