/// Results in memory that comes from the operating system each time, and goes back to it.

#include "inputs.hpp"

namespace {

using namespace bench;

/// Nothing is kept for reuse while this lives.
class WithoutRecycling {
public:
    WithoutRecycling() { pv::set_recycled_memory_limit(0); }
    WithoutRecycling(const WithoutRecycling&) = delete;
    WithoutRecycling& operator=(const WithoutRecycling&) = delete;
    ~WithoutRecycling() { pv::set_recycled_memory_limit(limit_); }

private:
    pv::index_t limit_ = pv::recycled_memory_limit();
};

template <typename T>
void add_chain(pv::index_t n) {
    add(case_name("chain_new_cold", std::to_string(n), dtype_name<T>()), [=] {
        const auto cold = std::make_shared<WithoutRecycling>();
        const auto a = random_tensor<T>({n}, 1);
        return made([=] {
            static_cast<void>(cold);
            return (((((a + 4) * 2) - 3) / 2) + 6) * 4 | pv::clone;
        });
    });
}

const Cases cold_memory([] {
    add_chain<double>(10'000'000);
    add_chain<float>(10'000'000);
});

} // namespace
