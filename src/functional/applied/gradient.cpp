#include <purview/functional/applied/gradient.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/derivatives.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/progression.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/tensor/copy.hpp>

#include "functional/elementwise/operations_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

bool is_float(DType dtype) { return dtype.is_floating() || is_float16(dtype); }
DType derivative_type(DType dtype) { return is_float16(dtype) ? float32 : dtype; }

void check_result(const char* what, const Operand& y) {
    if (!is_float(y.dtype()))
        throw DtypeError(
            fmt::format("{}: y is of type {}, and not of floats", what, y.dtype().name()));
}
void check_number(const char* what, const Operand& y) {
    if (y.dims.rank() != 0)
        throw ShapeError(fmt::format("{}: y has shape {}, and is no number: give a sum or mean of "
                                     "it, or ask for the jacobian",
                                     what, to_string(y.dims.max_shape())));
    check_result(what, y);
}
/// Which of several x one is.
std::string which_of(std::span<const Operand> x, const Operand& each) {
    return x.size() == 1 ? "x" : fmt::format("x[{}]", &each - x.data());
}
/// What a symbol is called: ", argument 0" or ", 'w'".
std::string symbol_name(const Operand& x) {
    const SymbolNode* const symbol = symbol_of(x);
    if (symbol == nullptr) return {};
    if (symbol->role() == Role::placeholder) return fmt::format(", argument {}", symbol->slot());
    return symbol->name().empty() ? std::string() : fmt::format(", '{}'", symbol->name());
}
/// Whether an operand is a symbol, or what was computed on the way and an operation may have left with
/// its axes in another order.
bool is_all_of_a_node(const Operand& x) {
    if (is_whole(x)) return true;
    return symbol_of(x) == nullptr && x.dims.size() == size_of(*x.node) && x.dims.is_unique();
}
void check_by(const char* what, std::span<const Operand> x) {
    for (const Operand& each : x) {
        const std::string number = which_of(x, each);
        const std::string name = symbol_name(each);
        const std::string shape = to_string(each.dims.max_shape());
        if (!is_float(each.dtype()))
            throw DtypeError(fmt::format("{}: {}{} is of type {} and shape {}, and not of floats",
                                         what, number, name + (name.empty() ? "" : ","),
                                         each.dtype().name(), shape));
        if (!each.node->reads(Below::symbol))
            throw SymbolError(fmt::format("{}: {} is no symbol, but a tensor of {} and shape {}",
                                          what, number, each.dtype().name(), shape));
        if (is_all_of_a_node(each)) continue;
        const SymbolNode* const symbol = symbol_of(each);
        const std::string of =
            symbol == nullptr ? fmt::format(" of {} elements", size_of(*each.node))
                              : fmt::format("{} of shape {}", name, to_string(symbol->shape()));
        throw SymbolError(
            fmt::format("{}: {} is a view, {}, of a symbol{}: take the derivative by the "
                        "symbol, and the view of that",
                        what, number, shape, of));
    }
}
void check_vector(const char* what, const char* of, const Operand& v, const Operand& x) {
    if (v.dtype() != derivative_type(x.dtype()) && v.dtype() != x.dtype())
        throw DtypeError(fmt::format("{}: v is of type {}, and {} {}", what, v.dtype().name(), of,
                                     x.dtype().name()));
    if (!std::ranges::equal(v.dims.max_shape(), x.dims.max_shape()))
        throw ShapeError(fmt::format("{}: v has shape {}, and {} {}", what,
                                     to_string(v.dims.max_shape()), of,
                                     to_string(x.dims.max_shape())));
}
Operand as_derivative(const Operand& v) {
    return cast_operand(v, derivative_type(v.dtype()), Op::cast);
}

/// Up to this many elements of x, their directions are in memory, and not computed again and again.
constexpr index_t kFewDirections = 64;

