#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// Where results go, one after the other: constructed elements in the memory of this process, or
/// what `results_like` has given, which may lie on another backend. Borrows; a parameter type.
class Destination {
public:
    Destination(void* memory) noexcept : memory_(memory) {}
    PURVIEW_EXPORT Destination(const Operand& results) noexcept;
    Destination(const Operand*) = delete; // its address is no memory

    /// Where what is not wanted goes.
    static Destination nowhere() noexcept { return Destination(static_cast<void*>(nullptr)); }
    bool is_nowhere() const noexcept { return memory_ == nullptr && operand_ == nullptr; }

    /// Null for results that lie elsewhere.
    void* memory() const noexcept { return memory_; }
    /// Null where only memory was given.
    const Operand* operand() const noexcept { return operand_; }
    /// The results as an operand that can be assigned to, in row-major order.
    PURVIEW_EXPORT Operand elements(DType dtype, ShapeSpan shape) const;

private:
    void* memory_;
    const Operand* operand_ = nullptr;
};

/// New uninitialised elements in the place where the source lies, in row-major order. Throws
/// `DtypeError` naming `what` for types that are neither built-in, stored in files, nor text.
PURVIEW_EXPORT Operand results_like(const char* what, const Operand& source, DType dtype,
                                    ShapeSpan shape);

/// Throws the `DeviceError` of the backend that an operand lies on, if the CPU may not read there, and
/// `SymbolError` for one that has no elements yet.
PURVIEW_EXPORT void check_read_elsewhere(const char* what, const Operand& x);
/// What a function calls that the CPU computes, before it reads: throws `DeviceError` naming `what` for
/// an operand whose elements the CPU may not read, `SymbolError` for one of symbols. For operands in
/// memory, a test of one byte.
inline void require_host_reads(const char* what, const Operand& x) {
    if (x.node->reads(Below::device | Below::symbol)) [[unlikely]]
        check_read_elsewhere(what, x);
}

/// Copies a result to the place where its source, which lies elsewhere, lies: unless it lies there
/// already, or is lazy over what does, sparse, or of a type that is not built-in.
PURVIEW_EXPORT void bring_elsewhere(const Operand& source, Operand& result);
/// Puts a result that was computed in this process where its source lies. For sources in memory, a
/// test of one byte.
inline void bring_to(const Operand& source, Operand& result) {
    if (source.node->reads(Below::device)) [[unlikely]]
        bring_elsewhere(source, result);
}
inline Operand brought_to(const Operand& source, Operand result) {
    bring_to(source, result);
    return result;
}

/// Has `compute` write `size` results to memory: that of `out`, or scratch, whose elements are then
/// written to where the results lie.
PURVIEW_EXPORT void compute_into(const Destination& out, DType dtype, index_t size,
                                 FunctionRef<void(void*)> compute);

} // namespace purview
