#pragma once

#include <purview/base/config.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/base/reference_count.hpp>
#include <purview/dimensions/dimensions.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/reader/reader.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The closed set of node kinds. Those from `symbol` on occur only in the graph that tracing a
/// computation gives: the engine evaluates none of them.
enum class NodeKind : std::uint8_t {
    leaf,
    constant,
    elementwise,
    gather,
    piecewise,
    symbol,
    reduce,
    scatter,
    scan,
    opaque,
    loop,
    choice,
    result
};

/// What the nodes below a node may be, as a set: `a | b` has the members of both.
enum class Below : std::uint8_t {
    nothing = 0,
    sparse = 1, ///< leaves of pairs
    symbol =
        2, ///< symbols, and what only stages compute: nothing that has elements outside of a call
    device = 4, ///< leaves on another backend than the CPU's
    blocks = 8  ///< leaves that are read in chunks
};
constexpr Below operator|(Below a, Below b) noexcept {
    return static_cast<Below>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr Below operator&(Below a, Below b) noexcept {
    return static_cast<Below>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}

struct Sparsity;

/// A part of an expression: immutable, shared, type-erased, and tagged with its element type.
///
/// A node has an address space of its own, which the Dimensions of an operand map into: for a leaf
/// the indexes of its reader, for a constant the address 0, and for any other node the row-major
/// indexes of its shape. Nodes are reference-counted, and are destroyed iteratively, so that long
/// chains do not overflow the stack.
class PURVIEW_EXPORT Node {
public:
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    /// From the thread's list of free blocks, as expressions are made and dropped in loops.
    static void* operator new(std::size_t bytes);
    static void operator delete(void* block, std::size_t bytes) noexcept;

    NodeKind kind() const noexcept { return kind_; }
    DType dtype() const noexcept { return dtype_; }
    /// What this node and those below it are.
    Below below() const noexcept { return below_; }
    bool reads(Below what) const noexcept { return (below_ & what) != Below::nothing; }

    /// A kind that depends on the fills of operands, which have not been computed yet.
    static constexpr Kind kUndecided{4};
    /// The kind of the node's elements, or `kUndecided` where that depends on the fills of
    /// operands.
    Kind known_storage_kind() const noexcept { return known_storage_kind_; }
    bool may_be_sparse() const noexcept {
        return known_storage_kind_ <= Kind::sparse || known_storage_kind_ == kUndecided;
    }
    /// Whether more than one operand refers to this node.
    bool is_shared() const noexcept { return references_.is_shared(); }
    /// A measure of how often evaluating this node may compute the same element of a node below it,
    /// 0 if once: along the longest path down, 1 for each view of a computed node and
    /// `kRecomputedByGather` for each gather and piecewise node. Saturates at 255. Where it is more
    /// than that of one gather, evaluating looks for what is better computed into memory first.
    std::uint8_t recomputations() const noexcept { return recomputations_; }
    static constexpr std::uint8_t kRecomputedByGather{3};

    /// The kind and the fill, if `set_sparsity` has stored them, else null.
    const Sparsity* known_sparsity() const noexcept {
        return sparsity_.load(std::memory_order_acquire);
    }
    /// Assigns the elements [begin, begin + count) of a view of this node, in its row-major order,
    /// to constructed elements at `out`. Leaves and constants read them themselves, so that a
    /// program that computes nothing is linked without the engine; other nodes are evaluated. To
    /// read a view more than once, make an `Evaluation` of it.
    virtual void read(const Dimensions& view, index_t begin, index_t count, void* out) const = 0;

    /// From now on the node is never destroyed, and the reference of its maker can be handed out
    /// any number of times.
    void make_immortal() noexcept { references_.make_immortal(); }

    /// Stores the kind and the fill that the caller has found. If several threads do, the first
    /// one's result stays.
    void set_sparsity(Sparsity found) const;

protected:
    Node(NodeKind kind, DType dtype, Kind storage_kind = Kind::computed,
         Below below = Below::nothing) noexcept
        : kind_(kind), known_storage_kind_(storage_kind), below_(below), dtype_(dtype) {}
    virtual ~Node() {
        if (sparsity_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
            drop_sparsity();
    }

    void set_storage_kind(Kind kind, Below below) noexcept {
        known_storage_kind_ = kind;
        below_ = below;
    }
    void set_recomputations(int recomputations) noexcept {
        recomputations_ = static_cast<std::uint8_t>(recomputations < 255 ? recomputations : 255);
    }

private:
    friend void intrusive_ptr_add_ref(const Node* node) noexcept { node->references_.add(); }
    friend void intrusive_ptr_release(const Node* node) noexcept {
        if (node->references_.drop()) retire(node);
    }
    static void retire(const Node* node) noexcept;
    void drop_sparsity() noexcept;

    mutable ReferenceCount references_;
    NodeKind kind_;
    Kind known_storage_kind_;
    Below below_;
    std::uint8_t recomputations_ = 0;
    DType dtype_;
    mutable const Node* next_retired_ = nullptr;
    mutable std::atomic<const Sparsity*> sparsity_{nullptr};
};

using NodePtr = IntrusivePointer<const Node>;

/// A node as what its kind says it is; null if it is not an `N`, which is the class of one kind.
template <typename N>
const N* node_as(const Node& node) noexcept {
    return node.kind() == N::kKind ? static_cast<const N*>(&node) : nullptr;
}

/// Whether a node is computed from other nodes.
inline bool is_computed(const Node& node) noexcept {
    return node.kind() != NodeKind::leaf && node.kind() != NodeKind::constant &&
           node.kind() != NodeKind::symbol;
}

/// What the fills below a node decide about it.
struct Sparsity {
    Kind kind = Kind::computed;
    NodePtr fill; ///< a constant; null where there is no fill, or only an evaluation can tell it
};

/// A new node of class `N`.
template <std::derived_from<Node> N, typename... Arguments>
NodePtr make_node(Arguments&&... arguments) {
    return NodePtr(new N(std::forward<Arguments>(arguments)...), false);
}

/// A node seen through Dimensions: what nodes take, and what every tensor handle is. A view changes
/// the Dimensions and nothing else.
struct Operand {
    NodePtr node;
    Dimensions dims;

    DType dtype() const noexcept { return node->dtype(); }
};
template <typename O>
concept OperandLike = std::same_as<std::remove_cvref_t<O>, Operand>;

} // namespace purview