/// The directions of each of the elements of x: [n, shape of x].
Operand unit_vectors(const Operand& x) {
    const index_t n = x.dims.size();
    const Operand numbers = progression_operand(0, n - 1);
    Operand down = numbers;
    down.dims = dimensions::reshape(down.dims, Shape{n, 1});
    Operand units = cast_operand(binary_operand(Op::equal, down, numbers, int64, boolean),
                                 derivative_type(x.dtype()), Op::cast);
    if (n <= kFewDirections) units = clone(AnyTensor(units)).operand();
    Shape shape{n};
    shape.insert(shape.end(), x.dims.max_shape().begin(), x.dims.max_shape().end());
    units.dims = dimensions::reshape(units.dims, shape);
    return units;
}

/// Of real numbers alone, which have derivatives.
Operand in_real_numbers(const Operand& y) { return in_real_numbers(std::span(&y, 1))[0]; }

Operand jacobian_forwards(const Operand& y, const Operand& x) {
    const Operand units = unit_vectors(x);
    Operand by = forward_derivative(y, std::span(&x, 1), std::span(&units, 1), 1);
    Shape order;
    for (index_t axis = 1; axis < by.dims.rank(); ++axis) order.push_back(axis);
    order.push_back(0);
    by.dims = dimensions::transpose(by.dims, order);
    return by;
}
Operand jacobian_backwards(const Operand& y, const Operand& x) {
    const Operand units = unit_vectors(y);
    return reverse_derivatives({&y, 1}, {&units, 1}, 1, {&x, 1})[0];
}

/// `by`, which has the elements of a Jacobian in order, as one of y by x, of the type of those by x.
Operand of_both_shapes(Operand by, const Operand& y, const Operand& x) {
    Shape shape = to_shape(y.dims.max_shape());
    shape.insert(shape.end(), x.dims.max_shape().begin(), x.dims.max_shape().end());
    by.dims = dimensions::reshape(by.dims, shape);
    return cast_operand(by, derivative_type(x.dtype()), Op::wrapping_cast);
}

/// What a traced function returns, and then its derivatives, or those alone.
class GradientFunction final : public FunctionOfSymbols {
public:
    GradientFunction(std::shared_ptr<const TracedFunction> function, bool with_values)
        : function_(std::move(function)), with_values_(with_values) {}

    std::vector<Operand> call(std::span<const Operand> arguments) const override {
        std::vector<const Operand*> inputs;
        std::vector<Operand> floats;
        for (const Operand& argument : arguments) {
            inputs.push_back(&argument);
            if (is_float(argument.dtype())) floats.push_back(argument);
        }
        if (floats.empty()) {
            std::string all;
            for (const Operand& argument : arguments)
                all += fmt::format("{}{}{}", all.empty() ? ": " : ", ", argument.dtype().name(),
                                   to_string(argument.dims.max_shape()));
            throw DtypeError("gradient: the computation has no argument of floats" + all);
        }
        std::shared_ptr<const Program> keep;
        std::vector<Operand> outputs = function_->program_for(inputs, keep).outputs_over(inputs);
        std::vector<Operand> derivatives = gradient_operands(outputs[0], floats);
        if (!with_values_) return derivatives;
        outputs.insert(outputs.end(), derivatives.begin(), derivatives.end());
        return outputs;
    }

private:
    std::shared_ptr<const TracedFunction> function_;
    bool with_values_;
};

/// Calls the gradient and the function itself for changed inputs.
class GradientCheck {
public:
    GradientCheck(const std::shared_ptr<const TracedFunction>& function, Bindings inputs)
        : function_(function), gradient_(gradient_of(function, false)) {
        for (const Operand* const input : inputs)
            inputs_.push_back(
                is_float(input->dtype())
                    ? clone(AnyTensor(cast_operand(*input, float64, Op::cast))).operand()
                    : *input);
    }

