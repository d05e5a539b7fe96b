#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reduce.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/transpose.hpp>

#include <algorithm>
#include <numeric>
#include <random>

namespace large_views_test {

using namespace purview;
namespace pd = purview::dimensions;

// Axes of up to 10^9 elements and arrays of up to 2^62, where no table of addresses can be kept:
// every way to ask for an address has to give the same one, and none may overflow on the way.

namespace {

class LargeViews {
public:
    explicit LargeViews(unsigned seed) : random_(seed) {}

    index_t between(index_t least, index_t greatest) {
        return std::uniform_int_distribution<index_t>(least, greatest)(random_);
    }

    Dimensions source() {
        Shape shape(static_cast<std::size_t>(between(1, 4)));
        const index_t most = shape.size() == 1 ? 1000000000 : shape.size() == 2 ? 1000000 : 10000;
        for (index_t& extent : shape) extent = between(1, most);
        if (between(0, 1) == 0) return Dimensions::row_major(shape);
        if (between(0, 1) == 0) return Dimensions::column_major(shape);
        // Padded, in any order of axes, in any direction. (The inverse of strides drawn at random is
        // a knapsack: found, but not within a test.)
        std::vector<std::size_t> order(shape.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random_);
        Shape strides(shape.size());
        index_t stride = between(1, 10);
        for (const std::size_t axis : order) {
            strides[axis] = between(0, 1) == 0 ? stride : -stride;
            stride *= shape[axis] + between(0, 9);
        }
        return Dimensions::strided(shape, strides, between(-1000000, 1000000));
    }

    Dimensions view(const Dimensions& dims) {
        const int rank = dims.rank();
        if (rank == 0) return dims;
        const index_t axis = between(0, rank - 1);
        const index_t extent = dims.max_shape()[static_cast<std::size_t>(axis)];
        Shape shape = to_shape(dims.max_shape());
        switch (between(0, 9)) {
        case 0: return pd::swap_axes(dims, axis, between(0, rank - 1));
        case 1: return pd::flip(dims, ints({axis}));
        case 2: {
            Shape amounts(shape.size(), 0);
            amounts[static_cast<std::size_t>(axis)] = between(-2 * extent, 2 * extent);
            return pd::rotate(dims, amounts);
        }
        case 3:
        case 4: {
            const index_t begin = between(0, extent / 4);
            const index_t end = between(extent - extent / 4, extent);
            const index_t step = between(1, 3);
            return between(0, 1) == 0 ? pd::select(dims, axis, range(begin, end, step))
                                      : pd::select(dims, axis, range(end, begin, -step));
        }
        case 5:
            shape[static_cast<std::size_t>(axis)] *= between(1, 3);
            return pd::broadcast(dims, shape);
        case 6: {
            if (extent < 4) return dims;
            std::vector<index_t> list(5);
            for (index_t& index : list) index = between(-extent, extent - 1);
            return pd::select(dims, axis, make_index_sequence(list));
        }
        case 7:
            if (rank > 8 || extent < 3) return dims;
            return pd::sliding_window(dims, axis, between(1, 3), between(1, 3));
        case 8: {
            if (rank > 8) return dims;
            for (const index_t factor : {12, 7, 5, 3, 2}) {
                if (extent == 0 || extent % factor != 0) continue;
                shape[static_cast<std::size_t>(axis)] /= factor;
                shape.insert(shape.begin() + axis + 1, factor);
                return pd::reshape(dims, shape);
            }
            return dims;
        }
        default:
            if (rank < 2) return dims;
            if (between(0, 1) == 0) return pd::diagonal(dims, 0, rank - 1, between(-3, 3));
            shape[0] *= shape[1];
            shape.erase(shape.begin() + 1);
            return pd::reshape(dims, shape);
        }
    }

private:
    std::mt19937_64 random_;
};

void check_chain(unsigned seed) {
    LargeViews random(seed);
    const Dimensions source = random.source();
    Dimensions chain = source;
    Dimensions view = Dimensions::row_major(source.max_shape());
    INFO("seed " << seed);
    const index_t length = random.between(1, 7);
    for (index_t k = 0; k < length; ++k) {
        LargeViews again = random;
        Dimensions next;
        try {
            next = random.view(chain);
        } catch (const ShapeError&) { // too large
            continue;
        }
        view = again.view(view);
        chain = next;
    }
    const Dimensions composed = pd::compose(view, source);
    const Dimensions reduced = pd::reduce(chain);
    REQUIRE(std::ranges::equal(composed.max_shape(), chain.max_shape()));
    const index_t size = chain.size();
    if (size == 0) return;
    REQUIRE(reduced.size() == size);

    const pd::AddressStream stream(chain);
    const AddressRange range = chain.address_range();
    for (int block = 0; block < 3; ++block) {
        const index_t begin = random.between(0, size - 1);
        std::vector<index_t> read(static_cast<std::size_t>(std::min<index_t>(size - begin, 50)));
        stream.read(begin, read);
        for (std::size_t i = 0; i < read.size(); ++i) {
            const index_t g = begin + static_cast<index_t>(i);
            REQUIRE(read[i] == chain.global_to_local(g));
            REQUIRE(read[i] == source.global_to_local(view.global_to_local(g)));
            REQUIRE(read[i] == composed.global_to_local(g));
            REQUIRE(read[i] == reduced.global_to_local(g));
            REQUIRE((read[i] >= range.lowest && read[i] <= range.highest));
        }
    }
    // The inverse collects what deep layers repeat, which is not for arrays of this size.
    if (chain.layer_count() > 1) return;
    const index_t g = random.between(0, size - 1);
    const index_t address = chain.global_to_local(g);
    index_t before = -1;
    pd::GlobalIndexes found = pd::local_to_global(chain, address);
    for (int k = 0; k < 50; ++k) {
        const auto next = found.next();
        if (!next.has_value()) {
            REQUIRE(before >= g);
            return;
        }
        REQUIRE(*next > before);
        REQUIRE((before >= g || *next <= g));
        REQUIRE(chain.global_to_local(*next) == address);
        before = *next;
    }
}

} // namespace

TEST_CASE("large views agree with themselves however they are asked", "[dimensions]") {
    for (unsigned seed = 1; seed <= 4000; ++seed) check_chain(seed);
}

} // namespace large_views_test
