#include "kernels_oracle.hpp"
#include "kernels_ulps.hpp"

#include <cmath>
#include <limits>

namespace kernels_maths_pairs_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

struct PairFunction {
    TileOp op;
    const char* name;
    long double (*exact)(long double, long double);
    double bound;
};

/// The C library's long double has pow(-inf, -2^63) infinite; its double is right.
long double exact_power(long double x, long double y) {
    if (!std::isfinite(x) || !std::isfinite(y))
        return std::pow(static_cast<double>(x), static_cast<double>(y));
    return std::pow(x, y);
}

const PairFunction kPairFunctions[] = {
    {TileOp::pow, "pow", exact_power, 1.1},
    {TileOp::hypot, "hypot", [](long double x, long double y) { return std::hypot(x, y); }, 1.01},
    {TileOp::atan2, "atan2", [](long double x, long double y) { return std::atan2(x, y); }, 1.01},
    {TileOp::ieee_remainder, "ieee_remainder",
     [](long double x, long double y) { return std::remainder(x, y); }, 0},
};

constexpr Form kForms[] = {Form::a_op_b,       Form::b_op_a,        Form::a_op_memory,
                           Form::memory_op_a,  Form::a_op_constant, Form::constant_op_a,
                           Form::a_op_scratch, Form::scratch_op_a};

bool is_reversed(Form form) {
    return form == Form::b_op_a || form == Form::memory_op_a || form == Form::constant_op_a ||
           form == Form::scratch_op_a;
}
bool is_constant(Form form) { return form == Form::a_op_constant || form == Form::constant_op_a; }

/// x op y in a form; a constant is y's first element.
template <typename T>
Misaligned<T> run_form(const KernelTable& table, Form form, TileOp op, Misaligned<T>& x,
                       Misaligned<T>& y) {
    Misaligned<T> out(x.size());
    ScratchTile scratch;
    const bool scratched = form == Form::a_op_scratch || form == Form::scratch_op_a;
    KernelProgram program(table, kTypeId<T>);
    if (scratched) program.add(Form::load_b, y.data()).add(Form::spill_b, &scratch);
    if (form == Form::a_op_b || form == Form::b_op_a) program.add(Form::load_b, y.data());
    program.add(Form::load_a, x.data());
    program.add(form, op, scratched ? static_cast<void*>(&scratch) : y.data());
    program.add(Form::store_last, out.data()).run(x.size(), sizeof(T));
    return out;
}

template <typename T>
T naive_shift(TileOp op, T x, T count) {
    constexpr int kWidth = static_cast<int>(8 * sizeof(T));
    const bool inside = count >= T{0} && count < T{kWidth};
    if (op == TileOp::shift_left)
        return inside ? static_cast<T>(static_cast<std::uint64_t>(x) << static_cast<int>(count))
                      : T{0};
    if (!inside) return static_cast<T>(x < T{0} ? -1 : 0);
    return static_cast<T>(x >> static_cast<int>(count));
}

} // namespace

TEST_CASE("Tiles: functions of two floats are within their bounds in every form") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            Pairs<T> pairs(21);
            // Where results are numbers: positive bases, small exponents.
            Random random(22);
            for (std::size_t i = pairs.x.size() / 2; i < pairs.x.size(); ++i) {
                pairs.x[i] = static_cast<T>(random.below(100000)) / 4096;
                pairs.y[i] = static_cast<T>(random.below(100000)) / 4096 - 12;
            }
            // Where the logarithm's last digits count most: powers of what is near 1, as great as there are.
            const auto share = [&] { return static_cast<double>(random.below(100000)) / 5e4 - 1; };
            for (std::size_t i = pairs.x.size() / 4; i < pairs.x.size() / 2; ++i) {
                pairs.x[i] = static_cast<T>(1.0000001 + share() / 20);
                pairs.y[i] = static_cast<T>((sizeof(T) == 8 ? 709 : 88) * share() /
                                            std::log(static_cast<double>(pairs.x[i])));
            }
            Misaligned<T> x(pairs.x);
            Misaligned<T> y(pairs.y, 3);
            for (const PairFunction& function : kPairFunctions)
                for (const Form form : kForms) {
                    const Misaligned<T> out = run_form(*table, form, function.op, x, y);
                    double worst = 0;
                    T a{};
                    T b{};
                    T got{};
                    for (std::size_t i = 0; i < out.size(); ++i) {
                        T left = x[i];
                        T right = is_constant(form) ? y[0] : y[i];
                        if (is_reversed(form)) std::swap(left, right);
                        const double off = ulps<T>(out[i], function.exact(left, right));
                        if (off > worst) {
                            worst = off;
                            a = left;
                            b = right;
                            got = out[i];
                        }
                    }
                    INFO(table->name << " " << kDType<T>.name() << " " << function.name << "(" << a
                                     << ", " << b << ") = " << got << ", " << function.exact(a, b)
                                     << " form " << int(form));
                    CHECK(worst <= function.bound);
                    if (worst > function.bound) break;
                }
        });
}

TEST_CASE("Tiles: a power does not depend on what is beside it") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            const Pairs<T> pairs(25);
            const std::size_t n = pairs.x.size();
            std::vector<T> bases;
            std::vector<T> exponents;
            for (std::size_t i = 0; i < n; ++i) {
                bases.push_back(pairs.x[(i * 7 + 3) % n]);
                exponents.push_back(pairs.y[(i * 7 + 3) % n]);
            }
            Misaligned<T> x(pairs.x);
            Misaligned<T> y(pairs.y);
            Misaligned<T> turned_x(bases);
            Misaligned<T> turned_y(exponents);
            const auto there = run_form(*table, Form::a_op_memory, TileOp::pow, x, y);
            const auto here = run_form(*table, Form::a_op_memory, TileOp::pow, turned_x, turned_y);
            INFO(table->name << " " << kDType<T>.name());
            CHECK(first_difference(here, n,
                                   [&](std::size_t i) { return there[(i * 7 + 3) % n]; }) == -1);
        });
}

TEST_CASE("Tiles: shifts are defined for every count, and bits of integers") {
    for (const KernelTable* const table : available_kernels())
        for_integers([&]<typename T>(T) {
            Pairs<T> pairs(23);
            Random random(24);
            for (std::size_t i = 0; i < pairs.y.size(); i += 2) // counts that are inside
                pairs.y[i] = static_cast<T>(random.below(8 * sizeof(T) + 2)) - T{1};
            Misaligned<T> x(pairs.x);
            Misaligned<T> y(pairs.y);
            for (const Form form : kForms) {
                INFO(table->name << " " << kDType<T>.name() << " form " << int(form));
                const auto check = [&](TileOp op, auto f) {
                    const Misaligned<T> out = run_form(*table, form, op, x, y);
                    CHECK(first_difference(out, x.size(), [&](std::size_t i) {
                              const T other = is_constant(form) ? y[0] : y[i];
                              return is_reversed(form) ? f(other, x[i]) : f(x[i], other);
                          }) == -1);
                };
                check(TileOp::shift_left,
                      [](T a, T b) { return naive_shift(TileOp::shift_left, a, b); });
                check(TileOp::shift_right,
                      [](T a, T b) { return naive_shift(TileOp::shift_right, a, b); });
                check(TileOp::logical_and, [](T a, T b) { return static_cast<T>(a & b); });
                check(TileOp::logical_or, [](T a, T b) { return static_cast<T>(a | b); });
                check(TileOp::logical_xor, [](T a, T b) { return static_cast<T>(a ^ b); });
            }
        });
}

} // namespace kernels_maths_pairs_test
