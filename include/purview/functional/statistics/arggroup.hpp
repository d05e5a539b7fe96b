#pragma once

#include <purview/functional/along/unique.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/array_stages.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The ranges of groups in a list of indexes, [begins[g], ends[g]), in the order of the groups'
/// first indexes.
struct GroupBounds {
    std::vector<index_t> begins;
    std::vector<index_t> ends;
};
/// The runs in the order of their first indexes.
PURVIEW_EXPORT GroupBounds group_bounds(const SortedRuns& runs);

/// What grouping keys in chunks holds beside its results, so many bytes for each row beside a copy of the keys: counts
/// towards the memory limit while this exists. Nothing for other keys. Throws `MemoryLimitError` naming `what` where that has no
/// room, and reads nothing.
PURVIEW_EXPORT std::shared_ptr<const void> counted_keys(const char* what, const Operand& keys,
                                                        index_t row_bytes);

/// Row-major indexes grouped by key: group g has `key(g)` and `indexes(g)`, ascending. Groups are
/// in the order in which their keys occur first.
template <ElementType K>
class IndexGroups {
public:
    IndexGroups(std::vector<K> keys, Tensor<std::int64_t> indexes, GroupBounds bounds)
        : keys_(std::move(keys)), indexes_(std::move(indexes)), bounds_(std::move(bounds)) {}

    /// The number of groups.
    index_t size() const noexcept { return std::ssize(bounds_.begins); }
    K key(index_t group) const { return keys_.at(static_cast<std::size_t>(group)); }
    const std::vector<K>& keys() const noexcept { return keys_; }
    /// The row-major indexes of a group: int64 `[n]`, a view.
    Tensor<std::int64_t> indexes(index_t group) const {
        const auto g = static_cast<std::size_t>(group);
        return indexes_(range(bounds_.begins.at(g), bounds_.ends.at(g)));
    }
    /// The indexes of a key, if it occurs. O(groups).
    std::optional<Tensor<std::int64_t>> find(const K& key) const {
        for (index_t group = 0; group < size(); ++group)
            if (keys_[static_cast<std::size_t>(group)] == key) return indexes(group);
        return std::nullopt;
    }

private:
    std::vector<K> keys_;
    Tensor<std::int64_t> indexes_;
    GroupBounds bounds_;
};

/// An array of keys of groups: of a type with `<` that is known.
template <typename X, typename Handle = AsTensorArgument<std::remove_cvref_t<X>>>
concept key_array =
    array_like<X> && TypedTensor<Handle> && PlainOrOrdered<Handle> && !kDefersReductions<Handle> &&
    kSorts<typename Handle::value_type, SortOrder>;
/// A function that computes keys from elements.
template <typename F>
concept key_function =
    !array_like<F> && !TextLike<F> && (std::is_class_v<F> || std::is_pointer_v<F>);

#define PURVIEW_NO_KEYS                                                                          \
 "keys are of a known type with <; group_by(keys) gives the indexes of each group, and sums of " \
 "groups are group_by_reduce(keys, values, sum)"
/// The base of functions that give the indexes of groups: what none of their calls takes is refused.
struct GroupingFunction {
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    template <typename X>
        requires((array_like<X> || TextLike<X>)&&!key_array<X>)
    PURVIEW_REFUSED(PURVIEW_NO_KEYS, operator()(const X&) const);
    PURVIEW_REFUSED(PURVIEW_NO_KEYS, operator()(AnyArgument, AnyArgument, AnyArgument = {},
                                                AnyArgument = {}) const);
};
#undef PURVIEW_NO_KEYS

/// `arggroup(x)`, or a stage: the row-major indexes of equal elements, grouped by element. All NaNs
/// are one group; so are 0 and -0. Elements of types that are not built-in need `<`. Eager,
/// O(size), O(size log size) for those; parallel. In memory, also of elements in chunks: throws `MemoryLimitError`, before it
/// reads any, where a copy of these and 16 bytes for each have no room within the memory limit.
struct ArggroupFunction : GroupingFunction, PipelineStage {
    using GroupingFunction::operator();

