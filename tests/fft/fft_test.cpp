#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/fft/fft.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <vector>

namespace fft_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Oracle;
using oracle::Random;
using Complex = std::complex<double>;

/// The definition, along one axis.
Oracle<Complex> transformed(const Oracle<Complex>& x, std::size_t axis, double sign) {
    const auto n = x.shape[axis];
    return Oracle<Complex>::make(x.shape, [&](Coordinates at) {
        const auto k = static_cast<double>(at[axis]);
        Complex sum;
        for (at[axis] = 0; at[axis] < n; ++at[axis]) {
            const double turn =
                std::fmod(static_cast<double>(at[axis]) * k, static_cast<double>(n));
            sum += x.at(at) *
                   std::polar(1.0, sign * 2 * std::numbers::pi * turn / static_cast<double>(n));
        }
        return sum;
    });
}

template <typename X, typename T>
bool near(const X& real, const Oracle<T>& naive, double factor = 1) {
    const pv::Shape shape = real.shape();
    if (Coordinates(shape.begin(), shape.end()) != naive.shape) return false;
    const auto values = pv::to_vector(real);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(values[i] - naive.values[i] * factor) <= 1e-10)) return false;
    return true;
}

Oracle<Complex> random_numbers(Random& random, const Coordinates& shape, bool real) {
    return Oracle<Complex>::make(shape, [&](const Coordinates&) {
        return Complex(random.element<double>(), real ? 0 : random.element<double>()) / 100.0;
    });
}

Coordinates random_shape(Random& random) {
    Coordinates shape(static_cast<std::size_t>(random.between(1, 3)));
    for (index_t& extent : shape) extent = random.between(1, 7);
    return shape;
}

Oracle<double> real_part(const Oracle<Complex>& x) {
    Oracle<double> result{x.shape, {}};
    for (const Complex& value : x.values) result.values.push_back(value.real());
    return result;
}

} // namespace

TEST_CASE("fft and ifft are the definition along any axis, of views too") {
    Random random(1);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        auto naive = random_numbers(random, random_shape(random), false);
        pv::Tensor<Complex> x = pv::tensor(std::vector(naive.values), naive.shape);
        if (random.one_in(2)) {
            const Coordinates axes = random.permutation(naive.rank());
            x = pv::transpose(x, axes);
            naive = naive.transpose(axes);
        }
        const auto axis = random.axis_of(naive.shape);
        const auto at = static_cast<index_t>(axis);
        const auto n = static_cast<double>(naive.shape[axis]);
        const auto forward = transformed(naive, axis, -1);
        const auto inverse = transformed(naive, axis, 1);
        INFO(oracle::text(naive.shape) << " axis " << axis);
        CHECK(near(pv::fft(x, at), forward));
        CHECK(near(pv::ifft(x, at), inverse, 1 / n));
        CHECK(near(x | pv::fft(at, {.norm = pv::FftNorm::ortho}), forward, 1 / std::sqrt(n)));
        CHECK(near(pv::ifft(x, at, {.norm = pv::FftNorm::ortho}), inverse, 1 / std::sqrt(n)));
        CHECK(near(pv::fft(x, at, {.norm = pv::FftNorm::forward}), forward, 1 / n));
        CHECK(near(pv::ifft(x, at, {.norm = pv::FftNorm::forward}), inverse));
        CHECK(near(pv::fft(pv::AnyTensor(x), at).as<Complex>(), forward));
        CHECK(near(pv::ifft(pv::fft(x, at), at), naive));
    }
}

TEST_CASE("rfft and irfft: the first half, and back, of even and odd lengths") {
    Random random(2);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto naive = random_numbers(random, random_shape(random), true);
        const auto x = pv::tensor(real_part(naive).values, naive.shape);
        const auto axis = random.axis_of(naive.shape);
        const auto at = static_cast<index_t>(axis);
        const index_t n = naive.shape[axis];
        Coordinates first;
        for (index_t k = 0; k <= n / 2; ++k) first.push_back(k);
        const auto half = transformed(naive, axis, -1).pick(axis, first);
        INFO(oracle::text(naive.shape) << " axis " << axis);
        CHECK(near(pv::rfft(x, at), half));
        CHECK(near(pv::irfft(pv::rfft(x, at), at, {.length = n}), real_part(naive)));
        CHECK(near(pv::fft(x, at), transformed(naive, axis, -1)));
        const auto copy = pv::rfft(x, at);
        const auto before = pv::to_vector(copy);
        if (n > 1) CHECK(pv::irfft(copy, at).extent(at) == n / 2 * 2);
        CHECK(pv::to_vector(copy) == before);
    }
}

