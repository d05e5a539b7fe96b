#include "order/bisected.hpp"

#include <algorithm>
#include <cstring>

namespace purview::inline v0_1::mpi {
namespace {

/// So many bits in a step that a step sums a few thousand numbers at most.
int bits_in_step(std::size_t targets) noexcept {
    constexpr std::size_t kMostCounts = 4096;
    for (const int bits : {8, 4, 2})
        if ((targets << bits) <= kMostCounts) return bits;
    return 1;
}

} // namespace

void add_up(Ranks& ranks, const char* what, const Group& group, std::span<std::int64_t> counts) {
    const std::size_t size = counts.size();
    ranks.join(what, group, std::as_writable_bytes(counts), Carries::nothing,
               [size](std::byte* left, const std::byte* right) {
                   for (std::size_t i = 0; i < size; ++i) {
                       std::uint64_t a = 0;
                       std::uint64_t b = 0;
                       std::memcpy(&a, left + i * sizeof(a), sizeof(a));
                       std::memcpy(&b, right + i * sizeof(b), sizeof(b));
                       a += b;
                       std::memcpy(left + i * sizeof(a), &a, sizeof(a));
                   }
               });
}

std::vector<Bisected> bisected(Ranks& ranks, const char* what, int bits,
                               std::span<const std::int64_t> targets,
                               FunctionRef<std::int64_t(std::size_t, std::uint64_t)> count) {
    std::vector<Bisected> found(targets.size());
    if (targets.empty()) return found;
    std::vector<std::int64_t> counts;
    for (int left = bits; left > 0;) {
        const int step = std::min(bits_in_step(targets.size()), left);
        left -= step;
        const std::uint64_t candidates = (std::uint64_t{1} << step) - 1;
        counts.clear();
        for (std::size_t t = 0; t < targets.size(); ++t)
            for (std::uint64_t c = 1; c <= candidates; ++c)
                counts.push_back(count(t, found[t].word + (c << left)));
        add_up(ranks, what, ranks.all(), counts);
        const std::int64_t* of_target = counts.data();
        for (std::size_t t = 0; t < targets.size(); ++t, of_target += candidates) {
            // Ascending, as the candidates are.
            const auto fitting = static_cast<std::uint64_t>(
                std::upper_bound(of_target, of_target + candidates, targets[t]) - of_target);
            if (fitting == 0) continue;
            found[t].word += fitting << left;
            found[t].before = of_target[fitting - 1];
        }
    }
    return found;
}

} // namespace purview
