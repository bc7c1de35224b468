# Writes page_parts.cpp: the HTML page's template, style and script, as texts of the program.
function(embed_page OUTPUT FOLDER)
  set(SCRIPTS text.js step.js icicle.js curve.js tables.js main.js)
  set(FILES ${FOLDER}/page.html ${FOLDER}/page.css)
  file(READ ${FOLDER}/page.html PAGE)
  file(READ ${FOLDER}/page.css STYLE)
  set(SCRIPT "")
  foreach(NAME IN LISTS SCRIPTS)
    file(READ ${FOLDER}/${NAME} TEXT)
    string(APPEND SCRIPT "    R\"script(${TEXT})script\"\n")
    list(APPEND FILES ${FOLDER}/${NAME})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILES})
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "core/report/page/page_parts.h"

namespace stashscope {

PageParts page_parts() {
  return {R"page(@PAGE@)page", R"style(@STYLE@)style",
@SCRIPT@  };
}

}  // namespace stashscope
]])
endfunction()
