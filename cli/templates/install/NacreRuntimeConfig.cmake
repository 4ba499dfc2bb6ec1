# find_package(NacreRuntime), at file scope, provides the targets Nacre::runtime (shared) and Nacre::runtime_static, and the function nacre_stack.
enable_language(C)
get_filename_component(_nacre_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET Nacre::runtime)
  find_package(Threads REQUIRED)
  add_library(Nacre::runtime SHARED IMPORTED)
  set_target_properties(Nacre::runtime PROPERTIES
    IMPORTED_LOCATION "${_nacre_prefix}/lib/libnacre_runtime.so.@VERSION@"
    IMPORTED_SONAME "@SONAME@"
    INTERFACE_INCLUDE_DIRECTORIES "${_nacre_prefix}/include")
  add_library(Nacre::runtime_static STATIC IMPORTED)
  set_target_properties(Nacre::runtime_static PROPERTIES
    IMPORTED_LOCATION "${_nacre_prefix}/lib/libnacre_runtime.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_nacre_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()

# nacre_stack(TARGET FILE STACK [IMPORTED ...]): a static library with the stack STACK of FILE, compiled by `nacre build` whenever FILE
# changes, a .nacre file in the same folder, or one of IMPORTED, the other files that it imports.
function(nacre_stack target file stack)
  find_program(NACRE nacre REQUIRED)
  set(_folder "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  get_filename_component(_file "${file}" ABSOLUTE)
  get_filename_component(_sources "${_file}" DIRECTORY)
  file(GLOB _imported CONFIGURE_DEPENDS "${_sources}/*.nacre")
  add_custom_command(
    OUTPUT "${_folder}/${stack}.c" "${_folder}/${stack}.h"
    COMMAND "${NACRE}" build "${_file}" --stack "${stack}" -o "${_folder}"
    DEPENDS "${_file}" ${_imported} ${ARGN})
  add_library(${target} STATIC "${_folder}/${stack}.c")
  target_include_directories(${target} PUBLIC "${_folder}")
  set_target_properties(${target} PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
endfunction()
