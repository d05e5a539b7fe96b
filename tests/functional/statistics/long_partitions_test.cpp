#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <limits>
#include <type_traits>

namespace long_partitions_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::Twins;
using pv::index_t;

template <typename T>
T value(Random& random) {
    if constexpr (std::is_floating_point_v<T>) {
        const auto kind = random.between(0, 9);
        if (kind == 0) return std::numeric_limits<T>::quiet_NaN();
        if (kind < 3) return kind == 1 ? T{0} : -T{0};
        return static_cast<T>(random.between(-200, 200)) / T{8};
    } else {
        return static_cast<T>(random.between(0, 300));
    }
}

} // namespace

TEMPLATE_TEST_CASE("argpartition of one long lane is that in memory", "", double, float,
                   std::int64_t, std::uint8_t, bool) {
    using T = TestType;
    Random random(31);
    const auto [shape, chunk, axis] = GENERATE(table<pv::Shape, pv::Shape, index_t>(
        {{{40'000}, {700}, 0}, {{2, 30'000}, {1, 900}, 1}, {{40'000, 2}, {600, 2}, 0}}));
    const Twins<T> twins(shape, chunk, [&](index_t) { return value<T>(random); });
    const index_t length = shape[static_cast<std::size_t>(axis)];
    for (const auto order : {pv::ascending, pv::descending})
        for (const index_t kth :
             {index_t{0}, length / 3, length - 2, index_t{-1}, random.between(0, length - 1)})
            for (const index_t bytes : {14'000, 60'000}) {
                INFO("element " << kth << ", " << bytes << " bytes");
                const auto expected = pv::argpartition(twins.memory, kth, axis, order);
                const MemoryLimit limit(bytes);
                twins.forget();
                const auto made = pv::argpartition(twins.chunks, kth, axis, order);
                CHECK((pv::to_vector(made) == pv::to_vector(expected)));
                CHECK(made.operand().node->reads(pv::Below::blocks) ==
                      (8 * twins.memory.size() > bytes &&
                       index_t{sizeof(T)} * twins.memory.size() > bytes / 2));
                CHECK(pv::chunk_statistics().peak_bytes <= bytes);
            }
}

TEST_CASE("argpartition of one long lane reads each chunk four or five times") {
    Random random(32);
    const Twins<double> twins({1'500'000}, {50'000}, [&](index_t) {
        return static_cast<double>(random.between(0, 1'000'000'000));
    });
    const auto expected = pv::argpartition(twins.memory, 700'000);
    const MemoryLimit limit(5 << 20);
    const int reads = twins.reads_of([&] {
        CHECK((pv::to_vector(pv::argpartition(twins.chunks, 700'000)) == pv::to_vector(expected)));
    });
    CHECK(reads <= 5 * 30);
    CHECK(pv::chunk_statistics().peak_bytes <= 5 << 20);
    CHECK_THROWS_AS(pv::argpartition(twins.chunks, 1'500'000), pv::IndexError);
}

} // namespace long_partitions_test
