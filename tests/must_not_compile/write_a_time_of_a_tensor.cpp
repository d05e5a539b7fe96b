// expect: sys_seconds
// at most 15 lines

#include <purview/purview.hpp>

#include <chrono>

int main() {
    using std::chrono::sys_seconds;
    const auto writes = purview::tensor({sys_seconds{}});
    writes(0) = sys_seconds{std::chrono::hours(2)};
    const purview::Tensor<sys_seconds> times = writes;
#ifdef MUST_NOT_COMPILE
    times(0) = sys_seconds{std::chrono::hours(2)};
#endif
}
