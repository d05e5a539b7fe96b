#pragma once

#include <purview/purview.hpp>
#include <support/catch.hpp>

#include <sstream>
#include <string>

namespace pv = purview;

/// What a value prints as.
template <typename X>
std::string printed(const X& x) {
    std::ostringstream text;
    text << x;
    return text.str();
}

/// The message of the Purview error of a type that a call throws.
template <typename Error, typename Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("another exception: ") + error.what();
    }
    return "nothing was thrown";
}

/// 0, 1, 2, … in a shape.
template <typename T = double>
pv::MutableTensor<T> counted(pv::AxisValues shape) {
    pv::index_t size = 1;
    for (const pv::index_t extent : shape) size *= extent;
    return pv::tensor(pv::to_vector(pv::cast<T>(pv::arange(size))), shape);
}

/// Whether two tensors have one shape and the same elements.
template <typename T>
bool equal(const pv::Tensor<T>& x, const pv::Tensor<T>& y) {
    return x.shape() == y.shape() && pv::to_vector(x) == pv::to_vector(y);
}
