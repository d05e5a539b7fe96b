/// Views and expressions refer to the arrays they read, and do not keep them alive.

#include "inputs.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xstrided_view.hpp>

namespace {

using namespace bench;

template <typename Make>
void add_lazy(const char* name, Make make) {
    add(case_name(name, "2x3", "float64"), [=] {
        keep_second_thread();
        const auto fill = [](std::uint64_t seed) {
            const auto array = std::make_shared<xt::xarray<double>>();
            array->resize({std::size_t{2}, std::size_t{3}});
            fill_random(array->data(), array->size(), seed, 1.0);
            return array;
        };
        const auto x = fill(1), y = fill(2);
        const auto run = [=] { return make(*x, *y); };
        return Task{run, [=] {
                        const xt::xarray<double> made = run();
                        return summary_of(made.data(), made.size());
                    }};
    });
}

const Cases laziness([] {
    add_lazy("view_transpose", [](auto& x, auto&) { return xt::transpose(x); });
    add_lazy("view_row", [](auto& x, auto&) { return xt::view(x, 1, xt::all()); });
    add_lazy("node_add", [](auto& x, auto& y) { return x + y; });
});

} // namespace
