#include <support/catch.hpp>
#include <support/random_choice.hpp>

#include <purview/purview.hpp>

#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace arrays_test {

// Arrays that are no tensors, in the places of tensors.

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

/// As much of `std::mdspan` as a layout of strides has.
template <typename T>
struct Strided2d {
    using element_type = T;
    using rank_type = std::size_t;
    T* data;
    std::array<index_t, 2> extents;
    std::array<index_t, 2> strides;

    static constexpr std::size_t rank() { return 2; }
    T* data_handle() const { return data; }
    index_t extent(std::size_t axis) const { return extents[axis]; }
    index_t stride(std::size_t axis) const { return strides[axis]; }
};

template <typename T>
concept Array = pv::array_like<T>;

static_assert(Array<pv::Tensor<double>> && Array<const pv::MutableTensor<int>&> &&
              Array<pv::AnyTensor> && Array<pv::DimTensor<float>> &&
              Array<decltype(pv::Tensor<double>() * 2)>);
static_assert(Array<std::vector<double>&> && Array<const std::vector<bool>> &&
              Array<std::array<int, 3>> && Array<std::span<const float>> && Array<double (&)[3]> &&
              Array<double (&)[2][3]> && Array<std::deque<long long>> &&
              Array<std::vector<std::vector<int>>> && Array<std::vector<std::string>> &&
              Array<std::ranges::iota_view<int, int>> && Array<Strided2d<const double>> &&
              Array<std::shared_ptr<pv::Reader<double>>>);
static_assert(!Array<double> && !Array<std::string> && !Array<const char*> &&
              !Array<const char (&)[4]> && !Array<pv::Shape> && !Array<std::map<int, int>> &&
              !Array<std::vector<pv::Tensor<double>>> && !Array<std::vector<pv::Dim>> &&
              !Array<pv::Slices<pv::Tensor<double>>> && !Array<decltype(pv::sum(0))> &&
              !Array<pv::IndexSet> && !Array<void>);

template <typename T>
std::vector<T> numbers(Random& random, index_t count) {
    std::vector<T> values;
    for (index_t i = 0; i < count; ++i) values.push_back(static_cast<T>(random.between(1, 100)));
    return values;
}

/// The mean of anything, as a user writes it.
template <pv::array_like X>
double spread(const X& x) {
    const auto t = pv::as_tensor<double>(x);
    return pv::max(t) - pv::min(t);
}

} // namespace

TEMPLATE_TEST_CASE("reductions of vectors are those of their numbers", "", double, int,
                   std::uint8_t, long long) {
    Random random(811);
    for (int round = 0; round < 20; ++round) {
        auto v = numbers<TestType>(random, random.between(1, 40));
        double total = 0;
        double greatest = 0;
        for (const TestType x : v) {
            total += static_cast<double>(x);
            greatest = std::max(greatest, static_cast<double>(x));
        }
        const double mean = total / static_cast<double>(v.size());
        CHECK(static_cast<double>(pv::sum(v)) == total);
        CHECK(static_cast<double>(pv::sum(std::span<const TestType>(v))) == total);
        CHECK(static_cast<double>(pv::sum(std::as_const(v))) == total);
        CHECK(static_cast<double>(pv::sum(std::deque<TestType>(v.begin(), v.end()))) == total);
        CHECK(static_cast<double>(pv::max(v)) == greatest);
        CHECK(std::fabs(static_cast<double>(pv::mean(v)) - mean) < 1e-4);
        CHECK(pv::dot(v, v) ==
              pv::sum(pv::sq(pv::tensor(v) | pv::cast<pv::Canonical<decltype(pv::sum(v))>>)));
        CHECK(static_cast<double>(pv::sum(std::move(v))) == total);
    }
}

