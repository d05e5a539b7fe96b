// expect: elements of this type do not have this reduction
// at most 15 lines

#include <purview/core.hpp>

#include <string>
#include <vector>

int main() {
    const std::vector<std::string> names{"a", "b"};
    const auto good = purview::max(names);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::mean(names);
#endif
}
