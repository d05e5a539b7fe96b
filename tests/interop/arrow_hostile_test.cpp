#include <support/catch.hpp>

#include <interop/arrow_producer.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace arrow_hostile_test {

namespace pv = purview;
namespace arrow = pv::arrow;
using namespace std::chrono;
using arrow_producer::batch_of;
using arrow_producer::bits_of;
using arrow_producer::bytes_of;
using arrow_producer::Counts;
using arrow_producer::imported;
using arrow_producer::imported_column;
using arrow_producer::Node;
using arrow_producer::text_of;
using arrow_producer::three;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;
using Bools = std::vector<bool>;

template <typename E>
void refused(const Node& node, const char* words) {
    Counts counts;
    CHECK_THROWS_AS(imported(batch_of({node}), counts), E);
    CHECK_THROWS_WITH(imported(batch_of({node}), counts),
                      ContainsSubstring(words) && ContainsSubstring("'n'"));
    CHECK((counts.arrays == 0 && counts.schemas == 0));
}

TEST_CASE("Hostile arrays are refused before a byte is read, and released") {
    constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
    const auto bad = [](auto spoil, const char* words) {
        refused<pv::FormatError>(three(spoil), words);
    };
    bad([](Node& n) { n.length = -1; }, "length -1");
    bad([](Node& n) { n.offset = -1; }, "offset -1");
    bad([](Node& n) { n.offset = kHigh; }, "offset 92");
    bad([](Node& n) { n.offset = kHigh / 8; }, "address space");
    bad([](Node& n) { n.null_count = 4; }, "4 of 3");
    bad([](Node& n) { n.null_count = -2; }, "-2 of 3");
    bad([](Node& n) { n.null_count = 1; }, "no bitmap");
    bad([](Node& n) { n.buffers.pop_back(); }, "1 buffers");
    bad([](Node& n) { n.buffers.emplace_back(); }, "3 buffers");
    bad([](Node& n) { n.buffers[1].reset(); }, "buffer 1 is null");
    bad([](Node& n) { n.children.push_back(three()); }, "1 children");
    bad(
        [](Node& n) {
            n.format = "+w:2";
            n.buffers.pop_back();
        },
        "0 children");
    for (const char* format : {"",           "x",
                               "ll",         "t",
                               "ts",         "tss",
                               "tsx:",       "tdX",
                               "w:",         "w:-1",
                               "w:1x",       "d:",
                               "d:9",        "d:9,2,",
                               "d:9,2,96",   "d:9,x",
                               "d:9,2,64,1", "d:9,999",
                               "+w:",        "+",
                               "+s ",        "w:99999999999999999999"})
        bad([&](Node& n) { n.format = format; }, "which is none");
    for (const char* format : {"+l", "+L", "+vl", "+vL", "+ud:0", "+m", "+r", "tiM"})
        refused<pv::DtypeError>(three([&](Node& n) { n.format = format; }), format);
    for (const auto& [format, name] : {std::pair("+vl", "list_view"),
                                       std::pair("+vL", "large_list_view"), std::pair("+m", "map")})
        refused<pv::DtypeError>(three([&, f = format](Node& n) { n.format = f; }), name);
    bad([](Node& n) { n.format = "w:9223372036854775807"; }, "address space");
    bad(
        [](Node& n) {
            n = {.format = "+w:4611686018427387904",
                 .name = "n",
                 .length = 3,
                 .buffers = {{}},
                 .children = {three()}};
        },
        "overflow");
    bad(
        [](Node& n) {
            n = {
                .format = "+w:2", .name = "n", .length = 3, .buffers = {{}}, .children = {three()}};
        },
        "has none from 0 to 6");
    const auto text = [](std::vector<std::int32_t> offsets, bool has_bytes) {
        return Node{
            .format = "u",
            .name = "n",
            .length = std::ssize(offsets) - 1,
            .buffers = {{},
                        bytes_of(offsets),
                        has_bytes ? std::optional(arrow_producer::Bytes(9)) : std::nullopt}};
    };
    refused<pv::FormatError>(text({0, 5, 4}, true), "row 2: the offset 4 follows 5");
    refused<pv::FormatError>(text({-1, 5}, true), "offset -1");
    refused<pv::FormatError>(text({0, 5}, false), "5 bytes of text");
    const auto words = [](std::vector<std::int8_t> indexes, Node values) {
        return Node{.format = "c",
                    .name = "n",
                    .length = std::ssize(indexes),
                    .buffers = {{}, bytes_of(indexes)},
                    .dictionary = {std::move(values)}};
    };
    refused<pv::FormatError>(words({0, 3}, three()), "row 1: the index 3 into a dictionary of 3");
    refused<pv::FormatError>(words({-1}, three()), "row 0: the index -1");
    bad(
        [](Node& n) {
            n.format = "g";
            n.dictionary = {three()};
        },
        "format 'g'");
    Node deep = three();
    for (int i = 0; i < 70; ++i)
        deep = {.format = "+w:1", .name = "n", .length = 3, .buffers = {{}}, .children = {deep}};
    refused<pv::FormatError>(deep, "deep");

    Counts counts;
    Node batch = batch_of({three()});
    batch.length = 4;
    CHECK_THROWS_WITH(imported(batch, counts),
                      ContainsSubstring("'n'") && ContainsSubstring("has none from 0 to 4"));
    CHECK_THROWS_AS(imported(three(), counts), pv::DtypeError);
    CHECK_THROWS_AS(imported_column(batch_of({three()}), counts), pv::DtypeError);
    CHECK((counts.arrays == 0 && counts.schemas == 0));
}

} // namespace arrow_hostile_test
