#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>
#include <utility>

namespace purview::inline v0_1 {

/// A node with one value, at address 0.
class Constant : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::constant;
    const void* value() const noexcept { return value_; }

    void read(const Dimensions&, index_t, index_t count, void* out) const final {
        auto* to = static_cast<std::byte*>(out);
        for (index_t i = 0; i < count; ++i, to += dtype().size_bytes())
            dtype().descriptor().copy(value_, to, 1);
    }

protected:
    Constant(DType dtype, const void* value) noexcept
        : Node(kKind, dtype, Kind::constant), value_(value) {}

private:
    const void* value_;
};

template <ElementType T>
class ConstantOf final : public Constant {
public:
    explicit ConstantOf(T value) : Constant(kDType<T>, &value_), value_(std::move(value)) {}

private:
    T value_;
};

/// `value` at every index of `shape`.
template <ElementType T>
Operand constant_operand(T value, ShapeSpan shape) {
    const Shape strides(shape.size(), 0);
    return {make_node<ConstantOf<T>>(std::move(value)), Dimensions::strided(shape, strides)};
}

/// `value` as an operand of rank 0.
template <ElementType T>
Operand constant_operand(T value) {
    return {make_node<ConstantOf<T>>(std::move(value)), Dimensions()};
}

} // namespace purview
