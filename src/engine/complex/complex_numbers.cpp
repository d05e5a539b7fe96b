// Defines purview/evaluation/complex_numbers.hpp.

#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/complex/complex_blocks.hpp"
#include "engine/complex/complex_functions.hpp"
#include "evaluation/numbers_only.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

Operand of_one(ComplexOp op, const Operand& x, DType part, DType result) {
    return elementwise<1>(Op::map, result, {x}, std::make_shared<const ComplexFunction>(op, part));
}

Operand of_two(const char* what, ComplexOp op, Operand x, Operand y, DType part) {
    std::array<Operand, 2> operands{std::move(x), std::move(y)};
    broadcast_operands(operands, what);
    return elementwise<2>(Op::map, complex_dtype(part), std::move(operands),
                          std::make_shared<const ComplexFunction>(op, part));
}

/// A constant as a complex one of parts P. A real number gets 0 as its imaginary part, or, with
/// `both`, itself.
template <typename P>
Operand complex_constant(const Operand& x, bool both) {
    const void* const value = static_cast<const Constant&>(*x.node).value();
    std::complex<P> z;
    if (x.dtype() == kDType<std::complex<float>>) {
        z = std::complex<P>(*static_cast<const std::complex<float>*>(value));
    } else if (x.dtype() == kDType<std::complex<double>>) {
        const auto& wide = *static_cast<const std::complex<double>*>(value);
        z = {static_cast<P>(wide.real()), static_cast<P>(wide.imag())};
    } else {
        const Operand real = cast_operand({x.node, Dimensions()}, kDType<P>, Op::cast);
        P part{};
        real.node->read(real.dims, 0, 1, &part);
        z = {part, both ? part : P{}};
    }
    return {make_node<ConstantOf<std::complex<P>>>(z), x.dims};
}

/// A real or complex operand in the complex type of these parts; `both`: a real number is both
/// parts.
Operand in_parts(const Operand& x, DType part, bool both = false, Op cast = Op::cast) {
    const DType complex = complex_dtype(part);
    if (x.dtype() == complex) return x;
    if (x.node->kind() == NodeKind::constant)
        return part == float32 ? complex_constant<float>(x, both)
                               : complex_constant<double>(x, both);
    if (is_complex(x.dtype()))
        return complex_from_parts(cast_operand(real_part(x), part, cast),
                                  cast_operand(imaginary_part(x), part, cast));
    const Operand real = cast_operand(x, part, cast);
    if (both) return complex_from_parts(real, real);
    return complex_from_parts(real, float_constant(part, 0));
}

Operand both_equal(const Operand& x, const Operand& y, DType part) {
    const auto are_equal = [&](Operand (*of)(const Operand&)) {
        return binary_operand(Op::equal, of(x), of(y), part, boolean);
    };
    return binary_operand(Op::logical_and, are_equal(real_part), are_equal(imaginary_part), boolean,
                          boolean);
}

ComplexOp complex_op(Op op) {
    switch (op) {
    case Op::add: return ComplexOp::add;
    case Op::subtract: return ComplexOp::subtract;
    case Op::multiply: return ComplexOp::multiply;
    case Op::divide: return ComplexOp::divide;
    default: throw_dtype_unsupported(name_of(op).data(), kDType<std::complex<double>>);
    }
}

/// exp(a) (cos b + i sin b). Exponents that overflow alone are taken in two factors; a real
/// argument stays real. Of a b without a sine, exp(-∞ + bi) is 0, and exp(∞ + bi) infinite.
Operand exponential(const Operand& z, DType part) {
    const auto number = [&](double value) { return float_constant(part, value); };
    const auto binary = [&](Op op, const Operand& x, const Operand& y) {
        return binary_operand(op, x, y, part, part);
    };
    const auto test = [&](Op op, const Operand& x, const Operand& y) {
        return binary_operand(op, x, y, part, boolean);
    };
    const Operand a = real_part(z);
    const Operand b = imaginary_part(z);
    const Operand is_large = test(Op::greater, a, number(part == float32 ? 80 : 700));
    const Operand excess = choose_operand(is_large, number(64), number(0), part);
    const Operand growth = unary_operand(Op::exp, binary(Op::subtract, a, excess), part);
    constexpr double kExpOfExcess = 6.2351490808116169e27;
    const Operand rest = choose_operand(is_large, number(kExpOfExcess), number(1), part);
    // Of an infinite a and a b without a sine the angle is 0, which leaves infinities and zeros, but
    // NaN where infinity is multiplied by the sine.
    const Operand size = unary_operand(Op::absolute, a, part);
    const Operand apart = binary(Op::subtract, b, b);
    const Operand is_undecided = binary_operand(
        Op::logical_and, test(Op::equal, size, number(std::numeric_limits<double>::infinity())),
        test(Op::not_equal, apart, number(0)), boolean, boolean);
    const Operand angle = choose_operand(is_undecided, number(0), b, part);
    const auto part_of = [&](Op function) {
        return binary(Op::multiply,
                      binary(Op::multiply, growth, unary_operand(function, angle, part)), rest);
    };
    const Operand real = part_of(Op::cos);
    const Operand imaginary = part_of(Op::sin);
    return complex_from_parts(choose_operand(test(Op::equal, b, number(0)),
                                             binary(Op::multiply, growth, rest), real, part),
                              choose_operand(test(Op::equal, b, number(0)), b, imaginary, part));
}

