#include <purview/base/checked.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/order_statistics.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/wrap.hpp>

#include "base/explained_call.hpp"
#include "evaluation/lane_slabs.hpp"
#include "evaluation/large_results.hpp"
#include "evaluation/long_sorts.hpp"
#include "functional/along/nat_last.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

namespace {

/// Moves what each lane has of NaT, which as the lowest count comes first in ascending order, behind the rest. Descending, it is
/// last as it is. `is_nat(i)` tells of the i-th of all elements in order whether it is.
template <typename T, typename IsNat>
void put_nat_last(std::span<T> sorted, const AxisParts& parts, IsNat is_nat) {
    for (index_t group = 0; group < parts.groups; ++group) {
        const index_t begin = group * parts.length;
        index_t nats = 0;
        while (nats < parts.length && is_nat(begin + nats)) ++nats;
        if (nats == 0) continue;
        T* const lane = sorted.data() + begin;
        std::rotate(lane, lane + nats, lane + parts.length);
    }
}

/// Throws `MemoryLimitError` for an operand over chunks that has no room in memory.
void refuse_without_room(const char* what, const Operand& x) {
    Shape whole;
    for (index_t axis = 0; axis < x.dims.rank(); ++axis) whole.push_back(axis);
    for_each_slab(what, x, whole, [](const Operand&, ShapeSpan) {});
}

/// Whether parts, of which there is one then, are sorted by way of runs in files.
bool is_long(const AxisParts& parts) {
    return parts.groups == 1 && is_sorted_in_runs(parts.operand);
}

} // namespace

MutableTensor<std::int64_t> argsort_parts(const char* what, const AxisParts& given,
                                          SortOrder order) {
    if (given.operand.node->reads(Below::symbol)) throw_no_elements(*given.operand.node, what);
    AxisParts parts = given;
    parts.operand = tick_counts(given.operand);
    const DType dtype = parts.operand.dtype();
    if (dtype == kDType<std::string>)
        return argsort_by<std::string>(what, parts,
                                       [=](const std::string& a, const std::string& b) {
                                           return order == SortOrder::descending ? b < a : a < b;
                                       });
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    const ShapeSpan shape = parts.operand.dims.max_shape();
    const bool nat_first = has_nat_first(given.operand.dtype(), dtype, order);
    if (is_long(parts))
        return MutableTensor<std::int64_t>(argsorted_in_runs(
            what, nat_first ? with_nat_last(parts.operand) : parts.operand, order));
    if (nat_first) {
        MutableTensor<std::int64_t> result = empty<std::int64_t>(shape);
        visit_dtype(dtype, what, [&]<typename C>(std::type_identity<C>) {
            const Tensor<C> counts = in_memory<C>(what, parts.operand);
            const std::span<std::int64_t> indexes = as_span(result);
            const std::span<const C> values = as_span(counts);
            argsort_groups(counts.operand(), parts.groups, order, indexes.data());
            put_nat_last(indexes, parts, [&](index_t i) {
                const index_t lane = i - i % parts.length;
                const index_t at = lane + indexes[static_cast<std::size_t>(i)];
                return is_nat_count(values[static_cast<std::size_t>(at)]);
            });
        });
        return result;
    }
    MutableTensor<std::int64_t> result(results_like(what, parts.operand, int64, shape));
    argsort_groups(parts.operand, parts.groups, order, result.operand());
    return result;
}

Operand taken_along(const AxisParts& parts, const Operand& indexes) {
    const index_t matrix[] = {parts.groups, parts.length};
    const auto lanes = [&](const Operand& x) {
        return Operand{x.node, dimensions::reshape(x.dims, matrix)};
    };
    Operand taken = take_along_axis_operand(lanes(parts.operand), lanes(indexes), 1);
    taken.dims = dimensions::reshape(taken.dims, parts.operand.dims.max_shape());
    return taken;
}

