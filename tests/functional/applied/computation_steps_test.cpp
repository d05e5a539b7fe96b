// Loops that are unrolled by tracing: equal steps are one work, and few pieces are computed into memory.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/purview.hpp>

#include <purview/evaluation/program.hpp>
#include <purview/expression/graph.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace computation_steps_test {

namespace {

namespace pv = purview;
using pv::index_t;

template <typename X>
inline constexpr bool kIsTraced = std::is_same_v<X, pv::Symbol<typename X::value_type>>;

/// What is computed at once, unless it is traced.
template <typename X>
auto kept(const X& x) {
    if constexpr (kIsTraced<X>)
        return x;
    else
        return pv::Tensor<typename X::value_type>(pv::clone(x));
}

pv::Tensor<double> numbers(const pv::Shape& shape, std::uint64_t seed) {
    return pv::clone(pv::random_uniform(shape, seed));
}

/// `steps` times f, traced and called, beside the same step by step.
template <typename F>
void check_steps(const char* what, const pv::Shape& shape, int steps, const F& f) {
    CAPTURE(what);
    const auto loop = [&](auto x) {
        auto state = kept(x * 1.0);
        for (int t = 0; t < steps; ++t) state = kept(f(state));
        return state;
    };
    const auto c = pv::computation(loop, pv::spec<double>(shape));
    for (const std::uint64_t seed : {1U, 2U}) {
        const auto x = numbers(shape, seed);
        const auto expected = pv::to_vector(loop(x));
        CHECK(pv::to_vector(c(x)) == expected);
        // and of another stride, which the first step alone sees
        CHECK(pv::to_vector(c(pv::flip(pv::clone(pv::flip(x))))) == expected);
    }
}

/// The operations that all stages of a computation of one argument make of what others keep.
template <typename C>
std::size_t operations(const C& c, const pv::Operand& x) {
    std::shared_ptr<const pv::Program> keep;
    const std::vector<const pv::Operand*> inputs{&x};
    const pv::TracedOutputs traced = c.function()->program_for(inputs, keep).traced();
    // In the order in which they are printed, by number.
    std::vector<const pv::Node*> nodes{traced.placeholders[0].get()};
    for (const pv::Node* const node : pv::nodes_below(traced.outputs))
        if (node != nodes[0]) nodes.push_back(node);
    std::ostringstream printed;
    printed << c;
    std::set<const pv::Node*> kept_ones;
    std::istringstream lines(printed.str());
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t number = line.find('%');
            line.starts_with("stage") && number != std::string::npos)
            kept_ones.insert(nodes.at(std::stoul(line.substr(number + 1))));
    REQUIRE_FALSE(kept_ones.empty());

    std::size_t sum = 0;
    for (const pv::Node* const stage : kept_ones) {
        std::set<const pv::Node*> seen{stage};
        std::vector<const pv::Node*> open{stage};
        while (!open.empty()) {
            const pv::Node& node = *open.back();
            open.pop_back();
            for (std::size_t k = 0; k < pv::operand_count(node); ++k)
                if (const pv::Node& below = pv::node_below(node, k);
                    !kept_ones.contains(&below) && seen.insert(&below).second)
                    open.push_back(&below);
        }
        sum += seen.size();
    }
    return sum;
}

/// Whether twice as many steps are twice as many operations, of a loop and of its gradient, at most.
template <typename Loop>
void check_constant(const Loop& loop_of, index_t size) {
    CAPTURE(size);
    const pv::Tensor<double> x = numbers({size}, 4);
    const auto check = [&](const auto& few, const auto& many) {
        const std::size_t count = operations(few, x.operand());
        // What is quadratic is four times as many.
        CHECK(operations(many, x.operand()) < count * 9 / 4);
        CHECK(count < 5000);
    };
    check(loop_of(100, size), loop_of(200, size));
    check(pv::gradient(loop_of(100, size)), pv::gradient(loop_of(200, size)));
}

/// A loop of steps of two arrays, each of what both were.
template <typename F>
auto loop_of_two(int steps, index_t size, const F& f) {
    return pv::computation(
        [=](auto x) {
            pv::Symbol<double> v(x * 1.0), w(0.5 * x);
            for (int t = 0; t < steps; ++t) std::tie(v, w) = f(v, w);
            return pv::sum(v * v + w);
        },
        pv::spec<double>({size}));
}

} // namespace

