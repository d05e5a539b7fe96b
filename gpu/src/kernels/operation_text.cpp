// Defines kernels/text.hpp.
#include "text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

std::string variable(std::size_t number) { return fmt::format("v{}", number); }

std::string above(Stored to) { // the first power of two that an integer type does not have
    constexpr const char* kAbove[] = {"128.0", "32768.0", "2147483648.0", "9223372036854775808.0",
                                      "256.0", "65536.0", "4294967296.0", "18446744073709551616.0"};
    return kAbove[static_cast<std::size_t>(to) - 1];
}

/// Whether x fits: the bounds of the host's kernels (tiles/convert.inc).
std::string fits(Stored to, Stored from, std::string_view x) {
    const char* F = value_name(from);
    const char* T = value_name(to);
    if (is_float(to)) // the first that rounds to infinity
        return fmt::format(
            "!(fabs({0}) >= 3.4028235677973366e38 && fabs({0}) <= 1.7976931348623157e308)", x);
    if (!is_float(from))
        return fmt::format("(({0})({1}){2} == {2} && (({1}){2} < 0) == ({2} < 0))", F, T, x);
    if (!is_signed(to)) return fmt::format("({0} > ({1})-1.0 && {0} < ({1}){2})", x, F, above(to));
    const std::uint32_t digits = from == Stored::float64 ? 53 : 24;
    if (8 * bytes_of(to) - 1 >= digits)
        return fmt::format("({0} >= ({1})-{2} && {0} < ({1}){2})", x, F, above(to));
    return fmt::format("({0} > ({1})-{2} - ({1})1.0 && {0} < ({1}){2})", x, F, above(to));
}

std::string conversion(Stored to, Stored from, const std::string& x, bool checked) {
    const char* T = value_name(to);
    if (is_half(to)) {
        const bool is_wide =
            from == Stored::float64 || from == Stored::int64 || from == Stored::uint64;
        return loaded(to,
                      rounded_to(to, is_wide ? fmt::format("odd_{}({})", value_name(from), x) : x));
    }
    if (to == from || (is_half(from) && to == Stored::float32)) return x;
    if (to == Stored::boolean) return fmt::format("(bool)({} != 0)", x);
    if (from == Stored::boolean) return fmt::format("({0})({1} ? 1 : 0)", T, x);
    if (checked && can_misfit(from, to))
        return fmt::format("({} ? ({}){} : (bad |= {}, ({})0))", fits(to, from, x), T, x,
                           static_cast<int>(Fault::conversion), T);
    if (is_float(from) && !is_float(to))
        return fmt::format("({})wrap_{}_{}({})", T, to == Stored::uint64 ? "u64" : "i64",
                           value_name(from), x);
    return fmt::format("({}){}", T, x);
}

} // namespace

std::string loaded(Stored type, const std::string& text) {
    if (type == Stored::boolean) return fmt::format("(bool)({} != 0)", text);
    if (type == Stored::float16) return fmt::format("half_value({})", text);
    if (type == Stored::bfloat16) return fmt::format("bfloat16_value({})", text);
    return text;
}

std::string rounded_to(Stored type, const std::string& text) {
    if (type == Stored::boolean) return fmt::format("(u8)({} ? 1 : 0)", text);
    if (type == Stored::float16) return fmt::format("half_bits({})", text);
    if (type == Stored::bfloat16) return fmt::format("bfloat16_bits({})", text);
    return text;
}

