#pragma once

#include "array.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace purview_python {

/// What a traced function of Python has returned: an array, or a tuple, named tuple, dict or list of such in one another, with None for nothing in them. A list of numbers
/// alone is one array, as in arguments.
class Outputs {
public:
    Outputs() = default;
    /// Throws `TypeError` for what is none of these.
    explicit Outputs(nb::handle returned);

    /// The arrays, in order.
    const std::vector<Array>& arrays() const noexcept { return arrays_; }
    std::size_t count() const noexcept { return count_; }
    /// The same, of which only the places are kept.
    std::vector<Array> take_arrays() { return std::exchange(arrays_, {}); }
    /// As many arrays in their places.
    nb::object with(std::span<const Array> arrays) const;
    /// For Python's collector of cycles: types and keys.
    int traverse(visitproc visit, void* arg) const;

private:
    /// One of several outputs, or one array.
    struct Part {
        std::size_t length;
        nb::object
            kind; ///< nothing of an array; None; the type of a list or tuple; the keys of a dict
    };
    void add(nb::handle returned);
    void add_within(nb::handle returned);
    static nb::object next_of(std::span<const Part>& parts, std::span<const Array>& arrays);

    std::vector<Array> arrays_;
    std::size_t count_ = 0;
    std::vector<Part> parts_; ///< each before those in it
};

} // namespace purview_python
