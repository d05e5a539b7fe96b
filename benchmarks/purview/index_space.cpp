/// Filters, orders and sets of indexes.

#include "inputs.hpp"

namespace {

using namespace bench;

constexpr pv::index_t kMany = 10'000'000;

const Cases index_space([] {
    add("argfilter/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        return made([=] { return pv::argfilter(x > 0.5); });
    });
    add("argfilter_set/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        return Task{[=] { return pv::index_set(x > 0.5); },
                    [=] { return summary_of(pv::indexes_of(pv::index_set(x > 0.5))); }};
    });
    add("argsort/1000000/float64", [] {
        const auto x = random_tensor({1'000'000}, 1);
        return made([=] { return pv::argsort(x); });
    });
    const auto add_sort = [](auto zero) {
        using T = decltype(zero);
        add(case_name("sort", "10000000", dtype_name<T>()), [] {
            const auto x = random_tensor<T>({10'000'000}, 1);
            return made([=] { return pv::clone(pv::sort(x)); });
        });
    };
    add_sort(double{}), add_sort(float{}), add_sort(std::int64_t{});
    add("searchsorted/1000000/float64", [] {
        const auto sorted = pv::clone(pv::sort(random_tensor({1'000'000}, 1)));
        const auto x = random_tensor({1'000'000}, 2);
        return made([=] { return pv::searchsorted(sorted, x); });
    });
    const auto add_algebra = [](const char* name, auto combine) {
        add(case_name(name, "10000000", "int64"), [=] {
            const auto a = pv::index_set(random_tensor({kMany}, 1) > 0.5);
            const auto b = pv::index_set(random_tensor({kMany}, 2) > 0.5);
            return Task{[=] { return combine(a, b); },
                        [=] { return Summary{static_cast<double>(combine(a, b).size())}; }};
        });
    };
    add_algebra("set_union", [](const auto& a, const auto& b) { return a | b; });
    add_algebra("set_intersection", [](const auto& a, const auto& b) { return a & b; });
    add_algebra("set_difference", [](const auto& a, const auto& b) { return a - b; });
});

} // namespace
