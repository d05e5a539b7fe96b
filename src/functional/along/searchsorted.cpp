#include "evaluation/lane_slabs.hpp"
#include "functional/along/sorted_search.hpp"
#include "functional/reductions/slab_results.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/searchsorted.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

namespace purview::inline v0_1 {
namespace {

/// The number of values that one thread searches at a time.
constexpr index_t kSearchGrain = 4096;

/// The indexes of a sorter.
Tensor<std::int64_t> order_of(const char* what, const Operand& sorter, index_t size) {
    if (!sorter.dtype().is_integer()) throw_dtype_unsupported(what, sorter.dtype());
    Tensor<std::int64_t> order = in_memory<std::int64_t>(what, sorter);
    if (order.rank() != 1 || order.size() != size)
        throw ShapeError(fmt::format("{}: a sorter of shape {} for {} elements", what,
                                     to_string(order.shape()), size));
    return order;
}

template <typename T>
Tensor<T> put_in_order(const char* what, const Tensor<T>& elements, const Operand& sorter) {
    const Tensor<std::int64_t> order = order_of(what, sorter, elements.size());
    const auto indexes = as_span(order);
    const auto from = as_span(elements);
    MutableTensor<T> result = empty<T>({elements.size()});
    T* const out = as_span(result).data();
    const index_t n = elements.size();
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const index_t index = indexes[i];
        if (index < -n || index >= n)
            throw IndexError(fmt::format(
                "{}: index {} at place {} of the sorter is out of range for {} elements", what,
                index, i, n));
        out[i] = from[static_cast<std::size_t>(index < 0 ? index + n : index)];
    }
    return result;
}

template <Side side, typename Order, typename T>
void find_places(std::span<const T> sorted, std::span<const T> values, std::int64_t* out) {
    const SortedSearch<T, side, Order> search(sorted.data(), std::ssize(sorted));
    const double step = sorted.size_bytes() < (std::size_t{1} << 20) ? 1 : 3;
    const double each = step * (1 + static_cast<double>(std::bit_width(sorted.size())));
    parallel_ranges(std::ssize(values), kSearchGrain, each * static_cast<double>(values.size()),
                    [&](index_t begin, index_t end) {
                        search.find(values.data() + begin, end - begin, out + begin);
                    });
}

template <typename Order = NumberOrder>
Operand places_in(const char* what, const Operand& sorted, const Operand& values, DType compute,
                  Side side, const Operand* sorter = nullptr) {
    require_one_axis(what, AnyTensor(sorted));
    return visit_dtype(compute, what, [&]<typename T>(std::type_identity<T>) {
        const auto places = [&](const Tensor<T>& elements, const Tensor<T>& wanted) {
            MutableTensor<std::int64_t> result = empty<std::int64_t>(wanted.shape());
            std::int64_t* const out = as_span(result).data();
            if (side == Side::left)
                find_places<Side::left, Order>(as_span(elements), as_span(wanted), out);
            else
                find_places<Side::right, Order>(as_span(elements), as_span(wanted), out);
            return result;
        };
        if (sorter == nullptr && sorted.node->reads(Below::blocks)) {
            // A place is the sum of those in the parts.
            const Tensor<T> wanted = in_memory<T>(what, values);
            const MutableTensor<std::int64_t> result = zeros<std::int64_t>(wanted.shape());
            for_each_slab(what, sorted, {}, [&](const Operand& part, ShapeSpan) {
                const auto found = places(in_memory<T>(what, part), wanted);
                std::ranges::transform(as_span(found), as_span(result), as_span(result).begin(),
                                       std::plus());
            });
            return result.operand();
        }
        Tensor<T> elements = in_memory<T>(what, sorted);
        if (sorter != nullptr) elements = put_in_order(what, elements, *sorter);
        return worked_by_parts(what, values, [&](const Operand& part) {
            return places(elements, in_memory<T>(what, part)).operand();
        });
    });
}

} // namespace

namespace {

Operand places_of_strings(const char* what, const Operand& sorted, const Operand& values, Side side,
                          const Operand* sorter) {
    require_one_axis(what, AnyTensor(sorted));
    Operand elements = sorted;
    if (sorter != nullptr) {
        const Tensor<std::int64_t> order = order_of(what, *sorter, sorted.dims.size());
        elements = take_operand(sorted, order.operand(), 0);
    }
    return searchsorted(Tensor<std::string>(elements), Tensor<std::string>(values), side).operand();
}

} // namespace

Operand sorted_places(const char* what, WeakOperand sorted, WeakOperand values, Side side,
                      const Operand* sorter) {
    const DType given = sorted.operand.dtype();
    if (given == values.operand.dtype()) {
        if (given == kDType<std::string>)
            return places_of_strings(what, sorted.operand, values.operand, side, sorter);
        if (given.counted_in() != given) // NaT last
            return places_in<TimeOrder>(what, tick_counts(sorted.operand),
                                        tick_counts(values.operand), given.counted_in(), side,
                                        sorter);
    }
    const DType compute = computed_dtype(what, sorted, values);
    return places_in(what, sorted.operand, values.operand, compute, side, sorter);
}

Operand bin_places(WeakOperand values, WeakOperand bins, Side side) {
    const DType compute = computed_dtype("digitize", values, bins);
    const Operand& edges = bins.operand;
    require_one_axis("digitize", AnyTensor(edges));
    bool ascend = true;
    bool descend = true;
    const index_t count = edges.dims.size();
    visit_dtype(compute, "digitize", [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> held = in_memory<T>("digitize", edges);
        const auto limits = as_span(held);
        for (std::size_t i = 1; i < limits.size(); ++i) {
            ascend = ascend && limits[i - 1] <= limits[i];
            descend = descend && limits[i - 1] >= limits[i];
        }
    });
    if (!ascend && !descend)
        throw Error(fmt::format("digitize: the {} edges neither ascend nor descend", count));
    const Side searched = side == Side::left ? Side::right : Side::left;
    if (ascend) return places_in("digitize", edges, values.operand, compute, searched);
    const Shape axis{0};
    const MutableTensor<std::int64_t> places(
        places_in("digitize", flip_operand(edges, axis), values.operand, compute, searched));
    for (std::int64_t& place : as_span(places)) place = count - place;
    return places.operand();
}

} // namespace purview
