#pragma once

#include <purview/evaluation/backend.hpp>

#include <cstdint>

namespace oracle {

/// What a device is to the library, without one: memory behind a wall. Readers there throw `DeviceError` when they are read or
/// written, as those of purview::gpu do; this backend, and nothing else, reaches behind the wall. It does the verbs that devices
/// have by the CPU, and refuses what they refuse: sorts, scatters to computed places, users' functions, operands of both places.
const purview::Backend& walled_backend();

/// The elements behind the wall, in new row-major memory that can be written. Throws `DtypeError` for types that devices do not have.
purview::Operand walled(const purview::Operand& x);

/// How many bytes have come out from behind the wall since the program began, and how many works were done there.
std::uint64_t walled_bytes_out() noexcept;
int walled_done() noexcept;

} // namespace oracle