TEST_CASE("a tensor and an array in arithmetic and comparisons") {
    Random random(812);
    for (int round = 0; round < 20; ++round) {
        const index_t rows = random.between(0, 4);
        const index_t columns = random.between(1, 9);
        const auto data = numbers<double>(random, rows * columns);
        const auto v = numbers<int>(random, columns);
        const auto t = pv::tensor(std::vector(data), {rows, columns});
        const auto sums = t + v;
        const auto rest = std::vector(v) - t;
        const auto quotients = t / std::span(v);
        const auto less = t < v;
        const auto greater = std::vector<double>(v.begin(), v.end()) <= t;
        const auto greatest = pv::maximum(v, t);
        const auto chosen = pv::where(less, v, -1.0);
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
                const double x = data[static_cast<std::size_t>(i * columns + j)];
                const double y = v[static_cast<std::size_t>(j)];
                CHECK(sums(i, j) == x + y);
                CHECK(rest(i, j) == y - x);
                CHECK(quotients(i, j) == x / y);
                CHECK(less(i, j) == (x < y));
                CHECK(greater(i, j) == (y <= x));
                CHECK(greatest(i, j) == std::max(x, y));
                CHECK(chosen(i, j) == (x < y ? y : -1.0));
            }
        CHECK(pv::all_of((t == t(pv::all, pv::all)) &&
                         std::vector<bool>(static_cast<std::size_t>(columns), true)));
        CHECK_FALSE(pv::any_of(t != pv::AnyTensor(t).as<double>()));
    }
    const auto bits = pv::tensor<int>({1, 2, 4});
    const std::array other{3, 3, 3};
    CHECK(pv::to_vector(bits & other) == std::vector{1, 2, 0});
    CHECK(pv::to_vector(bits | other) == std::vector{3, 3, 7});
    CHECK(pv::to_vector(other << bits) == std::vector{6, 12, 48});
    const int c_array[] = {1, 1, 1};
    CHECK(pv::to_vector(bits + c_array) == std::vector{2, 3, 5});
    CHECK(pv::all_of(pv::tensor({"a", "b"}) == std::vector<std::string>{"a", "b"}));
    const pv::AnyTensor any = bits;
    CHECK(pv::equals(any * other, pv::tensor({3, 6, 12})));
}

TEST_CASE("what is moved in is owned, an lvalue is copied, and nothing dangles") {
    std::vector<double> v{1, 2, 3};
    const double* const memory = v.data();
    const auto owned = pv::as_tensor(std::move(v));
    CHECK(pv::as_span(owned).data() == memory);

    std::vector<double> w{1, 2, 3};
    const auto lazy = pv::sqrt(w) + w; // keeps copies
    const auto copy = pv::as_tensor(w);
    w = {100, 100, 100};
    CHECK(lazy(0) == 2);
    CHECK(copy(1) == 2);
    const auto borrowed = pv::borrow(w);
    w[1] = 7;
    CHECK(borrowed(1) == 7);
    CHECK(pv::sum(w) == 207);
    const auto made = [] {
        const std::vector<int> gone{4, 5, 6};
        return pv::tensor({1, 2, 3}) * gone | pv::cast<double>;
    }();
    CHECK(pv::sum(made) == 4 + 10 + 18);
    // A stage keeps the memory of what is moved into it.
    std::vector<double> taps{1, 1};
    const auto smooth = pv::convolve1d(std::move(taps));
    CHECK(taps.empty());
    CHECK(pv::to_vector(pv::tensor({1., 2.}) | smooth) == std::vector<double>{1, 3, 2});
    std::vector<double> compared{2, 1};
    const auto before = pv::arg_compare(std::move(compared));
    CHECK(compared.empty());
    CHECK(before(1, 0));
    // What is eager reads where it lies, and has memory of its own.
    std::vector<double> unsorted{3, 1, 2};
    const auto sorted = pv::sort(unsorted);
    unsorted.clear();
    CHECK(pv::to_vector(sorted) == std::vector<double>{1, 2, 3});
}

