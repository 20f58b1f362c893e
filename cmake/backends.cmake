# The two ways a .cu file becomes a library: by nvcc for the GPU, by warpath-cc for this CPU.

# x86-64 has its own switch between stacks; elsewhere it is Boost's. The file itself is looked for: a machine may have
# Boost's headers without this library.
if(WARPATH_SIMT AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  find_library(BOOST_CONTEXT boost_context)
  if(NOT BOOST_CONTEXT)
    message(STATUS "CPU backend: not built, Boost.Context is missing (Debian: libboost-context-dev)")
    set(WARPATH_SIMT OFF)
  endif()
endif()

if(WARPATH_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real)
    endif()
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc 13 has C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
    find_package(CUDAToolkit REQUIRED)
  else()
    message(STATUS "CUDA backend: not built, no nvcc found")
    set(WARPATH_CUDA OFF)
  endif()
endif()

set(WARPATH_CUDA_FLAGS -Xcompiler=-Wall,-Wextra -Xcudafe=--diag_suppress=177 -lineinfo
                       --expt-relaxed-constexpr)

# warpath_simt_library(NAME [CHECKED] SOURCES … [OBJECTS …] [INCLUDES …]): lib/NAME.so for the CPU. CHECKED: with every
# access of its kernels watched (warpath-cc --check).
function(warpath_simt_library name)
  cmake_parse_arguments(ARG "CHECKED" "" "SOURCES;OBJECTS;INCLUDES;LIBRARIES;DEFINES" ${ARGN})
  set(objects)
  set(check_flag)
  set(how "for this CPU")
  if(ARG_CHECKED)
    set(check_flag --check)
    set(how "for the checks")
    list(APPEND ARG_LIBRARIES simt_check)
  endif()
  # Loops over threads give racing threads an order: a missing barrier might not show.
  if(name MATCHES "_wrong_simt$")
    set(check_flag --no-split)
  endif()
  list(TRANSFORM ARG_INCLUDES PREPEND -I OUTPUT_VARIABLE includes)
  list(TRANSFORM ARG_DEFINES PREPEND -D OUTPUT_VARIABLE defines)
  # A wheel may be installed elsewhere than it was built; the last -march counts.
  set(portable)
  if(SKBUILD AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(portable -Xcompiler -march=x86-64-v2)
  endif()
  foreach(source ${ARG_SOURCES})
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${source})
    set(object ${CMAKE_BINARY_DIR}/simt-objects/${name}/${relative}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER} $<TARGET_FILE:warpath-cc> -c ${source}
              -o ${object} ${check_flag} ${portable} -std=c++20 -O2 ${defines} -I${CMAKE_SOURCE_DIR}
              ${includes}
              -Xcompiler -fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden,-Wall,-Wextra -MD -MF
              ${object}.d
      DEPENDS ${source} warpath-cc
      DEPFILE ${object}.d
      COMMENT "Compiling ${relative} ${how}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_library(${name} MODULE EXCLUDE_FROM_ALL ${objects} ${ARG_OBJECTS})
  set_target_properties(${name} PROPERTIES PREFIX "" LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE simt ${ARG_LIBRARIES})
endfunction()

# warpath_cuda_library(NAME SOURCES … …): the same for the GPU. Files ending in _sm90.cu are built for sm_90a alone.
function(warpath_cuda_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;OBJECTS;INCLUDES;LIBRARIES;DEFINES" ${ARGN})
  set(general ${ARG_SOURCES})
  set(hopper ${ARG_SOURCES})
  list(FILTER general EXCLUDE REGEX "_sm90\\.cu$")
  list(FILTER hopper INCLUDE REGEX "_sm90\\.cu$")
  set(parts)
  foreach(part general hopper)
    if(${part})
      set(target ${name}_${part})
      add_library(${target} OBJECT EXCLUDE_FROM_ALL ${${part}})
      target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${ARG_INCLUDES})
      target_compile_options(${target} PRIVATE ${WARPATH_CUDA_FLAGS})
      target_compile_definitions(${target} PRIVATE ${ARG_DEFINES})
      target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
      set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
      list(APPEND parts $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  if(hopper)
    set_target_properties(${name}_hopper PROPERTIES CUDA_ARCHITECTURES 90a-real)
  endif()
  add_library(${name} MODULE EXCLUDE_FROM_ALL ${parts} ${ARG_OBJECTS})
  set_target_properties(${name} PROPERTIES PREFIX "" LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE CUDA::cudart ${ARG_LIBRARIES})
endfunction()

# warpath_library(NAME …): on every backend there is, as NAME_simt and NAME_cuda.
function(warpath_library name)
  if(WARPATH_SIMT)
    warpath_simt_library(${name}_simt ${ARGN})
    add_dependencies(backends_simt ${name}_simt)
  endif()
  if(WARPATH_CUDA)
    warpath_cuda_library(${name}_cuda ${ARGN})
    add_dependencies(backends_cuda ${name}_cuda)
  endif()
endfunction()

add_custom_target(backends_simt)
add_custom_target(backends_checked)
add_custom_target(backends_cuda)
