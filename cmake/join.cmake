# cmake -DSOURCES=… -DOUTPUT=… -P join.cmake: SOURCES as one text.
#
# Headers take most of a compiler's time for a small kernel: nvcc needs 2 s of CPU time for layer_norm's eleven rungs together and
# 13 s for them one by one. Files of an op use the same names, so each gets a namespace of its own inside the op's.
# Messages name the line of the file it came from.
cmake_minimum_required(VERSION 3.20)

set(text "")
set(number 0)
foreach(source ${SOURCES})
  file(READ ${source} part)
  string(REGEX REPLACE "\nnamespace (warpath::[a-z0-9_]+)((::[a-z0-9_]+)*) {\n" "\nnamespace \\1::file_${number}\\2 {\n" part
                       "${part}")
  string(APPEND text "#line 1 \"${source}\"\n${part}\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${text}")
