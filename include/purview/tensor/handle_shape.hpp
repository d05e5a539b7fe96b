#pragma once

#include <purview/base/index.hpp>

namespace purview::inline v0_1 {

/// The shape or strides of a temporary tensor, by value: what `f().shape()` returns. It cannot be
/// iterated over as a temporary, because iterators of two calls would not belong to one range; give
/// it a name first. (`for (auto n : f().shape())` does that.)
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

/// The shape or strides of a named tensor: `x.shape()`. As a temporary it iterates over the
/// tensor's own list, so that `std::vector<index_t>(x.shape().begin(), x.shape().end())` is valid;
/// those iterators live as long as `x`.
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
