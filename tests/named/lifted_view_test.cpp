#include "named_support.hpp"

namespace lifted_view_test {

using pv::index_t;

TEST_CASE("views act on the positional axes of each combination of dims") {
    const auto x = counted({3, 4, 5});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    CHECK(equal<double>(x(i) | pv::flip({0, -1}) | pv::order(i), x | pv::flip({1, 2})));
    CHECK(equal<double>(x(pv::all, j) | pv::rotate({1, -2}) | pv::order(0, j),
                        x | pv::rotate({1, 0, -2})));
    CHECK(equal<double>(x(i) | pv::sliding_window(-1, 2, 3) | pv::order(i),
                        x | pv::sliding_window(2, 2, 3)));
    CHECK(equal<double>(x(i) | pv::broadcast({2, 8, 5}) | pv::order(i),
                        x(pv::all, pv::new_axis) | pv::broadcast({3, 2, 8, 5})));
    CHECK(equal<double>(x(i) | pv::reshape({2, -1}) | pv::order(i), x | pv::reshape({3, 2, 10})));
    CHECK(equal<double>(x(i) | pv::diagonal(1) | pv::order(i), x | pv::diagonal(1, 1, 2)));
    CHECK(equal<double>(x(pv::all, pv::all, k) | pv::transpose | pv::order(k),
                        x | pv::transpose({2, 1, 0})));
    CHECK(message_of<pv::ShapeError>([&] { x(i) | pv::rotate({1}); }) != "nothing was thrown");
    CHECK(message_of<pv::IndexError>([&] { x(i) | pv::sliding_window(2, 2); }) !=
          "nothing was thrown");
}

TEST_CASE("flip takes dims where it takes axes") {
    const auto x = counted({3, 4, 5});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    CHECK(equal<double>(x(i, j, k) | pv::flip(j) | pv::order(i, j, k), x | pv::flip({1})));
    CHECK(equal<double>(pv::flip(x(i, j), j, 0) | pv::order(i, j), x | pv::flip({1, 2})));
    CHECK(equal<double>(x(i, j) | pv::flip(-1, i) | pv::order(i, j), x | pv::flip({0, 2})));
    CHECK(equal<double>(x(i, j, k) | pv::flip(pv::DimList({i, k})) | pv::order(i, j, k),
                        x | pv::flip({0, 2})));
    CHECK(message_of<pv::DimError>([&] { x(i) | pv::flip(j); }) ==
          "flip: the tensor has no Dim 'j', its dims are (i,)");
    CHECK(message_of<pv::IndexError>([&] { x(i) | pv::flip(i, 2); }) != "nothing was thrown");
}

TEST_CASE("views that keep sizes take dims, which stay bound") {
    const auto x = counted({3, 4, 5});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    CHECK(equal<double>(x(i, j, k) | pv::roll(2, j) | pv::order(i, j, k), x | pv::roll(2, 1)));
    CHECK(equal<double>(pv::roll(x(i), -1, i) | pv::order(i), x | pv::roll(-1, 0)));
    CHECK(equal<double>(x(i) | pv::roll(1, -1) | pv::order(i), x | pv::roll(1, 2)));
    CHECK(message_of<pv::DimError>([&] { x(i) | pv::roll(1, j); }) ==
          "roll: the tensor has no Dim 'j', its dims are (i,)");
}

TEST_CASE("views that change sizes make axes of dims") {
    const auto x = counted({3, 4, 5});
    const auto ones = counted({3, 1, 5, 1});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto [m, one, n, unit] = pv::dims("m", "one", "n", "unit");
    CHECK(equal<double>(x(i, j) | pv::sliding_window(j, 2, 2) | pv::order(i),
                        x | pv::sliding_window(1, 2, 2)));
    CHECK(
        equal<double>(pv::sliding_window(x(i), i, 3) | pv::order(0), x | pv::sliding_window(0, 3)));
    CHECK(equal<double>(x(i, j, k) | pv::repeat(3, k) | pv::order(i, j), x | pv::repeat(3, 2)));
    CHECK(equal<double>(ones(m, one, n, unit) | pv::squeeze(one, unit) | pv::order(m, n),
                        ones | pv::squeeze));
    CHECK(equal<double>(ones(m, one) | pv::squeeze(one, -1) | pv::order(m), ones | pv::squeeze));
    CHECK(equal<double>(pv::squeeze(ones(m, one), one) | pv::order(m), ones | pv::squeeze({1})));
    CHECK(equal<double>(x(i, j, k) | pv::diagonal(1, j, k) | pv::order(i),
                        x | pv::diagonal(1, 1, 2)));
    CHECK(equal<double>(x(i, j) | pv::diagonal(-1, i, -1) | pv::order(j),
                        x | pv::transpose({1, 0, 2}) | pv::diagonal(-1, 1, 2)));
    CHECK(message_of<pv::ShapeError>([&] { x(i) | pv::squeeze(i); }) != "nothing was thrown");
    CHECK(message_of<pv::ShapeError>([&] { x(i) | pv::sliding_window(i, 4); }) !=
          "nothing was thrown");
    CHECK(message_of<pv::DimError>([&] { x(i) | pv::repeat(2, j); }) != "nothing was thrown");
    CHECK(message_of<pv::DimError>([&] { x(i, j) | pv::diagonal(0, i, i); }) !=
          "nothing was thrown");
}

} // namespace lifted_view_test
