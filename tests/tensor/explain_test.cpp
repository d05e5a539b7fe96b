#include <purview/functional/applied/explain.hpp>

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace explain_test {

namespace {

namespace pv = purview;
using pv::explain;
using pv::index_t;

/// What is the same for every target, library and number of threads.
std::string common(const std::string& text) {
    static const std::vector<std::pair<std::regex, std::string>> kReplaced{
        {std::regex("plan: \\w+ kernels"), "plan: T kernels"},
        {std::regex("kernels, remembered"), "kernels, new"},
        {std::regex(
             "on (up to \\d+ threads|one thread, because the work is small|one thread(?=\n))"),
         "on N threads"},
        {std::regex("tiles of \\d+"), "tiles of N"},
        {std::regex("folded in (registers|memory); \\d"), "folded; N"},
        {std::regex(", by OpenBLAS[^\n]*"), ", by B"},
    };
    std::string result = "\n" + text;
    for (const auto& [pattern, replacement] : kReplaced)
        result = std::regex_replace(result, pattern, replacement);
    return result;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A reader that reveals no memory.
template <typename T>
class Squares final : public pv::Reader<T> {
public:
    Squares(pv::index_t size, bool thread_safe) : size_(size), thread_safe_(thread_safe) {}
    pv::index_t size() const override { return size_; }
    T read(pv::index_t i) const override { return static_cast<T>(i * i); }
    bool is_thread_safe() const noexcept override { return thread_safe_; }

private:
    pv::index_t size_;
    bool thread_safe_;
};

pv::Tensor<double> squares(pv::AxisValues shape, bool thread_safe) {
    pv::Dimensions dims = pv::Dimensions::row_major(shape);
    const auto reader = std::make_shared<const Squares<double>>(dims.size(), thread_safe);
    return pv::Tensor<double>(pv::Operand{pv::make_node<pv::Leaf>(reader), std::move(dims)});
}

} // namespace

TEST_CASE("what disagrees with the order of the loops is gathered") {
    const auto x = pv::zeros({400, 500});
    const auto y = pv::zeros({500, 400});
    CHECK(common(explain(pv::sqrt(x + pv::transpose(y)))) == R"(
clone of float64 [400 500]
tree
  %0 = sqrt %1 -> float64
  %1 = add %2 %3 -> float64
  %2 = memory, strides [500 1] -> float64
  %3 = memory, strides [1 400] -> float64
way: computed where it goes, on N threads
plan: T kernels, new
  loops [400 500]; panels of 16 rows of 512
  leaf %2: read where it lies
  leaf %3: transposed into scratch, because neighbours in the innermost loop are 3200 bytes apart
  step 1: tiles of N 8-byte lanes: %1 %0, fused; 4 instructions
  bytes for each element: 16 read, 8 written
)");
}

TEST_CASE("what is used twice is shown once") {
    const auto x = pv::zeros({20, 30});
    CHECK(common(explain(x * x - x)) == R"(
clone of float64 [20 30]
tree
  %0 = subtract %1 %2 -> float64
  %1 = multiply %2 %2 -> float64
  %2 = memory, strides [30 1] -> float64
way: computed where it goes, on N threads
plan: T kernels, new
  loops [600]
  leaf %2: read where it lies
  step 1: tiles of N 8-byte lanes: %1 %0, fused; 4 instructions
  bytes for each element: 8 read, 8 written
)");
}

TEST_CASE("rows that are short are spanned") {
    const auto x = pv::zeros<std::uint8_t>({200, 300, 4});
    CHECK(common(explain(x(pv::all, pv::all, pv::range(0, 3)) / 2)) == R"(
clone of uint8 [200 300 3]
tree
  %0 = divide %1 %2 -> uint8
  %1 = memory, strides [1200 4 1] -> uint8
  %2 = constant 2 -> uint8
way: computed where it goes, on N threads
plan: T kernels, new
  loops [60000 3]; rows of 3 are short, so that blocks of 1024 span them
  leaf %1: gathered into scratch by strides, because rows of 3 are short, and it has gaps between them
  step 1: load %1
  step 2: tiles of N 1-byte lanes: %0; 3 instructions
  bytes for each element: 1 read, 1 written
  scratch: 1 block, 1024 bytes
)");
}

TEST_CASE("rotated axes are read by index") {
    const auto x = pv::zeros({4, 100});
    CHECK(common(explain(pv::rotate(x, {1, 0}) + x)) == R"(
clone of float64 [4 100]
tree
  %0 = add %1 %2 -> float64
  %1 = memory, strides [100 1], axis 0 rotated by 1 -> float64
  %2 = memory, strides [100 1] -> float64
way: computed where it goes, on N threads
plan: T kernels, made each time
  loops [400], in row-major order, because a leaf is read by index; rows in blocks of 1024
  leaf %1: read into scratch by index, because no strides describe its view
  leaf %2: read where it lies
  step 1: load %1
  step 2: tiles of N 8-byte lanes: %0; 3 instructions
  bytes for each element: 16 read, 8 written
  scratch: 1 block, 8192 bytes
)");
}

TEST_CASE("lists are read by index") {
    const auto x = pv::zeros<float>({4, 100});
    CHECK(common(explain(-x(std::vector<pv::index_t>{3, 1, 1}, pv::all))) == R"(
clone of float32 [3 100]
tree
  %0 = negative %1 -> float32
  %1 = memory, strides [100 1], axis 0 through a list of 3 -> float32
way: computed where it goes, on N threads
plan: T kernels, made each time
  loops [300], in row-major order, because a leaf is read by index; rows in blocks of 1024
  leaf %1: read into scratch by index, because no strides describe its view
  step 1: load %1
  step 2: tiles of N 4-byte lanes: %0; 3 instructions
  bytes for each element: 4 read, 4 written
  scratch: 1 block, 4096 bytes
)");
}

TEST_CASE("a checked conversion runs on blocks, in order") {
    const auto x = pv::zeros({20, 30});
    CHECK(common(explain(pv::transpose(pv::cast<std::int8_t>(x + 0.5)))) == R"(
clone of int8 [30 20]
tree
  %0 = cast %1 -> int8
  %1 = add %2 %3 -> float64
  %2 = memory, strides [1 30] -> float64
  %3 = constant 0.5 -> float64
way: computed where it goes, on N threads
plan: T kernels, new
  loops [30 20], in row-major order, because a checked conversion names the index that does not fit; rows of 20 are short, so that blocks of 1024 span them
  leaf %2: gathered into scratch by strides, because rows of 20 are short, and it has gaps between them
  step 1: load %2
  step 2: tiles of N 8-byte lanes: %1; 3 instructions
  step 3: convert a block: %0, checked
  bytes for each element: 8 read, 1 written
  scratch: 2 blocks, 16384 bytes
)");
}

TEST_CASE("functions of the user's run on blocks") {
    const auto x = pv::zeros({200});
    const auto mask = pv::zeros<bool>({200});
    CHECK(common(explain(pv::emap([](bool keep, double v, double w) { return keep ? v : w; }, mask,
                                  x, x + 1))) == R"(
clone of float64 [200]
tree
  %0 = emap %1 %2 %3 -> float64
  %1 = memory, strides [1] -> bool
  %2 = memory, strides [1] -> float64
  %3 = add %2 %4 -> float64
  %4 = constant 1 -> float64
way: computed where it goes, on N threads
plan: T kernels, new
  loops [200]; rows in blocks of 1024
  leaf %2: read where it lies
  leaf %1: gathered into scratch by strides, because a step on blocks reads bools as bytes 0 and 1
  step 1: tiles of N 8-byte lanes: %3; 3 instructions
  step 2: load %1
  step 3: call the function on a block: %0
  bytes for each element: 9 read, 8 written
  scratch: 2 blocks, 9216 bytes
)");
}

TEST_CASE("what is repeated along rows is not read again") {
    const auto x = pv::zeros({100, 200});
    CHECK(common(explain(x + pv::zeros({100, 1}) + pv::zeros({200}))) == R"(
clone of float64 [100 200]
tree
  %0 = add %1 %2 -> float64
  %1 = add %3 %4 -> float64
  %2 = memory, strides [0 1] -> float64
  %3 = memory, strides [200 1] -> float64
  %4 = memory, strides [1 0] -> float64
way: computed where it goes, on N threads
plan: T kernels, new
  loops [100 200]
  leaf %3: read where it lies
  leaf %4: one element for each row, repeated
  leaf %2: read where it lies
  step 1: tiles of N 8-byte lanes: %1 %0, fused; 4 instructions
  bytes for each element: 16 read, 8 written
)");
}

TEST_CASE("constants show their values") {
    const auto x = pv::zeros<std::int8_t>({200});
    CHECK(common(explain(pv::where(x > 7, x, std::int8_t{-1}))) == R"(
clone of int8 [200]
tree
  %0 = where %1 %2 %3 -> int8
  %1 = greater %2 %4 -> bool
  %2 = memory, strides [1] -> int8
  %3 = constant -1 -> int8
  %4 = constant 7 -> int8
way: computed where it goes, on N threads
plan: T kernels, new
  loops [200]
  leaf %2: read where it lies
  step 1: tiles of N 1-byte lanes: %1 %0, fused; 5 instructions
  bytes for each element: 1 read, 1 written
)");
}

TEST_CASE("a constant fills") {
    CHECK(common(explain(pv::const_tensor(2.5, {3, 4}))) == R"(
clone of float64 [3 4]
tree
  %0 = constant 2.5 -> float64
way: computed where it goes, on N threads
plan: T kernels, new
  loops [12]
  step 1: fill with %0
  bytes for each element: 0 read, 8 written
)");
}

TEST_CASE("a reader that may be read by one thread says so") {
    CHECK(common(explain(squares({30, 40}, false) + 1.0)) == R"(
clone of float64 [30 40]
tree
  %0 = add %1 %2 -> float64
  %1 = reader, strides [40 1] -> float64
  %2 = constant 1 -> float64
way: computed where it goes, on one thread, because a reader allows no other
plan: T kernels, made each time
  loops [1200], in row-major order, because a leaf is read by index; rows in blocks of 1024
  leaf %1: read into scratch by index, because it reveals no memory; by one thread at a time
  step 1: load %1
  step 2: tiles of N 8-byte lanes: %0; 3 instructions
  bytes for each element: 8 read, 8 written
  scratch: 1 block, 8192 bytes
)");
}

TEST_CASE("types that are not built in are read in blocks") {
    const std::string text = explain(pv::tensor({"a", "b"}));
    CHECK(contains(text, "clone of string [2]\n"));
    CHECK(contains(text, "way: in blocks, because string is no built-in type\n"));
    CHECK(contains(text,
                   "leaf %0: read into scratch by index, because its type is no built-in one\n"));
}

TEST_CASE("nothing to compute") {
    const auto x = pv::zeros({0, 3});
    CHECK(common((x + 1) | explain) == R"(
clone of float64 [0 3]
tree
  %0 = add %1 %2 -> float64
  %1 = memory, strides [3 1] -> float64
  %2 = constant 1 -> float64
way: nothing to do, there is no element
)");
}

TEST_CASE("a leaf is copied in runs") {
    const auto x = pv::zeros({40, 50});
    CHECK(common(explain(x)) == R"(
clone of float64 [40 50]
tree
  %0 = memory, strides [50 1] -> float64
way: copied in runs of 16000 bytes, loops [2000]
)");
}

TEST_CASE("contiguous elements are moved, also where they overlap") {
    const auto x = pv::zeros({40, 50});
    CHECK(common(explain(pv::copy, x(pv::range(1, 40)), x(pv::range(0, 39)))) == R"(
copy of float64 [39 50] to memory, strides [50 1]
tree
  %0 = memory, strides [50 1], from 50 -> float64
way: copied in runs of 15600 bytes, loops [1950]
)");
    CHECK(explain(pv::copy, pv::flip(x), x).find("because source and destination overlap") !=
          std::string::npos);
}

TEST_CASE("a transposed leaf is copied in tiles") {
    const auto x = pv::zeros({40, 50});
    CHECK(common(explain(pv::transpose(x))) == R"(
clone of float64 [50 40]
tree
  %0 = memory, strides [1 50] -> float64
way: copied in transposed tiles, loops [50 40]
)");
}

TEST_CASE("a copy that converts") {
    const auto x = pv::zeros({40, 50});
    const auto y = pv::zeros<float>({40, 100});
    CHECK(common(explain(pv::copy, x, y(pv::all, pv::range(0, 100, 2)))) == R"(
copy of float32 [40 50] to memory, strides [100 2]
tree
  %0 = cast %1 -> float32
  %1 = memory, strides [50 1] -> float64
way: computed in blocks, which are then stored at the destination's strides, on N threads
plan: T kernels, new
  loops [2000], in row-major order, because a checked conversion names the index that does not fit
  leaf %1: read where it lies
  step 1: convert a block: %0, checked
  bytes for each element: 8 read, 4 written
)");
}

TEST_CASE("a copy that overlaps") {
    const auto x = pv::zeros({40, 50});
    CHECK(common(explain(pv::copy, x(pv::range(1, 40)) * 2, x(pv::range(0, 39)))) == R"(
copy of float64 [39 50] to memory, strides [50 1]
tree
  %0 = multiply %1 %2 -> float64
  %1 = memory, strides [50 1], from 50 -> float64
  %2 = constant 2 -> float64
way: computed into memory of its own, then stored, because source and destination overlap
plan: T kernels, new
  loops [1950], in row-major order
  leaf %1: read where it lies
  step 1: tiles of N 8-byte lanes: %0; 3 instructions
  bytes for each element: 8 read, 8 written
)");
}

TEST_CASE("a copy through a writer") {
    const auto x = pv::zeros({40, 50});
    const auto y = pv::zeros({40, 50});
    CHECK(common(explain(pv::copy, x * 2, pv::rotate(y, {0, 3}))) == R"(
copy of float64 [40 50] to memory, strides [50 1], axis 1 rotated by 3
tree
  %0 = multiply %1 %2 -> float64
  %1 = memory, strides [50 1] -> float64
  %2 = constant 2 -> float64
way: computed in blocks, which the destination's writer stores, because no strides describe the destination
plan: T kernels, new
  loops [2000], in row-major order
  leaf %1: read where it lies
  step 1: tiles of N 8-byte lanes: %0; 3 instructions
  bytes for each element: 8 read, 8 written
)");
}

TEST_CASE("a sum") {
    const auto x = pv::zeros({40, 50});
    CHECK(common(explain(pv::sum, x * x)) == R"(
sum of float64 [40 50] to 1 element
tree
  %0 = multiply %1 %1 -> float64
  %1 = memory, strides [50 1] -> float64
way: fused loop: a dot product, lanes joined every 8192 elements
plan: T kernels, new
  loops [2000]
  leaf %1: read where it lies
  step 1: tiles of N 8-byte lanes: %0, folded; N instructions
  bytes for each element: 8 read, 0 written
)");
}

TEST_CASE("a maximum along the first axis") {
    const auto x = pv::zeros<std::uint8_t>({20, 300});
    CHECK(common(explain(pv::max, x, {0})) == R"(
max of uint8 [300 20] to 300 elements
tree
  %0 = memory, strides [1 300] -> uint8
way: rows folded into rows, in parts of up to 128
)");
}

TEST_CASE("a mean") {
    const auto x = pv::zeros<std::uint8_t>({20, 300});
    CHECK(common(explain(pv::mean, x)) == R"(
mean of float64 [20 300] to 1 element
tree
  %0 = cast %1 -> float64
  %1 = memory, strides [300 1] -> uint8
way: fused loop, lanes joined every 8192 elements
plan: T kernels, new
  loops [6000]; rows in blocks of 1024
  leaf %1: read where it lies
  step 1: convert a block: %0
  step 2: tiles of N 8-byte lanes, folded; N instructions
  bytes for each element: 1 read, 0 written
  scratch: 1 block, 8192 bytes
)");
}

TEST_CASE("a matrix product") {
    const auto x = pv::zeros({100, 200});
    const std::string text = explain(pv::matmul, x, pv::transpose(x));
    CHECK(contains(text, "matmul of float64 [100 100 200] to 10000 elements\n"));
    CHECK(contains(text, "gemm 100x100x200 float64, B transposed"));
    CHECK(contains(explain(pv::dot, pv::zeros<float>({9}), pv::zeros<int>({9})),
                   "dot of float32 [9] to 1"));
}

TEST_CASE("a small matrix product") {
    const auto x = pv::zeros({2, 2});
    CHECK(common(explain(pv::matmul, x, x)) == R"(
matmul of float64 [2 2 2] to 4 elements
tree
  %0 = multiply %1 %2 -> float64
  %1 = memory, strides [2 0 1] -> float64
  %2 = memory, strides [0 1 2] -> float64
way: gemm 2x2x2 float64, by the kernel of small products
)");
}

TEST_CASE("a plan that was made before is remembered") {
    const auto x = pv::zeros({7, 11, 13});
    const auto expression = x * 3 - 1;
    CHECK(contains(explain(expression), " kernels, new"));
    CHECK(contains(explain(expression), " kernels, new"));
    pv::clone(expression);
    CHECK(contains(explain(expression), " kernels, remembered"));
}

TEST_CASE("views are described layer by layer") {
    const auto x = pv::zeros({4, 6});
    const auto first_line = [](const pv::AnyTensor& tensor) {
        const std::string text = explain(tensor);
        const std::size_t begin = text.find("%0 = ") + 5;
        return text.substr(begin, text.find(" ->") - begin);
    };
    CHECK(first_line(x(pv::range(1, 4), pv::range(2, 5))) == "memory, strides [6 1], from 8");
    CHECK(first_line(x(0, pv::range(2, 3))) == "memory, strides [1], from 2");
    CHECK(first_line(pv::rotate(x, {3, -1})) ==
          "memory, strides [6 1], axis 0 rotated by 3, axis 1 rotated by 5");
    CHECK(first_line(pv::broadcast(x, {8, 6})) == "memory, strides [6 1], axis 0 repeated after 4");
    CHECK(first_line(pv::rotate(x, {0, 2})(pv::all, pv::range(1, 5))) ==
          "memory, strides [6 1], axis 1 repeated after 6, from 5");
    CHECK(first_line(pv::reshape(pv::rotate(x, {1, 0}), {24})) ==
          "memory, strides [1]; of [4 6], strides [6 1], axis 0 rotated by 1");
    CHECK(first_line(squares({3, 4}, true)) == "reader, strides [4 1]");
    const std::vector<double> pairs(20);
    const auto every_other = pv::borrow(pairs.data(), {10}, {2});
    CHECK(first_line(every_other).starts_with("memory"));
}

TEST_CASE("a huge tensor is explained, and not made") {
    const auto huge = pv::const_tensor(1.0, {index_t{1} << 40, 1 << 20}) + 1.0;
    CHECK(contains(explain(huge), "way: in blocks, because no memory holds it\n"));
    CHECK(contains(explain(pv::const_tensor(1.0, {1 << 30, 64}) * 2.0),
                   "way: computed where it goes"));
}

TEST_CASE("a deep expression is explained in part") {
    constexpr int kDepth = 1'000'000;
    pv::Tensor<double> deep(pv::zeros({8}).operand());
    for (int i = 0; i < kDepth; ++i) deep = deep + 1.0;
    const std::string text = explain(deep);
    CHECK(contains(text, "  … 1999901 more\nway: "));
    CHECK(contains(text, "plan: "));
    CHECK(text.size() < 30'000);
}

TEST_CASE("explaining evaluates nothing, writes nothing, and throws what the call throws") {
    int calls = 0;
    const auto x = pv::emap([&calls](double v) { return ++calls, v; }, pv::ones({3, 4}));
    const auto y = pv::full({3, 4}, 7.0);
    CHECK_FALSE(explain(x).empty());
    CHECK_FALSE(explain(pv::sum, x).empty());
    CHECK_FALSE(explain(pv::copy, x, y).empty());
    CHECK(calls == 0);
    CHECK(y(2, 3) == 7.0);
    CHECK_THROWS_AS(explain(pv::copy, x, pv::zeros({5})), pv::ShapeError);
    CHECK_THROWS_AS(explain(pv::copy, x, x), pv::ReadOnlyError);
    CHECK_THROWS_AS(explain(pv::sum, x, {2}), pv::IndexError);
    CHECK_THROWS_AS(explain(pv::max, pv::zeros({0})), pv::ShapeError);
    CHECK_THROWS_AS(explain(pv::matmul, x, y), pv::ShapeError);
}

TEST_CASE("every reduction can be explained, of every type") {
    const auto all = [](const pv::AnyTensor& x, const std::string& sum, const std::string& mean) {
        CHECK(contains(explain(pv::sum, x, 1), "sum of " + sum + " [2 100] to 2 elements\n"));
        CHECK(contains(explain(pv::product, x), "product of " + sum));
        CHECK(contains(explain(pv::mean, x), "mean of " + mean));
        CHECK(contains(explain(pv::min, x), "min of " + std::string(x.dtype().name())));
        CHECK(contains(explain(pv::any_of, x), "any_of of bool"));
        CHECK(contains(explain(pv::all_of, x), "all_of of bool"));
    };
    all(pv::zeros<bool>({2, 100}), "int64", "float64");
    all(pv::zeros<std::int16_t>({2, 100}), "int64", "float64");
    all(pv::zeros<std::uint64_t>({2, 100}), "uint64", "float64");
    all(pv::zeros<float>({2, 100}), "float32", "float32");
    CHECK(contains(explain(pv::max, pv::tensor({"a", "b"})), "one element after the other, because "
                                                             "string is no built-in type"));
}

TEST_CASE("products and sums of complex numbers are explained as they are computed") {
    using C = std::complex<double>;
    const auto z = pv::clone(pv::full({40, 40}, C(1, 2)));
    const std::string product = explain(pv::matmul, z, z);
    CHECK(contains(product, "40x40x40"));
    CHECK(!contains(product, "no built-in type"));
    CHECK(contains(explain(pv::sum, z), "by the kernels of complex numbers"));
}

} // namespace explain_test
