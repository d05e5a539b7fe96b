#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/destination.hpp>

#include "evaluation/other_backend.hpp"

#include <string>

namespace purview::inline v0_1::engine {

/// The results of work: `size` elements of `dtype`, one after the other.
struct Results {
    DType dtype;
    index_t size;
    const Destination& out;
};

/// Has work done that may be another backend's. What this does not take, `by_cpu` computes into the
/// memory that it is given, and reads what lies elsewhere by its readers.
void do_elsewhere(const Verb& verb, const Operand& source, const Results& results,
                  FunctionRef<void(void*)> by_cpu);

/// Assigns, or scatters, by the backend that the source or the destination lies on, and returns
/// true, if that takes it.
bool assign_elsewhere(const Operand& source, const Operand& destination);
bool scatter_elsewhere(ScatterKind how, const Operand& source, const Operand& destination);

/// How another backend would do it; empty where the CPU does.
std::string describe_elsewhere(const Verb& verb, const Operand& source, const Operand& destination);

} // namespace purview::engine
