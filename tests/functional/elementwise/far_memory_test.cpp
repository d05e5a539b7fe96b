#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <cstdint>
#include <vector>

namespace far_memory_test {

// Sizes past the caches: results are streamed, and what is folded is asked for ahead of time.

namespace pv = purview;

namespace {

constexpr pv::index_t kFar = (pv::index_t{17} << 20) / 8;

template <typename T>
pv::MutableTensor<T> counted(pv::index_t n) {
    std::vector<T> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 1000);
    return pv::tensor(std::move(values));
}

/// Places where `x` is not `expected(i % 1000)`.
template <typename T, typename Expected>
pv::index_t wrong(const T* x, pv::index_t n, pv::index_t first, Expected expected) {
    pv::index_t count = 0;
    for (pv::index_t i = 0; i < n; ++i)
        count += x[i] != static_cast<T>(expected(static_cast<T>((first + i) % 1000)));
    return count;
}

template <typename T>
void check_streamed(pv::index_t n) {
    const auto x = counted<T>(n);
    const auto expected = [](T v) { return v * 2 + 1; };
    // At any alignment, and what lies around stays as it is.
    for (const pv::index_t offset : {0, 1, 3}) {
        const auto memory = pv::full<T>({n + 8}, T{7});
        const auto out = memory(pv::range(offset, offset + n));
        pv::copy(x * 2 + 1, out);
        const T* const data = pv::as_span(memory).data();
        CHECK(wrong(data + offset, n, 0, expected) == 0);
        for (pv::index_t i = 0; i < offset; ++i) CHECK(data[i] == T{7});
        for (pv::index_t i = offset + n; i < n + 8; ++i) CHECK(data[i] == T{7});
    }
    const auto made = (x * 2 + 1) | pv::clone;
    CHECK(wrong(pv::as_span(made).data(), n, 0, expected) == 0);
    pv::copy(x * 2 + 1, x); // over what is read
    CHECK(wrong(pv::as_span(x).data(), n, 0, expected) == 0);
}

} // namespace

TEST_CASE("results past the caches") {
    check_streamed<double>(kFar + 5);
    check_streamed<float>(2 * kFar + 77);
    check_streamed<std::int16_t>(4 * kFar + 3);
    check_streamed<std::uint8_t>(8 * kFar + 1);
}

TEST_CASE("rows past the caches, with gaps between them") {
    constexpr pv::index_t kRows = 1500, kColumns = 1501;
    const auto x = counted<double>(kRows * kColumns);
    const auto memory = pv::full<double>({kRows, kColumns + 2}, -1.0);
    const auto out = memory(pv::all, pv::range(1, kColumns + 1));
    pv::copy(pv::reshape(x, {kRows, kColumns}) + 1, out);
    for (pv::index_t r = 0; r < kRows; ++r) {
        const double* const row = pv::as_span(memory).data() + r * (kColumns + 2);
        if (wrong(row + 1, kColumns, r * kColumns, [](double v) { return v + 1; }) != 0 ||
            row[0] != -1 || row[kColumns + 1] != -1)
            FAIL_CHECK("row " << r);
    }
}

TEST_CASE("folds of memory that is far") {
    const pv::index_t n = kFar + 13;
    const auto x = counted<std::int64_t>(n);
    const pv::index_t rest = n % 1000;
    const pv::index_t total = n / 1000 * 499'500 + rest * (rest - 1) / 2;
    CHECK(pv::sum(x) == total);
    CHECK(pv::sum(x(pv::range(1, std::nullopt))) == total);
    CHECK(pv::sum(x * 3 - 1) == total * 3 - n);
    CHECK(pv::max(x) == 999);
    x(n - 1) = -5;
    CHECK(pv::min(x) == -5);
    CHECK(pv::argmin(x) == n - 1);
    CHECK(pv::count_true(x == 7) == (n - 1 + 992) / 1000);
    const auto rows = pv::reshape(x(pv::range(0, 2000 * 1000)), {2000, 1000});
    const auto sums = pv::sum(rows, 1);
    for (pv::index_t r = 0; r < 2000; ++r) CHECK(sums(r) == 499'500);
}

} // namespace far_memory_test
