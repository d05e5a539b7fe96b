# cmake -DNM=… -DOBJECTS=a.o;b.o -P check_symbols.cmake
#
# Fails if a unit of the kernels defines an external symbol other than its table. The units have flags of their own: if one
# of them shared a function with the rest of the program (an inline one, from a header), the linker could choose the one
# that the machine cannot run.

cmake_minimum_required(VERSION 3.25)
if(NOT OBJECTS)
    message(FATAL_ERROR "no kernels among the objects")
endif()
foreach(object IN LISTS OBJECTS)
    execute_process(COMMAND ${NM} -C --defined-only --extern-only ${object}
        OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE
        "[^\n]* ([DRBd] purview::v[0-9_]+::(engine::k[A-Za-z0-9]+Kernels|linalg::kSmall[A-Za-z0-9]+|lane_transforms::kLanes[A-Za-z0-9]+)|V DW.ref.__gxx_personality_v0)\n"
        "" others "${symbols}")
    if(NOT others STREQUAL "")
        message(FATAL_ERROR "${object} shares\n${others}")
    endif()
endforeach()
