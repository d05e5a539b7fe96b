#include "named_support.hpp"

#include <cmath>

namespace batching_test {

namespace {

/// Applies a function written for a vector to the rows of a matrix, by a loop and over a dim.
template <typename F>
bool batches(F f, const pv::Tensor<double>& rows) {
    const pv::Dim batch("batch");
    const auto batched = f(rows(batch)) | pv::order(batch);
    bool same = batched.extent(0) == rows.extent(0);
    for (pv::index_t r = 0; r < rows.extent(0); ++r) {
        const auto one = f(rows(r, pv::all));
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(one)>>)
            same = same && static_cast<double>(one) == static_cast<double>(batched(r));
        else
            same = same &&
                   equal<double>(pv::cast<double>(one), pv::cast<double>(batched(r, pv::ellipsis)));
    }
    return same;
}

} // namespace

TEST_CASE("operations work over the union of dims") {
    const auto input = counted({4, 3});
    const auto bias = counted({3});
    const auto [batch, channel] = pv::dims("batch", "channel");
    const auto result = input(batch, channel) + bias(channel);
    CHECK(to_string(pv::dims(result)) == "(batch, channel)");
    CHECK(equal<double>(result | pv::order(batch, channel), input + bias));
    const auto other = bias(channel) + input(batch, channel);
    CHECK(to_string(pv::dims(other)) == "(channel, batch)");
    CHECK(equal<double>(other | pv::order(batch, channel), input + bias));
}

TEST_CASE("positional axes broadcast inside dims") {
    const auto x = counted({2, 3, 4});
    const auto y = counted({5, 4});
    const auto [i, j] = pv::dims("i", "j");
    const auto sum = x(i) + y(j);
    CHECK(sum.shape() == pv::Shape{3, 4});
    for (pv::index_t a = 0; a < 2; ++a)
        for (pv::index_t b = 0; b < 5; ++b)
            CHECK(equal<double>((sum | pv::order(i, j))(a, b, pv::ellipsis),
                                x(a, pv::ellipsis) + y(b, pv::all)));
    CHECK(message_of<pv::ShapeError>([&] { x(i) + y; }).find("do not broadcast") !=
          std::string::npos);
}

