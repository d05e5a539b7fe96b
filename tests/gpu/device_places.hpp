#pragma once

// The tables of functions of tests/support, tried on devices.
#include "devices.hpp"

#include <support/function_families.hpp>

#include <string>

namespace gpu_tests {

inline families::Place place_of(const gpu::Device& d) {
    return {std::string(d.name()), std::string(d.state().driver->label()),
            [d](const pv::Operand& x) { return gpu::operand_on_device(x, d); },
            [d] { return gpu::statistics(d).bytes_out; }};
}

template <typename Table>
void at_every_computing_device(Table table) {
    on_every_computing_device([&](const gpu::Device& d) { table(place_of(d)); });
}

} // namespace gpu_tests
