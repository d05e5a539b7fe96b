#include "engine/run/plan_threads.hpp"

#include "engine/places/costs.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
int threads_for(const Plan& plan, index_t count) {
    return plan.thread_safe ? worthwhile_threads(plan.cost * static_cast<double>(count)) : 1;
}

int most_threads_for(const Plan& plan, index_t count) {
    return plan.thread_safe ? most_worthwhile_threads(plan.cost * static_cast<double>(count)) : 1;
}

void for_each_part(const Plan& plan, index_t count, PartFunction work) {
    const int threads = threads_for(plan, count);
    if (threads <= 1 && !is_watched()) {
        if (count > 0) work(0, count);
        return;
    }
    const auto blocks = static_cast<index_t>(costs::kLeastRange / plan.cost) / kBlock;
    index_t grain = std::max<index_t>(blocks, 1) * kBlock;
    if (plan.panel_rows > 0) {
        const index_t panel = plan.panel_rows * plan.row;
        grain = (grain + panel - 1) / panel * panel;
    }
    parallel_for(count, grain, threads, work);
}

} // namespace purview::engine
