#include "named_support.hpp"

#include <cstdint>

namespace take_dims_test {

using pv::index_t;

TEST_CASE("take works over the union of dims") {
    const auto x = counted({2, 5, 3});
    const auto ids = pv::tensor<std::int32_t>({{0, -1, 2, 1}, {4, 4, 0, -5}});
    const auto [i, j] = pv::dims("i", "j");
    const auto both = pv::take(x(i), ids(i), 0); // each matrix by indexes of its own
    CHECK(to_string(pv::dims(both)) == "(i,)");
    const pv::Tensor<double> own = both | pv::order(i);
    const pv::Tensor<double> all_pairs = pv::take(x(i), ids(j), -2) | pv::order(i, j);
    const pv::Tensor<double> columns = x(i) | pv::take(ids(j) % 3, 1) | pv::order(j, i);
    CHECK(columns.shape() == pv::Shape{2, 2, 5, 4});
    for (index_t a = 0; a < 2; ++a)
        for (index_t b = 0; b < 2; ++b) {
            CHECK(equal<double>(all_pairs(a, b, pv::ellipsis),
                                pv::take(x(a, pv::ellipsis), ids(b, pv::all), 0)));
            CHECK(equal<double>(columns(b, a, pv::ellipsis),
                                pv::take(x(a, pv::ellipsis), ids(b, pv::all) % 3, 1)));
            if (a == b)
                CHECK(equal<double>(own(a, pv::ellipsis),
                                    pv::take(x(a, pv::ellipsis), ids(a, pv::all), 0)));
        }
    CHECK(equal<double>(pv::take(x(i), ids) | pv::order(i),
                        pv::take(x | pv::reshape({2, 15}), ids, 1)));
    CHECK(equal<double>(pv::take(x, ids(j), 1) | pv::order(0, j), pv::take(x, ids, 1)));
    // A list in front of indexes is axes, in front of a number indexes.
    CHECK(equal<double>(pv::take(x, {1}, ids(j)) | pv::order(j), pv::take(x, {1}, ids)));
    const auto [p, q] = pv::dims("p", "q");
    CHECK(equal<double>(pv::take(x, {0, 2}, ids(p, q) % 2, ids(p, q) % 3) | pv::order(p, q),
                        pv::take(x, {0, 2}, ids % 2, ids % 3)));
    CHECK(pv::take(x, {1, 0}, 1).shape() == pv::Shape{2, 2, 3});
}

TEST_CASE("take at a Dim takes it away") {
    const auto x = counted({4, 5});
    const auto ids = pv::tensor({{0, -1}, {2, 3}});
    const auto [i, j, n] = pv::dims("i", "j", "n");
    CHECK(equal<double>(pv::take(x(i, j), ids, i) | pv::order(0, 1, j), pv::take(x, ids, 0)));
    const auto r = pv::tensor({0, 3, 1});
    const auto c = pv::tensor({4, -1, 0});
    const auto linked = pv::take(x, {0, 1}, r, c);
    CHECK(equal<double>(pv::take(x(i, j), {i, j}, r, c), linked));
    CHECK(equal<double>(pv::take(x(i), {0, i}, c, r), linked));
    CHECK(equal<double>(pv::take(x, {0, 1}, r(n), c(n)) | pv::order(n), linked));
    // Positional axes of indexes broadcast together.
    CHECK(equal<double>(pv::take(x(i, j), {j, i}, c, r(pv::all, pv::new_axis)),
                        pv::take(x, {1, 0}, c, r(pv::all, pv::new_axis))));
    CHECK(message_of<pv::DimError>([&] { pv::take(x(i, j), ids, n); }) != "nothing was thrown");
    CHECK(message_of<pv::ShapeError>([&] {
              pv::take(x(i), {0, i}, c);
          }) == "take: 2 axes are given, and 1 index tensors");
    CHECK(message_of<pv::IndexError>([&] { pv::clone(pv::take(x(i, j), {i}, r(n) + 1)); }) ==
          "take: index 4 is out of range for Dim 'i', indexed over (n,), of size 4");
}

TEST_CASE("take_along_axis works over the union of dims") {
    const auto x = counted({3, 4, 5});
    const auto at = pv::cast<std::int32_t>(counted({3, 4, 2}) * 7.0 % 5.0) | pv::clone;
    const auto whole = pv::take_along_axis(x, at, 2);
    const auto [i, j, k] = pv::dims("i", "j", "k");
    CHECK(equal<double>(pv::take_along_axis(x(i), at(i), 1) | pv::order(i), whole));
    CHECK(equal<double>(x(i) | pv::take_along_axis(at(i), -1) | pv::order(i), whole));
    CHECK(equal<double>(pv::take_along_axis(x(i, j), at(i, j), 0) | pv::order(i, j), whole));
    // A Dim goes: element g is that of x at g, but for the dim.
    const pv::Tensor<double> flat = pv::take_along_axis(x(i, j, k), at(i, j), k) | pv::order(i, j);
    CHECK(equal<double>(flat, whole));
    const auto rows = pv::tensor({0, 3, 1, 2, -1});
    const pv::Tensor<double> picked = pv::take_along_axis(x(i, j), rows, j) | pv::order(i);
    CHECK(picked.shape() == pv::Shape{3, 5});
    for (index_t a = 0; a < 3; ++a)
        for (index_t b = 0; b < 5; ++b) CHECK(picked(a, b) == x(a, index_t(rows(b)), b));
    CHECK(message_of<pv::ShapeError>([&] { pv::take_along_axis(x(i, j), at(i), j); }) ==
          "take_along_axis: shapes [5] and [4 2] do not broadcast together beside Dim 'j'");
}

} // namespace take_dims_test