    template <key_array X>
    auto operator()(const X& x) const {
        return grouped("arggroup", x, 16);
    }
    /// Counts so many bytes for each row beside a copy of the keys.
    template <key_array X>
    static auto grouped(const char* what, const X& given, index_t row_bytes) {
        const auto& x = tensor_for_call(given);
        using K = ElementOrVoid<X>;
        const auto counted = counted_keys(what, plain_tensor(x).operand(), row_bytes);
        const SortedRuns runs = sorted_runs<K>(what, plain_tensor(x).operand());
        GroupBounds bounds = group_bounds(runs);
        std::vector<K> keys = to_vector(Tensor<K>(runs.elements_at(bounds.begins)));
        return IndexGroups<K>(std::move(keys), runs.order(), std::move(bounds));
    }
    ArggroupFunction operator()() const { return {}; }
};
inline constexpr ArggroupFunction arggroup;

/// The calls that group by what a function gives for elements.
template <typename Grouping>
struct GroupingByFunction : GroupingFunction {
    using GroupingFunction::operator();

    template <key_function F, array_like X>
        requires TypedTensor<AsTensorArgument<X>>
    auto operator()(F function, const X& x) const {
        return Grouping()(emap(std::move(function), tensor_for_call(x)));
    }
    template <key_function F>
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<TypedTensor X>(const X& x) {
            return Grouping()(emap(function, x));
        });
    }
};
/// `arggroup_by(f, x)`, or `x | arggroup_by(f)`: the row-major indexes of elements, grouped by the
/// value of `f`. `f` is called as by `emap`. Otherwise as `arggroup`.
inline constexpr GroupingByFunction<ArggroupFunction> arggroup_by;

/// Row-major indexes grouped by key, as index sets: pairs `{key, set}` in the order of their keys,
/// NaN last.
///
///     for (const auto& [shop, rows] : group_by(shops)) show(shop, sum(sales(rows)));
template <ElementType K>
class GroupSets {
public:
    using Group = std::pair<K, IndexSet>;

    explicit GroupSets(std::vector<Group> groups) : groups_(std::move(groups)) {}

    /// The number of groups.
    index_t size() const noexcept { return std::ssize(groups_); }
    auto begin() const noexcept { return groups_.begin(); }
    auto end() const noexcept { return groups_.end(); }
    const Group& operator[](index_t group) const {
        return groups_.at(static_cast<std::size_t>(group));
    }
    /// The set of a key; nothing if the key does not occur. O(log groups).
    std::optional<IndexSet> find(const K& key) const {
        const auto found = std::lower_bound(
            groups_.begin(), groups_.end(), key,
            [](const Group& group, const K& wanted) { return before(group.first, wanted); });
        if (found == groups_.end() || before(key, found->first)) return std::nullopt;
        return found->second;
    }
    /// NaN sorts after everything else.
    static bool before(const K& a, const K& b) {
        if (!(a == a)) return false;
        return !(b == b) || a < b;
    }

private:
    std::vector<Group> groups_;
};

/// `group_by(x)`, `x | group_by`: the row-major indexes of equal elements as index sets, in the
/// order of the elements, which are the keys. `group_by(f, x)`, `x | group_by(f)`: the values of a
/// function are the keys. `t(set)` is a view of the rows of a group, and sets of several columns
/// can be combined, `a | b`, `a & b`. Keys are of any type with `<`; all NaNs are one group, the
/// last, and so are 0 and -0. Eager, O(size), O(size log size) for types that are not built-in. In memory, as `arggroup`, with 24
/// bytes for each element in chunks; `group_by_reduce` goes beyond it.
struct GroupSetsFunction : GroupingByFunction<GroupSetsFunction>, PipelineStage {
    using GroupingByFunction::operator();

    template <key_array X>
    auto operator()(const X& x) const {
        using K = ElementOrVoid<X>;
        const IndexGroups<K> groups = ArggroupFunction::grouped("group_by", x, 24);
        std::vector<typename GroupSets<K>::Group> sets;
        for (index_t g = 0; g < groups.size(); ++g)
            sets.emplace_back(groups.key(g), IndexSet(std::span(as_span(groups.indexes(g)))));
        std::ranges::sort(sets, GroupSets<K>::before, &GroupSets<K>::Group::first);
        return GroupSets<K>(std::move(sets));
    }
    GroupSetsFunction operator()() const { return {}; }
};
inline constexpr GroupSetsFunction group_by;

} // namespace purview
