/// Functions of elements, bits, and what is chosen and joined: all of it lazy.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cstdint>
#include <vector>

namespace pv = purview;

int main() {
    {
        // [functions]
        auto x = pv::linspace(-2, 2, 5);
        auto bell = pv::exp(-pv::sq(x) / 2); // fused, evaluated when it is read
        auto steps = x | pv::clamp(-1, 1) | pv::floor;
        auto whole = pv::quot(pv::tensor({7, -7}), 2); // {3, -3}
        bool close = pv::all_of(pv::close_to(pv::log(bell), x * x / -2));
        // [/functions]
        check(close, "log undoes exp");
        check(pv::to_vector(steps) == std::vector<double>{-1, -1, 0, 1, 1}, "steps");
        check(pv::to_vector(whole) == std::vector<int>{3, -3}, "quotients");
    }
    {
        // [bits]
        auto flags = pv::tensor(std::vector<std::uint8_t>{0b0101, 0b0010});
        auto set = flags | pv::bit_set(3); // {13, 10}
        auto odd = pv::bit_test(flags, 0); // {true, false}
        auto high = (flags << 4) ^ flags;
        // [/bits]
        check(pv::to_vector(set) == std::vector<std::uint8_t>{13, 10}, "bits set");
        check(pv::to_vector(odd) == std::vector<bool>{true, false}, "odd");
        check(pv::to_vector(high) == std::vector<std::uint8_t>{0x55, 0x22}, "high");
    }
    {
        // [joining]
        auto x = pv::tensor({{1, 2}, {3, 4}});
        auto wide = pv::concat(x, -x, 1);            // [2, 4]
        auto framed = x | pv::pad({{1, 1}, {0, 0}}); // zeros above and below
        auto upper = pv::triu(x);                    // {{1, 2}, {0, 4}}
        auto chosen = pv::where(x > 2, x, 0);        // {{0, 0}, {3, 4}}
        // [/joining]
        check(pv::to_vector(wide(0, pv::all)) == std::vector<int>{1, 2, -1, -2}, "wide");
        check(framed.shape() == pv::Shape{4, 2} && pv::sum(framed) == 10, "framed");
        check(upper(1, 0) == 0 && chosen(1, 0) == 3, "triangles and choices");
    }
    return exit_status();
}
