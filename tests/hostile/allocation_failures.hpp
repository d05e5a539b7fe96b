#pragma once

#include <cstddef>

namespace hostile {

/// What a program asks memory of: `malloc` and its like, under `operator new` too, and `mmap`.
enum class Allocator { heap, mapping };

/// From now on the `k`-th request (1 is the next) fails; none if `k` is 0. Those of CRoaring are not counted, where it
/// has no way to say that one has failed.
void fail_allocation(Allocator allocator, std::size_t k) noexcept;

/// How many there were since, and whether one of them failed; nothing fails any more.
struct Allocations {
    std::size_t count;
    bool failed;
};
Allocations stop_failing() noexcept;

} // namespace hostile
