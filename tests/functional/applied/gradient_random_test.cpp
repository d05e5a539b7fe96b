#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_choice.hpp>
#include <support/random_source.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/scans.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/named/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gradient_random_test {

namespace {

namespace pv = purview;
using namespace oracle;
using S = pv::Symbol<double>;

/// A symbol under construction. Views are drawn by its naive twin, of which the shape alone counts.
struct Traced {
    Twin<double> twin;

    S symbol() const { return S(twin.real.operand()); }
    void become(const std::string& name, const S& symbol) {
        twin.name += " | " + name;
        twin.real = pv::Tensor<double>(symbol.operand());
        twin.naive.shape = shape();
        twin.naive.values.assign(static_cast<std::size_t>(twin.naive.size()), 0);
    }
    Coordinates shape() const {
        const pv::ShapeSpan extents = twin.real.operand().dims.max_shape();
        return {extents.begin(), extents.end()};
    }
};

/// A function of one's own with two derivatives, under a name, so that it can be saved.
const auto kBump = pv::register_function<double(double)>(
    "gradient_random_test.bump", pv::with_derivative([](double v) { return v / (1 + v * v); },
                                                     pv::with_derivative(
                                                         [](double v) {
                                                             const double d = 1 + v * v;
                                                             return (1 - v * v) / (d * d);
                                                         },
                                                         [](double v) {
                                                             const double d = 1 + v * v;
                                                             return 2 * v * (v * v - 3) /
                                                                    (d * d * d);
                                                         })));

/// Smooth functions of all numbers, to numbers of about the same size, in which each operation of one
/// operand has a part.
constexpr int kSmooth = 26;
S smooth(int number, const S& x) {
    switch (number) {
    case 0: return pv::sin(x);
    case 1: return pv::cos(x);
    case 2: return pv::tan(0.5 * pv::tanh(x));
    case 3: return pv::asin(0.9 * pv::sin(x));
    case 4: return pv::acos(0.9 * pv::cos(x));
    case 5: return pv::atan(x);
    case 6: return pv::sinh(pv::sin(x));
    case 7: return pv::cosh(pv::sin(x));
    case 8: return pv::tanh(x);
    case 9: return pv::asinh(x);
    case 10: return pv::acosh(1.5 + pv::sq(pv::sin(x)));
    case 11: return pv::atanh(0.9 * pv::sin(x));
    case 12: return pv::exp(pv::sin(x));
    case 13: return pv::exp2(-pv::sin(x));
    case 14: return pv::expm1(pv::cos(x));
    case 15: return pv::log(1.2 + pv::cos(x));
    case 16: return pv::log2(1.2 + pv::sin(x)) + pv::log10(1.5 - pv::sin(x));
    case 17: return pv::log1p(pv::sq(pv::atan(x)));
    case 18: return pv::sqrt(1 + pv::sq(pv::sin(x)));
    case 19: return pv::cbrt(2 + pv::cos(x));
    case 20: return pv::erf(x) - 0.5 * pv::erfc(x);
    case 21: return pv::abs(pv::sin(x) + 0.3);
    case 22: return pv::clamp(x, -0.8, 0.9) + pv::relu(x - 0.1);
    case 23: return pv::logistic(x) / (2 + pv::floor(pv::sin(x)));
    case 24: return pv::pow(1.2 + pv::sin(x), 2.5) - pv::pow(pv::sin(x), 3);
    default: return pv::emap(kBump, x);
    }
}

/// Of two operands, which are broadcast together.
constexpr int kSmoothOfTwo = 13;
S smooth(int number, const S& x, const S& y) {
    switch (number) {
    case 0: return x + y;
    case 1: return x - 0.5 * y;
    case 2: return x * y;
    case 3: return x / (1.5 + pv::sin(y));
    case 4: return pv::pow(1.3 + pv::sin(x), pv::cos(y));
    case 5: return pv::hypot(x, y + 0.1);
    case 6: return pv::atan2(x + 0.2, y);
    case 7: return pv::minimum(x, y + 0.01);
    case 8: return pv::maximum(x, 0.99 * y);
    case 9: return pv::where(x < y, pv::sin(x), y * x);
    case 10: return pv::logaddexp(x, y);
    case 11: return (2 * x) % (3 + pv::sin(y));
    default: return pv::copysign(x, pv::cos(y));
    }
}

void reduce_some(Random& random, Traced& x) {
    Coordinates axes;
    for (const index_t axis : random.permutation(x.twin.naive.rank()))
        if (random.one_in(2)) axes.push_back(axis);
    if (x.twin.naive.size() == 0) return;
    const S s = x.symbol();
    const std::string over = text(axes) + " kept";
    S fold = s;
    switch (random.between(0, 6)) {
    case 6: fold = pv::logsumexp(s, axes, pv::keep_dims); break;
    case 0: fold = pv::mean(s, axes, pv::keep_dims); break;
    case 1: fold = pv::max(s, axes, pv::keep_dims); break;
    case 2: fold = pv::min(s, axes, pv::keep_dims); break;
    case 3: fold = pv::tanh(pv::product(pv::cos(s), axes, pv::keep_dims)); break;
    case 4: fold = pv::standard_deviation(s, axes, pv::keep_dims); break;
    default: fold = 0.2 * pv::sum(s, axes, pv::keep_dims); break;
    }
    if (random.one_in(2))
        x.become("reduced" + over, fold);
    else
        x.become("centred" + over, s - 0.5 * fold);
}

void go_along(Random& random, Traced& x) {
    if (x.shape().empty() || x.twin.naive.size() == 0) return;
    const auto axis = static_cast<index_t>(random.axis_of(x.shape()));
    const std::string along = " along " + std::to_string(axis);
    switch (random.between(0, 2)) {
    case 0: return x.become("softmax" + along, pv::softmax(x.symbol(), axis));
    case 1: return x.become("norm" + along, pv::norm(x.symbol(), random.one_in(2) ? 2 : 3, axis));
    default: return x.become("cumsum" + along, 0.5 * pv::cumsum(x.symbol(), axis));
    }
}

void gather_some(Random& random, Traced& x) {
    const Coordinates shape = x.shape();
    if (shape.empty() || x.twin.naive.size() == 0) return;
    const std::size_t axis = random.axis_of(shape);
    Coordinates list = random.list(shape[axis]);
    if (list.empty() || x.twin.naive.size() / shape[axis] * std::ssize(list) > 40) return;
    for (index_t& index : list)
        if (random.one_in(3)) index -= shape[axis]; // from the end
    x.become("take" + text(list) + " along " + std::to_string(axis),
             pv::take(x.symbol(), pv::tensor(std::vector<std::int64_t>(list.begin(), list.end())),
                      static_cast<index_t>(axis)));
}

void assemble(Random& random, Traced& x, const Traced& earlier) {
    const S s = x.symbol();
    const Coordinates shape = x.shape();
    if (shape.empty() || x.twin.naive.size() > 8) return;
    const auto axis = static_cast<index_t>(random.axis_of(shape));
    if (random.one_in(3)) return x.become("pad", pv::pad(s, 1, pv::PadMode::constant, 0.5));
    if (random.one_in(2)) return x.become("concat", pv::concat(s, pv::sin(s), axis));
    if (earlier.shape() == shape) x.become("concat of two", pv::concat(earlier.symbol(), s, axis));
}

void multiply_matrices(Random& random, Traced& x) {
    const Coordinates shape = x.shape();
    if (shape.size() < 2 || x.twin.naive.size() == 0) return;
    const S s = x.symbol();
    const index_t inner = shape.back();
    const auto weights = pv::tensor(random.elements<double>(inner * 2), {inner, 2});
    if (random.one_in(2)) return x.become("matmul", 0.05 * pv::matmul(s, weights));
    Coordinates axes(shape.size());
    std::iota(axes.begin(), axes.end(), index_t{0});
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    if (x.twin.naive.size() <= 20)
        x.become("matmul with itself", 0.2 * pv::matmul(s, pv::transpose(s, axes)));
}

void random_step(Random& random, Traced& x, const Traced& earlier) {
    switch (random.between(0, 12)) {
    case 12: return go_along(random, x);
    case 0:
    case 1: return reduce_some(random, x);
    case 2: return gather_some(random, x);
    case 3: return assemble(random, x, earlier);
    case 4: return multiply_matrices(random, x);
    case 5:
    case 6:
    case 7: {
        Traced seen = x;
        random_view(random, seen.twin.real, seen.twin.naive, seen.twin.name);
        if (seen.twin.naive.size() <= 40) x = std::move(seen);
        return;
    }
    case 8:
    case 9: {
        const int number = static_cast<int>(random.between(0, kSmoothOfTwo - 1));
        const S other = earlier.shape() == x.shape() ? earlier.symbol() : pv::cos(x.symbol());
        return x.become("of two " + std::to_string(number), smooth(number, x.symbol(), other));
    }
    default: {
        const int number = static_cast<int>(random.between(0, kSmooth - 1));
        return x.become("smooth " + std::to_string(number), smooth(number, x.symbol()));
    }
    }
}

std::vector<double> numbers(Random& random, index_t count) {
    std::vector<double> values;
    for (index_t i = 0; i < count; ++i)
        values.push_back(static_cast<double>(random.between(-100'000, 100'000)) / 60'000);
    return values;
}
template <typename X>
Coordinates shape_of(const X& x) {
    const pv::ShapeSpan extents = x.operand().dims.max_shape();
    return {extents.begin(), extents.end()};
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}
double size_of(const std::vector<double>& a) { return std::sqrt(dot(a, a)); }

/// `(f(x + h v) - f(x - h v)) / 2h`.
template <typename F>
std::vector<double> difference(const F& f, const std::vector<double>& x,
                               const std::vector<double>& v, double h) {
    std::vector<double> above = x;
    std::vector<double> below = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        above[i] += h * v[i];
        below[i] -= h * v[i];
    }
    std::vector<double> result = f(above);
    const std::vector<double> low = f(below);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = (result[i] - low[i]) / (2 * h);
    return result;
}
/// The greatest difference, relative to the size of the vectors.
double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most / (1 + size_of(a) + size_of(b));
}

} // namespace

