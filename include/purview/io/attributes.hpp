#pragma once

#include <purview/base/config.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace purview::inline v0_1 {

/// What a file says of an array or of a group beside its elements: values by name.
class Attributes {
public:
    /// A number as it is written: an integer of 64 bits is not rounded.
    using Number = std::variant<double, std::int64_t, std::uint64_t>;
    /// A value as far as it is a number, a text or a list of numbers (of one, for a number).
    struct Value {
        std::optional<double> number;
        std::optional<std::string> text;
        std::vector<double> numbers;
        std::vector<Number> exact; ///< the same as they are written; empty: as they are there

        Value() = default;
        template <typename N>
            requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>)
        Value(N value)
            : number(static_cast<double>(value)), numbers{*number}, exact{exactly(value)} {}
        template <std::convertible_to<std::string_view> S>
        Value(const S& value) : text(std::string_view(value)) {}
        Value(std::initializer_list<double> values) : numbers(values) {}
    };
    using Values = std::map<std::string, Value, std::less<>>;

    Attributes() = default;
    /// To be written: `{{"units", "K"}, {"scale_factor", 0.5}, {"valid_range", {0, 400}}}`.
    Attributes(std::initializer_list<Values::value_type> values)
        : values_(values), json_(json_of(values_)) {}
    /// `json`: all of them, as a JSON object.
    Attributes(Values values, std::string json)
        : values_(std::move(values)), json_(std::move(json)) {}

    bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
    /// The value of a name if it is a number.
    std::optional<double> number(std::string_view name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::nullopt : found->second.number;
    }
    /// The value of a name if it is a text.
    std::optional<std::string> text(std::string_view name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::nullopt : found->second.text;
    }
    /// The value of a name if it is a list of numbers, or one of them; empty otherwise.
    std::vector<double> numbers(std::string_view name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::vector<double>{} : found->second.numbers;
    }
    /// The same as they are written.
    PURVIEW_EXPORT std::vector<Number> exact_numbers(std::string_view name) const;
    /// The number that holds a value as it is, which is a double for other types than integers.
    template <typename N>
    static Number exactly(N value) {
        if constexpr (!std::is_integral_v<N>)
            return static_cast<double>(value);
        else if constexpr (std::is_signed_v<N>)
            return std::int64_t{value};
        else
            return std::uint64_t{value};
    }
    /// All of them as a JSON object, in which `NaN` and `Infinity` may be numbers.
    const std::string& json() const noexcept { return json_; }
    const Values& values() const noexcept { return values_; }

private:
    PURVIEW_EXPORT static std::string json_of(const Values& values);

    Values values_;
    std::string json_ = "{}";
};

} // namespace purview
