// at most 15 lines
// expect: months and years have no fixed length
// expect: only time points since 1970 lie in one
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <vector>

namespace pv = purview;

void use(const std::vector<std::chrono::sys_days>& given) {
    const auto dates = pv::tensor(given);
#ifdef MUST_NOT_COMPILE
    const auto whole = (dates - dates) | pv::floor_time<std::chrono::months>;
#else
    const auto whole = dates | pv::floor_time<std::chrono::months>;
#endif
}