TEST_CASE("derivatives of traced programs agree with differences, and with one another") {
    unsigned not_smooth = 0;
    unsigned compared = 0;
    for (unsigned seed = 0; seed < oracle::rounds(3000U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        Coordinates shape;
        do shape = random.shape();
        while (count_of(shape) > 12);
        const index_t n = count_of(shape);
        std::string name;
        Coordinates result_shape;
        const auto f = [&](auto argument) {
            Random steps(seed + 1'000'000);
            Traced x{{pv::Tensor<double>(argument.operand()), {shape, {}}, ""}};
            x.become("x", S(argument.operand()));
            Traced half = x;
            const index_t count = steps.between(1, 7);
            for (index_t i = 0; i < count; ++i) {
                if (i == count / 2) half = x;
                random_step(steps, x, half);
            }
            name = x.twin.name;
            result_shape = x.shape();
            return x.symbol();
        };
        const auto value = pv::computation([&](auto x) { return f(x); }, pv::spec<double>(shape));
        INFO(name);
        const index_t m = count_of(result_shape);
        const auto tensor_of = [](const std::vector<double>& values, const Coordinates& extents) {
            return pv::tensor(values, extents);
        };
        const std::vector<double> x = numbers(random, n);
        const std::vector<double> v = numbers(random, n);
        const std::vector<double> w = numbers(random, m);
        const auto weights = tensor_of(w, result_shape);
        const auto all = pv::computation(
            [&](auto s, auto direction) {
                const auto y = f(s);
                const auto scalar = pv::sum(weights * y) + 0.5 * pv::sum(pv::sq(y));
                return std::tuple(pv::vector_jacobian_product(y, weights, s),
                                  pv::jacobian_vector_product(y, s, direction), pv::jacobian(y, s),
                                  pv::gradient(scalar, s),
                                  pv::hessian_vector_product(scalar, s, direction));
            },
            pv::spec<double>(shape), pv::spec<double>(shape));
        const auto evaluated = [&](const std::vector<double>& at) {
            return pv::to_vector(value(tensor_of(at, shape)));
        };
        const auto derived = [&](const std::vector<double>& at) {
            return all(tensor_of(at, shape), tensor_of(v, shape));
        };
        const auto results = derived(x);
        if (seed % 4 == 0) { // saved and loaded, they are the same, to the last bit
            const std::string bytes = pv::computation_bytes(all);
            const std::string written = pv::computation_text(all);
            const auto loaded = pv::computation_from(seed % 8 == 0 ? bytes : written);
            CHECK(pv::computation_bytes(loaded) == bytes);
            CHECK(pv::computation_text(loaded) == written);
            const auto again = loaded({tensor_of(x, shape), tensor_of(v, shape)});
            CHECK(same_values(pv::to_vector(again[2].as<double>()),
                              pv::to_vector(std::get<2>(results))));
            CHECK(same_values(pv::to_vector(again[4].as<double>()),
                              pv::to_vector(std::get<4>(results))));
        }
        const std::vector<double> backwards = pv::to_vector(std::get<0>(results));
        const std::vector<double> forwards = pv::to_vector(std::get<1>(results));
        const std::vector<double> jacobian = pv::to_vector(std::get<2>(results));
        const std::vector<double> second = pv::to_vector(std::get<4>(results));
        Coordinates both = result_shape;
        both.insert(both.end(), shape.begin(), shape.end());
        CHECK(shape_of(std::get<2>(results)) == both);
        REQUIRE(std::ssize(jacobian) == m * n);

        // What no difference is needed for.
        CHECK(std::abs(dot(w, forwards) - dot(backwards, v)) <=
              1e-9 * (1 + size_of(w) * size_of(forwards) + size_of(backwards) * size_of(v)));
        std::vector<double> rows(static_cast<std::size_t>(m), 0);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < x.size(); ++j) rows[i] += jacobian[i * x.size() + j] * v[j];
        CHECK(apart(rows, forwards) < 1e-9);

        // Near a kink differences of two widths disagree.
        const auto gradient_at = [&](const std::vector<double>& at) {
            return pv::to_vector(std::get<3>(derived(at)));
        };
        const std::vector<double> first = difference(evaluated, x, v, 1e-5);
        const std::vector<double> first_near = difference(evaluated, x, v, 2e-6);
        const std::vector<double> of_gradient = difference(gradient_at, x, v, 1e-5);
        const std::vector<double> of_gradient_near = difference(gradient_at, x, v, 2e-6);
        if (apart(first, first_near) > 1e-6 || apart(of_gradient, of_gradient_near) > 1e-5) {
            ++not_smooth;
            continue;
        }
        ++compared;
        CHECK(apart(forwards, first) < 1e-5);
        CHECK(apart(second, of_gradient) < 1e-4);
    }
    CHECK(compared > 20 * not_smooth);
}

} // namespace gradient_random_test
