#pragma once

#include <purview/base/index.hpp>

namespace purview {

/// A shape, or strides, of its own: what `f().shape()` returns. The ranges of two calls do not fit together, so that
/// it refuses to be iterated over as a temporary; name it first. (`for (auto n : f().shape())` names it.)
class ValueShape : public Shape {
public:
    explicit ValueShape(ShapeSpan values) : Shape(values.begin(), values.end()) {}

    auto begin() & noexcept { return Shape::begin(); }
    auto end() & noexcept { return Shape::end(); }
    auto begin() const& noexcept { return Shape::begin(); }
    auto end() const& noexcept { return Shape::end(); }
    void begin() const&& = delete;
    void end() const&& = delete;
};

/// The same of a tensor that has a name: `x.shape()`. As a temporary it iterates over what the tensor holds, so that
/// `std::vector<index_t>(x.shape().begin(), x.shape().end())` is one range; those iterators live as long as `x` does.
class HandleShape : public Shape {
public:
    explicit HandleShape(ShapeSpan values)
        : Shape(values.begin(), values.end()), held_(values.data()) {}

    auto begin() & noexcept { return Shape::begin(); }
    auto end() & noexcept { return Shape::end(); }
    auto begin() const& noexcept { return Shape::begin(); }
    auto end() const& noexcept { return Shape::end(); }
    const index_t* begin() const&& noexcept { return held_; }
    const index_t* end() const&& noexcept { return held_ + size(); }

private:
    const index_t* held_;
};

} // namespace purview
