// Reducers of one's own that are made to be in the way: states of odd sizes, results that are strings, places,
// readers of one thread, types whose NaN they do not know; beside nested loops.
#include <support/catch.hpp>
#include <support/own_reducers.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/sketches.hpp>
#include <purview/reader/make_reader.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace own_reducers_test {
namespace {

namespace pv = purview;
using oracle::digest;
using oracle::digest_of;
using oracle::spread_of;
using oracle::weighted;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

pv::MutableTensor<std::int32_t> integers(const pv::Shape& shape, std::mt19937_64& random) {
    const pv::MutableTensor<std::int32_t> x = pv::empty<std::int32_t>(shape);
    for (std::int32_t& each : pv::as_span(x)) each = static_cast<std::int32_t>(random() % 100);
    return x;
}

/// The sum of elements modulo 256, in the last byte of a state of so many.
template <std::size_t bytes>
auto sum_in_the_last_of() {
    using State = std::array<std::uint8_t, bytes>;
    return pv::reducer<std::int32_t>(
        "sum_in_the_last", State{},
        [](State& s, std::int32_t x) { s.back() = static_cast<std::uint8_t>(s.back() + x); },
        [](State& s, const State& next) {
            s.back() = static_cast<std::uint8_t>(s.back() + next.back());
        },
        [](const State& s) { return s.back(); });
}
template <std::size_t bytes>
void check_states_of() {
    CAPTURE(bytes);
    std::mt19937_64 random(bytes);
    const auto x = integers({7, 45}, random);
    const auto own = sum_in_the_last_of<bytes>();
    const auto expected = [](const pv::Tensor<std::int32_t>& of) {
        return static_cast<std::uint8_t>(pv::sum(of));
    };
    const auto rows = pv::clone(pv::cast<std::uint8_t>(pv::sum(x, {1}) % 256));
    CHECK(pv::reduce(x, own) == expected(x));
    CHECK(pv::equals(pv::reduce(x, {1}, own), rows));
    const auto chunks = pv::chunked(x, {2, 7});
    const auto [all, sum, in_order] = pv::reduce(chunks, own, pv::sum, digest_of());
    CHECK(all == expected(x));
    CHECK(sum == pv::sum(x));
    CHECK(in_order == digest(pv::to_vector(x)));
    const auto [of_rows, of_order, variance] =
        pv::reduce(chunks, {1}, own, digest_of(), pv::variance);
    CHECK(pv::equals(of_rows, rows));
    CHECK(pv::equals(of_order, pv::reduce(x, {1}, digest_of())));
    CHECK(pv::equals(pv::reduce(pv::to_sparse(x), {1}, own), rows));
    CHECK(
        pv::equals(pv::fixed_rolling_window(x, 5, own), pv::fixed_rolling_window(x, 5, expected)));
    const auto keys = pv::clone(x % 5);
    CHECK(pv::equals(std::get<1>(pv::group_by_reduce(keys, x, own)),
                     std::get<1>(pv::group_by_reduce(keys, x, expected))));
}

/// Chunks that are read on one thread at a time, or note that they are not.
class OneAtATime final : public pv::ChunkedReader<double> {
public:
    using pv::ChunkedReader<double>::ChunkedReader;
    bool read_chunk(pv::ShapeSpan, std::span<double> out) const override {
        if (++inside > 1) together = true;
        std::this_thread::yield();
        std::ranges::fill(out, 1.);
        --inside;
        return true;
    }
    bool is_thread_safe() const noexcept override { return false; }

    mutable std::atomic<int> inside = 0;
    mutable std::atomic<bool> together = false;
};

} // namespace

TEST_CASE("own reducers: states of any size") {
    check_states_of<1>();
    check_states_of<3>();
    check_states_of<17>();
    check_states_of<100'001>();
}

