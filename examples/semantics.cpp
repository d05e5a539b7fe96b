/// What trips people over, as docs/semantics.md tells it; every claim is checked here.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace pv = purview;

template <typename T, typename X>
constexpr bool has_elements(const X&) {
    return std::is_same_v<typename X::value_type, T>;
}

void lazy_or_not() {
    // [lazy]
    auto x = pv::tensor({1., 2., 3.});
    auto y = x * 2;            // lazy: each element reads one of x's
    auto s = pv::sum(x);       // eager: a number
    auto m = pv::mean(x, {0}); // eager: a tensor in memory
    x(0) = 100;                // y sees this; s and m do not
    // [/lazy]
    check(y(0) == 200 && s == 6 && m() == 2, "what is lazy");

    // [uncached]
    int calls = 0;
    auto costly = x | pv::emap([&calls](double v) { return ++calls, v; });
    pv::sum(costly);
    pv::sum(costly); // all is computed again: lazy means uncached
    auto kept = costly | pv::clone;
    pv::sum(kept); // no call
    // [/uncached]
    check(calls == 9, "lazy means uncached");

    // [mask]
    auto positive = x(x > 0); // a mask is read now, because it decides the shape
    x(1) = -5;                // so this element is still selected
    // [/mask]
    check(positive.extent(0) == 3 && positive(1) == -5, "a mask is a snapshot, elements are not");
}

void handles() {
    // [alias]
    auto x = pv::zeros({2, 2});
    auto y = x;               // another handle to the same elements
    auto z = x | pv::clone;   // elements of its own
    const auto c = x;         // constness is shallow, as a span's is:
    c(0, 0) = 1;              // this compiles, and shows in x and y
    pv::Tensor<double> r = x; // this is what only reads
    // [/alias]
    check(y(0, 0) == 1 && z(0, 0) == 0 && r(0, 0) == 1, "copies alias");

    // [writes]
    pv::AnyTensor any = r; // r reads, and so does whatever is made of it
    // [/writes]
    check(any.is_read_only() && !x.is_read_only(), "an AnyTensor remembers");
    check_throws<pv::ReadOnlyError>([&] { pv::fill(any(0, pv::all), 0); }, "only reads");
}

void assignment() {
    // [assign]
    auto x = pv::tensor({{1., 2.}, {3., 4.}}); // x = np.array([[1., 2.], [3., 4.]])
    auto y = x;                                // y = x: two names of the same memory
    x = x * 2;                                 // x = x * 2: x names new memory, y keeps the old
    x(0, pv::all) = x(1, pv::all) + 1;         // x[0] = x[1] + 1: a subscript is written
    x(x > 6) = 0;                              // x[x > 6] = 0
    x += 1;                                    // x += 1: in place
    auto row = x(0, pv::all);                  // row = x[0]: a view
    row *= 5;                                  // row *= 5: in place, x sees it
    row = pv::ones({2});                       // row = np.ones(2): another name, x does not see it
    row(pv::all) = 3;                          // row[:] = 3; `row = 3` does not compile
    // [/assign]
    check(pv::to_vector(x) == std::vector<double>{5, 5, 7, 1}, "subscripts are written");
    check(pv::to_vector(y) == std::vector<double>{1, 2, 3, 4}, "others keep what they name");
    check(row(0) == 3, "row[:] = 3");

    // [assign_dims]
    auto E = pv::zeros({3, 2});
    auto ids = pv::tensor({2, 0, 2});
    auto [i, f] = pv::dims("i", "f");
    E(ids(i), f) = i;       // for i, f: E[ids[i], f] = i
    E(ids(i), f) += 10 + f; // for i, f: E[ids[i], f] += 10 + f; np.add.at: row 2 gets it twice
    E(i, f) *= 2;           // for i, f: E[i, f] *= 2
    // [/assign_dims]
    check(pv::to_vector(E) == std::vector<double>{22, 24, 0, 0, 44, 48}, "loops over dims");
}

void promotion() {
    const auto f32 = pv::ones<float>({2});
    const auto f64 = pv::ones({2});
    const auto u8 = pv::ones<std::uint8_t>({2});
    const auto i8 = pv::ones<std::int8_t>({2});
    const auto i32 = pv::ones<std::int32_t>({2});
    const auto i64 = pv::ones<std::int64_t>({2});
    // [promotion]
    check(has_elements<std::int16_t>(u8 + i8), "uint8 with int8: int16");
    check(has_elements<double>(f32 + f64), "float32 with float64: float64");
    check(has_elements<float>(i32 + f32), "an integer with a float: the float");
    check(has_elements<float>(f32 * 2.0), "a C++ number takes the tensor's type...");
    check(has_elements<std::uint8_t>(u8 + 1), "... int too,");
    check(has_elements<double>(u8 * 0.5), "unless it has a fraction and the tensor has not");
    check_throws<pv::CastError>([&] { u8 + 300; }, "300"); // does not fit
    // [/promotion]
    check(has_elements<std::int64_t>(i32 + i64), "int32 with int64");
}

