#pragma once

#include <purview/functional/along/argsort.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/views.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace purview {

/// The ranges of groups in a list of indexes, [begins[g], ends[g]), in the order of the groups'
/// first indexes.
struct GroupBounds {
    std::vector<index_t> begins;
    std::vector<index_t> ends;
};
/// `is_first[i]`: whether a group begins at position i of `indexes`, which ascend within a group.
PURVIEW_EXPORT GroupBounds group_bounds(const std::vector<bool>& is_first,
                                        const std::int64_t* indexes);

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

/// `arggroup(x)`, or a stage: the row-major indexes of equal elements, grouped by element. All NaNs
/// are one group; so are 0 and -0. Elements of types that are not built-in need `<`. Eager,
/// O(size), O(size log size) for those; parallel.
struct ArggroupFunction : PipelineStage {
    template <TypedTensor X>
        requires(PlainOrOrdered<X> && !kDefersReductions<X>)
    auto operator()(const X& given) const {
        using K = typename X::value_type;
        const Tensor<K> x = plain_tensor(given);
        require_not_sparse("arggroup", x.operand());
        const Tensor<K> flat = contiguous(reshape(x, {-1}));
        const MutableTensor<std::int64_t> order = argsort(flat);
        const std::int64_t* const indexes = as_span(order).data();
        const Elements<K> elements(flat);
        std::vector<bool> is_first(static_cast<std::size_t>(flat.size()));
        for (std::size_t i = 0; i < is_first.size(); ++i)
            is_first[i] = i == 0 || differ(elements[indexes[i - 1]], elements[indexes[i]]);
        GroupBounds bounds = group_bounds(is_first, indexes);
        std::vector<K> keys;
        for (const index_t begin : bounds.begins) keys.push_back(elements[indexes[begin]]);
        return IndexGroups<K>(std::move(keys), order, std::move(bounds));
    }

private:
    template <typename K>
    struct Elements {
        explicit Elements(const Tensor<K>& tensor) : x(tensor) {}
        K operator[](index_t i) const { return x.read(i); }
        const Tensor<K>& x;
    };
    template <typename K>
    static bool differ(const K& a, const K& b) {
        return a != b && (a == a || b == b);
    }
};
inline constexpr AcceptingArrays<ArggroupFunction> arggroup;

/// `arggroup_by(f, x)`, or `x | arggroup_by(f)`: the row-major indexes of elements, grouped by the
/// value of `f`. `f` is called as by `emap`. Otherwise as `arggroup`.
struct ArggroupByFunction {
    template <typename F, TypedTensor X>
        requires PlainOrOrdered<X>
    auto operator()(F function, const X& x) const { return arggroup(emap(std::move(function), x)); }
    template <typename F>
        requires(!array_like<F>)
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<TypedTensor X>(const X& x) {
            return arggroup(emap(function, x));
        });
    }
};
inline constexpr AcceptingArrays<ArggroupByFunction> arggroup_by;

} // namespace purview
