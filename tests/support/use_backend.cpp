// A part of every test program: with PURVIEW_TEST_BACKEND=loops, its tests run on the second backend. Walks over chunks
// have cells of a few elements.

#include "support/loops_backend.hpp"

#include <cstdlib>
#include <string_view>

namespace {

[[maybe_unused]] const bool kUsesLoops = [] {
    const char* const wanted = std::getenv("PURVIEW_TEST_BACKEND");
    if (wanted == nullptr || std::string_view(wanted) != "loops") return false;
    purview::set_backend_of_memory(&oracle::loops_backend());
    return true;
}();

[[maybe_unused]] const bool kHasSmallCells = [] {
    return ::setenv("PURVIEW_CELL_BYTES", "100", 0) == 0;
}();

} // namespace
