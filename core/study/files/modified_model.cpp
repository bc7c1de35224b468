#include "core/study/files/modified_model.h"

#include "core/onnx/model_file.h"
#include "core/study/step/step_export.h"

namespace stashscope {

void save_modified_model(const Study& study, const std::filesystem::path& path) {
  save_model(modified_graph(study), path);
}

}  // namespace stashscope
