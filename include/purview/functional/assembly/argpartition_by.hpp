#pragma once

#include <purview/dimensions/index.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// A run of consecutive elements with equal keys.
template <ElementType K>
struct KeyRun {
    K key{};
    index_t begin = 0; ///< row-major index of the first element; `end` is one past the last
    index_t end = 0;

    /// An index argument: `x(run.indexes())` are the elements of the run, if `x` has rank 1.
    Range indexes() const { return range(begin, end); }
};

/// `argpartition_by(f, x)`, or `x | argpartition_by(f)`: the runs of consecutive elements, in
/// row-major order, for which `f` gives equal keys, as a vector of keys, begins and ends; as in
/// dtype-next. All NaNs are one key. `f` is called as by `emap`. Eager, O(n).
struct ArgpartitionByFunction {
    template <typename F, TypedTensor X>
        requires(!HasDims<X> && !kDefersReductions<X>)
    auto operator()(F function, const X& x) const {
        const auto keys = emap(std::move(function), x);
        using K = typename std::remove_cvref_t<decltype(keys)>::value_type;
        const Evaluation evaluation(keys.operand());
        const index_t n = keys.size();
        const index_t block = std::min<index_t>(n, 1024);
        const std::unique_ptr<K[]> read(new K[static_cast<std::size_t>(block)]());
        std::vector<KeyRun<K>> runs;
        for (index_t done = 0; done < n; done += block) {
            const index_t count = (std::min)(block, n - done);
            evaluation.read(done, count, read.get());
            for (index_t i = 0; i < count; ++i) {
                K& key = read[static_cast<std::size_t>(i)];
                if (!runs.empty() && same_key(runs.back().key, key)) continue;
                if (!runs.empty()) runs.back().end = done + i;
                runs.push_back({std::move(key), done + i, n});
            }
        }
        return runs;
    }
    template <typename F>
        requires(!TensorLike<F>)
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<TypedTensor X>(const X& x) {
            return ArgpartitionByFunction{}(function, x);
        });
    }

private:
    template <typename K>
    static bool same_key(const K& a, const K& b) {
        return a == b || (a != a && b != b);
    }
};
inline constexpr AcceptingArrays<ArgpartitionByFunction> argpartition_by;

} // namespace purview
