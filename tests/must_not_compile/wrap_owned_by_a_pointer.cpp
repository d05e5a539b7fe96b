// expect: wrap: this owns nothing
// at most 15 lines
#include <purview/core.hpp>

#include <memory>

int main() {
    auto memory = std::make_shared<double[]>(3);
    const auto wrapped = purview::wrap(memory.get(), {3}, memory);
#ifdef MUST_NOT_COMPILE
    const auto dangling = purview::wrap(memory.get(), {3}, memory.get());
#endif
    return wrapped(0) == 0 ? 0 : 1;
}
