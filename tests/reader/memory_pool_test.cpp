#include <support/catch.hpp>
#include <support/sanitizers.hpp>

#include <purview/base/errors.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/memory_pool.hpp>
#include <purview/reader/sub_buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#if UNDER_ADDRESS_SANITIZER
# include <sanitizer/asan_interface.h>
#elif !UNDER_THREAD_SANITIZER
# include <cstdio>
# include <sys/resource.h>
# include <unistd.h>
# define ADDRESS_SPACE_CAN_BE_BOUNDED 1
#endif

namespace memory_pool_test {

namespace pv = purview;
using pv::index_t;

constexpr index_t kMiB = index_t{1} << 20;

/// An empty pool with a limit of its own, and what was there before afterwards.
class Limit {
public:
    explicit Limit(index_t bytes) : before_(pv::recycled_memory_limit()) {
        pv::trim_recycled_memory();
        pv::set_recycled_memory_limit(bytes);
    }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;
    ~Limit() {
        pv::trim_recycled_memory();
        pv::set_recycled_memory_limit(before_);
    }

private:
    index_t before_;
};

pv::BufferPtr<std::uint8_t> bytes(index_t n) {
    return pv::allocate_uninitialized_buffer<std::uint8_t>(n);
}

const void* allocate_and_free(index_t n) { return bytes(n)->memory().data; }

std::uint8_t* data(const pv::BufferPtr<std::uint8_t>& buffer) {
    return static_cast<std::uint8_t*>(buffer->writable_memory().data);
}

TEST_CASE("A large buffer is recycled when its last owner goes") {
    const Limit limit(64 * kMiB);
    auto buffer = bytes(8 * kMiB);
    const void* const first = buffer->memory().data;
    pv::ReaderPtr<std::uint8_t> view = pv::sub_buffer(buffer, 100, 1000);
    std::memset(data(buffer), 7, static_cast<std::size_t>(8 * kMiB));
    buffer.reset();
    CHECK(pv::recycled_memory() == 0);
    CHECK(view->read(999) == 7);
    view.reset();
    CHECK(pv::recycled_memory() == 8 * kMiB);

    // Of a size that differs by up to a quarter, and of any type.
    const auto next = pv::allocate_uninitialized_buffer<double>(7 * kMiB / 8);
    CHECK(next->memory().data == first);
    CHECK(next->storage().bytes == 7 * kMiB);
    CHECK(pv::recycled_memory() == 0);
}

TEST_CASE("What differs more is not reused") {
    const Limit limit(64 * kMiB);
    allocate_and_free(16 * kMiB);
    const auto smaller = bytes(12 * kMiB);
    const auto larger = bytes(17 * kMiB);
    CHECK(pv::recycled_memory() == 16 * kMiB);
    const auto fits = bytes(13 * kMiB);
    CHECK(pv::recycled_memory() == 0);
}

TEST_CASE("With one block alive at a time, one of each size class is kept at most") {
    const Limit limit(1024 * kMiB);
    for (int round = 0; round < 300; ++round)
        pv::allocate_uninitialized_buffer<float>(1'100'000)->write(0, 1.f);
    CHECK(pv::recycled_memory() == 6 * kMiB);

    pv::trim_recycled_memory();
    std::mt19937_64 random(20261121);
    std::set<index_t> classes;
    for (int round = 0; round < 2000; ++round) {
        const index_t n = std::uniform_int_distribution<index_t>(4 * kMiB, 26 * kMiB)(random);
        classes.insert((n + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB));
        allocate_and_free(n);
        // What fits nothing that is kept is of a class of its own.
        REQUIRE(pv::recycled_memory() <=
                std::accumulate(classes.begin(), classes.end(), index_t{0}));
        REQUIRE(pv::recycled_memory() >= n);
    }
    // Each size fits what was made for it.
    for (index_t n = 4 * kMiB; n <= 26 * kMiB; n += kMiB / 5) {
        pv::trim_recycled_memory();
        const void* const first = allocate_and_free(n);
        const index_t kept = pv::recycled_memory();
        CHECK(allocate_and_free(n) == first);
        CHECK(pv::recycled_memory() == kept);
    }
}

TEST_CASE("The best fit is reused first") {
    const Limit limit(128 * kMiB);
    std::vector<pv::BufferPtr<std::uint8_t>> buffers;
    for (const index_t n : {20, 16, 18}) buffers.push_back(bytes(n * kMiB));
    const void* const best = buffers[1]->memory().data;
    buffers.clear();
    CHECK(pv::recycled_memory() == 54 * kMiB);
    CHECK(bytes(16 * kMiB)->memory().data == best);
    CHECK(bytes(15 * kMiB)->memory().data == best);
    CHECK(bytes(17 * kMiB)->memory().data != best);
}

TEST_CASE("Recycled memory is cleared where zeros are promised") {
    const Limit limit(64 * kMiB);
    for (const index_t n : {4 * kMiB, 4 * kMiB + 1, 5 * kMiB + 17, 6 * kMiB}) {
        for (int round = 0; round < 2; ++round) {
            const auto zeroed = pv::allocate_buffer<std::uint8_t>(n);
            CHECK(std::all_of(data(zeroed), data(zeroed) + n, [](auto x) { return x == 0; }));
            std::memset(data(zeroed), 255, static_cast<std::size_t>(n));
        }
    }
    for (const index_t n : {1, 100, 70000, 3000000}) {
        const auto small = pv::allocate_buffer<std::uint8_t>(n);
        CHECK(std::all_of(data(small), data(small) + n, [](auto x) { return x == 0; }));
        std::memset(data(small), 255, static_cast<std::size_t>(n));
    }
}

TEST_CASE("Buffers of less than 32 KiB are not kept") {
    const Limit limit(64 * kMiB);
    allocate_and_free(31 * 1024);
    CHECK(pv::recycled_memory() == 0);
    allocate_and_free(pv::kLargeBytes);
    CHECK(pv::recycled_memory() == pv::kLargeBytes);
}

TEST_CASE("Blocks of the heap are kept for requests of their size, two at a time") {
    const Limit limit(512 * kMiB);
    for (const index_t n : {index_t{32768}, index_t{100'000}, kMiB, 2 * kMiB, index_t{4'000'000},
                            pv::kLargeBytes - 1}) {
        CAPTURE(n);
        pv::trim_recycled_memory();
        const void* first = nullptr;
        const void* second = nullptr;
        {
            const auto a = bytes(n), b = bytes(n);
            first = a->memory().data;
            second = b->memory().data;
        }
        const index_t kept = pv::recycled_memory();
        CHECK(kept >= 2 * n);
        CHECK(kept <= 2 * n + 2 * n / 8 + 4096);
        const auto a = bytes(n), b = bytes(std::min(n + n / 64, pv::kLargeBytes - 1));
        CHECK(pv::recycled_memory() == 0);
        CHECK(std::set{a->memory().data, b->memory().data} == std::set{first, second});
        for (const auto& each : {a, b}) std::memset(data(each), 1, static_cast<std::size_t>(n));
    }
}

TEST_CASE("Blocks of the heap are kept up to 64 MiB, the longest unused goes first") {
    const Limit limit(512 * kMiB);
    const auto large = allocate_and_free(8 * kMiB);
    std::vector<pv::BufferPtr<std::uint8_t>> all;
    for (int i = 0; i < 40; ++i) all.push_back(bytes(2 * kMiB));
    all.clear();
    CHECK(pv::recycled_memory() > 64 * kMiB);
    CHECK(pv::recycled_memory() <= (64 + 8) * kMiB);
    CHECK(bytes(8 * kMiB)->memory().data == large);
    pv::set_recycled_memory_limit(13 * kMiB);
    CHECK(pv::recycled_memory() <= 13 * kMiB);
    CHECK(pv::recycled_memory() > 10 * kMiB);
    pv::set_recycled_memory_limit(0);
    CHECK(pv::recycled_memory() == 0);
    allocate_and_free(2 * kMiB);
    CHECK(pv::recycled_memory() == 0);
}

TEST_CASE("Blocks of the heap push out no large one") {
    const Limit limit(512 * kMiB);
    const auto large = allocate_and_free(8 * kMiB);
    std::vector<pv::BufferPtr<std::uint8_t>> all;
    for (int i = 0; i < 300; ++i) all.push_back(bytes(40'000));
    all.clear();
    CHECK(pv::recycled_memory() > (8 + 9) * kMiB);
    CHECK(bytes(8 * kMiB)->memory().data == large);
}

TEST_CASE("Recycled memory stays within its limit, the longest unused goes first") {
    const Limit limit(24 * kMiB);
    allocate_and_free(26 * kMiB);
    CHECK(pv::recycled_memory() == 0);
    {
        auto a = bytes(8 * kMiB), b = bytes(10 * kMiB), c = bytes(14 * kMiB);
        a.reset();
        b.reset();
        CHECK(pv::recycled_memory() == 18 * kMiB);
        c.reset();
        CHECK(pv::recycled_memory() == 24 * kMiB); // a went
    }
    pv::set_recycled_memory_limit(23 * kMiB);
    CHECK(pv::recycled_memory() == 14 * kMiB); // b went
    pv::trim_recycled_memory();
    CHECK(pv::recycled_memory() == 0);
    CHECK(pv::recycled_memory_limit() == 23 * kMiB);

    allocate_and_free(8 * kMiB);
    CHECK(pv::recycled_memory() == 8 * kMiB);
    pv::set_recycled_memory_limit(0);
    CHECK(pv::recycled_memory() == 0);
    allocate_and_free(8 * kMiB);
    CHECK(pv::recycled_memory() == 0);
    CHECK_THROWS_AS(pv::set_recycled_memory_limit(-1), pv::ShapeError);
    CHECK(pv::recycled_memory_limit() == 0);
}

TEST_CASE("No more than so many blocks are kept") {
    const Limit limit(std::numeric_limits<index_t>::max());
    std::vector<pv::BufferPtr<std::uint8_t>> buffers;
    for (int i = 0; i < 300; ++i) buffers.push_back(bytes(4 * kMiB));
    buffers.clear();
    CHECK(pv::recycled_memory() > 0);
    CHECK(pv::recycled_memory() < 300 * 4 * kMiB);
}

TEST_CASE("Elements are aligned, large ones to huge pages") {
    const Limit limit(64 * kMiB);
    for (const index_t n : {0, 1, 3, 63, 64, 65, 1000, 100000, 4000000})
        for (int i = 0; i < 3; ++i) {
            const auto buffer = bytes(n);
            CHECK(reinterpret_cast<std::uintptr_t>(buffer->memory().data) % 64 == 0);
            std::memset(data(buffer), 1, static_cast<std::size_t>(n));
        }
    for (const index_t n : {4 * kMiB, 5 * kMiB + 3, 33 * kMiB}) {
        const auto buffer = bytes(n);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer->memory().data) %
                  static_cast<std::uintptr_t>(2 * kMiB) ==
              0);
        data(buffer)[n - 1] = 1;
    }
    for (const index_t alignment : {64 * index_t{1}, 4096 * index_t{1}, 8 * kMiB})
        for (const index_t n : {index_t{0}, index_t{5}, 5 * kMiB}) {
            const auto memory = pv::allocate_zeroed_bytes(n, alignment);
            CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) %
                      static_cast<std::uintptr_t>(alignment) ==
                  0);
            std::memset(memory.get(), 1, static_cast<std::size_t>(n));
        }
}

