#pragma once

#include "distributions/describe.hpp"
#include "messages/ranks.hpp"

#include <purview/functional/reductions/chosen_reducer.hpp>

#include <memory>

namespace purview::inline v0_1::mpi {

/// The reducer whose states ranks join. Throws `KindError` for a reduction that has no states, `DtypeError`.
std::shared_ptr<const Reducer> joined_reducer(const char* what, const ChosenReducer& chosen,
                                              DType element);
/// What ranks agree on beside the name that a call has. Nothing for no reducer.
void describe_reducer(CallText& call, const char* what, const ChosenReducer& chosen);
/// Throws what the policy asks for, on all ranks alike, before anything is reduced. A call of all ranks.
void check_nan(NanRule nan, Ranks& ranks, const char* what, const Operand& x);

} // namespace purview
