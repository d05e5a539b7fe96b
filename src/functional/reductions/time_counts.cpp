#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/time_counts.hpp>

#include <algorithm>
#include <memory>

namespace purview::inline v0_1 {
namespace {

/// Wide enough for the sum of 2^63 counts.
__extension__ typedef __int128 WideCount;

} // namespace

void mean_of_counts(const ReducedView& view, std::int64_t* out) {
    const Evaluation evaluation(view.operand, Reads::within_one_operation);
    const index_t group = view.groups > 0 ? evaluation.size() / view.groups : 0;
    std::vector<std::int64_t> block(static_cast<std::size_t>(std::min<index_t>(group, 4096)));
    for (index_t g = 0; g < view.groups; ++g) {
        WideCount sum = 0;
        bool has_nat = false;
        for (index_t done = 0; done < group; done += std::ssize(block)) {
            const index_t count = std::min(group - done, std::ssize(block));
            evaluation.read(g * group + done, count, block.data());
            for (index_t i = 0; i < count; ++i) {
                const std::int64_t each = block[static_cast<std::size_t>(i)];
                sum += each;
                has_nat |= is_nat_count(each);
            }
        }
        if (has_nat) {
            out[g] = kNatCount<std::int64_t>;
            continue;
        }
        WideCount mean = sum / group;
        WideCount rest = sum - mean * group;
        if (rest < 0) {
            rest += group;
            --mean;
        }
        out[g] = static_cast<std::int64_t>(2 * rest > group ? mean + 1 : mean);
    }
}

} // namespace purview
