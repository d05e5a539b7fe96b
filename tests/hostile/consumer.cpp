// Compiled with -fno-rtti and -ffinite-math-only, after somebody has defined `min` and `max` as <windows.h> does (the
// standard library must have been seen by then), and behind the system's headers that define macros of short names:
// `minor`, `major`, `B0`, `OVERFLOW`.
#if defined(__linux__)
# include <fcntl.h>
# include <math.h>
# include <net/if.h>
# include <resolv.h>
# include <sched.h>
# include <signal.h>
# include <sys/ioctl.h>
# include <sys/param.h>
# include <sys/stat.h>
# include <sys/sysmacros.h>
# include <syslog.h>
# include <termios.h>
#endif
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <compare>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))

#include <purview/chrono.hpp>
#include <purview/purview.hpp>
#include <purview/sparse.hpp>

#include "hostile/check.hpp"

namespace pv = purview;
using hostile::check;
using hostile::check_throws;

namespace {

struct Point {
    double x = 0;
    int n = 0;
    bool operator==(const Point&) const = default;
};
struct Other {
    double x = 0;
    bool operator==(const Other&) const = default;
};

/// Has no type information for the library to look at.
class Squares final : public pv::Reader<double> {
public:
    pv::index_t size() const override { return 100; }
    double read(pv::index_t i) const override { return static_cast<double>(i * i); }
};

void readers_of_ones_own() {
    const auto squares = pv::tensor(std::make_shared<const Squares>());
    check(pv::sum(squares) == 328350., "a reader of one's own");
    const auto part =
        pv::sub_buffer(pv::sub_buffer(std::make_shared<const Squares>(), 10, 50), 5, 10);
    check(part->read(0) == 225. && part->size() == 10, "a part of a part");
    check(pv::reverse(part)->read(0) == 24. * 24., "its reverse");
    check(pv::sum(pv::clone(squares(pv::range(0, 10)) * 2.)) == 570., "an expression of it");
}

void objects() {
    const auto points = pv::tensor({Point{1, 2}, Point{3, 4}});
    check(pv::column(points, &Point::n)(1) == 4, "columns");
    check(pv::kDType<Point> == pv::kDType<Point> && !(pv::kDType<Point> == pv::kDType<Other>),
          "types");
    check(pv::AnyTensor(points).dtype() == pv::kDType<Point>, "types at run time");
    using Seconds = std::chrono::duration<double>;
    check(
        !(pv::kDType<Seconds> == pv::kDType<std::chrono::duration<double, std::milli>>)&&pv::kDType<
            std::chrono::seconds> == pv::AnyTensor(pv::tensor({std::chrono::seconds{1}})).dtype(),
        "units");
    check_throws<pv::DtypeError>([&] { static_cast<void>(pv::AnyTensor(points).as<Other>()); },
                                 "another type is refused");
}

void sparse() {
    const auto s = pv::to_sparse(pv::tensor({0., 0., 3., 0.}));
    const auto pairs = pv::sparse_pairs(s);
    check(pairs->stored() == 1 && pv::sum(pv::clone(s * 2.)) == 6., "sparse");
    const auto set = pv::IndexSet::interval(0, 10);
    check((set.max)() == 9 && pv::is_subset(pv::IndexSet{1}, set) && pv::intersects(set, set),
          "index sets");
}

void errors() {
    check_throws<pv::IndexError>([] { static_cast<void>(pv::arange(3)(pv::index_t{5})); },
                                 "an index out of range");
    check_throws<pv::CastError>(
        [] {
            static_cast<void>(pv::clone(pv::cast<std::int8_t>(pv::tensor({1., 300.}))));
        },
        "a number that does not fit");
}

/// The compiler believes that there are none; the library, and what its headers decide, must not.
void numbers_that_are_not() {
    const double nan = std::bit_cast<double>(0x7ff8000000000000);
    const double infinite = std::bit_cast<double>(0x7ff0000000000000);
    const auto x = pv::tensor(std::vector<double>{1., nan, 3., infinite});
    check(pv::count_true(pv::is_nan(x)) == 1 && pv::count_true(pv::is_finite(x)) == 2,
          "what is a number");
    check(pv::clone(pv::is_nan(pv::clone(x + 1.)))(1), "NaN through a sum");
#if !(defined(__clang__) && \
      defined(__FAST_MATH__)) // for which a function cannot return an infinite number
    check(std::bit_cast<std::uint64_t>(double{(pv::max)(x(pv::range(2, 4)))}) ==
              std::bit_cast<std::uint64_t>(infinite),
          "the greatest");
#endif
    check_throws<pv::CastError>([&] { static_cast<void>(pv::clone(pv::cast<std::int32_t>(x))); },
                                "NaN fits no integer");
    std::ostringstream text;
    text << x(pv::range(1, 2));
    check(text.str().find("nan") != std::string::npos, "NaN is printed");
}

void names() {
    const pv::Dim i("i");
    const pv::Dim j("j");
    check(pv::same(i, i) && !pv::same(i, j), "pv::same");
    check((pv::min)(pv::tensor({3., 1., 2.})) == 1. && (pv::max)(pv::tensor({3., 1.})) == 3.,
          "pv::min and pv::max");
    using namespace std::chrono;
    const auto days = pv::tensor({sys_days(year(2024) / 2 / 29)});
    check(pv::month_of(days)(0) == 2, "time");
}

} // namespace

int main() {
    readers_of_ones_own();
    objects();
    sparse();
    errors();
    numbers_that_are_not();
    names();
}
