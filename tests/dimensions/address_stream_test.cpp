#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>

#include <thread>
#include <tuple>

namespace address_stream_test {

using namespace purview;
namespace pd = purview::dimensions;

namespace {

using Run = std::tuple<index_t, index_t, index_t>;

std::vector<Run> runs(const Dimensions& dims, index_t begin, index_t count) {
    std::vector<Run> found;
    pd::AddressStream(dims).runs(begin, count, [&](index_t address, index_t step, index_t length) {
        found.emplace_back(address, length == 1 ? 0 : step, length);
    });
    return found;
}

std::vector<Run> runs(const Dimensions& dims) { return runs(dims, 0, dims.size()); }

} // namespace

TEST_CASE("contiguous elements are one run, however large", "[dimensions]") {
    const index_t n = 1000000007;
    const Dimensions huge = Dimensions::row_major(ints({1000, n, 1000}));
    CHECK(runs(huge) == std::vector<Run>{{0, 1, n * 1000000}});
    CHECK(runs(pd::flip(huge), 5, 100) == std::vector<Run>{{n * 1000000 - 6, -1, 100}});
    CHECK(runs(pd::broadcast(Dimensions(), ints({n}))) == std::vector<Run>{{0, 0, n}});
}

TEST_CASE("rows, rotations and tiles are split into runs", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({3, 4}));
    CHECK(runs(pd::transpose(dims, ints({1, 0})), 1, 5) == std::vector<Run>{{4, 4, 2}, {1, 4, 3}});
    CHECK(runs(pd::rotate(dims, ints({0, 1})), 0, 8) ==
          std::vector<Run>{{3, 0, 1}, {0, 1, 3}, {7, 0, 1}, {4, 1, 3}});
    CHECK(runs(pd::rotate(dims, ints({1, 0}))) == std::vector<Run>{{8, 1, 4}, {0, 1, 8}});
    CHECK(runs(pd::broadcast(dims, ints({9, 4}))) ==
          std::vector<Run>{{0, 1, 12}, {0, 1, 12}, {0, 1, 12}});
}

TEST_CASE("progressions in a list are runs", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({20}));
    CHECK(runs(pd::select(dims, 0, list({3, 5, 7, 9, 4, 4, 4}))) ==
          std::vector<Run>{{3, 2, 4}, {4, 0, 3}});
}

TEST_CASE("consecutive addresses are found without a search", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({20}));
    const auto begin_of_run = [](const Dimensions& of, index_t begin, index_t count) {
        return pd::AddressStream(of).begin_of_run(begin, count);
    };
    CHECK(begin_of_run(pd::rotate(dims, ints({5})), 6, 14) == 1);
    CHECK(begin_of_run(pd::rotate(dims, ints({5})), 4, 2) == -1);
    const Dimensions listed = pd::select(dims, 0, list({3, 4, 5, 9, 8, 7, 2, 9}));
    CHECK(begin_of_run(listed, 0, 3) == 3);
    CHECK(begin_of_run(listed, 1, 2) == 4);
    CHECK(begin_of_run(listed, 0, 4) == -1);
    CHECK(begin_of_run(listed, 3, 1) == 9);
    CHECK(begin_of_run(listed, 3, 3) == -1);
    CHECK(begin_of_run(listed, 5, 3) == -1); // 7 and 9, and 2 between them
    CHECK(begin_of_run(pd::flip(listed), 2, 3) == 7);
    CHECK(begin_of_run(pd::flip(listed), 2, 4) == -1);
}

TEST_CASE("addresses along one listed axis are those that its list says", "[dimensions]") {
    const auto picked = [](const Dimensions& dims) {
        return pd::select(dims,
                          std::vector<IndexArgument>{make_index_sequence({4, 0, 0, 7, 2, 5})});
    };
    const auto part = [](const Dimensions& dims, index_t begin, index_t end, index_t step) {
        return pd::select(dims, std::vector<IndexArgument>{Range{begin, end, step}});
    };
    const Dimensions line = Dimensions::row_major(ints({9}));
    const Dimensions strided = part(Dimensions::row_major(ints({40})), 3, 40, 4);
    int lists = 0;
    for (const Dimensions& dims :
         {picked(line), picked(strided), picked(pd::flip(line)), part(picked(line), 1, 5, 1),
          part(picked(strided), 0, 6, 2), pd::flip(picked(line)), line,
          picked(Dimensions::row_major(ints({9, 3}))), pd::rotate(picked(line), ints({2}))}) {
        const pd::AddressStream stream(dims);
        const auto list = stream.list();
        if (!list) continue;
        ++lists;
        std::vector<index_t> addresses(static_cast<std::size_t>(stream.size()));
        stream.read(0, addresses);
        for (std::size_t i = 0; i < addresses.size(); ++i)
            CHECK(addresses[i] == list->base + list->stride * list->entries[i]);
    }
    CHECK(lists >= 4);
    CHECK_FALSE(pd::AddressStream(line).list());
    CHECK_FALSE(pd::AddressStream(picked(Dimensions::row_major(ints({9, 3})))).list());
}

TEST_CASE("runs pass through layers", "[dimensions]") {
    const Dimensions padded = Dimensions::padded(ints({3, 4}), ints({3, 6}));
    const Dimensions line = pd::select(pd::reshape(padded, ints({12})), 0, range(1, 12, 2));
    CHECK(line.layer_count() == 2);
    CHECK(addresses(line) == Addresses{1, 3, 7, 9, 13, 15});
    CHECK(runs(line) == std::vector<Run>{{1, 2, 2}, {7, 2, 2}, {13, 2, 2}});
}

TEST_CASE("a stream over a huge view reads from anywhere", "[dimensions]") {
    const index_t n = index_t{1} << 40;
    const Dimensions turned = pd::rotate(
        pd::transpose(Dimensions::row_major(ints({1024, n / 1024, 1024})), ints({2, 0, 1})),
        ints({7, -9, 3}));
    const pd::AddressStream stream(turned);
    std::vector<index_t> block(3000);
    std::vector<index_t> globals(block.size());
    std::vector<index_t> gathered(block.size());
    for (const index_t begin : {index_t{0}, turned.size() / 3, turned.size() - 3000}) {
        stream.read(begin, block);
        for (std::size_t i = 0; i < block.size(); ++i) globals[i] = begin + static_cast<index_t>(i);
        stream.gather(globals, gathered);
        CHECK(block == gathered);
        CHECK(block[1234] == turned.global_to_local(begin + 1234));
    }
    stream.gather(globals, globals); // in place
    CHECK(globals == block);
}

TEST_CASE("a stream is shared by copies and threads", "[dimensions]") {
    const Dimensions dims = pd::select(
        pd::rotate(Dimensions::row_major(ints({64, 64})), ints({3, 5})), 1, list({60, 2, 2, 9}));
    const pd::AddressStream stream(dims);
    const Addresses expected = addresses(dims);
    std::vector<Addresses> read(4, Addresses(expected.size()));
    std::vector<std::thread> threads;
    for (Addresses& out : read) threads.emplace_back([copy = stream, &out] { copy.read(0, out); });
    for (std::thread& thread : threads) thread.join();
    for (const Addresses& out : read) CHECK(out == expected);
}

TEST_CASE("nothing is read from nothing", "[dimensions]") {
    const pd::AddressStream stream(Dimensions::row_major(ints({0, 3})));
    CHECK(stream.size() == 0);
    stream.read(0, {});
    stream.gather({}, {});
    CHECK(runs(Dimensions::row_major(ints({3})), 3, 0).empty());
}

} // namespace address_stream_test