TEST_CASE("arrays of every kind") {
    const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
    CHECK(pv::sum(rows) == 21);
    CHECK(pv::as_tensor(rows).shape() == pv::Shape{2, 3});
    const std::vector<std::vector<float>> nested{{1, 2}, {3, 4}};
    CHECK(pv::to_vector(pv::sum(nested, 0)) == std::vector<float>{4, 6});
    CHECK(pv::to_vector(pv::sum(nested, {1})) == std::vector<float>{3, 7});
    CHECK_THROWS_AS(pv::sum(std::vector<std::vector<float>>{{1, 2}, {3}}), pv::ShapeError);

    std::vector<double> data{1, 2, 3, 4, 5, 6};
    const Strided2d<double> view{data.data(), {3, 2}, {1, 3}};
    const Strided2d<const double> read_only{data.data(), {2, 3}, {3, 1}};
    CHECK(pv::to_nested<2>(pv::as_tensor(view)) ==
          std::vector<std::vector<double>>{{1, 4}, {2, 5}, {3, 6}});
    CHECK(pv::to_nested<2>(pv::matmul(read_only, view)) ==
          std::vector<std::vector<double>>{{14, 32}, {32, 77}});
    pv::borrow(view)(0, 1) = 40.0;
    CHECK(data[3] == 40);

    CHECK(pv::sum(std::views::iota(0, 5)) == 10);
    CHECK(pv::to_vector(pv::sqrt(std::vector<bool>{true, false})) == std::vector<double>{1, 0});
    CHECK(pv::count_true(std::vector<bool>{true, false, true}) == 2);
    CHECK(pv::sum(pv::range_reader(4)) == 6);
    CHECK(pv::to_vector(pv::text_length(std::vector<std::string>{"a", "bcd"})) ==
          std::vector<std::int64_t>{1, 3});
    const std::vector<const char*> texts{"ab", "c"};
    CHECK(pv::to_vector(pv::as_tensor(texts)) == std::vector<std::string>{"ab", "c"});
    CHECK(pv::sum(std::vector<double>()) == 0);
    CHECK(std::isnan(pv::mean(std::vector<double>())));
}

TEST_CASE("an array is an operand of every kind of function") {
    const std::vector<double> v{3, 1, 2};
    const std::vector<int> ids{2, 0};
    using Doubles = std::vector<double>;
    using Indexes = std::vector<std::int64_t>;
    CHECK(pv::to_vector(pv::concat(v, pv::tensor({7.}))) == Doubles{3, 1, 2, 7});
    CHECK(pv::to_vector(pv::concat(v, v, 0)) == Doubles{3, 1, 2, 3, 1, 2});
    CHECK(pv::to_vector(pv::argsort(v)) == Indexes{1, 2, 0});
    CHECK(pv::to_vector(pv::sort(v, pv::descending)) == Doubles{3, 2, 1});
    CHECK(pv::to_vector(pv::cumsum(v)) == Doubles{3, 4, 6});
    CHECK(pv::to_vector(pv::take(v, ids)) == Doubles{2, 3});
    CHECK(pv::to_vector(v | pv::clamp(1.5, 2.5)) == Doubles{2.5, 1.5, 2});
    CHECK((v | pv::sq | pv::sum) == 14);
    CHECK(pv::to_vector(pv::emap([](double x) { return -x; }, v)) == Doubles{-3, -1, -2});
    CHECK(pv::to_vector(pv::argfilter(std::vector<bool>{true, false, true})) == Indexes{0, 2});
    CHECK(pv::to_vector(pv::argfilter([](double x) { return x > 1; }, v)) == Indexes{0, 2});
    CHECK(pv::binary_search(std::as_const(ids), 2).position == 2);
    CHECK(pv::index_of(v, 2) == 2);
    CHECK(pv::equals(v, Doubles{3, 1, 2}));
    CHECK(pv::median(v) == 2);
    CHECK(pv::to_vector(pv::percentile(v, {0, 100})) == Doubles{1, 3});
    CHECK(pv::to_vector(pv::percentile(v, Doubles{50})) == Doubles{2});
    CHECK(pv::pearson(v, v) > 0.999);
    CHECK(pv::to_vector(pv::histogram(v, {2, 0., 4.}).counts) == Indexes{1, 2});
    CHECK(pv::to_vector(pv::pad(v, {{1, 0}})) == Doubles{0, 3, 1, 2});
    CHECK(pv::to_vector(pv::fixed_rolling_window(v, 3, pv::max)) == Doubles{3, 3, 2});
    CHECK(pv::to_vector(pv::convolve1d(v, std::array{1., 1.})) == Doubles{3, 4, 3, 2});
    CHECK(pv::to_nested<2>(pv::reshape(v, {3, 1})) == std::vector<Doubles>{{3}, {1}, {2}});
    CHECK(pv::reshape(v, std::vector{1, 3}).shape() == pv::Shape{1, 3});
    CHECK(pv::to_vector(pv::flip(v)) == Doubles{2, 1, 3});
    const auto [keys, totals] =
        pv::group_by_reduce(std::vector<std::string>{"b", "a", "b"}, v, pv::sum);
    CHECK(pv::to_vector(keys) == std::vector<std::string>{"a", "b"});
    CHECK(pv::to_vector(totals) == Doubles{1, 5});
    CHECK(spread(v) == 2);
    CHECK(spread(pv::AnyTensor(pv::tensor({1, 4}))) == 3);
    CHECK(spread(pv::tensor({1.f, 4.f}) * 2) == 6);
}

