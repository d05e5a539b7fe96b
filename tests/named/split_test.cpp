#include "named_support.hpp"

namespace split_test {

TEST_CASE("split shares a dim among dims") {
    const auto t = counted({7, 3});
    const auto [i, j, a, b] = pv::dims("i", "j", "a", "b");
    a.set_size(3);
    const auto [first, second] = pv::split(t(i, j), i, {a, b});
    CHECK(b.size() == 4);
    const pv::Tensor<double> x = first | pv::order(a, j);
    const pv::Tensor<double> y = second | pv::order(b, j);
    CHECK(pv::shares_storage(x, t));
    CHECK(pv::shares_storage(y, t));
    CHECK(equal<double>(x, t(pv::range(0, 3))));
    CHECK(equal<double>(y, t(pv::range(3, 7))));
    const pv::Dim n("n");
    CHECK(equal<double>(pv::cat({first, second}, {a, b}, n) | pv::order(n, j), t));

    // A positional axis, and as a stage.
    const auto [p, q, r] = pv::dims("p", "q", "r");
    const auto parts = t | pv::split(0, {p, q, r});
    CHECK(p.size() == 3);
    CHECK(q.size() == 3);
    CHECK(r.size() == 1);
    CHECK(equal<double>(parts[2] | pv::order(r), t(pv::range(6, 7))));
    const auto [u, v, w] = pv::dims("u", "v", "w");
    const auto few = t(pv::range(0, 1)) | pv::split(0, {u, v, w});
    CHECK(u.size() == 1);
    CHECK(v.size() == 0);
    CHECK(w.size() == 0);
    CHECK((few[2] | pv::order(w)).shape() == pv::Shape{0, 3});
    // Of what has no strides.
    const auto rotated = t | pv::rotate({2, 0});
    const auto [c, d] = pv::dims("c", "d");
    const auto halves = pv::split(rotated, 0, {c, d});
    CHECK(equal<double>(halves[1] | pv::order(d), pv::clone(rotated)(pv::range(4, 7))));
}

TEST_CASE("split says what is wrong, and binds nothing then") {
    const auto t = counted({7, 3});
    const auto [i, open] = pv::dims("i", "open");
    const pv::Dim three("three", 3);
    const pv::Dim five("five", 5);
    CHECK(message_of<pv::DimError>([&] {
              pv::split(t(i), i, {three, five});
          }) == "split: the sizes of the parts (three, five) make 8, and the axis has size 7");
    CHECK(message_of<pv::DimError>([&] {
              pv::split(t(i), i, {three, three});
          }) == "split: the sizes of the parts (three, three) make 6, and the axis has size 7");
    CHECK(message_of<pv::DimError>([&] {
              pv::split(t(i), i, {open, three, five});
          }) ==
          "split: the sizes of the parts (open, three, five) make 8 without 1 of them, and the "
          "axis has size 7");
    CHECK(message_of<pv::DimError>([&] { pv::split(t, i, {open}); }) ==
          "split: the tensor has no Dim 'i', its dims are ()");
    CHECK(message_of<pv::DimError>([&] {
              pv::split(t, 0, {open, open});
          }) == "Dim 'open' is bound to size 4 and cannot bind to size 3");
    CHECK_FALSE(open.has_size());
}

TEST_CASE("unbind gives a view for each index") {
    const auto t = counted({3, 4, 2});
    const auto [i, j] = pv::dims("i", "j");
    const auto columns = pv::unbind(t(i, j), j);
    REQUIRE(columns.size() == 4);
    for (pv::index_t n = 0; n < 4; ++n) {
        const pv::Tensor<double> column = columns[static_cast<std::size_t>(n)] | pv::order(i);
        CHECK(pv::shares_storage(column, t));
        CHECK(equal<double>(column, t(pv::all, n)));
    }
    const auto planes = t | pv::unbind(-1);
    REQUIRE(planes.size() == 2);
    CHECK(equal<double>(planes[1], t(pv::all, pv::all, 1)));
    CHECK(pv::unbind(pv::zeros({0, 2}), 0).empty());
    CHECK(message_of<pv::IndexError>([&] { pv::unbind(t, 3); }) ==
          "unbind: axis 3 is out of range for rank 3");
}

} // namespace split_test
