#pragma once

#include <purview/base/config.hpp>
#include <purview/expression/node.hpp>
#include <purview/expression/operations.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

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

    /// The derivative by operand `number`, a function of the same operands with results of the same
    /// type; null if the function has none.
    virtual std::shared_ptr<const BlockFunction> derivative(std::size_t number) const;

    /// The name that `register_function` has given it; empty for others.
    virtual std::string_view registered_name() const noexcept;
};

/// An operand as an operation keeps it, in 16 bytes where it is seen as it is.
struct Input {
    /// A view in a block of its own, from the thread's list of free ones as nodes are.
    struct View {
        Dimensions dims;
        static void* operator new(std::size_t bytes) { return Node::operator new(bytes); }
        static void operator delete(void* block, std::size_t bytes) noexcept {
            Node::operator delete(block, bytes);
        }
    };

    Input(NodePtr operand_node) noexcept : node(std::move(operand_node)) {}
    template <OperandLike X>
    Input(X&& x) : node(std::forward<X>(x).node) {
        if (!is_seen_as_it_is(*node, x.dims)) [[unlikely]]
            view.reset(new View{std::forward<X>(x).dims});
    }
    static bool is_seen_as_it_is(const Node& node, const Dimensions& dims) noexcept {
        return dims.is_inline() &&
               (node.kind() == NodeKind::constant ||
                (dims.base() == 0 && (dims.is_plain_line() || dims.is_contiguous())));
    }

    NodePtr node;
    /// Null where the address of each element is its row-major index in the shape of the operation,
    /// and of a constant, for ranks up to kInlineRank.
    std::unique_ptr<const View> view;
};

/// An operation over operands of one shape. The node's own address space is that shape, row-major.
class PURVIEW_EXPORT Elementwise : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::elementwise;
    Op op() const noexcept { return op_; }
    std::span<const Input> inputs() const noexcept { return {inputs_, count_}; }
    /// An operand as it was given, or one that shows the same elements.
    Operand operand(std::size_t number) const;
    ShapeSpan shape() const noexcept {
        return rank_ <= kInlineRank ? ShapeSpan(extents_, rank_)
                                    : inputs_[0].view->dims.max_shape();
    }
    /// Null unless `op()` is `Op::map`.
    const BlockFunction* function() const noexcept { return function_.get(); }
    const std::shared_ptr<const BlockFunction>& shared_function() const noexcept {
        return function_;
    }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

protected:
    /// An operation with results of the shape of `dims`.
    Elementwise(Op op, DType dtype, const Dimensions& dims,
                std::shared_ptr<const BlockFunction> function) noexcept
        : Node(kKind, dtype),
          op_(op),
          rank_(static_cast<std::uint8_t>(dims.rank())),
          function_(std::move(function)) {
        // All of the extents, as a copy of some is a call.
        if (rank_ <= kInlineRank) std::memcpy(extents_, dims.max_shape().data(), sizeof(extents_));
    }

    void set_inputs(std::span<const Input> inputs) noexcept {
        inputs_ = inputs.data();
        count_ = static_cast<std::uint32_t>(inputs.size());
        PURVIEW_ASSERT(traits_of(op_).arity == 0 || traits_of(op_).arity == count_);
        Kind most = Kind::constant;
        Below below = Below::nothing;
        int recomputations = 0;
        for (const Input& input : inputs) {
            if (input.node->known_storage_kind() > most) most = input.node->known_storage_kind();
            below = below | input.node->below();
            if (!is_computed(*input.node)) continue;
            const int deeper = input.node->recomputations() + (input.view == nullptr ? 0 : 1);
            if (deeper > recomputations) recomputations = deeper;
        }
        set_recomputations(recomputations);
        if ((below & Below::sparse) != Below::nothing) [[unlikely]]
            most = kind_above_sparse();
        set_storage_kind(most == Kind::dense ? Kind::computed : most, below);
    }

private:
    /// The kind of a node that has sparse operands: `kUndecided` where a fill may annihilate dense
    /// operands.
    Kind kind_above_sparse() const noexcept;

    Op op_;
    std::uint8_t rank_;
    std::uint32_t count_ = 0;
    const Input* inputs_ = nullptr;
    std::shared_ptr<const BlockFunction> function_;
    index_t extents_[kInlineRank]; ///< for higher ranks the first operand has the shape
};

/// An elementwise node that stores its N operands in place.
template <std::size_t N>
class ElementwiseOf : public Elementwise {
public:
    /// Each of `x` is an operand, or becomes an `Input`.
    template <typename... X>
        requires(sizeof...(X) == N)
    ElementwiseOf(Op op, DType dtype, const Dimensions& dims,
                  std::shared_ptr<const BlockFunction> function, X&&... x)
        : Elementwise(op, dtype, dims, std::move(function)), inputs_{std::forward<X>(x)...} {
        set_inputs(inputs_);
    }

protected:
    std::array<Input, N> inputs_;
};
static_assert(sizeof(ElementwiseOf<2>) <= 160);

/// `op` over operands that already have the right types and one common shape.
template <std::size_t N>
Operand elementwise(Op op, DType dtype, std::array<Operand, N> operands,
                    std::shared_ptr<const BlockFunction> function = nullptr) {
    Dimensions dims = Dimensions::row_major(operands[0].dims.max_shape());
    return {std::apply(
                [&](auto&... each) {
                    return make_node<ElementwiseOf<N>>(op, dtype, dims, std::move(function),
                                                       std::move(each)...);
                },
                operands),
            std::move(dims)};
}

/// The type from which numbers of type `from` are rounded to `to`, one of 16 bits: their own, or
/// one that holds whatever is not infinite in `to`.
PURVIEW_EXPORT DType rounded_to_float16(DType from, DType to) noexcept;

/// `x` cast to `dtype` by `cast` (`Op::cast`, which is checked, or `Op::wrapping_cast`). Returns
/// `x` itself if it has that type already. Floats of 16 bits convert to float32, and by
/// way of it to the other types; all numbers are rounded to them once, and what is too large for float16 becomes infinite. Throws `DtypeError` where there is no conversion. Lazy.
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
/// `op` of an operand, which is cast to `compute`, and a number of that type. Lazy.
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