    void run() {
        std::vector<std::vector<double>> derivatives = call(*gradient_);
        std::size_t k = 0;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (is_float(function_->arguments()[i].dtype)) check(i, derivatives[k++]);
    }

private:
    /// The outputs of a traced function, as expressions.
    std::vector<Operand> outputs(const TracedFunction& function) const {
        std::vector<Operand> given;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            given.push_back(cast_operand(inputs_[i], function.arguments()[i].dtype, Op::cast));
        std::vector<const Operand*> bindings;
        for (const Operand& each : given) bindings.push_back(&each);
        std::shared_ptr<const Program> keep;
        return function.program_for(bindings, keep).outputs_over(bindings);
    }
    /// Their elements, as float64.
    std::vector<std::vector<double>> call(const TracedFunction& function) const {
        std::vector<std::vector<double>> values;
        for (const Operand& output : outputs(function)) {
            const Operand real = cast_operand(output, float64, Op::cast);
            const Program alone({real}, {});
            std::vector<double>& all =
                values.emplace_back(static_cast<std::size_t>(real.dims.size()));
            const Destination place = all.data();
            alone.run({}, std::span(&place, 1));
        }
        return values;
    }
    double value() const { return call(*function_)[0].at(0); }

    /// What differences around an element say, and how far off the derivative may be.
    struct Difference {
        double plain = std::numeric_limits<double>::quiet_NaN();
        double extrapolated = plain;
        double error = std::numeric_limits<double>::infinity();
    };

    /// Central differences of two widths, from which Richardson extrapolation leaves out the error of
    /// second order. Where the two say that a width is too large, as near a pole, or that what is beside x
    /// is no number, narrower ones; the best of all.
    Difference difference(double& x, double exact, double size) const {
        constexpr int kWidths = 7;
        const double enough = 100 * std::cbrt(exact * exact);
        const double at = x;
        const auto over = [&](double step) {
            x = at + step;
            const double above = value();
            x = at - step;
            const double below = value();
            x = at;
            return (above - below) / (2 * step);
        };
        Difference best;
        double least = std::numeric_limits<double>::infinity();
        double step = std::cbrt(exact) * std::max(1., std::abs(at));
        for (int i = 0; i < kWidths && !(least <= enough); ++i, step /= 8) {
            const double wide = over(step);
            const double narrow = over(step / 2);
            const double rounding = exact * (size + std::abs(at * narrow)) / step;
            const double error = std::abs(wide - narrow) + 4 * rounding;
            // Relative to the slope, as across a pole slopes are small.
            const double relative =
                error / (std::abs(narrow) + enough * (size + std::min(1., size)));
            if (i != 0 && !(relative < least)) continue;
            best = {wide, narrow + (narrow - wide) / 3, error};
            if (!std::isnan(relative)) least = relative;
        }
        return best;
    }

    void check(std::size_t argument, const std::vector<double>& derivatives) {
        const double exact = std::max(spacing(function_->arguments()[argument].dtype),
                                      spacing(outputs(*function_)[0].dtype()));
        const auto elements =
            static_cast<double*>(leaf_of(inputs_[argument])->writable_memory().data);
        const double size = std::abs(value());
        const double scale = std::min(1., size); // derivatives of small values are small, too
        for (std::size_t i = 0; i < derivatives.size(); ++i) {
            const double derivative = derivatives[i];
            const double enough =
                100 * std::cbrt(exact * exact) *
                (std::abs(derivative) + size / std::max(1., std::abs(elements[i])) + scale);
            const Difference by = difference(elements[i], exact, size);
            const double found = by.extrapolated;
            const bool both_nan = std::isnan(found) && std::isnan(derivative);
            const bool near = std::isfinite(derivative) && std::isfinite(found) &&
                              std::abs(found - derivative) <= enough + by.error;
            if (both_nan || found == derivative || near) continue;
            throw ArithmeticError(fmt::format(
                "check_gradient: the derivative by element {} of argument {} is {}, and by central differences {}",
                to_string(coordinates(inputs_[argument].dims.max_shape(), static_cast<index_t>(i))),
                argument, derivative, by.plain));
        }
    }
    /// Of the numbers next to 1.
    static double spacing(DType dtype) {
        return dtype == float64    ? 0x1p-52
               : dtype == float32  ? 0x1p-23
               : dtype == bfloat16 ? 0x1p-7
                                   : 0x1p-10;
    }
    static Shape coordinates(ShapeSpan shape, index_t index) {
        Shape at(shape.size(), 0);
        for (std::size_t a = shape.size(); a-- > 0; index /= shape[a]) at[a] = index % shape[a];
        return at;
    }

