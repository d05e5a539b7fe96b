#include "engine/boxes/partial_results.hpp"

namespace purview::inline v0_1::engine {

std::unique_ptr<PartialBlock> PartialResults::add(index_t number,
                                                  std::unique_ptr<PartialBlock> block) {
    index_t left = parts_;
    for (int level = 0; left > 1; ++level, number /= 2, left = (left + 1) / 2) {
        const index_t neighbour = number ^ 1;
        if (neighbour == left) continue; // the last one of an odd number has none
        std::unique_ptr<PartialBlock> other;
        {
            const std::lock_guard lock(mutex_);
            const auto found = waiting_.find({level, neighbour});
            if (found == waiting_.end()) {
                waiting_.emplace(std::pair(level, number), std::move(block));
                return nullptr;
            }
            other = std::move(found->second);
            waiting_.erase(found);
        }
        if (neighbour < number) std::swap(block, other);
        join_(block->memory.data(), other->memory.data(), count_);
    }
    return block;
}

} // namespace purview::engine
