// `reduce`: several reductions at once, and those of one's own, beside each alone and nested loops.
#include <support/catch.hpp>
#include <support/own_reducers.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/exact_sum.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace reduce_by_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using oracle::Digest;
using oracle::digest;
using oracle::digest_of;
using oracle::Spread;
using oracle::spread_of;
using oracle::weighted;

pv::MutableTensor<std::int64_t> integers(const pv::Shape& shape, std::mt19937_64& random) {
    const pv::MutableTensor<std::int64_t> x = pv::empty<std::int64_t>(shape);
    for (std::int64_t& each : pv::as_span(x)) each = static_cast<std::int64_t>(random() % 1000);
    return x;
}
pv::MutableTensor<double> numbers(const pv::Shape& shape, std::mt19937_64& random) {
    return pv::clone(integers(shape, random) / 7. - 60.);
}

/// The bits of numbers, of which NaN are equal.
template <typename T>
bool same_bits(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>)
        return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
    else
        return a == b;
}
template <typename A, typename B>
bool same(const A& a, const B& b) {
    if constexpr (pv::TensorLike<A>) {
        const auto x = pv::to_vector(a);
        const auto y = pv::to_vector(b);
        if (pv::to_shape(a.shape()) != pv::to_shape(b.shape())) return false;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!same_bits(x[i], y[i])) return false;
        return true;
    } else {
        return same_bits(a, b);
    }
}
template <typename R, typename... E>
void check_each(const R& found, const E&... expected) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const bool equal[]{same(std::get<I>(found), expected)...};
        for (std::size_t i = 0; i < sizeof...(E); ++i) {
            CAPTURE(i);
            CHECK(equal[i]);
        }
    }
    (std::index_sequence_for<E...>());
}

/// All at once, and each alone.
template <typename X, typename... A>
void check_all(const X& x, const A&... axes) {
    using pv::reduce;
    check_each(reduce(x, axes..., pv::sum, pv::mean, pv::min, pv::max, pv::variance, pv::argmax,
                      pv::argmin_last, pv::count_true, pv::any_of, pv::product, pv::exact_sum,
                      pv::skewness, pv::sample_standard_deviation),
               pv::sum(x, axes...), pv::mean(x, axes...), pv::min(x, axes...), pv::max(x, axes...),
               pv::variance(x, axes...), pv::argmax(x, axes...), pv::argmin_last(x, axes...),
               pv::count_true(x, axes...), pv::any_of(x, axes...), pv::product(x, axes...),
               pv::exact_sum(x, axes...), pv::skewness(x, axes...),
               pv::sample_standard_deviation(x, axes...));
    check_each(reduce(x, axes..., pv::sum, pv::mean(pv::keep_nan), pv::min, pv::argmin,
                      pv::variance, pv::skip_nan),
               pv::sum(x, axes..., pv::skip_nan), pv::mean(x, axes..., pv::skip_nan),
               pv::min(x, axes..., pv::skip_nan), pv::argmin(x, axes..., pv::skip_nan),
               pv::variance(x, axes..., pv::skip_nan));
}

} // namespace

