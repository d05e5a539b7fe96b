#pragma once

#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/half.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include "base/same_extents.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace purview::inline v0_1::derivatives {

/// The type that the derivatives of a float type, or by it, are computed in.
inline DType type_of_derivatives(DType dtype) { return is_float16(dtype) ? float32 : dtype; }

/// Makes operations on operands of float32 or float64 which are broadcast together, and leaves out
/// those that change nothing.
class Numbers {
public:
    explicit Numbers(DType dtype) : dtype_(dtype) {}

    DType dtype() const noexcept { return dtype_; }
    Operand number(double value) const {
        return dtype_ == float32 ? constant_operand(static_cast<float>(value))
                                 : constant_operand(value);
    }
    Operand filled(double value, ShapeSpan shape) const {
        return {number(value).node, dimensions::repeated(shape)};
    }
    Operand unary(Op op, const Operand& x) const { return unary_operand(op, x, dtype_); }
    Operand binary(Op op, const Operand& x, const Operand& y) const {
        return binary_operand(op, x, y, dtype_, is_comparison(op) ? boolean : dtype_);
    }
    Operand binary(Op op, const Operand& x, double y) const { return binary(op, x, number(y)); }
    Operand binary(Op op, double x, const Operand& y) const { return binary(op, number(x), y); }
    Operand negative(const Operand& x) const { return unary(Op::negative, x); }
    Operand reciprocal(const Operand& x) const { return binary(Op::divide, 1, x); }
    Operand choose(const Operand& condition, const Operand& x, const Operand& y) const {
        return choose_operand(condition, x, y, dtype_);
    }
    Operand choose(const Operand& condition, double x, const Operand& y) const {
        return choose(condition, number(x), y);
    }

    /// x + y, to the same bits by one operation where y is a negative.
    Operand sum(const Operand& x, const Operand& y) const {
        const std::optional<Operand> positive = negated(y);
        return positive ? binary(Op::subtract, x, *positive) : binary(Op::add, x, y);
    }

    /// g times `d`, of the shape of `g`.
    Operand times(const Operand& g, const Operand& d) const { return product(Op::multiply, g, d); }

    /// The same, and 0 where `g` is 0, whatever `d` is.
    Operand scaled(const Operand& g, const Operand& d) const {
        const std::optional<double> number_g = value(g);
        const std::optional<double> number_d = value(d);
        const bool same_as_product =
            (number_g && *number_g != 0) || (number_d && std::isfinite(*number_d));
        return product(same_as_product ? Op::multiply : Op::scale, g, d);
    }

    /// The same, which is 0 where `d` is 0 too, whatever `g` is.
    Operand scaled_by_both(const Operand& g, const Operand& d) const {
        const std::optional<double> number_g = value(g);
        const std::optional<double> number_d = value(d);
        if (number_g == 0. || number_d == 0.) return filled(0, g.dims.max_shape());
        const bool one_is_finite = (number_g && std::isfinite(*number_g)) || number_d;
        const Operand product = scaled(g, d);
        return one_is_finite ? product : choose(binary(Op::equal, d, 0), 0, product);
    }

    /// The value of a constant.
    static std::optional<double> value(const Operand& x) {
        const auto* const constant = node_as<Constant>(*x.node);
        if (constant == nullptr || !x.dtype().is_floating()) return std::nullopt;
        return x.dtype() == float32
                   ? static_cast<double>(*static_cast<const float*>(constant->value()))
                   : *static_cast<const double*>(constant->value());
    }

private:
    Operand product(Op op, const Operand& g, const Operand& d) const {
        const std::optional<double> number_d = value(d);
        if (number_d == 1.) return g;
        if (const std::optional<Operand> positive = negated(g);
            positive && number_d && std::isfinite(*number_d))
            return product(Op::multiply, *positive, filled(-*number_d, d.dims.max_shape()));
        if (value(g) == 1.) return {d.node, dimensions::expand(d.dims, g.dims.max_shape())};
        return binary(op, g, d);
    }

    /// x of -x.
    static std::optional<Operand> negated(const Operand& x) {
        const auto* const operation = node_as<Elementwise>(*x.node);
        const bool is = operation != nullptr && operation->op() == Op::negative &&
                        x.dims.is_identity() &&
                        same_extents(x.dims.max_shape(), operation->shape());
        return is ? std::optional(operation->operand(0)) : std::nullopt;
    }

    DType dtype_;
};

} // namespace purview::derivatives
