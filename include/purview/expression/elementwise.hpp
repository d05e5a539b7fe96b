#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/operations.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>

namespace purview::inline v0_1 {

/// A function applied to blocks of elements, as an `Op::map` node calls it. It must be pure: how
/// often and in which order it is called is unspecified.
class PURVIEW_EXPORT BlockFunction {
public:
    BlockFunction() = default;
    BlockFunction(const BlockFunction&) = delete;
    BlockFunction& operator=(const BlockFunction&) = delete;
    virtual ~BlockFunction();

    /// Assigns `count` results to constructed elements at `out`. `operands` has one block of
    /// `count` elements per operand.
    virtual void apply(index_t count, void* out, const void* const* operands) const = 0;
};

/// An operation over operands of one shape. The node's own address space is that shape, row-major.
class PURVIEW_EXPORT Elementwise : public Node {
public:
    Op op() const noexcept { return op_; }
    std::span<const Operand> operands() const noexcept { return operands_; }
    /// Null unless `op()` is `Op::map`.
    const BlockFunction* function() const noexcept { return function_.get(); }
    const std::shared_ptr<const BlockFunction>& shared_function() const noexcept {
        return function_;
    }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

protected:
    Elementwise(Op op, DType dtype, std::shared_ptr<const BlockFunction> function) noexcept
        : Node(NodeKind::elementwise, dtype), op_(op), function_(std::move(function)) {}

    void set_operands(std::span<const Operand> operands) noexcept {
        operands_ = operands;
        Kind most = Kind::constant;
        bool reads_sparse = false;
        int nesting = 0;
        for (const Operand& operand : operands) {
            if (operand.node->known_storage_kind() > most)
                most = operand.node->known_storage_kind();
            reads_sparse |= operand.node->reads_sparse();
            if (!is_computed(*operand.node)) continue;
            const int below = operand.node->nesting() + (operand.dims.is_identity() ? 0 : 1);
            if (below > nesting) nesting = below;
        }
        set_nesting(nesting);
        if (reads_sparse) [[unlikely]]
            most = kind_above_sparse();
        set_storage_kind(most == Kind::dense ? Kind::computed : most, reads_sparse);
    }

private:
    /// The kind of a node that has sparse operands: `kUndecided` where a fill may annihilate dense
    /// operands.
    Kind kind_above_sparse() const noexcept;

    Op op_;
    std::span<const Operand> operands_;
    std::shared_ptr<const BlockFunction> function_;
};

/// An elementwise node that stores its N operands in place.
template <std::size_t N>
class ElementwiseOf : public Elementwise {
public:
    /// Copies or moves each of `x` into `operands_`.
    template <typename... X>
        requires(sizeof...(X) == N)
    ElementwiseOf(Op op, DType dtype, std::shared_ptr<const BlockFunction> function,
                  X&&... operands)
    noexcept
        : Elementwise(op, dtype, std::move(function)), operands_{std::forward<X>(operands)...} {
        set_operands(operands_);
    }

protected:
    std::array<Operand, N> operands_;
};

/// `op` over operands that already have the right types and one common shape.
template <std::size_t N>
Operand elementwise(Op op, DType dtype, std::array<Operand, N> operands,
                    std::shared_ptr<const BlockFunction> function = nullptr) {
    Dimensions dims = Dimensions::row_major(operands[0].dims.max_shape());
    return {std::apply(
                [&](auto&... each) {
                    return make_node<ElementwiseOf<N>>(op, dtype, std::move(function),
                                                       std::move(each)...);
                },
                operands),
            std::move(dims)};
}

/// `x` cast to `dtype` by `cast` (`Op::cast`, which is checked, or `Op::wrapping_cast`). Returns
/// `x` itself if it has that type already. Floats of 16 bits convert from and to float32, and by
/// way of it from and to the other types; what is too large for float16 becomes infinite. Throws `DtypeError` where there is no conversion. Lazy.
PURVIEW_EXPORT Operand cast_operand(Operand x, DType dtype, Op cast);

// The functions below fold operations whose operands are all constants into a constant, and turn a
// division by a constant into a multiplication where that is exact.

/// `op(x)` computed in the type `result`, to which x is cast. Rounding an integer returns x. Lazy.
PURVIEW_EXPORT Operand unary_operand(Op op, const Operand& x, DType result);
PURVIEW_EXPORT Operand unary_operand(Op op, Operand&& x, DType result);

/// `op(x, y)`: both broadcast by NumPy's rule and cast to `compute`. Throws `ShapeError` naming
/// the operation and both shapes. Lazy.
PURVIEW_EXPORT Operand binary_operand(Op op, const Operand& x, const Operand& y, DType compute,
                                      DType result);
PURVIEW_EXPORT Operand binary_operand(Op op, const Operand& x, Operand&& y, DType compute,
                                      DType result);
PURVIEW_EXPORT Operand binary_operand(Op op, Operand&& x, const Operand& y, DType compute,
                                      DType result);
PURVIEW_EXPORT Operand binary_operand(Op op, Operand&& x, Operand&& y, DType compute, DType result);

/// A number of a built-in type, as its bytes.
struct PlainNumber {
    template <BuiltinType T>
    explicit PlainNumber(const T& value) noexcept : PlainNumber(&value, sizeof(T)) {}
    PlainNumber(const void* value, std::size_t size) noexcept { std::memcpy(&bytes, value, size); }

    std::uint64_t bytes = 0;
};
/// The same for an operand and a number of type `compute`.
PURVIEW_EXPORT Operand binary_operand(Op op, const Operand& x, PlainNumber y, DType compute,
                                      DType result);
PURVIEW_EXPORT Operand binary_operand(Op op, Operand&& x, PlainNumber y, DType compute,
                                      DType result);
PURVIEW_EXPORT Operand binary_operand(Op op, PlainNumber x, const Operand& y, DType compute,
                                      DType result);
PURVIEW_EXPORT Operand binary_operand(Op op, PlainNumber x, Operand&& y, DType compute,
                                      DType result);

/// `condition ? x : y`, broadcast together, x and y cast to `result`. Lazy.
PURVIEW_EXPORT Operand choose_operand(Operand condition, Operand x, Operand y, DType result);

/// Broadcasts operands to their common shape by NumPy's rule. Throws `ShapeError` naming `what`.
PURVIEW_EXPORT void broadcast_operands(std::span<Operand> operands, const char* what);

} // namespace purview
