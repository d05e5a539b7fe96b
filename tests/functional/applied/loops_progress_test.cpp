#include <support/catch.hpp>
#include <support/settings.hpp>
#include <support/stored_chunks.hpp>

#include <purview/evaluation/progress.hpp>
#include <purview/purview.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loops_progress_test {

namespace {

namespace pv = purview;
using oracle::Threads;
using pv::index_t;

constexpr pv::ProgressOptions kEveryPart{.after_seconds = 0, .every_seconds = 0};
constexpr index_t kSteps = 300;

/// The function that steps apply to each element counts its calls.
struct Counted {
    std::shared_ptr<index_t> calls = std::make_shared<index_t>(0);

    auto operator()(const auto& x) const {
        return pv::emap([calls = calls](double v) { return ++*calls, 0.5 * v + 1; }, x);
    }
};

double looped(double x, index_t steps) {
    for (index_t i = 0; i < steps; ++i) x = 0.5 * x + 1;
    return x;
}

/// A loop of 300 steps within other loops, whose results are those of as many steps.
struct Nest {
    std::string name;
    std::function<double(const Counted&)> run;
};

std::vector<Nest> nests() {
    const auto inner = [](const Counted& step) {
        return [step](const auto& u) { return pv::iterate(step, u, kSteps); };
    };
    return {
        {"in a loop", [=](const Counted& step) { return pv::iterate(inner(step), 3., 1); }},
        {"in a loop in a loop",
         [=](const Counted& step) {
             return pv::iterate([&](const auto& u) { return pv::iterate(inner(step), u, 1); }, 3.,
                                1);
         }},
        {"in a choice in a loop",
         [=](const Counted& step) {
             return pv::iterate(
                 [&](const auto& u) {
                     return pv::choose(
                         u > 0, inner(step), [](const auto& v) { return v - 1; }, u);
                 },
                 3., 1);
         }},
        {"iterate_while in a loop",
         [=](const Counted& step) {
             return pv::iterate(
                 [&](const auto& u) {
                     return pv::iterate_while(step, u, [](const auto& now) { return now > 0; },
                                              {.most = kSteps, .or_else = pv::Ended::last})
                         .first;
                 },
                 3., 1);
         }},
        {"scan_over in iterate_while",
         [=](const Counted& step) {
             const auto rows = pv::zeros<double>({kSteps});
             return pv::iterate_while(
                        [&](const auto& u) {
                            return pv::scan_over(
                                       [&](const auto& state, const auto& row) {
                                           return std::pair(step(state) + row, state);
                                       },
                                       u, rows)
                                .first;
                        },
                        3., [](const auto& now) { return now < 0; })
                 .first;
         }},
        {"in a loop of a computation",
         [=](const Counted& step) {
             const auto c =
                 pv::computation([&](const auto& u) { return pv::iterate(inner(step), u, 1); },
                                 pv::spec<double>({}));
             return pv::sum(c(3.));
         }},
    };
}

} // namespace

TEST_CASE("Loops within loops ask whether to go on", "[loops]") {
    for (const auto& [name, run] : nests()) {
        INFO(name);
        index_t told = 0;
        const Counted all;
        {
            const auto registered = pv::on_progress(
                [&](const pv::Progress& progress) {
                    CHECK(progress.fraction >= 0);
                    CHECK(progress.fraction <= 1);
                    ++told;
                },
                kEveryPart);
            CHECK(run(all) == looped(3, kSteps));
        }
        CHECK(*all.calls == kSteps);
        CHECK(told > 4); // after 1, 3, 7 steps, and so on, and at the end

        const Counted some;
        index_t left = 4;
        const auto registered =
            pv::on_progress([&](const pv::Progress&) { return --left > 0; }, kEveryPart);
        CHECK_THROWS_AS(run(some), pv::Cancelled);
        CHECK(*some.calls > 0);
        CHECK(*some.calls < kSteps / 2);
    }
}

TEST_CASE("What a callback throws within loops passes as it is", "[loops]") {
    const auto registered =
        pv::on_progress([](const pv::Progress&) -> bool { throw std::string("own"); }, kEveryPart);
    for (const auto& [name, run] : nests()) {
        INFO(name);
        CHECK_THROWS_AS(run({}), std::string);
    }
}

TEST_CASE("Steps that are taken together ask between their tiles", "[loops][threads]") {
    const auto heat = [](const auto& u) {
        return u + 0.1 * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) - 2 * u);
    };
    const pv::MutableTensor<double> u = pv::sin(pv::arange(1 << 19) * 0.01) | pv::clone;
    const auto last = pv::iterate(heat, u, 8);
    for (const int threads : {1, 3}) {
        const Threads limit(threads);
        index_t told = 0;
        const auto ends = [&](index_t at) {
            return pv::on_progress([&, at](const pv::Progress&) { return ++told != at; },
                                   kEveryPart);
        };
        {
            const auto registered = ends(-1);
            CHECK(pv::equals(pv::iterate(heat, u, 8), last));
        }
        CHECK(told > 10);
        const index_t before = told;
        told = 0;
        const auto registered = ends(3);
        CHECK_THROWS_AS(pv::iterate(heat, u, 8), pv::Cancelled);
        CHECK(told == 3);
        CHECK(before > told);
    }
}

TEST_CASE("explain of a call says how its loop is taken", "[loops]") {
    const auto heat = [](const auto& u) {
        return u + 0.1 * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) - 2 * u);
    };
    const auto large = pv::zeros<double>({1 << 19}), small = pv::zeros<double>({8});
    const auto says = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    says(pv::explain([&] { return pv::iterate(heat, large, 100); }),
         "steps for each time memory is read");
    const std::string single = pv::explain([&] { return pv::iterate(heat, small, 7); });
    says(single, "way: the states stay in the cache");
    CHECK(!single.ends_with("\n\n"));
    const std::string sums = pv::explain(
        [&] { return pv::iterate([](const auto& u) { return u - pv::sum(u); }, small, 7); });
    says(sums, "way: step by step, 7 of them, compiled once, because it has a reduction");
    // What a step reads is computed, or read, before the first one.
    says(pv::explain([&] { return pv::iterate(heat, large * 2.0, 100); }),
         "steps for each time memory is read");
    const auto c =
        pv::computation([&](const auto& x) { return pv::iterate(heat, pv::sin(x * 2.0), 100); },
                        pv::spec<double>({1 << 19}));
    says(pv::explain(c, large), "steps for each time memory is read");
    const oracle::Twins<double> line({1 << 16}, {1 << 12},
                                     [](index_t i) { return 0.5 * static_cast<double>(i); });
    const auto in_chunks = [&] { return pv::iterate(heat, pv::Tensor<double>(line.chunks), 100); };
    says(pv::explain(in_chunks), "way: ");
    {
        const oracle::MemoryLimit limited(1 << 18);
        says(pv::explain(in_chunks), "steps for each time files are read");
    }
    CHECK(line.stored->reads == 0);
    index_t calls = 0;
    const std::string chosen = pv::explain([&] {
        static_cast<void>(pv::choose(
            true, heat, [](const auto& v) { return -v; }, small));
        ++calls;
    });
    says(chosen, "way: one of two functions, by the first operand\nif true:\n");
    CHECK(calls == 0);
}

} // namespace loops_progress_test
