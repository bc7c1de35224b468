#include "core/study/subject.h"

#include "core/onnx/model_file.h"

namespace stashscope {

Subject load_subject(const std::filesystem::path& file,
                     const std::function<void(Choices&)>& adjust) {
  Subject subject;
  std::string warning;
  if (is_session_file(file)) {
    subject.session = load_session(file, warning);
  } else {
    subject.session.model = file;
  }
  if (!warning.empty()) subject.warnings.push_back(warning);
  const Choices measured_choices = subject.session.choices;
  if (adjust) adjust(subject.session.choices);
  if (!same_step(measured_choices, subject.session.choices)) subject.session.forget_measurements();
  if (measured_choices.profile != subject.session.choices.profile) {
    subject.session.forget_measured_times();
  }
  subject.model = std::make_shared<const Graph>(load_model(subject.session.model));
  return subject;
}

}  // namespace stashscope
