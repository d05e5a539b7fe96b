#pragma once

namespace hostile {

/// Evaluates, on several threads too, with plans that are remembered and that are not, with all that the library
/// keeps from call to call: checks every result.
void evaluate_everything();

} // namespace hostile
