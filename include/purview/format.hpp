#pragma once

/// Formatters for {fmt}, which Purview's other headers do not need, and for `std::format` where
/// there is one: tensors of every kind, shapes and element types. `fmt::format("{}", x)` is what a
/// stream prints; `{:.3f}`, `{:.3e}`, `{:.10}` set the stream's precision and notation, as they
/// would for a number.

#include <purview/dtype/dtype.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/tensor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <ostream>
#include <sstream>
#include <string>
#if __has_include(<format>)
# include <format>
#endif

namespace purview::inline v0_1 {

/// The types that these formatters accept.
template <typename X>
concept Formattable = TensorLike<X> || std::derived_from<X, Shape> || std::same_as<X, DType>;

/// `[.precision][f|e|g]`.
class StreamedFormat {
public:
    /// Parses a specification and returns its end. Throws `Failure` for an invalid one.
    template <typename Failure, typename Iterator>
    constexpr Iterator parse(Iterator it, Iterator end) {
        if (it != end && *it == '.') {
            precision_ = 0;
            for (++it; it != end && *it >= '0' && *it <= '9' && precision_ < 100; ++it)
                precision_ = precision_ * 10 + (*it - '0');
        }
        if (it != end && (*it == 'f' || *it == 'e' || *it == 'g')) notation_ = *it++;
        if (it != end && *it != '}') throw Failure("a tensor's format is [.precision][f|e|g]");
        return it;
    }

    template <Formattable X>
    std::string text(const X& x) const {
        std::ostringstream out;
        if (precision_ >= 0) out.precision(precision_);
        if (notation_ == 'f') out.setf(std::ios_base::fixed, std::ios_base::floatfield);
        if (notation_ == 'e') out.setf(std::ios_base::scientific, std::ios_base::floatfield);
        out << x;
        return out.str();
    }

private:
    int precision_ = -1;
    char notation_ = 0;
};

} // namespace purview

/// A tensor is a range, but {fmt} must not print it as one.
template <purview::Formattable X>
struct fmt::is_range<X, char> : std::false_type {};

template <purview::Formattable X>
struct fmt::formatter<X, char> {
    constexpr auto parse(fmt::format_parse_context& context) {
        return format_.template parse<fmt::format_error>(context.begin(), context.end());
    }
    template <typename Context>
    auto format(const X& x, Context& context) const {
        const std::string text = format_.text(x);
        return fmt::format_to(context.out(), "{}", text);
    }

private:
    purview::StreamedFormat format_;
};

#ifdef __cpp_lib_format
# ifdef __cpp_lib_format_ranges
template <purview::Formattable X>
inline constexpr auto std::format_kind<X> = std::range_format::disabled;
# endif

template <purview::Formattable X>
struct std::formatter<X, char> {
    constexpr auto parse(std::format_parse_context& context) {
        return format_.template parse<std::format_error>(context.begin(), context.end());
    }
    template <typename Context>
    auto format(const X& x, Context& context) const {
        return std::format_to(context.out(), "{}", format_.text(x));
    }

private:
    purview::StreamedFormat format_;
};
#endif
