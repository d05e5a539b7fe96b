#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/reductions/first.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/functional/reductions/reduced_view.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/views.hpp>

#include "functional/reductions/rolled_ranges.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Those of an operand, one after the other.
void copy_each(const Operand& elements, const Destination& out) {
    const index_t size = elements.dims.size();
    if (elements.node->reads(Below::device)) // each is folded to itself, there
        return reduce_groups(Reduction::maximum, elements, size, out);
    compute_into(out, elements.dtype(), size, [&](void* memory) {
        Evaluation(elements, Reads::within_one_operation).read(0, size, memory);
    });
}

class EndElement final : public BuiltInReduction {
public:
    constexpr EndElement(const char* name, bool at_end) noexcept
        : BuiltInReduction(name), at_end_(at_end) {}

    DType result_of(DType element) const override { return element; }
    AxisOrder order() const override { return AxisOrder::as_named; }
    /// The elements at the ends alone are read.
    bool wants_groups_together(DType, bool) const override { return false; }
    void run(ReducedView view, DType result, void* out) const override {
        require_not_sparse(name(), view.operand);
        visit_dtype(result, name(), [&]<typename T>(std::type_identity<T>) {
            if (at_end_)
                EndOperation<true>::run<T>(view, static_cast<T*>(out));
            else
                EndOperation<false>::run<T>(view, static_cast<T*>(out));
        });
    }
    void run_to(ReducedView view, const Operand& results) const override {
        require_not_sparse(name(), view.operand);
        require_elements(name(), view);
        if (view.groups > 0) copy_end_elements(view, at_end_, results);
    }
    /// Where nothing but NaN is, whichever place is found has one.
    void run_on_non_nan(ReducedView view, void* out) const override {
        require_not_sparse(name(), view.operand);
        const DType dtype = view.operand.dtype();
        const index_t groups = view.groups;
        if (groups == 0) return;
        if (view.operand.dims.size() == 0) {
            visit_dtype(dtype, name(), [&]<typename T>(std::type_identity<T>) {
                if constexpr (std::floating_point<T>)
                    std::fill_n(static_cast<T*>(out), groups, std::numeric_limits<T>::quiet_NaN());
            });
            return;
        }
        const index_t length = view.operand.dims.size() / groups;
        std::vector<std::int64_t> places(static_cast<std::size_t>(groups));
        arg_extreme(Extreme::greatest, is_not_nan(view.operand), groups, places.data(), at_end_);
        for (index_t group = 0; group < groups; ++group)
            places[static_cast<std::size_t>(group)] += group * length;
        const Tensor<std::int64_t> taken = tensor(std::move(places));
        copy_each(take_operand(view.operand, brought_to(view.operand, taken.operand())), out);
    }
    /// O(length) for each lane, whatever the windows.
    bool roll_ranges(const Operand& lanes, index_t groups, std::span<const index_t> begins,
                     std::span<const index_t> ends, NanRule nan, void* out) const override {
        const bool skips = nan == NanRule::skip && lanes.dtype().is_floating();
        if (groups == 0) return true;
        for (std::size_t i = 0; i < begins.size() && !skips; ++i)
            if (begins[i] == ends[i]) return false; // an error, as others have it
        visit_dtype(lanes.dtype(), name(), [&]<typename T>(std::type_identity<T>) {
            const Evaluation elements(lanes, Reads::within_one_operation);
            const index_t length = lanes.dims.size() / groups;
            const MutableTensor<T> lane = empty<T>({length});
            T* const x = as_span(lane).data();
            std::vector<index_t> known(static_cast<std::size_t>(skips ? length : 0));
            auto* to = static_cast<T*>(out);
            for (index_t group = 0; group < groups; ++group) {
                if (length > 0) elements.read(group * length, length, x);
                if (skips) find_known(x, known);
                for (std::size_t i = 0; i < begins.size(); ++i)
                    *to++ = end_of(x, begins[i], ends[i], known);
            }
        });
        return true;
    }
    bool roll(const PaddedLanes& lanes, index_t width, index_t step, NanRule nan,
              void* out) const override {
        require_not_sparse(name(), lanes.inner);
        return roll_as_ranges(*this, lanes, width, step, nan, out);
    }
    /// Also of strings and times.
    AnyTensor of_non_builtin(const ReducedView& view) const override {
        require_elements(name(), view);
        const Operand ends = view.groups > 0 ? end_elements(view, at_end_) : view.operand;
        return clone(AnyTensor(reshape_operand(ends, view.shape)));
    }

private:
    /// For each place the nearest one of a number from there on, or back from there.
    template <typename T>
    void find_known(const T* x, std::vector<index_t>& known) const {
        const index_t length = std::ssize(known);
        const auto is_known = [&](index_t i) {
            if constexpr (std::floating_point<T>)
                return !std::isnan(x[i]);
            else
                return true;
        };
        index_t found = at_end_ ? -1 : length;
        for (index_t k = 0; k < length; ++k) {
            const index_t i = at_end_ ? k : length - 1 - k;
            if (is_known(i)) found = i;
            known[static_cast<std::size_t>(i)] = found;
        }
    }
    template <typename T>
    T end_of(const T* x, index_t begin, index_t end, const std::vector<index_t>& known) const {
        index_t place = at_end_ ? end - 1 : begin;
        if constexpr (std::floating_point<T>) {
            if (begin == end) return std::numeric_limits<T>::quiet_NaN();
            if (!known.empty()) place = known[static_cast<std::size_t>(place)];
            if (place < begin || place >= end) return std::numeric_limits<T>::quiet_NaN();
        }
        return x[place];
    }

    bool at_end_;
};

} // namespace

Operand end_elements(const ReducedView& view, bool last) {
    const index_t axes = view.operand.dims.rank() - view.kept;
    const index_t length = view.operand.dims.size() / view.groups;
    return slice_operand(view.operand, axes, true, last ? length - 1 : 0);
}

void copy_end_elements(const ReducedView& view, bool last, const Destination& out) {
    copy_each(end_elements(view, last), out);
}

const BuiltInReduction& end_reduction(bool at_end) {
    static constexpr EndElement kFirst("first", false);
    static constexpr EndElement kLast("last", true);
    return at_end ? kLast : kFirst;
}

} // namespace purview
