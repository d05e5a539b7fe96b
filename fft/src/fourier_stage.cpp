#include "fourier_stage.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/opaque_stage.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// As they are saved; behind the point, as they are called.
constexpr const char* kNames[] = {"fft.fft", "fft.ifft", "fft.rfft", "fft.irfft"};

const char* name_of(Fourier kind) noexcept { return kNames[static_cast<std::size_t>(kind)] + 4; }
bool has_real_result(Fourier kind) noexcept { return kind == Fourier::to_real; }

/// A transform in a traced computation: of complex numbers, or, where it is differentiated, of their parts, so that all is
/// linear over real numbers.
class FourierStage final : public StageFunction {
public:
    /// Axes are counted from the end, so that leading ones may stand before them.
    FourierStage(Fourier kind, Shape axes, index_t length, double factor, bool in_parts)
        : kind_(kind),
          axes_(std::move(axes)),
          length_(length),
          factor_(factor),
          in_parts_(in_parts) {}

    std::string_view name() const noexcept override {
        return kNames[static_cast<std::size_t>(kind_)];
    }

    std::vector<ResultType> results(std::span<const Operand> operands) const override {
        const bool is_pair = in_parts_ && operands.size() == 2;
        if (operands.size() != 1 && !is_pair) throw_refused("operands");
        const DType dtype = operands[0].dtype();
        if (is_pair &&
            (operands[1].dtype() != dtype ||
             !std::ranges::equal(operands[0].dims.max_shape(), operands[1].dims.max_shape())))
            throw_refused("parts");
        const bool takes_real = kind_ != Fourier::to_real && !is_pair;
        const bool takes_complex = is_pair || (!in_parts_ && kind_ != Fourier::of_real);
        if (!(takes_real && dtype.is_builtin()) &&
            !(takes_complex && (is_pair ? dtype.is_floating() : is_complex(dtype))))
            throw_dtype_unsupported(name_of(kind_), dtype);
        Shape shape = to_shape(operands[0].dims.max_shape());
        for (const index_t axis : axes_)
            if (axis < -static_cast<index_t>(shape.size())) throw_refused("axes");
        if (!axes_.empty())
            shape[at(axes_.back(), shape)] = kind_ == Fourier::of_real ? length_ / 2 + 1 : length_;
        const DType part = is_single(dtype) ? float32 : float64;
        if (has_real_result(kind_)) return {{part, shape}};
        if (in_parts_) return {{part, shape}, {part, shape}};
        return {{complex_dtype(part), shape}};
    }

    void run(std::span<const Operand> operands, std::span<void* const> outs) const override {
        const Operand x =
            operands.size() == 2 ? complex_from_parts(operands[0], operands[1]) : operands[0];
        FourierWork work{name_of(kind_), kind_, {}, length_, factor_};
        for (const index_t axis : axes_)
            work.axes.push_back(static_cast<index_t>(at(axis, x.dims.max_shape())));
        const Operand made = transformed_in_memory(work, x);
        if (!in_parts_ || has_real_result(kind_)) return copy_to(made, outs[0]);
        if (outs[0] != nullptr) copy_to(real_part(made), outs[0]);
        if (outs[1] != nullptr) copy_to(imaginary_part(made), outs[1]);
    }

    bool does_same(const StageFunction& other) const noexcept override {
        const auto* const stage = dynamic_cast<const FourierStage*>(&other);
        return stage != nullptr && stage->attributes() == attributes();
    }
    std::shared_ptr<const StageFunction> of_parts() const override {
        if (in_parts_) return nullptr;
        return std::make_shared<const FourierStage>(kind_, axes_, length_, factor_, true);
    }
    std::optional<std::vector<index_t>> attributes() const override {
        std::vector<index_t> all{static_cast<index_t>(in_parts_), length_,
                                 std::bit_cast<index_t>(factor_)};
        all.insert(all.end(), axes_.begin(), axes_.end());
        return all;
    }

    Derivatives forward(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& tangents, ShapeSpan leading) const override {
        if (!in_parts_ && !has_real_result(kind_)) // complex numbers have none
            return StageFunction::forward(operands, results, tangents, leading);
        std::vector<Operand> of;
        for (std::size_t i = 0; i < operands.size(); ++i)
            of.push_back(tangents[i] ? *tangents[i] : zeros_like(operands[i], leading));
        const auto made = staged(*this, std::move(of));
        return {made.begin(), made.end()};
    }

    Derivatives reverse(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& seeds, std::size_t lead) const override {
        if (!in_parts_ && !has_real_result(kind_))
            return StageFunction::reverse(operands, results, seeds, lead);
        const ShapeSpan given = operands[0].dims.max_shape();
        const auto seed = std::ranges::find_if(seeds, [](const auto& each) { return !!each; });
        const ShapeSpan leading = (*seed)->dims.max_shape().first(lead);
        std::vector<Operand> of;
        for (std::size_t i = 0; i < seeds.size(); ++i)
            of.push_back(seeds[i] ? *seeds[i] : zeros_like(results[i], leading));
        // The transposed matrix of a transform is that of the transform in the other direction; of the half that
        // `rfft` gives, the other half is 0, and of that which `irfft` takes, all but its ends stand for two.
        const Fourier back = kind_ == Fourier::to_real   ? Fourier::of_real
                             : kind_ == Fourier::inverse ? Fourier::forward
                                                         : Fourier::inverse;
        std::vector<Operand> made =
            axes_.empty()
                ? std::move(of)
                : staged(FourierStage(back, axes_, length_, factor_, true), std::move(of));
        Derivatives by;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (axes_.empty()) {
                by.emplace_back(made[i]);
                continue;
            }
            const std::size_t axis = lead + at(axes_.back(), given);
            const Operand x = kind_ == Fourier::to_real ? twice_inside(made[i], axis) : made[i];
            by.emplace_back(resized(x, axis, given[axis - lead]));
        }
        return by;
    }

