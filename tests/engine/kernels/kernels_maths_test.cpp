#include "kernels_oracle.hpp"
#include "kernels_ulps.hpp"

#include <cmath>
#include <limits>

namespace kernels_maths_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

struct Function {
    TileOp op;
    const char* name;
    long double (*exact)(long double);
    double lowest; ///< where most values are drawn from
    double highest;
    double bound = 1.01; ///< ulps
};

const Function kFunctions[] = {
    {TileOp::cbrt, "cbrt", [](long double x) { return std::cbrt(x); }, -100, 100},
    {TileOp::exp, "exp", [](long double x) { return std::exp(x); }, -90, 90},
    {TileOp::exp2, "exp2", [](long double x) { return std::exp2(x); }, -130, 130},
    {TileOp::expm1, "expm1", [](long double x) { return std::expm1(x); }, -5, 90},
    {TileOp::log, "log", [](long double x) { return std::log(x); }, 0, 10},
    {TileOp::log2, "log2", [](long double x) { return std::log2(x); }, 0, 10},
    {TileOp::log10, "log10", [](long double x) { return std::log10(x); }, 0, 10},
    {TileOp::log1p, "log1p", [](long double x) { return std::log1p(x); }, -1, 10},
    {TileOp::sin, "sin", [](long double x) { return std::sin(x); }, -100, 100},
    {TileOp::cos, "cos", [](long double x) { return std::cos(x); }, -100, 100},
    {TileOp::tan, "tan", [](long double x) { return std::tan(x); }, -100, 100},
    {TileOp::asin, "asin", [](long double x) { return std::asin(x); }, -1, 1},
    {TileOp::acos, "acos", [](long double x) { return std::acos(x); }, -1, 1},
    {TileOp::atan, "atan", [](long double x) { return std::atan(x); }, -10, 10},
    {TileOp::sinh, "sinh", [](long double x) { return std::sinh(x); }, -10, 10},
    {TileOp::cosh, "cosh", [](long double x) { return std::cosh(x); }, -10, 10},
    {TileOp::tanh, "tanh", [](long double x) { return std::tanh(x); }, -10, 10, 1.5},
    {TileOp::asinh, "asinh", [](long double x) { return std::asinh(x); }, -10, 10},
    {TileOp::acosh, "acosh", [](long double x) { return std::acosh(x); }, 1, 10},
    {TileOp::atanh, "atanh", [](long double x) { return std::atanh(x); }, -1, 1},
    {TileOp::erf, "erf", [](long double x) { return std::erf(x); }, -6, 6},
    {TileOp::erfc, "erfc", [](long double x) { return std::erfc(x); }, -6, 28, 1.3},
};

/// Numbers of all sizes, hard ones, and many between two bounds.
template <typename T>
std::vector<T> arguments(double lowest, double highest, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> values = hard_values<T>();
    for (const double edge : {709.0,
                              709.78271289338397,
                              709.7827128933841,
                              710.4758600739439,
                              710.5,
                              744.0,
                              -744.0,
                              -745.1332191019411,
                              -745.2,
                              -708.4,
                              88.0,
                              88.72283,
                              88.722839,
                              89.4159,
                              89.5,
                              -87.33654,
                              -103.9,
                              -104.0,
                              1023.5,
                              1024.0,
                              -1022.5,
                              -1074.5,
                              -1075.0,
                              127.5,
                              128.0,
                              -126.5,
                              -149.5,
                              -150.0,
                              1e5,
                              1e10,
                              1e15,
                              1e22,
                              1e36,
                              3.14159265358979312,
                              1.5707963267948966,
                              1e-5,
                              1e-10,
                              1e-20,
                              0.82, // where erf changes its formula, and where it becomes 1
                              0.8199999,
                              0.8200001,
                              5.92,
                              5.93,
                              3.92,
                              3.93,
                              0.9999999,
                              1.0000001,
                              -0.9999999,
                              -1e-20,
                              22.0,
                              26.3, // erfc at the last normal and the last subnormal numbers
                              26.543,
                              26.6,
                              27.2,
                              27.3,
                              9.19,
                              9.2,
                              10.05,
                              10.1,
                              -37.5})
        for (const double x : {edge, -edge}) values.push_back(static_cast<T>(x));
    for (int k = 1; k < 21000; k += k < 100 ? 1 : 97) // where sines and cosines vanish
        values.push_back(static_cast<T>(k * 1.57079632679489661923L));
    while (values.size() % kMaxTileBytes != 0 || values.size() < 16 * kMaxTileBytes) {
        const double share = static_cast<double>(random.bits() >> 11) / 9007199254740992.0;
        values.push_back(values.size() % 16 == 0
                             ? random.value(hard_values<T>())
                             : static_cast<T>(lowest + (highest - lowest) * share));
    }
    return values;
}

/// Every element of `x` through a unary operation.
template <typename T>
Misaligned<T> run_unary(const KernelTable& table, TileOp op, Misaligned<T>& x) {
    Misaligned<T> out(x.size());
    KernelProgram(table, kTypeId<T>)
        .add(Form::load_a, x.data())
        .add(Form::unary, op, nullptr)
        .add(Form::store_last, out.data())
        .run(x.size(), sizeof(T));
    return out;
}

