#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/tensor_index.hpp>
#include <purview/tensor/views.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/along/rolled_fold.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

index_t stepped_count(const char* what, index_t length, index_t step, const ChosenAxis& axis) {
    if (step < 1)
        throw ShapeError(
            fmt::format("{}: windows are at least one element apart, not {}", what, step));
    if (step > 1) require_positional(what, axis);
    return length / step + (length % step != 0 ? 1 : 0);
}

namespace {

/// Throws `ShapeError` naming `what` for a width below 1.
void require_window(const char* what, index_t width) {
    if (width < 1)
        throw ShapeError(fmt::format("{}: a window has at least one element, not {}", what, width));
}

/// How many elements of parts windows of `width` elements are around.
index_t windowed_length(const AxisParts& parts, index_t width) {
    return parts.is_padded ? parts.length - (width - 1) : parts.length;
}

/// The shape of `parts` with `count` windows along their axis.
Shape windows_shape(const AxisParts& parts, index_t count) {
    Shape shape = to_shape(parts.operand.dims.max_shape());
    // A tensor of rank 0 is a lane of one element.
    if (count != parts.length || !shape.empty()) shape.back() = count;
    return shape;
}

} // namespace

index_t elements_before(WindowPosition position, index_t width) noexcept {
    switch (position) {
    case WindowPosition::left: return width - 1;
    case WindowPosition::right: return 0;
    case WindowPosition::centre: break;
    }
    return width / 2;
}

PaddedLanes padded_lanes(const char* what, const AxisParts& parts, index_t before, index_t behind,
                         PadMode edge) {
    const Operand& x = parts.operand;
    const DType dtype = x.dtype();
    PaddedLanes lanes;
    lanes.inner = x;
    lanes.padded = x;
    lanes.groups = parts.groups;
    if (parts.is_padded) return lanes;
    lanes.before = before;
    if (x.dims.size() == 0) return lanes;
    const index_t first = x.dims.global_to_local(0);
    Operand filler{x.node, Dimensions::strided(Shape{}, Shape{}, first)};
    if (dtype.is_builtin())
        filler = visit_dtype(dtype, what, []<typename T>(std::type_identity<T>) {
            return constant_operand<T>(T{});
        });
    else if (edge == PadMode::constant && before + behind > 0)
        throw DtypeError(fmt::format(
            "{}: elements of type {} have no zero to stand beyond the ends", what, dtype.name()));
    // A tensor of rank 0 is a lane of one element.
    if (x.dims.rank() == 0) lanes.padded.dims = Dimensions::strided(Shape{1}, Shape{0}, first);
    lanes.padded = pad_operand(lanes.padded, std::array{PadWidth{before, behind}}, edge, filler);
    return lanes;
}

