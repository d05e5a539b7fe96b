#include <purview/evaluation/progress.hpp>
#include <purview/purview.hpp>
#include <support/catch.hpp>
#include <support/own_reducers.hpp>
#include <support/settings.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace progress_thread_test {

namespace pv = purview;
using oracle::Threads;

namespace {

constexpr pv::ProgressOptions kEveryPart{.after_seconds = 0, .every_seconds = 0};
constexpr pv::index_t kMany = pv::index_t{1} << 19;

struct Call {
    std::string what;
    std::int64_t step;
    double fraction;
    double elapsed;
};

/// Remembers every call.
struct Calls {
    std::shared_ptr<std::vector<Call>> list = std::make_shared<std::vector<Call>>();

    void operator()(const pv::Progress& progress) const {
        list->push_back({std::string(progress.what), progress.step, progress.fraction,
                         progress.elapsed_seconds});
    }

    /// Within each step fractions rise to 1; steps follow each other.
    void check(const std::string& what) const {
        REQUIRE(!list->empty());
        for (std::size_t i = 0; i < list->size(); ++i) {
            const Call& call = (*list)[i];
            CHECK(call.what == what);
            CHECK(call.fraction > 0);
            CHECK(call.fraction <= 1);
            const bool begins = i == 0 || (*list)[i - 1].fraction == 1;
            if (i == 0) CHECK(call.step == 0);
            if (i == 0) continue;
            CHECK(call.step == (*list)[i - 1].step + (begins ? 1 : 0));
            CHECK(call.elapsed >= (*list)[i - 1].elapsed);
            if (!begins) CHECK(call.fraction > (*list)[i - 1].fraction);
        }
        CHECK(list->back().fraction == 1);
    }
};

/// Stops at a call.
struct StopAt {
    int call;
    std::shared_ptr<int> calls = std::make_shared<int>(0);
    bool operator()(const pv::Progress&) const { return ++*calls < call; }
};

template <typename Work>
void check_told(const std::string& what, Work work) {
    for (const int threads : {1, 4}) {
        const Threads limit(threads);
        INFO(what << " with " << threads << " threads");
        const Calls calls;
        {
            const auto registered = pv::on_progress(calls, kEveryPart);
            work();
        }
        calls.check(what);
        // Of several threads, the one that tells may have had few parts.
        CHECK(calls.list->size() > (threads == 1 ? 2 : 0));
    }
}

pv::MutableTensor<double> numbers(pv::index_t count) {
    return pv::tensor(pv::cast<double>(pv::arange(count)) * 0.5);
}

} // namespace

TEST_CASE("Operations on many elements tell of their progress", "[threads]") {
    const pv::Tensor<double> x = numbers(kMany);
    const pv::Tensor<double> matrix = x | pv::reshape({512, kMany / 512});
    const auto y = pv::zeros<double>({kMany});
    check_told("assignment", [&] { pv::copy(x * 2.0 + 1.0, y); });
    check_told("assignment", [&] { static_cast<void>(pv::tensor(pv::sqrt(x))); });
    check_told("assignment", [&] {
        static_cast<void>(pv::tensor(matrix | pv::transpose({1, 0})));
    });
    check_told("sum", [&] { static_cast<void>(pv::sum(x)); });
    check_told("sum", [&] { static_cast<void>(pv::sum(x * x)); });
    check_told("sum", [&] { static_cast<void>(pv::sum(x | pv::reshape({16, kMany / 16}), 0)); });
    check_told("sum", [&] { static_cast<void>(pv::sum(matrix, 1)); });
    check_told("max", [&] { static_cast<void>(pv::max(matrix, 1)); });
    check_told("sort", [&] { static_cast<void>(pv::argsort(matrix, 1)); });
}

