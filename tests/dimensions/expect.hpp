#pragma once

#include "support/catch.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/dimensions.hpp>
#include <purview/dimensions/index.hpp>

#include <initializer_list>
#include <string>
#include <vector>

/// Requires an error of exactly this type with exactly this message.
template <typename Error, typename F>
void require_error(F&& f, const std::string& message) {
    try {
        f();
    } catch (const Error& error) {
        CHECK(error.what() == message);
        return;
    }
    FAIL("nothing was thrown instead of: " << message);
}

/// A shape, strides or coordinates, written out.
inline purview::Shape ints(std::initializer_list<purview::index_t> values) {
    return {values.begin(), values.end()};
}

inline purview::IndexSequencePtr list(std::initializer_list<purview::index_t> values) {
    return purview::make_index_sequence(std::vector<purview::index_t>(values));
}

inline purview::Shape shape_of(const purview::Dimensions& dims) {
    return purview::to_shape(dims.max_shape());
}

inline purview::Shape strides_of(const purview::Dimensions& dims) {
    return purview::to_shape(dims.strides());
}

/// All addresses in global order.
inline std::vector<purview::index_t> addresses(const purview::Dimensions& dims) {
    std::vector<purview::index_t> all(static_cast<std::size_t>(dims.size()));
    purview::dimensions::AddressStream(dims).read(0, all);
    return all;
}

using Addresses = std::vector<purview::index_t>;
