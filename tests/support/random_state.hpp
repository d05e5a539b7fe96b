#pragma once

#include <support/random_choice.hpp>

#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include <type_traits>

namespace oracle {

/// A state of a loop: numbers that steps may add up and multiply for some time.
template <typename T>
purview::MutableTensor<T> random_state(Random& random, const purview::Shape& shape) {
    purview::MutableTensor<T> state = purview::empty<T>(shape);
    for (T& each : purview::as_span(state)) {
        const auto number = static_cast<double>(random.between(-1000, 1000));
        if constexpr (std::is_integral_v<T>)
            each = static_cast<T>(number);
        else
            each = static_cast<T>(number / 512);
    }
    return state;
}

} // namespace oracle