    std::shared_ptr<const TracedFunction> function_;
    std::shared_ptr<const TracedFunction> gradient_;
    std::vector<Operand> inputs_;
};

} // namespace

std::vector<Operand> gradient_operands(const Operand& y, std::span<const Operand> x) {
    check_number("gradient", y);
    check_by("gradient", x);
    const Operand one = number_of(derivative_type(y.dtype()), 1);
    const Operand real = in_real_numbers(y);
    return reverse_derivatives({&real, 1}, {&one, 1}, 0, x);
}

std::vector<Operand> vector_jacobian_operands(const Operand& y, const Operand& v,
                                              std::span<const Operand> x) {
    constexpr const char* kWhat = "vector_jacobian_product";
    check_result(kWhat, y);
    check_by(kWhat, x);
    check_vector(kWhat, "y", v, y);
    const Operand seed = as_derivative(v);
    const Operand real = in_real_numbers(y);
    return reverse_derivatives({&real, 1}, {&seed, 1}, 0, x);
}

Operand jacobian_vector_operand(const Operand& y, const Operand& x, const Operand& v) {
    constexpr const char* kWhat = "jacobian_vector_product";
    check_result(kWhat, y);
    check_by(kWhat, std::span(&x, 1));
    check_vector(kWhat, "x", v, x);
    const Operand tangent = as_derivative(v);
    return forward_derivative(in_real_numbers(y), std::span(&x, 1), std::span(&tangent, 1), 0);
}

Operand jacobian_operand(const Operand& y, const Operand& x) {
    check_result("jacobian", y);
    check_by("jacobian", std::span(&x, 1));
    const Operand real = in_real_numbers(y);
    const bool forwards = x.dims.size() < y.dims.size();
    return of_both_shapes(forwards ? jacobian_forwards(real, x) : jacobian_backwards(real, x), y,
                          x);
}

Operand hessian_operand(const Operand& y, const Operand& x) {
    check_number("hessian", y);
    check_by("hessian", std::span(&x, 1));
    const Operand first = gradient_operands(y, std::span(&x, 1))[0];
    return of_both_shapes(jacobian_forwards(first, x), x, x);
}

Operand hessian_vector_operand(const Operand& y, const Operand& x, const Operand& v) {
    check_number("hessian_vector_product", y);
    check_by("hessian_vector_product", std::span(&x, 1));
    const Operand first = gradient_operands(y, std::span(&x, 1))[0];
    check_vector("hessian_vector_product", "x", v, x);
    const Operand tangent = as_derivative(v);
    return forward_derivative(first, std::span(&x, 1), std::span(&tangent, 1), 0);
}

std::shared_ptr<const TracedFunction> gradient_of(std::shared_ptr<const TracedFunction> function,
                                                  bool with_values) {
    std::vector<ArgumentSpec> arguments = function->arguments();
    return std::make_shared<const TracedFunction>(
        std::move(arguments),
        std::make_unique<const GradientFunction>(std::move(function), with_values));
}

Operand value_operand(const Operand& x) {
    if (!is_complex(x.dtype())) return without_derivative(x);
    return complex_from_parts(without_derivative(real_part(x)),
                              without_derivative(imaginary_part(x)));
}

void check_gradient_of(const std::shared_ptr<const TracedFunction>& function, Bindings inputs) {
    GradientCheck(function, inputs).run();
}

} // namespace purview
