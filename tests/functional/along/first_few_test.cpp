#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/with_index.hpp>
#include <purview/tensor/as_span.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace first_few_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

/// Values of which many are equal, of zeros both signs, and a share NaN or the outermost.
template <typename T>
std::vector<T> mixed_values(Random& random, index_t count, bool has_nan) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values(static_cast<std::size_t>(count));
    const index_t range = random.one_in(2) ? 3 : 100;
    for (T& value : values) {
        value = static_cast<T>(random.between(0, range));
        if (random.one_in(9)) value = Limits::lowest();
        if (random.one_in(9)) value = Limits::max();
        if constexpr (std::floating_point<T>) {
            if (random.one_in(9)) value = T{-0.0};
            if (random.one_in(9)) value = -Limits::infinity();
            if (random.one_in(9)) value = Limits::infinity();
            if (has_nan && random.one_in(2)) value = Limits::quiet_NaN();
        }
    }
    return values;
}

/// The indexes that sort `count` values beginning at `lane`, stably, NaN last.
template <typename T>
std::vector<std::int64_t> naive_order(const T* lane, index_t count, bool descending) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const T x = lane[a];
        const T y = lane[b];
        if (x != x || y != y) return x == x && y != y;
        return descending ? x > y : x < y;
    });
    return order;
}

template <typename T>
void check_lanes(Random& random, index_t lanes, index_t length) {
    const auto values = mixed_values<T>(random, lanes * length, random.one_in(2));
    const auto rows = pv::reshape(pv::tensor(std::vector<T>(values)), {lanes, length});
    const auto columns = pv::transpose(pv::clone(pv::transpose(rows)));
    std::vector<std::vector<std::int64_t>> down, up; // of each lane
    for (index_t lane = 0; lane < lanes; ++lane) {
        down.push_back(naive_order(values.data() + lane * length, length, true));
        up.push_back(naive_order(values.data() + lane * length, length, false));
    }
    for (const index_t count : {index_t{0}, index_t{1}, index_t{5}, index_t{20}, index_t{32},
                                index_t{33}, length / 2, length}) {
        if (count > length) continue;
        const auto greatest = pv::topk(rows, count);
        const auto of_columns = pv::topk(columns, count);
        const auto along_rows = pv::topk(pv::transpose(rows), count, 0);
        const auto least = pv::arg_min_n(rows, count);
        std::vector<std::int64_t> first;
        std::vector<std::int64_t> last;
        for (const auto& order : down)
            first.insert(first.end(), order.begin(), order.begin() + count);
        for (const auto& order : up) last.insert(last.end(), order.begin(), order.begin() + count);
        INFO("lanes " << lanes << " length " << length << " count " << count);
        CHECK((pv::to_vector(greatest.indexes) == first));
        CHECK((pv::to_vector(of_columns.indexes) == first));
        CHECK((pv::to_vector(pv::transpose(along_rows.indexes)) == first));
        CHECK((pv::to_vector(least) == last));
        const auto elements = pv::to_vector(greatest.values);
        bool same = elements.size() == first.size();
        for (std::size_t i = 0; same && i < first.size(); ++i) {
            const auto lane = static_cast<index_t>(i) / count;
            const T x = values[static_cast<std::size_t>(lane * length + first[i])];
            same = elements[i] == x || (elements[i] != elements[i] && x != x);
        }
        CHECK(same);
    }
}

/// Each side of `kth` keeps the order of its indexes.
template <typename T>
void check_partition(Random& random, index_t lanes, index_t length) {
    const auto values = mixed_values<T>(random, lanes * length, random.one_in(2));
    const auto rows = pv::reshape(pv::tensor(std::vector<T>(values)), {lanes, length});
    const index_t kth = random.between(0, length - 1);
    for (const auto order : {pv::ascending, pv::descending}) {
        const auto found = pv::to_vector(pv::argpartition(rows, kth, order));
        for (index_t lane = 0; lane < lanes; ++lane) {
            const T* const begin = values.data() + lane * length;
            auto expected = naive_order(begin, length, order == pv::descending);
            const T pivot = begin[expected[static_cast<std::size_t>(kth)]];
            const auto is_like = [&](std::int64_t i) {
                return begin[i] == pivot || (begin[i] != begin[i] && pivot != pivot);
            };
            const auto same = std::find_if(expected.begin(), expected.end(), is_like);
            const auto after = std::find_if_not(same, expected.end(), is_like);
            std::sort(expected.begin(), same);
            std::sort(after, expected.end());
            CHECK(std::equal(expected.begin(), expected.end(), found.begin() + lane * length));
        }
    }
}

} // namespace

TEMPLATE_TEST_CASE("topk, arg_min_n and argpartition of many lanes", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint32_t, std::int64_t, std::uint64_t, float, double) {
    Random random(11);
    for (const int threads : {1, 3}) {
        pv::set_threads(threads);
        for (unsigned round = 0; round < oracle::rounds(6U); ++round) {
            const index_t length = random.between(1, random.one_in(2) ? 40 : 300);
            check_lanes<TestType>(random, random.between(1, 50), length);
            check_partition<TestType>(random, random.between(1, 50), length);
        }
        check_lanes<TestType>(random, 150, 64);
        check_lanes<TestType>(random, 2, 40'000);
    }
    pv::set_threads(0);
}

} // namespace first_few_test
