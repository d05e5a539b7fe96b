#include "fold.hpp"

#include "device_reader.hpp"
#include "fold_kernels.hpp"
#include "product.hpp"
#include "run.hpp"
#include "transfers.hpp"

#include "../kernels/fold_order.hpp"
#include "../memory/copies.hpp"
#include "../memory/pinned_word.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// A step of a fold: one axis, or all that are reduced. The host's are in engine/reduce/reduce_axes.cpp.
struct Step {
    enum Form : std::uint8_t {
        copy,      ///< no axis is left
        groups,    ///< every group by chunks, on lanes
        windows,   ///< which overlap: one element after the other
        outer,     ///< a few elements of outer axes first
        rows,      ///< rows are added to rows, in parts
        cells,     ///< short rows, or a few of them
        wide_rows, ///< short rows as fewer, longer ones
        exchanged  ///< the reduced axis moves next to the innermost one
    } form = groups;
    std::size_t axis = 0;
};

const char* text_of(Step::Form form) {
    constexpr const char* kTexts[] = {"elements copied",
                                      "groups folded by chunks, on 32 lanes each",
                                      "windows folded one element after the other",
                                      "outer axes folded first",
                                      "rows folded into rows, in parts of up to 128",
                                      "short rows folded, on 8 lanes from 16 elements on",
                                      "short rows taken as fewer, longer ones",
                                      "the reduced axis walked next to the innermost one"};
    return kTexts[form];
}

Op operation_of(Reduction reduction, DType dtype) {
    if (dtype == boolean)
        return reduction == Reduction::any_of || reduction == Reduction::maximum ? Op::logical_or
                                                                                 : Op::logical_and;
    return reduction == Reduction::sum       ? Op::add
           : reduction == Reduction::product ? Op::multiply
           : reduction == Reduction::minimum ? Op::minimum
                                             : Op::maximum;
}

/// `[size]` results in the memory of a leaf.
Operand line_of(const Operand& memory, index_t size) {
    return {memory.node, Dimensions::row_major(ShapeSpan(&size, 1))};
}

class FoldThere : FoldKernels {
public:
    using FoldKernels::FoldKernels;

    /// `out` is contiguous. Returns the form of the first step; with `tells`, it does nothing else.
    Step::Form fold(Operand source, const Operand& out, bool tells = false) const {
        const index_t groups = fold_.groups;
        Walks walks = walks_of(device_, source, what_,
                               groups == 1 ? LeafOrder::evaluated : LeafOrder::discovered);
        if (groups == 1) {
            if (tells) return Step::groups;
            source = in_order_of_memory(source, walks);
            if (!fold_panels(source, walks, out))
                fold_groups(source, 0, walks.row(source.dims.max_shape()), out);
            return Step::groups;
        }
        auto kept = kept_axes(source.dims.max_shape(), groups);
        if (!kept) { // no axes tell the groups apart
            const index_t shape[] = {groups, source.dims.size() / groups};
            if (!tells) {
                const Operand memory = scratch(source.dims.size());
                assign_there(device_, source,
                             {memory.node, Dimensions::row_major(source.dims.max_shape())}, what_);
                source.node = memory.node;
            }
            source.dims = Dimensions::row_major(shape);
            kept = 1;
            if (tells) return Step::groups;
            walks = walks_of(device_, source, what_);
        }
        FoldSource arranged;
        std::optional<Dimensions> results;
        if (!arrange(device_, source, *kept, walks, what_, arranged, results)) {
            const index_t group = source.dims.size() / groups;
            if (tells) return group >= kLongGroup ? Step::groups : Step::cells;
            if (group < kLongGroup)
                fold_neighbours(source, *kept, out);
            else
                fold_groups(source, *kept, walks.row(source.dims.max_shape()), out);
            return Step::groups;
        }
        if (tells) return choose(arranged).form;
        if (!results) return run(std::move(arranged), out), Step::groups;
        const Operand apart = scratch(groups);
        run(std::move(arranged), apart);
        assign_there(device_, {apart.node, Dimensions::row_major(results->max_shape())},
                     {out.node, *results}, what_);
        return Step::groups;
    }

private:
    Step choose(const FoldSource& source) const {
        const FoldAxes& axes = source.axes;
        std::size_t last = axes.size(); // that is reduced
        std::size_t count = 0;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (!axes[i].kept) last = i, ++count;
        if (count == 0) return {Step::copy};
        if (count == axes.size()) return {};
        if (has_windows(source)) return {Step::windows};
        if (count > 1 && folds_outer_axes(source, last)) return {Step::outer, last};
        const bool innermost = !axes.back().kept;
        const index_t inner = axes.back().extent;
        if (!innermost || (count > 1 && inner < 2 * kLongGroup)) {
            std::size_t found = axes.size();
            for (std::size_t i = 0; i + 1 < axes.size(); ++i)
                if (!axes[i].kept && source.inner_run(i) >= kShortestRow &&
                    (found == axes.size() || axes[i].extent > axes[found].extent))
                    found = i;
            if (found < axes.size()) return {Step::rows, found};
        }
        if (inner >= (innermost ? kLongGroup : kShortestRow)) return {};
        if (innermost) return {Step::cells, last};
        const index_t width = extent_of(axes, last + 1);
        if (axes[last].extent <= kRowsInPart && axes[last].extent * width <= kLargestCell)
            return {Step::cells, last};
        return {last + 2 == axes.size() && axes[last].joins_next ? Step::wide_rows
                                                                 : Step::exchanged,
                last};
    }

