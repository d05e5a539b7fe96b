#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace options_test {

namespace pv = purview;

TEST_CASE("options in braces stand behind arrays as they do behind tensors") {
    const std::vector<double> v{1, 2, 3, 4, 5};
    const std::vector<double> taps{1, 1};
    const auto x = pv::tensor(v);
    const auto w = pv::tensor(taps);
    using enum pv::WindowPosition;
    CHECK(pv::equals(pv::fixed_rolling_window(v, 2, pv::sum, {.position = left}),
                     pv::fixed_rolling_window(x, 2, pv::sum, {.position = left})));
    const pv::ConvolveOptions same{pv::ConvolveMode::same};
    const auto convolved = pv::convolve1d(x, w, same);
    CHECK(pv::equals(pv::convolve1d(v, taps, {pv::ConvolveMode::same}), convolved));
    CHECK(pv::equals(pv::convolve1d(v, taps, same), convolved));
    CHECK(pv::equals(pv::convolve1d(x, taps, {pv::ConvolveMode::same}), convolved));
    CHECK(pv::equals(pv::convolve1d(v, taps, 0, {pv::ConvolveMode::same}), convolved));
    CHECK(
        pv::equals(pv::gaussian1d(v, 1., {.truncate = 3}), pv::gaussian1d(x, 1., {.truncate = 3})));
    CHECK(pv::equals(pv::nan_to_num(v, {.nan = 5}), x));
    CHECK(pv::equals(pv::interp(v, v, v, {.left = 0}), x));
    CHECK(pv::all_of(pv::close_to(v, x + 0.5, {.absolute = 1})));
    CHECK(pv::allclose(v, x + 0.5, {.absolute = 1}));
    CHECK_FALSE(pv::allclose(v, x + 0.5, {.absolute = 0.1}));
}

TEST_CASE("places in braces are taken from arrays") {
    const std::vector<double> v{1, 2, 3};
    CHECK(pv::equals(pv::take(v, {0, 2}), pv::tensor({1., 3.})));
    CHECK(pv::equals(pv::take(v, {0, 2}, 0), pv::tensor({1., 3.})));
}

TEST_CASE("strings of a type known at run time are keys") {
    const pv::AnyTensor keys = pv::tensor<std::string>({"b", "a", "b"});
    const auto [names, sums, sizes] =
        pv::group_by_reduce(keys, pv::tensor({1., 2., 3.}), pv::sum, pv::group_size);
    CHECK(pv::equals(names.as<std::string>(), pv::tensor<std::string>({"a", "b"})));
    CHECK(pv::equals(sums, pv::tensor({2., 4.})));
    CHECK(pv::equals(sizes, pv::tensor<std::int64_t>({1, 2})));
    const auto first = pv::unordered_group_by_reduce(keys, pv::tensor({1., 2., 3.}), pv::sum);
    CHECK(pv::equals(std::get<0>(first).as<std::string>(), pv::tensor<std::string>({"b", "a"})));
}

TEST_CASE("one day, or one string, is searched for") {
    using namespace std::chrono;
    const auto days = pv::tensor({sys_days{2024y / 1 / 1}, sys_days{2024y / 1 / 5}});
    CHECK(pv::searchsorted(days, sys_days{2024y / 1 / 3}) == 1);
    CHECK(pv::searchsorted(days, sys_days{2024y / 1 / 5}, pv::Side::right) == 2);
    const auto words = pv::tensor<std::string>({"a", "b", "b", "d"});
    CHECK(pv::searchsorted(words, "b", pv::Side::right) == 3);
    // More than are read at a time.
    const auto many = pv::emap([](pv::index_t i) { return std::to_string(i % 7); },
                               pv::arange<pv::index_t>(3000));
    const auto places = pv::searchsorted(words, many);
    CHECK(pv::all_of(places == 0));
}

TEST_CASE("strings print in quotes that can be read back, days by fields as dates") {
    std::ostringstream out;
    out << pv::tensor<std::string>({"a \"b\"", "c\nd\\", "\x01"});
    CHECK(out.str() == "#purview.tensor<string>[3]\n[\"a \\\"b\\\"\" \"c\\nd\\\\\" \"\\x01\"]");
    std::ostringstream dates;
    using namespace std::chrono;
    dates << pv::tensor({2024y / 1 / 31, 2023y / 2 / 30, -44y / 3 / 15});
    CHECK(dates.str().find("[2024-01-31 2023-02-30 -0044-03-15]") != std::string::npos);
}

} // namespace options_test
