#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/transpose.hpp>

#include <array>
#include <limits>
#include <type_traits>

namespace dimensions_test {

using namespace purview;
namespace pd = purview::dimensions;

static_assert(sizeof(Dimensions) <= 128);
static_assert(std::is_nothrow_copy_constructible_v<Dimensions>);
static_assert(std::is_nothrow_move_constructible_v<Dimensions>);

namespace {

constexpr index_t kLargest = std::numeric_limits<index_t>::max();
constexpr index_t kSmallest = std::numeric_limits<index_t>::min();

} // namespace

TEST_CASE("a default one is a scalar at address 0", "[dimensions]") {
    const Dimensions scalar;
    CHECK(scalar.rank() == 0);
    CHECK(scalar.size() == 1);
    CHECK(scalar.is_identity());
    CHECK(scalar.global_to_local(index_t{0}) == 0);
    CHECK(scalar.global_to_local(ints({})) == 0);
    CHECK(addresses(scalar) == Addresses{0});
}

TEST_CASE("row-major, column-major and padded strides", "[dimensions]") {
    CHECK(strides_of(Dimensions::row_major(ints({5, 3, 2}))) == ints({6, 2, 1}));
    CHECK(strides_of(Dimensions::column_major(ints({5, 3, 2}))) == ints({1, 5, 15}));
    const Dimensions padded = Dimensions::padded(ints({5, 3, 2}), ints({5, 4, 2}));
    CHECK(strides_of(padded) == ints({8, 2, 1}));
    CHECK(shape_of(padded) == ints({5, 3, 2}));
    CHECK_FALSE(padded.is_contiguous());
    CHECK(strides_of(pd::transpose(Dimensions::row_major(ints({2, 2})), ints({1, 0}))) ==
          ints({1, 2}));
    CHECK(strides_of(pd::swap_axes(Dimensions::row_major(ints({3, 4, 5})), 0, 2)) ==
          ints({1, 5, 20}));
}

TEST_CASE("the seed's raw form keeps its face and both maps", "[dimensions]") {
    const std::array<AxisShape, 2> shape{AxisShape{index_t{2}}, AxisShape{list({1, 0})}};
    const Dimensions dims = Dimensions::raw(shape, ints({1, 2}), ints({0, 1}), ints({4, 6}));
    CHECK(dims.layer_count() == 1);
    CHECK(dims.shape() == ints({2, 2}));
    CHECK(dims.offsets() == ints({0, 1}));
    CHECK(shape_of(dims) == ints({4, 6}));
    CHECK(strides_of(dims) == ints({1, 2}));
    Addresses expected;
    for (index_t i = 0; i < 4; ++i)
        for (index_t j = 0; j < 6; ++j) expected.push_back(i % 2 + 2 * ((j + 1) % 2 == 0 ? 1 : 0));
    CHECK(addresses(dims) == expected);
    CHECK(dims.is_broadcast());
    CHECK(dims.is_dense());
    CHECK_FALSE(dims.is_unique());
}

TEST_CASE("a raw form that says nothing special is plain", "[dimensions]") {
    const std::array<AxisShape, 2> shape{AxisShape{index_t{3}}, AxisShape{index_t{4}}};
    const Dimensions dims = Dimensions::raw(shape, ints({4, 1}), ints({0, 0}), ints({3, 4}));
    CHECK(dims.is_strided());
    CHECK(dims == Dimensions::row_major(ints({3, 4})));
    // A window into an axis is one, too: the phase goes into the base.
    const Dimensions part = Dimensions::raw(shape, ints({4, 1}), ints({1, 1}), ints({2, 3}));
    CHECK(part.is_strided());
    CHECK(part.base() == 5);
}

TEST_CASE("raw forms that mean nothing are refused", "[dimensions]") {
    const auto raw = [](AxisShape axis, index_t offset, index_t max) {
        return [=] {
            const std::array<AxisShape, 1> shape{axis};
            return Dimensions::raw(shape, ints({1}), ints({offset}), ints({max}));
        };
    };
    require_error<ShapeError>(raw(index_t{-1}, 0, 3), "raw: shape -1 of axis 0 is negative");
    require_error<ShapeError>(raw(index_t{0}, 0, 3),
                              "raw: axis 0 of shape 0 cannot have max_shape 3");
    require_error<IndexError>(raw(list({1, -1}), 0, 2),
                              "raw: index -1 in the list of axis 0 is negative");
    require_error<ShapeError>(raw(IndexSequencePtr(), 0, 2),
                              "raw: the index list of axis 0 is null");
    require_error<ShapeError>(
        [] {
            const std::array<AxisShape, 1> shape{AxisShape{index_t{2}}};
            return Dimensions::raw(shape, ints({1, 2}), ints({0}), ints({2}));
        },
        "raw: 2 strides for rank 1");
    CHECK(raw(index_t{0}, 0, 0)().size() == 0);
}

TEST_CASE("coordinates and indexes are checked", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    CHECK(dims.global_to_local(index_t{5}) == 5);
    CHECK(dims.global_to_local(ints({-1, -3})) == 3);
    require_error<IndexError>([&] { return dims.global_to_local(index_t{6}); },
                              "global_to_local: index 6 is out of range for size 6");
    require_error<IndexError>([&] { return dims.global_to_local(index_t{-1}); },
                              "global_to_local: index -1 is out of range for size 6");
    require_error<IndexError>(
        [&] {
            return dims.global_to_local(ints({0, 3}));
        },
        "global_to_local: index 3 is out of range for axis 1 of size 3");
    require_error<IndexError>([&] { return dims.global_to_local(ints({0})); },
                              "global_to_local: 1 coordinates for rank 2");
}

TEST_CASE("sizes and addresses that overflow are refused", "[dimensions]") {
    const index_t big = index_t{1} << 32;
    CHECK_THROWS_AS(Dimensions::row_major(ints({big, big})), ShapeError);
    CHECK_THROWS_AS(Dimensions::row_major(ints({big, 0, big})), ShapeError);
    CHECK_THROWS_AS(Dimensions::row_major(ints({-1})), ShapeError);
    CHECK_THROWS_AS(Dimensions::strided(ints({2}), ints({1}), kLargest), ShapeError);
    CHECK_THROWS_AS(Dimensions::strided(ints({2}), ints({-1}), kSmallest), ShapeError);
    CHECK_THROWS_AS(Dimensions::strided(ints({2}), ints({kSmallest}), 0), ShapeError);
    CHECK_THROWS_AS(Dimensions::strided(ints({3}), ints({kLargest}), -5), ShapeError);
    CHECK_THROWS_AS(Dimensions::strided(ints({2, 2}), ints({kLargest, 1})), ShapeError);
    CHECK(Dimensions::strided(ints({2}), ints({kLargest})).address_range().highest == kLargest);
    CHECK(Dimensions::strided(ints({1}), ints({kSmallest}), kLargest).size() == 1);
    CHECK_THROWS_AS(Dimensions::padded(ints({3}), ints({2})), ShapeError);
    CHECK_THROWS_AS(Dimensions::padded(ints({3}), ints({3, 3})), ShapeError);
    CHECK_THROWS_AS(Dimensions::strided(ints({3}), ints({})), ShapeError);
}

TEST_CASE("ranks up to 64 work, and no more", "[dimensions]") {
    Shape shape(64, 1);
    shape[3] = 2;
    shape[60] = 3;
    const Dimensions dims = Dimensions::row_major(shape);
    CHECK(dims.rank() == 64);
    CHECK(dims.is_identity());
    CHECK(dims.is_strided());
    Shape axes(64);
    for (std::size_t a = 0; a < 64; ++a) axes[a] = static_cast<index_t>(63 - a);
    const Dimensions reversed = pd::transpose(dims, axes);
    CHECK(addresses(reversed) == Addresses{0, 3, 1, 4, 2, 5});
    CHECK(reversed.layer_count() == 1);
    shape.push_back(1);
    require_error<ShapeError>([&] { return Dimensions::row_major(shape); },
                              "row_major: rank 65 is above 64");
}

TEST_CASE("what is moved from is still whole", "[dimensions]") {
    Dimensions large = Dimensions::row_major(ints({1, 2, 1, 2, 1, 2, 1, 2}));
    const Dimensions taken = std::move(large);
    CHECK(taken.size() == 16);
    CHECK(large == Dimensions()); // NOLINT(bugprone-use-after-move)
    Dimensions rotated = pd::rotate(Dimensions::row_major(ints({4})), ints({1}));
    Dimensions& itself = rotated;
    rotated = std::move(itself);
    CHECK(addresses(rotated) == Addresses{3, 0, 1, 2});
    large = std::move(rotated);
    CHECK(addresses(large) == Addresses{3, 0, 1, 2});
    CHECK(rotated.size() == 1); // NOLINT(bugprone-use-after-move)
}

TEST_CASE("equality and hash are structural", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({4, 6}));
    const Dimensions picked = pd::select(dims, 1, list({5, 0}));
    CHECK(picked == pd::select(dims, 1, list({5, 0})));
    CHECK(picked.hash() == pd::select(dims, 1, list({5, 0})).hash());
    CHECK_FALSE(picked == pd::select(dims, 1, list({5, 1})));
    CHECK_FALSE(dims == pd::transpose(dims, ints({1, 0})));
    CHECK(dims.hash() != pd::transpose(dims, ints({1, 0})).hash());
    const Dimensions layered = pd::reshape(pd::transpose(dims, ints({1, 0})), ints({24}));
    CHECK(layered == pd::reshape(pd::transpose(dims, ints({1, 0})), ints({24})));
    CHECK_FALSE(layered == Dimensions::row_major(ints({24})));
}