std::string operation_text(const Lowered& x, const Value& value) {
    const Stored in = x.values[value.operand[value.op == Op::choose ? 1 : 0]].type;
    const Stored t = value.type;
    const char* T = value_name(t);
    const char* I = value_name(in);
    const char* U = bytes_of(in) == 8 ? "u64" : "u32";
    const bool boolean = in == Stored::boolean;
    const std::string a = variable(value.operand[0]);
    const std::string b = variable(value.operand[1]);
    // Where an error would not count, something harmless is computed.
    const auto guarded = [&](const std::string& operand, int harmless) {
        if (value.guard == kNoValue) return operand;
        return fmt::format("({} ? {} : ({}){})", variable(value.guard), operand, I, harmless);
    };
    const auto infix = [&](std::string_view op) { return fmt::format("({} {} {})", a, op, b); };
    const auto arithmetic = [&](std::string_view op) { // of unsigned numbers, as those wrap
        return is_float(in) ? infix(op)
                            : fmt::format("({0})(({1}){2} {3} ({1}){4})", T, U, a, op, b);
    };
    const auto bits = [&](std::string_view op) {
        return fmt::format("({})({} {} {})", T, a, op, b);
    };
    const auto call = [&](std::string_view f) { return fmt::format("{}({}, {})", f, a, b); };
    const auto typed = [&](std::string_view f) { return fmt::format("{}_{}({}, {})", f, I, a, b); };
    const auto call_one = [&](std::string_view f) { return fmt::format("{}({})", f, a); };
    const auto typed_one = [&](std::string_view f) { return fmt::format("{}_{}({})", f, I, a); };
    const auto divided = [&](std::string_view f) {
        return fmt::format("{}_{}({}, {}, &bad)", f, I, a, guarded(b, 1));
    };
    if (!x.rounds && is_float(in) &&
        in != Stored::float64) { // rounds twice, which changes nothing here
        if (value.op == Op::divide) return fmt::format("(f32)((f64){} / (f64){})", a, b);
        if (value.op == Op::square_root) return fmt::format("(f32)sqrt((f64){})", a);
    }
    switch (value.op) {
    case Op::cast: return conversion(t, in, can_misfit(in, t) ? guarded(a, 0) : a, true);
    case Op::wrapping_cast: return conversion(t, in, a, false);
    case Op::negative:
        return is_float(in) ? fmt::format("(-{})", a)
                            : fmt::format("({})(({})0 - ({}){})", T, U, U, a);
    case Op::absolute:
        if (is_float(in)) return call_one("fabs");
        return is_signed(in) ? fmt::format("({1} < 0 ? ({0})(({2})0 - ({2}){1}) : {1})", T, a, U)
                             : a;
    case Op::square_root: return call_one("sqrt");
    case Op::square:
        return is_float(in) ? fmt::format("({0} * {0})", a)
                            : fmt::format("({0})(({1}){2} * ({1}){2})", T, U, a);
    case Op::logical_not: return fmt::format("(!{})", a);
    case Op::bit_not: return boolean ? fmt::format("(!{})", a) : fmt::format("({})(~{})", T, a);
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::rint:
    case Op::trunc: return is_float(in) ? call_one(name_of(value.op)) : a;
    case Op::signum:
        if (is_float(in)) return typed_one("signum");
        return is_signed(in) ? fmt::format("({0})(({1} > 0) - ({1} < 0))", T, a)
                             : fmt::format("({})({} > 0)", T, a);
    case Op::next_up:
    case Op::next_down:
    case Op::ulp: return typed_one(name_of(value.op));
#define PURVIEW_CASE(NAME) case Op::NAME: // both dialects call them so
        PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_CASE)
        if (value.op == Op::tan && in == Stored::float32) // OpenCL's is 3 ulp off
            return fmt::format("(f32)tan((f64){})", a);
        return call_one(name_of(value.op));
        PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_CASE)
        return call(name_of(value.op));
#undef PURVIEW_CASE
    case Op::ieee_remainder: return call("remainder");
    case Op::add: return boolean ? infix("||") : arithmetic("+");
    case Op::subtract: return arithmetic("-");
    case Op::multiply: return boolean ? infix("&&") : arithmetic("*");
    case Op::scale: return fmt::format("({0} != 0 ? {0} * {1} : ({2})0)", a, b, T);
    case Op::divide: return is_float(in) ? infix("/") : divided("div");
    case Op::remainder: return is_float(in) ? call("fmod") : divided("rem");
    case Op::minimum: return boolean ? infix("&&") : typed("min");
    case Op::maximum: return boolean ? infix("||") : typed("max");
    case Op::bit_and: return boolean ? infix("&&") : bits("&");
    case Op::bit_or: return boolean ? infix("||") : bits("|");
    case Op::bit_xor: return boolean ? infix("!=") : bits("^");
    case Op::shift_left: return typed("shl");
    case Op::shift_right: return typed("shr");
    case Op::equal: return infix("==");
    case Op::not_equal: return infix("!=");
    case Op::less: return infix("<");
    case Op::less_equal: return infix("<=");
    case Op::greater: return infix(">");
    case Op::greater_equal: return infix(">=");
    case Op::logical_and: return infix("&&");
    case Op::logical_or: return infix("||");
    case Op::choose: return fmt::format("({} ? {} : {})", a, b, variable(value.operand[2]));
    case Op::map: throw DeviceError("emap has no form on a device: to_host(x) first");
    }
    std::unreachable();
}

} // namespace purview::gpu::detail
