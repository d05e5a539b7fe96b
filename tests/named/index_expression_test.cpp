#include "named_support.hpp"

namespace index_expression_test {

TEST_CASE("arithmetic on dims stays an index expression") {
    const auto [i, k] = pv::dims("i", "k");
    static_assert(std::same_as<decltype(2 * i + k - 1), pv::AffineIndex>);
    static_assert(std::same_as<decltype(-i), pv::AffineIndex>);
    static_assert(std::same_as<decltype(i - k), pv::AffineIndex>);
    static_assert(std::same_as<decltype(i * k), pv::DimTensor<pv::index_t>>);
    static_assert(std::same_as<decltype(i * 0.5), pv::DimTensor<double>>);
    static_assert(std::same_as<decltype(i / 2), pv::DimTensor<pv::index_t>>);
    CHECK(to_string(2 * i + k - 1) == "2*i + k - 1");
    CHECK(to_string(-i + i + 3u) == "0*i + 3");
    CHECK(to_string(5 - 2 * (i - k)) == "-2*i + 2*k + 5");
    CHECK(message_of<pv::ShapeError>([&] { i*(pv::index_t{1} << 62) * 4; }) !=
          "nothing was thrown");
}

TEST_CASE("a dim as a tensor is its indexes") {
    const pv::Dim i("i", 4);
    const pv::Dim j("j", 3);
    CHECK(equal<pv::index_t>((i + 0) | pv::order(i), counted<pv::index_t>({4})));
    for (const pv::index_t far :
         {pv::index_t{0}, pv::index_t{65535}, pv::index_t{100000}, pv::index_t{-70000}}) {
        const pv::Tensor<pv::index_t> t = (2 * i - j + far) | pv::order(i, j);
        for (pv::index_t a = 0; a < 4; ++a)
            for (pv::index_t b = 0; b < 3; ++b) CHECK(t(a, b) == 2 * a - b + far);
    }
    CHECK(equal<pv::index_t>(i * j | pv::order(i, j),
                             counted<pv::index_t>({4, 1}) * counted<pv::index_t>({3})));
    CHECK(equal<double>(i * 0.5 | pv::order(i), counted<pv::index_t>({4}) * 0.5));
    CHECK(equal<bool>((i == 2) | pv::order(i), counted<pv::index_t>({4}) == pv::index_t{2}));
    CHECK(pv::index_t(pv::sum(i + 1, i)) == 10);
    const pv::Dim none("none", 0);
    CHECK(((none - 1) | pv::order(none)).size() == 0);
    CHECK((counted({3})(none + 7) | pv::order(none)).size() == 0);
}

TEST_CASE("index expressions are views") {
    const auto a = counted({10, 4});
    const auto [i, j] = pv::dims("i", "j");
    i.set_size(3);
    const auto check = [&](const pv::AffineIndex& index, auto expected) {
        const pv::Tensor<double> t = a(index, j) | pv::order(i, j);
        CHECK(pv::shares_storage(t, a));
        for (pv::index_t r = 0; r < 3; ++r)
            for (pv::index_t c = 0; c < 4; ++c) CHECK(t(r, c) == a(expected(r), c));
    };
    check(i + 0, [](pv::index_t r) { return r; });
    check(i + 7, [](pv::index_t r) { return r + 7; });
    check(4 * i + 1, [](pv::index_t r) { return 4 * r + 1; });
    check(9 - i, [](pv::index_t r) { return 9 - r; });
    check(i - 10, [](pv::index_t r) { return r; });
    check(i - 1, [](pv::index_t r) { return (r + 9) % 10; });
    check(4 * i - 5, [](pv::index_t r) { return (4 * r + 5) % 10; });
    check(-i, [](pv::index_t r) { return (10 - r) % 10; });
    CHECK(to_string(pv::dims(a(pv::all, i + 0))) == "(i,)");

    CHECK(
        message_of<pv::IndexError>([&] { a(i + 8, j); }) ==
        "indexing: i + 8 takes the value 10, out of range for an axis of size 10 (Dim 'i' of size 3)");
    CHECK(
        message_of<pv::IndexError>([&] { a(2 * i - 11, j); }) ==
        "indexing: 2*i - 11 takes the value -11, out of range for an axis of size 10 (Dim 'i' of size 3)");
}

TEST_CASE("two dims on one axis are a sliding window") {
    const auto a = counted({10});
    const auto [i, k] = pv::dims("i", "k");
    i.set_size(8);
    k.set_size(3);
    CHECK(equal<double>(a(i + k) | pv::order(i, k), a | pv::sliding_window(0, 3)));
    // Wrapping around the end, a convolution is periodic.
    const pv::Tensor<double> t = a(i + k - 1) | pv::order(i, k);
    for (pv::index_t r = 0; r < 8; ++r)
        for (pv::index_t c = 0; c < 3; ++c) CHECK(t(r, c) == a((r + c + 9) % 10));
    // Over what is not strided.
    const auto rotated = a | pv::rotate({4});
    CHECK(equal<double>(rotated(i + k) | pv::order(i, k),
                        pv::clone(rotated) | pv::sliding_window(0, 3)));
    CHECK(equal<double>(rotated(i + k - 1) | pv::order(i, k),
                        pv::clone(rotated)(i + k - 1) | pv::order(i, k)));
}

TEST_CASE("expressions put dims first, and mix with positions") {
    const auto t = counted({2, 3, 4, 5});
    const auto [i, j] = pv::dims("i", "j");
    i.set_size(3);
    j.set_size(5);
    const auto x = t(pv::all, i + 0, pv::all, j + 0);
    CHECK(to_string(pv::dims(x)) == "(i, j)");
    CHECK(equal<double>(x | pv::order(i, j), t | pv::transpose({1, 3, 0, 2})));
    CHECK(equal<double>(t(1, i, pv::range(1, 3), 4 - j) | pv::order(i, j),
                        t(1, pv::all, pv::range(1, 3), pv::range(std::nullopt, std::nullopt, -1)) |
                            pv::transpose({0, 2, 1})));
    const pv::Tensor<double> d = t(1, i, 0, i + 1) | pv::order(i);
    for (pv::index_t r = 0; r < 3; ++r) CHECK(d(r) == t(1, r, 0, r + 1));
}

TEST_CASE("sizes may come later than the expression") {
    const auto a = counted({3, 4});
    const auto [i, j] = pv::dims("i", "j");
    const auto upper = i <= j;
    const auto shifted = 2 * (i + 1) * j - 1;
    CHECK(upper.rank() == 0);
    CHECK(to_string(pv::dims(upper)) == "(i, j)");
    CHECK(message_of<pv::DimError>([&] { upper | pv::order(i, j); }) ==
          "Dim 'i' has no size yet: index a tensor with it, or call set_size");
    CHECK(message_of<pv::DimError>([&] { printed(upper); }) != "nothing was thrown");
    CHECK(message_of<pv::DimError>([&] { upper | pv::sum(i); }) != "nothing was thrown");

    const pv::Tensor<double> t = pv::where(upper, a(i, j), 0.0) | pv::order(i, j);
    const pv::Tensor<pv::index_t> s = shifted | pv::order(i, j);
    for (pv::index_t r = 0; r < 3; ++r)
        for (pv::index_t c = 0; c < 4; ++c) {
            CHECK(t(r, c) == (r <= c ? a(r, c) : 0.0));
            CHECK(s(r, c) == 2 * (r + 1) * c - 1);
        }

    const pv::Dim n("n");
    const auto v = pv::tensor({1., 4., 9., 16.});
    const auto before = v(n - 1);
    CHECK_FALSE(n.has_size());
    CHECK(message_of<pv::DimError>([&] { before | pv::order(n); }) != "nothing was thrown");
    CHECK(equal<double>(pv::where(n - 1 >= 0, v(n) - before, v(n)) | pv::order(n),
                        pv::tensor({1., 3., 5., 7.})));
}

TEST_CASE("a long chain without sizes settles and dies on a flat stack") {
    const pv::Dim i("i");
    {
        pv::DimTensor<pv::index_t> x = i + 0;
        for (int n = 0; n < 100000; ++n) x = x + 1;
        i.set_size(3);
        CHECK(pv::index_t(pv::sum(x, i)) == 300003);
    }
    const pv::Dim j("j");
    pv::DimTensor<pv::index_t> y = j + 0;
    for (int n = 0; n < 100000; ++n) y = y + 1;
}

} // namespace index_expression_test