TEST_CASE("contiguous, strided, identity", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({4, 6}));
    CHECK(dims.is_identity());
    const Dimensions row = pd::select(dims, 0, 1);
    CHECK(row.is_contiguous());
    CHECK_FALSE(row.is_identity());
    CHECK(row.base() == 6);
    const Dimensions column = pd::select(dims, 1, 1);
    CHECK(column.is_strided());
    CHECK_FALSE(column.is_contiguous());
    CHECK(pd::select(dims, 1, range(2, 3)).is_contiguous() == false);
    CHECK(Dimensions::strided(ints({1, 6, 1}), ints({99, 1, -7})).is_contiguous());
    CHECK(Dimensions::strided(ints({0, 3}), ints({5, 5})).is_contiguous());
    CHECK_FALSE(pd::rotate(dims, ints({1, 0})).is_strided());
    CHECK(pd::select(pd::rotate(dims, ints({1, 0})), 1, range(0, 0)).is_contiguous());
}

TEST_CASE("dense, unique and broadcast are decided without looking at elements", "[dimensions]") {
    const index_t n = 1000000;
    const Dimensions huge = Dimensions::row_major(ints({1000, n, 1000}));
    CHECK(huge.is_dense());
    CHECK(huge.is_unique());
    CHECK(pd::transpose(huge, ints({2, 0, 1})).is_dense());
    CHECK(pd::rotate(huge, ints({5, -7, 11})).is_dense());
    CHECK(pd::rotate(huge, ints({5, -7, 11})).is_unique());
    CHECK_FALSE(pd::select(huge, 1, range(0, n, 2)).is_dense());
    CHECK(pd::select(huge, 1, range(0, n, 2)).is_unique());
    CHECK(pd::broadcast(huge, ints({2, 1000, n, 1000})).is_broadcast());
    CHECK_FALSE(pd::broadcast(huge, ints({2, 1000, n, 1000})).is_unique());
    CHECK(pd::broadcast(huge, ints({2000, n, 1000})).is_dense());
    CHECK(pd::broadcast(huge, ints({2000, n, 1000})).is_broadcast());
    const Dimensions windows = pd::sliding_window(Dimensions::row_major(ints({n * 1000})), 0, 3);
    CHECK_FALSE(windows.is_unique());
    CHECK(windows.is_dense());
    CHECK_FALSE(windows.is_broadcast());
    // Strides that interleave: 3·i + 2·j has no collision for i < 2, j < 3.
    CHECK(Dimensions::strided(ints({2, 3}), ints({3, 2})).is_unique());
    CHECK_FALSE(Dimensions::strided(ints({3, 4}), ints({3, 2})).is_unique());
    CHECK(Dimensions::strided(ints({1000003, 1000000}), ints({1000000, 1000003})).is_unique());
    CHECK_FALSE(
        Dimensions::strided(ints({1000004, 1000001}), ints({1000000, 1000003})).is_unique());
}

