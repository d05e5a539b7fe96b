#pragma once

#include <purview/base/config.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/dimensions/dimensions.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/reader/reader.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace purview {

/// The closed set of things an expression is made of. Symbols and reductions stand only in what a
/// computation traces: the engine evaluates neither.
enum class NodeKind : std::uint8_t {
    leaf,
    constant,
    elementwise,
    gather,
    piecewise,
    symbol,
    reduce
};

struct Sparsity;

/// A part of an expression: immutable, shared, erased, and tagged with the type of its elements.
///
/// A node has an address space of its own, which the Dimensions of an operand map into: for a leaf
/// the indexes of its reader, for a constant the address 0, and for any other node the row-major
/// indexes of its shape. Nodes are reference-counted, and die iteratively however deep they stand.
class PURVIEW_EXPORT Node {
public:
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    NodeKind kind() const noexcept { return kind_; }
    DType dtype() const noexcept { return dtype_; }
    /// What its elements are known to be beyond what reading them tells. Sparse: pairs, or an operation on
    /// pairs and constants, or one in which the fills of some operands decide what dense ones do not. O(1), but for
    /// the last kind, and what is above it, when first asked: then the operations on the fills below are computed.
    Kind reveals() const;
    /// Whether something below is sparse.
    bool reads_sparse() const noexcept { return reads_sparse_; }

    /// Of what the fills below have not been asked for.
    static constexpr Kind kUndecided{4};
    /// What `reveals` is, or `kUndecided` where the fills below decide.
    Kind known_kind() const noexcept { return known_kind_; }
    bool may_be_sparse() const noexcept {
        return known_kind_ <= Kind::sparse || known_kind_ == kUndecided;
    }
    /// How often evaluating it may compute one element below again and again: a step for each view of something computed on
    /// the longest way down, and `kBoundary` for each gather and each assembly of pieces. Saturates.
    std::uint8_t nesting() const noexcept { return nesting_; }
    static constexpr std::uint8_t kBoundary{3};

    /// Found when first asked for. Iterative; each node below is looked at once, whoever asks.
    const Sparsity& sparsity() const;
    /// The same where it has been found already, else null.
    const Sparsity* known_sparsity() const noexcept {
        return sparsity_.load(std::memory_order_acquire);
    }
    /// For those who find it: of several at once the first one stays.
    void set_sparsity(Sparsity found) const;

protected:
    Node(NodeKind kind, DType dtype, Kind reveals = Kind::computed,
         bool reads_sparse = false) noexcept
        : kind_(kind), known_kind_(reveals), reads_sparse_(reads_sparse), dtype_(dtype) {}
    virtual ~Node();

    void reveal(Kind reveals, bool reads_sparse) noexcept {
        known_kind_ = reveals;
        reads_sparse_ = reads_sparse;
    }
    void set_nesting(int nesting) noexcept {
        nesting_ = static_cast<std::uint8_t>(nesting < 255 ? nesting : 255);
    }

private:
    friend void intrusive_ptr_add_ref(const Node* node) noexcept {
        node->references_.fetch_add(1, std::memory_order_relaxed);
    }
    friend void intrusive_ptr_release(const Node* node) noexcept {
        // Who holds the only reference shares it with nobody, and need not lock the bus to drop it.
        if (node->references_.load(std::memory_order_acquire) == 1 ||
            node->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            retire(node);
    }
    static void retire(const Node* node) noexcept;

    mutable std::atomic<std::uint32_t> references_{1}; // whoever makes a node holds it
    NodeKind kind_;
    Kind known_kind_;
    bool reads_sparse_;
    std::uint8_t nesting_ = 0;
    DType dtype_;
    mutable const Node* next_retired_ = nullptr;
    mutable std::atomic<const Sparsity*> sparsity_{nullptr};
};

using NodePtr = IntrusivePointer<const Node>;

/// Whether a node is computed from others.
inline bool is_computed(const Node& node) noexcept {
    return node.kind() != NodeKind::leaf && node.kind() != NodeKind::constant &&
           node.kind() != NodeKind::symbol;
}

/// What the fills below a node tell of it.
struct Sparsity {
    Kind kind = Kind::computed;
    NodePtr fill; ///< a constant; null where there is none, or only an evaluation can tell
};

inline Kind Node::reveals() const {
    return known_kind_ == kUndecided ? sparsity().kind : known_kind_;
}

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
