#include "base/free_blocks.hpp"

#include <utility>

namespace purview::inline v0_1 {

constinit thread_local FreeBlocks free_blocks;

bool FreeBlocks::begin() noexcept {
    if (std::exchange(begun_, true)) return false;
    struct Ending {
        ~Ending() {
            for (Block*& first : free_blocks.first_)
                while (first != nullptr) ::operator delete(std::exchange(first, first->next));
            free_blocks.room_.fill(0);
        }
    };
    static thread_local const Ending ending;
    static_cast<void>(&ending);
    room_.fill(kMostOfASize);
    return true;
}

} // namespace purview
