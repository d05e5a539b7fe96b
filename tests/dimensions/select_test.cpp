#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>

#include <initializer_list>

namespace select_test {

using namespace purview;
namespace pd = purview::dimensions;

namespace {

Dimensions select(const Dimensions& dims, std::initializer_list<IndexArgument> arguments) {
    return pd::select(dims, std::span<const IndexArgument>(arguments.begin(), arguments.size()));
}

const Dimensions nine = Dimensions::row_major(ints({3, 3}));

} // namespace

TEST_CASE("a row and a column of tech.datatype's tensor", "[dimensions]") {
    CHECK(addresses(select(nine, {1, all})) == Addresses{3, 4, 5});
    CHECK(addresses(select(nine, {all, 2})) == Addresses{2, 5, 8});
    CHECK(addresses(select(nine, {-1})) == Addresses{6, 7, 8});
    const Dimensions row = pd::select(Dimensions::row_major(ints({3, 2})), 0, 1);
    CHECK(row.base() == 2);
    CHECK(strides_of(row) == ints({1}));
}

TEST_CASE("every kind of argument at once", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3, 4, 5}));
    const Dimensions view = select(dims, {1, new_axis, ellipsis, list({4, -5, 0}), new_axis});
    CHECK(shape_of(view) == ints({1, 3, 4, 3, 1}));
    CHECK(view.local_of(ints({0, 2, 3, 0, 0})) == 60 + 2 * 20 + 3 * 5 + 4);
    CHECK(view.local_of(ints({0, 2, 3, 1, 0})) == 60 + 2 * 20 + 3 * 5);
    CHECK(shape_of(select(dims, {ellipsis, 0})) == ints({2, 3, 4}));
    CHECK(shape_of(select(dims, {ellipsis})) == ints({2, 3, 4, 5}));
    CHECK(shape_of(select(dims, {})) == ints({2, 3, 4, 5}));
    CHECK(shape_of(select(dims, {0, 0, 0, 0, ellipsis})) == ints({}));
    CHECK(shape_of(select(nine, {all, new_axis, all, new_axis, new_axis, new_axis, new_axis})) ==
          ints({3, 1, 3, 1, 1, 1, 1}));
}

TEST_CASE("two lists select orthogonally", "[dimensions]") {
    CHECK(addresses(select(nine, {list({2, 0}), list({1, 1, 2})})) == Addresses{7, 7, 8, 1, 1, 2});
}

TEST_CASE("a mask selects where it is true", "[dimensions]") {
    const bool mask[] = {true, false, true};
    CHECK(addresses(select(nine, {index_sequence_from_mask(std::span<const bool>(mask))})) ==
          Addresses{0, 1, 2, 6, 7, 8});
}

TEST_CASE("lists are shared where they need no change", "[dimensions]") {
    const IndexSequencePtr picked = list({2, 0});
    const Dimensions view = pd::select(nine, 0, picked);
    CHECK(view.layer(0).maps[0].table == picked);
    const Dimensions turned = pd::select(pd::rotate(view, ints({1, 0})), 0, range(0, 2, -1));
    CHECK(turned.layer_count() == 1);
}

TEST_CASE("selection folds on every kind of axis", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({12, 12}));
    const Dimensions kinds[] = {
        dims, pd::rotate(dims, ints({5, 3})), pd::broadcast(dims, ints({24, 36})),
        select(dims, {list({5, 1, 7, 7, 2, 9, 11}), list({1, 2, 3, 3, 2, 1, 0})})};
    for (const Dimensions& kind : kinds) {
        CHECK(select(kind, {3}).layer_count() == 1);
        CHECK(select(kind, {3, 4}).is_strided());
        CHECK(select(kind, {range(1, 6, 2), range(std::nullopt, std::nullopt, -1)}).layer_count() ==
              1);
        CHECK(select(kind, {list({3, 3, 1}), all}).layer_count() == 1);
    }
    // A part of a rotated axis that does not run over the seam is plain again.
    CHECK(pd::select(pd::rotate(dims, ints({5, 0})), 0, range(5, 12)).is_strided());
    CHECK(pd::select(pd::rotate(dims, ints({5, 0})), 0, range(0, 5)).is_strided());
    CHECK_FALSE(pd::select(pd::rotate(dims, ints({5, 0})), 0, range(3, 8)).is_strided());
    // So is every whole period of a tiled one.
    CHECK(pd::select(pd::broadcast(dims, ints({36, 12})), 0, range(12, 24)).is_strided());
    CHECK(pd::select(pd::broadcast(dims, ints({36, 12})), 0, range(1, 36, 12)).is_strided());
}

TEST_CASE("a selection out of range says where", "[dimensions]") {
    require_error<IndexError>(
        [] {
            return select(nine, {0, 5});
        },
        "select: index 5 is out of range for axis 1 of size 3");
    require_error<IndexError>([] { return select(nine, {-4}); },
                              "select: index -4 is out of range for axis 0 of size 3");
    require_error<IndexError>([] { return pd::select(nine, -1, 3); },
                              "select: index 3 is out of range for axis 1 of size 3");
    require_error<IndexError>(
        [] {
            return select(nine, {all, list({0, 3})});
        },
        "select: index 3 is out of range for axis 1 of size 3");
    require_error<IndexError>(
        [] {
            return select(nine, {all, list({0, -4})});
        },
        "select: index -4 is out of range for axis 1 of size 3");
    require_error<IndexError>(
        [] {
            return select(nine, {0, all, range(0, 1)});
        },
        "select: too many indexes: 3 for rank 2");
    require_error<IndexError>(
        [] {
            return select(nine, {ellipsis, ellipsis});
        },
        "select: 2 ellipses, at most one can be resolved");
    require_error<IndexError>([] { return select(nine, {IndexSequencePtr()}); },
                              "select: the index list for axis 0 is null");
    require_error<IndexError>([] { return pd::select(nine, 2, 0); },
                              "select: axis 2 is out of range for rank 2");
    // The error names the axis of what is selected from, not of what is left.
    require_error<IndexError>(
        [] {
            return select(pd::rotate(nine, ints({1, 1})), {0, new_axis, 7});
        },
        "select: index 7 is out of range for axis 1 of size 3");
    require_error<IndexError>([] { return select(pd::select(nine, 0, range(1, 1)), {0}); },
                              "select: index 0 is out of range for axis 0 of size 0");
}

TEST_CASE("selection survives extreme strides of empty and size-1 axes", "[dimensions]") {
    const index_t huge = index_t{1} << 62;
    const Dimensions empty = Dimensions::strided(ints({0, 2}), ints({huge, huge}));
    CHECK(select(empty, {all, 1}).size() == 0);
    CHECK(select(empty, {range(5, 9, 3), range(0, 2, -1)}).size() == 0);
    const Dimensions single = Dimensions::strided(ints({1, 2}), ints({-huge, huge}), 5);
    CHECK(select(single, {range(0, 1, 1000), 1}).base() == huge + 5);
    CHECK(select(single, {range(3, 0, -1000000), range(0, 2)}).size() == 0);
}

} // namespace select_test
