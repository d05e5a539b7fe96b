#pragma once

#include "inputs.hpp"

#include <utility>

namespace bench {

/// Doors to and from other libraries (docs/interop.md). A run is one crossing of a matrix of 4 × 6 numbers, until what it
/// has made is gone again. A second thread is alive.
template <typename Prepare>
void add_door(const char* name, Prepare prepare) {
    add(case_name(std::string("door_") + name, "4x6", "float64"), [=] {
        keep_second_thread();
        return prepare();
    });
}

inline constexpr std::size_t kDoorRows = 4, kDoorColumns = 6, kDoorSize = kDoorRows * kDoorColumns;

/// The elements of a matrix of another library.
template <typename Matrix>
Summary summary_of_matrix(const Matrix& matrix) {
    return summary_of(kDoorSize, [&](std::size_t i) {
        return matrix(static_cast<int>(i / kDoorColumns), static_cast<int>(i % kDoorColumns));
    });
}

/// A crossing whose tensor has elements of a type known at run time.
template <typename Run>
auto made_any(Run run) {
    return Task{run, [=] {
                    const pv::AnyTensor tensor = run();
                    return summary_of(tensor.as<double>());
                }};
}

} // namespace bench
