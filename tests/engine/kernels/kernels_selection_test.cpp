#include "kernels_oracle.hpp"

#include <purview/base/errors.hpp>

#include <algorithm>
#include <set>

namespace kernels_selection_test {

using namespace purview;
using namespace purview::engine;

TEST_CASE("Selection: the best target first, scalar always") {
    const auto tables = available_kernels();
    REQUIRE(!tables.empty());
    CHECK(std::string(tables.back()->name) == "scalar");
    std::set<std::string> names;
    for (const KernelTable* const table : tables) {
        names.insert(table->name);
        CHECK(table->tile_bytes <= kMaxTileBytes);
        CHECK(table->tile_bytes % 64 == 0);
    }
    CHECK(names.size() == tables.size());
    CHECK(std::is_sorted(tables.begin(), tables.end(), [](const auto* a, const auto* b) {
        return a->tile_bytes > b->tile_bytes;
    }));
}

TEST_CASE("Selection: a target by name") {
    CHECK(&kernels_named("") == available_kernels().front());
    for (const KernelTable* const table : available_kernels())
        CHECK(&kernels_named(table->name) == table);
    try {
        kernels_named("sse9");
        FAIL("accepted");
    } catch (const Error& error) {
        const std::string message = error.what();
        CHECK(message.find("'sse9'") != std::string::npos);
        CHECK(message.find("PURVIEW_TARGETS") != std::string::npos);
        for (const KernelTable* const table : available_kernels())
            CHECK(message.find(table->name) != std::string::npos);
    }
}

TEST_CASE("Selection: one table for the whole process") {
    CHECK(&kernels() == &kernels());
    CHECK(std::ranges::count(available_kernels(), &kernels()) == 1);
}

} // namespace kernels_selection_test