TEST_CASE("Reducers tell of their progress, and end where they are cancelled", "[threads]") {
    const pv::Tensor<double> x = numbers(kMany);
    const pv::Tensor<double> computed = x + 1.0;
    const auto matrix = x | pv::reshape({512, kMany / 512});
    const auto check = [](const std::string& what, auto work) {
        check_told(what, work);
        const Threads one(1); // several may be done before the second call
        const auto registered = pv::on_progress(StopAt{2}, kEveryPart);
        CHECK_THROWS_AS(work(), pv::Cancelled);
    };
    for (const auto& each : {x, computed}) {
        check("variance", [&] { static_cast<void>(pv::variance(each)); });
        check("exact_sum", [&] { static_cast<void>(pv::exact_sum(each)); });
        check("argmax", [&] { static_cast<void>(pv::argmax(each)); });
        check("spread", [&] { static_cast<void>(pv::reduce(each, oracle::spread_of())); });
        check("reduce", [&] {
            static_cast<void>(pv::reduce(each, pv::sum, pv::variance, oracle::spread_of()));
        });
    }
    check("spread", [&] { static_cast<void>(pv::reduce(matrix, 1, oracle::spread_of())); });
    check("skewness", [&] { static_cast<void>(pv::skewness(matrix, 1)); });
    check("approximate_distinct",
          [&] { static_cast<void>(pv::reduce(x, pv::approximate_distinct)); });
}

TEST_CASE("What is told of has the results that it has alone", "[threads]") {
    const pv::Tensor<float> x = pv::cast<float>(pv::sin(numbers(kMany)));
    const pv::Tensor<float> matrix = x | pv::reshape({128, kMany / 128});
    const auto results = [&] {
        return std::array{pv::sum(x),
                          pv::max(x),
                          pv::mean(x * x),
                          pv::sum(pv::sum(matrix, 0) * 0.25F),
                          pv::sum(pv::sum(matrix | pv::transpose({1, 0}), 0)),
                          pv::standard_deviation(x),
                          static_cast<float>(pv::argmax(x)),
                          pv::sum(pv::cumsum(matrix, 1))};
    };
    for (const int threads : {1, 4}) {
        const Threads limit(threads);
        const auto alone = results();
        const auto registered = pv::on_progress([](const pv::Progress&) {}, kEveryPart);
        CHECK(results() == alone);
    }
}

TEST_CASE("A cancelled assignment leaves its destination as it was", "[threads]") {
    std::mt19937 random(7);
    const pv::Tensor<double> x = numbers(kMany);
    for (const int threads : {1, 4}) {
        const Threads limit(threads);
        const auto y = pv::tensor(x - 3.0);
        const auto before = pv::tensor(y);
        const auto same = [&] {
            return std::memcmp(pv::as_span(y).data(), pv::as_span(before).data(),
                               static_cast<std::size_t>(kMany) * sizeof(double)) == 0;
        };
        const auto check = [&](auto assign) {
            const Calls calls;
            {
                const auto registered = pv::on_progress(calls, kEveryPart);
                assign();
            }
            CHECK(!same());
            pv::copy(before, y);
            std::vector<int> stops{1, 2};
            for (int i = 0; i < 4; ++i)
                stops.push_back(std::uniform_int_distribution(1, 4)(random));
            for (const int stop : stops) {
                const StopAt stopping{stop};
                bool cancelled = false;
                try {
                    const auto registered = pv::on_progress(stopping, kEveryPart);
                    assign();
                } catch (const pv::Cancelled&) {
                    cancelled = true;
                }
                // Several threads may be done before the callback has been called so often.
                CHECK(cancelled == (*stopping.calls >= stop));
                CHECK((cancelled || stop > 1));
                CHECK(same() == cancelled);
                pv::copy(before, y);
            }
        };
        check([&] { pv::copy(x * 2.0, y); });
        check([&] { pv::copy(pv::tensor({1.0}), y); });
        check([&] { y += x; });
        check([&] { pv::copy(y | pv::flip(0), y); });
        check([&] { pv::copy(pv::emap([](double v) { return v + 1; }, y), y); });
    }
}

