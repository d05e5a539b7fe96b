#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace computed_iterators_test {

namespace pv = purview;
using pv::index_t;

std::atomic<index_t> calls = 0;

auto counted(index_t n) {
    calls = 0;
    return pv::emap(
        [](double v) {
            ++calls;
            return 2 * v;
        },
        pv::arange(static_cast<double>(n)));
}

double at(index_t i) { return 2 * static_cast<double>(i); }

TEST_CASE("a walk over what is computed computes each element once", "[tensor]") {
    for (const index_t n : {0, 1, 2, 9, 73, 74, 600, 1170, 1171, 2341, 5000, 9000}) {
        const auto x = counted(n);
        index_t i = 0;
        for (const double v : x) REQUIRE(v == at(i++));
        CHECK(i == n);
        CHECK(calls == n);
    }
}

TEST_CASE("a walk that ends early has computed a few elements too many at most", "[tensor]") {
    for (const index_t stop : {0, 1, 5, 40, 700}) {
        const auto x = counted(100000);
        const auto found = std::find(x.begin(), x.end(), at(stop));
        CHECK(found - x.begin() == stop);
        CHECK(calls >= stop + 1);
        CHECK(calls <= std::max<index_t>(9 * stop + 2, 1));
        CHECK(calls <= stop + 1 + 512);
    }
}

TEST_CASE("a walk that ends late has computed no more than twice of what it read", "[tensor]") {
    for (const index_t stop : {584, 585, 1169, 1170, 2340, 20000}) {
        const auto x = counted(100000);
        index_t i = 0;
        for (auto it = x.begin(); i <= stop; ++it) REQUIRE(*it == at(i++));
        CHECK(calls <= 2 * (stop + 1));
        CHECK(calls <= stop + 1 + 2048);
    }
    const auto x = counted(100000);
    auto it = x.begin() + 50000; // not that much lies behind it that was read
    for (index_t i = 50000; i < 53000; ++i, ++it) REQUIRE(*it == at(i));
    CHECK(calls <= 3000 + 2048);
}

TEST_CASE("iterators over what is computed are independent, and go anywhere", "[tensor]") {
    const index_t n = 3000;
    const auto x = counted(n);
    auto a = x.begin();
    for (index_t i = 0; i < 100; ++i, ++a) REQUIRE(*a == at(i));
    auto b = a;
    for (index_t i = 100; i < 900; ++i, ++b) REQUIRE(*b == at(i));
    REQUIRE(*a == at(100));
    for (index_t i = 100; i < 400; ++i, ++a) REQUIRE(*a == at(i));
    REQUIRE(*b == at(900));
    CHECK(b - a == 500);
    CHECK(a[7] == at(407));
    CHECK(a[-400] == at(0));
    CHECK(*(a + 2500) == at(2900));
    CHECK(*(a - 1) == at(399));
    a += 1000;
    CHECK(*a == at(1400));
    CHECK(*a++ == at(1400));
    CHECK(*a == at(1401));
    CHECK(*--a == at(1400));
    for (index_t i = 1400; i < n; ++i) REQUIRE(*a++ == at(i));
    CHECK(a == x.end());
    auto r = x.end();
    for (index_t i = n; i-- > 0;) REQUIRE(*--r == at(i));
    CHECK(r == x.begin());
    for (index_t i = 0; i < n; i += 3, r += std::min<index_t>(3, n - i)) REQUIRE(*r == at(i));
    CHECK(std::lower_bound(x.begin(), x.end(), at(777)) - x.begin() == 777);
    std::vector<double> all(x.begin(), x.end());
    CHECK(std::equal(all.begin(), all.end(), x.begin()));
    CHECK(std::accumulate(x.begin() + 1, x.begin() + 3, 0.) == at(1) + at(2));
}

TEST_CASE("iterators alone keep what they read", "[tensor]") {
    auto [first, last] = [] {
        const auto x = counted(200);
        return std::pair(x.begin(), x.end());
    }();
    index_t i = 0;
    for (; first != last; ++first) REQUIRE(*first == at(i++));
    CHECK(i == 200);
    decltype(first) assigned;
    assigned = last - 1;
    CHECK(*assigned == at(199));
}

TEST_CASE("what does not fit is thrown where it stands", "[tensor]") {
    auto x = pv::arange(300.);
    x(20) = 1000;
    const auto bytes = pv::cast<std::uint8_t>(x(pv::range(0, 200)));
    auto it = bytes.begin();
    for (index_t i = 0; i < 20; ++i, ++it) REQUIRE(*it == i);
    CHECK_THROWS_AS(*it, pv::CastError);
    ++it;
    for (index_t i = 21; i < 200; ++i, ++it) REQUIRE(*it == i);
    CHECK(it == bytes.end());
}

TEST_CASE("elements that have been computed do not see later writes, others do", "[tensor]") {
    auto x = pv::zeros({1000});
    const auto y = x + 1.;
    auto it = y.begin();
    CHECK(*it == 1);
    pv::fill(x, 5.);
    CHECK(*it == 1);        // this has been computed
    CHECK(*y.begin() == 6); // by another iterator it is computed now
    CHECK(it[600] == 6);    // as is what lies elsewhere
}

TEST_CASE("elements of any type", "[tensor]") {
    const auto words = pv::emap([](double v) { return std::string(40, char('a' + int(v) % 26)); },
                                pv::arange(100.));
    index_t i = 0;
    for (const std::string& word : words) REQUIRE(word == std::string(40, char('a' + i++ % 26)));
    i = 0;
    for (const bool odd : pv::arange(100) % 2 == 1) REQUIRE(odd == (i++ % 2 == 1));
}

TEST_CASE("one iterator may be read by several threads, and copies walk on their own: threads",
          "[tensor]") {
    const auto x = pv::arange(20000.) * 2.;
    auto shared = x.begin();
    for (index_t i = 0; i < 10; ++i) {
        if (i % 2 == 0) REQUIRE(*shared == at(i));
        ++shared;
    }
    std::atomic<index_t> wrong = 0;
    const auto work = [&](index_t from) {
        for (index_t i = 0; i < 200; ++i) wrong += *shared != at(10);
        auto mine = shared + from;
        for (index_t i = from + 10; i < 20000; ++i, ++mine) wrong += *mine != at(i);
        wrong += shared[from] != at(10 + from);
    };
    std::vector<std::thread> threads;
    for (index_t t = 0; t < 4; ++t) threads.emplace_back(work, 5 * t);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

} // namespace computed_iterators_test