TEST_CASE("own reducers: results that are strings, also of chunks") {
    const auto told = pv::reducer<double>(
        "told", 0., [](double& s, double x) { s += x; }, [](double& s, double next) { s += next; },
        [](double s) { return "a text that has a place of its own, of " + std::to_string(s); });
    const auto x = pv::clone(pv::cast<double>(pv::reshape(pv::arange<std::int64_t>(60), {6, 10})));
    const auto rows = pv::reduce(x, {1}, told);
    const auto sums = pv::to_vector(pv::sum(x, {1}));
    for (std::size_t i = 0; i < sums.size(); ++i)
        CHECK(pv::to_vector(rows)[i] ==
              "a text that has a place of its own, of " + std::to_string(sums[i]));
    const auto chunks = pv::chunked(x, {4, 3});
    CHECK(pv::equals(pv::reduce(chunks, {1}, told), rows));
    const auto [of_rows, sum] = pv::reduce(chunks, {1}, told, pv::sum);
    CHECK(pv::equals(of_rows, rows));
    CHECK(pv::reduce(chunks, told) == pv::reduce(x, told));
    CHECK(std::get<0>(pv::reduce(x, told, told)) == pv::reduce(x, told));
    CHECK(pv::equals(pv::reduce(pv::to_sparse(x), {1}, told), rows));
    CHECK(
        pv::equals(std::get<1>(pv::group_by_reduce(pv::clone(pv::floor(x / 10)), x, told)), rows));
}

TEST_CASE("own reducers: places begin at 0 in each window and group") {
    std::mt19937_64 random(3);
    const auto by_loops = [](const pv::Tensor<std::int64_t>& of) {
        std::int64_t sum = 0;
        for (index_t i = 0; i < of.size(); ++i) sum += of(i) * i;
        return sum;
    };
    for (const index_t n : {1, 2, 50, 5000}) { // also of several blocks of rows
        const auto x = pv::clone(pv::cast<std::int64_t>(integers({n}, random)));
        CHECK(pv::equals(pv::fixed_rolling_window(x, 3, weighted()),
                         pv::fixed_rolling_window(x, 3, by_loops)));
        CHECK(pv::equals(pv::expanding_window(x, weighted()), pv::expanding_window(x, by_loops)));
        const auto keys = pv::clone(x % 7);
        CHECK(pv::equals(std::get<1>(pv::group_by_reduce(keys, x, weighted())),
                         std::get<1>(pv::group_by_reduce(keys, x, by_loops))));
    }
}

TEST_CASE("own reducers: elements that lie in no window are not folded") {
    const auto counted = pv::reducer<double>(
        "counted", 0.,
        [](double& sum, double x) {
            if (x < 0) throw pv::Error("in no window");
            sum += x;
        },
        [](double& sum, double next) { sum += next; }, [](double sum) { return sum; });
    const auto x = pv::tensor({1., 2., -1., 4., 5., -1., 7.});
    const auto ranges = pv::range_windows(x, pv::tensor({0, 1, 3, 6}), pv::tensor({2, 2, 5, 7}),
                                          counted); // ascending, with gaps
    CHECK(pv::equals(ranges, pv::tensor({3., 2., 9., 7.})));
    const auto pairs = pv::fixed_rolling_window(
        x(pv::range(0, 6)), 2, counted, {.position = pv::WindowPosition::leading, .step = 3});
    CHECK(pv::equals(pairs, pv::tensor({3., 9.})));
    index_t folded = 0;
    const auto once = pv::reducer<double>(
        "once", 0.,
        [&](double& sum, double value) {
            ++folded;
            sum += value;
        },
        [](double& sum, double next) { sum += next; }, [](double sum) { return sum; });
    const auto tens = pv::fixed_rolling_window(
        pv::ones({100}), 10, once, {.position = pv::WindowPosition::leading, .step = 10});
    CHECK(pv::equals(tens, pv::full({10}, 10.)));
    CHECK(folded == 100); // each element once
}

TEST_CASE("own reducers: views and joined chunks, in row-major order") {
    std::mt19937_64 random(2);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        pv::Shape shape;
        pv::Shape chunk;
        for (int a = 0; a <= round % 4; ++a) {
            shape.push_back(1 + static_cast<index_t>(random() % 9));
            chunk.push_back(1 + static_cast<index_t>(random() % 9));
        }
        const auto x = pv::clone(pv::cast<std::int64_t>(integers(shape, random)));
        CAPTURE(pv::to_string(shape), pv::to_string(chunk));
        const auto check = [](const auto& lazy) {
            const auto dense = pv::clone(lazy);
            const auto [in_order, places] = pv::reduce(lazy, digest_of(), weighted());
            CHECK(in_order == digest(pv::to_vector(dense)));
            CHECK(places == pv::reduce(dense, weighted()));
            for (index_t axis = 0; axis < dense.rank(); ++axis)
                CHECK(pv::equals(pv::reduce(lazy, axis, digest_of()),
                                 pv::reduce(dense, axis, digest_of())));
        };
        const auto chunks = pv::chunked(x, pv::AxisValues(chunk));
        const auto axis = static_cast<index_t>(random() % shape.size());
        check(pv::transpose(x));
        check(pv::flip(x));
        check(pv::transpose(chunks));
        check(pv::concat(chunks, chunks, axis));
        check(pv::concat(chunks * 2, pv::flip(chunks), axis));
    }
}