    /// Whether a reduced and a kept axis run through the same addresses.
    bool has_windows(const FoldSource& source) const {
        const index_t results = source.groups();
        const index_t elements = source.size() / results;
        if (elements < 2 || elements > kMostInWindow || results < kLeastResults) return false;
        Operand whole = source.operand();
        for (const auto& strides : walks_of(device_, whole, what_).strides)
            for (std::size_t a = 0; a < source.axes.size(); ++a)
                for (std::size_t b = 0; b < source.axes.size(); ++b) {
                    if (!source.axes[a].kept || source.axes[b].kept) continue;
                    const index_t of_a = std::abs(strides[a]);
                    const index_t of_b = std::abs(strides[b]);
                    if (of_a != 0 && of_b != 0 && of_a < of_b * source.axes[b].extent &&
                        of_b < of_a * source.axes[a].extent)
                        return true;
                }
        return false;
    }
    bool folds_outer_axes(const FoldSource& source, std::size_t last) const {
        const index_t elements = source.elements_before(last);
        if (elements < 2 || elements > kMostFolded) return false;
        Operand whole = source.operand();
        return elements * (walks_of(device_, whole, what_).values + 1) <= kMostShiftedViews;
    }

    void run(FoldSource source, const Operand& out) const {
        const Step step = choose(source);
        switch (step.form) {
        case Step::copy: {
            const Operand from = source.operand();
            assign_there(device_, from, {out.node, Dimensions::row_major(from.dims.max_shape())},
                         what_);
            break;
        }
        case Step::groups: {
            const auto kept = std::ranges::count(source.axes, true, &FoldAxis::kept);
            Operand from = source.kept_first();
            const index_t row = walks_of(device_, from, what_).row(from.dims.max_shape());
            fold_groups(from, static_cast<std::size_t>(kept), row, out);
            break;
        }
        case Step::windows: fold_axes(source, {}, source.size(), out); break;
        case Step::outer: {
            FoldSource first = source;
            FoldAxes left;
            for (std::size_t i = 0; i < source.axes.size(); ++i) {
                first.axes[i].kept = source.axes[i].kept || i == step.axis;
                if (!first.axes[i].kept) continue;
                left.push_back(source.axes[i]);
                left.back().joins_next &=
                    i + 1 < source.axes.size() && (source.axes[i + 1].kept || i + 1 == step.axis);
            }
            const Operand results = scratch(extent_of(left));
            fold_axes(first, {}, source.size(), results);
            index_t stride = extent_of(left);
            for (FoldAxis& axis : left) axis.stride = stride /= axis.extent;
            run({results.node, 0, left}, out);
            break;
        }
        case Step::rows: {
            FoldAxes left = source.axes;
            left[step.axis].extent = (left[step.axis].extent + kRowsInPart - 1) / kRowsInPart;
            left[step.axis].kept = left[step.axis].extent == 1;
            in_steps(left, out, [&](const Operand& results) {
                fold_axes(source, step.axis, kRowsInPart, results);
            });
            break;
        }
        case Step::cells: fold_cells(source, step.axis, out); break;
        case Step::wide_rows: {
            const index_t rows = source.axes[step.axis].extent;
            const index_t width = source.axes[step.axis + 1].extent;
            index_t joined =
                std::clamp(rows / 16, (kShortestRow + width - 1) / width, kWideRow / width);
            if (joined > 32) joined = joined / 32 * 32;
            split(std::move(source), step.axis, joined, false, out);
            break;
        }
        case Step::exchanged: exchange(std::move(source), step.axis, out); break;
        }
    }