TEST_CASE("lists of integers: an operand of what computes, axes and extents of what views") {
    const std::vector<std::int64_t> list{1, 0};
    CHECK(pv::sum(list) == 1);
    CHECK(pv::to_vector(pv::sort(list)) == std::vector<std::int64_t>{0, 1});
    const auto t = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(pv::equals(t | pv::transpose(list), pv::transpose(t)));
    CHECK(pv::equals(t | pv::flip(list), pv::flip(t)));
    CHECK((t | pv::reshape(std::vector{3, 2})).shape() == pv::Shape{3, 2});
    CHECK(pv::sum(t, list).item() == 21);
}

TEST_CASE("copies from arrays and into them") {
    const auto t = pv::zeros<int>({2, 2});
    pv::copy(std::vector{1., 2.}, t);
    CHECK(pv::to_vector(t) == std::vector{1, 2, 1, 2});
    std::vector<double> out(4);
    pv::copy(t * 2, out);
    CHECK(out == std::vector<double>{2, 4, 2, 4});
    pv::copy(std::vector{7, 8, 9, 10}, std::span(out));
    CHECK(out == std::vector<double>{7, 8, 9, 10});
    CHECK_THROWS_AS(pv::copy(pv::ones({3}), out), pv::ShapeError);
    pv::assign(t(pv::all, 0), std::vector{5, 6});
    pv::add_to(pv::take(pv::reshape(t, {4}), std::vector{0, 0}), std::array{1, 1});
    CHECK(pv::to_vector(t) == std::vector{7, 2, 6, 2});
}

