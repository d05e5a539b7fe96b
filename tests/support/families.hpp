#pragma once

#include <support/catch.hpp>
#include <support/device_error.hpp>
#include <support/function_families.hpp>

#include <purview/evaluation/backend.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace families {

/// What functions are tried with, on the host or there.
struct Given {
    pv::MutableTensor<double> m;       ///< [4, 6]
    pv::MutableTensor<double> v, w;    ///< [24]; of v some are equal
    pv::MutableTensor<std::int64_t> i; ///< [24], 0 … 5
    pv::MutableTensor<bool> mask;      ///< [24]
    pv::MutableTensor<double> sorted;  ///< [24], ascending

    static Given on_host() {
        const auto n = pv::arange(24);
        return {pv::clone(pv::reshape(pv::cast<double>(n * 7 % 24) / 4, {4, 6})),
                pv::clone(pv::cast<double>(n * 5 % 11) - 3),
                pv::clone(pv::cast<double>(n * 11 % 24) / 8 + 1),
                pv::clone(pv::cast<std::int64_t>(n % 6)),
                pv::clone(n * 5 % 3 == 1),
                pv::clone(pv::cast<double>(n) / 2)};
    }
    Given at(const Place& place) const {
        return {place(m), place(v), place(w), place(i), place(mask), place(sorted)};
    }
};

// --- all that a result has, as text

inline void tell(std::ostream& out, const std::string& x) { out << x; }
inline void tell(std::ostream& out, std::string_view x) { out << x; }
template <typename T>
    requires std::is_arithmetic_v<T>
void tell(std::ostream& out, T x) { out << +x << ' '; }
inline void tell(std::ostream& out, const pv::Operand& x) {
    const pv::Operand copy = pv::cpu().results_like({}, x.dtype(), x.dims.max_shape());
    pv::assign(x, copy);
    const pv::AnyTensor here(copy);
    out << here.dtype().name() << pv::to_string(here.shape()) << ": ";
    if (!here.dtype().is_builtin()) return tell(out, pv::to_string(here));
    const pv::AnyTensor numbers =
        pv::clone(pv::reshape(pv::AnyTensor(pv::unchecked_cast<double>(here)), {-1}));
    for (const double each : numbers.as<double>()) tell(out, each);
}
template <typename T>
    requires requires(const T& x) { x.operand(); }
void tell(std::ostream& out, const T& x) { tell(out, x.operand()); }
template <typename A, typename B>
void tell(std::ostream& out, const std::pair<A, B>& x);
template <typename... X>
void tell(std::ostream& out, const std::tuple<X...>& x);
template <typename T>
void tell(std::ostream& out, const std::optional<T>& x) {
    if (x) tell(out, *x);
}
template <std::ranges::range R>
    requires(!requires(const R& x) { x.operand(); } && !std::convertible_to<R, std::string_view>)
void tell(std::ostream& out, const R& x) {
    for (const auto& each : x) tell(out, each);
}
template <typename A, typename B>
void tell(std::ostream& out, const std::pair<A, B>& x) {
    tell(out, x.first);
    tell(out, x.second);
}
template <typename... X>
void tell(std::ostream& out, const std::tuple<X...>& x) {
    std::apply([&](const auto&... each) { (tell(out, each), ...); }, x);
}
template <typename R>
std::string told(const R& result) {
    std::ostringstream out;
    out.precision(17);
    tell(out, result);
    return out.str();
}

inline bool are_equal(const std::string& found, const std::string& expected) {
    return found == expected;
}
/// Numbers within a few units in the last place; all else as it is.
inline bool are_near(const std::string& found, const std::string& expected) {
    std::istringstream a(found), b(expected);
    std::string x, y;
    while (a >> x && b >> y) {
        if (x == y) continue;
        const double number = std::strtod(x.c_str(), nullptr);
        const double other = std::strtod(y.c_str(), nullptr);
        if (!(std::abs(number - other) <= 4e-15 * std::abs(other))) return false;
    }
    return !a && !(b >> y);
}

/// Tries families, one after the other.
class Families {
public:
    explicit Families(const Place& place)
        : place_(place), here_(Given::on_host()), there_(here_.at(place)), before_(everything()) {}

    /// `f` of what lies on the host, and there. Where it is not refused, no more than a few numbers travel to the host.
    template <typename F>
    void operator()(const char* name, F f) {
        INFO(name);
        CHECK(bytes_of_trying(f, &are_equal) <= 64);
    }
    /// What is computed there: not refused.
    template <typename F>
    void given(const char* name, F f) {
        const int before = refused_;
        (*this)(name, f);
        INFO(name);
        CHECK(refused_ == before);
    }
    /// The same, of functions that differ in their last bits.
    template <typename F>
    void given_about(const char* name, F f) {
        INFO(name);
        const int before = refused_;
        CHECK(bytes_of_trying(f, &are_near) <= 64);
        CHECK(refused_ == before);
    }
    /// What the host would compute: refused in the name of the function.
    template <typename F>
    void refused(const char* function, F f) {
        INFO(function);
        const std::string expected = told(f(here_));
        const std::string text = oracle::device_error([&] { f(there_); });
        INFO(text);
        CHECK(text.starts_with(std::string(function) + ": "));
        CHECK(text.find("gpu::to_host(x)") != std::string::npos);
        ++refused_;
    }
    /// How many were; nothing was written by any.
    int tried() const {
        CHECK(everything() == before_);
        INFO("given " << given_ << ", refused " << refused_);
        CHECK(refused_ + given_ > 0);
        return refused_ + given_;
    }
    ~Families() = default;
    Families(const Families&) = delete;
    Families& operator=(const Families&) = delete;

private:
    template <typename F>
    std::uint64_t bytes_of_trying(F f, bool (*is_same)(const std::string&, const std::string&)) {
        const std::string expected = told(f(here_));
        std::uint64_t bytes = 0;
        std::string found;
        try {
            const std::uint64_t before = place_.bytes_out();
            const auto result = f(there_);
            bytes = place_.bytes_out() - before;
            found = told(result);
            ++given_;
        } catch (const pv::DeviceError& error) {
            told_why(error.what());
            return 0;
        } catch (const pv::DtypeError& error) {
            told_why(error.what());
            return 0;
        } catch (const std::exception& error) {
            FAIL_CHECK("neither DeviceError nor DtypeError: " << error.what());
            return 0;
        }
        INFO("found " << found << "expected " << expected);
        CHECK(is_same(found, expected));
        return bytes;
    }
    void told_why(const std::string& text) {
        ++refused_;
        INFO(text);
        const bool names_a_way =
            text.find("to_host") != std::string::npos || text.find("gpu::") != std::string::npos;
        CHECK(names_a_way);
    }
    std::string everything() const {
        return told(std::tie(there_.m, there_.v, there_.w, there_.i, there_.mask, there_.sorted));
    }

    const Place& place_;
    Given here_, there_;
    std::string before_;
    int given_ = 0, refused_ = 0;
};

} // namespace families
