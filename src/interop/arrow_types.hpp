#pragma once

#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>

#include "dtype/known_times.hpp"

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::arrow {

/// Calls `work(std::type_identity<T>)` with the static type of `dtype`, if it is one that Arrow's
/// arrays hold: built-in, a string, float16, or a time in a unit from weeks to nanoseconds. Whether
/// it did.
template <typename Work>
bool visit_arrow_dtype(DType dtype, Work work) {
    if (dtype.is_builtin()) {
        visit_dtype(dtype, "Arrow", work);
        return true;
    }
    bool is_done = false;
    const auto consider = [&]<typename T>(std::type_identity<T> type) {
        if (is_done || dtype != kDType<T>) return;
        work(type);
        is_done = true;
    };
    consider(std::type_identity<std::string>{});
    consider(std::type_identity<Half>{});
    for_each_time(consider);
    return is_done;
}

} // namespace purview::arrow
