#pragma once

#include "array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace purview_python {

/// What a list that a traced function of Python returns is: one array of its elements, as to `asarray`, or several outputs, among which None is no output.
enum class Lists : std::uint8_t { arrays, several };

/// What a traced function of Python has returned: an array, or a tuple, named tuple or dict of such.
class Outputs {
public:
    Outputs() = default;
    /// Throws `TypeError` for what is none of these.
    explicit Outputs(nb::handle returned, Lists lists = Lists::arrays);

    /// The arrays, in order.
    const std::vector<Array>& arrays() const noexcept { return arrays_; }
    /// As many arrays in their places.
    nb::object with(std::span<const Array> arrays) const;

private:
    /// One of several outputs, or one array.
    struct Part {
        std::size_t length;
        nb::object
            kind; ///< nothing of an array; None; the type of a list or tuple; the keys of a dict
    };
    void add(nb::handle returned, Lists lists);
    static nb::object next_of(std::span<const Part>& parts, std::span<const Array>& arrays);

    std::vector<Array> arrays_;
    std::vector<Part> parts_; ///< each before those in it
};

} // namespace purview_python
