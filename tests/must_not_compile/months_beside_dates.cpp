// at most 15 lines
// expect: months and years have no fixed length
// expect: plus_months(t, n)
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <vector>

namespace pv = purview;

void use(const std::vector<std::chrono::sys_days>& given) {
    const auto dates = pv::tensor(given);
#ifdef MUST_NOT_COMPILE
    const auto later = dates + std::chrono::months(1);
#else
    const auto later = pv::plus_months(dates, 1);
#endif
}
