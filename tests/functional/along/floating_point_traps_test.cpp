#include <support/catch.hpp>
#include <support/sanitizers.hpp>

#include <purview/purview.hpp>

#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <functional>
#include <limits>
#include <string>
#include <vector>

// With floating-point traps enabled, an operation raises SIGFPE if it computes anything of bytes that are no element: what
// lies behind the end of a row by chance divides by zero, overflows, or is a signalling NaN sooner or later.

// The sanitizers' own arithmetic traps as well: under them, and where traps cannot be enabled, the same work is only done.

#if defined(__GLIBC__) && defined(__x86_64__) && !UNDER_A_SANITIZER
# define TRAPS_CAN_BE_ENABLED 1
#else
# define TRAPS_CAN_BE_ENABLED 0
#endif

namespace floating_point_traps_test {

namespace pv = purview;
using pv::index_t;

#if TRAPS_CAN_BE_ENABLED
sigjmp_buf before_the_trap;
#endif

/// Fills the heap with what raises exceptions in every operation, and frees it again.
void litter() {
    std::vector<std::vector<double>> blocks;
    for (const std::size_t n : {20U, 70U, 150U, 300U, 600U, 1200U, 2500U, 5000U})
        for (int k = 0; k < 4; ++k)
            blocks.emplace_back(n, k % 2 == 0 ? std::numeric_limits<double>::signaling_NaN()
                                              : std::numeric_limits<double>::max());
}

/// Whether the work is done without a trap.
bool without_trap(const std::function<void()>& work) {
#if TRAPS_CAN_BE_ENABLED
    struct sigaction trapped = {};
    trapped.sa_handler = [](int) { siglongjmp(before_the_trap, 1); };
    struct sigaction before;
    sigaction(SIGFPE, &trapped, &before);
    const int threads = pv::threads();
    pv::set_threads(1); // other threads have an environment of their own
    bool done = false;
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    if (sigsetjmp(before_the_trap, 1) == 0) {
        work();
        done = true;
    }
    fedisableexcept(FE_ALL_EXCEPT);
    std::feclearexcept(FE_ALL_EXCEPT);
    sigaction(SIGFPE, &before, nullptr);
    pv::set_threads(threads);
    return done;
#else
    work();
    return true;
#endif
}

template <typename T>
void try_all(const std::string& type) {
    for (const index_t n :
         {1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 33, 63, 65, 127, 257, 1000, 1025, 5001}) {
        litter();
        auto x = pv::empty<T>({n});
        auto m = pv::empty<T>({3, n});
        T value = 0;
        for (auto element : x) element = T(0.5) + (value = value > 90 ? T(1) : value + 1) / 8;
        for (auto element : m) element = T(0.5) + (value = value > 70 ? T(1) : value + 1) / 16;
        auto y = pv::clone(x * T(0.25) + T(1));
        const pv::Tensor<T> columns = m | pv::transpose({1, 0});
        const auto check = [&](const char* what, const std::function<void()>& work) {
            INFO(what << " of " << n << " elements of " << type);
            litter();
            CHECK(without_trap(work));
        };
        check("arithmetic", [&] { pv::clone((x + y) * 3 / y - pv::sqrt(x) / (x + 1)); });
        check("comparison", [&] { pv::clone(pv::where(x < y, x / y, y / x)); });
        check("rounding", [&] { pv::clone(pv::floor(x) + pv::ceil(y) + pv::round(x)); });
        check("a column at strides", [&] { pv::clone(columns / (columns + 1)); });
        check("a view", [&] { pv::clone((x | pv::flip({0})) / (x | pv::rotate({1}))); });
        check("a cast", [&] {
            pv::clone(pv::cast<float>(x) / 3);
            pv::clone(pv::cast<double>(x) / 3);
            pv::clone(pv::unchecked_cast<std::int32_t>(x));
            pv::clone(pv::cast<std::int64_t>(x));
        });
        check("reductions", [&] {
            pv::sum(x / y);
            pv::product(x * 0 + 1);
            pv::min(x), pv::max(x), pv::mean(x), pv::argmax(x), pv::argmin(y);
            for (const index_t axis : {0, 1}) {
                pv::sum(m, {axis}), pv::min(m, {axis}), pv::max(m, {axis}), pv::mean(m, {axis});
                pv::sum(columns, {axis}), pv::argmax(columns, axis);
            }
        });
        check("statistics", [&] {
            pv::variance(m, {1});
            pv::variance(m, {0});
            pv::median(x);
        });
        check("cumsum", [&] {
            pv::cumsum(x, 0), pv::cumsum(m, 0), pv::cumsum(m, 1), pv::cumsum(columns, 0);
            pv::cummax(m, 1), pv::cummin(m, 0), pv::cumprod(x * 0 + 1, 0);
        });
        check("convolve", [&] { pv::convolve1d(x, pv::tensor({T(0.25), T(0.5), T(0.25)})); });
        check("gaussian1d", [&] { pv::gaussian1d(m, 1.5); });
        check("rolling windows", [&] {
            for (const index_t window : {1, 2, 3, 6, 7, 13, 100})
                for (const index_t axis : {0, 1}) {
                    pv::fixed_rolling_window(m, window, pv::sum, axis);
                    pv::fixed_rolling_window(m, window, pv::mean, axis);
                    pv::fixed_rolling_window(m, window, pv::min, axis);
                    pv::fixed_rolling_window(m, window, pv::max, axis);
                }
        });
        check("differences", [&] { pv::clone(pv::diff1d(m, 1)); });
        check("softmax", [&] { pv::softmax(m, 1), pv::softmax(m, 0); });
        check("transcendental functions", [&] {
            pv::clone(pv::sin(x) + pv::cos(y));
            pv::clone(pv::exp(x * 0.125) + pv::log(y));
            pv::clone(pv::pow(x, y * 0.25));
            pv::clone(pv::tanh(x) + pv::atan2(x, y));
        });
        check("products", [&] { pv::matmul(m, columns); });
        check("a histogram", [&] { pv::histogram(x, 4); });
        check("sorting", [&] { pv::argsort(x), pv::percentile(x, 25); });
        check("selection", [&] { pv::argfilter(x > T(1)), pv::clone(x(x > T(1)) / 2); });
        check("pieces", [&] { pv::clone(1 / (pv::concat(x, y) | pv::pad(2, pv::PadMode::edge))); });
    }
}

TEST_CASE("No operation computes what is no element: floating-point traps stay silent, float64") {
    try_all<double>("float64");
}
TEST_CASE("No operation computes what is no element: floating-point traps stay silent, float32") {
    try_all<float>("float32");
}

#if TRAPS_CAN_BE_ENABLED
TEST_CASE("A trap that an element deserves is raised") {
    const auto x = pv::tensor({1., 0., 2.});
    CHECK_FALSE(without_trap([&] { pv::clone(1 / x); }));
    const auto large = pv::tensor({1e308, 1e308, 1e308});
    CHECK(without_trap([&] { pv::clone(large * 0.5); }));
    CHECK_FALSE(without_trap([&] { pv::cumsum(large, 0); }));
    CHECK(without_trap([&] { pv::cumsum(pv::tensor({1e308, -1e308, 1e308, -1e308, 1.}), 0); }));
}
#endif

} // namespace floating_point_traps_test
