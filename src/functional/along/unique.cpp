#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>

#include "functional/along/numbered_rows.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace purview::inline v0_1 {
namespace {

template <typename Same>
std::vector<index_t> begins_of_runs(std::span<const std::int64_t> order, const Same& same) {
    std::vector<index_t> begins;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (i == 0 || !same(order[i - 1], order[i])) begins.push_back(static_cast<index_t>(i));
    return begins;
}

} // namespace

SortedRuns::SortedRuns(const char* what, const Operand& x)
    : flat_(in_memory(what, reshape(AnyTensor(x), {-1}).operand())) {
    if (flat_.dtype() == kDType<std::string>) {
        const std::span<const std::string> values = as_span(Tensor<std::string>(flat_));
        const NumberedRows rows = number_strings(what, values);
        const auto at = [&](index_t i) -> const std::string& {
            return values[static_cast<std::size_t>(i)];
        };
        sort_numbered(
            rows.numbers, {rows.first_rows.data(), rows.first_rows.size()},
            [&](index_t a, index_t b) { return at(a) < at(b); },
            [&](index_t a, index_t b) { return at(a) == at(b); });
        return;
    }
    const Operand elements = times_as_counts(flat_);
    order_ = argsort_parts(what, axis_parts(what, flat_), ascending);
    visit_ordered_dtype(elements.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> held = contiguous(Tensor<T>(elements));
        const T* const values = as_span(held).data();
        begins_ = begins_of_runs(as_span(order_), [values](index_t a, index_t b) {
            return same_element(values[a], values[b]);
        });
    });
}

void SortedRuns::find_runs(Compare same) { begins_ = begins_of_runs(as_span(order_), same); }

void SortedRuns::sort_by_bytes(const void* elements, std::size_t size, Compare before,
                               Compare same) {
    const NumberedRows rows = number_bytes("unique", elements, size, flat_.dims.size());
    sort_numbered(rows.numbers, {rows.first_rows.data(), rows.first_rows.size()}, before, same);
}

void SortedRuns::sort_numbered(std::span<const std::int32_t> numbers,
                               std::span<const index_t> first, Compare before, Compare same) {
    const auto index = [](auto i) { return static_cast<std::size_t>(i); };
    std::vector<index_t> places(first.size());
    std::iota(places.begin(), places.end(), index_t{0});
    std::ranges::stable_sort(
        places, [&](index_t a, index_t b) { return before(first[index(a)], first[index(b)]); });
    // Elements of different bytes may be equal.
    std::vector<index_t> run_of(first.size());
    index_t runs = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i == 0 || !same(first[index(places[i - 1])], first[index(places[i])])) ++runs;
        run_of[index(places[i])] = runs - 1;
    }
    std::vector<index_t> next(index(runs) + 1);
    for (const std::int32_t number : numbers) ++next[index(run_of[index(number)]) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    begins_.assign(next.begin(), next.end() - 1);
    const MutableTensor<std::int64_t> order = empty<std::int64_t>({std::ssize(numbers)});
    std::int64_t* const out = as_span(order).data();
    for (std::int64_t row = 0; const std::int32_t number : numbers)
        out[next[index(run_of[index(number)])]++] = row++;
    order_ = order;
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

Operand distinct_values(const char* what, const Operand& x) {
    require_not_sparse(what, x);
    require_host_reads(what, x);
    const Operand elements = tick_counts(x);
    if (!elements.dtype().is_builtin()) return SortedRuns(what, x).values();
    if (is_unique_in_files(x)) return distinct_in_files(what, x);
    return visit_dtype(elements.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const MutableTensor<T> room = empty<T>({elements.dims.size()});
        const index_t count = distinct_elements(elements, as_span(room).data());
        const std::span<T> found = as_span(room).first(static_cast<std::size_t>(count));
        // The lowest count is NaT, which is last.
        if constexpr (std::is_integral_v<T>)
            if (elements.dtype() != x.dtype() && count > 0 && is_nat_count(found.front()))
                std::ranges::rotate(found, found.begin() + 1);
        const AnyTensor values = clone(AnyTensor(room(range(0, count))));
        return counts_as_times(AnyTensor(brought_to(x, values.operand())), x.dtype()).operand();
    });
}

} // namespace purview
