#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace lazy_loops_test {

namespace pv = purview;
using pv::index_t;

/// Calls of the function that each step applies.
std::atomic<index_t> calls = 0;

pv::Tensor<double> counted(const pv::Tensor<double>& x) {
    return pv::emap(
        [](double v) {
            ++calls;
            return std::sqrt(v * v + 1) - 0.5 * v;
        },
        x);
}

pv::MutableTensor<double> start(const pv::Shape& shape) {
    auto u = pv::zeros<double>(shape);
    index_t i = 0;
    for (auto element : u) element = 0.1 * static_cast<double>(++i * 37 % 101);
    return u;
}

using Field = pv::Tensor<double>;
using Step = std::function<Field(const Field&)>;

struct Loop {
    const char* name;
    pv::Shape shape;
    Step step;
};

const std::vector<Loop>& loops() {
    static const std::vector<Loop> all = {
        {"pad",
         {12, 10},
         [](const Field& u) {
             const index_t n = u.shape()[0], m = u.shape()[1];
             const auto rows = pv::range(1, n - 1), columns = pv::range(1, m - 1);
             return counted(u(pv::range(0, n - 2), columns) + u(pv::range(2, n), columns) +
                            u(rows, pv::range(0, m - 2)) + u(rows, pv::range(2, m)) * 0.5) |
                    pv::pad(1, pv::PadMode::edge);
         }},
        {"pad with zeros",
         {90},
         [](const Field& u) {
             const index_t n = u.shape()[0];
             return counted(u(pv::range(0, n - 1)) - u(pv::range(1, n)) * 0.3) |
                    pv::pad(pv::PadWidths{{1, 0}});
         }},
        {"take",
         {70},
         [](const Field& u) {
             std::vector<index_t> there, back;
             for (index_t i = 0; i < 70; ++i) {
                 there.push_back(i * 7 % 70);
                 back.push_back(69 - i);
             }
             return counted(pv::take(u, pv::tensor(there)) * 0.5 +
                            pv::take(u, pv::tensor(back)) * 0.25);
         }},
        {"take at computed indexes",
         {70},
         [](const Field& u) {
             const auto at = pv::unchecked_cast<std::int64_t>(pv::abs(u) * 3.) % 70;
             return counted(pv::take(u, at) * 0.5 + u);
         }},
        {"concat",
         {80},
         [](const Field& u) {
             return counted(pv::concat(u(pv::range(40, 80)), u(pv::range(0, 40))) * 0.5 + u);
         }},
        {"stack",
         {40, 2},
         [](const Field& u) {
             const pv::Tensor<double> x = u(pv::all, 0), y = u(pv::all, 1);
             return counted(pv::stack(x + y, x - y * 0.5) | pv::transpose({1, 0}));
         }},
        {"tile",
         {60},
         [](const Field& u) {
             return counted((u(pv::range(0, 30)) | pv::tile({2})) * 0.5 +
                            (u(pv::range(30, 60)) | pv::tile({2})));
         }},
        {"pieces chosen by where",
         {50},
         [](const Field& u) {
             const auto x = pv::concat(u(pv::range(1, 50)), u(pv::range(0, 1)));
             return counted(pv::where(u > x, u * 0.5, x + 0.25));
         }},
        {"roll",
         {64},
         [](const Field& u) { return counted(pv::roll(u, 1, 0) * 0.5 + pv::roll(u, -1, 0)); }},
        {"rotate, transpose and flip",
         {8, 8},
         [](const Field& u) {
             return counted((u | pv::transpose({1, 0}) | pv::rotate({1, 0})) * 0.5 +
                            (u | pv::flip({0})) - (u | pv::rotate({0, 3})) * 0.125);
         }},
        {"windows",
         {66},
         [](const Field& u) {
             const pv::Tensor<double> windows = u | pv::sliding_window(0, 3);
             return counted(windows(pv::all, 0) * 0.25 + windows(pv::all, 1) * 0.5 +
                            windows(pv::all, 2) * 0.25) |
                    pv::pad(1, pv::PadMode::reflect);
         }},
    };
    return all;
}

TEST_CASE("A lazy loop of k steps costs O(k)") {
    for (const Loop& loop : loops()) {
        const auto u0 = start(loop.shape);
        pv::Tensor<double> lazy = u0;
        pv::Tensor<double> eager = u0;
        for (int steps = 1; steps <= 40; ++steps) {
            lazy = loop.step(lazy);
            eager = pv::clone(loop.step(eager));
            if (steps != 1 && steps != 5 && steps != 11 && steps != 40) continue;
            INFO(loop.name << ", " << steps << " steps");
            calls = 0;
            const auto realised = pv::clone(lazy);
            CHECK(calls <= 4 * steps * u0.size());
            CHECK(pv::equals(realised, eager));
        }
    }
}

