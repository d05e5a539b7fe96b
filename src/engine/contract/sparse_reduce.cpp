// Defines purview/evaluation/sparse_reduction.hpp.

#include <purview/base/checked.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/folds/folds.hpp"
#include "engine/pairs/lists.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/memory_leaf.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// From this many elements on, they are folded by the kernels, on lanes and pairwise.
constexpr index_t kLongRun = 64;

/// The stored elements of one part of the row-major order.
template <typename T>
struct ReducedPart {
    const index_t* indexes; ///< from the beginning of the whole
    T* values;
    index_t stored;
    index_t begin; ///< of the part, in the whole
    index_t size;

    index_t fills() const noexcept { return size - stored; }
};

/// The parts of the row-major order of an operand in which something is stored: what does not
/// depend on the type of the elements.
struct StoredParts {
    StoredParts(const Operand& source, index_t groups, const char* what)
        : pairs(source, what),
          groups(groups),
          size(groups == 0 ? 0 : pairs.size() / groups),
          index(static_cast<const index_t*>(pairs.indexes()->memory().data)),
          values(allocate_bytes(checked_bytes(pairs.stored(), source.dtype().size_bytes(), what))) {
        if (!source.dtype().is_builtin()) throw_dtype_unsupported(what, source.dtype());
        const index_t stored = pairs.stored();
        if (stored > 0) Evaluation(pairs.values()).read(0, stored, values.get());
        if (stored < pairs.size()) Evaluation(pairs.fill()).read(0, 1, fill);
        for (index_t p = 0, end = 0; p < stored; ++p) {
            if (index[p] < end) continue;
            first.push_back(p);
            end = (index[p] / size + 1) * size;
        }
        cells = allocate_uninitialized_buffer<index_t>(std::ssize(first));
        std::ranges::transform(first, data_of(cells), [&](index_t p) { return index[p] / size; });
        first.push_back(stored);
    }
    std::size_t count() const noexcept { return first.size() - 1; }

    SparseEvaluation pairs;
    index_t groups;
    index_t size; ///< of a part
    const index_t* index;
    std::shared_ptr<void> values;
    alignas(8) std::byte fill[8] = {};
    BufferPtr<index_t> cells;   ///< the number of each part
    std::vector<index_t> first; ///< its first stored element; behind the last part, all of them
};

/// Reduces each part in which something is stored, and then, for the fill of the result, one in
/// which nothing is, if there is one.
template <typename T, typename R, typename Reduce>
void reduce_each(const StoredParts& parts, R* results, Reduce reduce_part) {
    auto* const value = static_cast<T*>(parts.values.get());
    const T fill = load_element<T>(parts.fill);
    const index_t* const cell = data_of(parts.cells);
    for (std::size_t part = 0; part < parts.count(); ++part) {
        const index_t p = parts.first[part];
        results[part] =
            reduce_part(ReducedPart<T>{parts.index + p, value + p, parts.first[part + 1] - p,
                                       cell[part] * parts.size, parts.size},
                        fill);
    }
    results[parts.count()] = std::ssize(parts.first) > parts.groups
                                 ? R{}
                                 : reduce_part(ReducedPart<T>{{}, {}, 0, 0, parts.size}, fill);
}

/// The sparse buffer of the results that `reduce` writes.
template <typename R, typename F>
SparseBufferPtr<R> sparse_results(const StoredParts& parts, F reduce) {
    BufferPtr<R> results = allocate_uninitialized_buffer<R>(std::ssize(parts.first));
    R* const result = data_of(results);
    reduce(parts, result);
    const R rest = result[parts.count()];
    return SparseBuffer<R>::of_sorted(parts.groups, parts.cells, std::move(results),
                                      std::ssize(parts.first) - 1, rest);
}

/// The fold of `count` equal elements.
template <typename Fold>
typename Fold::Type repeated_fold(typename Fold::Type value, index_t count) {
    using T = typename Fold::Type;
    if (count == 0) return Fold::identity();
    if constexpr (Fold::kOp == TileOp::add) {
        return repeated_sum(value, count);
    } else if constexpr (Fold::kOp == TileOp::multiply) {
        T power = Fold::identity();
        for (auto rest = static_cast<std::uint64_t>(count); rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) power = Fold::combine(power, value);
            if (rest > 1) value = Fold::combine(value, value);
        }
        return power;
    } else {
        return value;
    }
}

/// A fold by the kernels.
void fold_long_run(Reduction reduction, DType dtype, void* values, index_t count, void* result) {
    const Dimensions run = Dimensions::row_major(ShapeSpan(&count, 1));
    reduce(reduction, {memory_leaf(dtype, values, count), run}, 1, result);
}

template <typename Fold>
typename Fold::Type fold_values(Reduction reduction, typename Fold::Type* values, index_t count) {
    typename Fold::Type result = Fold::identity();
    if (count >= kLongRun) {
        fold_long_run(reduction, kDType<typename Fold::Type>, values, count, &result);
        return result;
    }
    if (count > 0) result = values[0];
    for (index_t i = 1; i < count; ++i) result = Fold::combine(result, values[i]);
    return result;
}