TEST_CASE("reduce: several at once have the bits that each has alone") {
    std::mt19937_64 random(1);
    for (const index_t n :
         {index_t{1}, index_t{1000}, index_t{131'071}, index_t{131'072}, index_t{400'003}}) {
        CAPTURE(n);
        auto x = numbers({n}, random);
        check_all(x);
        check_all(pv::Tensor<float>(pv::cast<float>(x)));
        check_all(pv::Tensor<std::int64_t>(pv::cast<std::int64_t>(x)));
        check_all(pv::clone(x) > 0);
        check_all(x * x + 1); // computed
        check_all(pv::Tensor<double>(x(pv::range(0, n, 3))));
        for (index_t i = 1; i < n; i += 5) x(i) = kNaN;
        check_all(x);
    }
    const auto matrix = numbers({300, 700}, random);
    check_all(matrix);
    check_all(pv::transpose(matrix));
    for (const index_t axis : {0, 1}) {
        check_all(matrix, axis);
        check_all(pv::transpose(matrix), axis);
        check_all(matrix * 2., axis);
    }
    const auto cube = numbers({6, 7, 8}, random);
    check_all(cube, pv::Axes{0, 2});
    check_all(cube, pv::Axes{2, 0});
    check_all(cube, pv::Axes{1}, pv::keep_dims);
}

TEST_CASE("reduce: chunks are read once, and results are those of each alone") {
    std::mt19937_64 random(2);
    const auto x = numbers({40, 50}, random);
    const auto stored = std::make_shared<oracle::StoredChunks<double>>(
        pv::ChunkGrid(pv::Shape{40, 50}, pv::Shape{9, 8}));
    const auto lazy = pv::tensor(stored, {40, 50});
    pv::copy(x, lazy);
    check_all(lazy);
    check_all(lazy, 0);
    check_all(lazy * 2., 1);
    pv::drop_cached_chunks();
    stored->reads = 0;
    const auto [total, deviation, least, range] =
        pv::reduce(lazy, pv::sum, pv::standard_deviation, pv::min(pv::skip_nan), spread_of());
    CHECK(stored->reads == 35);
    CHECK(total == pv::sum(lazy));
    CHECK(least == pv::min(x));
    CHECK(range == pv::max(x) - pv::min(x));
    CHECK(std::abs(deviation - pv::standard_deviation(x)) < 1e-12);
}

TEST_CASE("reduce: numbers, tensors, stages, dims") {
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 9.}});
    STATIC_REQUIRE(std::same_as<decltype(pv::reduce(x, pv::mean)), double>);
    STATIC_REQUIRE(std::same_as<decltype(pv::reduce(x, pv::mean, pv::argmax)),
                                std::tuple<double, std::int64_t>>);
    CHECK(pv::reduce(x, pv::mean) == 4);
    const auto [m, at] = pv::reduce(x, {1}, pv::mean, pv::argmax);
    CHECK(pv::to_vector(m) == std::vector<double>{2, 6});
    CHECK(pv::to_vector(at) == std::vector<std::int64_t>{2, 2});
    const auto [s, most] = x | pv::reduce({0}, pv::sum, pv::max);
    CHECK(pv::to_vector(s) == std::vector<double>{5, 7, 12});
    CHECK(pv::to_vector(most) == std::vector<double>{4, 5, 9});
    CHECK(std::get<1>(x | pv::reduce(pv::sum, spread_of())) == 8);
    CHECK(pv::to_vector(x | pv::reduce({1}, spread_of()(pv::skip_nan))) ==
          std::vector<double>{2, 5});
    CHECK(pv::to_shape(pv::reduce(x, 0, spread_of(), pv::keep_dims).shape()) == pv::Shape{1, 3});
    const pv::Dim i("i"), k("k");
    const auto [t, v] = pv::reduce(x(i, k), k, pv::sum, pv::variance);
    CHECK(pv::equals(pv::order(t, i), pv::sum(x, 1)));
    CHECK(pv::equals(pv::order(v, i), pv::variance(x, 1)));
    CHECK(pv::equals(pv::order(pv::reduce(x(i, k), i, spread_of()), k), pv::tensor({3., 3., 6.})));
    const pv::AnyTensor any = x;
    const auto [a, b] = pv::reduce(any, {1}, pv::sum, spread_of());
    CHECK(pv::equals(a.as<double>(), pv::sum(x, 1)));
    CHECK(pv::to_vector(b.as<double>()) == std::vector<double>{2, 5});
    CHECK(static_cast<double>(std::get<1>(pv::reduce(any, pv::sum, spread_of()))) == 8);
    // Types that the engine has no kernels for: each by itself.
    const auto texts = pv::tensor<std::string>({"b", "a", "c"});
    const auto [first, last] = pv::reduce(texts, pv::min, pv::max);
    CHECK(first == "a");
    CHECK(last == "c");
}