TEST_CASE("own reducers: readers of one thread are read on one") {
    pv::set_threads(4);
    const auto reader = std::make_shared<const OneAtATime>(pv::ChunkGrid{{1 << 21}, {1 << 13}});
    const auto chunks = pv::tensor(reader, {1 << 21});
    CHECK(pv::reduce(chunks, spread_of()) == 0);
    CHECK(pv::reduce(pv::flip(chunks), spread_of()) == 0);
    CHECK(!reader->together);
    std::atomic<int> inside = 0;
    std::atomic<bool> together = false;
    const auto computed = pv::tensor(pv::make_reader(1 << 20,
                                                     [&, last = 0.](index_t i) mutable {
                                                         if (++inside > 1) together = true;
                                                         last = static_cast<double>(i % 10);
                                                         --inside;
                                                         return last;
                                                     }),
                                     {1 << 20});
    CHECK(pv::reduce(computed, spread_of()) == 9);
    CHECK(pv::reduce(computed * 2., spread_of()(pv::skip_nan)) == 18);
    CHECK(pv::reduce(pv::reshape(computed, {1 << 10, 1 << 10}), {1}, spread_of()).size() ==
          1 << 10);
    CHECK(!together);
    pv::set_threads(0);
}

TEST_CASE("own reducers: NaN is skipped among floats, what else has none is refused") {
    const auto days = pv::reducer<std::chrono::sys_days>(
        "days", std::int64_t{0}, [](std::int64_t& n, std::chrono::sys_days) { ++n; },
        [](std::int64_t& n, std::int64_t next) { n += next; }, [](std::int64_t n) { return n; });
    const auto t = pv::tensor({std::chrono::sys_days(std::chrono::days(3)),
                               pv::nat_value<std::chrono::sys_days>(), std::chrono::sys_days()});
    CHECK(pv::reduce(t, days) == 3);
    CHECK_THROWS_AS(pv::reduce(t, days(pv::skip_nan)), pv::DtypeError);
    CHECK_THROWS_AS(pv::reduce(t, pv::approximate_distinct(pv::skip_nan)), pv::DtypeError);
    CHECK_THROWS_AS(pv::expanding_window(t, days(pv::skip_nan)), pv::DtypeError);
    CHECK_THROWS_AS(pv::group_by_reduce(pv::tensor({1, 1, 2}), t, days(pv::skip_nan)),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::reduce(t, days(pv::throw_nan)), pv::ArithmeticError);

    const auto real_parts = pv::reducer<std::complex<double>>(
        "real_parts", 0., [](double& s, const std::complex<double>& z) { s += z.real(); },
        [](double& s, double next) { s += next; }, [](double s) { return s; });
    const auto z = pv::tensor<std::complex<double>>({{1, 0}, {kNaN, 1}});
    CHECK_THROWS_AS(pv::reduce(z, real_parts(pv::skip_nan)), pv::DtypeError);
    CHECK_THROWS_AS(pv::reduce(z, real_parts(pv::throw_nan)), pv::DtypeError);
    const auto bools = pv::AnyTensor(pv::tensor({true, false}));
    CHECK_THROWS_WITH(pv::reduce(bools, real_parts),
                      Catch::Matchers::ContainsSubstring("without loss"));

    const auto places = pv::reducer<double>(
        "places", index_t{0},
        [](index_t& s, std::span<const double> block, index_t at) { s = at + std::ssize(block); },
        [](index_t& s, index_t next) { s = next; }, [](index_t s) { return s; });
    const auto x = pv::tensor({1., kNaN, 2.});
    CHECK(pv::reduce(x, places) == 3);
    CHECK_THROWS_AS(pv::reduce(x, places(pv::skip_nan)), pv::Error);
    CHECK_THROWS_AS(pv::reduce(pv::to_sparse(x), places(pv::skip_nan)), pv::Error);
    CHECK_THROWS_AS(pv::expanding_window(x, places(pv::skip_nan)), pv::Error);
    CHECK_THROWS_AS(pv::group_by_reduce(pv::tensor({1, 1, 2}), x, places(pv::skip_nan)), pv::Error);
    CHECK(pv::reduce(pv::tensor({1, 2}), places(pv::skip_nan)) == 2);
}

} // namespace own_reducers_test
