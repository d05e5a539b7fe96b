#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

int main() {
    const auto t = purview::tensor({{1.0, 2.0}, {3.0, 4.0}});
    purview::fill(t(0, purview::all), 5.0);
#ifdef MUST_NOT_COMPILE
    t(0, purview::all) = 5.0;
#endif
}
