// expect: the state of a reducer is copied as bytes
// at most 25 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    const auto add = [](auto& state, double) { (void)state; };
    const auto join = [](auto& state, const auto&) { (void)state; };
    const auto good = purview::reducer<double>("good", 0, add, join, [](const auto&) { return 1; });
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::reducer<double>("bad", std::vector<int>(), add, join,
                                              [](const auto&) { return 1; });
#endif
}