    /// Calls `step(memory)`, which leaves results along `axes`; those that are not kept are reduced further.
    template <typename F>
    void in_steps(const FoldAxes& axes, const Operand& out, F&& step) const {
        if (std::ranges::all_of(axes, &FoldAxis::kept)) return step(out);
        const Operand results = scratch(extent_of(axes));
        step(results);
        run(over_results(results.node, axes), out);
    }
    void fold_cells(const FoldSource& source, std::size_t axis, const Operand& out) const {
        FoldAxes left = source.axes;
        left[axis] = {1, 0, true, true};
        in_steps(left, out, [&](const Operand& results) {
            fold_axes(source, axis, source.axes[axis].extent, results);
        });
    }
    void exchange(FoldSource source, std::size_t axis, const Operand& out) const {
        const std::size_t inner = source.axes.size() - 1;
        for (; axis + 1 < inner; ++axis) std::swap(source.axes[axis], source.axes[axis + 1]);
        for (FoldAxis& each : source.axes) each.joins_next = false;
        const index_t part = std::min(kRowsInPart, kLargestCell / source.axes[inner].extent);
        if (source.axes[axis].extent > part) return split(std::move(source), axis, part, true, out);
        fold_cells(source, axis, out);
    }
    /// The reduced axis as two, the inner one of `count` elements, one reduced after the other; then what is left of it.
    void split(FoldSource rest, std::size_t axis, index_t count, bool inner_first,
               const Operand& out) const {
        if (axis > 0) rest.axes[axis - 1].joins_next = false;
        const index_t stride = rest.axes[axis].stride;
        const index_t times = rest.axes[axis].extent / count;
        FoldSource main = rest;
        main.axes[axis] = {times, count * stride, inner_first, !inner_first};
        main.axes.insert(main.axes.begin() + static_cast<std::ptrdiff_t>(axis + 1),
                         {count, stride, !inner_first, !inner_first});
        FoldAxes left;
        std::ranges::copy_if(main.axes, std::back_inserter(left), &FoldAxis::kept);
        left[left.size() - 2].kept = false;
        in_steps(left, out, [&](const Operand& results) { run(main, results); });
        rest.axes[axis].extent -= times * count;
        if (rest.axes[axis].extent == 0) return;
        rest.base += times * count * stride;
        const index_t size = rest.groups();
        const Operand results = scratch(size);
        run(rest, results);
        const Operand whole = line_of(out, size);
        assign_there(device_,
                     elementwise<2>(operation_of(fold_.reduction, whole.dtype()), whole.dtype(),
                                    {whole, line_of(results, size)}),
                     whole, what_);
    }
};

/// Floats of 16 bits as float32, in which they are folded.
Operand without_halves(const Operand& source) {
    return source.dtype().is_builtin() ? source : cast_operand(source, float32, Op::cast);
}

Operand constant_of(DType dtype, std::uint64_t bits, ShapeSpan shape) {
    return visit_dtype(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        T value;
        std::memcpy(&value, &bits, sizeof(T));
        return constant_operand(value, shape);
    });
}
Operand number_of(DType dtype, double number, ShapeSpan shape) {
    return dtype == float32 ? constant_operand(static_cast<float>(number), shape)
                            : constant_operand(number, shape);
}

} // namespace

void fold_there(DeviceState& device, const work::Fold& fold, const Operand& given,
                const Operand& destination) {
    if (fold.groups == 0) return;
    const char* const what = name_of(fold.reduction).data();
    const Operand source = without_halves(given);
    const DType dtype = source.dtype();
    const ShapeSpan line(&fold.groups, 1);
    const bool stays = destination.node->reads(Below::device);
    const bool in_place = stays && destination.dtype() == dtype && destination.dims.is_identity();
    const Leaf* const leaf = leaf_of(destination);
    const auto bytes = static_cast<std::size_t>(fold.groups * dtype.size_bytes());
    const bool is_copied = !stays && given.dtype() == dtype && leaf != nullptr &&
                           leaf->writable_memory().stride_bytes == dtype.size_bytes() &&
                           destination.dims.is_identity();
    std::optional<PinnedWord> word; // a number is written there by the kernel that has it
    if (is_copied && bytes <= PinnedWord::bytes) word.emplace(device);
    const bool is_word = word && word->handle() != 0;
    const Operand out = in_place  ? line_of(destination, fold.groups)
                        : is_word ? operand_over_buffer(what, word->buffer(), dtype, fold.groups)
                                  : new_on_device(what, device, dtype, line);
    const index_t size = source.dims.size();
    if (size == 0) {
        const std::uint64_t identity = identity_of(fold.reduction, *stored_type(dtype));
        assign_there(device,
                     fold.averages
                         ? number_of(dtype, std::numeric_limits<double>::quiet_NaN(), line)
                         : constant_of(dtype, identity, line),
                     out, what);
    } else {
        if (!multiply_there(device, fold, source, out))
            FoldThere(device, fold, source).fold(source, out);
        if (fold.averages)
            assign_there(
                device,
                elementwise<2>(
                    Op::divide, dtype,
                    {out, number_of(dtype, static_cast<double>(size / fold.groups), line)}),
                out, what);
    }
    if (in_place) return;
    const Operand result =
        given.dtype() == dtype ? out : cast_operand(out, given.dtype(), Op::cast);
    if (stays)
        return assign_there(device, {result.node, result.dims}, line_of(destination, fold.groups),
                            what);
    if (is_word) {
        device.driver->synchronize(current_stream(device)->handle);
        std::memcpy(leaf->writable_memory().data, word->memory(), bytes);
        return;
    }
    if (is_copied) return copy_out(leaf->writable_memory().data, buffer_below(out), 0, bytes);
    const Operand here = to_host(result);
    cpu().run({work::Assign{}, {&here, 1}, destination});
}

std::string tell_fold_there(DeviceState& device, const work::Fold& fold, const Operand& given) {
    const Operand source = without_halves(given);
    if (source.dims.size() == 0) return "way: nothing to fold\n";
    if (std::string product = tell_product_there(device, fold, source); !product.empty())
        return product;
    const Step::Form form = FoldThere(device, fold, source).fold(source, {}, true);
    return fmt::format("way: {} on {}\n", text_of(form), device.driver->label());
}

} // namespace purview::gpu::detail
