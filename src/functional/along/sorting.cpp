#include "dtype/element_block.hpp"

#include <purview/base/checked.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace purview {

namespace {

/// Sorts `count` indexes stably by `before(a, b)`, with `count` entries of scratch memory at
/// `room`.
template <typename Before>
void merge_sort(index_t* indexes, index_t* room, index_t count, const Before& before) {
    constexpr index_t kRun = 16;
    for (index_t begin = 0; begin < count; begin += kRun) {
        const index_t end = std::min(begin + kRun, count);
        for (index_t i = begin + 1; i < end; ++i) {
            const index_t moved = indexes[i];
            index_t at = i;
            for (; at > begin && before(moved, indexes[at - 1]); --at)
                indexes[at] = indexes[at - 1];
            indexes[at] = moved;
        }
    }
    index_t* from = indexes;
    index_t* to = room;
    for (index_t width = kRun; width < count; width *= 2) {
        for (index_t begin = 0; begin < count; begin += 2 * width) {
            const index_t middle = std::min(begin + width, count);
            const index_t end = std::min(middle + width, count);
            index_t left = begin;
            index_t right = middle;
            const bool merges = middle < end && before(from[middle], from[middle - 1]);
            for (index_t i = begin; i < end; ++i)
                to[i] =
                    left < middle && (!merges || right == end || !before(from[right], from[left]))
                        ? from[left++]
                        : from[right++];
        }
        std::swap(from, to);
    }
    if (from != indexes) std::copy_n(from, count, indexes);
}

/// Sorts each part by `before(lane, a, b)` of two indexes within a lane.
template <typename Before>
MutableTensor<std::int64_t> argsorted(const AxisParts& parts, const Before& before) {
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    const index_t length = parts.length;
    if (result.empty()) return result;
    const Evaluation evaluation(parts.operand, Reads::within_one_operation);
    ElementBlock lane(parts.operand.dtype(), length);
    std::vector<index_t> room(static_cast<std::size_t>(length));
    std::int64_t* out = as_span(result).data();
    for (index_t group = 0; group < parts.groups; ++group, out += length) {
        evaluation.read(group * length, length, lane.data());
        std::iota(out, out + length, index_t{0});
        const std::byte* const elements = lane.at(0);
        merge_sort(out, room.data(), length,
                   [&](index_t a, index_t b) { return before(elements, a, b); });
    }
    return result;
}

MutableTensor<std::int64_t> argsorted_strings(const AxisParts& parts, bool descends) {
    return argsorted(parts, [descends](const std::byte* lane, index_t a, index_t b) {
        const auto* const strings = reinterpret_cast<const std::string*>(lane);
        return descends ? strings[b] < strings[a] : strings[a] < strings[b];
    });
}

} // namespace

MutableTensor<std::int64_t> argsort_by(const AxisParts& parts, ElementBefore before,
                                       SortOrder order) {
    const index_t size = parts.operand.dtype().size_bytes();
    const bool descends = order == SortOrder::descending;
    return argsorted(parts, [=](const std::byte* lane, index_t a, index_t b) {
        return descends ? before(lane + b * size, lane + a * size)
                        : before(lane + a * size, lane + b * size);
    });
}

MutableTensor<std::int64_t> argsort_parts(const char* what, const AxisParts& given,
                                          SortOrder order) {
    AxisParts parts = given;
    parts.operand = times_as_counts(given.operand);
    const DType dtype = parts.operand.dtype();
    if (dtype == kDType<std::string>)
        return argsorted_strings(parts, order == SortOrder::descending);
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    argsort_groups(parts.operand, parts.groups, order, as_span(result).data());
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
    AxisParts parts = given;
    parts.operand = times_as_counts(given.operand);
    const MutableTensor<std::int64_t> indexes = argsort_parts(what, parts, order);
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin())
        return clone(AnyTensor(taken_along(parts, indexes.operand()))).operand();
    const AnyTensor sorted = visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        MutableTensor<T> result = empty<T>(parts.operand.dims.max_shape());
        if (!result.empty())
            take_groups(parts.operand, parts.groups, as_span(indexes).data(),
                        as_span(result).data());
        return AnyTensor(result);
    });
    return counts_as_times(sorted, given.operand.dtype()).operand();
}

Operand first_in_order(const char* what, const AxisParts& parts, index_t count, SortOrder order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    if (count < 0 || count > parts.length)
        throw IndexError(
            fmt::format("{}: there are no {} elements among {}", what, count, parts.length));
    Shape shape = to_shape(parts.operand.dims.max_shape());
    if (shape.empty()) {
        if (count == 0)
            throw IndexError(fmt::format("{}: a tensor of rank 0 has one element", what));
    } else {
        shape.back() = count;
    }
    MutableTensor<std::int64_t> result = empty<std::int64_t>(shape);
    arg_first_groups(parts.operand, parts.groups, count, order, as_span(result).data());
    return result.operand();
}

Operand partitioned(const AxisParts& parts, index_t kth, SortOrder order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported("argpartition", dtype);
    if (kth < -parts.length || kth >= parts.length)
        throw IndexError(fmt::format("argpartition: element {} is out of range for {} elements",
                                     kth, parts.length));
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    argpartition_groups(parts.operand, parts.groups, kth < 0 ? kth + parts.length : kth, order,
                        as_span(result).data());
    return result.operand();
}

} // namespace purview
