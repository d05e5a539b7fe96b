#include <purview/dtype/visit.hpp>
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

template <typename Same>
std::vector<index_t> begins_of_runs(std::span<const std::int64_t> order, const Same& same) {
    std::vector<index_t> begins;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (i == 0 || !same(order[i - 1], order[i])) begins.push_back(static_cast<index_t>(i));
    return begins;
}

} // namespace

SortedRuns::SortedRuns(const char* what, const Operand& x) : flat_(flattened(what, x)) {
    const Operand elements = times_as_counts(flat_);
    order_ = argsort_parts(what, axis_parts(what, elements), ascending);
    visit_ordered_dtype(elements.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> held = contiguous(Tensor<T>(elements));
        const T* const values = as_span(held).data();
        begins_ = begins_of_runs(as_span(order_), [values](index_t a, index_t b) {
            return same_element(values[a], values[b]);
        });
    });
}

void SortedRuns::find_runs(FunctionRef<bool(index_t, index_t)> same) {
    begins_ = begins_of_runs(as_span(order_), same);
}

Operand SortedRuns::elements_at(std::span<const index_t> positions) const {
    MutableTensor<std::int64_t> indexes = empty<std::int64_t>({std::ssize(positions)});
    const std::int64_t* const order = as_span(order_).data();
    std::int64_t* index = as_span(indexes).data();
    for (const index_t position : positions) *index++ = order[position];
    const Operand elements = times_as_counts(flat_);
    if (elements.dtype() == kDType<std::string>)
        return clone(AnyTensor(take_operand(elements, indexes.operand(), 0))).operand();
    if (!elements.dtype().is_builtin()) return take_operand(elements, indexes.operand(), 0);
    return visit_dtype(elements.dtype(), "unique", [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> held = contiguous(Tensor<T>(elements));
        const T* const from = as_span(held).data();
        MutableTensor<T> result = empty<T>({indexes.size()});
        T* out = as_span(result).data();
        for (const std::int64_t i : as_span(indexes)) *out++ = from[i];
        return elements.dtype() == flat_.dtype()
                   ? result.operand()
                   : counts_as_times(AnyTensor(result), flat_.dtype()).operand();
    });
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