namespace {

/// Of windows of `width` elements around each element of lanes, or of a segment of them.
IncompleteWindows incomplete_windows(const AxisParts& parts, index_t width, index_t count,
                                     const RollingOptions& options) {
    if (!options.incomplete) return {};
    const bool whole = parts.begin.empty();
    const index_t length =
        whole ? parts.length : parts.shape_of_all[static_cast<std::size_t>(parts.axis())];
    const index_t first = parts.first();
    const index_t before = elements_before(options.position, width);
    // Those of the elements [before, length - (width - 1 - before)) are complete.
    const auto windows_until = [&](index_t element) {
        return std::min(count,
                        (std::max(element - first, index_t{0}) + options.step - 1) / options.step);
    };
    const index_t leading = windows_until(before);
    const index_t complete = windows_until(length - (width - 1 - before));
    return {leading, count - std::max(leading, complete), *options.incomplete};
}

Operand every_window(const Operand& results, index_t step) {
    if (step == 1 || results.dims.rank() == 0) return results;
    const index_t last = results.dims.rank() - 1;
    std::vector<TensorIndex> indexes(static_cast<std::size_t>(last), TensorIndex(all));
    indexes.emplace_back(range(0, results.dims.max_shape()[static_cast<std::size_t>(last)], step));
    return clone(AnyTensor(select_operand(results, indexes))).operand();
}

Operand nothing(DType dtype, ShapeSpan shape) {
    return visit_dtype(dtype, "rolling window", [&]<typename T>(std::type_identity<T>) {
        return empty<T>(shape).operand();
    });
}

Operand rolled(Reduction reduction, const PaddedLanes& lanes, index_t width, ShapeSpan shape) {
    return visit_dtype(lanes.padded.dtype(), "rolling window",
                       [&]<typename T>(std::type_identity<T>) {
                           MutableTensor<T> result = empty<T>(shape);
                           roll_groups(reduction, lanes, width, as_span(result).data());
                           return result.operand();
                       });
}

Operand rolled_means(const PaddedLanes& lanes, index_t width, ShapeSpan shape) {
    const auto of = [&]<typename T>(std::type_identity<T>) {
        MutableTensor<T> result = empty<T>(shape);
        roll_means(lanes, width, as_span(result).data());
        return result.operand();
    };
    return lanes.padded.dtype() == float32 ? of(std::type_identity<float>{})
                                           : of(std::type_identity<double>{});
}

Operand rolled_non_nan(Reduction reduction, bool averages, const PaddedLanes& lanes, index_t width,
                       ShapeSpan shape) {
    const auto of_each = [&](auto map) {
        PaddedLanes mapped = lanes;
        mapped.inner = map(lanes.inner);
        mapped.padded = map(lanes.padded);
        return mapped;
    };
    const Operand result = nothing(lanes.padded.dtype(), shape);
    const auto memory = [](const Operand& floats) -> void* {
        if (floats.dtype() == float32) return as_span(MutableTensor<float>(floats)).data();
        return as_span(MutableTensor<double>(floats)).data();
    };
    if (roll_non_nan(reduction, averages, lanes, width, memory(result))) return result;
    const Operand folded =
        rolled(reduction, of_each([&](const Operand& x) { return numbers_only(x, reduction); }),
               width, shape);
    if (!averages && (reduction == Reduction::sum || reduction == Reduction::product))
        return folded;
    const auto finish = [&]<typename T, typename Count>(std::type_identity<T>,
                                                        std::type_identity<Count>) {
        const MutableTensor<Count> counts(rolled(Reduction::sum, of_each([](const Operand& x) {
                                                     return cast_operand(is_not_nan(x),
                                                                         kDType<Count>, Op::cast);
                                                 }),
                                                 width, shape));
        const MutableTensor<T> results(folded);
        const Count* count = as_span(counts).data();
        T* const out = as_span(results).data();
        const index_t size = results.size();
        for (index_t i = 0; i < size; ++i) {
            const T divisor = averages ? std::max(static_cast<T>(count[i]), T{1}) : T{1};
            out[i] = count[i] > 0 ? out[i] / divisor : std::numeric_limits<T>::quiet_NaN();
        }
    };
    constexpr index_t kExactInFloat = index_t{1} << 24;
    if (folded.dtype() == float64)
        finish(std::type_identity<double>{}, std::type_identity<double>{});
    else if (width < kExactInFloat)
        finish(std::type_identity<float>{}, std::type_identity<float>{});
    else
        finish(std::type_identity<float>{}, std::type_identity<double>{});
    return folded;
}

} // namespace

Operand with_incomplete(Operand results, const IncompleteWindows& windows) {
    if (windows.leading + windows.trailing == 0 || results.dims.size() == 0) return results;
    visit_dtype(results.dtype(), "rolling window", [&]<typename T>(std::type_identity<T>) {
        if (std::same_as<T, bool> && windows.result != 0 && windows.result != 1)
            throw CastError(
                fmt::format("rolling window: incomplete windows give {}, and results are bools",
                            windows.result));
        const T value = checked_cast<T>(windows.result);
        const std::span<T> elements = as_span(MutableTensor<T>(results));
        // A tensor of rank 0 is a lane of one element.
        const index_t count = results.dims.rank() == 0 ? 1 : results.dims.max_shape().back();
        for (index_t lane = 0; lane < std::ssize(elements); lane += count) {
            std::fill_n(elements.begin() + lane, windows.leading, value);
            std::fill_n(elements.begin() + lane + count - windows.trailing, windows.trailing,
                        value);
        }
    });
    return results;
}

namespace {

/// The reductions of the windows of padded lanes, whether complete or not.
Operand rolled_all(const char* what, const AxisParts& parts, index_t width, const ChosenReducer& by,
                   const RollingOptions& options, ShapeSpan kept) {
    const DType dtype = parts.operand.dtype();
    const DType result = by.built_in->result_of(dtype);
    const std::optional<PlainFold> fold = rolled_fold(*by.built_in);
    AxisParts typed = parts;
    typed.operand = cast_operand(parts.operand, fold ? result : dtype, Op::cast);
    const index_t before = elements_before(options.position, width);
    const PaddedLanes lanes = padded_lanes(what, typed, before, width - 1 - before, options.edge);
    const std::array<index_t, 3> windows{-1, width, options.step};
    if (!fold) {
        const Operand results = empty_of(what, result, kept);
        if (by.built_in->roll(lanes, width, options.step, by.nan, memory_of(results)))
            return results;
        return reduce_view(*by.built_in,
                           {sliding_window_operand(lanes.padded, windows), to_shape(kept),
                            Dimensions::row_major(kept).size()},
                           by.nan);
    }
    const Shape shape = windows_shape(parts, windowed_length(parts, width));
    const bool skips = by.nan == NanRule::skip && dtype.is_floating();
    return every_window(skips ? rolled_non_nan(fold->reduction, fold->averages, lanes, width, shape)
                        : fold->averages ? rolled_means(lanes, width, shape)
                                         : rolled(fold->reduction, lanes, width, shape),
                        options.step);
}

} // namespace

