#pragma once

#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/array_like.hpp>

#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Columns that together are the key of each row: one as it is, `{symbol, venue}`, or a vector.
class KeyColumns : public std::vector<AnyTensor> {
public:
    KeyColumns() = default;
    template <typename X>
        requires std::convertible_to<const X&, AnyTensor> KeyColumns(const X& column) {
            push_back(column);
        }
    /// An array of another kind, as `as_tensor` takes it: one that is not moved in is copied.
    template <typename X>
        requires(ForeignArray<std::remove_cvref_t<X>> &&
                 !std::convertible_to<X, std::vector<AnyTensor>>)
    KeyColumns(X&& column) { push_back(as_tensor(std::forward<X>(column))); }
    KeyColumns(std::initializer_list<AnyTensor> several) : vector(several) {}
    KeyColumns(std::vector<AnyTensor> several) : vector(std::move(several)) {}
};

} // namespace purview