TEST_CASE("what is written for a vector works on a batch of them") {
    const auto rows = pv::sq(counted({5, 4}) - 7.5);
    const auto weights = counted({4});
    CHECK(batches([](const auto& v) { return v * 2.0 + 1.0; }, rows));
    CHECK(batches([](const auto& v) { return pv::sqrt(pv::abs(-v)) - v / 3.0; }, rows));
    CHECK(batches([&](const auto& v) { return v * weights; }, rows));
    CHECK(batches([&](const auto& v) { return pv::dot(v, weights); }, rows));
    CHECK(batches([&](const auto& v) { return pv::dot(v, v); }, rows));
    CHECK(batches([](const auto& v) { return pv::sum(v); }, rows));
    CHECK(batches([](const auto& v) { return v - pv::mean(v); }, rows));
    CHECK(
        batches([](const auto& v) { return (v - pv::mean(v)) / pv::standard_deviation(v); }, rows));
    CHECK(batches([](const auto& v) { return pv::max(v); }, rows));
    CHECK(batches([](const auto& v) { return pv::argmax(v); }, rows));
    CHECK(batches([](const auto& v) { return pv::variance(v); }, rows));
    CHECK(batches([](const auto& v) { return pv::count_true(v > 10.0); }, rows));
    CHECK(batches([](const auto& v) { return pv::any_of(v == 0.25); }, rows));
    CHECK(batches([](const auto& v) { return pv::where(v > 10.0, v, -1.0); }, rows));
    CHECK(batches([](const auto& v) { return pv::minimum(v, 10.0); }, rows));
    CHECK(batches([](const auto& v) { return pv::emap([](double x) { return std::floor(x); }, v); },
                  rows));
    CHECK(batches([](const auto& v) { return pv::cast<std::int32_t>(v); }, rows));
    CHECK(batches([](const auto& v) { return !(v > 10.0) && v != 0.25; }, rows));
    CHECK(batches([](const auto& v) { return v(pv::range(1, 3)); }, rows));
    CHECK(batches([](const auto& v) { return v(pv::indexes({2, 0, 2})); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::select(-1); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::rotate({1}); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::flip; }, rows));
    CHECK(batches([](const auto& v) { return v | pv::flip({-1}); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::reshape({2, -1}); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::reshape({2, 2}) | pv::transpose; }, rows));
    CHECK(batches(
        [](const auto& v) {
            return v | pv::reshape({2, 2}) | pv::transpose({1, 0});
        },
        rows));
    CHECK(batches([](const auto& v) { return v | pv::reshape({2, 2}) | pv::diagonal; }, rows));
    CHECK(batches(
        [](const auto& v) {
            return v | pv::reshape({2, 2}) | pv::swap_axes(0, -1);
        },
        rows));
    CHECK(
        batches([](const auto& v) { return v | pv::insert_axis(-1) | pv::move_axis(0, 1); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::insert_axis(0) | pv::squeeze; }, rows));
    CHECK(batches([](const auto& v) { return v | pv::insert_axis(0) | pv::squeeze({0}); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::broadcast({2, 8}); }, rows));
    CHECK(batches([](const auto& v) { return v | pv::sliding_window(0, 2) | pv::sum(1); }, rows));
    CHECK(batches([](const auto& v) { return pv::sum(v, {0}, pv::keep_dims); }, rows));
    CHECK(batches([](const auto& v) { return pv::clone(v) + 1.0; }, rows));
}

TEST_CASE("views say which axis is wrong as if there were no dims") {
    const auto rows = counted({5, 4});
    const pv::Dim i("i");
    CHECK(message_of<pv::IndexError>([&] { rows(i) | pv::flip({1}); }).find("axis 1") !=
          std::string::npos);
    CHECK(message_of<pv::IndexError>([&] { rows(i) | pv::sum(-2); }) ==
          "sum: axis -2 is out of range for rank 1");
    CHECK(message_of<pv::ShapeError>([&] { pv::dot(rows(i), rows); }).find("dot") == 0);
}

TEST_CASE("matrix products batch over dims") {
    const auto a = counted({2, 3, 4});
    const auto b = counted({2, 4, 5});
    const auto v = counted({2, 4});
    const auto [i, j] = pv::dims("i", "j");
    CHECK(equal<double>(pv::matmul(a(i), b(i)) | pv::order(i), pv::matmul(a, b)));
    const auto pairs = pv::matmul(a(i), b(j)) | pv::order(i, j);
    CHECK(pairs.shape() == pv::Shape{2, 2, 3, 5});
    CHECK(equal<double>(pairs(1, 0, pv::ellipsis),
                        pv::matmul(a(1, pv::ellipsis), b(0, pv::ellipsis))));
    CHECK(equal<double>((pv::matmul(a(i), v(i)) | pv::order(i))(1, pv::all),
                        pv::matmul(a(1, pv::ellipsis), v(1, pv::all))));
    CHECK(equal<double>((pv::matmul(v(i), b(i)) | pv::order(i))(1, pv::all),
                        pv::matmul(v(1, pv::all), b(1, pv::ellipsis))));
    CHECK(equal<double>((pv::matmul(v(i), v(i)) | pv::order(i)), pv::sum(v * v, 1)));
    CHECK(equal<double>((pv::matmul(a(0, pv::ellipsis), b(j)) | pv::order(j)),
                        pv::matmul(a(0, pv::ellipsis), b)));
}

