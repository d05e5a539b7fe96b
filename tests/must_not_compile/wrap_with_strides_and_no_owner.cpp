// expect: wrap: this owns nothing
// at most 15 lines
#include <purview/core.hpp>

#include <memory>

int main() {
    auto memory = std::make_shared<double[]>(3);
    const auto wrapped = purview::wrap(memory.get(), {3}, purview::Shape{1}, memory);
#ifdef MUST_NOT_COMPILE
    const auto wrong = purview::wrap(memory.get(), {3}, purview::Shape{1});
#endif
    return wrapped(0) == 0 ? 0 : 1;
}