template <typename T>
T naive_ulp(T x) {
    const T size = std::abs(x);
    if (size == std::numeric_limits<T>::max()) return size - std::nextafter(size, T{0});
    if (std::isinf(size)) return size;
    return std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
}

} // namespace

TEST_CASE("Tiles: functions of a float are within their bounds") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            for (const Function& function : kFunctions) {
                const std::vector<T> values = arguments<T>(function.lowest, function.highest, 11);
                Misaligned<T> x(values);
                Misaligned<T> out(values.size());
                Misaligned<T> untouched(values.size());
                const auto computed = [&] {
                    KernelProgram program(*table, kTypeId<T>);
                    program.add(Form::load_a, x.data())
                        .add(Form::load_b, x.data())
                        .add(Form::unary, function.op, nullptr);
                    return program;
                };
                computed().add(Form::store_last, out.data()).run(values.size(), sizeof(T));
                computed()
                    .add(Form::b_to_a)
                    .add(Form::store_last, untouched.data())
                    .run(values.size(), sizeof(T));
                CHECK(first_difference(untouched, values.size(),
                                       [&](std::size_t i) { return values[i]; }) == -1);
                double worst = 0;
                T at{};
                T got{};
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const double off = ulps<T>(out[i], function.exact(values[i]));
                    if (off > worst) {
                        worst = off;
                        at = values[i];
                        got = out[i];
                    }
                }
                INFO(table->name << " " << kDType<T>.name() << " " << function.name << "("
                                 << std::hexfloat << at << std::defaultfloat << " " << at
                                 << ") = " << got << ", " << function.exact(at));
                CHECK(worst <= function.bound);
            }
        });
}

TEST_CASE("Tiles: exp, log, tanh, erf and erfc do not depend on what is beside a float") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            for (const TileOp op :
                 {TileOp::exp, TileOp::log, TileOp::tanh, TileOp::erf, TileOp::erfc}) {
                const std::vector<T> values = arguments<T>(-20, 20, 14);
                const std::size_t n = values.size();
                std::vector<T> turned;
                for (std::size_t i = 0; i < n; ++i) turned.push_back(values[(i * 7 + 3) % n]);
                Misaligned<T> x(values);
                Misaligned<T> y(turned);
                const Misaligned<T> of_x = run_unary(*table, op, x);
                const Misaligned<T> of_y = run_unary(*table, op, y);
                INFO(table->name << " " << kDType<T>.name() << " op " << int(op));
                CHECK(first_difference(of_y, n,
                                       [&](std::size_t i) { return of_x[(i * 7 + 3) % n]; }) == -1);
            }
        });
}

TEST_CASE("Tiles: rounding and neighbours of floats are exact") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            constexpr T kInfinity = std::numeric_limits<T>::infinity();
            std::vector<T> values = arguments<T>(-100, 100, 12);
            for (std::size_t i = 0; i < kMaxTileBytes; ++i) // halves, and what lies beside them
                values.push_back(std::nextafter(static_cast<T>(static_cast<int>(i) - 120) / 2,
                                                i % 3 == 0 ? kInfinity : T{0}));
            for (std::size_t i = 0; i < kMaxTileBytes; ++i)
                values.push_back(static_cast<T>(static_cast<int>(i) - 120) / 2);
            Misaligned<T> x(values);
            const auto check = [&](TileOp op, auto f) {
                const Misaligned<T> out = run_unary(*table, op, x);
                const index_t wrong = first_difference(out, values.size(),
                                                       [&](std::size_t i) { return f(values[i]); });
                INFO(table->name << " " << kDType<T>.name() << " op " << int(op));
                if (wrong >= 0)
                    INFO("of " << values[static_cast<std::size_t>(wrong)] << ": "
                               << out[static_cast<std::size_t>(wrong)]);
                CHECK(wrong == -1);
            };
            check(TileOp::floor, [](T v) { return std::floor(v); });
            check(TileOp::ceil, [](T v) { return std::ceil(v); });
            check(TileOp::round, [](T v) { return std::round(v); });
            check(TileOp::rint, [](T v) { return std::nearbyint(v); });
            check(TileOp::trunc, [](T v) { return std::trunc(v); });
            check(TileOp::signum, [](T v) { return v > 0 ? T{1} : v < 0 ? T{-1} : v; });
            check(TileOp::next_up, [](T v) { return std::nextafter(v, kInfinity); });
            check(TileOp::next_down, [](T v) { return std::nextafter(v, -kInfinity); });
            check(TileOp::ulp, [](T v) { return naive_ulp(v); });
        });
}

TEST_CASE("Tiles: the signs of integers") {
    for (const KernelTable* const table : available_kernels())
        for_integers([&]<typename T>(T) {
            const Pairs<T> pairs(13);
            Misaligned<T> x(pairs.x);
            const Misaligned<T> out = run_unary(*table, TileOp::signum, x);
            INFO(table->name << " " << kDType<T>.name());
            CHECK(first_difference(out, x.size(), [&](std::size_t i) {
                      return static_cast<T>(x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0);
                  }) == -1);
            for (const TileOp op : {TileOp::exp, TileOp::floor, TileOp::ulp, TileOp::pow})
                CHECK(table->find(op == TileOp::pow ? Form::a_op_b : Form::unary, op, kTypeId<T>) ==
                      nullptr);
        });
}

} // namespace kernels_maths_test
