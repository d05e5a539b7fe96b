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

void Node::drop_sparsity() noexcept { delete sparsity_.load(std::memory_order_relaxed); }

void Node::set_sparsity(Sparsity found) const {
    auto* const mine = new Sparsity(std::move(found));
    const Sparsity* first = nullptr;
    if (!sparsity_.compare_exchange_strong(first, mine, std::memory_order_acq_rel)) delete mine;
}

// A node that dies releases its operands, which may be the last to hold a chain of a million more.
// Those wait in a list of this thread, so that the stack stays as deep as one node.
void Node::retire(const Node* node) noexcept {
    struct Waiting {
        bool draining = false;
        const Node* first = nullptr;
    };
    [[gnu::tls_model("initial-exec")]] static thread_local constinit Waiting waiting;
    if (waiting.draining) {
        node->next_retired_ = std::exchange(waiting.first, node);
        return;
    }
    waiting.draining = true;
    delete node;
    while (waiting.first != nullptr)
        delete std::exchange(waiting.first, waiting.first->next_retired_);
    waiting.draining = false;
}

} // namespace purview
