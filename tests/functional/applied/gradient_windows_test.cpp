// Gradients of what is read through windows that overlap: sums over the windows, not scatters.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace gradient_windows_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

pv::MutableTensor<double> numbers(const pv::Shape& shape, std::uint64_t seed) {
    return pv::clone(2. * pv::random_uniform(shape, seed) - 1.);
}

/// Whether the derivative of a computation adds elements by a scatter.
template <typename C>
bool scatters(const C& derivative) {
    std::ostringstream text;
    text << derivative;
    return text.str().find("= scatter") != std::string::npos;
}

/// How element (Y, Z) of an image is read by window (y, z) at (dy, dx).
struct Reading {
    const char* name;
    index_t step; ///< of windows
    index_t gap;  ///< of elements of a window; negative for a kernel that is turned round
};
constexpr index_t kImages = 2, kChannels = 3, kFilters = 2, kHeight = 7, kWidth = 8, kTaps = 3;

/// Σ w · (Σ x · k over channels and taps), by dims.
auto convolution(const Reading& how, index_t rows, index_t columns) {
    return [=](auto x, auto k, auto w) {
        auto [n, c, o, y, z, dy, dx] = pv::dims<7>();
        y.set_size(rows);
        z.set_size(columns);
        dy.set_size(kTaps);
        dx.set_size(kTaps);
        const index_t from = how.gap < 0 ? -how.gap * (kTaps - 1) : 0;
        return pv::sum(
            (x(n, c, how.step * y + how.gap * dy + from, how.step * z + how.gap * dx + from) *
                 k(o, c, dy, dx) |
             pv::sum(c, dy, dx) | pv::order(n, o, y, z)) *
            w);
    };
}

} // namespace

TEST_CASE("gradients of convolutions equal nested loops, without a scatter") {
    for (const Reading& how :
         {Reading{"plain", 1, 1}, Reading{"wide taps", 1, 2}, Reading{"steps of 2", 2, 1},
          Reading{"turned round", 1, -1}, Reading{"wide, turned round", 1, -2},
          Reading{"steps of 2, turned round", 2, -1}}) {
        CAPTURE(how.name);
        const index_t reach = std::abs(how.gap) * (kTaps - 1) + 1;
        const index_t rows = (kHeight - reach) / how.step + 1;
        const index_t columns = (kWidth - reach) / how.step + 1;
        const auto x = numbers({kImages, kChannels, kHeight, kWidth}, 1);
        const auto k = numbers({kFilters, kChannels, kTaps, kTaps}, 2);
        const auto w = numbers({kImages, kFilters, rows, columns}, 3);
        const auto value = pv::computation(
            convolution(how, rows, columns), pv::spec<double>(pv::Shape(x.shape())),
            pv::spec<double>(pv::Shape(k.shape())), pv::spec<double>(pv::Shape(w.shape())));
        const auto derivative = pv::gradient(value);
        CHECK_FALSE(scatters(derivative));
        const auto [by_x, by_k, by_w] = derivative(x, k, w);

        const auto expected = pv::zeros<double>({kImages, kChannels, kHeight, kWidth});
        const index_t from = how.gap < 0 ? -how.gap * (kTaps - 1) : 0;
        double sum = 0;
        for (index_t n = 0; n < kImages; ++n)
            for (index_t o = 0; o < kFilters; ++o)
                for (index_t y = 0; y < rows; ++y)
                    for (index_t z = 0; z < columns; ++z)
                        for (index_t c = 0; c < kChannels; ++c)
                            for (index_t dy = 0; dy < kTaps; ++dy)
                                for (index_t dx = 0; dx < kTaps; ++dx) {
                                    const index_t Y = how.step * y + how.gap * dy + from;
                                    const index_t Z = how.step * z + how.gap * dx + from;
                                    const double product = w(n, o, y, z) * k(o, c, dy, dx);
                                    expected(n, c, Y, Z) = expected(n, c, Y, Z) + product;
                                    sum += product * x(n, c, Y, Z);
                                }
        CHECK(value(x, k, w).item() == Approx(sum));
        CHECK(pv::max(pv::abs(by_x - expected)) < 1e-12);
        CHECK_NOTHROW(pv::check_gradient(value, x, k, w));
    }
}