TEST_CASE("A lazy loop of k steps is printed, read by element and reduced in O(k)") {
    index_t explained = 0;
    for (const Loop& loop : loops()) {
        const auto u0 = start(loop.shape);
        Field lazy = u0;
        Field eager = u0;
        constexpr index_t kSteps = 30;
        for (index_t k = 0; k < kSteps; ++k) {
            lazy = loop.step(lazy);
            eager = pv::clone(loop.step(eager));
        }
        INFO(loop.name);
        const auto within = [&](auto&& work) {
            calls = 0;
            work();
            CHECK(calls <= 4 * kSteps * u0.size());
        };
        const auto text = [](const Field& u) {
            std::ostringstream out;
            out << u;
            return out.str();
        };
        within([&] {
            const auto flat = [](const Field& u) { return u | pv::reshape({-1}); };
            CHECK(double(flat(lazy)(20)) == double(flat(eager)(20)));
        });
        within([&] { CHECK(text(lazy) == text(eager)); });
        within([&] { CHECK(pv::sum(lazy) == pv::sum(eager)); });
        within([&] { CHECK(pv::argmax(lazy) == pv::argmax(eager)); });
        within([&] { CHECK(pv::equals(pv::cumsum(lazy, 0), pv::cumsum(eager, 0))); });
        // Sums along an axis are added in the order that suits what they read.
        within([&] { CHECK(pv::max(pv::abs(pv::sum(lazy, {0}) - pv::sum(eager, {0}))) < 1e-9); });
        within([&] { CHECK(pv::equals(pv::argsort(lazy, 0), pv::argsort(eager, 0))); });
        within([&] { CHECK(pv::equals(pv::clone(lazy * 2), pv::clone(eager * 2))); });
        within([&] {
            auto out = pv::zeros<double>(loop.shape);
            pv::copy(lazy, out);
            CHECK(pv::equals(out, eager));
        });
        calls = 0;
        explained += pv::explain(lazy).find("again and again") != std::string::npos ? 1 : 0;
        CHECK(calls == 0);
    }
    // But for the tiles: of tiles of tiles, views are the same few.
    CHECK(explained == std::ssize(loops()) - 1);
}

TEST_CASE("A lazy loop sees what is written later, at each reading") {
    for (const Loop& loop : loops()) {
        INFO(loop.name);
        auto u0 = start(loop.shape);
        Field lazy = u0;
        for (int k = 0; k < 12; ++k) lazy = loop.step(lazy);
        const auto before = pv::clone(lazy);
        for (auto element : u0) element = double(element) + 1;
        Field eager = u0;
        for (int k = 0; k < 12; ++k) eager = pv::clone(loop.step(eager));
        CHECK_FALSE(pv::equals(before, eager));
        CHECK(pv::equals(pv::clone(lazy), eager));
        // Into what is read.
        pv::copy(lazy, u0);
        CHECK(pv::equals(u0, eager));
    }
}

TEST_CASE("An element is read though others cannot be computed") {
    auto divisors = pv::clone(pv::arange<std::int64_t>(1, 61));
    pv::Tensor<std::int64_t> u = divisors;
    for (int k = 0; k < 4; ++k) {
        const auto near = u(pv::range(0, 58)) + u(pv::range(1, 59)) + u(pv::range(2, 60));
        u = (pv::Tensor<std::int64_t>(3600 / near)) | pv::pad(1, pv::PadMode::edge);
    }
    const std::int64_t expected = pv::clone(u)(5);
    divisors(50) = 0, divisors(51) = 0, divisors(52) = 0; // their sum divides
    CHECK_THROWS_AS(pv::clone(u), pv::ArithmeticError);
    CHECK(std::int64_t(u(5)) == expected);
    CHECK(pv::sum(u(pv::range(0, 10))) > 0);
    CHECK_THROWS_AS(pv::clone(u), pv::ArithmeticError);
}

TEST_CASE("Nothing is kept of what is too large, and cheap virtual shapes stay lazy") {
    // 10^9 elements, of which a few are read.
    const pv::Tensor<double> wide = pv::const_tensor(1.5, {1'000'000'000});
    Field u = wide;
    for (int k = 0; k < 6; ++k) {
        const index_t n = u.size();
        u = counted(u(pv::range(0, n - 2)) + u(pv::range(2, n))) | pv::pad(1, pv::PadMode::edge);
    }
    calls = 0;
    CHECK(double(u(500)) == double(u(700)));
    CHECK(calls < 10'000);
    CHECK(double(pv::sum(u(pv::range(1000, 1100)))) > 0);
    CHECK(calls < 20'000);

    // Strings are of no built-in type, so that nothing holds them in between.
    pv::Tensor<std::string> words = pv::tensor({"a", "b", "c"});
    for (int k = 0; k < 3; ++k) words = pv::concat(words(pv::range(1, 3)), words(pv::range(0, 1)));
    CHECK(pv::to_vector(words) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("Gradients of gradients are linear in time") {
    const auto x0 = start({50});
    pv::Tensor<double> lazy = counted(x0);
    pv::Tensor<double> eager = pv::clone(lazy);
    constexpr int kLevels = 24;
    for (int level = 0; level < kLevels; ++level) {
        lazy = counted(pv::gradient1d(lazy));
        eager = pv::clone(counted(pv::gradient1d(eager)));
    }
    calls = 0;
    CHECK(pv::equals(pv::clone(lazy), eager));
    CHECK(calls <= 4 * (kLevels + 1) * x0.size());
    const auto counts = [](const pv::Tensor<double>& x, int levels) {
        pv::Tensor<double> result = x;
        for (int level = 0; level < levels; ++level) result = pv::gradient1d(result);
        return pv::explain(result).size();
    };
    CHECK(counts(x0, 28) < 4 * counts(x0, 14));
}

} // namespace lazy_loops_test