void integers() {
    // [integers]
    auto bytes = pv::tensor<std::uint8_t>({200, 100, 7});
    check((bytes + bytes)(0) == 144, "integers wrap: 400 - 256");
    check(pv::sum(bytes) == 307, "sums are 64 bits wide");
    check(pv::mean(bytes(pv::range(0, 2))) == 150.0, "means of integers are float64");
    check((pv::tensor({-7, 7}) / 2)(0) == -3, "division truncates, as in C++");
    check((pv::tensor({-7, 7}) % 2)(0) == -1, "and so the remainder has the dividend's sign");
    check_throws<pv::ArithmeticError>([&] { pv::sum(bytes / 0); }, "zero");
    // [/integers]
}

void casts() {
    // [casts]
    auto x = pv::tensor({1.9, -1.9, 254.});
    check((x | pv::cast<int>)(1) == -1, "fractions are cut off");
    check_throws<pv::CastError>([&] { x | pv::cast<std::int8_t> | pv::clone; },
                                "value 254 at index 2 does not fit int8");
    check((x | pv::unchecked_cast<std::int8_t>)(2) == -2, "unchecked_cast wraps");
    check((x | pv::cast<bool>)(1), "to bool: not zero");
    check_throws<pv::CastError>(
        [&] {
            pv::fill(x, std::numeric_limits<double>::quiet_NaN()), x | pv::cast<int> | pv::clone;
        },
        "nan");
    // [/casts]
}

void broadcasting() {
    // [broadcasting]
    auto image = pv::ones({4, 6, 3});
    auto gains = pv::tensor({1., 2., 3.});
    auto row = pv::arange(6.);
    auto a = image * gains;                      // [4 6 3] and [3]: axes pair from the right
    auto b = image * row(pv::all, pv::new_axis); // [4 6 3] and [6 1]
    auto c = image + (gains | pv::broadcast({4, 6, 3})); // tiling has to be asked for
    // [/broadcasting]
    check(a(0, 0, 2) == 3 && b(0, 5, 0) == 5 && c(3, 5, 1) == 3, "broadcasting");
    check_throws<pv::ShapeError>([&] { image + row; }, "6");
}

void overlap() {
    // [overlap]
    auto x = pv::arange(5);
    pv::copy(x(pv::range(0, 4)), x(pv::range(1, 5))); // correct although they overlap
    // [/overlap]
    check(pv::to_vector(x) == std::vector<std::int32_t>{0, 0, 1, 2, 3}, "copy between overlapping");
    // [flat]
    auto matrix = pv::zeros<int>({2, 2});
    pv::copy(pv::arange(4), matrix); // equal counts, one of rank 1: in row-major order
    // [/flat]
    check(matrix(1, 0) == 2, "copy from a flat tensor");
}

void computed_indexes() {
    // [take]
    auto table = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    auto ids = pv::tensor({{0, 2}, {-1, -1}});
    auto rows = pv::take(table, ids, 0); // [2 2 2], lazy: ids and table are read when rows is
    auto bags = pv::sum(rows, 1); // rows are added as they are read: nothing of rows' size is made
    pv::add_to(pv::take(table, ids, 0), 1.0); // three times to row 2, once to row 0
    // [/take]
    check(pv::to_vector(bags) == std::vector<double>{6, 8, 10, 12}, "sums of gathered rows");
    check(pv::to_vector(table) == std::vector<double>{2, 3, 3, 4, 8, 9}, "added to gathered rows");
}

void foreign() {
    // [bools]
    const std::uint8_t bytes[] = {0, 1, 2};
    auto flags = pv::borrow(reinterpret_cast<const bool*>(bytes), {3});
    check(pv::sum(flags) == 2, "a foreign bool is true when its byte is not 0");
    // [/bools]
    // [misaligned]
    alignas(4) unsigned char packet[] = {0xff, 1, 0, 0, 0, 2, 0, 0, 0};
    auto numbers = pv::borrow(reinterpret_cast<std::int32_t*>(packet + 1), {2});
    check(pv::sum(numbers) == 3, "misaligned memory is read as it lies (little-endian here)");
    // [/misaligned]
}

int main() {
    lazy_or_not();
    handles();
    assignment();
    promotion();
    integers();
    casts();
    broadcasting();
    overlap();
    computed_indexes();
    foreign();
    return exit_status();
}
