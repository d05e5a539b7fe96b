// expect: give the struct an operator==
// at most 15 lines

#include <purview/core.hpp>

struct Tick {
    int price;
    bool operator==(const Tick&) const = default;
};
struct Quote {
    int price;
};

int main() {
    const auto good = purview::tensor({Tick{1}, Tick{2}});
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::tensor({Quote{1}, Quote{2}});
#endif
}
