#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/order_statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/order/rank_selection.hpp"
#include "engine/realise/materialised_elements.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/threads/watch.hpp"

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Nanoseconds for an element.
constexpr double kSelectionCost = 1.5;

template <typename T>
void select_typed(const Operand& source, index_t groups, std::span<const index_t> ranks, T* out) {
    const index_t size = source.dims.size();
    const index_t group = size / groups;
    const auto width = std::ssize(ranks);
    const MaterialisedElements<T> elements(source);
    const int threads = worthwhile_threads(static_cast<double>(size) * kSelectionCost);
    const auto one = [&](index_t g, int threads_of_group) {
        RankSelection<T> selection(elements.data() + g * group, group, threads_of_group);
        if (!selection.run(ranks, out + g * width))
            std::fill_n(out + g * width, width, std::numeric_limits<T>::quiet_NaN());
    };
    if (groups < threads) {
        for (index_t g = 0; g < groups; ++g) one(g, threads);
        return;
    }
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        for (index_t g = first; g < last; ++g) one(g, 1);
    });
}

} // namespace

void select_ranks(const Operand& given, index_t groups, std::span<const index_t> ranks, void* out) {
    const WatchedOperation watched("percentile");
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    if (source.dims.size() == 0 || ranks.empty()) return;
    if (source.dtype() == boolean)
        return select_ranks(cast_operand(source, uint8, Op::cast), groups, ranks, out);
    visit_dtype(source.dtype(), "percentile", [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>)
            select_typed<T>(source, groups, ranks, static_cast<T*>(out));
    });
}

} // namespace purview
