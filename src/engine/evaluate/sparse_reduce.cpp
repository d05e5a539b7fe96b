// Defines purview/evaluation/sparse_reduction.hpp.

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "engine/contract/contract_sparse.hpp"
#include "engine/folds/folds.hpp"
#include "engine/places/buffers.hpp"
#include "engine/reduce/reduced_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace purview {
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

/// Reduces each part in which something is stored, and, for the fill of the result, one in which
/// nothing is.
template <typename T, typename R, typename Reduce>
SparseBufferPtr<R> reduce_parts(const Operand& source, index_t groups, const char* what,
                                Reduce reduce_part) {
    const SparseEvaluation pairs(source, what);
    const index_t stored = pairs.stored();
    const BufferPtr<T> values = allocate_uninitialized_buffer<T>(stored);
    auto* const value = data_of(values);
    if (stored > 0) Evaluation(pairs.values()).read(0, stored, value);
    T fill{};
    if (stored < pairs.size()) Evaluation(pairs.fill()).read(0, 1, &fill);

    const auto* const index = static_cast<const index_t*>(pairs.indexes()->memory().data);
    const index_t size = groups == 0 ? 0 : pairs.size() / groups;
    index_t parts = 0;
    for (index_t p = 0, end = 0; p < stored; ++p) {
        if (index[p] < end) continue;
        ++parts;
        end = (index[p] / size + 1) * size;
    }
    BufferPtr<index_t> cells = allocate_uninitialized_buffer<index_t>(parts);
    BufferPtr<R> results = allocate_uninitialized_buffer<R>(parts);
    auto* const cell = data_of(cells);
    auto* const result = data_of(results);
    index_t part = 0;
    for (index_t p = 0; p < stored; ++part) {
        const index_t group = index[p] / size;
        const index_t begin = group * size;
        index_t end = p;
        while (end < stored && index[end] - begin < size) ++end;
        cell[part] = group;
        result[part] =
            reduce_part(ReducedPart<T>{index + p, value + p, end - p, begin, size}, fill);
        p = end;
    }
    R rest{};
    if (parts < groups) rest = reduce_part(ReducedPart<T>{nullptr, nullptr, 0, 0, size}, fill);
    return SparseBuffer<R>::of_sorted(groups, std::move(cells), std::move(results), parts,
                                      std::move(rest));
}

/// The fold of `count` equal elements.
template <typename Fold>
typename Fold::Type repeated_fold(typename Fold::Type value, index_t count) {
    using T = typename Fold::Type;
    if (count == 0) return Fold::identity();
    if constexpr (Fold::kOp == TileOp::add) {
        if constexpr (std::floating_point<T>)
            return static_cast<T>(static_cast<double>(value) * static_cast<double>(count));
        else
            return static_cast<T>(static_cast<std::uint64_t>(value) *
                                  static_cast<std::uint64_t>(count));
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

template <typename Fold>
typename Fold::Type fold_values(Reduction reduction, typename Fold::Type* values, index_t count) {
    using T = typename Fold::Type;
    T result = Fold::identity();
    if (count >= kLongRun) {
        reduce(reduction,
               {memory_leaf(kDType<T>, values, count), Dimensions::row_major(ShapeSpan(&count, 1))},
               1, &result);
        return result;
    }
    if (count > 0) result = values[0];
    for (index_t i = 1; i < count; ++i) result = Fold::combine(result, values[i]);
    return result;
}

template <typename T>
bool is_nan_value(T value) {
    if constexpr (std::floating_point<T>)
        return std::isnan(value);
    else
        return false;
}

/// The first index at which nothing is stored, from the beginning of the part. There must be one.
template <typename T>
index_t first_fill(const ReducedPart<T>& part) {
    index_t at = 0;
    while (at < part.stored && part.indexes[at] - part.begin == at) ++at;
    return at;
}

template <typename T>
std::int64_t extreme_of(Extreme extreme, const ReducedPart<T>& part, T fill) {
    // A NaN comes before everything, and of equals the first.
    const auto better = [&](T a, T b) {
        if (is_nan_value(b)) return false;
        return is_nan_value(a) || (extreme == Extreme::least ? a < b : b < a);
    };
    index_t best = -1;
    T value{};
    for (index_t i = 0; i < part.stored; ++i)
        if (best < 0 || better(part.values[i], value)) {
            best = part.indexes[i] - part.begin;
            value = part.values[i];
        }
    if (part.fills() == 0) return best;
    const index_t at = first_fill(part);
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
    visit_dtype(source.dtype(), "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold>) {
            result = reduce_parts<T, T>(
                source, groups, "reduce", [&](const ReducedPart<T>& part, T fill) {
                    if (part.stored == 0) return repeated_fold<Fold>(fill, part.fills());
                    const T folded = fold_values<Fold>(reduction, part.values, part.stored);
                    return part.fills() == 0
                               ? folded
                               : Fold::combine(folded, repeated_fold<Fold>(fill, part.fills()));
                });
        });
    });
    return result;
}

SparseBufferPtr<std::int64_t> count_true_sparse(const Operand& source, index_t groups) {
    return reduce_parts<bool, std::int64_t>(
        source, groups, "count_true", [](const ReducedPart<bool>& part, bool fill) {
            return std::count(part.values, part.values + part.stored, true) +
                   (fill ? part.fills() : 0);
        });
}

SparseBufferPtr<std::int64_t> arg_extreme_sparse(Extreme extreme, const Operand& source,
                                                 index_t groups) {
    SparseBufferPtr<std::int64_t> result;
    visit_dtype(source.dtype(), "arg_extreme", [&]<typename T>(std::type_identity<T>) {
        result = reduce_parts<T, std::int64_t>(
            source, groups, "arg_extreme",
            [&](const ReducedPart<T>& part, T fill) { return extreme_of(extreme, part, fill); });
    });
    return result;
}

std::shared_ptr<AnyReader> squared_deviations_sparse(const Operand& source, index_t groups) {
    const auto deviations = [](const auto& part, auto fill) { return deviations_of(part, fill); };
    if (source.dtype() == float32)
        return reduce_parts<float, float>(source, groups, "squared_deviations", deviations);
    return reduce_parts<double, double>(source, groups, "squared_deviations", deviations);
}

} // namespace purview