TEST_CASE("reductions take dims where axes go") {
    const auto t = counted({2, 3, 4, 5});
    const auto [b, c, w, h] = pv::dims("b", "c", "w", "h");
    const auto x = t(b, c, w, h);
    CHECK(equal<double>(pv::mean(x, {w, h}) | pv::order(b, c), t | pv::mean({2, 3})));
    CHECK(equal<double>(x | pv::sum(w, h) | pv::order(b, c), t | pv::sum({2, 3})));
    CHECK(equal<double>(pv::sum(x, w, h) | pv::order(b, c), t | pv::sum({2, 3})));
    CHECK(equal<double>(x | pv::sum(c) | pv::order(h, w, b),
                        t | pv::sum(1) | pv::transpose({2, 1, 0})));
    CHECK(static_cast<double>(x | pv::max(b, c, w, h)) == 119);
    CHECK(equal<std::int64_t>(x | pv::argmax(w) | pv::order(b, c, h), t | pv::argmax(2)));

    const auto y = t(b, pv::all, w);
    CHECK(equal<double>(y | pv::sum({0, w}) | pv::order(b), t | pv::sum({1, 2})));
    CHECK(equal<double>(y | pv::sum({w, -1}) | pv::order(b), t | pv::sum({2, 3})));
    CHECK(equal<double>(y | pv::sum(0, w) | pv::order(b), t | pv::sum({1, 2})));
    CHECK(equal<double>(y | pv::sum | pv::order(b, w), t | pv::sum({1, 3})));
    CHECK(equal<double>(y | pv::sum(0, pv::keep_dims) | pv::order(b, w),
                        t | pv::transpose({0, 2, 1, 3}) | pv::sum(2, pv::keep_dims)));
    const pv::DimList list({b, w});
    CHECK(equal<double>(y | pv::sum(list), t | pv::sum({0, 2})));

    CHECK(message_of<pv::DimError>([&] { y | pv::sum(c); }) ==
          "sum: the tensor has no Dim 'c', its dims are (b, w)");
    CHECK(message_of<pv::DimError>([&] { y | pv::max(w, w); }) == "max: Dim 'w' is given twice");
    CHECK(message_of<pv::DimError>([&] { t | pv::sum(w); }) ==
          "sum: Dim 'w' is given, and the tensor has no bound dims");
    CHECK(message_of<pv::IndexError>([&] {
              y | pv::sum({0, 0});
          }).find("given twice") != std::string::npos);
}

TEST_CASE("a sum of products over dims is a call of BLAS, without a copy") {
    const auto a = counted({20, 30});
    const auto b = counted({30, 25});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto products = a(i, k) * b(k, j);
    const std::string how = pv::explain(pv::sum, products, k);
    CHECK(how.find("gemm 20x25x30 float64") != std::string::npos);
    CHECK(how.find("copied") == std::string::npos);
    const pv::Tensor<double> c = products | pv::sum(k) | pv::order(i, j);
    CHECK(c.is_contiguous());
    for (pv::index_t row = 0; row < 20; ++row)
        for (pv::index_t column = 0; column < 25; ++column) {
            double expected = 0;
            for (pv::index_t n = 0; n < 30; ++n) expected += a(row, n) * b(n, column);
            CHECK(c(row, column) == expected);
        }
}

TEST_CASE("a pipe binds more strongly than && does") {
    const auto [i, k] = pv::dims("i", "k");
    const auto g = pv::tensor({true, false});
    const auto m = pv::tensor({{false, true}, {true, true}});
    const auto as_written = g(k) && m(i, k) | pv::any_of(k);
    CHECK(equal<bool>(as_written | pv::order(i, k), pv::tensor({{true, false}, {true, false}})));
    const auto meant = (g(k) && m(i, k)) | pv::any_of(k);
    CHECK(equal<bool>(meant | pv::order(i), pv::tensor({false, true})));
    CHECK(equal<bool>(pv::any_of(g(k) && m(i, k), k) | pv::order(i), pv::tensor({false, true})));
}

} // namespace batching_test