TEST_CASE("reduce: one's own reducers beside nested loops, in row-major order") {
    std::mt19937_64 random(3);
    for (int round = 0; round < oracle::rounds(24); ++round) {
        const pv::Shape shape{1 + static_cast<index_t>(random() % 6),
                              1 + static_cast<index_t>(random() % 6),
                              1 + static_cast<index_t>(random() % (round % 6 == 0 ? 40'000 : 50))};
        const auto x = integers(shape, random);
        CAPTURE(pv::to_string(shape));
        const pv::Tensor<std::int64_t> views[] = {x, pv::transpose(x, {2, 0, 1}), pv::flip(x),
                                                  pv::Tensor<std::int64_t>(x + 0)};
        for (const auto& view : views) {
            CHECK(pv::reduce(view, digest_of()) == digest(pv::to_vector(view)));
            const auto all = pv::to_vector(view);
            std::int64_t expected = 0;
            for (std::size_t n = 0; n < all.size(); ++n)
                expected += all[n] * static_cast<std::int64_t>(n);
            CHECK(pv::reduce(view, weighted()) == expected);
            for (index_t axis = 0; axis < 3; ++axis) {
                const auto moved = pv::clone(pv::move_axis(view, axis, 2));
                const auto rows = pv::to_vector(moved);
                const auto length =
                    static_cast<std::size_t>(view.shape()[static_cast<std::size_t>(axis)]);
                std::vector<std::uint64_t> digests;
                for (std::size_t at = 0; at < rows.size(); at += length)
                    digests.push_back(digest(
                        std::vector(rows.begin() + static_cast<std::ptrdiff_t>(at),
                                    rows.begin() + static_cast<std::ptrdiff_t>(at + length))));
                CHECK(pv::to_vector(pv::reduce(view, axis, digest_of())) == digests);
            }
            // In chunks: in the order of the whole, whatever the grid.
            pv::Shape cell;
            for (const index_t extent : view.shape())
                cell.push_back(1 +
                               static_cast<index_t>(random() % static_cast<std::uint64_t>(extent)));
            if (view.size() > 20'000) cell = {3, 2, 1000};
            const auto chunks = pv::chunked(view, cell);
            CHECK(pv::reduce(chunks, digest_of()) == digest(all));
            CHECK(pv::reduce(chunks, weighted()) == expected);
            const auto [d, w, total] = pv::reduce(chunks, 0, digest_of(), weighted(), pv::sum);
            CHECK(pv::equals(d, pv::reduce(view, 0, digest_of())));
            CHECK(pv::equals(w, pv::reduce(view, 0, weighted())));
            CHECK(pv::equals(total, pv::sum(view, 0)));
            CHECK(pv::equals(pv::reduce(chunks, {1, 2}, digest_of()),
                             pv::reduce(view, {1, 2}, digest_of())));
        }
    }
}

TEST_CASE("reduce: lists of results are an axis in front, structures elements") {
    const auto both = pv::reducer<double>(
        "both", Spread{},
        [](Spread& s, double x) { s.least = std::min(s.least, x), s.most = std::max(s.most, x); },
        [](Spread& s, const Spread& n) {
            s.least = std::min(s.least, n.least), s.most = std::max(s.most, n.most);
        },
        [](const Spread& s) {
            return std::array{s.least, s.most};
        });
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 9.}});
    CHECK(pv::to_vector(pv::reduce(x, both)) == std::vector<double>{1, 9});
    const auto rows = pv::reduce(x, 1, both);
    CHECK(pv::to_shape(rows.shape()) == pv::Shape{2, 2});
    CHECK(pv::to_vector(rows) == std::vector<double>{1, 4, 3, 9});
    const auto [list, total] = pv::reduce(pv::chunked(x, {1, 2}), 0, both, pv::sum);
    CHECK(pv::to_vector(list) == std::vector<double>{1, 2, 3, 4, 5, 9});
    CHECK(pv::to_vector(total) == std::vector<double>{5, 7, 12});
    const pv::Dim i("i"), k("k");
    CHECK(pv::to_shape(pv::order(pv::reduce(x(i, k), k, both), i).shape()) == pv::Shape{2, 2});
    const auto point = pv::reducer<double>(
        "point", Spread{}, [](Spread& s, double v) { s.least = std::min(s.least, v); },
        [](Spread& s, const Spread& n) { s.least = std::min(s.least, n.least); },
        [](const Spread& s) { return std::complex<double>(s.least, 1); });
    CHECK(pv::reduce(x, point) == std::complex<double>(1, 1));
    CHECK(pv::to_vector(pv::reduce(x, 1, point))[1] == std::complex<double>(4, 1));
}

TEST_CASE("reduce: NaN, nothing, and elements that do not convert") {
    const auto x = pv::tensor({1., kNaN, 5., kNaN});
    CHECK(pv::reduce(x, spread_of(), pv::skip_nan) == 4);
    CHECK(pv::reduce(pv::chunked(x, {1}), spread_of()(pv::skip_nan)) == 4);
    CHECK_THROWS_WITH(pv::reduce(x, pv::sum, spread_of()(pv::throw_nan)),
                      ContainsSubstring("spread") && ContainsSubstring("[1]"));
    CHECK_THROWS_AS(pv::reduce(x, pv::argmin(pv::skip_nan), pv::sum(pv::throw_nan)),
                    pv::ArithmeticError);
    CHECK_THROWS_AS(pv::reduce(x, 1, pv::sum, pv::max), pv::IndexError);
    CHECK(pv::reduce(pv::zeros<double>({0}), spread_of()) == -kInf);
    CHECK(pv::to_vector(pv::reduce(pv::zeros<double>({2, 0}), 1, spread_of())) ==
          std::vector<double>{-kInf, -kInf});
    CHECK(pv::to_vector(pv::reduce(pv::zeros<double>({0, 2}), 1, spread_of())).empty());
    CHECK_THROWS_AS(pv::reduce(pv::zeros<double>({0}), pv::sum, pv::max), pv::ShapeError);
    CHECK(pv::reduce(pv::tensor<std::int32_t>({3, 9}), spread_of()) == 6);
    CHECK(pv::reduce(pv::tensor<float>({3, 9}), spread_of()) == 6);
    CHECK(pv::reduce(pv::tensor({true, false}), spread_of()) == 1);
    CHECK_THROWS_WITH(pv::reduce(pv::tensor<std::int64_t>({3, 9}), spread_of()),
                      ContainsSubstring("int64") && ContainsSubstring("float64"));
    CHECK_THROWS_AS(pv::reduce(x, digest_of()), pv::DtypeError);
    CHECK_THROWS_AS(pv::reduce(x, {0, 0}, pv::sum, pv::max), pv::IndexError);
}

TEST_CASE("reduce: what functions throw is thrown once, on any number of threads") {
    std::mt19937_64 random(4);
    const auto x = integers({300'000}, random);
    const auto refuses = pv::reducer<std::int64_t>(
        "refuses", 0,
        [](int&, std::int64_t v) {
            if (v == 999) throw std::runtime_error("999");
        },
        [](int&, int) {}, [](int) { return 0; });
    CHECK_THROWS_WITH(pv::reduce(x, refuses), "999");
    CHECK_THROWS_WITH(pv::reduce(x, pv::sum, refuses), "999");
    CHECK_THROWS_WITH(pv::reduce(pv::chunked(x, {1000}), pv::sum, refuses), "999");
    CHECK_THROWS_WITH(pv::reduce(pv::reshape(x, {3000, 100}), 1, refuses), "999");
}

TEST_CASE("reduce: the same bits for any number of threads") {
    std::mt19937_64 random(5);
    const auto x = numbers({700'001}, random);
    const auto naive = pv::reducer<double>(
        "naive", 0., [](double& sum, double v) { sum += v; },
        [](double& sum, double next) { sum += next; }, [](double sum) { return sum; });
    const auto all = [&] { return pv::reduce(x, naive, pv::sum, pv::variance, pv::kurtosis); };
    pv::set_threads(1);
    const auto one = all();
    CHECK(std::get<0>(one) == pv::reduce(x, naive));
    for (const int threads : {2, 3, 8}) {
        pv::set_threads(threads);
        CHECK(all() == one);
        CHECK(pv::reduce(x, naive) == std::get<0>(one));
    }
    pv::set_threads(1);
}

TEST_CASE("own reducers of windows and groups: states, in the order of elements") {
    std::mt19937_64 random(6);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = integers({3, 1 + static_cast<index_t>(random() % 60)}, random);
        const index_t n = x.shape()[1];
        const index_t width = 1 + static_cast<index_t>(random() % 20);
        CAPTURE(n, width);
        const auto trailing =
            pv::fixed_rolling_window(x, width, digest_of(),
                                     {.position = pv::WindowPosition::trailing,
                                      .step = 1 + static_cast<index_t>(random() % 3)});
        const auto by_tensors = pv::fixed_rolling_window(
            x, width, [](const pv::Tensor<std::int64_t>& w) { return digest(pv::to_vector(w)); },
            {.position = pv::WindowPosition::trailing, .step = 1});
        const index_t step = n == 0 ? 1 : (n + trailing.shape()[1] - 1) / trailing.shape()[1];
        if (trailing.shape()[1] == n) CHECK(pv::equals(trailing, by_tensors));
        CHECK(step >= 1);
        CHECK(pv::equals(pv::expanding_window(x, digest_of()),
                         pv::expanding_window(x, [](const pv::Tensor<std::int64_t>& w) {
                             return digest(pv::to_vector(w));
                         })));
        CHECK(pv::equals(
            pv::expanding_window(x, digest_of(), 0),
            pv::expanding_window(
                x, [](const pv::Tensor<std::int64_t>& w) { return digest(pv::to_vector(w)); }, 0)));
        // Windows that do not ascend.
        std::vector<index_t> begins, ends;
        for (int i = 0; i < 12; ++i) {
            const auto a = static_cast<index_t>(random() % static_cast<std::uint64_t>(n + 1));
            const auto b = static_cast<index_t>(random() % static_cast<std::uint64_t>(n + 1));
            begins.push_back(std::min(a, b));
            ends.push_back(std::max(a, b));
        }
        CHECK(pv::equals(pv::range_windows(x, begins, ends, digest_of()),
                         pv::range_windows(x, begins, ends, [](const pv::Tensor<std::int64_t>& w) {
                             return digest(pv::to_vector(w));
                         })));

        const auto keys = pv::clone(pv::reshape(x, {-1}) % (1 + width));
        const auto values = pv::clone(pv::reshape(x, {-1}));
        const auto [k, d, total] = pv::group_by_reduce(keys, values, digest_of(), pv::sum);
        const auto [k2, d2] =
            pv::group_by_reduce(keys, values, [](const pv::Tensor<std::int64_t>& v) {
                return digest(pv::to_vector(v));
            });
        CHECK(pv::equals(k, k2));
        CHECK(pv::equals(d, d2));
    }
    const auto x = pv::tensor({1., kNaN, 5., kNaN, 2.});
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 3, spread_of()(pv::skip_nan),
                                                 pv::WindowPosition::trailing))
              .back() == 3);
    const auto keys = pv::tensor({1, 1, 1, 2, 2});
    const auto [k, s] = pv::group_by_reduce(keys, x, spread_of()(pv::skip_nan));
    CHECK(pv::to_vector(s) == std::vector<double>{4, 0});
    CHECK_THROWS_AS(pv::group_by_reduce(keys, x, spread_of()(pv::throw_nan)), pv::ArithmeticError);
    const auto wide = pv::clone(pv::cast<std::int64_t>(keys));
    CHECK_THROWS_AS(pv::group_by_reduce(keys, wide, spread_of()), pv::DtypeError);
    const auto [k3, s3] = pv::group_by_reduce(keys, pv::AnyTensor(x), spread_of()(pv::skip_nan));
    CHECK(pv::to_vector(s3.as<double>()) == std::vector<double>{4, 0});
}

TEST_CASE("reducers: a repeated element") {
    const auto own = digest_of();
    for (const index_t times : {0, 1, 7, 16, 17, 1000, 12345}) {
        Digest state;
        const std::int64_t element = 41;
        own.functions().repeat(reinterpret_cast<std::byte*>(&state), &element, times);
        CHECK(state.value ==
              digest(std::vector<std::int64_t>(static_cast<std::size_t>(times), element)));
    }
}

TEST_CASE("reduce: one's own reducers of sparse tensors, beside those of the same elements") {
    std::mt19937_64 random(11);
    const auto ends = pv::reducer<std::int64_t>(
        "ends", Digest{},
        [](Digest& d, std::int64_t x) {
            d.value = std::max(d.value, static_cast<std::uint64_t>(x));
        },
        [](Digest& d, const Digest& next) { d.value = std::max(d.value, next.value); },
        [](const Digest& d) {
            return std::array<std::uint64_t, 2>{d.value, d.value * 2};
        },
        [](Digest& d, std::int64_t x, index_t) {
            d.value = std::max(d.value, static_cast<std::uint64_t>(x));
        },
        {.commutes = true});
    for (int round = 0; round < oracle::rounds(60); ++round) {
        pv::Shape shape;
        for (int a = 0; a <= round % 3; ++a)
            shape.push_back(1 + static_cast<index_t>(random() % 12));
        const auto x = integers(shape, random);
        for (std::int64_t& each : pv::as_span(x))
            if (each % 4 != 0) each = 7;
        const auto stored = pv::to_sparse(pv::clone(x - 7));
        const auto check = [&](const auto& sparse, const auto& dense) {
            CAPTURE(pv::to_string(dense.shape()), round);
            CHECK(pv::reduce(sparse, digest_of()) == pv::reduce(dense, digest_of()));
            CHECK(pv::reduce(sparse, weighted()) == pv::reduce(dense, weighted()));
            for (index_t axis = 0; axis < dense.rank(); ++axis) {
                const auto [d, w, e, s] =
                    pv::reduce(sparse, axis, digest_of(), weighted(), ends, pv::sum);
                CHECK(pv::equals(d, pv::reduce(dense, axis, digest_of())));
                CHECK(pv::equals(w, pv::reduce(dense, axis, weighted())));
                CHECK(pv::equals(e, pv::reduce(dense, axis, ends)));
                CHECK(pv::equals(pv::to_dense(s), pv::sum(dense, axis)));
            }
        };
        check(stored, pv::clone(x - 7));
        check(stored + 7, x); // what is not stored is 7
        check(pv::transpose(stored) * 2, pv::clone(pv::transpose(x - 7) * 2));
    }
    const auto floats = pv::to_sparse(pv::tensor({0., 5., 0., kNaN, -1.}));
    CHECK(pv::reduce(floats, spread_of(), pv::skip_nan) == 6);
    CHECK(pv::reduce(floats, spread_of(true)(pv::skip_nan)) == 6);
    CHECK_THROWS_AS(pv::reduce(floats, spread_of(), pv::throw_nan), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::reduce(pv::to_sparse(pv::tensor({{0., 1.}})), 0, spread_of()(pv::skip_nan)),
                    pv::KindError); // as sums
    CHECK(pv::reduce(pv::to_sparse(pv::tensor<float>({0, 3, 0})), spread_of()) == 3);
    CHECK_THROWS_AS(pv::reduce(floats, digest_of()), pv::DtypeError);
    CHECK_THROWS_AS(pv::fixed_rolling_window(floats, 3, spread_of()), pv::KindError);
}

} // namespace reduce_by_test
