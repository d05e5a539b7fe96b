#pragma once

#include <support/catch.hpp>
#include <support/loops_backend.hpp>
#include <support/random_choice.hpp>
#include <support/walled_backend.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// What computes at once gives of arguments that lie elsewhere what it gives of the same in memory,
/// and its results lie where they lie: tables of calls, each run both ways. What took the address of
/// an argument would crash, as an operand that lies elsewhere reveals no memory. Where the host does not read either, it gives the
/// same, or is refused.
namespace elsewhere {

namespace pv = purview;
using pv::AnyTensor;
using pv::clone;
using pv::index_t;
using std::chrono::sys_days;

/// A tensor of each kind that functions take.
template <template <typename> typename Of>
struct Arguments {
    Of<double> x, y, gaps; // [4, 5]
    Of<float> f;           // [4, 5]
    Of<std::int64_t> i;    // [4, 5]
    Of<std::int32_t> n;    // [4, 5]
    Of<bool> b;            // [4, 5]
    Of<double> v, w, up;   // [7]; the last ascends
    Of<std::int64_t> k;    // [7], 0 to 3
    Of<bool> m;            // [7]
    Of<sys_days> t, late;  // [7]; the last ascends
    Of<double> a;          // [5, 3]
};
template <typename T>
using Typed = pv::Tensor<T>;
template <typename>
using Any = AnyTensor;

template <template <typename> typename To, template <typename> typename From, typename F>
Arguments<To> mapped(const Arguments<From>& s, F f) {
    return {f(s.x), f(s.y),  f(s.gaps), f(s.f), f(s.i), f(s.n),    f(s.b), f(s.v),
            f(s.w), f(s.up), f(s.k),    f(s.m), f(s.t), f(s.late), f(s.a)};
}

inline Arguments<Typed> arguments() {
    oracle::Random random(11);
    const auto numbers = [&]<typename T>(std::type_identity<T>, const pv::Shape& shape, int low,
                                         int high) {
        auto x = pv::empty<T>(shape);
        for (auto&& each : x) each = static_cast<T>(random.between(low, high));
        return pv::Tensor<T>(x);
    };
    const auto doubles = [&](const pv::Shape& shape) {
        return numbers(std::type_identity<double>(), shape, -8, 9);
    };
    const auto x = doubles({4, 5});
    const auto gaps = pv::clone(x);
    gaps(1, 2) = gaps(3, 0) = gaps(3, 1) = std::numeric_limits<double>::quiet_NaN();
    const auto k = numbers(std::type_identity<std::int64_t>(), {7}, 0, 3);
    const pv::Tensor<std::int64_t> ticks = pv::clone(k * 3 + 18000);
    const auto v = doubles({7});
    return {x,
            doubles({4, 5}),
            gaps,
            numbers(std::type_identity<float>(), {4, 5}, 1, 9),
            numbers(std::type_identity<std::int64_t>(), {4, 5}, -8, 9),
            numbers(std::type_identity<std::int32_t>(), {4, 5}, 0, 3),
            numbers(std::type_identity<bool>(), {4, 5}, 0, 1),
            v,
            doubles({7}),
            pv::cumsum(pv::abs(v) + 1.0),
            k,
            numbers(std::type_identity<bool>(), {7}, 0, 1),
            pv::clone(pv::from_ticks<sys_days>(pv::cast<std::int32_t>(ticks))),
            pv::clone(pv::from_ticks<sys_days>(pv::cast<std::int32_t>(pv::cumsum(ticks)))),
            doubles({5, 3})};
}

/// The same arguments elsewhere, where `move` carries an operand; times by their counts.
template <typename Move>
Arguments<Typed> moved(const Arguments<Typed>& here, Move move) {
    return mapped<Typed>(here, [&]<typename T>(const pv::Tensor<T>& x) {
        if constexpr (pv::BuiltinType<T>)
            return pv::Tensor<T>(move(x.operand()));
        else
            return pv::Tensor<T>(
                pv::counts_as_times(AnyTensor(move(pv::ticks(x).operand())), pv::kDType<T>)
                    .operand());
    });
}

/// On the other backend.
inline Arguments<Typed> away_of(const Arguments<Typed>& here) {
    return moved(here, &oracle::elsewhere);
}

/// As it is printed, without the place.
inline std::string printed(const AnyTensor& x) {
    std::string text = pv::to_string(x);
    const std::string place = " on loops\n";
    const std::size_t at = text.find(place);
    if (at != std::string::npos) text.replace(at, place.size(), "\n");
    return text;
}

/// Elements as numbers in float64; of other types as texts.
inline void check_same(const AnyTensor& found, const AnyTensor& expected) {
    REQUIRE(found.dtype() == expected.dtype());
    REQUIRE(pv::to_shape(found.shape()) == pv::to_shape(expected.shape()));
    if (!expected.dtype().is_builtin()) {
        CHECK(printed(found) == pv::to_string(expected));
        return;
    }
    const auto numbers = [](const AnyTensor& x) {
        return pv::to_vector(pv::cast<double>(x).template as<double>());
    };
    const auto a = numbers(found), b = numbers(expected);
    for (std::size_t i = 0; i < b.size(); ++i) {
        INFO("element " << i);
        if (std::isnan(b[i]))
            CHECK(std::isnan(a[i]));
        else
            CHECK(std::abs(a[i] - b[i]) <= 1e-12 * std::abs(b[i]) + 1e-13);
    }
}

/// Of types that are not built-in, it is for the backend to say where they lie.
inline void check_place(const AnyTensor& result, bool stays) {
    if (result.dtype().is_builtin())
        CHECK(result.operand().node->reads(pv::Below::device) != stays);
}

struct Case {
    std::string name;
    bool stays = false; ///< the result is in this process's memory by its nature
    std::function<AnyTensor(const Arguments<Typed>&)> typed;
    std::function<AnyTensor(const Arguments<Any>&)> any;
};

template <typename F>
Case both(std::string name, F f, bool stays = false) {
    return {std::move(name), stays, [f](const Arguments<Typed>& s) { return AnyTensor(f(s)); },
            [f](const Arguments<Any>& s) { return AnyTensor(f(s)); }};
}
template <typename F>
Case typed(std::string name, F f, bool stays = false) {
    return {std::move(name), stays, [f](const Arguments<Typed>& s) { return AnyTensor(f(s)); }, {}};
}

/// A copy in this process's memory.
inline AnyTensor copied_here(const AnyTensor& x) {
    if (!x.operand().node->reads(pv::Below::device)) return x;
    const pv::Operand copy = pv::cpu().results_like({}, x.dtype(), pv::to_shape(x.shape()));
    pv::assign(x.operand(), copy);
    return AnyTensor(copy);
}

/// Behind a wall a call gives what it gives in memory, or an error that names a way out.
template <typename Call>
void check_behind_wall(Call call, const AnyTensor& expected) {
    INFO("behind a wall");
    std::string text;
    try {
        return check_same(copied_here(call()), expected);
    } catch (const pv::DeviceError& error) {
        text = error.what();
    } catch (const pv::DtypeError& error) {
        text = error.what();
    }
    INFO(text);
    CHECK(text.find("gpu::") != std::string::npos);
}

inline void check(const std::vector<Case>& cases) {
    const Arguments<Typed> here = arguments();
    const Arguments<Typed> there = away_of(here);
    // The wall is for what lies in memory that the CPU works on.
    const bool has_wall = &pv::backend_of({}) == &pv::cpu();
    const Arguments<Typed> walled = has_wall ? moved(here, &oracle::walled) : there;
    const auto any = [](const auto& x) { return AnyTensor(x); };
    for (const Case& each : cases) {
        INFO(each.name);
        const AnyTensor expected = each.typed(here);
        try {
            const AnyTensor found = each.typed(there);
            check_same(found, expected);
            check_place(found, each.stays);
            if (has_wall) check_behind_wall([&] { return each.typed(walled); }, expected);
            if (each.any) {
                INFO("of a type known at run time");
                const AnyTensor other = each.any(mapped<Any>(there, any));
                check_same(other, each.any(mapped<Any>(here, any)));
                check_place(other, each.stays);
                if (has_wall)
                    check_behind_wall([&] { return each.any(mapped<Any>(walled, any)); },
                                      each.any(mapped<Any>(here, any)));
            }
        } catch (const std::exception& error) {
            FAIL_CHECK(error.what());
        }
    }
}

} // namespace elsewhere