Operand sorted_parts(const char* what, const AxisParts& given, SortOrder order) {
    if (given.operand.node->reads(Below::symbol)) throw_no_elements(*given.operand.node, what);
    AxisParts parts = given;
    parts.operand = tick_counts(given.operand);
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) {
        const MutableTensor<std::int64_t> indexes = argsort_parts(what, parts, order);
        return clone(AnyTensor(taken_along(parts, indexes.operand()))).operand();
    }
    const bool nat_first = has_nat_first(given.operand.dtype(), dtype, order);
    if (is_long(parts)) {
        Operand sorted =
            sorted_in_runs(what, nat_first ? with_nat_last(parts.operand) : parts.operand, order);
        if (nat_first) assign(from_nat_last(sorted), sorted);
        return counts_as_times(AnyTensor::writable(sorted), given.operand.dtype()).operand();
    }
    const ShapeSpan shape = parts.operand.dims.max_shape();
    const Operand sorted = nat_first ? cpu().results_like({}, dtype, shape)
                                     : results_like(what, parts.operand, dtype, shape);
    sort_groups(parts.operand, parts.groups, order, sorted);
    if (nat_first)
        visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
            const std::span<T> elements = as_span(MutableTensor<T>(sorted));
            put_nat_last(elements, parts, [&](index_t i) {
                return is_nat_count(elements[static_cast<std::size_t>(i)]);
            });
        });
    return counts_as_times(AnyTensor::writable(brought_to(parts.operand, sorted)),
                           given.operand.dtype())
        .operand();
}

namespace {

/// The first `count` of one part that is read bit by bit: the first of each bit are compared with those of the bits
/// before, which come first among equal ones.
Operand first_of_long(const char* what, const Operand& part, index_t count, SortOrder order) {
    const index_t size = part.dims.size();
    const Dimensions line = dimensions::reshape(part.dims, ShapeSpan(&size, 1));
    MutableTensor<std::int64_t> result = empty<std::int64_t>({count});
    visit_dtype(part.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const index_t length =
            std::max(count, memory_left() / 8 / index_t{sizeof(T)} + 1); // of a bit
        explained_as([&] {
            return fmt::format("{}: in parts of {} elements, of which {} are kept; chunks read: {}",
                               what, length, count, chunks_of(std::span(&part, 1)));
        });
        MutableTensor<T> kept = empty<T>({0});
        std::vector<std::int64_t> places;
        for (index_t begin = 0; begin < size; begin += length) {
            const index_t end = std::min(begin + length, size);
            const Operand bit{part.node, dimensions::select(line, 0, Range(begin, end))};
            const index_t whole = 0;
            for_each_slab(what, bit, ShapeSpan(&whole, 1), [&](const Operand& held, ShapeSpan) {
                const auto first_of = [&](const Operand& x) {
                    std::vector<std::int64_t> first(
                        static_cast<std::size_t>(std::min(count, x.dims.size())));
                    arg_first_groups(x, 1, std::ssize(first), order, first.data());
                    return first;
                };
                const std::vector<std::int64_t> found = first_of(held);
                const MutableTensor<T> both = empty<T>({kept.size() + std::ssize(found)});
                const std::span<T> elements = as_span(both);
                std::ranges::copy(as_span(kept), elements.begin());
                const Tensor<T> of_bit = in_memory<T>(what, held);
                for (std::size_t i = 0; i < found.size(); ++i) {
                    elements[places.size()] = as_span(of_bit)[static_cast<std::size_t>(found[i])];
                    places.push_back(begin + found[i]);
                }
                const std::vector<std::int64_t> first = first_of(both.operand());
                kept = empty<T>({std::ssize(first)});
                std::vector<std::int64_t> places_kept;
                for (std::size_t i = 0; i < first.size(); ++i) {
                    const auto at = static_cast<std::size_t>(first[i]);
                    as_span(kept)[i] = elements[at];
                    places_kept.push_back(places[at]);
                }
                places = std::move(places_kept);
            });
        }
        std::ranges::copy(places, as_span(result).begin());
    });
    return result.operand();
}

} // namespace

Operand first_in_order(const char* what, const AxisParts& parts, index_t count, SortOrder order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    if (count < 0 || count > parts.length)
        throw IndexError(
            fmt::format("{}: there are no {} elements among {}", what, count, parts.length));
    require_host_reads(what, parts.operand);
    Shape shape = to_shape(parts.operand.dims.max_shape());
    if (shape.empty()) {
        if (count == 0)
            throw IndexError(fmt::format("{}: a tensor of rank 0 has one element", what));
    } else {
        shape.back() = count;
    }
    if (is_long(parts) && count > 0) {
        const Operand first = first_of_long(what, parts.operand, count, order);
        return {first.node, dimensions::reshape(first.dims, shape)};
    }
    MutableTensor<std::int64_t> result = empty<std::int64_t>(shape);
    arg_first_groups(parts.operand, parts.groups, count, order, as_span(result).data());
    return result.operand();
}