private:
    static std::size_t at(index_t axis, ShapeSpan shape) {
        return shape.size() - static_cast<std::size_t>(-axis);
    }
    [[noreturn]] void throw_refused(const char* what) const {
        throw ShapeError(fmt::format("{}: its {} are not those of a transform", name(), what));
    }
    static std::vector<Operand> staged(const FourierStage& stage, std::vector<Operand> operands) {
        return results_of_stage(make_node<OpaqueStage>(
            std::make_shared<const FourierStage>(stage.kind_, stage.axes_, stage.length_,
                                                 stage.factor_, true),
            std::move(operands)));
    }
    static Operand number(double value, DType dtype) {
        return cast_operand(constant_operand(value), dtype, Op::cast);
    }
    static Operand zeros_like(const Operand& x, ShapeSpan leading) {
        Shape shape = to_shape(leading);
        shape.insert(shape.end(), x.dims.max_shape().begin(), x.dims.max_shape().end());
        Operand zero = number(0, x.dtype());
        zero.dims = dimensions::expand(zero.dims, shape);
        return zero;
    }
    /// Cut off along an axis, or followed by zeros.
    static Operand resized(const Operand& x, std::size_t axis, index_t length) {
        const index_t now = x.dims.max_shape()[axis];
        if (length <= now)
            return {x.node,
                    dimensions::select(x.dims, static_cast<index_t>(axis), Range(0, length))};
        PadWidths widths(x.dims.max_shape().size(), {0, 0});
        widths[axis].after = length - now;
        return pad_operand(x, widths, PadMode::constant, number(0, x.dtype()));
    }
    /// Times two, but for the first element along the axis and that of half of the points.
    Operand twice_inside(const Operand& x, std::size_t axis) const {
        const index_t half = x.dims.max_shape()[axis];
        std::vector<double> weights(static_cast<std::size_t>(half), 2);
        weights.front() = 1;
        if (length_ % 2 == 0) weights.back() = 1;
        Shape shape(x.dims.max_shape().size(), 1);
        shape[axis] = half;
        const Operand all =
            cast_operand(tensor(std::move(weights), shape).operand(), x.dtype(), Op::cast);
        return binary_operand(Op::multiply, x, all, x.dtype(), x.dtype());
    }
    /// What lies in memory, or is part of that, in row-major order.
    static void copy_to(const Operand& made, void* out) {
        if (out == nullptr) return;
        const auto copied = [&]<typename E>(std::type_identity<E>) {
            const Tensor<E> x = contiguous(Tensor<E>(made));
            const auto elements = as_span(x);
            std::memcpy(out, elements.data(), elements.size_bytes());
        };
        if (made.dtype() == float32) return copied(std::type_identity<float>());
        if (made.dtype() == float64) return copied(std::type_identity<double>());
        if (made.dtype() == kDType<std::complex<float>>)
            return copied(std::type_identity<std::complex<float>>());
        copied(std::type_identity<std::complex<double>>());
    }

    Fourier kind_;
    Shape axes_;
    index_t length_;
    double factor_;
    bool in_parts_;
};

template <Fourier kind>
std::shared_ptr<const StageFunction> made_of(std::span<const index_t> attributes) {
    if (attributes.size() < 3 || (attributes[0] != 0 && attributes[0] != 1) || attributes[1] < 1)
        return nullptr;
    const Shape axes(attributes.begin() + 3, attributes.end());
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i] >= 0 || std::ranges::count(axes, axes[i]) > 1) return nullptr;
    if (axes.empty() && (kind == Fourier::of_real || kind == Fourier::to_real)) return nullptr;
    return std::make_shared<const FourierStage>(
        kind, axes, attributes[1], std::bit_cast<double>(attributes[2]), attributes[0] == 1);
}

} // namespace

bool register_fourier_transforms() {
    register_stage_function(kNames[0], made_of<Fourier::forward>);
    register_stage_function(kNames[1], made_of<Fourier::inverse>);
    register_stage_function(kNames[2], made_of<Fourier::of_real>);
    register_stage_function(kNames[3], made_of<Fourier::to_real>);
    return true;
}

Operand staged_transform(const FourierWork& work, const Operand& x) {
    Shape axes = work.axes;
    for (index_t& axis : axes) axis -= x.dims.rank();
    const NodePtr node = make_node<OpaqueStage>(
        std::make_shared<const FourierStage>(work.kind, std::move(axes), work.length, work.factor,
                                             false),
        std::vector<Operand>{work.kind == Fourier::to_real
                                 ? convert_operand(x, complex_of(x.dtype()), Op::cast)
                                 : x});
    return results_of_stage(node)[0];
}

} // namespace purview
