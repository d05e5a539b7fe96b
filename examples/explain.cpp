/// What `explain` says, as docs/explain.md shows it; what is the same on every machine is checked here.

#include "check.hpp"

#include <purview/purview.hpp>

#include <iostream>
#include <string>
#include <string_view>
#include <tuple>

namespace pv = purview;

void check_says(const std::string& text, std::string_view part) {
    check(text.find(part) != std::string::npos, "'" + std::string(part) + "' in\n" + text);
}

void expressions() {
    // [expression]
    auto x = pv::zeros({4000, 4000});
    auto y = pv::zeros({4000, 4000});
    std::cout << pv::explain(pv::sqrt(x + pv::transpose(y)));
    // [/expression]
    const std::string text = pv::explain(pv::sqrt(x + pv::transpose(y)));
    check_says(text, R"(clone of float64 [4000 4000]
tree
  %0 = sqrt %1 -> float64
  %1 = add %2 %3 -> float64
  %2 = memory, strides [4000 1] -> float64
  %3 = memory, strides [1 4000] -> float64
way: computed where it goes, on )");
    check_says(text, R"(
  loops [4000 4000]; panels of 16 rows of 512
  leaf %2: read where it lies
  leaf %3: transposed into scratch, because neighbours in the innermost loop are 32000 bytes apart
  step 1: tiles of )");
    check_says(text, R"( 8-byte lanes: %1 %0, fused; 5 instructions
  bytes for each element: 16 read, 8 written
)");
}

void slow_paths() {
    auto x = pv::zeros({4000, 4000});
    // [slow]
    auto shifted = pv::rotate(x, {0, 1}) | pv::cast<float>;
    std::cout << pv::explain(shifted);
    // [/slow]
    const std::string text = pv::explain(shifted);
    check_says(text, "  %1 = memory, strides [4000 1], axis 1 rotated by 1 -> float64\n");
    check_says(text, "convert a block: %0, checked\n");
}

void calls() {
    // [calls]
    auto a = pv::zeros({500, 300});
    auto b = pv::zeros({300, 500});
    std::cout << pv::explain(pv::matmul, a, b);               // what matmul(a, b) would do
    std::cout << pv::explain(pv::sum, a * a, {1});            // sum(a * a, {1})
    std::cout << pv::explain(pv::copy, a + 1.0, b.storage()); // copy(a + 1.0, b.storage())
    // [/calls]
    check_says(pv::explain(pv::matmul, a, b),
               "matmul of float64 [500 500 300] to 250000 elements\n");
    check_says(pv::explain(pv::sum, a * a, {1}), "sum of float64 [500 300] to 500 elements\n");
    check_says(pv::explain(pv::copy, a + 1.0, b.storage()), "copy of float64 [150000] to memory, ");
}

void chunks() {
    // [chunks]
    auto t = pv::chunked(pv::zeros({300'000}) + 1.0, {3'000}); // 2.4 MB
    pv::set_memory_limit(1 << 20);
    std::cout << pv::explain([&] { return pv::fixed_rolling_window(t, 7, pv::mean); });
    // [/chunks]
    check_says(pv::explain([&] { return pv::fixed_rolling_window(t, 7, pv::mean); }),
               "fixed_rolling_window: in 20 segments of 15360 elements");
}

void computations() {
    // [computation]
    auto c = pv::computation(
        [](auto x) { return std::tuple(pv::sum(pv::sq(x - pv::mean(x))), pv::max(x, {1})); },
        pv::spec<double>({3, 4}));
    std::cout << pv::explain(c, pv::zeros({3, 4}));
    // [/computation]
    check_says(pv::explain(c, pv::zeros({3, 4})), R"(#purview.computation(float64[3 4])
%0 = placeholder 0 float64[3 4]
%1 = sum %0 in 1 part float64
%2 = constant 12 float64
%3 = divide %1, %2 float64[]
%4 = subtract %0, %3 viewed as [3 4] float64[3 4]
%5 = sq %4 float64[3 4]
%6 = sum %5 in 1 part float64
%7 = max %0 in 3 parts float64
output 0 = %6 float64[]
output 1 = %7 float64[3]
stage 0: %1 to a temporary of 8 bytes
  way: prepared, planned once and moved to the memory and numbers of each call
stage 1: %6 to output 0
  way: prepared, planned once and moved to the memory and numbers of each call
stage 2: %7 to output 1
  max of float64 [3 4] to 3 elements
  tree
    %0 = memory, strides [4 1] -> float64
  way: blocks computed into scratch, in which cells are folded
)");
}

int main() {
    expressions();
    slow_paths();
    calls();
    computations();
    chunks();
    return exit_status();
}