TEST_CASE("fftn, rfftn and their inverses: axis after axis") {
    Random random(3);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto naive = random_numbers(random, random_shape(random), true);
        const auto x = pv::tensor(real_part(naive).values, naive.shape);
        Coordinates axes = oracle::random_axes(random, naive.rank());
        if (axes.empty()) axes = {0};
        auto forward = naive;
        double count = 1;
        for (const index_t axis : axes) {
            forward = transformed(forward, static_cast<std::size_t>(axis), -1);
            count *= static_cast<double>(naive.shape[static_cast<std::size_t>(axis)]);
        }
        const auto last = static_cast<std::size_t>(axes.back());
        const index_t n = naive.shape[last];
        Coordinates first;
        for (index_t k = 0; k <= n / 2; ++k) first.push_back(k);
        INFO(oracle::text(naive.shape) << " axes " << oracle::text(axes));
        CHECK(near(pv::fftn(x, axes), forward));
        CHECK(
            near(x | pv::fftn(axes, {.norm = pv::FftNorm::ortho}), forward, 1 / std::sqrt(count)));
        CHECK(near(pv::ifftn(pv::fftn(x, axes), axes), naive));
        CHECK(near(pv::rfftn(x, axes), forward.pick(last, first)));
        CHECK(near(pv::irfftn(pv::rfftn(x, axes), axes, {.length = n}), real_part(naive)));
        CHECK(near(x | pv::fftn | pv::ifftn, naive));
    }
}

TEST_CASE("fft: lengths, types, dims, long and prime ones") {
    const auto x = pv::tensor({1.0, 2.0, 3.0});
    const auto longer = pv::fft(x, {.length = 5});
    CHECK(pv::to_vector(longer) == pv::to_vector(pv::fft(pv::tensor({1.0, 2.0, 3.0, 0.0, 0.0}))));
    CHECK(pv::to_vector(pv::fft(x, 0, {.length = 2})) ==
          pv::to_vector(pv::fft(pv::tensor({1.0, 2.0}))));
    CHECK(pv::to_vector(pv::rfft(pv::tensor({1, 2, 3}))) == pv::to_vector(pv::rfft(x)));
    CHECK(pv::fft(pv::tensor({std::complex<float>(1, 2)}))(0) == std::complex<float>(1, 2));
    const auto [i, j] = pv::dims("i", "j");
    const auto m = pv::tensor({{1.0, 2.0}, {3.0, 5.0}});
    const pv::Tensor<Complex> rows = pv::fft(m(i)) | pv::order(i);
    CHECK(pv::to_vector(rows) == pv::to_vector(pv::fft(m)));
    const pv::Tensor<Complex> columns = pv::fft(m(i, j), i) | pv::order(i, j);
    CHECK(pv::to_vector(columns) == pv::to_vector(pv::fft(m, 0)));
    const pv::Tensor<Complex> both = pv::fftn(m(i, j), {i, j}) | pv::order(i, j);
    CHECK(pv::to_vector(both) == pv::to_vector(pv::fftn(m)));
    for (const index_t n : {1009, 4096}) {
        const auto wave =
            pv::cos(pv::arange(n) * (2 * std::numbers::pi * 5 / static_cast<double>(n)));
        const auto spectrum = pv::to_vector(pv::rfft(wave));
        for (std::size_t k = 0; k < spectrum.size(); ++k)
            CHECK(std::abs(spectrum[k] - (k == 5 ? static_cast<double>(n) / 2 : 0)) < 1e-9);
    }
    CHECK(pv::fft(pv::zeros({0, 3})).shape() == pv::Shape{0, 3});
    CHECK(pv::fftn(pv::reshape(pv::tensor({7.0}), {})).item() == Complex(7));

    CHECK_THROWS_WITH(pv::fft(pv::zeros({3, 0})), ContainsSubstring("fft: 0 points along axis 1"));
    CHECK_THROWS_AS(pv::irfft(pv::zeros({1})), pv::ShapeError);
    CHECK_THROWS_AS(pv::fft(x, {.length = -1}), pv::ShapeError);
    CHECK_THROWS_AS(pv::fft(x, 1), pv::IndexError);
    CHECK_THROWS_AS(pv::fftn(m, {0, 0}), pv::IndexError);
    CHECK_THROWS_WITH(pv::rfft(m(i, j), i), ContainsSubstring("rfft") && ContainsSubstring("'i'"));
    CHECK_THROWS_AS(pv::rfft(pv::AnyTensor(pv::fft(x))), pv::DtypeError);
    CHECK_THROWS_AS(pv::fft(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
    CHECK_THROWS_AS(pv::fft(pv::sparse_zeros<double>({9})), pv::KindError);
}

TEST_CASE("transforms of elements at odd addresses (numpy frombuffer(offset=1))") {
    const auto check = []<typename T>(T scale) {
        std::vector<T> room(9);
        auto* const first = reinterpret_cast<std::byte*>(room.data()) + 1;
        for (int i = 0; i < 8; ++i) {
            const T value = scale * T(static_cast<float>(i * i % 5));
            std::memcpy(first + i * static_cast<int>(sizeof(T)), &value, sizeof(T));
        }
        pv::MemoryDescriptor memory;
        memory.pointer = first;
        memory.dtype = pv::kDType<T>;
        memory.shape = pv::Shape{8};
        memory.strides = pv::Shape{sizeof(T)};
        const pv::Tensor<T> x = pv::borrow(memory).as<T>();
        CHECK(pv::to_vector(pv::fft(x)) == pv::to_vector(pv::fft(pv::clone(x))));
        CHECK(pv::to_vector(pv::irfft(x)) == pv::to_vector(pv::irfft(pv::clone(x))));
        if constexpr (pv::BuiltinType<T>)
            CHECK(pv::to_vector(pv::rfft(x)) == pv::to_vector(pv::rfft(pv::clone(x))));
    };
    check(1.);
    check(1.F);
    check(std::complex<double>(0, 1));
    check(std::complex<float>(0, 1));
}

} // namespace fft_test
