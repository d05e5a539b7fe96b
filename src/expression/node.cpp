#include "base/free_blocks.hpp"

#include <purview/expression/node.hpp>

#include <new>
#include <utility>

namespace purview::inline v0_1 {

void* Node::operator new(std::size_t bytes) {
    if (void* const block = free_blocks.take(bytes)) [[likely]]
        return block;
    return ::operator new(bytes);
}

void Node::operator delete(void* block, std::size_t bytes) noexcept {
    free_blocks.give(block, bytes);
}

Node::~Node() { delete sparsity_.load(std::memory_order_relaxed); }

void Node::set_sparsity(Sparsity found) const {
    auto* const mine = new Sparsity(std::move(found));
    const Sparsity* first = nullptr;
    if (!sparsity_.compare_exchange_strong(first, mine, std::memory_order_acq_rel)) delete mine;
}

// A node that dies releases its operands, which may be the last to hold a chain of a million more.
// Those wait in a list of this thread, so that the stack stays as deep as one node.
void Node::retire(const Node* node) noexcept {
    thread_local const Node* retired = nullptr;
    thread_local bool draining = false;
    node->next_retired_ = std::exchange(retired, node);
    if (std::exchange(draining, true)) return;
    while (retired != nullptr) delete std::exchange(retired, retired->next_retired_);
    draining = false;
}

} // namespace purview
