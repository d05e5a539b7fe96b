# The kernels of the engine: two units for each target, with that target's flags (docs/design/kernels.md).
# Which of them runs is chosen at run time, so that none of these flags may reach another unit.

find_package(hwy REQUIRED)

set(purview_kernels ${PROJECT_SOURCE_DIR}/src/engine/kernels)
list(FILTER purview_sources EXCLUDE REGEX "/src/engine/kernels/targets/")

# Optimised in every build type, as without it the registers that tiles live in would go through memory;
# without sanitizers, which keep calls from being jumps. Nothing here changes a result:
# products and sums stay apart, and only the traps and errno that nobody asks for are given up.
set(purview_kernel_flags -O2 -fno-sanitize=all -ffp-contract=off -fno-math-errno -fno-trapping-math
    -U_GLIBCXX_ASSERTIONS -DHWY_IS_DEBUG_BUILD=0)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND purview_kernel_flags -foptimize-sibling-calls -Wno-psabi)
    set(purview_vectorise -ftree-vectorize -fvect-cost-model=dynamic)
    set(purview_do_not_vectorise -fno-tree-vectorize --param=max-completely-peel-times=0)
    # The vectors of a tile side by side, where there are registers for them: 7 to 15 % of the functions of floats.
    set(purview_interleave -fschedule-insns -fsched-pressure)
else()
    list(APPEND purview_kernel_flags -fno-profile-instr-generate -fno-coverage-mapping)
    set(purview_vectorise -fvectorize)
    set(purview_do_not_vectorise -fno-vectorize -fno-slp-vectorize -fno-unroll-loops)
endif()

function(purview_kernel_unit target)
    foreach(unit ${purview_kernels}/targets/${target}.cpp
                 ${purview_kernels}/targets/${target}_lanes.cpp)
        set_source_files_properties(${unit} PROPERTIES
            COMPILE_OPTIONS "${purview_kernel_flags};${ARGN}"
            SKIP_PRECOMPILE_HEADERS ON
            SKIP_UNITY_BUILD_INCLUSION ON)
        list(APPEND purview_sources ${unit})
    endforeach()
    set(purview_sources ${purview_sources} PARENT_SCOPE)
endfunction()

# Emulated vectors are loops; unrolled, they would be megabytes.
purview_kernel_unit(scalar ${purview_do_not_vectorise})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    # Highway 1.0.3 takes these for SSSE3, AVX2 and AVX3 only with all that came with them.
    purview_kernel_unit(ssse3 ${purview_vectorise} -mssse3)
    purview_kernel_unit(avx2 ${purview_vectorise} -mavx2 -mfma -mbmi -mbmi2 -mf16c -maes -mpclmul)
    purview_kernel_unit(avx512 ${purview_vectorise} ${purview_interleave} -march=x86-64-v4 -maes -mpclmul)
    set(purview_kernel_set PURVIEW_KERNELS_X86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
        purview_kernel_unit(neon ${purview_vectorise})
    else()
        purview_kernel_unit(neon ${purview_vectorise} -march=armv8-a+crypto)
    endif()
    set(purview_kernel_set PURVIEW_KERNELS_NEON)
else()
    set(purview_kernel_set PURVIEW_KERNELS_SCALAR)
endif()
set_source_files_properties(${purview_kernels}/selection.cpp
    ${purview_kernels}/lane_selection.cpp PROPERTIES COMPILE_DEFINITIONS ${purview_kernel_set})

# Only headers are used, and only by these units.
function(purview_link_kernels target)
    target_include_directories(${target} SYSTEM PRIVATE 
        $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

if(PURVIEW_BUILD_TESTS AND CMAKE_NM)
    add_test(NAME engine/kernel_symbols
        COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<TARGET_OBJECTS:purview>"
            -P ${purview_kernels}/check_symbols.cmake)
endif()
