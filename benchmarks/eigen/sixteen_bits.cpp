/// Eigen::half and Eigen::bfloat16.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename From, typename To>
void add_cast(const char* from, const char* to, Eigen::Index n) {
    add(case_name(std::string("cast_") + from + "_" + to, std::to_string(n), to), [=] {
        const auto x = random_array<Array<From>>(n, 1, 1, From(1));
        return into<Array<To>>(n, 1, [=](auto& out) { out = x->template cast<To>(); });
    });
}

const Cases sixteen_bits([] {
    using Half = Eigen::half;
    for (const Eigen::Index n : {10'000'000, 100'000}) {
        const std::string size = std::to_string(n);
        add(case_name("half_add", size, "float16"), [=] {
            const auto h = random_array<Array<Half>>(n, 1, 1, Half(1));
            const auto k = random_array<Array<Half>>(n, 1, 2, Half(1));
            return into<Array<float>>(n, 1, [=](auto& out) {
                out = h->template cast<float>() + k->template cast<float>();
            });
        });
        add(case_name("half_update", size, "float16"), [=] {
            const auto h = random_array<Array<Half>>(n, 1, 1, Half(1));
            const auto k = random_array<Array<Half>>(n, 1, 2, Half(1));
            return Task{[=] {
                            *h = (h->template cast<float>() * 0.5F + k->template cast<float>())
                                     .template cast<Half>();
                        },
                        [=] { return summary_of(*h); }};
        });
        add(case_name("half_sum", size, "float16"), [=] {
            const auto h = random_array<Array<Half>>(n, 1, 1, Half(1));
            return number([=] { return h->template cast<float>().sum(); });
        });
        add_cast<Half, float>("float16", "float32", n);
        add_cast<float, Half>("float32", "float16", n);
        add_cast<Eigen::bfloat16, float>("bfloat16", "float32", n);
        add_cast<float, Eigen::bfloat16>("float32", "bfloat16", n);
    }
});

} // namespace
