#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>

namespace purview::inline v0_1::engine {

/// How many elements of a bool operand are true. They are counted on the lanes of the program that
/// computes them, so that none is stored; on several threads where that pays.
std::int64_t count_all_true(const Operand& source);

} // namespace purview::engine
