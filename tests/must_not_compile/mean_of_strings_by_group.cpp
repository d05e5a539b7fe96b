// expect: a reducer of groups takes a tensor of these elements
// at most 15 lines
#include <purview/purview.hpp>

#include <string>
#include <vector>

namespace pv = purview;

void use(const std::vector<int>& shops, const std::vector<std::string>& names) {
    const auto good = pv::group_by_reduce(shops, names, pv::group_size);
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::group_by_reduce(shops, names, pv::mean);
#endif
}
