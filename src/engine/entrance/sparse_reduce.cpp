// Defines purview/evaluation/sparse_reduction.hpp.

#include <purview/dimensions/flip.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/entrance/fold_way.hpp"
#include "engine/folds/folds.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/sparse/stored_cells.hpp"
#include "engine/sparse/stored_parts.hpp"
#include "evaluation/scaled_products.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// From this many elements on, they are folded by the kernels, on lanes and pairwise.
constexpr index_t kLongRun = 64;

/// The sparse buffer of what `reduce_part` makes of each part in which something is stored, and, as
/// its fill, of one in which nothing is, if there is one.
template <typename T, typename Reduce>
auto reduce_each(const StoredParts& parts, Reduce reduce_part) {
    using R = std::invoke_result_t<Reduce, ReducedPart<T>, T>;
    BufferPtr<R> results = allocate_uninitialized_buffer<R>(std::ssize(parts.first) - 1);
    const index_t* const index = parts.pairs.indexes.data();
    const auto* const value = static_cast<const T*>(parts.pairs.values.data);
    const T fill = load_element<T>(static_cast<const std::byte*>(parts.pairs.fill));
    const index_t* const cell = data_of(parts.cells);
    for (std::size_t part = 0; part + 1 < parts.first.size(); ++part) {
        const index_t p = parts.first[part];
        data_of(results)[part] =
            reduce_part(ReducedPart<T>{index + p, value + p, parts.first[part + 1] - p,
                                       cell[part] * parts.size + parts.pairs.offset, parts.size},
                        fill);
    }
    const R rest = parts.cells->size() == parts.groups
                       ? R{}
                       : reduce_part(ReducedPart<T>{{}, {}, 0, 0, parts.size}, fill);
    return SparseBuffer<R>::of_sorted(parts.groups, parts.cells, std::move(results),
                                      parts.cells->size(), rest);
}

/// Products of floats are made with exponents apart: what is stored may overflow where the fills, of
/// which there may be many, vanish.
template <typename Fold>
constexpr bool kScales = Fold::kFloating&& Fold::kOp == TileOp::multiply;

/// The product of `count` equal factors.
template <typename P, typename T>
P power(T value, index_t count, void (*multiply)(P& product, const P& more)) {
    P result(T{1});
    P square(value);
    for (auto rest = static_cast<std::uint64_t>(count); rest != 0; rest >>= 1) {
        if ((rest & 1) != 0) multiply(result, square);
        if (rest > 1) multiply(square, square);
    }
    return result;
}
ScaledProduct<double> scaled_power(double value, index_t count) {
    return power<ScaledProduct<double>>(
        value, count, [](auto& product, const auto& more) { product.multiply(more); });
}

/// The fold of `count` equal elements.
template <typename Fold>
typename Fold::Type repeated_fold(typename Fold::Type value, index_t count) {
    using T = typename Fold::Type;
    if (count == 0) return Fold::identity();
    if constexpr (Fold::kOp == TileOp::add)
        return repeated_sum(value, count);
    else if constexpr (kScales<Fold>)
        return scaled_power(value, count).template value<T>();
    else if constexpr (Fold::kOp == TileOp::multiply)
        return power<T>(value, count,
                        [](T& product, const T& more) { product = Fold::combine(product, more); });
    else
        return value;
}

template <typename Fold>
typename Fold::Type fold_values(Reduction reduction, const typename Fold::Type* values,
                                index_t count) {
    using T = typename Fold::Type;
    T result = Fold::identity();
    if (count >= kLongRun) {
        reduce_on_cpu({reduction, 1},
                      {memory_leaf(kDType<T>, const_cast<T*>(values), count),
                       Dimensions::row_major(ShapeSpan(&count, 1))},
                      &result);
        return result;
    }
    if (count > 0) result = values[0];
    for (index_t i = 1; i < count; ++i) result = Fold::combine(result, values[i]);
    return result;
}

/// The product of `count` values and as many fills.
template <typename T>
T product_of_stored(const T* values, index_t count, T fill, index_t fills) {
    ScaledProduct<double> product = scaled_power(fill, fills);
    if (count >= kLongRun) {
        ScaledProduct<double> stored;
        scaled_products<T>({memory_leaf(kDType<T>, const_cast<T*>(values), count),
                            Dimensions::row_major(ShapeSpan(&count, 1))},
                           1, &stored);
        product.multiply(stored);
    } else {
        for (index_t i = 0; i < count; ++i) product.multiply(values[i]);
    }
    return product.value<T>();
}