TEST_CASE("steps of loops with small pieces equal the same one by one") {
    const auto inner = [](const auto& x) {
        return x(pv::range(1, x.shape()[0] - 1), pv::range(1, x.shape()[1] - 1));
    };
    check_steps("zeros around a box", {6, 7}, 40, [&](auto x) {
        return 0.5 * x + pv::pad(inner(x), {{1, 1}, {1, 1}});
    });
    check_steps("values around rows of three axes", {3, 4, 5}, 20, [](auto x) {
        return 0.25 * pv::pad(x(pv::range(0, 2), pv::all, pv::range(1, 4)),
                              {{0, 1}, {0, 0}, {1, 1}}, pv::PadMode::constant, 2.0) +
               0.5 * x;
    });
    for (const pv::PadMode mode :
         {pv::PadMode::edge, pv::PadMode::reflect, pv::PadMode::symmetric, pv::PadMode::wrap})
        check_steps("modes", {6, 7}, 20, [&](auto x) {
            return 0.5 * pv::sin(x) + 0.5 * pv::pad(inner(x), {{1, 1}, {1, 1}}, mode);
        });
    check_steps("pieces of pieces", {8}, 30, [](auto x) {
        const auto halves = pv::concat(x(pv::range(4, 8)), x(pv::range(0, 4)), 0);
        return 0.5 * (x + pv::pad(halves(pv::range(1, 7)), {{1, 1}}));
    });
    check_steps("other sizes at each step", {40}, 10, [](auto x) {
        return pv::pad(x(pv::range(1, -1)), {{0, 1}}) * 1.5;
    });
    check_steps("integers and bools between", {9}, 10, [](auto x) {
        const auto whole = pv::cast<std::int16_t>(pv::floor(8.0 * x));
        const auto moved = pv::pad(whole(pv::range(1, 9)), {{0, 1}});
        const auto positive = pv::pad((x > 0.5)(pv::range(0, 8)), {{1, 0}});
        return pv::where(positive, pv::cast<double>(moved) * 0.125, x);
    });
    // more than what is computed by pieces
    check_steps("large pieces", {300, 200}, 3, [&](auto x) {
        return 0.5 * x + pv::pad(inner(x), {{1, 1}, {1, 1}});
    });
}

TEST_CASE("a step takes as much however many were before it") {
    // A wave: its speed is a sum over all steps, that each reads beside what is new.
    const auto steps = [](int count, index_t size = 1000) {
        return pv::computation(
            [count](auto x) {
                auto place = x * 1.0;
                auto speed = x * 0.0;
                for (int t = 0; t < count; ++t) {
                    const auto bend = place(pv::range(2, {})) - 2.0 * place(pv::range(1, -1)) +
                                      place(pv::range(0, -2));
                    speed = pv::Symbol<double>(speed + 0.1 * pv::pad(bend, {{1, 1}}));
                    place = pv::Symbol<double>(place + speed);
                }
                return pv::sum(place * place);
            },
            pv::spec<double>({size}));
    };
    check_constant(steps, 1000);
    CHECK_NOTHROW(pv::check_gradient(steps(24, 30), numbers({30}, 3)));
}

TEST_CASE("of a sum over all steps, of which each reads a part, some are kept") {
    using S = pv::Symbol<double>;
    using State = std::tuple<S, S>;
    const auto check = [](const char* what, const auto& step) {
        CAPTURE(what);
        const auto loop_of = [&](int steps, index_t size) {
            return loop_of_two(steps, size, step);
        };
        check_constant(loop_of, 12);
        check_constant(loop_of, 400);
        CHECK_NOTHROW(pv::check_gradient(loop_of_two(24, 12, step), numbers({12}, 5)));
    };
    const auto first = pv::range(0, 1);
    const auto rest = pv::range(1, {});
    check("concat of a part of each", [=](const S& v, const S& w) -> State {
        return {pv::concat(v(rest) * 0.5, w(first), 0), v + w};
    });
    check("the first of the sum alone", [=](const S& v, const S& w) -> State {
        return {0.5 * v + 0.01 * pv::pad(w(first), {{0, v.shape()[0] - 1}}), 0.1 * v + w};
    });
    check("rows of a stack", [](const S& v, const S& w) -> State {
        const S both(pv::stack({S(0.5 * v), w}));
        return {both(0, pv::all) + 0.1 * pv::flip(S(both(1, pv::all))), 0.1 * v + w};
    });
    check("a list of places", [](const S& v, const S& w) -> State {
        const auto places = pv::tensor<index_t>({3, 1, 2, 0});
        const S moved(pv::take(w, places, 0));
        return {0.5 * v + 0.01 * pv::pad(moved, {{2, v.shape()[0] - 6}}), 0.1 * v + w};
    });
    check("rotated", [](const S& v, const S& w) -> State {
        return {0.5 * pv::roll(v, 1, 0) + 0.01 * w, 0.1 * v + 0.5 * w};
    });
    check("chosen", [](const S& v, const S& w) -> State {
        return {pv::where(pv::flip(v) > 0.5, 0.5 * w, 0.25 * v), 0.1 * v + 0.5 * w};
    });
    const auto three = [=](int steps, index_t size) {
        return pv::computation(
            [=](auto x) {
                S u(x * 1.0), v(0.5 * x), w(0.25 * x);
                for (int t = 0; t < steps; ++t)
                    std::tie(u, v, w) = std::tuple<S, S, S>(pv::concat(u(rest) * 0.5, w(first), 0),
                                                            0.1 * u + v, 0.1 * v + w);
                return pv::sum(u * v + w);
            },
            pv::spec<double>({size}));
    };
    check_constant(three, 30);
    CHECK_NOTHROW(pv::check_gradient(three(20, 30), numbers({30}, 7)));
}

