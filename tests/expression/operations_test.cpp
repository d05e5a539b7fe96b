#include "expression/comparisons.hpp"

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/dtype/dtype.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/graph.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// What holds of each line of `kOperations`, so that no operation is forgotten anywhere. (Texts for
// devices: tests/gpu/lower_test.cpp.)

namespace operations_test {

namespace {

namespace pv = purview;
using pv::Op;
using pv::Operand;
using pv::OperationFamily;
using pv::OperationTraits;

/// Whether nodes of the operation have operands of a type. Conversions have all.
bool takes(const OperationTraits& traits, pv::DType dtype) {
    if (traits.family == OperationFamily::conversion) return true;
    const bool of_floats = pv::is_of_floats(traits.op) || pv::is_rounding(traits.op);
    return pv::supports(traits.op, dtype) && (!of_floats || dtype.is_floating());
}

/// The operation as a node on as many operands as it has, of (x, y), or of (condition, x, y).
template <typename T>
Operand applied(const OperationTraits& traits, const Operand& condition, const Operand& x,
                const Operand& y) {
    std::vector<Operand> operands{x, y};
    operands.resize(traits.arity);
    if (traits.family == OperationFamily::choice) operands = {condition, x, y};
    const pv::DType converted = std::same_as<T, double> ? pv::float32 : pv::float64;
    const pv::DType result = pv::is_comparison(traits.op)                   ? pv::boolean
                             : traits.family == OperationFamily::conversion ? converted
                                                                            : pv::kDType<T>;
    return {pv::elementwise_node(traits.op, result, operands),
            pv::Dimensions::row_major(x.dims.max_shape())};
}

bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b,
                              [](double x, double y) { return x == y || (x != x && y != y); });
}

} // namespace

TEST_CASE("operations have names of their own, and one to three operands") {
    std::set<std::string_view> names;
    for (const OperationTraits& traits : pv::kOperations) {
        INFO(traits.name);
        CHECK_FALSE(traits.name.empty());
        CHECK(names.insert(traits.name).second);
        CHECK(traits.arity <= 3);
        CHECK((traits.arity == 0) == (traits.family == OperationFamily::function));
        CHECK((traits.arity == 3) == (traits.family == OperationFamily::choice));
        if (traits.absorbing != pv::Absorbing::nothing) CHECK(traits.arity == 2);
        if (pv::is_comparison(traits.op)) CHECK(traits.arity == 2);
        if (pv::is_rounding(traits.op)) CHECK(traits.arity == 1);
    }
}

TEST_CASE(
    "each operation on each of its types is saved by its name, loaded, and computes the same") {
    const auto check = [&]<typename T>(std::type_identity<T>) {
        const auto x = pv::cast<T>(pv::tensor({1., 0., 1., 3.}));
        const auto y = pv::cast<T>(pv::tensor({2., 1., 1., 5.}));
        const auto condition = pv::cast<bool>(pv::tensor({1., 0., 0., 1.}));
        for (const OperationTraits& traits : pv::kOperations) {
            if (!takes(traits, pv::kDType<T>) || traits.op == Op::map) continue;
            INFO(traits.name << " of " << pv::kDType<T>.name());
            const auto f = [&](const auto& c, const auto& a, const auto& b) {
                return pv::cast<double>(
                    pv::AnyTensor(applied<T>(traits, c.operand(), a.operand(), b.operand())));
            };
            const auto traced =
                pv::computation(f, pv::spec<bool>({4}), pv::spec<T>({4}), pv::spec<T>({4}));
            const std::string text = pv::computation_text(traced);
            CHECK(text.find(traits.name) != std::string::npos);
            const pv::AnyComputation loaded = pv::computation_from(pv::computation_bytes(traced));
            CHECK(pv::computation_text(loaded) == text);
            const std::vector<double> expected = pv::to_vector(f(condition, x, y));
            const std::vector<pv::AnyTensor> found = loaded({condition, x, y});
            CHECK(are_same(pv::to_vector(found[0].as<double>()), expected));
        }
    };
#define OPERATIONS_TEST_CHECK(T) check(std::type_identity<T>());
    PURVIEW_FOR_BUILTIN_TYPES(OPERATIONS_TEST_CHECK)
#undef OPERATIONS_TEST_CHECK
}

TEST_CASE("derivatives of each operation on floats are what differences say") {
    constexpr double kStep = 1e-6;
    const auto check = [](const OperationTraits& traits, double x, double y) {
        INFO(traits.name << " at " << x << ", " << y);
        const auto yes = pv::full<bool>({}, true);
        const auto f = [&](const auto& a, const auto& b) {
            return pv::Tensor<double>(
                applied<double>(traits, yes.operand(), a.operand(), b.operand()));
        };
        const auto value = [&](double a, double b) {
            return pv::clone(f(pv::full({}, a), pv::full({}, b))).item();
        };
        const double by_x = (value(x + kStep, y) - value(x - kStep, y)) / (2 * kStep);
        const double by_y = (value(x, y + kStep) - value(x, y - kStep)) / (2 * kStep);
        if (!std::isfinite(by_x) || !std::isfinite(by_y)) return false; // not defined there
        const auto gradient = pv::gradient(pv::computation([&](auto a, auto b) { return f(a, b); },
                                                           pv::spec<double>(), pv::spec<double>()));
        const auto [found_x, found_y] = gradient(x, y);
        CHECK(std::abs(found_x - by_x) <= 1e-6 * (1 + std::abs(by_x)));
        CHECK(std::abs(found_y - by_y) <= 1e-6 * (1 + std::abs(by_y)));
        return true;
    };
    for (const OperationTraits& traits : pv::kOperations) {
        // Conversions and comparisons give no float64; of `map` each function brings its own.
        if (!takes(traits, pv::float64) || pv::is_comparison(traits.op) || traits.op == Op::map ||
            traits.family == OperationFamily::conversion)
            continue;
        const bool below_one = check(traits, 0.3, 0.7);
        const bool above_one = check(traits, 1.3, 0.6);
        INFO(traits.name);
        CHECK((below_one || above_one));
    }
}

TEST_CASE("operations of complex numbers are computed, or refused by a DtypeError") {
    const Operand z = pv::clone(pv::full<std::complex<double>>({2}, {0.5, 0.25})).operand();
    for (const OperationTraits& traits : pv::kOperations) {
        if (traits.arity > 2 || traits.op == Op::map ||
            traits.family == OperationFamily::conversion)
            continue;
        INFO(traits.name);
        const auto compute = [&] {
            const auto lazy = traits.arity == 1 ? pv::any_unary(traits.op, z)
                                                : pv::any_binary(traits.op, {z}, {z});
            return pv::clone(lazy);
        };
        if (pv::has_complex_unary(traits.op) || pv::has_complex_binary(traits.op))
            CHECK(compute().shape() == pv::Shape{2});
        else
            CHECK_THROWS_AS(compute(), pv::DtypeError);
    }
}

TEST_CASE("comparisons are what their table says") {
    for (const pv::Comparison& comparison : pv::kComparisons) {
        INFO(pv::name_of(comparison.op));
        const Op op = comparison.op;
        const auto compare = [](Op which, int x, int y) {
            return pv::visit_comparison(which,
                                        [&](auto each) { return pv::Generic<each()>{}(x, y); });
        };
        for (const int sign : {-1, 0, 1}) {
            CHECK(compare(op, sign, 0) == pv::holds(op, sign));
            CHECK(compare(pv::mirrored(op), 0, sign) == pv::holds(op, sign));
        }
    }
}

} // namespace operations_test