namespace {

/// The partition of one part that is read bit by bit, in its order: the element of the place is found first, then what
/// comes before it, equals it and comes behind it is counted, then the indexes of these are written.
Operand partitioned_long(const char* what, const Operand& given, index_t kth, SortOrder order) {
    const index_t size = given.dims.size();
    const Operand part = given.dtype() == boolean ? cast_operand(given, uint8, Op::cast) : given;
    const Operand line{part.node, dimensions::reshape(part.dims, ShapeSpan(&size, 1))};
    explained_as([&] {
        return fmt::format(
            "{}: the element is found by counts of intervals, what comes before it is counted, then "
            "indexes are written; chunks read: {}, four or five times",
            what, chunks_of(std::span(&part, 1)));
    });
    const Operand result = large_results(what, part, int64, ShapeSpan(&size, 1));
    const bool descends = order == SortOrder::descending;
    visit_dtype(part.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        T pivot{};
        index_t rank = 0;
        bool is_number = false;
        select_ranks_by_reading(
            what, part,
            [&](index_t numbers) -> std::span<const index_t> {
                is_number = kth < numbers;
                rank = descends ? numbers - 1 - kth : kth;
                return {&rank, is_number ? std::size_t{1} : 0};
            },
            &pivot);
        const auto kind_of = [=](T x) -> std::size_t {
            if (!is_number) return x == x ? 0 : 1;
            if (x == pivot) return 1;
            return (descends ? x > pivot : x < pivot) ? 0 : 2;
        };
        const index_t length = std::max<index_t>(memory_left() / 16 / 8, 1); // of a bit
        const auto for_each_bit = [&](FunctionRef<void(index_t, std::span<const T>)> f) {
            const index_t whole = 0;
            for (index_t begin = 0; begin < size; begin += length) {
                const index_t end = std::min(begin + length, size);
                for_each_slab(what,
                              {line.node, dimensions::select(line.dims, 0, Range(begin, end))},
                              ShapeSpan(&whole, 1), [&](const Operand& held, ShapeSpan) {
                                  const Tensor<T> elements = in_memory<T>(what, held);
                                  f(begin, as_span(elements));
                              });
            }
        };
        std::array<index_t, 3> counts{};
        for_each_bit([&](index_t, std::span<const T> elements) {
            for (const T x : elements) ++counts[kind_of(x)];
        });
        std::array<index_t, 3> places{0, counts[0], counts[0] + counts[1]};
        std::array<std::vector<std::int64_t>, 3> found;
        const CountedBytes counted(3 * 8 * std::min(length, size), what);
        for (auto& indexes : found)
            indexes.reserve(static_cast<std::size_t>(std::min(length, size)));
        for_each_bit([&](index_t begin, std::span<const T> elements) {
            for (auto& indexes : found) indexes.clear();
            for (std::size_t i = 0; i < elements.size(); ++i)
                found[kind_of(elements[i])].push_back(begin + static_cast<index_t>(i));
            for (std::size_t kind = 0; kind < 3; ++kind) {
                const index_t first = places[kind];
                places[kind] =
                    std::min(first + std::ssize(found[kind]), size); // if elements change
                found[kind].resize(static_cast<std::size_t>(places[kind] - first));
                if (!found[kind].empty())
                    assign(borrow(found[kind]).operand(),
                           {result.node,
                            dimensions::select(result.dims, 0, Range(first, places[kind]))});
            }
        });
    });
    return {result.node, dimensions::reshape(result.dims, part.dims.max_shape())};
}

} // namespace

Operand partitioned(const AxisParts& parts, index_t kth, SortOrder order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported("argpartition", dtype);
    if (kth < -parts.length || kth >= parts.length)
        throw IndexError(fmt::format("argpartition: element {} is out of range for {} elements",
                                     kth, parts.length));
    require_host_reads("argpartition", parts.operand);
    if (is_long(parts)) {
        const index_t place = kth < 0 ? kth + parts.length : kth;
        if (is_ranked_by_reading(parts.operand))
            return partitioned_long("argpartition", parts.operand, place, order);
        refuse_without_room("argpartition", parts.operand);
    }
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    argpartition_groups(parts.operand, parts.groups, kth < 0 ? kth + parts.length : kth, order,
                        as_span(result).data());
    return result.operand();
}

} // namespace purview
