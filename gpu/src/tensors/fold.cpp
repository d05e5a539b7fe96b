#include "fold.hpp"

#include "device_reader.hpp"
#include "fold_kernels.hpp"
#include "product.hpp"
#include "run.hpp"
#include "transfers.hpp"

#include "../kernels/fold_order.hpp"
#include "../memory/copies.hpp"
#include "../memory/pinned_word.hpp"

#include "evaluation/scaled_products.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/allocation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// How a step of a fold is done: as on the host, or, where that takes expressions of shifted views, one element after the other.
enum class OwnForm : std::uint8_t { none, windows, outer_axes };

const char* text_of(AxesStep::Form form) {
    constexpr const char* kTexts[] = {"groups folded by chunks, on 32 lanes each",
                                      "elements copied",
                                      "rows folded into rows, in parts of up to 128",
                                      "short rows folded, on 8 lanes from 16 elements on",
                                      "short rows taken as fewer, longer ones",
                                      "the reduced axis walked next to the innermost one"};
    return kTexts[static_cast<int>(form)];
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

class DeviceFold : FoldKernels, FoldSteps<DeviceFold> {
public:
    using FoldKernels::FoldKernels;

    /// `out` is contiguous. Returns how the first step is done; with `describes`, it does nothing else.
    const char* run(Operand source, const Operand& out, bool describes = false) const {
        const index_t groups = fold_.groups;
        const char* const by_chunks = text_of(AxesStep::Form::groups);
        Walks walks = walks_of(device_, source, what_,
                               groups == 1 ? LeafOrder::evaluated : LeafOrder::discovered);
        if (groups == 1) {
            if (describes) return by_chunks;
            source = in_order_of_memory(source, walks);
            if (!fold_panels(source, walks, out))
                FoldKernels::fold_groups(source, 0, walks.row(source.dims.max_shape()), out);
            return by_chunks;
        }
        const ShapeSpan shape = source.dims.max_shape();
        std::size_t kept = kept_axes(shape, groups);
        if (std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(kept),
                            index_t{1}, std::multiplies<>()) != groups) { // no axes tell them apart
            const index_t two[] = {groups, source.dims.size() / groups};
            if (describes) return by_chunks;
            const Operand memory = scratch(source.dims.size());
            assign_on_device(device_, source, {memory.node, Dimensions::row_major(shape)}, what_);
            source = {memory.node, Dimensions::row_major(two)};
            kept = 1;
            walks = walks_of(device_, source, what_);
        }
        ArrangedSource arranged;
        if (!arrange(device_, source, groups, walks, what_, arranged)) {
            const index_t group = source.dims.size() / groups;
            if (describes) return group >= kLongGroup ? by_chunks : text_of(AxesStep::Form::cells);
            if (group < kLongGroup)
                fold_neighbours(source, kept, out);
            else
                FoldKernels::fold_groups(source, kept, walks.row(source.dims.max_shape()), out);
            return by_chunks;
        }
        if (describes) return describe(arranged.source);
        if (!arranged.results) return fold(std::move(arranged.source), out), by_chunks;
        const Operand apart = scratch(groups);
        fold(std::move(arranged.source), apart);
        assign_on_device(device_,
                         {apart.node, Dimensions::row_major(arranged.results->max_shape())},
                         {out.node, *arranged.results}, what_);
        return by_chunks;
    }

private:
    friend FoldSteps<DeviceFold>;

    OwnForm own_form(const ReducedSource& source) const {
        const CountOfReduced reduced(source.axes);
        if (reduced.count == 0 || reduced.count == source.axes.size()) return OwnForm::none;
        const index_t results = source.groups();
        const index_t elements = source.size() / results;
        Operand whole = source.operand();
        if (elements >= 2 && elements <= kMostInWindow && results >= kLeastResults &&
            std::ranges::any_of(walks_of(device_, whole, what_).strides,
                                [&](const Shape& s) { return interleave(source.axes, s); }))
            return OwnForm::windows;
        const index_t outer = source.elements_before(reduced.last);
        return outer >= 2 && outer <= kMostFolded &&
                       outer * (walks_of(device_, whole, what_).values + 1) <= kMostShiftedViews
                   ? OwnForm::outer_axes
                   : OwnForm::none;
    }
    const char* describe(const ReducedSource& source) const {
        const OwnForm own = own_form(source);
        return own == OwnForm::windows      ? "windows folded one element after the other"
               : own == OwnForm::outer_axes ? "outer axes folded first"
                                            : text_of(choose_step(source).form);
    }

    // What `FoldSteps` asks for.

    void fold(ReducedSource source, const Operand& out) const {
        const OwnForm own = own_form(source);
        if (own == OwnForm::windows) return fold_axes(source, {}, source.size(), out);
        if (own == OwnForm::none) {
            const AxesStep step = choose_step(source); // before the source is moved
            return do_step(step, std::move(source), out);
        }
        const std::size_t last = CountOfReduced(source.axes).last;
        ReducedSource first = source;
        ReducedSource left;
        for (std::size_t i = 0; i < source.axes.size(); ++i) {
            first.axes[i].kept = source.axes[i].kept || i == last;
            if (!first.axes[i].kept) continue;
            left.axes.push_back(source.axes[i]);
            left.axes.back().joins_next &=
                i + 1 < source.axes.size() && (source.axes[i + 1].kept || i + 1 == last);
        }
        index_t stride = left.size();
        const Operand results = scratch(stride);
        fold_axes(first, {}, source.size(), results);
        left.node = results.node;
        for (ReducedAxis& axis : left.axes) axis.stride = stride /= axis.extent;
        fold(std::move(left), out);
    }
    void copy(const ReducedSource& source, const Operand& out) const {
        const Operand from = source.operand();
        assign_on_device(device_, from, {out.node, Dimensions::row_major(from.dims.max_shape())},
                         what_);
    }
    void fold_groups(const ReducedSource& source, const Operand& out) const {
        Operand from = source.kept_first();
        const index_t row = walks_of(device_, from, what_).row(from.dims.max_shape());
        const auto kept = std::ranges::count(source.axes, true, &ReducedAxis::kept);
        FoldKernels::fold_groups(from, static_cast<std::size_t>(kept), row, out);
    }
    void fold_rows(const ReducedSource& source, std::size_t axis, const Operand& out) const {
        fold_axes(source, axis, kRowsInPart, out);
    }
    void fold_cells(const ReducedSource& source, std::size_t axis, const Operand& out) const {
        fold_axes(source, axis, source.axes[axis].extent, out);
    }
    void combine(const Operand& out, const Operand& more, index_t size) const {
        const Operand whole = line_of(out, size);
        assign_on_device(device_,
                         elementwise<2>(operation_of(fold_.reduction, whole.dtype()), whole.dtype(),
                                        {whole, line_of(more, size)}),
                         whole, what_);
    }
    const NodePtr& leaf_over(const Operand& memory, index_t) const { return memory.node; }
    template <typename F>
    void with_scratch(index_t size, F&& f) const {
        f(scratch(size));
    }
};

