// Lists what a training step can recompute: config, frequency, bytes saved, the same in symbols.
#include <stashscope/core/base/error.h>
#include <stashscope/core/study/files/loaded_model.h>

#include <iostream>

int main(int count, char** arguments) try {
  if (count != 2) stashscope::fail_usage("", "no model is given", "name an ONNX model");
  const auto study = stashscope::study_of(stashscope::load_model_or_session(arguments[1]));
  for (const auto& row : study->plan_table->plans) {
    std::cout << row.config << "\t" << row.frequency << "\t" << row.saving_bytes << "\t"
              << row.saving_symbolic << "\n";
  }
} catch (const stashscope::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
