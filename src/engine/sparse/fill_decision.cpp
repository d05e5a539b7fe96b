#include "engine/sparse/fill_decision.hpp"

#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>

#include "engine/pairs/values.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

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
        case Absorbing::all_ones: return std::integral<T> && value == static_cast<T>(-1);
        case Absorbing::lowest:
            return std::integral<T> && value == std::numeric_limits<T>::lowest();
        case Absorbing::highest: return std::integral<T> && value == std::numeric_limits<T>::max();
        }
        std::unreachable();
    });
}

const Constant& fill_of(const Sparsity& operand) {
    return static_cast<const Constant&>(*operand.fill);
}
bool is_dense(const Sparsity& operand) { return operand.kind > Kind::sparse; }

/// The decision for `choose`. If both sides have the same fill, the condition matters only where it
/// and the side that its fill does not choose are both stored.
std::optional<FillDecision> decision_of_choice(std::span<const Sparsity> operands) {
    constexpr std::size_t kCondition = 0, kIfTrue = 1, kIfFalse = 2;
    const bool same = same_fill(operands[kIfTrue], operands[kIfFalse]);
    if (operands[kCondition].fill != nullptr) {
        const bool chosen = load_element<bool>(
            static_cast<const std::byte*>(fill_of(operands[kCondition]).value()));
        const std::size_t taken = chosen ? kIfTrue : kIfFalse;
        const std::size_t left = chosen ? kIfFalse : kIfTrue;
        if (!is_dense(operands[taken])) {
            if (same) return FillDecision{taken, {taken}, {{kCondition, left}}};
            return FillDecision{taken, {taken, kCondition}};
        }
    }
    if (same) return FillDecision{kIfTrue, {kIfTrue, kIfFalse}};
    return std::nullopt;
}

} // namespace

bool may_be_decided(const Elementwise& operation) noexcept {
    return operation.op() == Op::choose ||
           (operation.dtype().is_builtin() &&
            traits_of(operation.op()).absorbing != Absorbing::nothing);
}

std::optional<FillDecision> decision_of(const Elementwise& operation,
                                        std::span<const Sparsity> operands) {
    if (!may_be_decided(operation)) return std::nullopt;
    if (operation.op() == Op::choose) return decision_of_choice(operands);
    const bool floats = operation.dtype().is_floating();
    const auto decides = [&](std::size_t i) {
        if (operands[i].fill == nullptr || !absorbs(operation.op(), i, fill_of(operands[i])))
            return false;
        const Sparsity& other = operands[1 - i];
        // Stored elements times a zero that is the same everywhere are zeros of both signs, which
        // are not the same as the fill.
        if (floats && operands[i].kind == Kind::constant) return false;
        if (is_dense(other)) return !floats;
        // A fill is unknown where computing it throws; that error belongs to whoever reads the
        // fill.
        return other.fill != nullptr &&
               is_finite_element(other.fill->dtype(), fill_of(other).value());
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

bool same_fill(const Sparsity& a, const Sparsity& b) {
    return a.fill != nullptr && b.fill != nullptr &&
           same_fill(a.fill->dtype(), fill_of(a).value(), fill_of(b).value());
}

} // namespace purview::engine
