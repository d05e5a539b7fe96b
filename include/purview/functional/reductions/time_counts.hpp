#pragma once

#include <purview/dtype/canonical.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

/// Keys that are integer counts and ordered by them: durations and time points of `std::chrono`,
/// recognised without its header.
template <typename K>
concept CountedDuration = requires(const K& key) {
    typename K::rep;
    typename K::period;
    { key.count() } -> std::same_as<typename K::rep>;
}
&&std::integral<typename K::rep> && sizeof(K) == sizeof(typename K::rep);
template <typename K>
concept CountedPoint = requires(const K& key) {
    typename K::clock;
    requires CountedDuration<typename K::duration>;
    { key.time_since_epoch() } -> std::same_as<typename K::duration>;
}
&&sizeof(K) == sizeof(typename K::duration);

/// The integer type of the count of a key; `void` for other keys.
template <typename K>
struct KeyCount {
    using type = void;
};
template <CountedDuration K>
struct KeyCount<K> {
    using type = typename K::rep;
};
template <CountedPoint K>
struct KeyCount<K> {
    using type = typename K::rep;
};

/// Durations and time points that are counted in integers, as statistics accept them.
template <typename T>
concept CountedTime = CountedDuration<T> || CountedPoint<T>;

/// The type of differences of times: durations.
template <typename T>
struct TimeDifference {
    using type = T;
};
template <PointElement T>
struct TimeDifference<T> {
    using type = typename T::duration;
};

/// The mean of each group of int64 counts, rounded to the nearest integer, ties down; exact. NaT, the
/// lowest count, of a group that has it.
PURVIEW_EXPORT void mean_of_counts(const ReducedView& view, std::int64_t* out);

/// The mean of each group of times, rounded to the nearest tick, ties down; NaT of a group that has
/// it. Throws `ShapeError` naming `what` for an empty group.
template <CountedTime T>
void mean_of_times(const char* what, const ReducedView& view, T* out) {
    using Count = typename KeyCount<T>::type;
    require_elements(what, view);
    ReducedView counts = view;
    counts.operand = integer_counts(view.operand);
    std::vector<std::int64_t> means(static_cast<std::size_t>(view.groups));
    mean_of_counts(counts, means.data());
    for (std::size_t g = 0; g < means.size(); ++g) {
        const auto count = is_nat_count(means[g]) ? kNatCount<Count> : static_cast<Count>(means[g]);
        std::memcpy(static_cast<void*>(out + g), &count, sizeof count);
    }
}

} // namespace purview
