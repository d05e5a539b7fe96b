// expect: wrap(view): it owns nothing
// at most 15 lines
#include <purview/core.hpp>
#include <purview/interop/foreign_types.hpp>

#include <cstddef>

/// As much of an mdspan as is asked for.
struct Span {
    using element_type = double;
    using rank_type = std::size_t;
    double* data;
    static constexpr std::size_t rank() { return 1; }
    double* data_handle() const { return data; }
    std::size_t extent(std::size_t) const { return 2; }
    std::size_t stride(std::size_t) const { return 1; }
};

int main() {
    double memory[] = {1, 2};
    const auto borrowed = purview::borrow(Span{memory});
#ifdef MUST_NOT_COMPILE
    const auto wrapped = purview::wrap(Span{memory});
#endif
    return borrowed(1) == 2 ? 0 : 1;
}
