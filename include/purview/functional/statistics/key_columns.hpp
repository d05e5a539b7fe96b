#pragma once

#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <concepts>
#include <initializer_list>
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
    /// An array of another library, read where it lies: for the length of a call.
    template <typename X>
        requires(ForeignArray<X>&& plain_array<X> && !std::convertible_to<const X&, AnyTensor>)
    KeyColumns(const X& column) { push_back(AnyTensor(operand_for_call(column))); }
    KeyColumns(std::initializer_list<AnyTensor> several) : vector(several) {}
    KeyColumns(std::vector<AnyTensor> several) : vector(std::move(several)) {}
};

} // namespace purview