TEST_CASE("the address range is exact for one layer", "[dimensions]") {
    const Dimensions dims = Dimensions::strided(ints({3, 4}), ints({-10, 2}), 50);
    CHECK(dims.address_range() == AddressRange{30, 56, false});
    CHECK(pd::select(dims, 1, list({2, 1, 2})).address_range() == AddressRange{32, 54, false});
    CHECK(pd::select(dims, 1, range(2, 2)).address_range() == AddressRange{});
    const Dimensions turned = pd::rotate(dims, ints({0, 1})); // columns 3 0 1 2
    CHECK(pd::select(turned, 1, range(0, 2)).address_range() == AddressRange{30, 56, false});
    CHECK(pd::select(turned, 1, range(1, 3)).address_range() == AddressRange{30, 52, false});
}

TEST_CASE("layers are bounded", "[dimensions]") {
    Dimensions dims = Dimensions::row_major(ints({5000}));
    const auto deepen = [&] {
        for (int i = 0; i < 3000; ++i)
            dims = pd::select(pd::rotate(dims, ints({7})), 0, range(1, 5000));
    };
    REQUIRE_THROWS_AS(deepen(), ShapeError);
    CHECK(dims.layer_count() == kMaxLayers);
    CHECK(dims.global_to_local(index_t{0}) >= 0);
    CHECK(addresses(dims).size() == static_cast<std::size_t>(dims.size()));
}

} // namespace dimensions_test