TEST_CASE("Sizes that cannot be had leave everything as it was") {
    const Limit limit(64 * kMiB);
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    CHECK_THROWS_AS(pv::allocate_buffer<double>(-1), pv::ShapeError);
    CHECK_THROWS_AS(pv::allocate_buffer<double>(kMax / 8 + 1), pv::ShapeError);
    CHECK_THROWS_AS(pv::allocate_buffer<double>(kMax / 8), std::bad_alloc);
    CHECK_THROWS_AS(pv::allocate_uninitialized_buffer<std::uint8_t>(kMax), std::bad_alloc);
    CHECK_THROWS_AS(pv::allocate_uninitialized_buffer<std::uint8_t>(kMax / 4), std::bad_alloc);
    CHECK_THROWS_AS(pv::allocate_buffer<std::string>(kMax / 64), std::bad_alloc);
    CHECK_THROWS_AS(pv::allocate_bytes(-1), std::bad_alloc);
    CHECK(bytes(5 * kMiB)->size() == 5 * kMiB);
}

TEST_CASE("Large elements of class types live in recycled memory too") {
    const Limit limit(64 * kMiB);
    const index_t n = 200000;
    {
        const auto strings = pv::allocate_buffer<std::string>(n);
        for (const index_t i : {index_t{0}, n / 2, n - 1})
            strings->write(i, std::string(100, static_cast<char>('a' + i % 26)));
        CHECK(strings->read(n - 1).size() == 100);
    }
    CHECK(pv::recycled_memory() >= n * static_cast<index_t>(sizeof(std::string)));
    CHECK(pv::allocate_buffer<std::string>(n)->read(n / 2).empty());
}

