# A room is a folder of sources and one library. It states the rooms that it may include; what these may include,
# it may include as well. A room can name only rooms declared before it, so no arrow can run up and no circle can
# form. An include beyond that fails the build.

# stashscope_room(core/graph INCLUDES core/base core/symbolic)
# Makes the library core_graph of the sources in core/graph, without its sub-folders. Where ROOM_HEADERS is set, the
# room shares the compiled headers of that target (stashscope_headers).
function(stashscope_room ROOM)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "INCLUDES;PUBLIC;PRIVATE;SOURCES")
  string(REPLACE "/" "_" TARGET ${ROOM})
  file(GLOB SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ROOM}/*.cpp ${CMAKE_SOURCE_DIR}/${ROOM}/*.h)
  add_library(${TARGET} STATIC ${SOURCES} ${ARG_SOURCES})

  set(ALLOWED ${ROOM})
  set(LIBRARIES "")
  foreach(BELOW IN LISTS ARG_INCLUDES)
    get_property(REACHED GLOBAL PROPERTY STASHSCOPE_REACHED_BY_${BELOW})
    if(NOT REACHED)
      message(FATAL_ERROR "${ROOM} may not include ${BELOW}: that room is not declared before it")
    endif()
    list(APPEND ALLOWED ${REACHED})
    string(REPLACE "/" "_" LIBRARY ${BELOW})
    list(APPEND LIBRARIES ${LIBRARY})
  endforeach()
  list(REMOVE_DUPLICATES ALLOWED)
  set_property(GLOBAL PROPERTY STASHSCOPE_REACHED_BY_${ROOM} "${ALLOWED}")
  set_property(GLOBAL APPEND PROPERTY STASHSCOPE_ROOMS ${TARGET})
  # Whoever uses an installed room needs C++20, but not this build's warnings.
  target_compile_features(${TARGET} PUBLIC cxx_std_20)
  target_link_libraries(${TARGET} PUBLIC $<BUILD_INTERFACE:stashscope_options> ${LIBRARIES} ${ARG_PUBLIC}
                        PRIVATE ${ARG_PRIVATE})
  if(ROOM_HEADERS)
    target_precompile_headers(${TARGET} REUSE_FROM ${ROOM_HEADERS})
  endif()
  stashscope_check_includes(${TARGET} ${ROOM} "${SOURCES}" "${ALLOWED}")
  if(STASHSCOPE_SANITIZE)
    stashscope_check_alignment(${TARGET} ${ROOM} "${SOURCES}")
  endif()
endfunction()

# A pointer is misaligned only where raw memory is read as values: in kernels, and in rooms that cast it. Elsewhere the
# check of alignment is left out, because the compiler takes half as long again with it.
function(stashscope_check_alignment TARGET ROOM SOURCES)
  if(ROOM MATCHES "^core/run/")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SOURCES})
  foreach(SOURCE IN LISTS SOURCES)
    file(STRINGS ${SOURCE} CASTS REGEX "reinterpret_cast" LIMIT_COUNT 1)
    if(CASTS)
      return()
    endif()
  endforeach()
  set_property(TARGET ${TARGET} PROPERTY STASHSCOPE_READS_NO_RAW_MEMORY ON)
endfunction()

# The target builds only when its sources include nothing but files of the allowed rooms.
function(stashscope_check_includes TARGET ROOM SOURCES ALLOWED)
  set(FOLDER ${CMAKE_BINARY_DIR}/includes)
  set(STAMP ${FOLDER}/${TARGET}.checked)
  file(CONFIGURE OUTPUT ${FOLDER}/${TARGET}.cmake CONTENT "set(ROOM ${ROOM})
set(SOURCES \"${SOURCES}\")
set(ALLOWED \"${ALLOWED}\")
set(ROOT ${CMAKE_SOURCE_DIR})
set(STAMP ${STAMP})
")
  add_custom_command(
    OUTPUT ${STAMP}
    COMMAND ${CMAKE_COMMAND} -DLIST=${FOLDER}/${TARGET}.cmake -P ${CMAKE_SOURCE_DIR}/cmake/check_includes.cmake
    DEPENDS ${SOURCES} ${FOLDER}/${TARGET}.cmake ${CMAKE_SOURCE_DIR}/cmake/check_includes.cmake
    COMMENT "Checking what ${ROOM} includes"
    VERBATIM)
  add_custom_target(${TARGET}_includes DEPENDS ${STAMP})
  add_dependencies(${TARGET} ${TARGET}_includes)
endfunction()

# Headers that are compiled once for all targets that share them. Presets for everyday work leave them out, so that
# every file includes what it needs.
function(stashscope_headers TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "HEADERS;LIBRARIES;DEFINITIONS")
  set(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.cpp)
  file(CONFIGURE OUTPUT ${SOURCE} CONTENT "")
  add_library(${TARGET} OBJECT ${SOURCE})
  target_link_libraries(${TARGET} PRIVATE stashscope_options ${ARG_LIBRARIES})
  target_compile_definitions(${TARGET} PRIVATE ${ARG_DEFINITIONS})
  target_precompile_headers(${TARGET} PRIVATE ${ARG_HEADERS})
endfunction()
