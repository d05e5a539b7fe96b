#include <purview/expression/node.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace purview::inline v0_1 {
namespace {

// Sanitizers are to see each use of a node that is gone.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsBlocks = false;
#elif defined(__has_feature)
# if __has_feature(address_sanitizer)
constexpr bool kKeepsBlocks = false;
# else
constexpr bool kKeepsBlocks = true;
# endif
#else
constexpr bool kKeepsBlocks = true;
#endif

/// A block of memory that no node uses: it holds the address of the next one.
struct FreeBlock {
    FreeBlock* next;
};

/// The free blocks of one thread, by their size in units of kUnit bytes. Any thread may free a
/// block, which it keeps for itself.
class FreeBlocks {
public:
    static constexpr std::size_t kUnit = 64;
    static constexpr std::size_t kSizes = 8; ///< larger nodes are not kept
    static constexpr std::uint32_t kMostOfASize = 64;

    static std::size_t units_of(std::size_t bytes) noexcept { return (bytes + kUnit - 1) / kUnit; }

    void* take(std::size_t units) noexcept {
        FreeBlock* const block = first_[units];
        if (block == nullptr) return nullptr;
        first_[units] = block->next;
        ++room_[units];
        return block;
    }
    bool keep(void* memory, std::size_t units) noexcept {
        if (room_[units] == 0 && !begin()) return false;
        --room_[units];
        first_[units] = new (memory) FreeBlock{first_[units]};
        return true;
    }

private:
    /// At the first block: sees to it that all are freed when the thread ends. False if there is no
    /// room, also after that.
    bool begin() noexcept;

    std::array<FreeBlock*, kSizes + 1> first_{};
    std::array<std::uint32_t, kSizes + 1> room_{};
    bool begun_ = false;
};

constinit thread_local FreeBlocks free_blocks;

bool FreeBlocks::begin() noexcept {
    if (std::exchange(begun_, true)) return false;
    struct Ending {
        ~Ending() {
            for (std::size_t units = 0; units <= kSizes; ++units) {
                while (void* const block = free_blocks.take(units)) ::operator delete(block);
                free_blocks.room_[units] = 0;
            }
        }
    };
    static thread_local const Ending ending;
    static_cast<void>(&ending);
    room_.fill(kMostOfASize);
    return true;
}

} // namespace

void* Node::operator new(std::size_t bytes) {
    const std::size_t units = FreeBlocks::units_of(bytes);
    if (!kKeepsBlocks || units > FreeBlocks::kSizes) return ::operator new(bytes);
    if (void* const block = free_blocks.take(units); block != nullptr) [[likely]]
        return block;
    return ::operator new(units* FreeBlocks::kUnit);
}

void Node::operator delete(void* block, std::size_t bytes) noexcept {
    const std::size_t units = FreeBlocks::units_of(bytes);
    if (!kKeepsBlocks || units > FreeBlocks::kSizes || !free_blocks.keep(block, units))
        ::operator delete(block);
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
