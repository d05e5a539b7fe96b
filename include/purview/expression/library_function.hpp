#pragma once

#include <purview/expression/elementwise.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// A number that no other call gives.
PURVIEW_EXPORT std::uint64_t unique_number() noexcept;

/// What a function of the library is called, and the bytes of what decides its results beside its
/// operands and their types. A parameter of a type whose bytes do not say what it is makes a
/// function that equals no other one.
struct FunctionName {
    template <typename... P>
    explicit FunctionName(const char* given_word, const P&... decisive) : word(given_word) {
        (add(decisive), ...);
    }
    template <typename P>
    void add(const P& parameter) {
        if constexpr (std::convertible_to<const P&, std::string_view>) {
            const std::string_view text(parameter);
            add(text.size());
            parameters += text;
        } else if constexpr ((std::has_unique_object_representations_v<P> &&
                              !std::is_pointer_v<P>) ||
                             (std::is_arithmetic_v<P> && sizeof(P) <= sizeof(double))) {
            parameters.append(reinterpret_cast<const char*>(&parameter), sizeof(P));
        } else if constexpr (!std::is_empty_v<P>) {
            add(unique_number());
            equals_no_other = true;
        }
    }

    const char* word; ///< lasts as long as the program
    std::string parameters;
    bool equals_no_other = false;
};

/// A function that the library gives to an `Op::map` node, so that programs can be printed, equal
/// nodes shared and results of functions told apart. Those of equal names, parameters and types of
/// operands and results are equal. (Functions of the user's, given to `emap`, are plain
/// `BlockFunction`s.)
class PURVIEW_EXPORT LibraryFunction : public BlockFunction {
public:
    explicit LibraryFunction(FunctionName name) noexcept : name_(std::move(name)) {}
    ~LibraryFunction() override;

    /// The name of the function as the user writes it: "multiply", "year_of", "real".
    std::string_view name() const noexcept { return name_.word; }
    /// What the function is besides its name, as bytes. Empty if the name says it all.
    std::span<const std::byte> parameters() const noexcept {
        return std::as_bytes(std::span(name_.parameters));
    }
    /// Whether they have a number that is another one for each function that is made.
    bool equals_no_other() const noexcept { return name_.equals_no_other; }

private:
    FunctionName name_;
};

/// Null for functions of the user's, and operations that have no function.
PURVIEW_EXPORT const LibraryFunction* library_function(const Elementwise& operation) noexcept;
/// The name of an operation as it is printed: that of its function in the library, "emap" for a
/// function of the user's.
PURVIEW_EXPORT std::string_view name_of(const Elementwise& operation) noexcept;
/// Whether two operations are the same of the same operands and with results of one type.
PURVIEW_EXPORT bool are_same_operation(const Elementwise& a, const Elementwise& b) noexcept;

} // namespace purview