TEST_CASE("The message of Cancelled names the operation", "[threads]") {
    const auto registered = pv::on_progress([](const pv::Progress&) { return false; }, kEveryPart);
    const pv::Tensor<double> x = pv::zeros<double>({kMany});
    CHECK_THROWS_WITH(pv::sum(x), "sum: stopped by the callback of on_progress");
    CHECK_THROWS_AS(pv::tensor(x + 1.0), pv::Error);
}

TEST_CASE("What a callback throws ends the operation", "[threads]") {
    for (const int threads : {1, 4}) {
        const Threads limit(threads);
        const auto y = numbers(kMany);
        const auto registered = pv::on_progress(
            [](const pv::Progress&) { throw std::out_of_range("enough"); }, kEveryPart);
        CHECK_THROWS_AS(pv::copy(y * 2.0, y), std::out_of_range);
        CHECK(y(1) == 0.5);
    }
}

TEST_CASE("Short work is not told of", "[threads]") {
    int calls = 0;
    const auto registered = pv::on_progress([&](const pv::Progress&) { ++calls; },
                                            {.after_seconds = 3600, .every_seconds = 0});
    const auto y = numbers(kMany);
    y += 1.0;
    CHECK(pv::sum(y) > 0);
    CHECK(calls == 0);
}

TEST_CASE("Calls are apart by the least time, but for the last of a step", "[threads]") {
    const pv::Tensor<double> x = numbers(kMany);
    const Calls calls;
    {
        const auto registered = pv::on_progress(calls, {.after_seconds = 0, .every_seconds = 3600});
        static_cast<void>(pv::tensor(x + 1.0));
    }
    calls.check("assignment");
    CHECK(calls.list->size() == 2); // of the first part, and of all
}

TEST_CASE("The innermost registration is called", "[threads]") {
    const pv::Tensor<double> x = numbers(kMany);
    const Calls outer;
    const Calls inner;
    const auto registered = pv::on_progress(outer, kEveryPart);
    {
        const auto nested = pv::on_progress(inner, kEveryPart);
        static_cast<void>(pv::sum(x));
    }
    CHECK(outer.list->empty());
    inner.check("sum");
    const std::size_t inner_calls = inner.list->size();
    static_cast<void>(pv::sum(x));
    CHECK(inner.list->size() == inner_calls);
    outer.check("sum");
}

TEST_CASE("A callback may compute, and is not called for that", "[threads]") {
    const pv::Tensor<double> x = numbers(kMany);
    bool running = false;
    int calls = 0;
    const auto registered = pv::on_progress(
        [&](const pv::Progress&) {
            CHECK(!running);
            running = true;
            CHECK(pv::sum(x * 2.0) > 0);
            running = false;
            ++calls;
        },
        kEveryPart);
    CHECK(pv::max(x) == 0.5 * (kMany - 1));
    CHECK(calls > 1);
}

TEST_CASE("Work of other threads is not told of", "[threads]") {
    const pv::Tensor<double> x = numbers(kMany);
    int calls = 0;
    const auto registered = pv::on_progress([&](const pv::Progress&) { ++calls; }, kEveryPart);
    std::thread([&] { static_cast<void>(pv::sum(x)); }).join();
    CHECK(calls == 0);
}

TEST_CASE("A terminal bar says what, how far and how long", "[threads]") {
    using Bar = pv::TerminalBar;
    CHECK(Bar::text({.what = "sum", .step = 0, .fraction = 0.25, .elapsed_seconds = 3}, 3) ==
          "sum [#######                       ]  25 %  3 s, 9 s left");
    CHECK(Bar::text({.what = "sort", .step = 2, .fraction = 0.5, .elapsed_seconds = 100}, 60) ==
          "sort, step 3 [###############               ]  50 %  1:40 min, 1:00 min left");
    CHECK(Bar::text({.what = "sum", .step = 0, .fraction = 1, .elapsed_seconds = 7200}, 7200) ==
          "sum [##############################] 100 %  2:00 h");
    const auto registered = pv::on_progress(pv::terminal_bar(), kEveryPart);
    CHECK(pv::sum(numbers(kMany)) > 0); // draws nothing where there is no terminal
}

} // namespace progress_thread_test
