#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

int main() {
    const auto t = purview::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const auto x = purview::tensor({5.0, 6.0});
    purview::copy(x, t(0, purview::all));
    t(0, 0) = 7.0;
#ifdef MUST_NOT_COMPILE
    t(0, purview::all) = x;
#endif
}
