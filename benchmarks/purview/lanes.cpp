/// Scans, rolling windows and convolutions.

#include "inputs.hpp"

namespace {

using namespace bench;

constexpr pv::index_t kMany = 10'000'000;
constexpr pv::index_t kWindow = 100;

const Cases lanes([] {
    const auto add_line = [](const char* name, auto work) {
        add(case_name(name, "10000000", "float64"), [=] {
            const auto x = random_tensor({kMany}, 1);
            return made([=] { return work(x); });
        });
    };
    add_line("cumsum", [](const auto& x) { return pv::cumsum(x); });
    add_line("cummax", [](const auto& x) { return pv::cummax(x); });
    add_line("rolling_sum",
             [](const auto& x) { return pv::fixed_rolling_window(x, kWindow, pv::sum); });
    add_line("rolling_mean",
             [](const auto& x) { return pv::fixed_rolling_window(x, kWindow, pv::mean); });
    add_line("rolling_min",
             [](const auto& x) { return pv::fixed_rolling_window(x, kWindow, pv::min); });
    add_line("rolling_max",
             [](const auto& x) { return pv::fixed_rolling_window(x, kWindow, pv::max); });
    add_line("gaussian", [](const auto& x) { return pv::gaussian1d(x, 2.0); });
});

} // namespace
