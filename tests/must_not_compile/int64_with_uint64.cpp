// expect: cast one of them
// at most 15 lines

#include <purview/core.hpp>

#include <cstdint>

int main() {
    const auto a = purview::tensor<std::int64_t>({1, 2});
    const auto b = purview::tensor<std::uint64_t>({1, 2});
    const auto good = a + purview::cast<std::int64_t>(b);
#ifdef MUST_NOT_COMPILE
    const auto bad = a + b;
#endif
}