template <typename Fold>
std::shared_ptr<AnyReader> fold_parts(Reduction reduction, const StoredParts& parts) {
    using T = typename Fold::Type;
    return reduce_each<T>(parts, [=](const ReducedPart<T>& part, T fill) {
        if constexpr (kScales<Fold>)
            return product_of_stored(part.values, part.stored, fill, part.fills());
        if (part.stored == 0) return repeated_fold<Fold>(fill, part.fills());
        const T folded = fold_values<Fold>(reduction, part.values, part.stored);
        return part.fills() == 0 ? folded
                                 : Fold::combine(folded, repeated_fold<Fold>(fill, part.fills()));
    });
}

/// A fold of the stored elements of one group, and how many they are.
template <typename A>
struct Folded {
    A value;
    index_t stored = 0;
};

/// The sparse buffer of groups that are folded across the order of what is stored, given how an
/// element joins a fold, and how the fold of `count` elements that are not stored does.
template <typename T, typename R, typename A, typename Join, typename Finish>
SparseBufferPtr<R> fold_cells(const StoredCells& cells, index_t groups, A start, Join join,
                              Finish finish) {
    std::vector<Folded<A>> folded(static_cast<std::size_t>(groups), Folded<A>{start});
    const auto* const values = static_cast<const std::byte*>(cells.pairs().values.data);
    cells.each([&, stride = cells.pairs().values.stride_bytes](index_t group, index_t p) {
        Folded<A>& at = folded[static_cast<std::size_t>(group)];
        at.value = join(at.value, load_element<T>(values + p * stride));
        ++at.stored;
    });
    const index_t stored =
        std::ranges::count_if(folded, [](const Folded<A>& each) { return each.stored > 0; });
    BufferPtr<index_t> indexes = allocate_uninitialized_buffer<index_t>(stored);
    BufferPtr<R> results = allocate_uninitialized_buffer<R>(stored);
    index_t to = 0;
    for (index_t group = 0; group < groups; ++group) {
        const Folded<A>& each = folded[static_cast<std::size_t>(group)];
        if (each.stored == 0) continue;
        data_of(indexes)[to] = group;
        data_of(results)[to++] = finish(each);
    }
    const R rest = stored == groups ? R{} : finish(Folded<A>{start});
    return SparseBuffer<R>::of_sorted(groups, std::move(indexes), std::move(results), stored, rest);
}

template <typename Fold>
std::shared_ptr<AnyReader> fold_cells(const StoredCells& cells, index_t groups, index_t size) {
    using T = typename Fold::Type;
    // A column may be long, and its elements are added up one after the other.
    constexpr bool kWidens = std::same_as<T, float> && Fold::kOp == TileOp::add;
    using A = std::conditional_t<kScales<Fold>, ScaledProduct<double>,
                                 std::conditional_t<kWidens, double, T>>;
    const T fill = load_element<T>(static_cast<const std::byte*>(cells.pairs().fill));
    return fold_cells<T, T, A>(
        cells, groups, A(Fold::start()),
        [](A folded, T value) -> A {
            if constexpr (kScales<Fold>)
                return folded.multiply(value), folded;
            else if constexpr (kWidens)
                return folded + static_cast<A>(value);
            else
                return Fold::combine(folded, value);
        },
        [=](const Folded<A>& each) {
            const index_t fills = size - each.stored;
            if constexpr (kScales<Fold>) {
                A product = each.value;
                product.multiply(scaled_power(fill, fills));
                return product.template value<T>();
            } else {
                const T rest = repeated_fold<Fold>(fill, fills);
                if (each.stored == 0) return rest;
                const T stored = static_cast<T>(each.value);
                return fills == 0 ? stored : Fold::combine(stored, rest);
            }
        });
}

/// All elements folded to one: the expression of what is stored is folded, and kept nowhere.
template <typename Fold>
std::shared_ptr<AnyReader> fold_all(Reduction reduction, const SparseEvaluation& all) {
    using T = typename Fold::Type;
    T fill{};
    read_fill(all, &fill);
    const index_t fills = all.size() - all.stored();
    const index_t results = all.stored() > 0 ? 1 : 0;
    BufferPtr<index_t> indexes = allocate_buffer<index_t>(results);
    BufferPtr<T> folded = allocate_buffer<T>(results);
    if constexpr (kScales<Fold>) {
        if (results > 0) {
            ScaledProduct<double> product;
            scaled_products<T>(all.values(), 1, &product);
            product.multiply(scaled_power(fill, fills));
            *data_of(folded) = product.value<T>();
        }
    } else if (results > 0) {
        T& result = *data_of(folded);
        reduce_on_cpu({reduction, 1}, all.values(), &result);
        if (fills > 0) result = Fold::combine(result, repeated_fold<Fold>(fill, fills));
    }
    return SparseBuffer<T>::of_sorted(1, std::move(indexes), std::move(folded), results,
                                      results > 0 ? T{} : repeated_fold<Fold>(fill, fills));
}