template <typename Fold>
void fold_parts(Reduction reduction, const StoredParts& parts, typename Fold::Type* results) {
    using T = typename Fold::Type;
    reduce_each<T>(parts, results, [=](const ReducedPart<T>& part, T fill) {
        if (part.stored == 0) return repeated_fold<Fold>(fill, part.fills());
        const T folded = fold_values<Fold>(reduction, part.values, part.stored);
        return part.fills() == 0 ? folded
                                 : Fold::combine(folded, repeated_fold<Fold>(fill, part.fills()));
    });
}

template <typename T>
std::int64_t extreme_of(Extreme extreme, const ReducedPart<T>& part, T fill) {
    // A NaN comes before everything, and of equals the first.
    const auto better = [&](T a, T b) {
        if (b != b) return false;
        return a != a || (extreme == Extreme::least ? a < b : b < a);
    };
    index_t best = -1;
    T value{};
    for (index_t i = 0; i < part.stored; ++i)
        if (best < 0 || better(part.values[i], value)) {
            best = part.indexes[i] - part.begin;
            value = part.values[i];
        }
    if (part.fills() == 0) return best;
    const index_t at =
        first_missing({part.indexes, static_cast<std::size_t>(part.stored)}, part.begin);
    if (best < 0 || better(fill, value)) return at;
    const bool equal = !better(value, fill);
    return equal ? std::min(best, at) : best;
}

template <typename T>
T deviations_of(const ReducedPart<T>& part, T fill) {
    const auto fills = static_cast<double>(part.fills());
    const auto centre = static_cast<double>(fill);
    // The mean first, then the squares of the differences from it, corrected for its rounding. All
    // elements that are not stored count at once.
    double sum = part.fills() > 0 ? centre * fills : 0;
    for (index_t i = 0; i < part.stored; ++i) sum += static_cast<double>(part.values[i]);
    const double mean = sum / static_cast<double>(part.size);
    double squares = part.fills() > 0 ? (centre - mean) * (centre - mean) * fills : 0;
    double off = part.fills() > 0 ? (centre - mean) * fills : 0;
    for (index_t i = 0; i < part.stored; ++i) {
        const double difference = static_cast<double>(part.values[i]) - mean;
        squares += difference * difference;
        off += difference;
    }
    return static_cast<T>(squares - off * off / static_cast<double>(part.size));
}

} // namespace

std::shared_ptr<AnyReader> reduce_sparse(Reduction reduction, const Operand& source,
                                         index_t groups) {
    std::shared_ptr<AnyReader> result;
    if (reduction == Reduction::sum) result = contract_sparse(source, groups);
    if (result != nullptr) return result;
    const StoredParts parts(source, groups, "reduce");
    visit_dtype(source.dtype(), "reduce", [&]<typename T>(std::type_identity<T>) {
        void (*fold)(Reduction, const StoredParts&, T*) = nullptr;
        visit_fold<T>(reduction,
                      [&]<typename Fold>(std::type_identity<Fold>) { fold = &fold_parts<Fold>; });
        if (fold != nullptr)
            result = sparse_results<T>(
                parts, [=](const auto& each, T* out) { fold(reduction, each, out); });
    });
    return result;
}

SparseBufferPtr<std::int64_t> count_true_sparse(const Operand& source, index_t groups) {
    const auto count = [](const ReducedPart<bool>& part, bool fill) {
        return std::count(part.values, part.values + part.stored, true) + (fill ? part.fills() : 0);
    };
    return sparse_results<std::int64_t>(
        StoredParts(source, groups, "count_true"),
        [=](const auto& parts, std::int64_t* out) { reduce_each<bool>(parts, out, count); });
}

SparseBufferPtr<std::int64_t> arg_extreme_sparse(Extreme extreme, const Operand& source,
                                                 index_t groups) {
    const auto find = [=](const StoredParts& parts, std::int64_t* out) {
        visit_dtype(source.dtype(), "arg_extreme", [&]<typename T>(std::type_identity<T>) {
            reduce_each<T>(parts, out, [=](const ReducedPart<T>& part, T fill) {
                return extreme_of(extreme, part, fill);
            });
        });
    };
    return sparse_results<std::int64_t>(StoredParts(source, groups, "arg_extreme"), find);
}

std::shared_ptr<AnyReader> squared_deviations_sparse(const Operand& source, index_t groups) {
    const StoredParts stored(source, groups, "squared_deviations");
    const auto deviations = []<typename T>(const StoredParts& parts, T* out) {
        reduce_each<T>(parts, out,
                       [](const auto& part, T fill) { return deviations_of(part, fill); });
    };
    if (source.dtype() == float32) return sparse_results<float>(stored, deviations);
    return sparse_results<double>(stored, deviations);
}

} // namespace purview
