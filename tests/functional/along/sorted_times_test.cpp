#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// Times of run-time type in order, lane by lane, NaT last in both directions (numpy.sort, numpy.argsort, numpy.unique).
namespace sorted_times_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using oracle::index_t;
using oracle::Random;

template <typename T>
T time_of(index_t count) {
    using D = decltype(T() - T());
    return T(D(static_cast<typename D::rep>(count)));
}

template <typename T>
void check_sorted(index_t rows, index_t length, int nats) {
    Random random(static_cast<unsigned>(100 * length + nats));
    std::vector<T> x;
    for (index_t i = 0; i < rows * length; ++i)
        x.push_back(random.between(0, 9) < nats ? pv::nat_value<T>()
                                                : time_of<T>(random.between(-40, 40)));
    const auto typed = pv::reshape(pv::tensor(std::vector(x)), {rows, length});
    const pv::AnyTensor t(typed);
    INFO("rows " << rows << " length " << length << " nats " << nats);
    const auto is_before = [](bool descending) {
        return [descending](const T& a, const T& b) {
            if (pv::is_nat(a) || pv::is_nat(b)) return !pv::is_nat(a) && pv::is_nat(b);
            return descending ? b < a : a < b;
        };
    };
    for (const bool descending : {false, true}) {
        std::vector<T> sorted = x;
        std::vector<std::int64_t> order;
        for (index_t row = 0; row < rows; ++row) {
            const auto begin = sorted.begin() + row * length;
            std::vector<std::int64_t> places(static_cast<std::size_t>(length));
            for (index_t i = 0; i < length; ++i) places[static_cast<std::size_t>(i)] = i;
            std::ranges::stable_sort(places, [&](index_t a, index_t b) {
                return is_before(descending)(x[static_cast<std::size_t>(row * length + a)],
                                             x[static_cast<std::size_t>(row * length + b)]);
            });
            order.insert(order.end(), places.begin(), places.end());
            std::stable_sort(begin, begin + length, is_before(descending));
        }
        const auto values = [&](const pv::AnyTensor& any) { return pv::to_vector(any.as<T>()); };
        const pv::SortOrder by = descending ? pv::descending : pv::ascending;
        CHECK(values(pv::sort(t, 1, by)) == sorted);
        CHECK(pv::to_vector(pv::argsort(t, 1, by).template as<std::int64_t>()) == order);
        // A view of other strides.
        const pv::AnyTensor across(pv::transpose(pv::clone(pv::transpose(typed))));
        CHECK(values(pv::sort(across, 1, by)) == sorted);
        CHECK(pv::to_vector(pv::argsort(across, 1, by).template as<std::int64_t>()) == order);
    }
    std::vector<T> distinct = x;
    std::ranges::stable_sort(distinct, is_before(false));
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    CHECK(pv::to_vector(pv::unique(t).template as<T>()) == distinct);
}

template <typename T>
void check_all() {
    for (const index_t length : {0, 1, 2, 7, 40, 300})
        for (const int nats : {0, 3, 10}) check_sorted<T>(3, length, nats);
    check_sorted<T>(1, 20'000, 1);
}

} // namespace

TEST_CASE("sort, argsort, unique: times of run-time type, NaT last (numpy)") {
    check_all<sys_time<nanoseconds>>();
    check_all<sys_days>();
    check_all<duration<std::int16_t>>();
    check_all<local_seconds>();
}

} // namespace sorted_times_test
