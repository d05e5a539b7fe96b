#include <support/catch.hpp>
#include <support/device_error.hpp>
#include <support/exact_oracle.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>
#include <support/walled_backend.hpp>

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace exact_sum_test {

namespace {

namespace pv = purview;
using oracle::BitCounts;
using pv::index_t;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

template <typename T>
bool same_bits(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Floats of all exponents but the greatest ones, zeros of both signs and subnormal numbers.
template <typename T>
pv::MutableTensor<T> any_floats(index_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    auto x = pv::zeros<T>({count});
    for (T& e : std::span(x.data(), static_cast<std::size_t>(count))) {
        const int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
        const int most = std::numeric_limits<T>::max_exponent - 20;
        const T fraction = static_cast<T>(1 + static_cast<double>(random() >> 40) * 0x1p-24);
        const auto exponent =
            least + static_cast<int>(random() % static_cast<unsigned>(most - least));
        switch (random() % 8) {
        case 0: e = random() % 2 ? T{0} : -T{0}; break;
        case 1: e = std::ldexp(static_cast<T>(random() % 99) - 49, least); break;
        default: e = std::ldexp(random() % 2 ? fraction : -fraction, exponent);
        }
    }
    return x;
}

template <typename X>
auto by_bits(const X& x) {
    using T = typename X::value_type;
    BitCounts bits;
    for (const T e : pv::to_vector(x)) bits.add(static_cast<double>(e));
    return bits.template rounded<T>();
}

} // namespace

TEMPLATE_TEST_CASE("exact_sum is the rounded sum of bits for any layout", "", float, double) {
    for (const index_t size : {1, 7, 1024, 2049, 8191, 8192, 8205, 30030}) {
        CAPTURE(size);
        const auto x = any_floats<TestType>(size, static_cast<unsigned>(size));
        const TestType sum = by_bits(x);
        CHECK(same_bits(pv::exact_sum(x), sum));
        CHECK(same_bits(pv::exact_sum(pv::flip(x, {0})), sum));
        CHECK(same_bits(pv::exact_sum(x * TestType{1}), sum)); // computed in blocks
        CHECK(same_bits(pv::exact_sum(-x), -sum));
        CHECK(same_bits(pv::exact_sum(pv::AnyTensor(x)).template item<TestType>(), sum));
    }
    const auto x = pv::reshape(any_floats<TestType>(30030, 5), {30, 77, 13});
    const TestType sum = by_bits(x);
    CHECK(same_bits(pv::exact_sum(pv::transpose(x)), sum));
    CHECK(same_bits(pv::exact_sum(pv::transpose(x) + TestType{0}), sum));
    const auto every_other = x(pv::all, pv::range(0, 77, 2), pv::all);
    CHECK(same_bits(pv::exact_sum(every_other), by_bits(every_other)));
}

TEST_CASE("exact_sum over axes and dims, in the shapes of sum") {
    const auto x = pv::reshape(any_floats<double>(5040, 6), {7, 60, 12});
    const auto check = [&](const auto& found, const auto& shaped, const auto& lanes) {
        REQUIRE(pv::to_shape(found.shape()) == pv::to_shape(shaped.shape()));
        const auto sums = pv::to_vector(found);
        const auto rows = pv::clone(lanes);
        for (std::size_t g = 0; g < sums.size(); ++g)
            REQUIRE(same_bits(sums[g], by_bits(rows(static_cast<index_t>(g), pv::all))));
    };
    using pv::keep_dims;
    const auto rows = [](const auto& t, index_t count) { return pv::reshape(t, {count, -1}); };
    check(pv::exact_sum(x, 2), pv::sum(x, 2), rows(x, 420));
    check(pv::exact_sum(x, {0, 2}, keep_dims), pv::sum(x, {0, 2}, keep_dims),
          rows(pv::transpose(x, {1, 0, 2}), 60));
    check(pv::exact_sum(x, 0), pv::sum(x, 0), rows(pv::transpose(x, {1, 2, 0}), 720));
    check(pv::exact_sum(x * 1., -3, keep_dims), pv::sum(x, 0, keep_dims),
          rows(pv::transpose(x, {1, 2, 0}), 720));
    check(x | pv::exact_sum(1), pv::sum(x, 1), rows(pv::transpose(x, {0, 2, 1}), 84));
    check(pv::exact_sum(pv::AnyTensor(x), 1).as<double>(), pv::sum(x, 1),
          rows(pv::transpose(x, {0, 2, 1}), 84));
    pv::Dim i, j, k;
    check(pv::exact_sum(x(i, j, k), j, i) | pv::order(k), pv::sum(x, {0, 1}),
          rows(pv::transpose(x, {2, 0, 1}), 12));
    CHECK(same_bits(pv::exact_sum(x(i, j, k), i, j, k).item(), by_bits(x)));
    // Long rows, of which several threads add to each.
    const auto y = pv::reshape(any_floats<double>(600'000, 7), {2, 300'000});
    check(pv::exact_sum(y, 1), pv::sum(y, 1), y);
    CHECK(pv::exact_sum(pv::zeros({3, 0}), 1).shape()[0] == 3);
    CHECK(pv::to_vector(pv::exact_sum(pv::zeros({3, 0}), 1)) == std::vector<double>(3));
    CHECK(pv::exact_sum(pv::zeros({0, 3}), 1).size() == 0);
}

TEST_CASE("exact_sum does not depend on the order, the parts or the threads") {
    auto x = any_floats<double>(700'001, 8);
    const double sum = by_bits(x);
    std::mt19937_64 random(9);
    for (const int threads : {1, 2, 3, 4}) {
        CAPTURE(threads);
        pv::set_threads(threads);
        CHECK(same_bits(pv::exact_sum(x), sum));
        CHECK(same_bits(pv::exact_sum(x * 1.), sum));
        CHECK(same_bits(pv::exact_sum(pv::flip(x, {0})), sum));
        std::shuffle(x.data(), x.data() + x.size(), random);
    }
    pv::set_threads(0);
    // `sum` gives others.
    const auto y = pv::tensor({1e100, 1., -1e100, 1.});
    CHECK(pv::exact_sum(y) == 2);
    CHECK(pv::exact_sum(pv::full({1'000'000}, 0.1f)) == 100'000.001f);
    CHECK(pv::exact_sum(pv::broadcast(pv::tensor({0.1}), {3'000'000})) == 300'000.00000000001665);
}

TEST_CASE("exact_sum of many elements that overflow between, and that no word holds") {
    const auto most = pv::full({50'000}, kMax);
    CHECK(pv::exact_sum(most) == kInf);
    CHECK(pv::exact_sum(-most) == -kInf);
    CHECK(pv::exact_sum(pv::concat({most, -most, pv::tensor({2.5})})) == 2.5);
    CHECK(pv::exact_sum(pv::full({100'000}, std::numeric_limits<float>::max())) ==
          std::numeric_limits<float>::infinity());
    // float32 is rounded once: to float64 and then to float32, it would be 2^24 + 2.
    auto x = pv::full({20'000}, 0.f);
    x(0) = 0x1p24f;
    x(7) = 1.f;
    CHECK(pv::exact_sum(x) == 0x1p24f);
    x(19'000) = 0x1p-40f;
    CHECK(pv::exact_sum(x) == 0x1p24f + 2);
    x(19'001) = -0x1p-39f;
    CHECK(pv::exact_sum(x) == 0x1p24f);
}

TEST_CASE("exact_sum of infinities, NaN and zeros is that of sum") {
    for (const index_t size : {3, 9000, 200'000}) {
        CAPTURE(size);
        auto x = pv::full({size}, 1.);
        x(size - 2) = kInf;
        CHECK(pv::exact_sum(x) == kInf);
        CHECK(pv::exact_sum(-x) == -kInf);
        x(0) = -kInf;
        CHECK(std::isnan(pv::exact_sum(x)));
        x(0) = kNaN;
        CHECK(std::isnan(pv::exact_sum(x)));
        CHECK(pv::exact_sum(x, pv::skip_nan) == kInf);
        CHECK_THROWS_AS(pv::exact_sum(x, pv::throw_nan), pv::ArithmeticError);
        x(size - 2) = 1;
        CHECK(pv::exact_sum(x, pv::skip_nan) == static_cast<double>(size - 1));
        CHECK(pv::to_vector(pv::exact_sum(x, 0, pv::skip_nan)).size() == 0 + 1);

        auto zeros = pv::full({size}, -0.);
        CHECK(same_bits(pv::exact_sum(zeros), -0.));
        CHECK(same_bits(pv::sum(zeros), -0.));
        zeros(1) = 0;
        CHECK(same_bits(pv::exact_sum(zeros), 0.));
        zeros(0) = -std::numeric_limits<double>::denorm_min();
        CHECK(pv::exact_sum(zeros) == -std::numeric_limits<double>::denorm_min());
        zeros(1) = std::numeric_limits<double>::denorm_min();
        CHECK(same_bits(pv::exact_sum(zeros), 0.));
        CHECK(same_bits(pv::exact_sum(pv::full({size}, -0.f)), -0.f));
        CHECK(same_bits(pv::exact_sum(pv::full({size}, 0.f)), 0.f));
    }
    CHECK(same_bits(pv::exact_sum(pv::zeros({0})), 0.));
    CHECK(pv::exact_sum(pv::zeros<float>({4, 0})) == 0);
}

TEST_CASE("exact_sum of other types") {
    CHECK(pv::exact_sum(pv::tensor({1, 2, 3})) == 6);
    CHECK(pv::exact_sum(pv::tensor({true, false, true})) == 2);
    CHECK(std::same_as<decltype(pv::exact_sum(pv::zeros<std::uint8_t>({2}))), std::uint64_t>);
    CHECK(pv::exact_sum(pv::full<std::uint8_t>({1000}, std::uint8_t{255})) == 255'000);

    using Complex = std::complex<double>;
    const auto z = pv::tensor({Complex(1e100, 1), Complex(1, 1e200), Complex(-1e100, -1e200)});
    CHECK(pv::exact_sum(z) == Complex(1, 1));
    CHECK(pv::exact_sum(pv::AnyTensor(z)).item<Complex>() == Complex(1, 1));
    const auto rows = pv::to_vector(pv::exact_sum(pv::stack({z, z * 2.}), 1));
    CHECK(rows == std::vector<Complex>{{1, 1}, {2, 2}});
    const auto of_floats = pv::tensor({std::complex<float>(0x1p24f, 1), std::complex<float>(1, 2)});
    CHECK(pv::exact_sum(of_floats) == std::complex<float>(0x1p24f, 3));

    // float16 gives float32, as in `sum`.
    const auto half = pv::cast<pv::Half>(pv::full({5000}, 1.f / 3));
    const float third = static_cast<float>(static_cast<float>(half(0)));
    CHECK(pv::exact_sum(half) == static_cast<float>(5000. * static_cast<double>(third)));
}

TEST_CASE("exact_sum of chunks is that of memory") {
    for (const bool small : {true, false}) {
        const auto x = pv::reshape(any_floats<double>(60'000, 10), {60, 50, 20});
        const auto c = small ? pv::chunked(x, {7, 11, 20}) : pv::chunked(x, {60, 50, 20});
        CHECK(same_bits(pv::exact_sum(c), pv::exact_sum(x)));
        CHECK(same_bits(pv::exact_sum(c * 1.), pv::exact_sum(x)));
        for (const index_t axis : {0, 1, 2})
            CHECK(pv::to_vector(pv::exact_sum(c, axis)) == pv::to_vector(pv::exact_sum(x, axis)));
    }
    // More than the limit of memory holds, but each cell.
    const oracle::MemoryLimit limit(2'000'000);
    const auto x = any_floats<double>(900'000, 11);
    CHECK(same_bits(pv::exact_sum(pv::chunked(x, {50'000})), pv::exact_sum(x)));
}

TEST_CASE("exact_sum refuses what it cannot read") {
    const auto x = pv::ones({3, 4});
    CHECK_THROWS_AS(pv::exact_sum(x, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::exact_sum(x, {0, 0}), pv::IndexError);
    CHECK_THROWS_AS(pv::exact_sum(pv::to_sparse(x)), pv::KindError);
    CHECK_THROWS_AS(pv::exact_sum(pv::to_sparse(x), 0), pv::KindError);
    CHECK_THROWS_AS(pv::exact_sum(pv::AnyTensor(pv::tensor({"a", "b"}))), pv::DtypeError);
    if (&pv::backend_of({}) == &pv::cpu()) { // the wall is for what lies in its memory
        const pv::Tensor<double> walled(oracle::walled(x.operand()));
        CHECK_THROWS_AS(pv::exact_sum(walled), pv::DeviceError);
        CHECK_THROWS_AS(pv::exact_sum(walled, 0), pv::DeviceError);
    }
    // What a reader throws comes through, from any thread.
    const auto failing = pv::emap(
        [](double e) {
            if (e == 77'777) throw std::runtime_error("77777");
            return e;
        },
        pv::arange(300'000.));
    CHECK_THROWS_WITH(pv::exact_sum(failing), "77777");
}

} // namespace exact_sum_test