/// z / |z|; 0 of a z of size 0.
Operand direction(const Operand& z, DType part) {
    const Operand zero = float_constant(part, 0);
    const Operand size = complex_unary(Op::absolute, z);
    const Operand is_zero = binary_operand(Op::equal, size, zero, part, boolean);
    const auto part_of = [&](const Operand& x) {
        return choose_operand(is_zero, zero, binary_operand(Op::divide, x, size, part, part), part);
    };
    return complex_from_parts(part_of(real_part(z)), part_of(imaginary_part(z)));
}

} // namespace

bool is_complex(DType dtype) noexcept {
    return dtype == kDType<std::complex<float>> || dtype == kDType<std::complex<double>>;
}
DType part_dtype(DType complex) noexcept {
    return complex == kDType<std::complex<float>> ? float32 : float64;
}
DType complex_dtype(DType part) noexcept {
    return part == float32 ? kDType<std::complex<float>> : kDType<std::complex<double>>;
}

Operand complex_binary(Op op, const Operand& given_x, const Operand& given_y, DType compute) {
    const char* const what = name_of(op).data();
    const auto widened = [](const Operand& given) {
        return is_float16(given.dtype()) ? cast_operand(given, float32, Op::cast) : given;
    };
    const Operand x = widened(given_x);
    const Operand y = widened(given_y);
    for (const Operand* const operand : {&x, &y})
        if (!is_complex(operand->dtype()) && !operand->dtype().is_builtin())
            throw_dtype_unsupported(what, operand->dtype());
    if (!has_complex_binary(op)) throw_dtype_unsupported(what, compute);
    const DType part = part_dtype(compute);
    if (op == Op::pow) return complex_power(x, y, part);
    const bool scales = op == Op::multiply || op == Op::divide;
    if (scales && !is_complex(y.dtype()))
        return of_two(what,
                      op == Op::multiply ? ComplexOp::multiply_parts : ComplexOp::divide_parts,
                      in_parts(x, part), in_parts(y, part, true), part);
    if (op == Op::multiply && !is_complex(x.dtype()))
        return of_two(what, ComplexOp::multiply_parts, in_parts(x, part, true), in_parts(y, part),
                      part);
    const Operand a = in_parts(x, part);
    const Operand b = in_parts(y, part);
    if (op == Op::equal) return both_equal(a, b, part);
    if (op == Op::not_equal) return unary_operand(Op::logical_not, both_equal(a, b, part), boolean);
    return of_two(what, complex_op(op), a, b, part);
}

Operand complex_unary(Op op, const Operand& z) {
    const DType part = part_dtype(z.dtype());
    switch (op) {
    case Op::negative: return of_one(ComplexOp::negative, z, part, z.dtype());
    case Op::absolute: return of_one(ComplexOp::absolute, z, part, part);
    case Op::square: return of_two("sq", ComplexOp::multiply, z, z, part);
    case Op::exp: return exponential(z, part);
    case Op::signum: return direction(z, part);
    case Op::rint:
        return complex_from_parts(unary_operand(Op::rint, real_part(z), part),
                                  unary_operand(Op::rint, imaginary_part(z), part));
    default: return complex_function(op, z, part);
    }
}

Operand convert_operand(const Operand& x, DType dtype, Op cast) {
    if (!is_complex(dtype)) return cast_operand(x, dtype, cast);
    if (!is_complex(x.dtype()) && !x.dtype().is_builtin() && !is_float16(x.dtype()))
        throw_dtype_mismatch("cast", dtype, x.dtype());
    return in_parts(x, part_dtype(dtype), false, cast);
}

namespace {

/// A part of each element: of memory, a view; else computed.
template <typename P>
Operand part_of(const Operand& z, bool is_imaginary) {
    const Leaf* const leaf = leaf_of(z);
    if (leaf == nullptr || !leaf->memory())
        return of_one(is_imaginary ? ComplexOp::imaginary_part : ComplexOp::real_part, z, kDType<P>,
                      kDType<P>);
    const auto* const first = static_cast<const std::byte*>(leaf->memory().data);
    const auto* const parts =
        reinterpret_cast<const P*>(first + (is_imaginary ? sizeof(P) : std::size_t{0}));
    return {make_node<Leaf>(std::make_shared<const ConstBuffer<P>>(
                parts, leaf->size(), leaf->memory().stride_bytes, Owner(leaf->shared_reader()),
                leaf->reader().storage())),
            z.dims};
}

} // namespace

Operand complex_conjugate(const Operand& z) {
    return of_one(ComplexOp::conjugate, z, part_dtype(z.dtype()), z.dtype());
}
Operand real_part(const Operand& z) {
    return part_dtype(z.dtype()) == float32 ? part_of<float>(z, false) : part_of<double>(z, false);
}
Operand imaginary_part(const Operand& z) {
    return part_dtype(z.dtype()) == float32 ? part_of<float>(z, true) : part_of<double>(z, true);
}

Operand complex_from_parts(const Operand& real, const Operand& imaginary) {
    return of_two("complex", ComplexOp::pair_up, real, imaginary, real.dtype());
}

} // namespace purview
