#include "ui/memory/buffer_facts.h"

#include "core/study/facts/tensor_facts.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

QStringList buffer_facts(const Study& study, BufferId buffer) {
  const AliveTensor tensor = describe_buffer(study, *study.current, buffer);
  return {shown(tensor.name), shown(tensor.sized_shape), shown(tensor.role),
          bytes_text(tensor.bytes)};
}

}  // namespace stashscope::ui
