/// Floats of 16 bits: read as float32, written in place, summed, and converted.

#include "inputs.hpp"

#include <purview/dtype/half.hpp>

namespace {

using namespace bench;

template <typename From, typename To>
void add_cast(pv::index_t n) {
    add(case_name("cast_" + dtype_name<From>() + "_" + dtype_name<To>(), std::to_string(n),
                  dtype_name<To>()),
        [=] {
            const auto x = random_tensor<From>({n}, 1);
            return into(pv::empty<To>({n}),
                        [=](const auto& out) { pv::copy(x | pv::cast<To>, out); });
        });
}

const Cases sixteen_bits([] {
    for (const pv::index_t n : {10'000'000, 100'000}) {
        const std::string size = std::to_string(n);
        add(case_name("half_add", size, "float16"), [=] {
            const auto h = random_tensor<pv::Half>({n}, 1), k = random_tensor<pv::Half>({n}, 2);
            return into(pv::empty<float>({n}), [=](const auto& out) { pv::copy(h + k, out); });
        });
        // The halves are exact, so that rounding once or after each operation is the same.
        add(case_name("half_update", size, "float16"), [=] {
            const auto k = random_tensor<pv::Half>({n}, 2);
            return into(random_tensor<pv::Half>({n}, 1),
                        [=](const auto& h) { h(pv::all) = h * 0.5F + k; });
        });
        add(case_name("half_sum", size, "float16"), [=] {
            const auto h = random_tensor<pv::Half>({n}, 1);
            return number([=] { return pv::sum(h); });
        });
        add_cast<pv::Half, float>(n);
        add_cast<float, pv::Half>(n);
        add_cast<pv::BFloat16, float>(n);
        add_cast<float, pv::BFloat16>(n);
    }
});

} // namespace