TEST_CASE("Cholesky, column by column, with its gradient") {
    using S = pv::Symbol<double>;
    // The sum of the logarithms of the diagonal: half that of the determinant.
    const auto columns = [](index_t n) {
        return pv::computation(
            [n](auto a) {
                S rest(a * 1.0), sum(0.0 * a(0, 0));
                for (index_t m = n - 1;; --m) {
                    const S root(pv::sqrt(S(rest(0, 0))));
                    sum = S(sum + pv::log(root));
                    if (m == 0) return sum;
                    const S column(rest(pv::range(1, {}), 0) / root);
                    rest = S(rest(pv::range(1, {}), pv::range(1, {})) -
                             pv::reshape(column, {m, 1}) * pv::reshape(column, {1, m}));
                }
            },
            pv::spec<double>({n, n}));
    };
    const auto c = columns(5);
    const auto slope = pv::gradient(c);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const auto part = numbers({5, 5}, seed);
        const pv::Tensor<double> unit(pv::clone(pv::eye<double>(5)));
        const pv::Tensor<double> a(pv::clone(pv::matmul(part, pv::transpose(part)) + 5. * unit));
        for (const auto& each : {a, pv::Tensor<double>(pv::transpose(a)), a}) { // other strides
            // d log det A = tr(A^-1 dA), of which the lower triangle alone is read.
            const auto by = slope(each);
            CHECK(pv::max(pv::abs(pv::matmul(by + pv::transpose(by), a) - unit)) < 1e-12);
            double half = 0;
            auto rest = pv::clone(a);
            for (index_t j = 0; j < 5; ++j) {
                half += 0.5 * std::log(rest(j, j));
                for (index_t i = j + 1; i < 5; ++i)
                    for (index_t k = j + 1; k < 5; ++k)
                        rest(i, k) = rest(i, k) - rest(i, j) * rest(j, k) / rest(j, j);
            }
            CHECK(c(each).item() == Approx(half));
        }
    }
    CHECK_NOTHROW(pv::check_gradient(c, numbers({5, 5}, 4) + 5. * pv::eye<double>(5)));
    // Which elements views leave out is known before a call: by each call it were 155 stages.
    std::ostringstream printed;
    printed << pv::gradient(columns(10));
    std::istringstream lines(printed.str());
    int stages = 0;
    for (std::string line; std::getline(lines, line);) stages += line.starts_with("stage") ? 1 : 0;
    CHECK(stages < 100);
}

TEST_CASE("a computation of equal steps is called by several threads") {
    const auto step = [](auto x) {
        return 0.5 * x + 0.25 * pv::pad(x(pv::range(1, -1)), {{1, 1}}) + 0.125 * pv::roll(x, 1, 0);
    };
    const auto loop = [&](auto x) {
        auto state = kept(x * 1.0);
        for (int t = 0; t < 50; ++t) state = kept(step(state));
        return state;
    };
    const auto c = pv::computation(loop, pv::spec<double>({100}));
    const auto slope = pv::gradient(
        pv::computation([&](auto x) { return pv::sum(pv::sq(loop(x))); }, pv::spec<double>({100})));
    const auto first = numbers({100}, 0);
    const auto by_first = pv::to_vector(slope(first));
    std::vector<std::thread> threads;
    std::vector<int> wrong(8, 0);
    for (std::size_t i = 0; i < wrong.size(); ++i)
        threads.emplace_back([&, i] {
            const auto x = numbers({100}, i);
            const auto expected = pv::to_vector(loop(x));
            for (int k = 0; k < 20; ++k) {
                if (pv::to_vector(c(x)) != expected) ++wrong[i];
                if (pv::to_vector(slope(first)) != by_first) ++wrong[i];
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(8, 0));
}

TEST_CASE("equal stages of other types, shapes and constants are told apart") {
    const auto c = pv::computation(
        [](auto x, auto y) {
            const auto sums = std::tuple(pv::sum(x * 2.0), pv::sum(x * 3.0), pv::sum(y * 2.0),
                                         pv::sum(x(pv::range(1, 4)) * 2.0));
            const auto& [a, b, d, e] = sums;
            // of two operands, in either order, and of one twice
            return std::tuple(x * a - b, x * b - a, y * d, e + pv::sum(x * pv::flip(x)),
                              pv::pad(x(pv::range(1, 3)), {{1, 1}}),
                              pv::pad(x(pv::range(0, 2)), {{0, 2}}));
        },
        pv::spec<double>({4}), pv::spec<double>({2, 2}));
    const auto x = pv::tensor({1., 2., 3., 4.});
    const auto y = pv::tensor<double>({{5, 6}, {7, 8}});
    const auto [p, q, r, s, t, u] = c(x, y);
    using Vector = std::vector<double>;
    CHECK(pv::to_vector(p) == Vector{-10, 10, 30, 50});
    CHECK(pv::to_vector(q) == Vector{10, 40, 70, 100});
    CHECK(pv::to_vector(r) == Vector{260, 312, 364, 416});
    CHECK(s == 18 + 20);
    CHECK(pv::to_vector(t) == Vector{0, 2, 3, 0});
    CHECK(pv::to_vector(u) == Vector{1, 2, 0, 0});
}

} // namespace computation_steps_test