/// Floats of 16 bits as float32, in which they are folded.
Operand without_halves(const Operand& source) {
    return source.dtype().is_builtin() ? source : cast_operand(source, float32, Op::cast);
}

/// Multiplies again, on the host, where a product may have left the range of its type on the way: as
/// the host does.
void multiply_far_again(DeviceState& device, const Operand& source, const Operand& products,
                        const char* what) {
    const Operand plain = to_host(products);
    const auto is_far = [&]<typename T>(std::type_identity<T>) {
        const auto* const first = reinterpret_cast<const T*>(leaf_of(plain)->memory().data);
        return std::any_of(first, first + plain.dims.size(), may_have_left_range<T>);
    };
    if (source.dtype() == float32 ? !is_far(std::type_identity<float>{})
                                  : !is_far(std::type_identity<double>{}))
        return;
    const Operand again = cpu().results_like({}, plain.dtype(), plain.dims.max_shape());
    reduce_groups(Reduction::product, to_host(source), plain.dims.size(), again);
    assign_on_device(device, to_device(again, device), products, what);
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

void fold_on_device(DeviceState& device, const work::Fold& fold, const Operand& given,
                    const Operand& destination) {
    if (fold.groups == 0) return;
    const char* const what = name_of(fold.reduction).data();
    const Operand source = without_halves(given);
    const DType dtype = source.dtype();
    const ShapeSpan line(&fold.groups, 1);
    const bool stays = destination.node->reads(Below::device);
    const bool in_place = stays && destination.dtype() == dtype && destination.dims.is_identity();
    const Leaf* const leaf = leaf_of(destination);
    const auto bytes =
        static_cast<std::size_t>(checked_bytes(fold.groups, dtype.size_bytes(), what));
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
        assign_on_device(device,
                         fold.averages
                             ? number_of(dtype, std::numeric_limits<double>::quiet_NaN(), line)
                             : constant_of(dtype, identity, line),
                         out, what);
    } else {
        if (!multiply_on_device(device, fold, source, out))
            DeviceFold(device, fold, source).run(source, out);
        if (fold.reduction == Reduction::product && dtype.is_floating())
            multiply_far_again(device, source, out, what);
        if (fold.averages)
            assign_on_device(
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
        return assign_on_device(device, {result.node, result.dims},
                                line_of(destination, fold.groups), what);
    if (is_word) {
        device.driver->synchronize(current_stream(device)->handle);
        std::memcpy(leaf->writable_memory().data, word->memory(), bytes);
        return device.settle(false);
    }
    if (is_copied) {
        copy_out(leaf->writable_memory().data, buffer_below(out), 0, bytes);
        return device.settle(false);
    }
    const Operand here = to_host(result);
    cpu().run({work::Assign{}, {&here, 1}, destination});
}

std::string describe_fold_on_device(DeviceState& device, const work::Fold& fold,
                                    const Operand& given) {
    const Operand source = without_halves(given);
    if (source.dims.size() == 0) return "way: nothing to fold\n";
    if (std::string product = describe_product_on_device(device, fold, source); !product.empty())
        return product;
    const char* const how = DeviceFold(device, fold, source).run(source, {}, true);
    return fmt::format("way: {} on {}\n", how, device.driver->label());
}

} // namespace purview::gpu::detail
