// expect: elements of this type do not have this reduction
// at most 15 lines
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <vector>

namespace pv = purview;

void use(const std::vector<std::chrono::sys_days>& given) {
    const auto dates = pv::tensor(given);
#ifdef MUST_NOT_COMPILE
    const auto spread = pv::variance(dates);
#else
    const auto spread = pv::variance(pv::epoch<std::chrono::days>(dates));
#endif
}
