#pragma once

#include "array.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace purview_python {

/// What a traced function of Python has returned: an array, or a tuple of such.
class Outputs {
public:
    Outputs() = default;
    /// Throws `TypeError` for what is neither.
    explicit Outputs(nb::handle returned);

    /// The arrays, in order.
    const std::vector<Array>& arrays() const noexcept { return arrays_; }
    /// As many arrays in their places.
    nb::object with(std::span<const Array> arrays) const;

private:
    void add(nb::handle returned);

    std::vector<Array> arrays_;
    std::vector<std::size_t> tuples_; ///< the length of each tuple, `kArray` for an array, in order
};

} // namespace purview_python