TEST_CASE("gradients by windows of all kinds are those of differences") {
    const auto k = numbers({3}, 4);
    const auto check = [&](const char* what, const pv::Shape& shape, const auto& f,
                           bool without_scatter = true) {
        CAPTURE(what);
        const auto value = pv::computation(f, pv::spec<double>(shape));
        CHECK_NOTHROW(pv::check_gradient(value, numbers(shape, 5)));
        CHECK(scatters(pv::gradient(value)) != without_scatter);
        // and derivatives of derivatives, of a function that is not linear
        const auto slope = pv::computation(
            [f](auto x) { return pv::sum(pv::gradient(pv::sq(f(pv::sin(x))), x) * x); },
            pv::spec<double>(shape));
        CHECK_NOTHROW(pv::check_gradient(slope, numbers(shape, 6)));
    };
    const auto weights = [](const auto& x) {
        return pv::reshape(pv::arange(1., 1. + static_cast<double>(x.size())), x.shape());
    };
    check("sums of windows", {9}, [](auto x) { return pv::sum(pv::sliding_window(x, 0, 3)); });
    check("means of windows", {9}, [&](auto x) {
        const auto means = pv::mean(pv::sliding_window(x, 0, 3), 1);
        return pv::sum(means * weights(means));
    });
    check("a kernel alone", {9}, [&](auto x) { return pv::sum(pv::sliding_window(x, 0, 3) * k); });
    check("windows at every second place", {10}, [&](auto x) {
        const auto folded = pv::sum(pv::sliding_window(x, 0, 3)(pv::range(0, 8, 2)) * k, 1);
        return pv::sum(folded * weights(folded));
    });
    check("on one axis of two", {4, 7}, [&](auto x) {
        const auto folded = pv::sum(pv::sliding_window(x, 1, 3) * k, 2);
        return pv::sum(folded * weights(folded));
    });
    check("of a transposed and reversed view", {7, 4}, [&](auto x) {
        const auto folded = pv::sum(pv::sliding_window(pv::flip(pv::transpose(x), 1), 1, 3) * k, 2);
        return pv::sum(folded * weights(folded));
    });
    check("of a part", {12}, [&](auto x) {
        const auto folded = pv::sum(pv::sliding_window(x(pv::range(2, 10)), 0, 3) * k, 1);
        return pv::sum(folded * weights(folded));
    });
    check("by einsum", {3, 9}, [&](auto x) {
        const auto folded = pv::einsum("itk,k->it", pv::sliding_window(x, 1, 3), k);
        return pv::sum(folded * weights(folded));
    });
    // Every second element of rows of odd extent, which are no axes of another shape: a scatter of sums.
    check(
        "wide, at every second place", {5, 7},
        [&](auto x) {
            const auto windows =
                pv::sliding_window(x, 1, 5)(pv::all, pv::range(0, 3, 2), pv::range(0, 5, 2));
            const auto folded = pv::sum(windows * k, 2);
            return pv::sum(folded * weights(folded));
        },
        false);
    check(
        "windows of windows", {9},
        [&](auto x) {
            const auto folded = pv::sum(
                pv::sliding_window(pv::sliding_window(x, 0, 3), 0, 4) * pv::reshape(k, {3, 1}), 2);
            return pv::sum(folded * weights(folded));
        },
        false);
    check(
        "what is not linear in a window", {9},
        [&](auto x) { return pv::sum(pv::exp(pv::sliding_window(x, 0, 3) * k)); }, false);
    check(
        "diagonals", {4, 4}, [](auto x) { return pv::sum(pv::sq(pv::diagonal(x))); }, false);
}

TEST_CASE("Jacobians of windows have a row for each result") {
    const auto k = pv::tensor({1., 10., 100.});
    const auto rows = pv::computation(
        [&](auto x) { return pv::jacobian(pv::sum(pv::sliding_window(x, 0, 3) * k, 1), x); },
        pv::spec<double>({5}));
    CHECK(pv::to_vector(rows(pv::ones({5}))) ==
          Vector{1, 10, 100, 0, 0, 0, 1, 10, 100, 0, 0, 0, 1, 10, 100});
}

TEST_CASE("of float32, gradients of convolutions are float32") {
    const auto k = pv::cast<float>(numbers({3}, 7));
    const auto value = pv::computation(
        [&](auto x) { return pv::sum(pv::sq(pv::sum(pv::sliding_window(x, 0, 3) * k, 1))); },
        pv::spec<float>({20}));
    CHECK_NOTHROW(pv::check_gradient(value, pv::cast<float>(numbers({20}, 8))));
}

} // namespace gradient_windows_test
