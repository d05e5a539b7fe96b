#include "engine/sparse/fill_decision.hpp"

#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/pairs/values.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Whether all bits of an integer are set, or a bool is true.
template <typename T>
bool is_all_ones(T value) {
    if constexpr (std::same_as<T, bool>)
        return value;
    else
        return std::integral<T> && value == static_cast<T>(-1);
}

/// Whether `op` with `fill` as operand `position` gives `fill`, whatever the other operand is; for
/// a product of floats: if the other operand is finite.
bool absorbs(Op op, std::size_t position, const Constant& fill) {
    const DType dtype = fill.dtype();
    if (!dtype.is_builtin()) return false;
    return visit_dtype(dtype, name_of(op).data(), [&]<typename T>(std::type_identity<T>) {
        const T value = load_element<T>(static_cast<const std::byte*>(fill.value()));
        switch (traits_of(op).absorbing) {
        case Absorbing::nothing: return false;
        case Absorbing::zero: return value == T{};
        case Absorbing::zero_first: return position == 0 && value == T{};
        case Absorbing::all_ones: return is_all_ones(value);
        case Absorbing::lowest:
            return std::integral<T> && value == std::numeric_limits<T>::lowest();
        case Absorbing::highest: return std::integral<T> && value == std::numeric_limits<T>::max();
        }
        std::unreachable();
    });
}

bool is_true(const Constant& condition) {
    return load_element<bool>(static_cast<const std::byte*>(condition.value()));
}

bool are_same(const OperandFill& a, const OperandFill& b) {
    return a.value != nullptr && b.value != nullptr &&
           same_fill(a.value->dtype(), a.value->value(), b.value->value());
}

/// Whether some fill decides an operation.
bool may_be_decided(const Elementwise& operation) noexcept {
    if (operation.op() == Op::choose) return true;
    if (!operation.dtype().is_builtin()) return false;
    switch (traits_of(operation.op()).absorbing) {
    case Absorbing::nothing: return false;
    case Absorbing::lowest:
    case Absorbing::highest: return !operation.dtype().is_floating();
    default: return true;
    }
}

/// The decision for `choose`. If both sides have the same fill, the condition matters only where it
/// and the side that its fill does not choose are both stored.
std::optional<FillDecision> decision_of_choice(std::span<const OperandFill> fills) {
    constexpr std::size_t kCondition = 0, kIfTrue = 1, kIfFalse = 2;
    const bool same = are_same(fills[kIfTrue], fills[kIfFalse]);
    if (fills[kCondition].value != nullptr) {
        const bool chosen = is_true(*fills[kCondition].value);
        const std::size_t taken = chosen ? kIfTrue : kIfFalse;
        const std::size_t left = chosen ? kIfFalse : kIfTrue;
        if (!fills[taken].is_dense) {
            if (same) return FillDecision{taken, {taken}, {{kCondition, left}}};
            return FillDecision{taken, {taken, kCondition}};
        }
    }
    if (same) return FillDecision{kIfTrue, {kIfTrue, kIfFalse}};
    return std::nullopt;
}

} // namespace

std::optional<FillDecision> decision_of(const Elementwise& operation,
                                        std::span<const OperandFill> fills) {
    if (!may_be_decided(operation)) return std::nullopt;
    if (operation.op() == Op::choose) return decision_of_choice(fills);
    const bool floats = operation.dtype().is_floating();
    const auto decides = [&](std::size_t i) {
        if (fills[i].value == nullptr || !absorbs(operation.op(), i, *fills[i].value)) return false;
        const OperandFill& other = fills[1 - i];
        // Stored elements times a zero that is the same everywhere are zeros of both signs, which
        // are not the same as the fill.
        if (floats && fills[i].is_constant) return false;
        if (other.is_dense) return !floats;
        // A fill is unknown where computing it throws; that error belongs to whoever reads the
        // fill.
        return other.value != nullptr &&
               is_finite_element(other.value->dtype(), other.value->value());
    };
    const bool by_x = decides(0);
    const bool by_y = decides(1);
    if (!by_x && !by_y) return std::nullopt;
    FillDecision decision{by_x ? std::size_t{0} : std::size_t{1}};
    if (by_x && by_y)
        decision.intersected = {0, 1};
    else
        decision.united = {decision.fill_of};
    if (floats && by_x) decision.not_finite.push_back(1);
    if (floats && by_y) decision.not_finite.push_back(0);
    return decision;
}

bool same_fill(DType dtype, const void* a, const void* b) {
    const auto same = dtype.descriptor().same;
    if (same == nullptr || !same(a, b)) return false;
    if (!dtype.is_floating()) return true;
    return visit_dtype(dtype, "fill", [&]<typename T>(std::type_identity<T>) {
        const T x = load_element<T>(static_cast<const std::byte*>(a));
        const T y = load_element<T>(static_cast<const std::byte*>(b));
        if constexpr (std::floating_point<T>) return x != x || std::signbit(x) == std::signbit(y);
        return true;
    });
}

} // namespace purview::engine