TEST_CASE("as_tensor of a type") {
    const std::vector<int> v{1, 300};
    CHECK(pv::as_tensor<double>(v)(1) == 300);
    CHECK_THROWS_AS(pv::clone(pv::as_tensor<std::int8_t>(v)), pv::CastError);
    CHECK_THROWS_AS(pv::as_tensor<int>(std::vector<std::string>{"a"}), pv::DtypeError);
    const pv::AnyTensor any = pv::tensor({1, 2});
    CHECK(pv::sum(pv::as_tensor<float>(any)) == 3);
    const pv::Dim i("i");
    const auto t = pv::tensor({{1., 2.}, {3., 4.}});
    CHECK(pv::sum(pv::as_tensor<double>(t(i) | pv::order(i))) == 10);
    CHECK((pv::as_tensor(t(i)) | pv::sum(i)).shape() == pv::Shape{2});
    const auto same = [&](const auto& x, const auto& y) {
        return pv::equals(x | pv::order(i), y | pv::order(i));
    };
    static_assert(std::is_same_v<decltype(pv::as_tensor<double>(t(i))), pv::DimTensor<double>>);
    CHECK(same(pv::as_tensor<double>(t(i)), t(i) | pv::cast<double>));
    CHECK(same(pv::as_tensor<double>(t(i) + 1), (t(i) + 1) | pv::cast<double>));
    CHECK(same(pv::as_tensor<int>(t(i)), t(i)));
    CHECK(same(pv::as_tensor<double>(2 * i + 1), 2. * i + 1));
    CHECK(same(pv::as_tensor<pv::index_t>(i), i + 0));
    CHECK(pv::as_tensor<double>(t(i)).shape() == pv::Shape{2});
    CHECK_THROWS_AS(pv::as_tensor<std::string>(t(i)), pv::DtypeError);
    CHECK_THROWS_AS(pv::clone(pv::as_tensor<std::int8_t>(t(i) + 300) | pv::order(i)),
                    pv::CastError);
    const pv::Dim waits("waits"); // of no size yet
    CHECK(pv::sum(pv::as_tensor<double>(waits) * pv::tensor({1, 2, 3})(waits), waits).item() == 8);
    CHECK_THROWS_AS(pv::as_tensor(std::shared_ptr<pv::Reader<double>>()), pv::Error);
}

TEST_CASE("Lists of vectors in braces are stacked and joined") {
    const std::vector<double> v{1, 2};
    const std::vector<double> w{3, 4};

    CHECK(pv::to_nested<2>(pv::stack({v, w})) == std::vector<std::vector<double>>{{1, 2}, {3, 4}});
    CHECK(pv::to_nested<2>(pv::stack({v, w}, 1)) ==
          std::vector<std::vector<double>>{{1, 3}, {2, 4}});
    CHECK(pv::to_vector(pv::concat({v, w})) == std::vector<double>{1, 2, 3, 4});
    CHECK(pv::to_vector(pv::concat({v, w}, 0)) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("A vector stands on the right of += and its like") {
    const std::vector<double> v{1, 2};
    auto x = pv::tensor({{1., 2.}, {3., 4.}});

    x += v;
    CHECK(pv::to_vector(x) == std::vector<double>{2, 4, 4, 6});
    x(0, pv::all) *= v;
    CHECK(pv::to_vector(x) == std::vector<double>{2, 8, 4, 6});
    x -= std::vector<std::vector<int>>{{1, 1}, {2, 2}};
    CHECK(pv::to_vector(x) == std::vector<double>{1, 7, 2, 4});
    CHECK_THROWS_AS(x += std::vector<double>(3), pv::ShapeError);

    const auto n = pv::tensor({1, 2});
    n |= std::vector{4, 4};
    CHECK(pv::to_vector(n) == std::vector{5, 6});
    n <<= std::vector{1, 0};
    CHECK(pv::to_vector(n) == std::vector{10, 6});
}

TEST_CASE("A shape is compared with any list of integers") {
    const auto x = pv::zeros({2, 3});

    CHECK(x.shape() == std::vector{2, 3});
    CHECK(std::array<std::size_t, 2>{2, 3} == x.shape());
    CHECK(x.shape() == std::initializer_list<unsigned char>{2, 3});
    CHECK(pv::Shape{} == std::vector<int>{});
    CHECK_FALSE(x.shape() == std::vector{2});
    CHECK_FALSE(x.shape() == std::vector{2, 3, 1});
    CHECK(x.shape() != std::vector{3, 2});
    CHECK(pv::Shape{-1} != std::vector{~std::uint64_t{0}});
}

} // namespace arrays_test
