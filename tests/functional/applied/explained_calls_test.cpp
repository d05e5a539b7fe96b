#include <support/catch.hpp>
#include <support/settings.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <string>
#include <tuple>

namespace explained_calls_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

template <typename T>
Twins<T> line_of() {
    return {{60'000}, {1000}, [](index_t i) { return static_cast<T>(i * 7919 % 60'013); }};
}

} // namespace

TEST_CASE("explain says of any call how it would read arrays of chunks, and reads none") {
    const auto line = line_of<double>();
    const auto keys = line_of<std::int64_t>();
    const Twins<double> plane({80, 200}, {10, 200},
                              [](index_t i) { return static_cast<double>(i * 37 % 101); });
    const Twins<double> tiles({80, 200}, {40, 50},
                              [](index_t i) { return static_cast<double>(i * 37 % 101); });
    const Twins<double> large({80, 200}, {80, 100},
                              [](index_t i) { return static_cast<double>(i); });
    const pv::AnyTensor x = line.chunks;
    const pv::AnyTensor k = keys.chunks;
    const MemoryLimit limited(64'000);

    const auto segments = [&](const std::string& text, const char* name) {
        contains(text, std::string(name) + ": in ");
        contains(text, "segments of");
        contains(text, "elements; chunks read: 60");
    };
    segments(pv::explain(pv::cumsum, line.chunks), "cumsum");
    segments(pv::explain([&] { return pv::fixed_rolling_window(x, 7, pv::mean); }),
             "fixed_rolling_window");
    segments(pv::explain([&] { return pv::ewma(x, {.alpha = 0.5}); }), "ewma");
    contains(pv::explain([&] { return pv::cumsum(pv::reshape(plane.chunks, {16'000})); }),
             "elements; chunks read: through the cache");
    contains(pv::explain([&] { return pv::unique(tiles.chunks); }),
             "chunks read: 8, bytes written to the file and read: 128000, 1 time, and before that "
             "128000");
    contains(pv::explain([&] { return pv::unique(large.chunks); }),
             "chunks read: 2, each up to 14 times where a row of them has no room, bytes written");
    contains(pv::explain(pv::median, x), "median: by counts of intervals of keys");
    contains(pv::explain([&] { return pv::percentile(x, 95.); }), "by counts of intervals of keys");
    contains(pv::explain(pv::median, plane.chunks, {0}), "median: in ");
    contains(pv::explain([&] { return pv::group_by_reduce(k, x, pv::mean); }),
             "block by block of rows while groups take up to 32000 bytes; chunks read: 120");
    contains(pv::explain([&] { return pv::group_by_reduce(k, x, pv::median); }),
             "rows are parted by their keys to temporary files, bytes written and read: 1440000");
    contains(pv::explain([&] { return pv::as_of(k, k); }),
             "as_of: block by block of both sides; chunks read: 120");
    contains(pv::explain([&] {
                 return pv::as_of(k, k,
                                  {.direction = pv::AsOf::nearest, .left_by = k, .right_by = k});
             }),
             "while groups take up to 21333 bytes; chunks read: 240, twice");
    contains(pv::explain(
                 [&] { return pv::variable_rolling_window(x, pv::arange(60'000), 9, pv::mean); }),
             "segments between windows; chunks read: 60, and again where segments reach back");
    contains(pv::explain([&] { return pv::argpartition(k, 7); }),
             "argpartition: the element is found by counts of intervals");
    contains(pv::explain([&] { return pv::join(k, k); }), "rows are parted by their keys to ");
    contains(pv::explain([&] {
                 return pv::join(k, pv::tensor<std::int64_t>({1, 2}));
             }),
             "the right side is held, in ");
    contains(pv::explain([&] { return pv::unique(x); }), "unique: 60 runs");
    contains(pv::explain([&] { return pv::topk(x, 10); }),
             "arg_max_n: in parts of 1001 elements, of which 10 are kept");
    contains(pv::explain([&] { return pv::histogram(x, 10); }), "in cells of up to [1000]");
    CHECK(line.stored->reads + keys.stored->reads + plane.stored->reads == 0);
    CHECK(pv::chunk_statistics().peak_bytes < 64'000);
}

TEST_CASE("explain of a call leaves nothing behind, and passes on what the call throws") {
    const auto line = line_of<double>();
    const MemoryLimit limited(64'000);
    CHECK_THROWS_AS(pv::explain([&] { return pv::fixed_rolling_window(line.chunks, 0, pv::mean); }),
                    pv::Error);
    CHECK(pv::explain([&] { return pv::topk(line.memory, 3); }) == "no chunks are read\n");
    contains(pv::explain([&] { return pv::unique(line.chunks); }), "unique: ");
    CHECK(pv::equals(pv::sort(line.chunks), pv::sort(line.memory)));
    CHECK(line.stored->reads == 60);
}

} // namespace explained_calls_test
