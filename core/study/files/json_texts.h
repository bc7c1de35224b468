#pragma once

#include <nlohmann/json_fwd.hpp>

namespace stashscope {

/// Encodes all texts and keys of a value as UTF-8, and decodes encoded texts. This is needed
/// because JSON holds only UTF-8, but names of files and tensors may hold any bytes.
nlohmann::json with_encoded_texts(const nlohmann::json& value);
nlohmann::json with_decoded_texts(const nlohmann::json& value);

}  // namespace stashscope
