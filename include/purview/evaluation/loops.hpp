#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/expression/loop.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// What is called between steps: after each `every`-th, with its number, counted from 1, and the states
/// after it, which are its own to keep.
struct StepWatch {
    index_t every = 1;
    std::function<void(index_t step, std::span<const Operand> states)> call;
};

/// The element of a loop or a choice whose operands have elements, and then the results of those numbers:
/// in new memory where the operands lie, and elements of rank 0 for numbers. Throws what the functions
/// that it calls throw, `IndexError` for a count of steps that is negative or more than the loop has, and
/// `Error` for a loop that takes more steps than it may.
PURVIEW_EXPORT std::vector<Operand> results_of(const Node& source,
                                               std::span<const std::size_t> numbers,
                                               const StepWatch* watch = nullptr);

/// How it would be done, in lines.
PURVIEW_EXPORT std::string explain_results(const Node& source);

} // namespace purview
