# One static library per folder of src/. A folder sees the headers of the folders it names in USES and no others:
# each library publishes one include directory of its own, which holds a link to its folder, so that a forbidden
# include does not build.

# xcuda_folder(<folder> [USES <folder>...] [LINKS <target>...] [PRIVATE_LINKS <target>...])
#   folder         path below src/, for example "base" or "device/cpu"; the library is xcuda_<folder with _ for />
#   USES           folders above this one in the dependency order
#   LINKS          foreign targets whose headers appear in this folder's headers
#   PRIVATE_LINKS  foreign targets that only the sources of this folder include
function(xcuda_folder folder)
  cmake_parse_arguments(ARG "" "" "USES;LINKS;PRIVATE_LINKS" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  set(target xcuda_${name})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.hpp")

  set(view "${PROJECT_BINARY_DIR}/view/${name}")
  get_filename_component(parent "${view}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${folder}" "${view}/${folder}" SYMBOLIC)

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
  endif()
endfunction()

function(xcuda_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wno-missing-field-initializers)
endfunction()
