/// Through a function that was traced and compiled once, and is called with tensors.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T>
void add_sum_of_squares(pv::index_t n) {
    add(case_name("sum_sq_diff_computation", std::to_string(n), dtype_name<T>()), [=] {
        const auto x = random_tensor<T>({n}, 1);
        const auto y = random_tensor<T>({n}, 2);
        const auto distance = pv::computation([](auto a, auto b) { return pv::sum(pv::sq(a - b)); },
                                              pv::spec<T>({n}), pv::spec<T>({n}));
        return number([=] { return distance(x, y); });
    });
}

const Cases computations([] {
    for (const pv::index_t n : {100'000, 1'000}) {
        add_sum_of_squares<double>(n);
        add_sum_of_squares<float>(n);
    }
});

} // namespace
