#pragma once

#include <purview/base/config.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/dimensions/dimensions.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/reader/reader.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
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
    /// pairs and constants alone.
    Kind reveals() const noexcept { return reveals_; }
    /// Whether something below is sparse.
    bool reads_sparse() const noexcept { return reads_sparse_; }

protected:
    Node(NodeKind kind, DType dtype, Kind reveals = Kind::computed,
         bool reads_sparse = false) noexcept
        : kind_(kind), reveals_(reveals), reads_sparse_(reads_sparse), dtype_(dtype) {}
    virtual ~Node();

    void reveal(Kind reveals, bool reads_sparse) noexcept {
        reveals_ = reveals;
        reads_sparse_ = reads_sparse;
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
    Kind reveals_;
    bool reads_sparse_;
    DType dtype_;
    mutable const Node* next_retired_ = nullptr;
};

using NodePtr = IntrusivePointer<const Node>;

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

} // namespace purview
