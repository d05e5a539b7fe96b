/// A tour of what there is. Everything printed here is compared, to the letter, with what it should be;
/// the README and docs/tour.md show parts of this file.

#include "check.hpp"

#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

namespace pv = purview;

Printed printed;

void tour() {
    // [tour]
    auto t = pv::arange(9.) | pv::reshape({3, 3});            // owns its memory
    auto turned = t | pv::rotate({0, 1}) | pv::transpose;     // views: no element moves
    auto scaled = (turned(pv::range(0, 2), pv::all) - 4) * 2; // lazy: nothing is computed yet
    pv::fill(t(pv::all, 0), 10);                              // a column, written through a view
    std::cout << scaled << '\n';                              // computed here, in one pass
    double distance = pv::sum(pv::sq(t - turned));            // no temporary, no second pass
    // [/tour]
    printed.equals(R"(
#purview.tensor<float64>[2 3]
[[-4.000  2.000  8.000]
 [12.000 12.000 12.000]]
)");
    check(distance == pv::sum(pv::sq((t - turned) | pv::clone)), "a reduction of an expression");
}

/// The printed results of the tensor page of tech.datatype, the Clojure library that Purview learnt from.
void views() {
    // [views]
    auto t = pv::tensor({{0., 1., 2.}, {3., 4., 5.}, {6., 7., 8.}}); // a MutableTensor<double>
    std::cout << t << '\n';
    // [/views]
    printed.equals(R"(
#purview.tensor<float64>[3 3]
[[0.000 1.000 2.000]
 [3.000 4.000 5.000]
 [6.000 7.000 8.000]]
)");
    // [transpose]
    std::cout << (t | pv::transpose({1, 0})) << '\n';
    // [/transpose]
    printed.equals(R"(
#purview.tensor<float64>[3 3]
[[0.000 3.000 6.000]
 [1.000 4.000 7.000]
 [2.000 5.000 8.000]]
)");
    // [broadcast]
    std::cout << (t | pv::broadcast({6, 3})) << '\n'; // tiles; each size divides
    // [/broadcast]
    printed.equals(R"(
#purview.tensor<float64>[6 3]
[[0.000 1.000 2.000]
 [3.000 4.000 5.000]
 [6.000 7.000 8.000]
 [0.000 1.000 2.000]
 [3.000 4.000 5.000]
 [6.000 7.000 8.000]]
)");
    // [rotate]
    std::cout << (t | pv::rotate({0, 1})) << '\n'; // element at j goes to j + 1
    // [/rotate]
    printed.equals(R"(
#purview.tensor<float64>[3 3]
[[2.000 0.000 1.000]
 [5.000 3.000 4.000]
 [8.000 6.000 7.000]]
)");
    // [select]
    std::cout << t(1, pv::all) << '\n';                // a row
    std::cout << (t | pv::select(pv::all, 2)) << '\n'; // a column; `select` is the stage
    std::cout << t(pv::range(0, 2), pv::range({}, {}, -1)) << '\n';
    std::cout << t(pv::indexes({2, 0}), pv::indexes({0, 2}))
              << '\n'; // lists: each along its own axis
    // [/select]
    printed.equals(R"(
#purview.tensor<float64>[3]
[3.000 4.000 5.000]
#purview.tensor<float64>[3]
[2.000 5.000 8.000]
#purview.tensor<float64>[2 3]
[[2.000 1.000 0.000]
 [5.000 4.000 3.000]]
#purview.tensor<float64>[2 2]
[[6.000 8.000]
 [0.000 2.000]]
)");
    check_throws<pv::ShapeError>([&] { t | pv::broadcast({7, 3}); }, "broadcast");
    check_throws<pv::IndexError>([&] { t(3, pv::all); }, "3");
    check((pv::zeros({2, 2}) | pv::transpose).strides() == pv::Shape{1, 2},
          "strides of a transpose");
}

/// What PyTorch promises of storage.
void storage() {
    // [storage]
    auto t = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    auto row = t(1, pv::all); // offset 2, stride 1, the same memory
    row(0) = 30;              // shows in t
    auto copy = row | pv::clone;
    copy(1) = 40; // does not
    std::cout << t << '\n';
    // [/storage]
    printed.equals(R"(
#purview.tensor<float64>[3 2]
[[ 1.000 2.000]
 [30.000 4.000]
 [ 5.000 6.000]]
)");
    std::ostringstream description;
    description << row.description();
    check(description.str().starts_with("float64[2] l-tensor strides [1] offset 2"), "description");
    check(t(1, 0) == 30 && t(1, 1) == 4, "a view writes through, a clone does not");
    check(row.storage_offset() == 2 && row.strides() == pv::Shape{1}, "the layout of a row");
    check(pv::shares_storage(t, row) && !pv::shares_storage(t, copy), "who shares storage");

    const auto turned = t | pv::transpose;
    check(turned.strides() == pv::Shape{1, 2} && !turned.is_contiguous(), "a transpose is a view");
    check((turned | pv::contiguous).strides() == pv::Shape{3, 1}, "contiguous copies it");
    check(pv::swap_axes(pv::zeros({3, 4, 5}), 0, 2).strides() == pv::Shape{1, 5, 20}, "swap_axes");
    check(pv::zeros({5, 3, 2}).strides() == pv::Shape{6, 2, 1}, "row-major");
    check(pv::zeros({5, 3, 2}, pv::Order::column_major).strides() == pv::Shape{1, 5, 15},
          "column-major");
    check(pv::zeros<float>({1000, 1000}).storage().size_bytes() == 4'000'000, "storage in bytes");
}

