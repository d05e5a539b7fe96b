#pragma once

#include <purview/base/errors.hpp>

#include <string>

namespace oracle {

/// The text of the error of type `E` that a call throws.
template <typename E, typename Call>
std::string thrown_text(Call&& call) {
    try {
        call();
    } catch (const E& error) {
        return error.what();
    }
    return "nothing was thrown";
}
template <typename Call>
std::string device_error(Call&& call) {
    return thrown_text<purview::DeviceError>(call);
}

} // namespace oracle
