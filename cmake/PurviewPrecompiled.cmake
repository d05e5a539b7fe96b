# Headers that are not ours and that nearly every source includes, compiled once for a target: half of what parsing takes.

set(purview_stable_headers
    <algorithm> <array> <atomic> <bit> <cmath> <compare> <concepts> <cstddef> <cstdint> <cstring> <functional>
    <limits> <memory> <mutex> <numeric> <optional> <ranges> <span> <string> <string_view> <tuple> <type_traits>
    <unordered_map> <utility> <variant> <vector>
    <boost/container/small_vector.hpp>)

function(purview_precompile target)
    target_precompile_headers(${target} PRIVATE ${purview_stable_headers} ${ARGN})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # So that ccache knows it again.
        target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
endfunction()
