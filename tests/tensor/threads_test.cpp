#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace threads_test {

// Reading any tensor from several threads at once is safe.

namespace {

namespace pv = purview;

/// Runs a check on several threads, which begin together; Catch's macros are not for threads.
template <typename F>
int failures_on_threads(F check) {
    std::atomic<int> failures{0};
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id)
        threads.emplace_back([&, id] {
            ++ready;
            while (ready < 4) std::this_thread::yield();
            for (int round = 0; round < 30; ++round)
                if (!check(id + round)) ++failures;
        });
    for (auto& thread : threads) thread.join();
    return failures;
}

} // namespace

TEST_CASE("handles are copied, read and dropped on several threads") {
    const auto x = pv::reshape(pv::arange(6000.0), {60, 100});
    const auto y = pv::sq(pv::transpose(x)) + pv::rotate(pv::transpose(x), {3, 7});
    const double expected = pv::sum(y);
    const double element = y(17, 31);
    CHECK(failures_on_threads([&](int) {
              const auto copy = y;
              const auto view = copy(pv::range(10, 20), pv::all);
              return pv::sum(copy) == expected && copy(17, 31) == element && view(7, 31) == element;
          }) == 0);
}

TEST_CASE("one evaluation is read from several threads") {
    const auto x = pv::arange(20'000);
    const auto y = pv::flip(x * 2) + x;
    const pv::Evaluation evaluation(y.operand());
    REQUIRE(evaluation.is_thread_safe());
    CHECK(failures_on_threads([&](int offset) {
              std::vector<std::int32_t> block(3000);
              const pv::index_t begin = offset * 100;
              evaluation.read(begin, 3000, block.data());
              for (pv::index_t i = 0; i < 3000; ++i)
                  if (block[static_cast<std::size_t>(i)] != 2 * (19'999 - begin - i) + begin + i)
                      return false;
              return true;
          }) == 0);
}

TEST_CASE("iterators and readers of one tensor on several threads") {
    const auto y = pv::reshape(pv::arange(5000), {50, 100})(pv::all, pv::range(0, 100, 3)) * 3;
    const auto reader = pv::as_reader(y);
    const auto begin = y.begin();
    CHECK(failures_on_threads([&](int i) {
              return reader->read(i) == begin[i] && y(1, i % 34) == reader->read(34 + i % 34);
          }) == 0);
}

TEST_CASE("the inverse of an index list is built once, whoever asks first") {
    for (int round = 0; round < 10; ++round) {
        const auto x = pv::arange(1000);
        std::vector<pv::index_t> list;
        for (pv::index_t i = 0; i < 1000; ++i) list.push_back((i * 7) % 1000);
        const auto view = x(list);
        CHECK(failures_on_threads([&](int i) {
                  return !view.is_read_only() && pv::may_overlap(view, x) &&
                         view(i) == 7 * i % 1000;
              }) == 0);
    }
}

TEST_CASE("user functions and strings are read from several threads") {
    const auto computed = pv::compute_tensor({100, 100}, [](pv::index_t i, pv::index_t j) {
        return std::to_string(i) + ", " + std::to_string(j) + ": longer than what fits inside";
    });
    const auto joined = computed + pv::transpose(computed);
    const std::string expected = computed(3, 4) + computed(4, 3);
    CHECK(failures_on_threads([&](int) {
              return joined(3, 4) == expected && pv::clone(joined(3, pv::all))(4) == expected;
          }) == 0);
}

} // namespace threads_test
