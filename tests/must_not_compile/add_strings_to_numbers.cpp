// expect: these element types do not have this operation
// at most 15 lines

#include <purview/core.hpp>

#include <string>
#include <vector>

int main() {
    const std::vector<std::string> names{"a", "b"};
    const auto x = purview::tensor({1., 2.});
    const auto good = x + x;
#ifdef MUST_NOT_COMPILE
    const auto bad = x + names;
#endif
}
