#include "named_support.hpp"

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
          "view: the tensor has no Dim 'j', its dims are (i,)");
    CHECK(message_of<pv::IndexError>([&] { x(i) | pv::flip(i, 2); }) != "nothing was thrown");
}