/// Freed after `main`, by whatever order static variables have.
pv::BufferPtr<std::uint8_t> outlives_main;

TEST_CASE("A buffer may outlive everything") {
    outlives_main = bytes(9 * kMiB);
    data(outlives_main)[9 * kMiB - 1] = 3;
    CHECK(outlives_main->read(9 * kMiB - 1) == 3);
}

#if UNDER_ADDRESS_SANITIZER
TEST_CASE("The address sanitizer finds what is used after it was freed") {
    CHECK(pv::recycled_memory_limit() == 0);
    const Limit limit(64 * kMiB);
    auto buffer = bytes(8 * kMiB);
    const void* const memory = buffer->memory().data;
    CHECK(__asan_address_is_poisoned(memory) == 0);
    buffer.reset();
    CHECK(__asan_address_is_poisoned(memory) != 0);
    CHECK(bytes(8 * kMiB - 1)->memory().data == memory);

    for (const index_t n : {index_t{3}, index_t{64}, 5 * kMiB}) {
        const auto around = bytes(n);
        const std::uint8_t* const first = data(around);
        CHECK(__asan_address_is_poisoned(first - 1) != 0);
        CHECK(__asan_region_is_poisoned(data(around), static_cast<std::size_t>(n)) == nullptr);
        CHECK(__asan_address_is_poisoned(first + n) != 0);
    }
}
#endif

