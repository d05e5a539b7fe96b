#include "dtype/element_block.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>

namespace purview {
namespace {

/// The elements of a flat operand in memory.
Operand flattened(const char* what, const Operand& x) {
    require_not_sparse(what, x);
    return contiguous(reshape(AnyTensor(x), {-1})).operand();
}

/// Where runs begin in `count` indexes: `same(a, b)` tells whether two elements are.
template <typename Same>
std::vector<index_t> begins_of_runs(std::span<const std::int64_t> order, const Same& same) {
    std::vector<index_t> begins;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (i == 0 || !same(order[i - 1], order[i])) begins.push_back(static_cast<index_t>(i));
    return begins;
}

std::vector<index_t> begins_of_runs(const Operand& flat, std::span<const std::int64_t> order) {
    const Operand elements = times_as_counts(flat);
    const DType dtype = elements.dtype();
    if (dtype.is_builtin())
        return visit_dtype(dtype, "unique", [&]<typename T>(std::type_identity<T>) {
            const Tensor<T> held = contiguous(Tensor<T>(elements));
            const T* const values = as_span(held).data();
            return begins_of_runs(
                order, [&](index_t a, index_t b) { return same_element(values[a], values[b]); });
        });
    ElementBlock block(dtype, flat.dims.size());
    if (!order.empty()) Evaluation(flat).read(0, std::ssize(order), block.data());
    return begins_of_runs(order, [&](index_t a, index_t b) {
        return dtype.descriptor().same(block.at(a), block.at(b));
    });
}

} // namespace

SortedRuns::SortedRuns(const char* what, const Operand& x)
    : flat_(flattened(what, x)),
      order_(argsort_parts(what, axis_parts(what, flat_), ascending)),
      begins_(begins_of_runs(flat_, as_span(order_))) {}

SortedRuns::SortedRuns(Operand flat, Tensor<std::int64_t> order)
    : flat_(std::move(flat)),
      order_(std::move(order)),
      begins_(begins_of_runs(flat_, as_span(order_))) {}

Operand SortedRuns::elements_at(std::span<const index_t> positions) const {
    MutableTensor<std::int64_t> indexes = empty<std::int64_t>({std::ssize(positions)});
    const std::span<const std::int64_t> order = as_span(order_);
    for (std::size_t i = 0; i < positions.size(); ++i)
        as_span(indexes)[i] = order[static_cast<std::size_t>(positions[i])];
    return take_operand(flat_, indexes.operand(), 0);
}

MutableTensor<std::int64_t> SortedRuns::first_indexes() const {
    MutableTensor<std::int64_t> result = empty<std::int64_t>({size()});
    for (std::size_t run = 0; std::int64_t & first : as_span(result))
        first = as_span(order_)[static_cast<std::size_t>(begins_[run++])];
    return result;
}

MutableTensor<std::int64_t> SortedRuns::inverse(ShapeSpan shape) const {
    MutableTensor<std::int64_t> result = empty<std::int64_t>(shape);
    std::int64_t* const out = as_span(result).data();
    index_t run = -1;
    index_t i = 0;
    for (const std::int64_t index : as_span(order_)) {
        if (run + 1 < size() && begins_[static_cast<std::size_t>(run + 1)] == i) ++run;
        ++i;
        out[index] = run;
    }
    return result;
}

MutableTensor<std::int64_t> SortedRuns::counts() const {
    MutableTensor<std::int64_t> result = empty<std::int64_t>({size()});
    const std::span<std::int64_t> counts = as_span(result);
    for (std::size_t run = 0; run < counts.size(); ++run)
        counts[run] = (run + 1 < counts.size() ? begins_[run + 1] : order_.size()) - begins_[run];
    return result;
}

} // namespace purview
