#include <purview/evaluation/order_statistics.hpp>

#include "engine/order/rank_selection.hpp"
#include "engine/order/sorted_parts.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/watch.hpp"

namespace purview::inline v0_1 {
void select_ranks(const char* what, const Operand& source, index_t groups,
                  std::span<const index_t> ranks, void* out) {
    using namespace engine;
    const WatchedOperation watched(what);
    if (ranks.empty()) return;
    const auto width = std::ssize(ranks);
    for_each_part(what, source, groups, costs::kSelectedElement,
                  [&]<typename T>(const T* elements, index_t length, index_t group, int threads) {
                      T* const to = static_cast<T*>(out) + group * width;
                      if (!RankSelection<T>(elements, length, threads).run(ranks, to))
                          std::fill_n(to, width, std::numeric_limits<T>::quiet_NaN());
                  });
}

} // namespace purview