void laziness() {
    // [lazy]
    auto x = pv::tensor({1., 2., 3.});
    auto y = (x + 4) * 2; // nothing is computed; y owns a share of x
    x(0) = 10;            // so y sees this
    std::cout << y << '\n';
    auto z = y | pv::clone; // now it is computed, once
    x(0) = 20;
    std::cout << z << '\n';
    // [/lazy]
    printed.equals(R"(
#purview.tensor<float64>[3]
[28.000 12.000 14.000]
#purview.tensor<float64>[3]
[28.000 12.000 14.000]
)");
    check(y(0) == 48 && z(0) == 28, "a lazy tensor sees later writes, a clone does not");
    check_throws<pv::ReadOnlyError>([&] { pv::fill(pv::AnyTensor(y), 0); }, "computed");
}

// [dangle]
auto distance(const pv::Tensor<double>& x, const pv::Tensor<double>& y) {
    auto difference = x - y;
    return pv::sqrt(pv::sq(difference)); // safe: an expression co-owns all that it reads
}
// [/dangle]

void reductions() {
    // [reduce]
    auto x = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    auto y = pv::ones({2, 3});
    double d = pv::sum(pv::sq(x - y)); // no temporary, one pass
    std::cout << d << '\n';
    std::cout << pv::mean(x, {0}) << '\n';
    std::cout << (x - (x | pv::max({1}, pv::keep_dims))) << '\n'; // size 1 broadcasts
    // [/reduce]
    printed.equals(R"(
55
#purview.tensor<float64>[3]
[2.500 3.500 4.500]
#purview.tensor<float64>[2 3]
[[-2.000 -1.000 0.000]
 [-2.000 -1.000 0.000]]
)");
    check(pv::sum(distance(x, y)) == 15, "an expression may leave the function that built it");
    check(pv::sum(pv::tensor<std::uint8_t>({200, 100})) == 300, "sums of integers have 64 bits");
}

void functions() {
    // [functions]
    auto x = pv::tensor({3, -1, 4, -1, 5});
    std::cout << pv::where(x > 0, x, 0) << '\n';
    std::cout << (x | pv::emap([](auto v) { return v * v - 1; }))
              << '\n';             // your own function, inlined
    std::cout << x(x > 0) << '\n'; // a mask
    // [/functions]
    printed.equals(R"(
#purview.tensor<int32>[5]
[3 0 4 0 5]
#purview.tensor<int32>[5]
[8 0 15 0 24]
#purview.tensor<int32>[3]
[3 4 5]
)");
    // [writing]
    auto t = pv::zeros<int>({3, 4});
    t(1, pv::all) = pv::arange(4); // what a subscript names is written
    t(pv::all, 0) = 7;
    std::cout << t << '\n';
    // [/writing]
    printed.equals(R"(
#purview.tensor<int32>[3 4]
[[7 0 0 0]
 [7 1 2 3]
 [7 0 0 0]]
)");
}

void sources() {
    // [sources]
    std::vector<float> samples{3, 1, 2};
    auto borrowed = pv::borrow(samples); // a view of the vector, which has to outlive it
    std::ranges::sort(borrowed);         // a tensor is a range; this sorts the vector

    auto table = pv::compute_tensor({3, 3}, [](auto i, auto j) { return (i + 1) * (j + 1); });
    auto words = pv::tensor({"any", "regular", "type"}); // std::string
    std::cout << table << '\n' << words << '\n';
    // [/sources]
    printed.equals(R"(
#purview.tensor<int64>[3 3]
[[1 2 3]
 [2 4 6]
 [3 6 9]]
#purview.tensor<string>[3]
["any" "regular" "type"]
)");
    check(samples == std::vector<float>{1, 2, 3}, "the vector was sorted in place");

    using namespace std::chrono;
    const auto days = pv::tensor(std::vector<sys_days>{2024y / 2 / 28, 2024y / 3 / 1});
    check(pv::max(days) - pv::min(days) == std::chrono::days(2), "dates");
}

int main() {
    tour();
    views();
    storage();
    laziness();
    reductions();
    functions();
    sources();
    return exit_status();
}
