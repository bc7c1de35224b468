# Writes OUTPUT, a C++ file that defines kernel_library(): the text of all kernel files of FOLDER,
# which is compiled at run time. prelude.cuh comes first, the other files in alphabetical order.
function(embed_kernels OUTPUT FOLDER)
  file(GLOB KERNEL_FILES CONFIGURE_DEPENDS ${FOLDER}/*.cuh)
  list(REMOVE_ITEM KERNEL_FILES ${FOLDER}/prelude.cuh)
  list(SORT KERNEL_FILES)
  list(PREPEND KERNEL_FILES ${FOLDER}/prelude.cuh)
  set(PIECES "")
  foreach(KERNEL_FILE IN LISTS KERNEL_FILES)
    file(READ ${KERNEL_FILE} TEXT)
    string(APPEND PIECES "    text += R\"kernels(${TEXT})kernels\";\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KERNEL_FILES})
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "core/run/cuda/codegen/kernel_library.h"

namespace stashscope::cuda {

const std::string& kernel_library() {
  static const std::string library = [] {
    std::string text;
@PIECES@    return text;
  }();
  return library;
}

}  // namespace stashscope::cuda
]])
endfunction()
