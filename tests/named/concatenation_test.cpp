#include "named_support.hpp"

#include <vector>

namespace concatenation_test {

TEST_CASE("stack puts tensors over a new dim") {
    const auto x = counted({3, 4});
    const auto y = counted({4, 3}) * 10.0;
    const auto [i, j, n] = pv::dims("i", "j", "n");
    const auto stacked = pv::stack({x(i, j) + 0.0, y(j, i)}, n);
    CHECK(n.size() == 2);
    CHECK(to_string(pv::dims(stacked)) == "(n, i, j)");
    const pv::Tensor<double> t = stacked | pv::order(j, n, i);
    for (pv::index_t a = 0; a < 3; ++a)
        for (pv::index_t b = 0; b < 4; ++b) {
            CHECK(t(b, 0, a) == x(a, b));
            CHECK(t(b, 1, a) == y(b, a));
        }
    CHECK((stacked | pv::order(n, i, j)).operator pv::Tensor<double>().is_contiguous());
    // A copy: writes to what was stacked do not show.
    const auto z = pv::zeros({2});
    const pv::Dim m("m");
    const pv::Tensor<double> copy = pv::stack({z, z}, m) | pv::order(m);
    pv::fill(z, 1.0);
    CHECK(equal<double>(copy, pv::zeros({2, 2})));
}

TEST_CASE("stack lies where it is told") {
    const auto x = counted({3, 4, 5});
    const auto [i, j] = pv::dims("i", "j");
    for (int place = 0; place < 4; ++place) {
        const pv::Dim n("n");
        const std::vector<pv::DimTensor<double>> list{x(i, j), x(i, j) * 2.0};
        const auto stacked = place == 0   ? pv::stack(list, n)
                             : place == 1 ? pv::stack(list, n, j)
                             : place == 2 ? pv::stack(list, n, 0)
                                          : pv::stack(list, n, -1);
        const pv::Tensor<double> lies = place == 0   ? stacked | pv::order(n, i, j)
                                        : place == 1 ? stacked | pv::order(i, n, j)
                                        : place == 2 ? stacked | pv::order(i, j, n)
                                                     : stacked | pv::order(i, j, 0, n);
        CHECK(lies.is_contiguous());
        const pv::Tensor<double> t = stacked | pv::order(n, i, j);
        CHECK(equal<double>(t(0, pv::ellipsis), x));
        CHECK(equal<double>(t(1, pv::ellipsis), x * 2.0));
    }
}

TEST_CASE("stack repeats what lacks a dim, and takes tensors of any kind") {
    const auto x = counted({3});
    const auto [i, j, n] = pv::dims("i", "j", "n");
    i.set_size(3);
    j.set_size(2);
    const pv::Tensor<pv::index_t> grid = pv::stack({i + 0, j + 0}, n) | pv::order(i, j, n);
    for (pv::index_t a = 0; a < 3; ++a)
        for (pv::index_t b = 0; b < 2; ++b) {
            CHECK(grid(a, b, 0) == a);
            CHECK(grid(a, b, 1) == b);
        }
    const pv::Dim m("m");
    const pv::Tensor<double> rows = pv::stack({x, x, x}, m) | pv::order(m);
    CHECK(equal<double>(rows, x | pv::broadcast({3, 3})));
    const pv::Dim one("one");
    CHECK(double(pv::stack({x | pv::sum(pv::Axes{0}), x | pv::sum(pv::Axes{0})}, one) |
                 pv::sum(one)) == 6);
    // Of a type that is not built in.
    const auto words = pv::tensor({"a", "b"});
    const pv::Dim w("w");
    const pv::Tensor<std::string> stacked = pv::stack({words, words}, w) | pv::order(w);
    CHECK(stacked(1, 1) == "b");

    const pv::Dim u("u");
    const auto parts = pv::unbind(counted({4, 3}), 0);
    CHECK(equal<double>(pv::stack(parts, u) | pv::order(u), counted({4, 3})));
}

TEST_CASE("stack says what is wrong, and binds nothing then") {
    const auto x = counted({3});
    const auto [i, n] = pv::dims("i", "n");
    const pv::Dim three("three", 3);
    CHECK(message_of<pv::DimError>([&] {
              pv::stack({x(i), x(i)}, i);
          }) == "stack: Dim 'i' is bound already in a tensor with dims (i,)");
    CHECK(message_of<pv::DimError>([&] {
              pv::stack({x(i), x(i)}, three);
          }) == "Dim 'three' is bound to size 3 and cannot bind to size 2");
    CHECK(message_of<pv::ShapeError>([&] {
              pv::stack({x, counted({4})}, n);
          }) == "stack: the shapes [3] and [4] differ");
    CHECK(message_of<pv::ShapeError>([&] {
              pv::stack({x, counted({3, 1})}, n);
          }) == "stack: the shapes [3] and [3 1] differ");
    CHECK(message_of<pv::DimError>([&] {
              pv::stack({x(i), x(i)}, n, three);
          }) == "stack: no tensor has Dim 'three', their dims are (i,)");
    CHECK(message_of<pv::IndexError>([&] {
              pv::stack({x, x}, n, 2);
          }) == "stack: axis 2 is out of range for rank 2");
    CHECK(message_of<pv::ShapeError>([&] { pv::stack(std::vector<pv::Tensor<double>>(), n); }) ==
          "stack: there are no tensors");
    const pv::Dim open("open");
    CHECK(message_of<pv::DimError>([&] {
              pv::stack({open + 0, open + 1}, n);
          }) == "Dim 'open' has no size yet: index a tensor with it, or call set_size");
    CHECK_FALSE(n.has_size());
}

TEST_CASE("cat joins along a dim") {
    const auto x = counted({3, 4});
    const auto y = x + 100.0;
    const auto [i, j, n] = pv::dims("i", "j", "n");
    const auto joined = pv::cat({x(i, j) * 1.0, y(i, j)}, i, n);
    CHECK(n.size() == 6);
    CHECK(to_string(pv::dims(joined)) == "(n, j)");
    const pv::Tensor<double> t = joined | pv::order(n, j);
    CHECK(t.is_contiguous());
    for (pv::index_t a = 0; a < 6; ++a)
        for (pv::index_t b = 0; b < 4; ++b) CHECK(t(a, b) == (a < 3 ? x(a, b) : y(a - 3, b)));
    const pv::Dim m("m");
    const auto wide = pv::cat({x(i, j), y(i, j)}, j, m);
    CHECK(to_string(pv::dims(wide)) == "(i, m)");
    const pv::Tensor<double> w = wide | pv::order(i, m);
    CHECK(w.is_contiguous());
    for (pv::index_t a = 0; a < 3; ++a)
        for (pv::index_t b = 0; b < 8; ++b) CHECK(w(a, b) == (b < 4 ? x(a, b) : y(a, b - 4)));
}

TEST_CASE("cat joins axes of different sizes") {
    const auto x = counted({2, 3, 5});
    const auto y = counted({2, 4, 5}) * -1.0;
    const auto [n, i, j, k] = pv::dims("n", "i", "j", "k");
    const auto expected = [&](const pv::Tensor<double>& t) {
        bool same = t.shape() == pv::Shape{2, 7, 5};
        for (pv::index_t a = 0; a < 2; ++a)
            for (pv::index_t b = 0; b < 7; ++b)
                for (pv::index_t c = 0; c < 5; ++c)
                    same = same && t(a, b, c) == (b < 3 ? x(a, b, c) : y(a, b - 3, c));
        return same;
    };
    const auto positional = pv::cat({x * 1.0, y}, 1, n);
    CHECK(positional.shape() == pv::Shape{2, 5});
    CHECK(expected(positional | pv::order(0, n)));
    CHECK((positional | pv::order(0, n)).operator pv::Tensor<double>().is_contiguous());
    const pv::Dim m("m");
    CHECK(expected(pv::cat({x(k, i) * 1.0, y(k, j)}, {i, j}, m) | pv::order(k, m)));
    const auto [p, q] = pv::dims("p", "q");
    CHECK(expected(pv::cat({x(q, pv::all, pv::all) * 1.0, y(q)}, {0, -2}, p) | pv::order(q, p)));
    // A batch of one beside one for all: the second repeats.
    const auto [r, s] = pv::dims("r", "s");
    const pv::Tensor<double> t =
        pv::cat({x(r) * 1.0, y(0, pv::ellipsis) * pv::ones({4, 5})(pv::DimList({}))}, 0, s) |
        pv::order(r, s);
    CHECK(t.shape() == pv::Shape{2, 7, 5});
    CHECK(equal<double>(t(1, pv::range(3, 7)), y(0, pv::ellipsis)));
    CHECK(equal<double>(t(1, pv::range(0, 3)), x(1, pv::ellipsis)));
}

TEST_CASE("cat says what is wrong, and binds nothing then") {
    const auto x = counted({3, 4});
    const auto [i, j, n] = pv::dims("i", "j", "n");
    const pv::Dim open("open");
    CHECK(message_of<pv::DimError>([&] {
              pv::cat({x(i), x(i)}, open, n);
          }) == "Dim 'open' has no size yet: index a tensor with it, or call set_size");
    CHECK(message_of<pv::DimError>([&] {
              pv::cat({x(i, j), x(i, j)}, i, j);
          }) == "cat: Dim 'j' is bound already in a tensor with dims (i, j)");
    CHECK(message_of<pv::IndexError>([&] {
              pv::cat({x, x}, 2, n);
          }) == "cat: axis 2 is out of range for rank 2");
    CHECK(message_of<pv::ShapeError>([&] {
              pv::cat({x, counted({3, 5})}, 0, n);
          }) == "cat: the shapes [4] and [5] differ");
    CHECK(message_of<pv::ShapeError>([&] {
              pv::cat({x, x, x}, {0, 1}, n);
          }) == "cat: 2 axes for 3 tensors: there is one for all, or one for each");
    const pv::Dim seven("seven", 7);
    CHECK(message_of<pv::DimError>([&] {
              pv::cat({x, x}, 0, seven);
          }) == "Dim 'seven' is bound to size 7 and cannot bind to size 6");
    CHECK_FALSE(n.has_size());
}

} // namespace concatenation_test