Segments rolled_segments(index_t width, const RollingOptions& options) {
    const index_t before = elements_before(options.position, width);
    return {.window = width,
            .before = before,
            .behind = width - 1 - before,
            .edge = options.edge,
            .step = options.step};
}

Segments cut_for(WindowWork work, Segments windows) {
    if (windows.window <= 1) return windows;      // what has one element has no pieces
    constexpr index_t kNoRoom = index_t{1} << 40; // for so much at once, and no overflow
    const index_t width = std::clamp<index_t>(windows.window, 1, kNoRoom);
    const index_t step = std::clamp<index_t>(windows.step, 1, kNoRoom);
    switch (work) {
    case WindowWork::pieces: windows.multiple = results_per_piece(width); break;
    case WindowWork::states: windows.multiple = (width + step - 1) / step * step; break;
    case WindowWork::single: windows.multiple = step; break;
    }
    return windows;
}

Operand rolled_windows(const char* what, const AxisParts& parts, index_t width,
                       const ChosenReducer& by, const RollingOptions& options,
                       const ChosenAxis& axis) {
    require_window(what, width);
    const index_t count = stepped_count(what, windowed_length(parts, width), options.step, axis);
    const Shape kept = windows_shape(parts, count);
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    require_host_reads(what, parts.operand);
    if (parts.operand.dims.size() == 0) return nothing(by.built_in->result_of(dtype), kept);
    return with_incomplete(rolled_all(what, parts, width, by, options, kept),
                           incomplete_windows(parts, width, count, options));
}

LaneWindows windows_of_lanes(const AxisParts& parts, WindowRanges ranges) {
    return {parts.operand, parts.groups, parts.length,
            windows_shape(parts, std::ssize(ranges.begin)), std::move(ranges)};
}

LaneWindows rolling_windows(const char* what, const AxisParts& parts, index_t width,
                            const RollingOptions& options, const ChosenAxis& axis) {
    require_window(what, width);
    const index_t count = stepped_count(what, windowed_length(parts, width), options.step, axis);
    const index_t before = elements_before(options.position, width);
    const PaddedLanes lanes = padded_lanes(what, parts, before, width - 1 - before, options.edge);
    return {lanes.padded,
            lanes.groups,
            lanes.length(),
            windows_shape(parts, count),
            {},
            {count, {}, {}, options.step, options.step, width},
            incomplete_windows(parts, width, count, options)};
}

WindowRanges LaneWindows::listed() const {
    const WindowEnds windows = ends();
    WindowRanges lists;
    lists.begin.reserve(static_cast<std::size_t>(windows.count));
    lists.end.reserve(static_cast<std::size_t>(windows.count));
    for (index_t i = 0; i < windows.count; ++i) {
        lists.begin.push_back(windows.begin(i));
        lists.end.push_back(windows.end(i));
    }
    return lists;
}

Operand each_window(const char* what, const LaneWindows& windows, const ChosenReducer& by) {
    const Operand& lanes = windows.lanes;
    if (!lanes.dtype().is_builtin()) throw_dtype_unsupported(what, lanes.dtype());
    require_host_reads(what, lanes);
    const DType result = by.built_in->result_of(lanes.dtype());
    const Operand results = empty_of(what, result, windows.shape);
    if (results.dims.size() == 0) return results;
    const WindowRanges listed = windows.listed();
    const std::span<const index_t> begins = listed.begin;
    const std::span<const index_t> ends = listed.end;
    auto* out = static_cast<std::byte*>(memory_of(results));
    if (by.built_in->roll_ranges(lanes, windows.groups, begins, ends, by.nan, out))
        return with_incomplete(results, windows.incomplete);
    const auto size = static_cast<std::size_t>(result.size_bytes());
    const Evaluation elements(lanes, Reads::within_one_operation);
    const Operand lane = empty_of(what, lanes.dtype(), Shape{windows.length});
    for (index_t group = 0; group < windows.groups; ++group, out += size * begins.size()) {
        if (windows.length > 0)
            elements.read(group * windows.length, windows.length, memory_of(lane));
        // In order, but in parts, between which Ctrl-C ends it.
        parallel_ranges(std::ssize(begins), 1, 0, [&](index_t from, index_t to) {
            for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i)
                reduce_to_number(*by.built_in, elements_between(lane, begins[i], ends[i]), by.nan,
                                 out + size * i);
        });
    }
    return with_incomplete(results, windows.incomplete);
}

Operand elements_between(const Operand& lane, index_t begin, index_t end) {
    return {lane.node, dimensions::select(lane.dims, 0, range(begin, end))};
}

} // namespace purview