#ifdef ADDRESS_SPACE_CAN_BE_BOUNDED
TEST_CASE("What is kept is released when memory runs short") {
    const Limit limit(512 * kMiB);
    allocate_and_free(256 * kMiB);
    REQUIRE(pv::recycled_memory() == 256 * kMiB);

    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    REQUIRE((file != nullptr && std::fscanf(file, "%lu", &pages) == 1));
    std::fclose(file);
    const auto used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    rlimit bounded = before;
    bounded.rlim_cur = used + (rlim_t{64} << 20);
    REQUIRE(::setrlimit(RLIMIT_AS, &bounded) == 0);

    index_t size = 0;
    bool refused = false;
    try {
        size = bytes(300 * kMiB)->size();
        bytes(600 * kMiB);
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    ::setrlimit(RLIMIT_AS, &before);
    CHECK(size == 300 * kMiB);
    CHECK(refused);
    CHECK(pv::recycled_memory() == 0);
    CHECK(bytes(600 * kMiB)->size() == 600 * kMiB);
}
#endif

/// Run by ctest also in processes of their own, with a variable and what it should mean.
TEST_CASE("The environment says how much is kept", "[recycled_memory_variable]") {
    const char* const variable = std::getenv("EXPECTED_LIMIT");
    const std::string expected = variable == nullptr ? "" : variable;
    if (expected == "error") {
        CHECK_THROWS_AS(pv::recycled_memory_limit(), pv::Error);
        CHECK_THROWS_AS(bytes(5 * kMiB), pv::Error);
    } else if (!expected.empty()) {
        CHECK(pv::recycled_memory_limit() == std::stoll(expected));
    } else {
        CHECK(pv::recycled_memory_limit() >= 0);
        CHECK(pv::recycled_memory_limit() <= 1024 * kMiB);
    }
}

} // namespace memory_pool_test
