# Writes documents.cpp: the pages of the folder docs as texts of the program.
function(embed_documents OUTPUT FOLDER)
  file(GLOB PAGES CONFIGURE_DEPENDS ${FOLDER}/*.md)
  set(ENTRIES "")
  foreach(PAGE IN LISTS PAGES)
    get_filename_component(NAME ${PAGE} NAME)
    file(READ ${PAGE} TEXT)
    string(APPEND ENTRIES "  if (name == u\"${NAME}\") {\n"
                          "    return QString::fromUtf8(R\"document(${TEXT})document\");\n  }\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PAGE})
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "ui/text/documents.h"

namespace stashscope::ui {

QString document_named(const QString& name) {
@ENTRIES@  return {};
}

}  // namespace stashscope::ui
]])
endfunction()
