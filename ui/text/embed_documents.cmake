# Writes documents.cpp: documents of the folder docs as texts of the program.
function(embed_documents OUTPUT FOLDER)
  file(READ ${FOLDER}/passes.md EXPORTS)
  file(READ ${FOLDER}/pytorch.md PYTORCH)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FOLDER}/passes.md ${FOLDER}/pytorch.md)
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "ui/text/documents.h"

namespace stashscope::ui {

QString document_about_exports() { return QString::fromUtf8(R"document(@EXPORTS@)document"); }

QString document_about_pytorch() { return QString::fromUtf8(R"document(@PYTORCH@)document"); }

}  // namespace stashscope::ui
]])
endfunction()