/// An operand whose entries are moved as little as a fold to `groups` allows.
Operand in_order_of_entries(const Operand& given, index_t groups) {
    return groups == 1 ? in_order_of_addresses(given) : over_addresses(given);
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

std::shared_ptr<AnyReader> reduce_sparse(Reduction reduction, const Operand& given,
                                         index_t groups) {
    count_way(Way::stored);
    std::shared_ptr<AnyReader> result;
    if (reduction == Reduction::sum) result = contract_sparse(given, groups, kPartSums);
    if (result != nullptr) return result;
    const Operand source = in_order_of_entries(given, groups);
    const auto fold = [&](auto&& folded_by) {
        visit_dtype(source.dtype(), "reduce", [&]<typename T>(std::type_identity<T>) {
            visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold> type) {
                result = folded_by(type);
            });
        });
        return result;
    };
    if (groups == 1 && leaf_of(source) == nullptr) {
        const SparseEvaluation all(source, "reduce");
        return fold([&]<typename Fold>(std::type_identity<Fold>) {
            return fold_all<Fold>(reduction, all);
        });
    }
    if (const auto cells = StoredCells::of(source, groups, "reduce"))
        return fold([&]<typename Fold>(std::type_identity<Fold>) {
            return fold_cells<Fold>(*cells, groups, source.dims.size() / groups);
        });
    const StoredParts parts(source, groups, "reduce");
    return fold([&]<typename Fold>(std::type_identity<Fold>) {
        return fold_parts<Fold>(reduction, parts);
    });
}

SparseBufferPtr<std::int64_t> count_true_sparse(const Operand& given, index_t groups) {
    count_way(Way::stored);
    const Operand source = in_order_of_entries(given, groups);
    if (const auto cells = StoredCells::of(source, groups, "count_true")) {
        const bool fill = load_element<bool>(static_cast<const std::byte*>(cells->pairs().fill));
        return fold_cells<bool, std::int64_t, std::int64_t>(
            *cells, groups, 0,
            [](std::int64_t count, bool value) { return count + std::int64_t{value}; },
            [=, size = source.dims.size() / groups](const Folded<std::int64_t>& each) {
                return each.value + (fill ? size - each.stored : 0);
            });
    }
    return reduce_each<bool>(StoredParts(source, groups, "count_true"),
                             [](const ReducedPart<bool>& part, bool fill) -> std::int64_t {
                                 return std::count(part.values, part.values + part.stored, true) +
                                        (fill ? part.fills() : 0);
                             });
}

namespace {

/// In reverse order, the last one is the first. All axes are reversed, and so is the order of groups.
SparseBufferPtr<std::int64_t> last_extreme_sparse(Extreme extreme, const Operand& given,
                                                  index_t groups) {
    const index_t last = given.dims.size() / groups - 1;
    const SparseBufferPtr<std::int64_t> reversed =
        arg_extreme_sparse(extreme, {given.node, dimensions::flip(given.dims)}, groups);
    std::vector<index_t> cells;
    std::vector<std::int64_t> found;
    for (index_t i = reversed->stored(); i-- > 0;) {
        const auto place = static_cast<std::size_t>(i);
        cells.push_back(groups - 1 - reversed->indexes()[place]);
        found.push_back(last - reversed->values()[place]);
    }
    return std::make_shared<SparseBuffer<std::int64_t>>(groups, std::move(cells), std::move(found),
                                                        last - reversed->fill());
}

} // namespace

SparseBufferPtr<std::int64_t> arg_extreme_sparse(Extreme extreme, const Operand& given,
                                                 index_t groups, bool last) {
    if (last) return last_extreme_sparse(extreme, given, groups);
    count_way(Way::stored);
    const StoredParts parts(over_addresses(given), groups, "arg_extreme");
    return visit_dtype(given.dtype(), "arg_extreme", [&]<typename T>(std::type_identity<T>) {
        return reduce_each<T>(parts, [=](const ReducedPart<T>& part, T fill) {
            return extreme_of(extreme, part, fill);
        });
    });
}

std::shared_ptr<AnyReader> squared_deviations_sparse(const Operand& given, index_t groups) {
    count_way(Way::stored);
    const StoredParts parts(in_order_of_entries(given, groups), groups, "squared_deviations");
    if (given.dtype() == float32) return reduce_each<float>(parts, deviations_of<float>);
    return reduce_each<double>(parts, deviations_of<double>);
}

} // namespace purview
