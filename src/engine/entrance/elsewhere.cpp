#include "engine/entrance/elsewhere.hpp"

#include "engine/places/memory_leaf.hpp"

#include <span>
#include <utility>

namespace purview::inline v0_1 {
namespace engine {
namespace {

/// Whether another backend than the CPU has done the work; null: there is none.
bool done_by(const Backend* backend, const Work& work) {
    if (backend == nullptr || !backend->takes(work)) return false;
    backend->run(work);
    return true;
}

/// Who writes the source to the destination; null for the CPU, which also reads from one backend and
/// writes to another.
const Backend* writer_of(const Operand& source, const Operand& destination) {
    const Backend* const from = other_backend_of({&source, 1});
    const Backend* const to = other_backend_of({&destination, 1});
    if (from == nullptr || from == to) return to;
    return to == nullptr ? from : nullptr;
}

bool write_elsewhere(Verb verb, const Operand& source, const Operand& destination) {
    return done_by(writer_of(source, destination),
                   {std::move(verb), std::span(&source, 1), destination});
}

} // namespace

void do_elsewhere(const Verb& verb, const Operand& source, const Results& results,
                  FunctionRef<void(void*)> by_cpu) {
    const auto& [dtype, size, out] = results;
    const Backend* const backend = other_backend_of({&source, 1});
    if (backend == nullptr || size == 0) return compute_into(out, dtype, size, by_cpu);
    const Work work{verb, {&source, 1}, out.elements(dtype, ShapeSpan(&size, 1))};
    if (!done_by(backend, work)) compute_into(out, dtype, size, by_cpu);
}

bool assign_elsewhere(const Operand& source, const Operand& destination) {
    return write_elsewhere(work::Assign{}, source, destination);
}
bool scatter_elsewhere(ScatterKind how, const Operand& source, const Operand& destination) {
    return write_elsewhere(work::Scatter{how}, source, destination);
}

std::string describe_elsewhere(const Verb& verb, const Operand& source,
                               const Operand& destination) {
    if (!lies_elsewhere(source) && !lies_elsewhere(destination)) return {};
    const Work work{verb, std::span(&source, 1), destination};
    const Backend* const backend = writer_of(source, destination);
    return backend == nullptr || !backend->takes(work) ? "" : backend->describe(work);
}

} // namespace engine

Operand Destination::elements(DType dtype, ShapeSpan shape) const {
    return operand_ != nullptr ? Operand{operand_->node, Dimensions::row_major(shape)}
                               : engine::memory_operand(dtype, memory_, shape);
}

} // namespace purview
