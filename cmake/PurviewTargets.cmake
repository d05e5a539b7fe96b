# What every target of our own gets. Only when Purview is the top-level project: a parent's build is
# the parent's business.

function(purview_warnings target)
    if(NOT PROJECT_IS_TOP_LEVEL)
        return()
    endif()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
        # gcc 12 at -O3 warns of copies of 2⁶³ bytes out of Boost's small vectors, which are never made.
        target_compile_options(${target} PRIVATE -Wno-stringop-overread)
    endif()
    set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ${PURVIEW_WARNINGS_AS_ERRORS})
endfunction()

# What both libraries have in common.
function(purview_library target)
    set_target_properties(${target} PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        CXX_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON
        POSITION_INDEPENDENT_CODE ON)
    target_compile_features(${target} PUBLIC cxx_std_20 PRIVATE cxx_std_23)
    purview_warnings(${target})
    if(PURVIEW_BUILD_FUZZERS)
        if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
            message(FATAL_ERROR "PURVIEW_BUILD_FUZZERS needs clang")
        endif()
        # libFuzzer is led by where its inputs led. Programs that it does not link need a sanitizer for that.
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()

# An executable of the project (test, example, benchmark): C++23, our warnings, linked to Purview.
function(purview_executable target)
    add_executable(${target} ${ARGN})
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_features(${target} PRIVATE cxx_std_23)
    target_link_libraries(${target} PRIVATE purview::purview)
    purview_warnings(${target})
endfunction()
