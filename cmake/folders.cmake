# One static library per folder of src/. A folder sees the headers of the folders it names in USES and no others:
# each library publishes one include directory of its own, which holds links to its headers, so that a forbidden
# include does not build.

# xcuda_folder(<folder> [USES <folder>...] [LINKS <target>...] [PRIVATE_LINKS <target>...])
#   folder         path below src/, for example "base" or "device/cpu"; the library is xcuda_<folder with _ for />
#   USES           folders above this one in the dependency order
#   LINKS          foreign targets whose headers appear in this folder's headers
#   PRIVATE_LINKS  foreign targets that only the sources of this folder include
#   PRECOMPILE     foreign headers that most of its sources include
#   WITH           folders in this one that belong to its library
#   PRECOMPILED_BY a folder whose precompiled header serves this one, too
function(xcuda_folder folder)
  cmake_parse_arguments(ARG "" "PRECOMPILED_BY" "USES;LINKS;PRIVATE_LINKS;PRECOMPILE;WITH" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  set(target xcuda_${name})

  # A link for each header: one to the folder would show the folders in it, too.
  set(view "${PROJECT_BINARY_DIR}/view/${name}")
  file(REMOVE_RECURSE "${view}")
  set(sources "")
  set(headers "")
  foreach(part "" ${ARG_WITH})
    set(here "${PROJECT_SOURCE_DIR}/src/${folder}/${part}")
    file(GLOB found CONFIGURE_DEPENDS "${here}/*.cpp")
    list(APPEND sources ${found})
    file(GLOB found CONFIGURE_DEPENDS "${here}/*.hpp" "${here}/*.def")
    list(APPEND headers ${found})
    file(MAKE_DIRECTORY "${view}/${folder}/${part}")
    foreach(header IN LISTS found)
      get_filename_component(header_name "${header}" NAME)
      file(CREATE_LINK "${header}" "${view}/${folder}/${part}/${header_name}" SYMBOLIC)
    endforeach()
  endforeach()

  set(scope PUBLIC)
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    xcuda_warnings(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${view}")
  foreach(used IN LISTS ARG_USES)
    string(REPLACE "/" "_" used ${used})
    target_link_libraries(${target} ${scope} xcuda_${used})
  endforeach()
  target_link_libraries(${target} ${scope} ${ARG_LINKS})
  if(sources)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_LINKS})
    if(ARG_PRECOMPILED_BY)
      string(REPLACE "/" "_" precompiled xcuda_${ARG_PRECOMPILED_BY})
      target_precompile_headers(${target} REUSE_FROM ${precompiled})
    else()
      xcuda_precompile(${target} ${ARG_PRECOMPILE})
    endif()
  endif()
endfunction()

function(xcuda_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wno-missing-field-initializers)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # takes every source for a header
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# What nearly every source includes is read once; bench/headers says what each header costs.
set(XCUDA_COMMON_HEADERS <fmt/format.h> <nlohmann/json.hpp> <algorithm> <chrono> <filesystem> <functional> <map> <optional>
    <set> <span> <string> <unordered_map> <variant> <vector>)
file(WRITE "${PROJECT_BINARY_DIR}/common_headers.cpp" "")
add_library(xcuda_common_headers OBJECT "${PROJECT_BINARY_DIR}/common_headers.cpp")
xcuda_warnings(xcuda_common_headers)
target_link_libraries(xcuda_common_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)
target_precompile_headers(xcuda_common_headers PRIVATE ${XCUDA_COMMON_HEADERS})

# xcuda_precompile(<target> [<header>...]): with further headers, the target gets a precompiled header of its own.
function(xcuda_precompile target)
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${XCUDA_COMMON_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM xcuda_common_headers)
  endif()
endfunction()
